"""Trees over columns with ranges by hand or with types alone: ``python -m benchmarks unknown_ranges``.

Writes ``docs/benchmarks/unknown-ranges.md``.  The goal was set before the runs: at epsilon 1, types
alone raise the mean error by at most .01.  It takes about ten minutes.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from statistics import mean
from typing import Any

from rich.console import Console

from benchmarks.elsewhere import unpack
from benchmarks.harness import require, steps
from benchmarks.ordinary_tables.ours import error_of_draw
from benchmarks.ordinary_tables.page import aligned
from benchmarks.ordinary_tables.task import Task
from benchmarks.ordinary_tables.tasks import TASKS
from littlestone.classes import parse_class
from littlestone.classes.text.mixed_columns import parse_mixed
from littlestone.points import Cells, Dates, number

ON_REQUEST = True
PAGE = Path(__file__).parents[1] / "docs" / "benchmarks" / "unknown-ranges.md"
EPSILONS = ("1", "0.1")
RUNS = 3
GOAL = 0.01
WAYS = ("by hand", "type alone")


@dataclass(frozen=True)
class Result:
    """A task with its mean test errors by way and epsilon, and what its columns of numbers are."""

    task: Task
    typed: int
    cuts: str
    errors: dict[tuple[str, str], float]

    def loss(self, epsilon: str) -> float:
        """How much higher the mean error is with types alone."""
        by_hand, alone = (self.errors[way, epsilon] for way in WAYS)
        return alone - by_hand


def by_type(task: Task) -> list[str]:
    """The columns with the type alone of each that is declared as numbers.

    Its type is integer if all numbers of the table are whole, as a code book or a frame would say.
    """
    found = []
    for text in task.declared:
        column = parse_mixed(text)
        if isinstance(column, Cells) and not isinstance(column, Dates):
            values = [v for v in map(number, task.table[column.name]) if v is not None]
            whole = all(v == v.to_integral_value() for v in values)
            text = f"{column.name}: {'integer' if whole else 'number'}"
        found.append(text)
    return found


def measure(task: Task) -> Result:
    """The test errors of the trees that are drawn from both classes, in the same runs."""
    alone = by_type(task)
    found: dict[tuple[str, str], list[float]] = {}
    for way, columns in zip(WAYS, (task.declared, alone), strict=True):
        H: Any = parse_class(f"trees({', '.join(columns)}; depth 2)")
        cuts = [words for words in str(H).split() if words.isdigit()] if way == WAYS[1] else []
        for run in range(RUNS):
            learn, test = task.samples(run, H.domain)
            for epsilon in EPSILONS:
                error = error_of_draw(H, epsilon, run, learn, test)
                found.setdefault((way, epsilon), []).append(error)
    typed = sum(text.endswith((": integer", ": number")) for text in alone)
    fineness = cuts[0] if typed else "-"
    return Result(task, typed, fineness, {key: mean(values) for key, values in found.items()})


def summary(results: Sequence[Result]) -> list[str]:
    """The mean errors, and how much types alone raise them."""
    rows = [["epsilon", *WAYS, "mean loss", "loss over .01", "gain over .01", "largest loss"]]
    for epsilon in EPSILONS:
        losses = [result.loss(epsilon) for result in results]
        means = [mean(result.errors[way, epsilon] for result in results) for way in WAYS]
        over = [sum(sign * loss > GOAL for loss in losses) for sign in (1, -1)]
        figures = [*(f"{value:.4f}" for value in means), f"{mean(losses):+.4f}"]
        counts = [f"{count} tables" for count in over]
        rows.append([epsilon, *figures, *counts, f"{max(losses):+.3f}"])
    return aligned(rows)


def table(results: Sequence[Result]) -> list[str]:
    """The errors of each task, one task a line."""
    names = [f"{way}, {epsilon}" for epsilon in EPSILONS for way in WAYS]
    rows = [["task", "train", "typed columns", "cuts a decade", *names]]
    for r in results:
        figures = [f"{r.errors[way, epsilon]:.3f}" for epsilon in EPSILONS for way in WAYS]
        size = [str(len(r.task.split(0)[0])), str(r.typed), r.cuts]
        rows.append([r.task.name, *size, *figures])
    return aligned(rows)


def page(results: Sequence[Result]) -> str:
    """The page, in Markdown."""
    text = "\n".join
    return f"""# Ranges that nobody knows

What does it cost to declare a column by its
[type alone](../how-to/schema.md#when-nobody-knows-the-range)? This page measures it on the
{len(results)} [ordinary tables](ordinary-tables.md):

```text
python -m benchmarks unknown_ranges
```

*by hand* are the ranges of that page. With *type alone* each of these columns is `integer` or
`number`, and lists of values stay as they are. Both draw one tree of `trees(COLUMNS; depth 2)` by the
exponential mechanism with the whole epsilon. Errors are means over {RUNS} runs with the same splits.
The goal was set before the runs: a mean loss of at most .01 at epsilon 1.

```text
{text(summary(results))}
```

Three things cost accuracy. A class with more rules needs more records, so small tables and a small
epsilon lose most. A class of many columns gets few cuts a decade. And a column far from 0, such as a
year or a day number, has few cuts where its values are. Some tables gain, because {RUNS} runs are few,
or because the hand had missed the right cut.

## All tables

```text
{text(table(results))}
```
"""


def show(console: Console) -> None:
    """Run all tasks, write the page and print its summary."""
    unpack()
    results = []
    for task in steps(TASKS, "unknown_ranges", console):
        console.print(f"  unknown_ranges: {task.name} ...", style="dim", highlight=False)
        results.append(measure(task))
    PAGE.write_text(page(results), encoding="utf-8")
    console.print(*summary(results), sep="\n", highlight=False, soft_wrap=True)
    loss = mean(result.loss("1") for result in results)
    require(loss <= GOAL, f"types alone raise the mean error at epsilon 1 by {loss:.4f}")


if __name__ == "__main__":
    show(Console())
