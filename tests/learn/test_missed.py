"""Sizes for several keys: above the truth for every distribution, and not far above."""

from __future__ import annotations

from collections.abc import Callable
from itertools import combinations, product
from math import comb

import numpy as np
import pytest
from scipy import optimize

from littlestone.base.errors import TooLargeError
from littlestone.classes import parse_class
from littlestone.learn import LookupLearner, PartitionLearner
from littlestone.learn.lookup import _miss_chances
from littlestone.learn.plan import missed
from littlestone.learn.plan.missed import Floats, binomial_mean, binomial_means, too_much_missed
from littlestone.privacy import Budget
from littlestone.privacy.mechanisms.partition_selection import PartitionSelection

TOY = np.array([1.0, 0.9, 0.7, 0.4, 0.15, 0.05, 0.0])
BUDGET = Budget(1, "1e-6")


def failing(n: int, weights: list[float], chances: Floats, alpha: float) -> float:
    """The exact probability that the missed keys weigh more than alpha, over all counts."""
    k, top = len(weights), len(chances) - 1
    rest, total = 1 - sum(weights), 0.0
    for counts in product(range(n + 1), repeat=k):
        if sum(counts) > n:
            continue
        mass, left = 1.0, n
        for c, w in zip(counts, weights, strict=True):
            mass, left = mass * comb(left, c) * w**c, left - c
        mass *= rest**left
        chance = [chances[min(c, top)] for c in counts]
        total += mass * sum(
            np.prod([chance[i] if i in gone else 1 - chance[i] for i in range(k)])
            for size in range(k + 1)
            for gone in combinations(range(k), size)
            if sum(weights[i] for i in gone) > alpha
        )
    return float(total)


@pytest.mark.parametrize("keys", [2, 3])
def test_the_bound_is_above_the_exact_probability(keys: int) -> None:
    g = np.random.default_rng(keys)
    for n, alpha in [(12, 0.3), (16, 0.4)]:
        bound = too_much_missed(n, keys, TOY, alpha, 0.05)
        edges = [[1.001 * alpha / j] * keys for j in range(1, keys + 1)]
        drawn = [(w * alpha * 1.2).tolist() for w in g.dirichlet([2] * keys, size=3)]
        for weights in edges + drawn:
            if sum(weights) < 1:
                assert failing(n, weights, TOY, alpha) <= bound


def test_a_cell_is_bounded_by_its_lower_end(monkeypatch: pytest.MonkeyPatch) -> None:
    """Two keys of half of alpha, missed independently; with upper ends the bound is too small."""
    chances, n = missed.miss_chances(PartitionSelection(BUDGET)), 643
    truth = binomial_mean(n, 0.05, chances) ** 2
    assert truth <= too_much_missed(n, 2, chances, 0.1, 0.05) <= 1.1 * truth
    honest = binomial_means
    cell = 0.1 / missed._CELLS
    monkeypatch.setattr(missed, "binomial_means", lambda n, p, v: honest(n, p + cell, v))
    assert too_much_missed(n, 2, chances, 0.1, 0.05) < truth


def test_chances_are_those_of_the_release_curve() -> None:
    mechanism: PartitionSelection[str] = PartitionSelection(BUDGET)
    chances = missed.miss_chances(mechanism)
    assert chances[-1] == 0 < chances[-2]
    for c in (0, 1, 2, len(chances) // 2, len(chances) - 1):
        assert chances[c] == float(1 - mechanism.curve(c))


def formula(n: int, keys: int, chances: Floats, alpha: float) -> float:
    """e^(-lam alpha) max (1 - m(w) + m(w) e^(lam w))^keys for the best lam, at many weights w."""
    w = np.linspace(alpha / 4000, alpha, 4000)
    chance = binomial_means(n, w, chances)

    def exponent(log: float) -> float:
        lam = np.exp(log) / alpha
        return float(keys * np.log1p(chance * np.expm1(lam * w)).max() - lam * alpha)

    least = optimize.minimize_scalar(exponent, bounds=(-4, 6), method="bounded")
    return float(np.exp(least.fun))


@pytest.mark.parametrize(("n", "keys"), [(400, 2), (700, 5), (900, 5), (2500, 20)])
def test_cells_of_weights_only_add_to_the_bound(n: int, keys: int) -> None:
    """The maximum over all weights is no larger, and hardly smaller."""
    chances, alpha = np.array([1.0] * 10 + [0.5] * 10 + [0.0]), 0.1
    bound = too_much_missed(n, keys, chances, alpha, 1e-12)  # so small that no key fails alone
    exact = formula(n, keys, chances, alpha)
    assert exact <= bound <= 1.5 * exact


def test_a_curve_that_is_too_long_is_refused(monkeypatch: pytest.MonkeyPatch) -> None:
    """Also if its length is found on the way only."""
    monkeypatch.setattr(missed, "MOST_STEPS", 20)
    missed.require_curve(BUDGET)
    with pytest.raises(TooLargeError):
        missed.miss_chances.__wrapped__(PartitionSelection(BUDGET))


def test_a_cell_is_bounded_by_its_upper_end_too() -> None:
    """Where the chance hardly depends on the weight, nothing makes up for a smaller one."""
    chances = np.append(0.01 * (1 - 1e-6 * np.arange(60)), 0.0)
    for keys in (2, 5):
        bound, exact = (
            too_much_missed(50, keys, chances, 0.1, 1e-12),
            formula(50, keys, chances, 0.1),
        )
        assert exact <= bound * (1 + 1e-4)
        assert bound <= 1.001 * exact


@pytest.mark.parametrize("keys", [1, 2, 7, 2 * 10**9])
@pytest.mark.parametrize("rate", [0.0, 0.01])
def test_a_size_is_enough_by_one_of_its_two_bounds(keys: int, rate: float) -> None:
    chances = np.array([1.0] * 6 + [0.0])

    def curve(mechanism: str) -> Floats:
        return chances

    def besides(mechanism: str, keys: int, alpha: float) -> Callable[[int], float]:
        return lambda n: 0.8 * 0.05 if n < 300 and rate else 0.0

    def fails(n: int) -> float:
        rough = keys * binomial_mean(n, 0.2 / keys, chances)
        fine = too_much_missed(n, keys, chances, 0.2, 0.05) if 1 < keys < 10**9 else rough
        return min(rough, fine) + besides("", keys, 0.2)(n)

    sizes = missed.KeySizes(keys, curve, "m", "here", besides)
    bound = sizes.plan(0.2, 0.05, "realizable")
    assert bound is not None
    assert fails(bound.n) <= 0.05 < fails(bound.n - 1 - bound.n // 10**6)
    for n in (bound.n - 1 - bound.n // 10**6, bound.n, 2 * bound.n):
        assert sizes.is_enough(n, 0.2, 0.05, "realizable") == (n >= bound.n)
        assert not sizes.is_enough(n, 0.2, 0.05, "agnostic")
    assert sizes.plan(0.2, 0.05, "agnostic") is None


def simulated(n: int, weights: Floats, chances: Floats, alpha: float, runs: int) -> float:
    rng = np.random.default_rng(1)
    counts = rng.multinomial(n, [*weights, 1 - weights.sum()], size=runs)[:, :-1]
    gone = rng.random(counts.shape) < chances[np.minimum(counts, len(chances) - 1)]
    return float((gone @ weights > alpha).mean())


@pytest.mark.parametrize("keys", [2, 5, 40])
def test_the_size_is_enough_and_nine_tenths_are_not(keys: int) -> None:
    """For s keys of weight just above alpha / j, with s = keys or one less.

    For sets of 40, four fifths are not: their bound for the constant 1 is not as sharp.
    """
    sets = PartitionLearner(parse_class(f"subsets(a; at most {keys})"), BUDGET)
    table = LookupLearner(parse_class(f"lookup(a; at most {keys})"), BUDGET)
    cases = (sets, missed.miss_chances(sets.mechanism)), (table, _miss_chances(table.mechanism))
    for learner, chances in cases:
        bound = learner.plan(0.1, 0.05, setting="realizable")
        assert bound is not None
        js = range(1, keys + 1) if keys <= 5 else (30, 34, 36, 38)
        fifths = learner is sets and keys > 5
        most = 0.0
        for s, j in product({keys, max(1, keys - 1)}, js):
            weights = np.full(s, 0.1 * (1 + 1e-9) / j)
            if j <= s:
                assert simulated(bound.n, weights, chances, 0.1, 4000) <= 0.05 + 0.011
                fewer = simulated(bound.n * (8 if fifths else 9) // 10, weights, chances, 0.1, 4000)
                most = max(most, fewer)
        assert most > 0.05
