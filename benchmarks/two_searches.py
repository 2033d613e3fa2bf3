"""``python -m benchmarks two_searches``: hard tables by one thread and by two.

Shows CPU seconds of the process, wall-clock time, and the work of the first search beside its work
alone.  On a busy machine the work says more than the time: it is what the first search is spared.
"""

from __future__ import annotations

import time
from typing import NamedTuple

from rich.console import Console

from benchmarks.families import FAMILIES, NEWER, WALLS
from benchmarks.harness import require
from benchmarks.named_tables import Table
from littlestone.dimension.littlestone import GIB, _Solve
from littlestone.dimension.tables import PackedTable

ON_REQUEST = True
HARD = (
    "all balls",
    "random .2 16384",
    "boxes",
    "half-planes",
    "random .2 65536",
    "interval unions",
)


class Cost(NamedTuple):
    """Seconds of wall-clock time, those of CPU time, and units of work of the first search."""

    wall: float
    cpu: float
    work: int


def show(console: Console) -> None:
    """Solve each table twice."""
    for title in HARD:
        family = (FAMILIES | NEWER | WALLS)[title]
        table = family.table()
        one, two = (solved(table, jobs, family.dimension) for jobs in (1, 2))
        console.print(
            f"{title}: CPU {one.cpu:.2f} s alone, {two.cpu:.2f} s together; wall {one.wall:.2f} s "
            f"alone, {two.wall:.2f} s together, ratio {one.wall / two.wall:.2f}; work of the first "
            f"search {two.work / one.work:.2f} of its work alone",
            highlight=False,
            soft_wrap=True,
        )


def solved(table: Table, jobs: int, dimension: int) -> Cost:
    """What it costs to solve a table; the answer must be right."""
    began, cpu = time.perf_counter(), time.process_time()
    solve = _Solve(PackedTable.pack(table), None, None, 8 * GIB, jobs)
    solve.search()
    seconds, used = time.perf_counter() - began, time.process_time() - cpu
    require(
        solve.lower == solve.upper == dimension, f"{solve.lower}..{solve.upper} is not {dimension}"
    )
    return Cost(seconds, used, solve._engine.work)
