"""The best private learner of thresholds on three points, in closed form, and how well ours do."""

from __future__ import annotations

from collections import defaultdict
from fractions import Fraction
from math import lcm
from typing import Any

import numpy as np

from littlestone.classes import FiniteClass
from littlestone.data.sample import Sample
from littlestone.learn import PrivateLearner
from littlestone.learn.plan.lower import indistinct
from littlestone.privacy.cost import Budget
from littlestone.privacy.rational import exp_below
from littlestone.prove.papers.statement import Outcome, statement
from littlestone.theory.atlas import table_of
from littlestone.theory.optimum import Task, most_success, success_of

THRESHOLDS = (0b000, 0b100, 0b110, 0b111)


def class_of(rows: tuple[int, ...], points: int) -> FiniteClass:
    """The class with these rows, as in the atlas."""
    return FiniteClass.from_table(table_of(rows, points))


def success_of_learner(learner: PrivateLearner[Any], task: Task) -> Fraction:
    """The least chance of a learner of `class_of` to pass a trial, by the exact law of its draw.

    >>> from littlestone.learn import ExponentialLearner
    >>> learner = ExponentialLearner(class_of(THRESHOLDS, 3), Budget(1))
    >>> round(float(success_of_learner(learner, Task.uniform(THRESHOLDS, 3, n=3, wrong=1))), 4)
    0.7288
    """
    domain, least = learner.hypotheses.domain, Fraction(1)
    points = list(domain)
    drawn: Any = learner
    for trial in task.trials:
        success = Fraction(0)
        for records, chance in trial.chances.items():
            data = [(points[record >> 1], record & 1) for record in records]
            for h, mass in drawn.distribution(Sample.from_examples(domain, data)).items():
                if sum(h(x) << i for i, x in enumerate(points)) in trial.passes:
                    success += chance * mass
        least = min(least, success)
    return least


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
