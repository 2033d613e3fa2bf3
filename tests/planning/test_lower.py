"""Lower bounds: against all learners of tiny samples, and against the proved sizes of ours."""

from __future__ import annotations

import math
from fractions import Fraction
from itertools import combinations_with_replacement, product
from typing import Any

import numpy as np
import pytest
from scipy.optimize import linprog

from littlestone.classes import FiniteClass, Points, parse_class
from littlestone.domains import Integers
from littlestone.errors import DeclarationError, TooLargeError
from littlestone.learners.base import binomial_mean
from littlestone.planning.lower import chain, indistinct, lower_bounds, release, shattered, unseen
from littlestone.privacy import Budget
from littlestone.privacy.mechanisms.keys.release_curve import ReleaseCurve
from littlestone.privacy.rational import exp_above

GOAL: dict[str, Any] = {"alpha": 0.1, "beta": 0.05}


def least_failure(n: int, weight: float, epsilon: float, delta: float) -> float:
    """The mean failure over both labels of one point, of the best private bit for n records.

    A record shows the point with label 0 or 1, or another point.  A linear program: the variables are
    the probabilities of 1 on every data set, and privacy is a set of linear inequalities.
    """
    data = list(combinations_with_replacement("01-", n))
    number = {d: i for i, d in enumerate(data)}
    rows, bounds = [], []
    for d in data:
        for i, value in product(range(n), "01-"):
            e = tuple(sorted((*d[:i], *d[i + 1 :], value), key="01-".index))
            u, v = number[d], number[e]
            if u == v:
                continue
            more, fewer = np.zeros(len(data)), np.zeros(len(data))
            more[u], more[v] = 1, -math.exp(epsilon)  # P[1 | d] <= e^eps P[1 | e] + delta
            fewer[u], fewer[v] = -1, math.exp(epsilon)  # the same of P[0]
            rows += [more, fewer]
            bounds += [delta, delta + math.exp(epsilon) - 1]
    objective, constant = np.zeros(len(data)), 0.0
    for k in range(n + 1):
        chance = math.comb(n, k) * weight**k * (1 - weight) ** (n - k)
        objective[number[("1",) * k + ("-",) * (n - k)]] -= chance / 2
        objective[number[("0",) * k + ("-",) * (n - k)]] += chance / 2
        constant += chance / 2
    found = linprog(objective, A_ub=np.array(rows), b_ub=bounds, bounds=(0, 1))
    assert found.success
    return float(found.fun) + constant


CASES = [
    (n, weight, epsilon, delta)
    for n in (1, 2, 3, 5)
    for weight in (0.3, 0.9)
    for epsilon, delta in [(0.2, 0.0), (1.0, 0.0), (1.0, 0.05), (3.0, 0.01)]
]


@pytest.mark.parametrize(("n", "weight", "epsilon", "delta"), CASES)
def test_no_private_bit_fails_less_often(
    n: int, weight: float, epsilon: float, delta: float
) -> None:
    claimed = binomial_mean(n, weight, indistinct(epsilon, delta))
    assert claimed <= least_failure(n, weight, epsilon, delta) + 1e-9


def test_with_all_records_at_the_point_it_is_sharp() -> None:
    """So a bound that is any larger is refuted by the same check: as with half of the chain."""
    for n in (1, 2, 3, 4):
        best = least_failure(n, 1 - 1e-12, 1.0, 0.01)
        h = indistinct(1.0, 0.01)
        assert h[n] == pytest.approx(best, abs=1e-9)
        assert h[n // 2] > best + 0.01


def test_the_best_learner_without_privacy() -> None:
    """All samples of n records of m + 1 points: the labels of those not shown are coins."""
    alpha, beta, m = Fraction(2, 5), Fraction(1, 10), 2

    def failure(n: int, k: int) -> Fraction:
        weights = [1 - m * alpha / k, *[alpha / k] * m]
        total = Fraction(0)
        for shown in product(range(m + 1), repeat=n):
            unknown = m - len(set(shown) - {0})
            wrong = Fraction(sum(math.comb(unknown, w) for w in range(k, m + 1)), 2**unknown)
            total += math.prod((weights[i] for i in shown), start=Fraction(1)) * wrong
        return total

    sizes = [next(n for n in range(1, 20) if failure(n, k) <= beta) for k in (1, 2)]
    assert unseen(m, float(alpha), float(beta)) == max(sizes)
    one = math.ceil(math.log(1 / (2 * 0.05)) / -math.log(1 - 0.1))
    assert unseen(1, 0.1, 0.05) == one


def test_the_least_n_of_a_release_exactly() -> None:
    epsilon, delta, alpha, beta = Fraction(1), Fraction(1, 10**6), Fraction(1, 10), Fraction(1, 20)
    r = exp_above(epsilon, 96)
    curve = ReleaseCurve(
        lambda q: min(r * q + delta, 1 - (1 - q - delta) / r, Fraction(1)), bits=160
    )
    n = release(1.0, 1e-6, 0.1, 0.05)
    assert curve.miss(n - 1, alpha) > beta >= curve.miss(n, alpha)


@pytest.mark.slow
@pytest.mark.parametrize(
    "text",
    [
        "points(a)",
        "subsets(a; at most 4)",
        "rules(a, b; at most 2)",
        "thresholds(x, 0..50)",
    ],
)
def test_proved_sizes_are_above(text: str) -> None:
    from littlestone.planning import plan

    for epsilon, alpha, beta in [(0.1, 0.3, 0.3), (8, 0.1, 0.001)]:
        found = plan(parse_class(text), Budget(epsilon, "1e-6"), alpha=alpha, beta=beta)
        assert len(found.lower) >= 2
        for row in found.rows:
            for bound in (row.realizable, row.agnostic, row.tuned):
                if bound is not None:
                    assert bound.n >= max(lower.n for lower in found.lower), row.method


def test_shattered_points_are_shattered() -> None:
    for text, least in [
        ("subsets(a; at most 3)", 3),
        ("parities(a, b, c, d)", 4),
        ("points(a)", 1),
    ]:
        H = parse_class(text)
        points = shattered(H)
        assert len(points) >= least
        for labels in product((0, 1), repeat=len(points)):
            V: Any = H
            for x, y in zip(points, labels, strict=True):
                V = V.restrict(x, y)
            assert not V.is_empty()


def test_no_more_points_are_shattered_than_are_asked_for() -> None:
    H = parse_class("subsets(a; at most 12)")
    assert [len(shattered(H, most)) for most in (1, 3)] == [1, 3]
    assert len(shattered(H)) == 10


def test_an_error_of_exactly_alpha_is_no_failure() -> None:
    """So m points of weight alpha / k each must leave some weight over: m < k / alpha."""
    assert unseen(2, 0.5, 0.01) == unseen(1, 0.5, 0.01) < unseen(2, 0.5 - 1e-9, 0.01)
    assert chain(9, 1.0, 0, 0.25, 0.1) == chain(7, 1.0, 0, 0.25, 0.1)
    assert chain(9, 1.0, 0, 0.25, 0.1) < chain(9, 1.0, 0, 0.25 - 1e-9, 0.1)


def test_who_is_bound() -> None:
    kinds = [bound.learners for bound in lower_bounds(Points(Integers()), Budget(1), **GOAL)]
    assert kinds == ["any learner, private or not", "any private learner"]
    budget = Budget(1, "1e-6")
    few = parse_class("rules(a, b; at most 2)").restrict(("u", "v"), 1)
    assert (few.size, len(lower_bounds(few, budget, **GOAL))) == (4, 2)  # no open vocabulary
    hard = parse_class("rule_sets(a, b, c, d, e; at most 2 rules of 2)")
    with pytest.raises(TooLargeError):
        shattered(hard)
    assert lower_bounds(hard, budget, **GOAL)[0].n == unseen(1, **GOAL)
    for alpha, bounds in ((0.49, 3), (0.5, 2), (0.6, 2)):  # Theorem 3 is about alpha < 1/2
        assert len(lower_bounds(Points(Integers()), budget, alpha=alpha, beta=0.05)) == bounds
    two = FiniteClass.from_array([[0, 1], [1, 0]])  # one record tells them apart
    assert lower_bounds(two, Budget(1), **GOAL) == []
    with pytest.raises(DeclarationError, match="alpha"):
        lower_bounds(two, Budget(1), alpha=1.5, beta=0.1)


def test_more_points_need_more() -> None:
    sizes = [chain(m, 0.1, 0.0, 0.1, 0.05) for m in (1, 10, 40)]
    assert sizes == sorted(sizes)
    assert sizes[2] > sizes[0]
    assert min(indistinct(1.0, 0.5)) == 0
