"""``python -m benchmarks two_searches``: hard refutations by one thread and by two.

Shows CPU seconds of the process and wall-clock time.
"""

from __future__ import annotations

import time

from rich.console import Console

from benchmarks.families import FAMILIES, NEWER, WALLS
from benchmarks.harness import require
from benchmarks.named_tables import Table
from littlestone.dimension import littlestone_dimension

ON_REQUEST = True
HARD = ("half-planes", "random .2 16384", "boxes", "random .2 65536", "interval unions")


def show(console: Console) -> None:
    """Solve each table twice."""
    for title in HARD:
        family = (FAMILIES | NEWER | WALLS)[title]
        table = family.table()
        one = solved(table, 1, family.dimension)
        two = solved(table, 2, family.dimension)
        console.print(
            f"{title}: CPU {one[1]:.2f} s alone, {two[1]:.2f} s together; wall {one[0]:.2f} s alone, "
            f"{two[0]:.2f} s together, ratio {one[0] / two[0]:.2f}",
            highlight=False,
            soft_wrap=True,
        )


def solved(table: Table, jobs: int, dimension: int) -> tuple[float, float]:
    """Seconds of wall-clock time, and of CPU time; the answer must be right."""
    began, cpu = time.perf_counter(), time.process_time()
    found = littlestone_dimension(table, jobs=jobs)
    seconds, used = time.perf_counter() - began, time.process_time() - cpu
    require(found == dimension, f"{found} is not {dimension}")
    return seconds, used
