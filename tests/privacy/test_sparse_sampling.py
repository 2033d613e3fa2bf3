"""Sparse sampling is (epsilon, delta)-DP for every lists, and its bottom is the lowest possible."""

import math
import random
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from fractions import Fraction
from itertools import product

import pytest
from scipy import stats

from littlestone.base.errors import DeclarationError, LedgerError
from littlestone.privacy import Budget
from littlestone.privacy.ledger import Ledger
from littlestone.privacy.mechanisms.selection_from_lists import SparseSampling
from littlestone.privacy.mechanisms.sparse_selection import least_power
from littlestone.privacy.randomness import seeded_generator
from littlestone.privacy.rational import exp_below
from littlestone.prove.audit.claims import hockey_stick
from littlestone.prove.audit.subject import Trials

Lists = tuple[Sequence[int], ...]

TARGETS = [("0.1", "1e-6"), ("1", "1e-6"), ("1", "0.05"), ("5", "0.3"), ("1", "0.9")]


def neighbours(size: int, many: int) -> Iterator[tuple[Lists, Lists]]:
    """Ordered pairs of inputs that differ in one list, among others that favour some items."""
    short, long = range(size), range(size + 3)
    options: list[Sequence[int]] = [(), (0,), (0, 0), (5, 0), (5, 5), short, long]
    rests = {
        (a,) * m + (b,) * j
        for a, b in product(options, repeat=2)
        for m in (0, many)
        for j in (1, 3)
    }
    for rest in [(), *rests]:
        for one, other in product(options, repeat=2):
            yield (one, *rest), (other, *rest)


def delta_at(mechanism: SparseSampling[int], epsilon: Fraction) -> Fraction:
    """The bound of Theorem 1, for at least half of the mechanism's epsilon, rounded up slightly."""
    gap = max(Fraction(0), mechanism.base - exp_below(epsilon / 2))
    return max(mechanism.delta0, gap**2 / (mechanism.base**2 - 1))


def excess(mechanism: SparseSampling[int]) -> Fraction:
    """By how much the worst divergence exceeds delta, at a ratio certainly below e^epsilon."""
    ratio = exp_below(mechanism.epsilon, bits=256)
    known: dict[Lists, Mapping[int | None, Fraction]] = {}
    divergence = Fraction(0)
    for pair in neighbours(mechanism.list_size, mechanism.bottom + 4):
        for lists in pair:
            if lists not in known:
                known[lists] = mechanism.distribution(lists)
        divergence = max(divergence, hockey_stick(known[pair[0]], known[pair[1]], ratio))
    return divergence - mechanism.delta


@pytest.mark.parametrize(
    ("epsilon", "delta", "size"),
    [("1", "1e-6", 2), ("1", "0.05", 1), ("5", "0.3", 2), ("1", "0.9", 2)],
)
def test_private_on_every_neighbouring_pair(epsilon: str, delta: str, size: int) -> None:
    assert excess(SparseSampling(Budget(epsilon, delta), size)) <= 0


def fresh_share(mechanism: SparseSampling[int]) -> Fraction:
    """Pr[an item of one long list beside empty ones], which neighbours of that list never draw."""
    return 1 - mechanism.distribution([range(mechanism.list_size + 5), []])[None]


@pytest.mark.parametrize(("epsilon", "delta"), TARGETS)
@pytest.mark.parametrize("size", [1, 2, 100])
def test_delta0_is_reached_and_one_less_is_not_private(epsilon: str, delta: str, size: int) -> None:
    mechanism = SparseSampling[int](Budget(epsilon, delta), size)
    exact = fresh_share(mechanism)
    assert exact <= mechanism.delta0 <= exact * (1 + Fraction(1, 2**60))
    limit = min(mechanism.delta, 1 - 1 / mechanism.base)
    assert mechanism.delta0 <= limit
    odds = size * mechanism.base ** (2 - mechanism.bottom)  # of a fresh item, with one less
    assert odds / (1 + odds) > limit


def test_sizes() -> None:
    mechanism = SparseSampling[int](Budget(Fraction(1, 1000), Fraction(1, 10**6)), 100)
    near = 1 + math.log(100 * (1 - 1e-6) / 1e-6) * 2000
    assert near <= mechanism.bottom <= near + 1.1
    k = mechanism.copies_needed(Fraction(1, 20))
    assert mechanism.bottom_at_most(k) <= Fraction(1, 20) < mechanism.bottom_at_most(k - 1)
    assert mechanism.guarantee().rho <= Fraction(1, 8 * 10**6)
    assert mechanism.guarantee().delta == mechanism.delta0


@pytest.mark.parametrize("score", [0, 8, 12, 20])
def test_the_bound_of_bottom_is_that_of_one_item(score: int) -> None:
    mechanism = SparseSampling[int](Budget(1, Fraction(1, 20)), 1)
    exact = mechanism.base**mechanism.bottom
    exact /= exact + mechanism.base**score
    assert exact <= mechanism.bottom_at_most(score) <= exact * (1 + Fraction(1, 2**60))
    if score:
        assert mechanism.distribution([[1]] * score)[None] == exact


@pytest.mark.parametrize("base", [Fraction(11, 10), Fraction(3, 2), Fraction(10**6 + 1, 10**6)])
def test_least_power_is_least(base: Fraction) -> None:
    for k in (0, 1, 2, 5, 17, 200):
        assert least_power(base, base**k) == k
        assert least_power(base, base**k + Fraction(1, 10**30)) == k + 1
    assert least_power(base, Fraction(1, 7)) == 0
    assert least_power(base, Fraction(10**40)) == math.ceil(40 * math.log(10) / math.log(base))


def pair_of(
    r: Fraction, cells: Sequence[tuple[int, int, str]], shares: int
) -> tuple[dict[int, Fraction], dict[int, Fraction]]:
    """The two distributions of ``cells``: (items, score without the list, which lists hold them).

    The last cell, of bottom, has the score ``shares``.  Items of score 0 are no candidates.
    """
    weights: tuple[list[Fraction], list[Fraction]] = ([], [])
    for items, score, holders in [*cells, (1, shares, "")]:
        for weight, name in zip(weights, "PQ", strict=True):
            counted = score + (name in holders)
            weight.append(items * r**counted if counted else Fraction(0))
    p, q = ({i: w / sum(weight) for i, w in enumerate(weight)} for weight in weights)
    return p, q


@pytest.mark.deep
def test_random_instances_never_exceed_the_curve() -> None:
    rng = random.Random(1)
    worst = Fraction(0)
    for _ in range(3000):
        epsilon = Fraction(rng.choice([1, 5, 10, 20, 40]), 10)
        mechanism = SparseSampling[int](
            Budget(epsilon, Fraction(1, rng.choice([4, 30]))), rng.randint(1, 6)
        )
        top = mechanism.bottom + 4
        cells, room = [], {"P": mechanism.list_size, "Q": mechanism.list_size}
        for _ in range(rng.randint(1, 6)):
            holders = rng.choice(["P", "Q", "PQ", ""])
            items = min([rng.randint(1, 6), *(room[name] for name in holders)])
            for name in holders:
                room[name] -= items
            cells.append((items, rng.choice([0, 0, rng.randint(0, top)]), holders))
        p, q = pair_of(mechanism.base, cells, mechanism.bottom)
        at = epsilon * Fraction(rng.randint(50, 110), 100)
        ratio, bound = exp_below(at, bits=128), delta_at(mechanism, at)
        divergence = hockey_stick(p, q, ratio)
        assert divergence <= bound
        worst = max(worst, divergence / bound)
    assert worst > Fraction(9, 10)


@pytest.mark.parametrize("share", ["0.5", "0.6", "0.8"])
@pytest.mark.parametrize("epsilon", ["0.1", "1", "4"])
def test_the_curve_is_reached(epsilon: str, share: str) -> None:
    mechanism = SparseSampling[int](Budget(Fraction(epsilon), Fraction(1, 10**9)), 200)
    at, r = mechanism.epsilon * Fraction(share), float(mechanism.base)
    root = math.exp(float(at / 2))
    # The list P moves mass x up, the list Q mass y, with y / x as in the proof.
    odds = (root * r - 1) / (r - root)
    items, score = round(200 / odds), mechanism.bottom + math.ceil(12 / math.log(r))
    p, q = pair_of(mechanism.base, [(items, score, "P"), (200, score, "Q")], mechanism.bottom)
    divergence = hockey_stick(p, q, exp_below(at, bits=128))
    assert Fraction(99, 100) * delta_at(mechanism, at) <= divergence <= delta_at(mechanism, at)


def test_beyond_epsilon_only_delta0_is_left() -> None:
    mechanism = SparseSampling[int](Budget(1, "1e-6"), 3)
    assert delta_at(mechanism, Fraction(1)) == mechanism.delta0 == delta_at(mechanism, Fraction(99))


@pytest.mark.parametrize(
    ("epsilon", "delta", "size"), [("0", "0.1", 1), ("1", "0", 1), ("1", "1", 1), ("1", "0.1", 0)]
)
def test_illegal_parameters_are_refused(epsilon: str, delta: str, size: int) -> None:
    with pytest.raises(DeclarationError):
        SparseSampling[int](Budget(epsilon, delta), size)


def p_value(sampler: SparseSampling[int], lists: Lists) -> float:
    """Chi-square p-value of 3,000 seeded draws against the distribution of honest sampling."""
    target = SparseSampling[int](Budget(sampler.epsilon, sampler.delta), sampler.list_size)
    exact = target.distribution(lists)
    rng, times = seeded_generator(5), 3000
    with Ledger() as ledger:
        receipt = ledger.spend(Trials(sampler, times), dataset="d", what="test", rng=rng)
        drawn = Counter(sampler.draw(lists, receipt=receipt) for _ in range(times))
    assert set(drawn) <= set(exact)
    expected = [float(p) * times for p in exact.values()]
    return float(stats.chisquare([drawn[u] for u in exact], expected).pvalue)


LISTS: Lists = ((3, 1), (1, 3), (1,), (4, 1), (4, 3, 2), (2, 4), (1, 1), (1, 4), (3, 1))


def test_draws_have_the_distribution() -> None:
    assert p_value(SparseSampling(Budget(1, Fraction(1, 10)), 2), LISTS) > 1e-3


def test_every_data_is_answered_and_every_draw_is_paid_for() -> None:
    mechanism, rng = (
        SparseSampling[int](Budget(1, "1e-6"), 2),
        seeded_generator(0),
    )
    inputs: list[list[list[int]]] = [[], [[]], [[], []], [[1]] * 500]
    with Ledger() as ledger:
        for lists in inputs:
            receipt = ledger.spend(mechanism, dataset="d", what="test", rng=rng)
            found = mechanism.draw(lists, receipt=receipt)
            assert found == (1 if len(lists) == 500 else None)
        state = rng.getstate()
        with pytest.raises(LedgerError):
            mechanism.draw([], receipt=receipt)
        assert rng.getstate() == state
