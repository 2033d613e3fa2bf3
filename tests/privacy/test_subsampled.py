"""Amplification by subsampling: exact over all samples of tiny data sets, and sharp."""

import math
from collections.abc import Callable, Mapping, Sequence
from fractions import Fraction
from itertools import combinations, permutations, product

import numpy as np
import pytest
from spending import Answer

from littlestone.base.errors import DeclarationError
from littlestone.privacy import Budget
from littlestone.privacy.accounting.subsampled import Subsampling
from littlestone.privacy.cost import PrivacyCost
from littlestone.privacy.ledger import Ledger
from littlestone.privacy.mechanisms.choosing import ChoosingMechanism
from littlestone.privacy.mechanisms.exponential import ExponentialMechanism
from littlestone.privacy.randomness import seeded_generator
from littlestone.privacy.rational import exp_below
from littlestone.privacy.scores import ErrorRuns
from littlestone.prove.audit.claims import hockey_stick

Records = tuple[int, ...]
Distribution = Mapping[int | None, Fraction]
Inner = Callable[[Records], Distribution]
Ways = Callable[[int, int], Sequence[Sequence[int]]]

R = Fraction(3)  # in place of e^epsilon
CHOOSING = ChoosingMechanism[int](Budget(1, Fraction(1, 5)), growth=1)


def flips(records: Records) -> Distribution:
    """Randomized response to whether any record is 1: the sharp case."""
    bit = int(1 in records)
    return {bit: R / (R + 1), 1 - bit: 1 / (R + 1)}


def distance(records: Records) -> Distribution:
    """Geometric noise on the Hamming distance to 1, 0, 1, ...: it tells the order of the records."""
    d = sum(record != (i + 1) % 2 for i, record in enumerate(records))
    weights = {x: R ** -abs(x - d) for x in range(-1, len(records) + 1)}
    # Ends of the line take what lies beyond, so that the normalisation is the same for all.
    low, high = min(weights), max(weights)
    for end in (low, high):
        weights[end] *= R / (R - 1)
    return {x: w * (R - 1) / (R + 1) for x, w in weights.items()}


def chooses(records: Records) -> Distribution:
    return CHOOSING.distribution([((record,), True) for record in records])


def ordered(n: int, size: int) -> Sequence[Sequence[int]]:
    return list(permutations(range(n), size))


def worst(
    inner: Inner, n: int, size: int, ratio: Fraction, ways: Ways = ordered, values: int = 2
) -> Fraction:
    """The worst divergence at ``ratio`` over all neighbouring data of n records."""
    picks = ways(n, size)
    known: dict[Records, Distribution] = {}
    for records in product(range(values), repeat=n):
        total: dict[int | None, Fraction] = {}
        for pick in picks:
            for y, mass in inner(tuple(records[i] for i in pick)).items():
                total[y] = total.get(y, Fraction(0)) + mass
        known[records] = {y: mass / len(picks) for y, mass in total.items()}
    return max(
        hockey_stick(known[one], known[(*one[:i], x, *one[i + 1 :])], ratio)
        for one in known
        for i in range(n)
        for x in range(values)
    )


SIZES = [(3, 1), (3, 2), (4, 2), (4, 3), (3, 3)]


@pytest.mark.parametrize(("n", "size"), SIZES)
@pytest.mark.parametrize("inner", [flips, distance])
def test_pure_events_are_amplified(inner: Inner, n: int, size: int) -> None:
    assert worst(inner, size, size, R) == 0
    assert worst(inner, n, size, 1 + Fraction(size, n) * (R - 1)) == 0


@pytest.mark.parametrize(("n", "size"), SIZES)
def test_events_with_delta_are_amplified(n: int, size: int) -> None:
    rate, whole = Fraction(size, n), CHOOSING.cost()
    ratio = exp_below(whole.epsilon, 256)
    assert worst(chooses, size, size, ratio, values=3) <= whole.delta
    assert worst(chooses, n, size, 1 + rate * (ratio - 1), values=3) <= rate * whole.delta


def test_the_amplified_cost_is_sharp() -> None:
    ratio = 1 + Fraction(1, 2) * (R - 1)
    assert worst(flips, 4, 2, ratio * Fraction(999, 1000)) > 0


def first(n: int, size: int) -> Sequence[Sequence[int]]:
    return [range(size)]


def in_order(n: int, size: int) -> Sequence[Sequence[int]]:
    return list(combinations(range(n), size))


def contiguous(n: int, size: int) -> Sequence[Sequence[int]]:
    return [range(start, start + size) for start in range(n - size + 1)]


@pytest.mark.parametrize("plant", [first, in_order, contiguous])
def test_other_samples_are_caught(plant: Ways) -> None:
    """A sample in the order of the records is enough only for events that do not see the order."""
    assert max(worst(distance, n, m, 1 + Fraction(m, n) * (R - 1), plant) for n, m in SIZES) > 0


@pytest.mark.parametrize("epsilon", ["1e-9", "0.1", "1", "30", "44", "100"])
@pytest.mark.parametrize(("n", "size"), [(10, 10), (10, 1), (10**9, 1)])
def test_the_logarithm_is_rounded_up(epsilon: str, n: int, size: int) -> None:
    whole = Fraction(epsilon)
    amplified = Subsampling(Answer(whole), n, size).cost().epsilon
    assert amplified <= whole
    if whole <= 40:
        assert exp_below(amplified, 256) >= 1 + Fraction(size, n) * (exp_below(whole, 256) - 1)
        near = math.log1p(size / n * math.expm1(float(whole)))
        assert float(amplified) == pytest.approx(near, rel=1e-9)


def test_delta_is_multiplied_by_the_rate() -> None:
    event = Subsampling(Answer(Fraction(0), Fraction(1, 10)), n=8, size=2)
    assert event.cost() == PrivacyCost(Fraction(0), Fraction(1, 40))
    assert event.rate == Fraction(1, 4)


@pytest.mark.parametrize("size", [0, 6, -1])
def test_illegal_sizes_are_refused(size: int) -> None:
    with pytest.raises(DeclarationError):
        Subsampling(Answer(), n=5, size=size)


def test_the_receipt_pays_for_the_event_on_the_sample() -> None:
    inner = ExponentialMechanism(Fraction(1))
    with Ledger() as ledger:
        event = Subsampling(inner, n=10, size=1)
        receipt = ledger.spend(event, dataset="d", what="test", rng=seeded_generator(0))
        runs = ErrorRuns(np.array([0, 40]))
        assert inner.draw(runs, receipt=receipt) == 0
        assert ledger.total("d") == event.cost()
