"""The best learners of tiny classes, private or stable, in closed form, and how well ours do."""

from __future__ import annotations

from collections import defaultdict
from fractions import Fraction
from itertools import combinations, product
from math import lcm
from typing import Any

import numpy as np

from littlestone.classes import FiniteClass
from littlestone.dimension import half_graph
from littlestone.learn.plan.lower import indistinct
from littlestone.privacy.cost import Budget
from littlestone.privacy.rational import exp_below
from littlestone.prove.papers.statement import Outcome, Trial, statement, unordered_classes
from littlestone.theory.optimum import Task, most_success, success_of
from littlestone.theory.optimum.program import FreeTask, Groups, grouped_task, groupings

THRESHOLDS = (0b000, 0b100, 0b110, 0b111)


def optimal_law(task: Task, ratio: Fraction) -> Any:
    """The rules by the number k of labels 1: u_k = F^k(u_0), with u_(n - k) = 1 - u_k."""
    n = task.n
    first = Fraction(1, 2) if n % 2 == 0 else 1 / (1 + ratio)
    lower = [first / ratio**i for i in range(n // 2, -1, -1)]
    u = (
        [*lower, *(1 - one for one in reversed(lower))]
        if n % 2
        else [*lower, *(1 - one for one in reversed(lower[:-1]))]
    )
    whole = lcm(*(one.denominator for one in u))
    ones = [sum(record & 1 for record in records) for records in task.samples]
    return np.array([[int((1 - u[k]) * whole), int(u[k] * whole)] for k in ones], object)


def optimal_weights(task: Task, ratio: Fraction) -> tuple[Any, Any]:
    """Weights of the two constant targets, and of the pairs on the way from all labels 0 to all 1."""
    n = task.n
    falling = [1 / ratio ** (j + 1) for j in range(n // 2)]
    middle = [1 / ratio ** (n // 2) / (1 + ratio)] if n % 2 else []
    found: dict[tuple[int, int, int], Fraction] = defaultdict(Fraction)
    for records, chance in task.trials[0].chances.items():  # the labels are all 0
        way = [
            task.number[tuple(sorted(record + (i < j) for i, record in enumerate(records)))]
            for j in range(n + 1)
        ]
        for j, weight in enumerate(falling + middle):
            found[way[j + 1], way[j], 1] += chance * weight
            found[way[n - j - 1], way[n - j], 0] += chance * weight
    scale = lcm(*(weight.denominator for weight in found.values()))
    weights = [[int(found[s, t, f] * scale) for f in range(2)] for s, t in task.pairs.tolist()]
    return np.array([scale, 0, 0, scale], object), np.array(weights, object)


@statement("Lower bounds")
def thresholds_on_three_points() -> Outcome:
    """A learner by the number of labels 1, and weights of the samples between two constant targets.

    says: the best private learner of thresholds on three points fails as one bit does, with h(n)
    scope: n = 1, ..., 6, epsilon 1 and delta 0, each point as likely, an error of at most 1/3
    stated: 1 - h(n): .7311, .8161, .9011, .9323, .9636, .9751
    code: theory.optimum.most_success, theory.optimum.success_of
    proof: proofs/optimum.md#what-comes-out
    """
    budget, ratio = Budget(1), exp_below(Fraction(1), 128)
    failing, holds, shown = indistinct(1.0, 0.0).tolist(), True, []
    for n in range(1, 7):
        task = Task.uniform(THRESHOLDS, 3, n, wrong=1)
        least = success_of(task, optimal_law(task, ratio), budget)
        most = most_success(task, *optimal_weights(task, ratio), budget)
        holds &= least is not None and 0 <= most - least < Fraction(1, 10**30)
        holds &= abs(float(most) + failing[n] - 1) < 1e-12
        shown.append(f"{float(most):.4f}".lstrip("0"))
    return Outcome(", ".join(shown) + ", proved from both sides", holds)


def _seen_or_guessed(task: Task, rows: tuple[int, ...], groups: Groups) -> Any:
    """The learner that draws a group by the hypotheses that fit the sample, each as likely."""
    law = np.ones((len(task.samples), len(groups)), object)
    for s, records in enumerate(task.samples):
        fit = [row for row in rows if all(row >> (z >> 1) & 1 == z & 1 for z in records)]
        if fit:
            law[s] = [sum(row in group for row in fit) for group in groups]
    whole = law.sum(axis=1)
    return law * (lcm(*whole.tolist()) // whole)[:, np.newaxis]


@statement("BLM20 section 7.5", "changed")
def most_stable_learners() -> Outcome:
    """Draw a fitting hypothesis; the weights of all are equal, or those of both groups.

    says: no learner of all functions on two points has one rule more often than 1 - 2^-(n + w)
    scope: n = 1, ..., 5 records, w = 0, 1 wrong points, each point as likely; all groupings
    stated: 1 - 2^-(n + w), and a learner has it; 1/|H| is .25, the eta of Theorem 10 is .0417
    code: theory.optimum.most_stability, theory.optimum.success_of, theory.optimum.most_success
    proof: proofs/optimum.md#how-stable-a-learner-can-be
    """
    rows, holds, shown = (0, 1, 2, 3), True, []
    for wrong, n in product((0, 1), range(1, 6)):
        due, found = 1 - Fraction(1, 2 ** (n + wrong)), Fraction(0)
        for groups in groupings(rows, 2, wrong):
            task = grouped_task(FreeTask, rows, 2, n, groups)
            success = success_of(task, _seen_or_guessed(task, rows, groups), Budget(1))
            found = max(found, success or Fraction(0))
            none = np.zeros((0, len(groups)), object)
            sizes = [next(len(group) for group in groups if row in group) for row in rows]
            tried = [[1] * 4, [12 // size for size in sizes]]
            weights = [np.array(each, object) for each in tried]
            holds &= min(most_success(task, each, none, Budget(1)) for each in weights) <= due
        holds &= found == due
        shown.append(f"{float(found):.4f}".lstrip("0"))
    return Outcome(", ".join(shown) + ", proved from both sides", holds)


def _weights_for_more(task: Task, ratio: Fraction) -> tuple[Any, Any]:
    """`optimal_weights` for a class with the thresholds inside: no weight for the other hypotheses.

    Every rule is wrong at one point at most for one of the two constants, so it stands for that one.
    """
    few = Task.uniform(THRESHOLDS, 3, task.n, wrong=1)
    trials, weights = optimal_weights(few, ratio)
    places = {frozenset(one.chances.items()): i for i, one in enumerate(task.trials)}
    given = np.zeros(len(task.trials), object)
    for one, weight in zip(few.trials, trials.tolist(), strict=True):
        given[places[frozenset(one.chances.items())]] = weight
    return given, weights[:, [int(f.bit_count() > 1) for f in task.rules]]


@statement("BLM20 Theorem 3", "changed")
def private_learners_of_thresholds_inside(trial: Trial) -> Outcome:
    """The converse, step by step: thresholds inside a class, and what their privacy costs the class.

    says: a class of large LDim has thresholds inside, and a private learner of it learns them
    scope: thresholds inside: all classes on three points and 200 tables of LDim up to 5; learners: all
        16 classes on three points with all thresholds, n = 1, 2, 3, epsilon 1
    deep: 2,000 tables
    stated: t >= floor(log2 LDim) and LDim >= floor(log2 t); success at most 1 - h(n)
    code: dimension.half_graph, theory.optimum.most_success
    proof: proofs/optimum.md#the-converse-on-tiny-classes
    """
    wrong, most, rng = 0, 0, trial.array(2019)
    tables = [H.table() for H in unordered_classes(3)]
    tables += [
        rng.random((int(rng.integers(2, 80)), int(rng.integers(1, 8)))) < 0.5
        for _ in range(trial.pick(200, 2000))
    ]
    for table in tables:
        values = np.asarray(table, int)
        d, found = FiniteClass.from_array(values).littlestone_dimension(), half_graph(values)
        inside = values[np.ix_(found.hypotheses, found.points)]
        t, most = len(inside), max(most, int(d))
        wrong += (inside != np.triu(np.ones((t, t), int))).any()
        wrong += t < int(d).bit_length() - 1 or d < t.bit_length() - 1
    failing, least = indistinct(1.0, 0.0).tolist(), Fraction(1)
    others = [row for row in range(8) if row not in THRESHOLDS]
    for n, size in product((1, 2, 3), range(len(others) + 1)):
        for more in combinations(others, size):
            task = Task.uniform((*THRESHOLDS, *more), 3, n, wrong=1)
            given, weights = _weights_for_more(task, exp_below(Fraction(1), 128))
            bound = most_success(task, given, weights, Budget(1))
            wrong += float(bound) > 1 - failing[n] + 1e-12
            least = min(least, bound)
    return Outcome(
        f"{wrong} failures in {len(tables)} classes, LDim up to {most}, and for 48 learning tasks",
        wrong == 0 and most >= 4,
        stated=f"t >= floor(log2 LDim); at most {float(least):.4f} for n = 1",
    )
