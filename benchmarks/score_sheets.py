"""Score sheets on ordinary tables, beside DP-EBM and trees: ``python -m benchmarks score_sheets``.

Writes ``docs/benchmarks/score-sheets.md``.  The runs and the measures of DP-EBM are those of
``python -m benchmarks tables``.
"""

from __future__ import annotations

import time
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from statistics import mean
from typing import Any

import numpy as np
from rich.console import Console

from benchmarks.elsewhere import unpack
from benchmarks.harness import require, steps
from benchmarks.ordinary_tables.ours import area_of_risks, error_of_draw
from benchmarks.ordinary_tables.page import MEASURES, aligned
from benchmarks.ordinary_tables.task import Task
from benchmarks.ordinary_tables.tasks import TASKS
from benchmarks.ordinary_tables.theirs import RIVAL_RUNS, Measures, key, theirs
from littlestone.classes import parse_class
from littlestone.data.sample import Sample
from littlestone.learn import ScoreSheetLearner
from littlestone.learn.score_sheet import ENOUGH, enough_records
from littlestone.privacy import Budget
from littlestone.privacy.ledger import Ledger
from littlestone.privacy.randomness import seeded_generator

ON_REQUEST = True
PAGE = Path(__file__).parents[1] / "docs" / "benchmarks" / "score-sheets.md"
EPSILONS = ("0.1", "1", "4")
DELTA = "1e-6"
RIVALS = ("DP-EBM", "DP-EBM at half")


@dataclass(frozen=True)
class Result:
    """A task with the means of each measure by epsilon, and the mean errors of trees of depth 2.

    ``enough`` says whether the training records are enough for `auto` to take a sheet.
    """

    task: Task
    sheets: dict[str, list[float]]
    trees: dict[str, float]
    enough: dict[str, bool]


def measure(task: Task) -> Result:
    """Fit a sheet and a tree in each run, and score both on the records left out."""
    columns = ", ".join(task.declared)
    H: Any = parse_class(f"score_sheet({columns}; at most 8)")
    trees: Any = parse_class(f"trees({columns}; depth 2)")
    found: dict[str, list[list[float]]] = {epsilon: [] for epsilon in EPSILONS}
    errors: dict[str, list[float]] = {epsilon: [] for epsilon in EPSILONS}
    for run in range(RIVAL_RUNS):
        sample, test = task.samples(run, H.domain)
        for epsilon in EPSILONS:
            learner: Any = ScoreSheetLearner(H, Budget(epsilon, DELTA))
            with Ledger() as ledger:
                start = time.process_time()
                release = learner.fit(
                    sample, ledger=ledger, dataset=task.name, rng=seeded_generator(run)
                )
                seconds = time.process_time() - start
            sheet: Any = release.hypothesis
            require(list(sheet.risks) == sorted(sheet.risks), f"{task.name}: risks fall")
            found[epsilon].append([*_score(sheet, test), seconds])
            errors[epsilon].append(error_of_draw(trees, epsilon, run, sample, test))
    size = len(task.split(0)[0])
    needed = {e: enough_records(H.domain, Budget(e, DELTA)) or size + 1 for e in EPSILONS}
    return Result(
        task,
        {e: [mean(column) for column in zip(*rows, strict=True)] for e, rows in found.items()},
        {e: mean(rows) for e, rows in errors.items()},
        {e: size >= needed[e] for e in EPSILONS},
    )


def _score(sheet: Any, test: Sample[Any]) -> tuple[float, float, float]:
    """The error, AUC and log loss of a sheet."""
    risks, least = np.clip(np.array(sheet.risks), 0.001, 0.999), sheet.place_of_least
    counts = np.zeros((len(risks), 2), np.int64)
    np.add.at(counts, sheet.places_of(test.points), test.counts)
    zeros, ones = counts.T
    loss = -(ones @ np.log(risks) + zeros @ np.log(1 - risks)) / test.n
    wrong = (ones[:least].sum() + zeros[least:].sum()) / test.n
    return float(wrong), area_of_risks(np.arange(float(len(risks))), counts), float(loss)


def show(console: Console) -> None:
    """Run all tasks, write the page and print its means."""
    unpack()
    others = theirs(TASKS)
    results = [measure(task) for task in steps(TASKS, "score sheets", console)]
    PAGE.write_text(page(results, others), encoding="utf-8")
    console.print(*_means(results, others), sep="\n", highlight=False)


def page(results: Sequence[Result], others: Measures) -> str:
    """The page, in Markdown."""
    parts = [_OPENING.format(tasks=len(results), runs=RIVAL_RUNS, enough=ENOUGH)]
    parts += ["```text", *_means(results, others), "```\n", "## Wins\n"]
    parts += ["```text", *_wins(results, others), "```\n"]
    for epsilon in EPSILONS:
        parts += [f"## Epsilon {epsilon}\n", "```text", *_table(results, others, epsilon), "```\n"]
    return "\n".join(parts)


def _theirs(result: Result, others: Measures, rival: str, epsilon: str) -> list[float]:
    return others[f"{rival}, {float(epsilon):g}"][key(result.task)]


def _means(results: Sequence[Result], others: Measures) -> list[str]:
    rows = [["mean", "epsilon", "sheet", *RIVALS, "tree"]]
    for i, name in enumerate(MEASURES):
        for epsilon in EPSILONS:
            figures = [mean(result.sheets[epsilon][i] for result in results)]
            figures += [
                mean(_theirs(result, others, rival, epsilon)[i] for result in results)
                for rival in RIVALS
            ]
            tree = f"{mean(r.trees[epsilon] for r in results):.3f}" if name == "error" else "-"
            rows.append([name, epsilon, *(f"{value:.3f}" for value in figures), tree])
    return aligned(rows)


def _wins(results: Sequence[Result], others: Measures) -> list[str]:
    rows = [["the sheet is better on", *(f"epsilon {epsilon}" for epsilon in EPSILONS)]]
    for rival in RIVALS:
        for i, name in enumerate(MEASURES[:3]):
            counts = []
            for epsilon in EPSILONS:
                sign = -1 if name == "AUC" else 1
                won = [
                    sign * r.sheets[epsilon][i] < sign * _theirs(r, others, rival, epsilon)[i]
                    for r in results
                ]
                counts.append(f"{sum(won)} of {len(won)}")
            rows.append([f"{name}, beside {rival}", *counts])
    trees = [
        f"{sum(r.sheets[e][0] < r.trees[e] for r in results)} of {len(results)}" for e in EPSILONS
    ]
    taken = [
        f"{sum(r.sheets[e][0] < r.trees[e] for r in results if r.enough[e])} of "
        f"{sum(r.enough[e] for r in results)}"
        for e in EPSILONS
    ]
    rows += [["error, beside the tree", *trees], ["the same, where auto takes a sheet", *taken]]
    return aligned(rows)


def _table(results: Sequence[Result], others: Measures, epsilon: str) -> list[str]:
    rows = [
        [
            "task",
            "train",
            "columns",
            "auto",
            "error",
            "tree",
            "EBM",
            "AUC",
            "EBM",
            "log loss",
            "EBM",
        ]
    ]
    for result in results:
        own, rival = result.sheets[epsilon], _theirs(result, others, RIVALS[0], epsilon)
        size = [str(len(result.task.split(0)[0])), str(len(result.task.declared))]
        figures = [own[0], result.trees[epsilon], rival[0], own[1], rival[1], own[2], rival[2]]
        taken = "sheet" if result.enough[epsilon] else "tree"
        rows.append([result.task.name, *size, taken, *(f"{value:.3f}" for value in figures)])
    return aligned(rows)


_OPENING = """# Score sheets on ordinary tables

How good are the risks of a [score sheet](../how-to/score-sheet.md)? This page measures
`score_sheet(COLUMNS; at most 8)` on the {tasks} tables of [ordinary tables](ordinary-tables.md),
beside DP-EBM and trees of depth 2. The command writes it:

```text
python -m benchmarks score_sheets
```

All have the same {runs} runs, columns and ranges, and delta 1e-6 where a method needs one; the tree
has no delta. What the columns say and how DP-EBM was run stands on the page of ordinary tables: its
epsilon is for adding or removing a record, ours for replacing one, so *at half* is about the same
promise. *auto* says which of the two is taken if risks are asked for and no class is given: a sheet
where the records are at least {enough} times the noise of its first counts. These limits and the
shares of the budget were chosen on the same tables, so they are no held-out test.

## Means of all tables
"""
