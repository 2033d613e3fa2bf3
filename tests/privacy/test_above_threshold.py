"""AboveThreshold with fresh noise: its exact worst case, by games, and what it improves on."""

import math
import random
from collections import Counter
from collections.abc import Iterator
from dataclasses import replace
from fractions import Fraction
from functools import cache
from itertools import pairwise, product
from math import comb
from typing import Any

import pytest
from threshold_audit import chi_square, neighbours, tail, worst

from littlestone.base.errors import DeclarationError
from littlestone.privacy import Budget
from littlestone.privacy.event import Guarantee
from littlestone.privacy.ledger import Ledger
from littlestone.privacy.mechanisms.above_threshold import (
    AboveThreshold,
    SparseVector,
    cheapest,
    randomized_responses,
    worst_delta,
)
from littlestone.privacy.mechanisms.threshold_tests import Answers
from littlestone.privacy.rational import exp_below
from littlestone.prove.audit.subject import Trials

LOOSE = AboveThreshold(budget=Budget(Fraction(1, 2), Fraction(1, 10)), threshold=0)
MILLIONTH = Fraction(1, 10**6)


def game(base: Fraction, ratio: Fraction, hits: int, tests: int) -> Fraction:
    """The best of all adaptive adversaries, who choose a value and its neighbour's in each test."""
    a = 1 / base

    @cache
    def gain(p: Fraction, q: Fraction, hits: int, tests: int) -> Fraction:
        best = max(Fraction(0), p - ratio * q)
        if hits and tests:
            for gap, move in product((-1, 0, 1, 2), (-1, 1)):
                hit, moved = tail(a, gap), tail(a, gap + move)
                best = max(
                    best,
                    gain(p * hit, q * moved, hits - 1, tests - 1)
                    + gain(p * (1 - hit), q * (1 - moved), hits, tests - 1),
                )
        return best

    return gain(Fraction(1), Fraction(1), hits, tests)


def walk(base: float, ratio: float, hits: int, tests: int) -> float:
    """The same with randomized responses only, for many tests: value iteration on the lattice."""
    reach = range(-tests, tests + 1)
    last = {j: max(0.0, 1 - ratio * base**-j) for j in reach}
    values = [last] * (hits + 1)
    for _ in range(tests):
        values = [last] + [
            {
                j: max(
                    v[j],
                    (base * fewer.get(j + 1, 0) + v.get(j - 1, 0)) / (1 + base),
                    (fewer.get(j - 1, 0) + base * v.get(j + 1, 0)) / (1 + base),
                )
                for j in reach
            }
            for fewer, v in pairwise(values)
        ]
    return values[hits][0]


@pytest.mark.parametrize("hits", [1, 2])
@pytest.mark.parametrize("ratio", ["1", "3/2", "2"])
def test_no_adaptive_adversary_does_better(hits: int, ratio: str) -> None:
    base = Fraction(3, 2)
    bound = worst_delta(base, Fraction(ratio), hits)
    assert game(base, Fraction(ratio), hits, 3) <= bound


@pytest.mark.parametrize(
    ("base", "ratio", "hits"),
    [(1.5, 2.3, 1), (1.5, 2.3, 3), (3.0, 3.0, 2), (1.25, 1.01, 2), (1.25, 3, 4)],
)
def test_the_worst_case_is_reached(base: float, ratio: float, hits: int) -> None:
    exact = worst_delta(Fraction(base), Fraction(ratio), hits)
    assert walk(base, ratio, hits, 60) == pytest.approx(float(exact), rel=1e-6)


def test_the_test_at_the_threshold_is_a_randomized_response() -> None:
    """Its extreme pair is attained by a value at the threshold and one below it."""
    base = Fraction(3, 2)
    assert (tail(1 / base, 0), tail(1 / base, 1)) == (base / (1 + base), 1 / (1 + base))


def rising(tests: int) -> Iterator[tuple[tuple[int, ...], tuple[int, ...]]]:
    """Every test at the threshold or one below it, the neighbour's the other way round."""
    for one in product((-1, 0), repeat=tests):
        yield one, tuple(-1 - v for v in one)


def excess(mechanism: AboveThreshold, hits: int, tests: int = 5) -> Fraction:
    """What the epsilon and delta of ``mechanism`` leave uncovered when it stops after ``hits`` hits."""
    noise = 1 / Fraction(round(1000 / mechanism.noises()[1]) - 1, 1000)  # a little more, but short

    class Short(AboveThreshold):
        def noises(self) -> tuple[Fraction, Fraction]:
            return Fraction(0), noise

    short = Short(budget=Budget(1, Fraction(1, 2)), threshold=0, hits=hits)
    delta = worst(short.distribution, rising(tests), exp_below(mechanism.epsilon))
    return max(Fraction(0), delta - mechanism.delta)


def test_one_hit_too_many_is_caught() -> None:
    """The paper's `while counter <= K` makes K + 1 hits."""
    assert excess(LOOSE, hits=1) == 0
    assert excess(LOOSE, hits=2) > 0


def test_noise_for_a_single_test_is_caught() -> None:
    """One test is epsilon-DP, but not a stream of them up to a hit."""
    plain = AboveThreshold(budget=Budget(Fraction(1, 2), Fraction(1, 10**3)), threshold=0)
    single = exp_below(plain.epsilon)
    assert worst_delta(single, exp_below(plain.epsilon), 1) > plain.delta
    assert game(Fraction(3, 2), Fraction(3, 2), 1, 3) > plain.delta


@pytest.mark.parametrize("below", [False, True])
def test_private_on_all_neighbours(below: bool) -> None:
    class Short(AboveThreshold):
        def noises(self) -> tuple[Fraction, Fraction]:
            return Fraction(0), Fraction(2, 3)

    mechanism = Short(budget=Budget(1, Fraction(1, 2)), threshold=0, hits=2, hits_below=below)
    for ratio in (Fraction(3, 2), Fraction(9, 4), Fraction(3)):
        found = worst(mechanism.distribution, neighbours((-1, 0, 2), 3, monotone=False), ratio)
        assert 0 < found <= worst_delta(Fraction(3, 2), ratio, 2)


@pytest.mark.parametrize(("epsilon", "hits"), [("0.1", 1), ("1", 8), ("3", 3)])
def test_the_calibrated_noise_is_the_least(epsilon: str, hits: int) -> None:
    mechanism = AboveThreshold(budget=Budget(Fraction(epsilon), MILLIONTH), threshold=0, hits=hits)
    ratio, query = exp_below(mechanism.epsilon), mechanism.query_epsilon
    assert worst_delta(exp_below(query), ratio, hits) <= MILLIONTH
    assert worst_delta(exp_below(query * Fraction(101, 100)), ratio, hits) > MILLIONTH


def test_rounding_is_upwards() -> None:
    base, ratio = Fraction(5, 4), Fraction(7, 3)
    coarse, fine = (worst_delta(base, ratio, 3, bits) for bits in (20, 200))
    assert fine <= coarse <= fine + Fraction(1, 2**12)
    for k, bits in product(range(1, 40), (3, 6)):  # so few that each counts
        ratio = 1 + Fraction(k, 7)
        assert worst_delta(Fraction(2), ratio, 1, bits) >= worst_delta(Fraction(2), ratio, 1)


def classical(base: float, ratio: float, hits: int) -> float:
    """HS_m + Pr[Bin(m, q) < hits], the least over m: the textbook bound."""
    q, best = 1 / (1 + base), 1.0
    for m in range(hits, 4 * hits + 60):
        tail = sum(comb(m, i) * q**i * (1 - q) ** (m - i) for i in range(hits))
        stick = sum(
            comb(m, i) * (1 - q) ** i * q ** (m - i) * max(0.0, 1 - ratio * base ** (m - 2 * i))
            for i in range(m + 1)
        )
        best = min(best, tail + stick)
    return best


@pytest.mark.parametrize(
    ("hits", "textbook", "sharp"), [(1, 16.8, 12.85), (8, 26.7, 23.47), (64, 57.6, 54.68)]
)
def test_figures_at_a_query_epsilon_of_a_hundredth(
    hits: int, textbook: float, sharp: float
) -> None:
    """Total epsilon over query epsilon, at delta 1e-6: the textbook's, and the exact one."""
    base = math.exp(0.01)
    for total, within in ((textbook - 0.1, False), (textbook + 0.1, True)):
        assert (classical(base, math.exp(0.01 * total), hits) <= 1e-6) is within
    for total, within in ((sharp - 0.03, False), (sharp + 0.03, True)):
        ratio = Fraction(math.exp(0.01 * total)).limit_denominator(10**9)
        delta = worst_delta(exp_below(Fraction(1, 100)), ratio, hits)
        assert (delta <= MILLIONTH) is within


def test_randomized_responses_suffice() -> None:
    base = Fraction(3, 2)
    for hits in (1, 4):
        m = randomized_responses(base, hits, MILLIONTH)
        tails = [
            sum(
                comb(n, i) * (1 / (1 + base)) ** i * (base / (1 + base)) ** (n - i)
                for i in range(hits)
            )
            for n in (m - 1, m)
        ]
        assert tails[1] <= MILLIONTH < tails[0]


def test_the_guarantee_for_composition() -> None:
    mechanism = AboveThreshold(budget=Budget(1, MILLIONTH), threshold=0, hits=4)
    guarantee = mechanism.guarantee()
    assert (guarantee.epsilon, guarantee.delta) == (Fraction(1), MILLIONTH)
    m = randomized_responses(exp_below(mechanism.query_epsilon), 4, MILLIONTH)
    assert guarantee.rho == m * Guarantee.pure(mechanism.query_epsilon).rho
    assert guarantee.rho < Guarantee.pure(mechanism.epsilon).rho


def test_draws_follow_the_distribution() -> None:
    mechanism = replace(LOOSE, budget=Budget(LOOSE.epsilon, MILLIONTH), hits=2)
    values, rng = (3, -2, 0), random.Random(6)
    counts: Counter[Answers] = Counter()
    with Ledger() as ledger:
        receipt = ledger.spend(Trials(mechanism, 2000), dataset="d", what="test", rng=rng)
    for _ in range(2000):
        counts[mechanism.draw(values, receipt=receipt)] += 1
    statistic, freedom = chi_square(counts, mechanism.distribution(values))
    assert statistic < freedom + 4 * (2 * freedom) ** 0.5


def test_the_cheapest_has_the_least_variance() -> None:
    for hits, kind in ((1, SparseVector), (8, SparseVector), (16, AboveThreshold)):
        assert type(cheapest(Budget(1, MILLIONTH), threshold=0, hits=hits)) is kind
    assert type(cheapest(Budget(1), threshold=0, hits=99)) is SparseVector
    many = cheapest(Budget(1, MILLIONTH), threshold=0, hits=16, monotone=True)
    assert type(many) is SparseVector


@pytest.mark.parametrize("delta", [Fraction(0), Fraction(1), "small"])
def test_a_wrong_delta_is_refused(delta: Any) -> None:
    with pytest.raises(DeclarationError, match="delta"):
        AboveThreshold(budget=Budget(1, delta), threshold=0)
