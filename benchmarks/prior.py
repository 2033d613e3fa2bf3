"""Rules of at most two conditions, drawn with and without a prior: ``python -m benchmarks prior``.

A prior could give the two constants, the single conditions and the pairs a third of the weight each,
at no cost in privacy.  The goal was set before the runs: a prior is built in if it lowers the mean
error at epsilon 0.1 and does not raise it at epsilon 1.  "thirds" misses it, so all rules have equal
weights.  "halves" counts a constant as a single condition.  It was tried after "thirds" had been
measured, so its figures are no test of it.  It takes about two minutes.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from statistics import mean
from typing import Any

import numpy as np
from numpy.typing import NDArray
from rich.console import Console

from benchmarks.harness import steps
from benchmarks.ordinary_tables.page import aligned
from benchmarks.ordinary_tables.task import RUNS, Task
from benchmarks.ordinary_tables.tasks import TASKS
from littlestone.classes import parse_class
from littlestone.classes.conditions import Conditions
from littlestone.classes.text.mixed_columns import conditions_on

ON_REQUEST = True
DRAWS = ("flat", "thirds", "halves")
EPSILONS = ("1", "0.1")

Numbers = NDArray[np.float64]


@dataclass(frozen=True)
class Result:
    """A task with its mean test error by draw and epsilon."""

    task: Task
    rules: int
    errors: dict[tuple[str, str], float]

    def change(self, draw: str, epsilon: str) -> float:
        """How much higher the mean error of this draw is than that of the flat one."""
        return self.errors[draw, epsilon] - self.errors["flat", epsilon]


def measured(task: Task) -> Result:
    """The exact mean test error of each draw in each run, averaged over the runs.

    The mean over the draw is a sum over all rules of probability times test error, so only the splits
    are random.
    """
    H: Any = parse_class(f"conditions({', '.join(task.declared)}; at most 2)")
    weights = {draw: np.log(multiplicities(H, draw)) for draw in DRAWS}
    found: dict[tuple[str, str], list[float]] = {}
    for run in range(RUNS):
        learn, score = task.samples(run, H.domain)
        errors, wrong = H.error_runs(learn).errors, H.error_runs(score).errors / score.n
        for epsilon in EPSILONS:
            for draw, log in weights.items():
                law = np.exp(shifted(log - float(epsilon) / 2 * errors))
                found.setdefault((draw, epsilon), []).append(float(law @ wrong / law.sum()))
    return Result(task, H.size, {key: mean(values) for key, values in found.items()})


def multiplicities(H: Conditions, draw: str) -> Numbers:
    """How often each rule counts: once, or so often that its kind has the weight of the pairs.

    In "thirds" the two constants are a kind of their own; in "halves" they count as single conditions.
    """
    single = sum(len(conditions_on(H.domain, j)) for j in range(len(H.domain.columns)))
    pairs = H.size - 2 - single
    each = {
        "flat": [1, 1, 1],
        "thirds": [pairs // 2, pairs // single, 1],
        "halves": [pairs // single, pairs // single, 1],
    }
    found: Numbers = np.repeat(np.maximum(each[draw], 1), [2, single, pairs]).astype(float)
    return found


def shifted(logs: Numbers) -> Numbers:
    """The logarithms less their largest, so that a power does not vanish."""
    found: Numbers = logs - logs.max()
    return found


def table(results: Sequence[Result]) -> list[str]:
    """The errors of each task, one task a line."""
    names = [f"{draw}, {epsilon}" for epsilon in EPSILONS for draw in DRAWS]
    rows = [["task", "train", "rules", *names]]
    for r in results:
        figures = [f"{r.errors[draw, epsilon]:.4f}" for epsilon in EPSILONS for draw in DRAWS]
        rows.append([r.task.name, str(len(r.task.split(0)[0])), f"{r.rules:,}", *figures])
    return aligned(rows)


def summary(results: Sequence[Result]) -> list[str]:
    """How each prior changes the mean error, and on how many tasks it lowers it."""
    lines = []
    for draw in DRAWS[1:]:
        for epsilon in EPSILONS:
            changes = [result.change(draw, epsilon) for result in results]
            lines.append(
                f"{draw}  epsilon {epsilon:3}  mean change of the error {mean(changes):+.4f}, "
                f"lower on {sum(change < 0 for change in changes)} of {len(changes)} tasks"
            )
    return lines


def show(console: Console) -> None:
    """Run all tasks, and print their errors and the summaries."""
    results = []
    for task in steps(TASKS, "prior", console):
        console.print(f"  prior: {task.name} ...", style="dim", highlight=False)
        results.append(measured(task))
    lines = [*table(results), *summary(results)]
    console.print(*lines, sep="\n", highlight=False, soft_wrap=True)
