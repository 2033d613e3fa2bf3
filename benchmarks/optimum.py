"""The best private learners of tiny classes, beside ours.

First all classes over three points, at epsilon 1, with points that are equally likely and an error of
at most 1/3: in how many our learners are optimal, and how far they are from it.  Then thresholds on
more and more points, for every sample and proper rules: how fast the optimum falls.  Every optimum is
proved to 10^-7, and no learner of ours may exceed one.
"""

from __future__ import annotations

import time
from collections.abc import Callable
from fractions import Fraction
from statistics import mean
from typing import Any

from rich.console import Console

from benchmarks.harness import require
from littlestone.base.errors import LittlestoneError
from littlestone.base.work import track_items
from littlestone.classes import FiniteClass
from littlestone.cli.console import bar
from littlestone.data.sample import Sample
from littlestone.learn import ChoosingLearner, ExponentialLearner, PrivateLearner
from littlestone.privacy import Budget
from littlestone.privacy.mechanisms.bucket_labels import BucketLabels
from littlestone.theory.atlas import table_of
from littlestone.theory.atlas.listing import families
from littlestone.theory.optimum import Optimum, Task, best

ON_REQUEST = True
NEAR = Fraction(1, 10**7)
SECONDS = 30
"""No larger program is begun after one that took so long."""


Law = Callable[[tuple[int, ...], Task, Budget], Fraction]
"""The success of a learner of a class at a task."""


def optimum_of(task: Task, budget: Budget) -> Optimum:
    """The optimum, proved to 10^-7."""
    found = best(task, budget)
    require(0 <= found.most - found.least < NEAR, "the bounds are far apart")
    return found


def show(console: Console) -> None:
    """Print what was found."""
    pure: dict[str, Law] = {"exponential": _exponential, "permute-and-flip": _permute_and_flip}
    _compare(console, Budget(1), pure)
    _compare(console, Budget(1, "0.01"), {**pure, "choosing": _choosing})
    for budget in (Budget(1), Budget(1, "0.01"), Budget(2, "0.05")):
        _thresholds(console, budget)


def _exponential(rows: tuple[int, ...], task: Task, budget: Budget) -> Fraction:
    return success_of_learner(ExponentialLearner(class_of(rows, 3), Budget(budget.epsilon)), task)


def _choosing(rows: tuple[int, ...], task: Task, budget: Budget) -> Fraction:
    return success_of_learner(ChoosingLearner(class_of(rows, 3), budget), task)


def class_of(rows: tuple[int, ...], points: int) -> FiniteClass:
    """The class with these rows, as in the atlas."""
    return FiniteClass.from_table(table_of(rows, points))


def success_of_learner(learner: PrivateLearner[Any], task: Task) -> Fraction:
    """The least chance of a learner of `class_of` to pass a trial, by the exact law of its draw."""
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


def _permute_and_flip(rows: tuple[int, ...], task: Task, budget: Budget) -> Fraction:
    """Over the numbers of errors of the hypotheses."""
    mechanism, least = BucketLabels(budget.epsilon, 1, len(rows)), Fraction(1)
    for trial in task.trials:
        success = Fraction(0)
        for records, chance in trial.chances.items():
            right = [sum(h >> (r >> 1) & 1 == r & 1 for r in records) for h in rows]
            law = zip(rows, mechanism.chances(right), strict=True)
            success += chance * sum(p for h, p in law if h in trial.passes)
        least = min(least, success)
    return least


def _compare(console: Console, budget: Budget, learners: dict[str, Law]) -> None:
    console.print(f"classes over 3 points, {budget}, error at most 1/3", highlight=False)
    classes = [rows for rows, _ in families(3)]
    for n in (1, 2, 3):
        tasks = {rows: Task.uniform(rows, 3, n, wrong=1) for rows in classes}
        with bar("finding optima"):
            optima = {
                rows: optimum_of(task, budget)
                for rows, task in track_items(tasks.items(), "solving")
            }
        hard = {rows: one for rows, one in optima.items() if one.least < 1}
        console.print(
            f"  n = {n}: {len(optima) - len(hard)} classes need no record; optimum of the others "
            f"{float(min(one.least for one in hard.values())):.4f} to "
            f"{float(max(one.least for one in hard.values())):.4f}",
            highlight=False,
        )
        for name, success in learners.items():
            lost = []
            for rows, one in hard.items():
                try:
                    reached = success(rows, tasks[rows], budget)
                except LittlestoneError:  # it does not take this class
                    continue
                require(reached <= one.most, f"{name} is better than the optimum")
                lost.append(float(one.least - reached))
            optimal = sum(loss < 1e-6 for loss in lost)
            console.print(
                f"    {name}: {len(lost)} classes, optimal on {optimal}; it loses "
                f"{min(lost):.4f} to {max(lost):.4f}, {mean(lost):.4f} on average",
                highlight=False,
            )


def _thresholds(console: Console, budget: Budget) -> None:
    console.print(f"thresholds, {budget}, every sample, proper", highlight=False)
    for n, wrong in ((2, 0), (3, 1), (4, 1), (5, 2)):
        shown, last = list[str](), 1.0
        for points in range(2, 11):
            began = time.process_time()
            rows = tuple((1 << points) - (1 << k) for k in range(points + 1))
            try:
                task = Task.every_sample(rows, points, n, wrong, proper=True)
                found = float(optimum_of(task, budget).least)
            except LittlestoneError:  # too large
                break
            require(found < last + 1e-7, "more points make it easier")
            shown, last = [*shown, f"{points}: {found:.4f}"], found
            if (
                time.process_time() - began > SECONDS / 6
            ):  # the next one takes about six times as long
                break
        console.print(f"  n = {n}, at most {wrong} wrong: {', '.join(shown)}", highlight=False)
