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
from zlib import crc32

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
from littlestone.learn.tree_sheet import ENOUGH, PLENTY, TreeSheetLearner, deepen
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

    ``autos`` are those of what `auto` takes; ``few`` says whether it gives points to leaves alone.
    """

    task: Task
    sheets: dict[str, list[float]]
    autos: dict[str, list[float]]
    trees: dict[str, float]
    few: dict[str, bool]


def measure(task: Task) -> Result:
    """Fit a sheet, a tree with points and a tree in each run; score them on the records left out."""
    columns = ", ".join(task.declared)
    H: Any = parse_class(f"score_sheet({columns}; at most 8)")
    trees: Any = parse_class(f"trees({columns}; depth 2)")
    found: dict[str, dict[str, list[list[float]]]] = {
        kind: {epsilon: [] for epsilon in EPSILONS} for kind in ("sheet", "auto")
    }
    few: dict[str, bool] = {}
    errors: dict[str, list[float]] = {epsilon: [] for epsilon in EPSILONS}
    for run in range(RIVAL_RUNS):
        sample, test = task.samples(run, H.domain)
        # With one seed for all tables their draws would be alike, and all lucky or none.
        seed = crc32(f"{task.name}, {run}".encode())
        for epsilon in EPSILONS:
            budget = Budget(epsilon, DELTA)
            auto = TreeSheetLearner[Any](deepen(trees), budget, n=sample.n)
            few[epsilon] = auto.few
            learners: dict[str, Any] = {"sheet": ScoreSheetLearner(H, budget), "auto": auto}
            for kind, learner in learners.items():
                with Ledger() as ledger:
                    start = time.process_time()
                    release = learner.fit(
                        sample, ledger=ledger, dataset=task.name, rng=seeded_generator(seed)
                    )
                    seconds = time.process_time() - start
                sheet: Any = release.hypothesis
                require(list(sheet.risks) == sorted(sheet.risks), f"{task.name}: risks fall")
                found[kind][epsilon].append([*_score(sheet, test), seconds])
            errors[epsilon].append(error_of_draw(trees, epsilon, seed, sample, test))
    means = {
        kind: {e: [mean(column) for column in zip(*rows, strict=True)] for e, rows in own.items()}
        for kind, own in found.items()
    }
    mistakes = {e: mean(rows) for e, rows in errors.items()}
    return Result(task, means["sheet"], means["auto"], mistakes, few)


def _score(sheet: Any, test: Sample[Any]) -> tuple[float, float, float]:
    """The error, AUC and log loss of a sheet."""
    risks, least = np.clip(np.array(sheet.risks), 0.001, 0.999), sheet.least - sheet.totals[0]
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
    parts = [_OPENING.format(tasks=len(results), runs=RIVAL_RUNS, enough=ENOUGH, plenty=PLENTY)]
    parts += ["```text", *_means(results, others), "```\n"]
    parts += ["## Means of the other half of the tables\n"]
    parts += ["```text", *_means(results[1::2], others), "```\n"]
    parts += ["```text", *_wins(results[1::2], others), "```\n"]
    parts += ["## Wins\n", "```text", *_wins(results, others), "```\n"]
    for epsilon in EPSILONS:
        parts += [f"## Epsilon {epsilon}\n", "```text", *_table(results, others, epsilon), "```\n"]
    return "\n".join(parts)


def _theirs(result: Result, others: Measures, rival: str, epsilon: str) -> list[float]:
    return others[f"{rival}, {float(epsilon):g}"][key(result.task)]


def _means(results: Sequence[Result], others: Measures) -> list[str]:
    rows = [["mean", "epsilon", "auto", "sheet", *RIVALS, "tree"]]
    for i, name in enumerate(MEASURES):
        for epsilon in EPSILONS:
            figures = [
                mean(own[epsilon][i] for own in ways)
                for ways in ([r.autos for r in results], [r.sheets for r in results])
            ]
            figures += [
                mean(_theirs(result, others, rival, epsilon)[i] for result in results)
                for rival in RIVALS
            ]
            tree = f"{mean(r.trees[epsilon] for r in results):.3f}" if name == "error" else "-"
            rows.append([name, epsilon, *(f"{value:.3f}" for value in figures), tree])
    return aligned(rows)


def _wins(results: Sequence[Result], others: Measures) -> list[str]:
    rows = [["auto is better on", *(f"epsilon {epsilon}" for epsilon in EPSILONS)]]
    for rival in RIVALS:
        for i, name in enumerate(MEASURES[:3]):
            counts = []
            for epsilon in EPSILONS:
                sign = 1 if name == "AUC" else -1
                # What is kept of the rivals has four digits, so a difference below is none.
                ahead = [
                    sign * round(r.autos[epsilon][i] - _theirs(r, others, rival, epsilon)[i], 4)
                    for r in results
                ]
                equal = f" ({ahead.count(0)} equal)" if 0 in ahead else ""
                counts.append(f"{sum(x > 0 for x in ahead)} of {len(ahead)}{equal}")
            rows.append([f"{name}, beside {rival}", *counts])
    trees = [
        f"{sum(r.autos[e][0] < r.trees[e] for r in results)} of {len(results)}" for e in EPSILONS
    ]
    close = [
        f"{sum(r.autos[e][0] <= r.trees[e] + 0.01 for r in results)} of {len(results)}"
        for e in EPSILONS
    ]
    rows += [["error, beside the tree", *trees], ["error, beside the tree's and .01", *close]]
    return aligned(rows)


def _table(results: Sequence[Result], others: Measures, epsilon: str) -> list[str]:
    rows = [
        [
            "task",
            "train",
            "columns",
            "points",
            "error",
            "sheet",
            "tree",
            "EBM",
            "AUC",
            "EBM",
            "log loss",
            "EBM",
        ]
    ]
    for result in results:
        own, rival = result.autos[epsilon], _theirs(result, others, RIVALS[0], epsilon)
        size = [str(len(result.task.split(0)[0])), str(len(result.task.declared))]
        errors = [own[0], result.sheets[epsilon][0], result.trees[epsilon], rival[0]]
        figures = [*errors, own[1], rival[1], own[2], rival[2]]
        taken = "leaves" if result.few[epsilon] else "all"
        rows.append([result.task.name, *size, taken, *(f"{value:.3f}" for value in figures)])
    return aligned(rows)


_OPENING = """# Score sheets on ordinary tables

How good are the risks of a [score sheet](../how-to/score-sheet.md)? This page measures what `auto`
takes if risks are asked for and no class is given, a tree of depth 1 to 3 with points, and
`score_sheet(COLUMNS; at most 8)` on the {tasks} tables of [ordinary tables](ordinary-tables.md),
beside DP-EBM and trees of depth 2. The command writes it:

```text
python -m benchmarks score_sheets
```

DP-EBM and ours have the same {runs} runs, with the same records to learn from and to score. All
have the same columns and ranges, and delta 1e-6 where a method needs one; the tree has no delta.
What the columns say and how DP-EBM was run stands on the page of ordinary tables: its epsilon is
for adding or removing a record, ours for replacing one, so *at half* is about the same promise. Our
CPU seconds were measured while other programs ran. *points* says which parts of the tree with
points have any: its leaves alone, or all columns too, where the records are at least {enough} times
the noise of a count. Up to {plenty} times the labels are the tree's, and columns rank the records
in a leaf. The shares of the budget and the widths of priors were chosen on every second of these
tables, from the first on, so only the others are a held-out test. But these choices were seen on
others too: that risks add up to the positives that are known, how far apart the leaves of a tree
alone are thought to be, both limits, and the epsilon of the draw between them.

Each table and run has a seed of its own. Where a run had one for all tables, as on an earlier version
of this page, the trees of all tables were lucky or unlucky together: over eight such seeds, the mean
error of leaves alone on 21 small tables at epsilon .1 was from .292 to .335.

How often does *auto* err more than a tree of depth 2? Where it was .01 above one on an earlier version
of this page, with three runs, and on diamonds, turnout and phishing at epsilon 1, both had ten more
splits. Epsilon 4: none of 8 tables is .01 above. Epsilon 1: two of 11, Channing House (.023, standard
error .014) and foliage (.012, .006). Epsilon .1: nine of 22, and two of them by more than two standard
errors, landings with 179 records (.139, .062) and wives with health insurance (.023, .006). The law of
the draw says why: the mean error of all trees, each as likely as it is drawn, on three splits. On
landings, trees of depth 2 err in .279, and in .300 with the 15/16 of epsilon that *auto* gives a draw
there; trees of depth 1 to 3 err in .286 and .307. On wives, trees of depth 2 err in .214. *auto* draws
one of depth 1 to 3 with half of epsilon, because the records are 30.2 times the noise: .230. With
3/4, as up to 30 times, it would be .219. But 3/4 up to 60 times ranks worse: on the first three tables
with 30 to 60 times, four splits and four draws each, error / AUC / log loss change by +.001 / -.013 /
+.016.

Where does *auto* err more than DP-EBM at epsilon 1? On eleven tables. On seven of them DP-EBM errs
at most .0013 less than the more frequent label: stays in a hospital, coronavirus, turnout,
unemployment, kindergarten, tobacco and solar flares. Three ways to predict the more
frequent label there are not built, because they cost as much elsewhere. Sums and risks stay the
same; each table had five new draws, one a split. The rarer label only from log odds of .1 or .2 on,
on 39 tables with at least {plenty} times the noise: the error rises by .0002 and .0003 on one half
of them (.0004, .0005), and by .0010 and .0016 on the other (.0007, .0011). One label for all where
the risks promise less than .01 by two: +.0012 (.0010) and +.0007 (.0008), on 59 tables with points
for all columns. Labels of leaves by the joint fit, below {plenty} times: no label changed on seven
tables.

At the ends of columns, where hardly any record is, points go on as before. With the same seeds, three
splits and one draw each, this changes a score sheet without a tree by +.0001 / +.0001 /
.0000 in error / AUC / log loss at epsilon 1 (standard errors .0002, .0001, .0001), by .0000 / -.0004 /
+.0005 at epsilon .1 (.0001, .0007, .0003) and by +.0001 / -.0001 / .0000 at epsilon 4 (.0001, .0001,
.0001). With 8% in place of 3% of the records, at epsilon 1, by +.0003 / +.0001 / -.0001 (.0002, .0002,
.0002). Where an end is any run with fewer records than twice its noise, by +.0049 / -.0078 / +.0048
(.0024, .0031, .0027).

Tables of two columns are not built, because they lose. A prototype gave them 30% of the budget, for
4 x 4 cells of each two of the four strongest columns, and kept at most four with strong evidence. It
saw the true curvatures, so it flattered them. On the 58 tables with at least {plenty} times the noise,
at epsilon 4, one draw on each of two splits, error / AUC / log loss were .224 / .783 / .461, beside
.221 / .788 / .451 without (standard errors of the differences .002, .003, .006). On the 21 tables with
200 times, at epsilon 1, they were .203 / .778 / .430, beside .199 / .790 / .419 (.002, .004, .006).

Five more things are not built, because they gain nothing on the tables with leaves alone at epsilon .1.
There are 46 of them, with 3 splits and 4 draws each; the brackets have standard errors of the
differences in error / AUC / log loss. Trees of depth 1: +.005 / -.012 / +.009 (.005, .006, .005). At
most eight cells a column for the tree: +.002 / +.001 / .000 (.003, .005, .005). Labels of leaves by the
counts, where they contradict the draw, with one draw: +.003 / -.002 / +.002 (.003, .003, .002). Points
for the columns that the tree tests and no others gain AUC on few tables and lose more on others: at
epsilon 1, on the seven tables of more than eight columns with 100 to 200 times the noise, .677 beside
.728 (.020). Constants with a quarter of the prior, on 32 of these tables, 5 splits and 2 draws each:
-.004 / -.006 / -.001 (.003, .003, .005), and with half of it +.005 / -.014 / +.008 (.005, .005, .006).

Leaves alone have a fit of their own, and 15/16 of epsilon for the draw. On an earlier version of this
page the draw had 7/8, log odds were N(0, 9), and noisy numbers of records were taken at their word,
so risks were too sure. The law of the draw says
what 15/16 is worth, on the 34 of these tables at epsilon .1 with at most 120 conditions, one or two
splits each: the mean error of all trees falls by .0025 (.0006), and on no table it rises. On the 36
with at most 160 conditions, both fits saw the same draws and noises, 24 on each of three splits that
chose nothing. The old fit with 7/8 had error / AUC / log loss .2862 / .6105 / .6058. The new fit
changes them by .0000 / +.0028 / -.0100 (.0000, .0009, .0036), and with 15/16 too by -.0030 / +.0042
/ -.0097 (.0006, .0008, .0037). On the 24 of them in the other half of the tables: -.0028 / +.0041 /
-.0078 (.0006, .0009, .0049). At epsilon 1, leaves alone have points on six tables. There, in the
five runs of this page, the mean changed by +.002 / -.004 / +.004. Without any counts, the old
fit had as good errors and AUC, and a log loss .026 higher.

What is the limit at epsilon 4? One split and draw of each table, with a base of .2053 / .7961 /
.4369. True records in place of artificial ones, with the same noise: -.0021 / +.0042 / -.0054
(.0009, .0014, .0014). True correlations for the artificial records: .0000 / -.0004 / +.0009 (.0005,
.0013, .0008). So artificial records miss what is not a correlation. Twice the budget for products:
-.0001 / .0000 / .0000 (.0004, .0007, .0004). Four times the artificial records: -.0004 / +.0001 /
-.0001 (.0005, .0004, .0003). All columns in place of eight: -.0002 / +.0021 / +.0014 (.0005, .0023,
.0012). True records, all columns and points up to 99: -.0031 / +.0085 / -.0060 (.0010, .0019,
.0016), beside boosted trees without privacy, which have .194 / .816 / .435 in five splits. A step by
noisy residuals on the true records in place of the second counts, on the first 29 tables: +.0001 /
+.0011 / +.0010 (.0012, .0030, .0018) at best.

## Means of all tables
"""
