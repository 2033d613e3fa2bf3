"""Lower bounds: against all learners of tiny samples, and against the proved sizes of ours."""

from __future__ import annotations

import math
from collections.abc import Callable
from fractions import Fraction
from itertools import combinations, combinations_with_replacement, product
from typing import Any

import numpy as np
import pytest
from scipy.optimize import linprog
from scipy.sparse import csr_matrix

from each import each
from littlestone.base.errors import DeclarationError, TooLargeError
from littlestone.classes import FiniteClass, Parities, Points, parse_class
from littlestone.classes.decision_lists import CountedLists
from littlestone.classes.juntas import CountedJuntas
from littlestone.classes.promises.counted import BoxFamily, CountedBoxes
from littlestone.learn.plan.lower import (
    chain,
    free_points,
    half_tail,
    indistinct,
    lower_bounds,
    path,
    rarest,
    rarest_failure,
    release,
    shattered_points,
    steps_of,
    unseen,
)
from littlestone.learn.plan.lower_mistakes import (
    bound_theorem_7,
    bound_theorem_9,
    coins,
    fresh,
    lower_mistakes,
)
from littlestone.learn.plan.missed import binomial_mean
from littlestone.points import Integers
from littlestone.privacy import Budget
from littlestone.privacy.mechanisms.partition_selection import ReleaseCurve
from littlestone.privacy.rational import exp_above
from littlestone.prove.papers.planning import Bit

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


@each(("n", "weight", "epsilon", "delta"), CASES)
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
    from littlestone.learn.plan import plan

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
        *_, points = shattered_points(H)
        assert len(points) >= least
        for labels in product((0, 1), repeat=len(points)):
            V: Any = H
            for x, y in zip(points, labels, strict=True):
                V = V.restrict(x, y)
            assert not V.is_empty()


def test_no_more_points_are_shattered_than_are_asked_for() -> None:
    H = parse_class("subsets(a; at most 12)")
    assert [len([*shattered_points(H, most)][-1]) for most in (1, 3)] == [1, 3]
    assert len([*shattered_points(H)][-1]) == 10


@pytest.mark.parametrize(("epsilon", "delta"), [(0.5, 0.0), (2.0, 0.0), (1.0, 0.05)])
def test_no_private_rule_is_right_at_the_point_shown_least(epsilon: float, delta: float) -> None:
    """Two points with free labels, up to three records: the best of all private learners."""
    h = indistinct(epsilon, delta)
    for n, weight in ((1, 0.45), (2, 0.3), (2, 0.45), (3, 0.45)):
        best = least_failure_at_two_points(n, weight, epsilon, delta)
        shown = [
            (K, math.prod(weight if s else 1 - 2 * weight for s in sample))
            for sample in product((0, 1, 2), repeat=n)
            for K in [(sample.count(1), sample.count(2))]
        ]
        exact = math.fsum(chance * h[min(K)] for K, chance in shown)
        claimed = rarest_failure(n, weight, 2, h)
        assert claimed <= exact + 1e-12
        assert exact <= best + 1e-9
        assert claimed > binomial_mean(n, weight, h) + 1e-3  # more than of one point
        added = math.fsum(chance * (h[K[0]] + h[K[1]]) for K, chance in shown)
        assert added > best + 1e-3  # as if errors at two points never came together


def least_failure_at_two_points(n: int, weight: float, epsilon: float, delta: float) -> float:
    """The least chance of any error, of the rules on two points, over their four labellings."""
    examples = ["-", *product((0, 1), (0, 1))]  # a point and its label
    rules = list(product((0, 1), repeat=2))
    data = list(combinations_with_replacement(range(len(examples)), n))
    number = {d: i for i, d in enumerate(data)}
    near = [
        (d, e)
        for d in data
        for e in {tuple(sorted((*d[:i], *d[i + 1 :], z))) for i in range(n) for z in range(5)} - {d}
    ]
    variables = 4 * len(data)
    rows, bounds = private_rules(
        [(4 * number[d], 4 * number[e]) for d, e in near], variables, 4, epsilon, delta
    )
    size = variables + 4 * len(near)
    sums, objective = np.zeros((len(data), size)), np.zeros(size)
    for i in range(len(data)):
        sums[i, 4 * i : 4 * i + 4] = 1
    for labels in rules:
        for sample in product((0, 1, 2), repeat=n):
            chance = math.prod(weight if s else 1 - 2 * weight for s in sample) / 4
            own = [examples.index((s - 1, labels[s - 1])) if s else 0 for s in sample]
            at = 4 * number[tuple(sorted(own))]
            for f, rule in enumerate(rules):
                objective[at + f] += chance * (rule != labels)
    return least_of(objective, rows, bounds, sums)


def private_rules(
    pairs: list[tuple[int, int]], variables: int, rules: int, epsilon: float, delta: float
) -> tuple[list[Any], list[float]]:
    """Of neighbours whose chances begin at these places, that their excesses sum to delta at most."""
    size = variables + rules * len(pairs)
    rows, bounds = [], []
    for j, (u, v) in enumerate(pairs):
        spent = np.zeros(size)
        for f in range(rules):
            row = np.zeros(size)
            row[u + f], row[v + f] = 1, -math.exp(epsilon)
            row[variables + rules * j + f] = -1
            spent[variables + rules * j + f] = 1
            rows.append(row)
            bounds.append(0.0)
        rows.append(spent)
        bounds.append(delta)
    return rows, bounds


def least_of(objective: Any, rows: list[Any], bounds: list[float], sums: Any) -> float:
    ones = np.array([float(s.any() and s.min() >= 0) for s in sums])
    found = linprog(
        objective, A_ub=csr_matrix(np.array(rows)), b_ub=bounds, A_eq=sums, b_eq=ones, bounds=(0, 1)
    )
    assert found.success
    return float(found.fun)


@pytest.mark.parametrize(("k", "least_wrong"), [(1, 1 / 4), (2, 3 / 4)])
@pytest.mark.parametrize(("epsilon", "delta"), [(0.5, 0.0), (2.0, 0.0), (1.0, 0.05)])
def test_no_private_rule_follows_a_path(
    k: int, least_wrong: float, epsilon: float, delta: float
) -> None:
    """A tree of two levels, samples of one and two records: the best of all private learners."""
    for n, weight in ((1, 0.9), (2, 0.5), (2, 0.9)):
        failing = 1 - np.array(steps_of(least_wrong, epsilon, delta))
        claimed = binomial_mean(n, weight, failing)
        best = least_failure_on_a_path(n, weight, epsilon, delta, k)
        assert claimed <= best + 1e-9
        assert n > 1 or k == 1 or claimed > 0.001  # it says something


def least_failure_on_a_path(n: int, weight: float, epsilon: float, delta: float, k: int) -> float:
    """The mean failure over the four paths; a path has the points r and s0 or s1, after r's label.

    A linear program: the variables are the probabilities of the eight rules on (r, s0, s1) for each
    sample, and by how much each exceeds e^epsilon times that of a neighbour.
    """
    examples = ["-", *((x, y) for x in ("r", "s0", "s1") for y in (0, 1))]
    rules = [
        dict(zip(("r", "s0", "s1"), labels, strict=True)) for labels in product((0, 1), repeat=3)
    ]
    data = list(combinations_with_replacement(range(len(examples)), n))
    number = {d: i for i, d in enumerate(data)}
    near = [
        (d, e)
        for d in data
        for e in {tuple(sorted((*d[:i], *d[i + 1 :], z))) for i in range(n) for z in range(7)} - {d}
    ]
    variables, excess = 8 * len(data), 8 * len(near)
    size = variables + excess
    rows, bounds = [], []
    for j, (d, e) in enumerate(near):
        spent = np.zeros(size)
        for f in range(8):
            row = np.zeros(size)
            row[8 * number[d] + f], row[8 * number[e] + f] = 1, -math.exp(epsilon)
            row[variables + 8 * j + f] = -1
            spent[variables + 8 * j + f] = 1
            rows.append(row)
            bounds.append(0.0)
        rows.append(spent)
        bounds.append(delta)
    sums = np.zeros((len(data), size))
    for i in range(len(data)):
        sums[i, 8 * i : 8 * i + 8] = 1
    objective = np.zeros(size)
    for y, z in product((0, 1), repeat=2):
        own = [0, examples.index(("r", y)), examples.index((f"s{y}", z))]
        for shown in product(range(3), repeat=n):
            chance = math.prod((1 - weight) if s == 0 else weight / 2 for s in shown)
            at = number[tuple(sorted(own[s] for s in shown))]
            for f, rule in enumerate(rules):
                wrong = (rule["r"] != y) + (rule[f"s{y}"] != z)
                objective[8 * at + f] += chance / 4 * (wrong >= k)
    found = linprog(
        objective,
        A_ub=csr_matrix(np.array(rows)),
        b_ub=bounds,
        A_eq=sums,
        b_eq=np.ones(len(data)),
        bounds=(0, 1),
    )
    assert found.success
    return float(found.fun)


def test_more_points_and_deeper_trees_give_more() -> None:
    """No cap: with pure privacy the number of records grows as the Littlestone dimension."""
    bounds = lower_bounds(parse_class("lookup(a; at most 5000)"), Budget(1, "1e-6"), **GOAL)
    assert max(bound.n for bound in bounds) == chain(5000, 1.0, 1e-6, 0.1, 0.05) == 17492
    sizes = [path(d, 1.0, 0.0, 0.1, 0.05) for d in (200, 400, 800)]
    assert sizes == sorted(sizes)
    assert 1.9 < (sizes[2] - sizes[1]) / (sizes[1] - sizes[0]) < 2.1
    assert path(800, 1.0, 1e-6, 0.1, 0.05) < 100  # ln(1 / delta) is the limit then
    deep = parse_class(f"thresholds(x, 0..{2**60 - 1})")
    pure = lower_bounds(deep, Budget(1), alpha=0.1, beta=0.4)
    assert [bound.source[-1] for bound in pure] == ["1", "4"]
    assert pure[1].n == path(59, 1.0, 0.0, 0.1, 0.4) > 2 * chain(1, 1.0, 0.0, 0.1, 0.4)


def test_free_points_are_free() -> None:
    """All labels of m points, and one more point that keeps its label: in brute force."""
    texts = ["subsets(a; at most 3)", "points(a)", "parities(a, b, c)", "boxes(x 0..2, y 0..2)"]
    classes: list[Any] = [parse_class(text) for text in texts]
    linear, affine = (Parities.over(["a", "b", "c"], affine=affine) for affine in (False, True))
    classes += [affine, linear.restrict((1, 1, 0), 1), affine.restrict((1, 1, 0), 1)]
    tables = [
        "conditions(x: 0..3 step 1, s in {u, v}; at most 2)",
        "trees(x: 0..2 step 1, s in {u, v}; depth 1)",
        "trees(x: 0..1 step 1, s in {u}; depth 2)",
        "rule_list(x: 0..1 step 1, s in {u}; at most 2)",
    ]
    classes += map(parse_class, tables)
    of_classes = [(H, free_points(H)) for H in classes]
    assert [m for _, m in of_classes[-len(tables) :]] == [2, 1, 3, 2]
    # What classes beyond a table say of themselves, on tables.
    bits = ", ".join(f"c{i}" for i in range(3))
    beyond: list[tuple[str, Callable[[Any], BoxFamily]]] = [
        ("boxes(x 0..2, y 0..1)", lambda D: CountedBoxes(D, "")),
        (f"conjunctions({bits})", lambda D: CountedBoxes(D, "")),
        (f"conjunctions({bits}; monotone)", lambda D: CountedBoxes(D, "", True)),
        (f"juntas({bits}; k 2)", lambda D: CountedJuntas(D, "", 2)),
        (f"decision_lists({bits})", lambda D: CountedLists(D, "")),
    ]
    for text, made in beyond:
        H = parse_class(text)
        of_classes.append((H, made(H.domain).free_points))
    assert [m for _, m in of_classes[-5:]] == [3, 3, 3, 3, 3]
    for H, m in of_classes:
        points = list(H.domain.examples(6)) if H.domain.size is None else list(H.domain)
        assert any(
            all(
                not _left(H, zip((*chosen, x), (*labels, y), strict=True)).is_empty()
                for labels in product((0, 1), repeat=m)
            )
            for chosen in combinations(points, m)
            for x in points
            if x not in chosen
            for y in (0, 1)
        ), H


def _left(H: Any, examples: Any) -> Any:
    for x, y in examples:
        H = H.restrict(x, y)
    return H


def test_mistakes_on_a_random_path() -> None:
    for depth in (1, 2, 7, 30):
        exact = [
            sum(math.comb(depth, i) for i in range(m + 1)) / 2**depth for m in range(depth + 1)
        ]
        assert coins(depth) == next(m for m, p in enumerate(exact) if p >= 0.95 and m)
        assert half_tail(depth, 2) == pytest.approx(exact[1])


@pytest.mark.parametrize(("epsilon", "delta"), [(0.3, 0.0), (1.0, 0.0), (1.0, 0.05), (3.0, 0.0)])
def test_no_private_stream_follows_a_repeated_record(epsilon: float, delta: float) -> None:
    """Three records of one point: the fewest mistakes, in the mean over both labels, of all learners.

    A linear program over the chances of three published bits, of which the t-th depends on the t - 1
    labels before; the third label is seen by none.
    """
    data, bits = list(product((0, 1), repeat=2)), list(product((0, 1), repeat=3))
    near = [
        (d, e) for d in data for e in data if sum(a != b for a, b in zip(d, e, strict=True)) == 1
    ]
    pairs = [(8 * data.index(d), 8 * data.index(e)) for d, e in near]
    rows, bounds = private_rules(pairs, 32, 8, epsilon, delta)
    size = 32 + 8 * len(pairs)
    sums = [np.zeros(size) for _ in data]
    for i, _ in enumerate(data):
        sums[i][8 * i : 8 * i + 8] = 1
    for seen in (0, 1):  # what is published first depends on no label, then on one
        for d, e in combinations(data, 2):
            if d[:seen] == e[:seen]:
                for start in product((0, 1), repeat=seen + 1):
                    row = np.zeros(size)
                    for f, published in enumerate(bits):
                        if published[: seen + 1] == start:
                            row[8 * data.index(d) + f] += 1
                            row[8 * data.index(e) + f] -= 1
                    sums.append(row)
    objective = np.zeros(size)
    for y in (0, 1):
        for f, published in enumerate(bits):
            objective[8 * data.index((y, y)) + f] += sum(b != y for b in published) / 2
    best = least_of(objective, rows, bounds, np.array(sums))
    h = indistinct(epsilon, delta)
    assert math.fsum(h[:3]) <= best + 1e-9
    assert h[0] + h[0] + h[1] > best + 1e-3  # a bound with one record less is refuted


def test_mistakes_at_repeated_records() -> None:
    """Theorem 9 by its sum, term by term; it grows with the dimension and with 1 / epsilon."""
    for d, T, epsilon, delta in ((1, 1000, 1.0, 0.0), (6, 10**6, 0.1, 0.0), (6, 40, 0.1, 1e-6)):
        h = indistinct(epsilon, delta)
        K = max(1, T // d)
        total = d * sum(max(float(x) - 0.05, 0.0) for x in h[:K]) / 0.95
        assert bound_theorem_9(d, T, epsilon, delta) == math.ceil(total - 1e-6)
    assert bound_theorem_9(10, 5, 1.0, 0.0) == bound_theorem_9(5, 5, 1.0, 0.0)
    sizes = [bound_theorem_9(d, 10**6, 0.1, 0.0) for d in (1, 2, 20)]
    assert sizes == [8, 15, 146]
    found = lower_mistakes(parse_class("thresholds(x, 0..119)"), Budget("0.1"), horizon=10**6)
    assert [(bound.mistakes, bound.source[-1]) for bound in found] == [(5, "5"), (44, "9")]
    few = lower_mistakes(parse_class("thresholds(x, 0..119)"), Budget(8), horizon=10**6)
    assert [bound.source[-1] for bound in few] == ["5"]  # which is the larger one then


def test_mistakes_by_the_formulas() -> None:
    """Theorem 6 in exact numbers: M - 1 contradicts it, and M does not; it grows as ln T."""
    r = exp_above(Fraction(1), 96)

    def kept(M: int) -> Fraction:
        u = Fraction(1, 20)
        for _ in range(M):
            u = min(r * u, 1 - (1 - u) / r, Fraction(1))
        return 1 - u

    for T in (10, 10**4, 10**8):
        M = fresh(T, 1.0, 0.0)
        assert T // (M + 1) * kept(M) <= 2 * M + 1
        assert M == 1 or T // M * kept(M - 1) > 2 * M - 1
    growth = [fresh(10**i, 0.1, 0.0) for i in (4, 8, 12)]
    assert growth[2] - growth[1] > 0.8 * 10 * math.log(10**4)
    assert bound_theorem_7(10**6, 1.0, 1e-6) == bound_theorem_7(10**9, 1.0, 1e-6) == 16
    assert bound_theorem_7(5, 1.0, 1e-6) == 5


@pytest.mark.deep
@pytest.mark.parametrize(
    ("text", "delta"),
    [
        ("points(a)", "1e-6"),
        ("subsets(a; at most 4)", "1e-6"),
        ("thresholds(x, 0..1023)", "0"),
        ("rules(a, b; at most 2)", "1e-6"),
    ],
)
def test_proved_mistakes_are_above(text: str, delta: str) -> None:
    from littlestone.learn.plan import plan_stream

    for epsilon, horizon in ((1, 200_000), (0.1, 10**6), (8, 1000)):
        found = plan_stream(parse_class(text), Budget(epsilon, delta), horizon=horizon)
        assert found.lower
        for row in found.rows:
            if row.proved_bound is not None:
                assert row.proved_bound.mistakes >= max(bound.mistakes for bound in found.lower)


def test_whose_mistakes_are_bounded() -> None:
    one = FiniteClass.from_array([[0, 1]])
    assert lower_mistakes(one, Budget(1), horizon=9) == []
    found = lower_mistakes(parse_class("rules(a, b; at most 2)"), Budget(1, "1e-6"), horizon=999)
    assert [bound.source[-1] for bound in found] == ["5", "6"]  # a rule without literals is no set
    keys = parse_class("lookup(a; at most 3)", labels=3)
    found = lower_mistakes(keys, Budget(1, "1e-6"), horizon=200_000)
    assert [(bound.mistakes, bound.source[-1]) for bound in found] == [(3, "5"), (9, "6")]
    full = keys
    for x in "uvw":
        full = full.restrict(x, 1)
    assert lower_mistakes(full, Budget(1), horizon=9) == []


def test_the_rarest_of_several_points() -> None:
    """Fewer than 1 / alpha points ask for more records than one; with one it is Theorem 2."""
    for epsilon, delta in ((1.0, 0.0), (0.1, 1e-6)):
        assert rarest(1, epsilon, delta, 0.1, 0.05) == chain(1, epsilon, delta, 0.1, 0.05)
        sizes = [rarest(m, epsilon, delta, 0.1, 0.05) for m in (1, 2, 5, 9, 10, 50)]
        assert sizes == sorted(sizes)
        assert sizes[3] == sizes[4] == sizes[5] > sizes[0]
    assert rarest(9, 1.0, 1e-6, 0.1, 0.05) == 90
    assert rarest(9, 1.0, 0.0, 0.5, 0.05) == rarest(1, 1.0, 0.0, 0.5, 0.05)
    found = lower_bounds(parse_class("boxes(a 0..23, b 0..30)"), Budget(1, "1e-6"), **GOAL)
    assert [(bound.n, bound.source[-1]) for bound in found] == [(35, "1"), (78, "8")]


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
        list(shattered_points(hard))
    assert lower_bounds(hard, budget, **GOAL)[0].n == unseen(1, **GOAL)
    large = parse_class("trees(x: 0..95 step 5, y: 0..95 step 5, s in {u, v}; depth 2)")
    assert free_points(large) == free_points(large) > 4  # found without a table of all points
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


def test_a_bit_that_follows_few_records_too_closely_is_not_private() -> None:
    for epsilon, delta in ((1.0, 0.0), (0.5, 1e-3)):
        assert Bit(epsilon, delta).is_private()
        eager = Bit(epsilon, delta)
        vars(eager)["wrong"] = Bit(2 * epsilon, delta).wrong
        assert not eager.is_private()
