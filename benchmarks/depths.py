"""Trees of depth 2 and 3, and a prior over depths, on the tables of ``python -m benchmarks tables``.

Each is drawn at once, with the whole budget, three times.  A line for each table has the mean test
errors, and the last line their means.  Then come trees with risks, drawn for errors or at costs near
the odds: their AUC, on tables where one label is rarer.  It takes about an hour.
"""

from __future__ import annotations

import math
from fractions import Fraction
from statistics import mean, stdev
from typing import Any

import numpy as np
from rich.console import Console

from benchmarks.harness import steps
from benchmarks.ordinary_tables.ours import area_of_risks, error_of_draw
from benchmarks.ordinary_tables.page import aligned
from benchmarks.ordinary_tables.task import Task
from benchmarks.ordinary_tables.tasks import TASKS
from littlestone.base.errors import TooLargeError
from littlestone.classes import parse_class
from littlestone.learn import ExponentialLearner
from littlestone.privacy import Budget
from littlestone.privacy.ledger import Ledger
from littlestone.privacy.randomness import seeded_generator

ON_REQUEST = True
RUNS = 3
EPSILONS = ("1", "0.1")
DEPTHS = ("depth 2", "depth 3", "depth 1 to 3")
FAR = 0.01
"""Beyond so much and two standard errors of the difference, one tree is worse than another."""

RARE = 0.4
"""The risks of costs near the odds are measured where the rarer label has at most this share."""

MOST_COST = 8

Errors = dict[tuple[str, str], list[float]]


def errors_of(task: Task, runs: int = RUNS) -> Errors:
    """The test errors of each run, by depth and epsilon; none for a class that is refused."""
    found: Errors = {}
    for depth in DEPTHS:
        try:
            H: Any = parse_class(f"trees({', '.join(task.declared)}; {depth})")
        except TooLargeError:
            continue
        for run in range(runs):
            sample, test = task.samples(run, H.domain)
            for epsilon in EPSILONS:
                error = error_of_draw(H, epsilon, run, sample, test)
                found.setdefault((depth, epsilon), []).append(error)
    return found


def is_worse(errors: list[float], than: list[float]) -> bool:
    """Whether the errors of the same runs are higher by more than `FAR` and two standard errors."""
    apart = [one - other for one, other in zip(errors, than, strict=True)]
    return mean(apart) > FAR + 2 * stdev(apart) / math.sqrt(len(apart))


def near_odds(task: Task) -> tuple[int, int]:
    """Small whole costs (missed positive, false alarm) whose ratio is near that of the labels."""
    share = float(task.labels.mean())
    odds = min(max((1 - share) / share, 1 / MOST_COST), MOST_COST)
    pairs = [(a, b) for a in range(1, MOST_COST + 1) for b in range(1, MOST_COST + 1)]
    return min(pairs, key=lambda pair: (abs(math.log(pair[0] / pair[1] / odds)), sum(pair)))


def ranks(task: Task, runs: int = RUNS) -> dict[str, list[float]]:
    """The test AUC and error of the risks of trees, by the costs they are drawn at, at epsilon 1."""
    H: Any = parse_class(f"trees({', '.join(task.declared)}; {DEPTHS[-1]})")
    found: dict[str, list[float]] = {}
    for run in range(runs):
        sample, test = task.samples(run, H.domain)
        for name, cost in (("errors", (1, 1)), ("odds", near_odds(task))):
            learner = ExponentialLearner(H, Budget("0.75"), cost=cost)
            with Ledger() as ledger:
                rng, risk = seeded_generator(run), Fraction(1, 4)
                release = learner.fit(sample, ledger=ledger, dataset=task.name, risk=risk, rng=rng)
            risks: Any = release.risks
            rule, rates = release.hypothesis, np.array(risks.rates)[:, 1]
            counts = np.zeros((len(rates), 2), np.int64)
            np.add.at(counts, rule.bins[rule.places_of(test.points)], test.counts)
            found.setdefault(f"AUC, {name}", []).append(area_of_risks(rates, counts))
            wrong = counts[np.arange(len(rates)), np.where(rates > 0.5, 0, 1)].sum()
            found.setdefault(f"error, {name}", []).append(float(wrong / test.n))
    return found


def show_ranks(console: Console, tasks: list[Task]) -> None:
    """Print the AUC and error of each task, and their means."""
    names = [f"{measure}, {name}" for measure in ("AUC", "error") for name in ("errors", "odds")]
    rows, results = [["task", "costs", *names]], []
    for task in steps(tasks, "costs near the odds", console):
        found = ranks(task)
        results.append([mean(found[name]) for name in names])
        costs = "{}:{}".format(*near_odds(task))
        rows.append([task.name, costs, *(f"{value:.3f}" for value in results[-1])])
    means = [f"{mean(column):.3f}" for column in zip(*results, strict=True)]
    rows.append([f"mean of {len(results)}", "", *means])
    console.print(*aligned(rows), sep="\n", highlight=False, soft_wrap=True)


def show(console: Console, tasks: list[Task] | None = None) -> None:
    """Run the tasks and print a line for each, and their means."""
    rows = [["task", "train", *(f"{depth}, {epsilon}" for epsilon in EPSILONS for depth in DEPTHS)]]
    results: list[Errors] = []
    for task in steps(tasks or TASKS, "depths", console):
        found = errors_of(task)
        if len(found) == len(DEPTHS) * len(EPSILONS):
            results.append(found)
            errors = [mean(found[depth, epsilon]) for epsilon in EPSILONS for depth in DEPTHS]
            size = len(task.split(0)[0])
            rows.append([task.name, str(size), *(f"{error:.3f}" for error in errors)])
    by = [[mean(own[d, e]) for own in results] for e in EPSILONS for d in DEPTHS]
    rows.append([f"mean of {len(results)}", "", *(f"{mean(column):.4f}" for column in by)])
    console.print(*aligned(rows), sep="\n", highlight=False, soft_wrap=True)
    for epsilon in EPSILONS:
        for depth in DEPTHS[1:]:
            pairs = [(own[depth, epsilon], own[DEPTHS[0], epsilon]) for own in results]
            worse = sum(is_worse(own, other) for own, other in pairs)
            better = sum(is_worse(other, own) for own, other in pairs)
            console.print(
                f"{depth}, epsilon {epsilon}: worse than depth 2 on {worse} tables, better on {better}",
                highlight=False,
            )
    rare = [task for task in tasks or TASKS if min(m := task.labels.mean(), 1 - m) < RARE]
    show_ranks(console, rare)
