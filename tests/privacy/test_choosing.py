"""The choosing mechanism is (epsilon, delta)-DP for every sample: replacement, label included."""

from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from fractions import Fraction
from functools import cache
from itertools import product
from typing import Any

import numpy as np
import pytest
from scipy import stats

from littlestone.base.errors import LedgerError
from littlestone.privacy import Budget
from littlestone.privacy.ledger import Ledger
from littlestone.privacy.mechanisms.choosing import ChoosingMechanism
from littlestone.privacy.randomness import seeded_generator
from littlestone.privacy.rational import exp_below
from littlestone.prove.audit.claims import hockey_stick

Record = tuple[Sequence[str], bool]

# Lists of every length, one longer than growth 2, one with a repeat; both labels.
RECORDS: list[Record] = list(
    product([(), ("a",), ("b",), ("a", "b"), ("b", "a", "c"), ("c", "c", "a")], (True, False))
)


def neighbours(many: int) -> Iterator[tuple[tuple[Record, ...], tuple[Record, ...]]]:
    """All pairs of samples of up to 3 records that differ in one, and of some with many copies."""
    rests: set[tuple[Record, ...]] = {()}
    rests |= {rest for n in (1, 2) for rest in product(RECORDS, repeat=n)}
    rests |= {(one,) * many + (other,) for one in RECORDS[::2] for other in RECORDS}
    for rest in rests:
        for one, other in product(RECORDS, repeat=2):
            yield (one, *rest), (other, *rest)


def excess(mechanism: ChoosingMechanism[str]) -> Fraction:
    """By how much the worst divergence exceeds delta, at a ratio certainly below e^epsilon."""
    ratio = exp_below(mechanism.epsilon, bits=256)
    known: dict[Any, Mapping[str | None, Fraction]] = {}

    @cache
    def distribution(records: tuple[Record, ...]) -> Mapping[str | None, Fraction]:
        # Many samples have the same scores.
        scores = mechanism.scores(records)
        key = frozenset(scores.items())
        if key not in known:
            known[key] = mechanism.chances(scores)
        return known[key]

    pairs = {}
    for one, other in neighbours(mechanism.bottom + 3):
        p, q = distribution(one), distribution(other)
        pairs[id(p), id(q)] = p, q
    return max(hockey_stick(p, q, ratio) for p, q in pairs.values()) - mechanism.delta


@pytest.mark.parametrize(("epsilon", "delta"), [("1", "1e-6"), ("1", "0.05"), ("4", "0.3")])
@pytest.mark.parametrize("growth", [1, 2])
def test_private_on_every_neighbouring_pair(epsilon: str, delta: str, growth: int) -> None:
    assert excess(ChoosingMechanism(Budget(epsilon, delta), growth)) <= 0


EVERYTHING = "constant 1"
PLACES: list[Record | None] = [None, *RECORDS[:8]]


@pytest.mark.parametrize(("gain", "loss"), [(1, 1), (3, 1), (1, 3)])
@pytest.mark.parametrize("constant", [True, False])
def test_private_with_void_places_and_the_constant_1(gain: int, loss: int, constant: bool) -> None:
    """On all samples of three places: a void place is in no sum, that of the constant 1 included."""
    mechanism = ChoosingMechanism[str](Budget(1, Fraction(1, 20)), 2, gain, loss)

    def law(places: Sequence[Record | None]) -> Mapping[str | None, Fraction]:
        held = [record for record in places if record is not None]
        scores = mechanism.scores(held)
        if constant:
            positives = sum(label for _, label in held)
            scores[EVERYTHING] = mechanism.score(positives, len(held) - positives)
        return mechanism.chances(scores)

    ratio, rests = exp_below(mechanism.epsilon, bits=256), product(PLACES, repeat=2)
    for rest, record in product(rests, PLACES[1:]):
        p, q = law([*rest, record]), law([*rest, None])
        assert max(hockey_stick(p, q, ratio), hockey_stick(q, p, ratio)) <= mechanism.delta0
    positive, uncovered = RECORDS[2], RECORDS[1]
    # Only without the constant 1 is a void place like a negative record that nothing covers.
    assert (law([positive, uncovered]) == law([positive, None])) != constant


@pytest.mark.parametrize("growth", [1, 2, 7])
def test_delta0_is_reached(growth: int) -> None:
    mechanism = ChoosingMechanism[str](Budget(1, "1e-6"), growth)
    fresh = 1 - mechanism.distribution([("abcdefghi", True), ("a", True)][:1])[None]
    assert fresh <= mechanism.delta0 <= fresh * (1 + Fraction(1, 2**60))


# The scores are a: 9, b: 9, c: 5 when growth is 2, and no two of these lists could be swapped.
GROUPS: list[tuple[Record, int]] = [
    ((("a",), True), 4),
    ((("a", "b", "c"), True), 6),
    ((("c", "c", "a"), True), 7),
    ((("b",), True), 5),
    ((("a",), False), 8),
    ((("c", "c", "b"), False), 2),
]


@pytest.mark.deep
def test_scores_are_those_of_the_records() -> None:
    """Draws from scores have the distribution of the records."""
    mechanism = ChoosingMechanism[str](Budget(Fraction(1, 2), Fraction(1, 2)), 2)
    records = [record for record, times in GROUPS for _ in range(times)]
    names, scores = "abc", np.array([9, 9, 5])
    assert mechanism.scores(records) == dict(zip(names, scores.tolist(), strict=True))
    exact = mechanism.distribution(records)
    for counted in (True, False):
        rng, drawn = seeded_generator(3), Counter[str | None]()
        with Ledger() as ledger:
            for _ in range(1500):
                receipt = ledger.spend(mechanism, dataset="d", what="test", rng=rng)
                if counted:
                    i = mechanism.draw_scores(scores, receipt=receipt)
                    drawn[None if i is None else names[i]] += 1
                else:
                    drawn[mechanism.draw(records, receipt=receipt)] += 1
            with pytest.raises(LedgerError):
                mechanism.draw_scores(scores, receipt=receipt)
        assert set(drawn) <= set(exact)
        expected = [float(p) * 1500 for p in exact.values()]
        assert stats.chisquare([drawn[h] for h in exact], expected).pvalue > 1e-3


def test_scores_far_below_zero_and_far_above() -> None:
    mechanism, rng = (
        ChoosingMechanism[str](Budget(1, Fraction(1, 20)), 2),
        seeded_generator(0),
    )
    with Ledger() as ledger:
        receipt = ledger.spend(mechanism, dataset="d", what="test", rng=rng)
        scores = np.array([10**9, 1 - 10**12])
        assert mechanism.draw_scores(scores, receipt=receipt) == 0
        receipt = ledger.spend(mechanism, dataset="d", what="test", rng=rng)
        assert mechanism.draw_scores(scores[1:], receipt=receipt) is None
    negative = mechanism.distribution([("a", True), *[("a", False)] * 9])
    assert negative["a"] == 1 / (1 + mechanism.base ** (mechanism.bottom + 8))
