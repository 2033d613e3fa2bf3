"""Private trees on ordinary tables, beside other libraries: ``python -m benchmarks tables``.

Prints what it writes to ``docs/benchmarks/ordinary-tables.md``.  The measures of the other libraries
are kept in ``ordinary_tables/theirs.json``; ``python -m benchmarks.tables recompute`` measures them
again, which takes about a quarter of an hour.
"""

from __future__ import annotations

import sys
from pathlib import Path

from rich.console import Console

from benchmarks.elsewhere import unpack
from benchmarks.harness import steps
from benchmarks.ordinary_tables.ours import ours
from benchmarks.ordinary_tables.page import Result, page, summary
from benchmarks.ordinary_tables.task import EPSILONS
from benchmarks.ordinary_tables.tasks import TASKS
from benchmarks.ordinary_tables.theirs import synthetic, theirs

ON_REQUEST = True
PAGE = Path(__file__).parents[1] / "docs" / "benchmarks" / "ordinary-tables.md"


def show(console: Console, *, recompute: bool = False) -> None:
    """Run all tasks, write the page and print its summaries."""
    unpack()
    results = []
    others = theirs(TASKS, recompute=recompute)
    for task in steps(TASKS, "tables", console):
        console.print(f"  tables: {task.name} ...", style="dim", highlight=False)
        results.append(Result(task, ours(task), others))
    PAGE.parent.mkdir(exist_ok=True)
    PAGE.write_text(page(results, synthetic(TASKS, recompute=recompute)), encoding="utf-8")
    for epsilon in EPSILONS:
        console.print(
            f"epsilon {epsilon}",
            *summary(results, epsilon),
            sep="\n  ",
            highlight=False,
            soft_wrap=True,
        )
    console.print(f"All numbers: {PAGE}\n", highlight=False)


if __name__ == "__main__":
    show(Console(), recompute="recompute" in sys.argv[1:])
