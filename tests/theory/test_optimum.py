"""The best private learner: against brute force, closed forms and other programs."""

from __future__ import annotations

import math
from collections.abc import Callable
from fractions import Fraction
from itertools import combinations, product
from typing import Any

import numpy as np
import pytest
from scipy.optimize import linprog

from each import each
from littlestone.base.errors import DeclarationError, TooLargeError
from littlestone.learn.plan.lower import indistinct
from littlestone.privacy import Budget
from littlestone.privacy.rational import exp_below
from littlestone.prove.audit.claims import hockey_stick, neighbours
from littlestone.theory.optimum import Task, best, most_stability, most_success, success_of, tasks
from planting import Fault, turns_red

THRESHOLDS = (0, 4, 6, 7)
SMALL = Fraction(1, 10**9)
BUDGETS = [Budget(1), Budget("0.5", "0.1"), Budget(2, "0.01")]


def test_thresholds_on_three_points_are_as_hard_as_one_point() -> None:
    found = [best(Task.uniform(THRESHOLDS, 3, n, wrong=1), Budget(1)) for n in (1, 2, 3, 4)]
    assert [round(float(one.least), 4) for one in found] == [0.7311, 0.8161, 0.9011, 0.9323]
    failing = indistinct(1.0, 0.0).tolist()
    for n, one in enumerate(found, start=1):
        assert one.most - one.least < SMALL
        assert one.least - SMALL < 1 - failing[n] < one.most + SMALL


def best_by_vertices(n: int, epsilon: float, delta: float) -> float:
    """The best private bit for n records of one point: over all vertices, of all laws of sequences."""
    data = list(product((0, 1), repeat=n))
    size = len(data) + 1  # the chance of a 1 after each sequence, and the least success
    rows: list[Any] = []
    for d, e in product(range(len(data)), repeat=2):
        if sum(a != b for a, b in zip(data[d], data[e], strict=True)) == 1:
            one = np.zeros(size + 1)
            one[d], one[e], one[-1] = 1, -math.exp(epsilon), delta
            zero = np.zeros(size + 1)
            zero[d], zero[e], zero[-1] = -1, math.exp(epsilon), delta + math.exp(epsilon) - 1
            rows += [one, zero]
    for d in range(len(data)):
        for sign, limit in ((1.0, 1.0), (-1.0, 0.0)):
            row = np.zeros(size + 1)
            row[d], row[-1] = sign, limit
            rows.append(row)
    for d, sign, limit in ((0, 1.0, 1.0), (len(data) - 1, -1.0, 0.0)):  # the samples of one label
        row = np.zeros(size + 1)
        row[d], row[-2], row[-1] = sign, 1.0, limit
        rows.append(row)
    table = np.array(rows)
    chosen = table[np.array(list(combinations(range(len(table)), size)))]
    met = chosen[np.abs(np.linalg.det(chosen[..., :-1])) > 1e-9]
    corners = np.linalg.solve(met[..., :-1], met[..., -1:])[..., 0]
    inside = (corners @ table[:, :-1].T <= table[:, -1] + 1e-9).all(axis=1)
    return float(corners[inside, -1].max())


def best_by_definition(
    rows: tuple[int, ...], points: int, n: int, wrong: int, epsilon: float, delta: float
) -> float:
    """`Task.every_sample` over sequences, all rules, all pairs; nothing is shared with the code."""
    records = list(product(range(points), (0, 1)))
    rules = list(product((0, 1), repeat=points))
    data = list(product(records, repeat=n))
    m, size = len(rules), len(rules) * len(data)
    near = [
        (d, e)
        for d, e in product(range(len(data)), repeat=2)
        if sum(a != b for a, b in zip(data[d], data[e], strict=True)) == 1
    ]
    total = size + m * len(near) + 1
    above: list[Any] = []
    limits: list[float] = []
    for j, (d, e) in enumerate(near):
        spent = np.zeros(total)
        for f in range(m):
            row = np.zeros(total)
            row[m * d + f], row[m * e + f], row[size + m * j + f] = 1, -math.exp(epsilon), -1
            spent[size + m * j + f] = 1
            above.append(row)
            limits.append(0)
        above.append(spent)
        limits.append(delta)
    for d, shown in enumerate(data):
        if any(all(h >> x & 1 == y for x, y in shown) for h in rows):
            row = np.zeros(total)
            row[-1] = 1
            for f, rule in enumerate(rules):
                row[m * d + f] = -float(sum(rule[x] != y for x, y in shown) <= wrong)
            above.append(row)
            limits.append(0)
    sums = np.zeros((len(data), total))
    for d in range(len(data)):
        sums[d, m * d : m * d + m] = 1
    goal = np.zeros(total)
    goal[-1] = -1
    found = linprog(goal, np.array(above), limits, sums, np.ones(len(data)), method="highs-ds")
    return -float(found.fun)


@each("budget", BUDGETS)
def test_brute_force_finds_no_better_bit(budget: Budget) -> None:
    compare_with_vertices(1, budget)


@pytest.mark.deep
@each("budget", BUDGETS)
def test_brute_force_finds_no_better_bit_for_two_records(budget: Budget) -> None:
    compare_with_vertices(2, budget)


def compare_with_vertices(n: int, budget: Budget) -> None:
    one = best(Task.uniform((0, 1), 1, n, wrong=0), budget)
    vertices = best_by_vertices(n, float(budget.epsilon), float(budget.cost.delta))
    assert one.least - SMALL <= vertices <= one.most + SMALL
    assert one.most - one.least < SMALL


@each("budget", BUDGETS[:2])
def test_sequences_are_no_better_than_multisets(budget: Budget) -> None:
    for rows in ((0, 2, 3), (0, 3), (0, 1, 2, 3)):
        one = best(Task.every_sample(rows, 2, 2, wrong=0), budget)
        other = best_by_definition(rows, 2, 2, 0, float(budget.epsilon), float(budget.cost.delta))
        assert one.least - SMALL <= other <= one.most + SMALL
        assert one.most - one.least < SMALL


@each("budget", BUDGETS)
def test_the_learner_is_private_and_does_what_is_claimed(budget: Budget) -> None:
    for task in (
        Task.uniform((0, 1, 2, 4), 3, 2, wrong=0),
        Task.uniform((0, 1, 2, 4), 3, 2, wrong=1),  # trials that share samples and rules
        Task.every_sample((0, 2, 3), 2, 3, 1),
    ):
        one = best(task, budget)
        laws = {
            records: {f: Fraction(int(p), int(row.sum())) for f, p in enumerate(row)}
            for records, row in zip(task.samples, one.law, strict=True)
        }
        ratio = exp_below(budget.epsilon, 128)
        for s, t in neighbours(range(2 * task.points), task.n, ordered=False):
            p, q = laws[tuple(sorted(s))], laws[tuple(sorted(t))]
            assert hockey_stick(p, q, ratio) <= budget.cost.delta
            assert hockey_stick(q, p, ratio) <= budget.cost.delta
        reached = min(
            sum(
                chance * laws[records][f]
                for records, chance in trial.chances.items()
                for f, rule in enumerate(task.rules)
                if rule in trial.passes
            )
            for trial in task.trials
        )
        assert reached == one.least <= one.most < one.least + SMALL


def test_no_weights_prove_less_than_a_learner_reaches() -> None:
    rng = np.random.default_rng(0)
    for budget in BUDGETS:
        one = best(Task.every_sample(THRESHOLDS, 3, 2, wrong=0), budget)
        for most in (1, 2, 2, 2, 2):  # first the weights themselves
            factors = rng.integers(2 - most, most + 1, size=one.weights.shape).astype(object)
            tilted = most_success(one.task, one.trials, one.weights * factors, budget)
            assert tilted >= one.least
            trials = one.trials * rng.choice([1, 1, 3], size=one.trials.shape).astype(object)
            assert most_success(one.task, trials, one.weights, budget) >= one.least


def test_more_rules_do_no_harm_and_symmetries_change_nothing(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    task = Task.every_sample(THRESHOLDS, 3, 2, wrong=0)
    proper = Task.every_sample(THRESHOLDS, 3, 2, wrong=0, proper=True)
    found, less = best(task, Budget(1)), best(proper, Budget(1))
    assert less.most < found.least  # here an improper learner does better
    whole = Task(3, 2, task.trials, tuple(range(8)))  # the dominated ones too
    monkeypatch.setattr("littlestone.theory.optimum.program._symmetries", lambda task: iter(()))
    for other in (best(task, Budget(1)), best(whole, Budget(1))):
        assert abs(other.least - found.least) < SMALL > abs(other.most - found.most)


def test_a_learner_just_beyond_its_budget_is_none() -> None:
    task = Task.uniform((0, 1), 1, n=1, wrong=0)

    def reached(one: int, other: int, epsilon: object, delta: object = 0) -> Fraction | None:
        return success_of(
            task, np.array([[one, other], [other, one]], object), Budget(epsilon, delta)
        )

    assert reached(2_718_281, 10**6, 1) == Fraction(2718281, 3718281)
    assert reached(2_718_282, 10**6, 1) is None
    assert reached(78, 22, 1, "0.2") == Fraction(78, 100)  # 78 - 22 e = 18.2
    assert reached(80, 20, 1, "0.2") is None  # 25.6
    assert success_of(task, np.array([[2, 1], [1, 1]], object), Budget(1)) is None
    assert success_of(task, np.array([[3, -1], [1, 1]], object), Budget(1)) is None
    below = np.array([[11, -1], [11, -1]], object)
    assert success_of(task, below, Budget(1, "0.5")) is None
    four = Task.uniform((0, 1, 2, 3), 2, n=1, wrong=0)  # two of four rules are beyond e^epsilon
    law = np.array([[40, 40, 10, 10], [10, 10, 40, 40]] * 2, object)
    assert [success_of(four, law, Budget(1, d)) is None for d in ("0.2", "0.26")] == [True, False]


def test_a_rule_passes_with_so_many_wrong_points_and_no_more() -> None:
    (trial,) = Task.uniform((0,), 4, n=1, wrong=1).trials
    assert trial.passes == {0, 1, 2, 4, 8}


def test_weights_below_zero_prove_nothing() -> None:
    task = Task.uniform((0, 1), 1, n=1, wrong=0)
    one, zero = np.array([1, 1], object), np.zeros((2, 2), object)
    for trials, weights in ((one, zero - 1), (-one, zero), (0 * one, zero), ([2, -1], zero)):
        with pytest.raises(DeclarationError, match="below 0"):
            most_success(task, np.array(trials, object), weights, Budget(1))
    assert most_success(task, one, zero, Budget(1)) == 1


def test_coarse_ratios_are_on_the_safe_side(monkeypatch: pytest.MonkeyPatch) -> None:
    task = Task.uniform((0, 1), 1, n=1, wrong=0)
    truth = Fraction(math.e / (1 + math.e))
    monkeypatch.setattr(tasks, "_BITS", 3)
    one = best(task, Budget(1))
    assert one.least < truth - SMALL
    assert truth + SMALL < one.most


@each(
    ("asked", "kind"),
    [
        (lambda: Task.uniform((), 3, 1, 0), DeclarationError),
        (lambda: Task.uniform((8,), 3, 1, 0), DeclarationError),
        (lambda: Task.uniform((0,), 3, 0, 0), DeclarationError),
        (lambda: Task.every_sample((0,), 3, 1, -1), DeclarationError),
        (lambda: Task.uniform((0, 1), 3, 40, 0), TooLargeError),
        (lambda: Task.uniform((0, 1), 11, 1, 0), TooLargeError),
        (lambda: best(Task.every_sample(range(256), 8, 2, 0), Budget(1)), TooLargeError),
        (lambda: best(Task.uniform((0, 1), 1, 1, 0), Budget("0.001")), DeclarationError),
    ],
)
def test_what_cannot_be_solved_is_refused(
    asked: Callable[[], object], kind: type[Exception]
) -> None:
    with pytest.raises(kind, match="to fix it"):
        asked()


TASKS, PROGRAM = "littlestone.theory.optimum.tasks", "littlestone.theory.optimum.program"

FAULTS = [
    (
        Fault(
            f"{TASKS}:Task.pairs",
            "if s != t",
            "if s < t",
            "privacy asked for in one direction only",
        ),
        test_brute_force_finds_no_better_bit,
    ),
    (
        Fault(
            f"{PROGRAM}:_solve",
            "f], -ratio)",
            "f], -ratio * ratio)",
            "epsilon counted twice by the solver",
        ),
        test_thresholds_on_three_points_are_as_hard_as_one_point,
    ),
    (
        Fault(
            f"{TASKS}:success_of",
            "> delta.numerator",
            "> 2 * delta.numerator",
            "delta counted twice for a learner",
        ),
        test_a_learner_just_beyond_its_budget_is_none,
    ),
    (
        Fault(
            f"{TASKS}:success_of",
            "exp_below(",
            "exp_above(",
            "a ratio above e^epsilon for a learner",
        ),
        test_coarse_ratios_are_on_the_safe_side,
    ),
    (
        Fault(
            f"{TASKS}:most_success",
            "exp_above(",
            "exp_below(",
            "a ratio below e^epsilon for the bound",
        ),
        test_coarse_ratios_are_on_the_safe_side,
    ),
    (
        Fault(f"{TASKS}:most_success", "+= whole", "= whole", "only the last trial of a sample"),
        test_the_learner_is_private_and_does_what_is_claimed,
    ),
    (
        Fault(f"{TASKS}:success_of", "0).sum(axis=1)", "0).max(axis=1)", "delta for each rule"),
        test_a_learner_just_beyond_its_budget_is_none,
    ),
    (
        Fault(f"{TASKS}:success_of", " or (law < 0).any()", "", "chances below 0"),
        test_a_learner_just_beyond_its_budget_is_none,
    ),
    (
        Fault(f"{TASKS}:most_success", "(weights < 0).any() or ", "", "weights below 0"),
        test_weights_below_zero_prove_nothing,
    ),
    (
        Fault(f"{TASKS}:most_success", "(trials < 0).any() or ", "", "trials below 0"),
        test_weights_below_zero_prove_nothing,
    ),
    (
        Fault(f"{TASKS}:most_success", "+ delta * spent", "", "delta left out of the bound"),
        test_no_weights_prove_less_than_a_learner_reaches,
    ),
    (
        Fault(
            f"{TASKS}:most_success",
            "+ delta * spent",
            "+ 2 * delta * spent",
            "delta counted twice in the bound",
        ),
        test_brute_force_finds_no_better_bit,
    ),
    (
        Fault(
            f"{TASKS}:most_success",
            "weights.max(axis=1)",
            "weights.min(axis=1)",
            "delta counted for the least rule",
        ),
        test_no_weights_prove_less_than_a_learner_reaches,
    ),
    (
        Fault(
            f"{TASKS}:most_success",
            "np.add.at(gain, task.pairs[:, 1]",
            "np.add.at(gain, task.pairs[:, 0]",
            "the wrong neighbour in the bound",
        ),
        test_thresholds_on_three_points_are_as_hard_as_one_point,
    ),
    (
        Fault(
            f"{TASKS}:most_success",
            "gain.max(axis=1)",
            "gain.min(axis=1)",
            "the worst rule after each sample",
        ),
        test_no_weights_prove_less_than_a_learner_reaches,
    ),
    (
        Fault(
            f"{TASKS}:Task.from_trials", "these < more", "these > more", "the better rules left out"
        ),
        test_thresholds_on_three_points_are_as_hard_as_one_point,
    ),
    (
        Fault(
            f"{PROGRAM}:_solve",
            "np.full(len(spent), delta)",
            "np.full(len(spent), 2 * delta)",
            "delta counted twice by the solver",
        ),
        test_brute_force_finds_no_better_bit,
    ),
    (
        Fault(
            f"{PROGRAM}:_orbits",
            "s[:, np.newaxis] * rules + f)",
            "s[:, np.newaxis] * rules + (0 * f))",
            "a symmetry that moves samples and not rules",
        ),
        test_thresholds_on_three_points_are_as_hard_as_one_point,
    ),
    (
        Fault(
            f"{PROGRAM}:_split",
            "np.maximum(np.bincount(orbit.ravel()), 1)",
            "1",
            "the multiplier of an orbit given to each of its members",
        ),
        test_the_learner_is_private_and_does_what_is_claimed,
    ),
]


@pytest.mark.deep
@each(("fault", "test"), FAULTS)
def test_planted_faults_turn_a_test_red(
    fault: Fault, test: Callable[..., None], monkeypatch: pytest.MonkeyPatch
) -> None:
    given = (monkeypatch,) if "monkeypatch" in test.__code__.co_varnames else ()
    turns_red(fault, test, monkeypatch, *given)


def test_stability_is_proved_and_privacy_lowers_it() -> None:
    thresholds = 0, 4, 6, 7
    for n in (1, 2):
        free = most_stability(thresholds, 3, n, 1)
        private = most_stability(thresholds, 3, n, 1, Budget(1))
        assert 0 <= free.most - free.least < Fraction(1, 10**6)
        assert 0 <= private.most - private.least < Fraction(1, 10**6)
        assert private.most < free.least
        # It cannot be less than the success of naming the hypothesis.
        assert free.most >= most_stability(thresholds, 3, n, 0).least
