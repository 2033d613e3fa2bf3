"""``python -m benchmarks two_searches``: hard refutations by one thread and by two.

Shows the CPU seconds of the search alone, those of each of the two threads, and both wall-clock times.
The ratio by CPU time is that of one thread alone to the busier of the two: the wall-clock ratio if both
cores were free.
"""

from __future__ import annotations

import time
from collections.abc import Callable
from typing import Any

from rich.console import Console

from benchmarks.families import FAMILIES, WALLS
from benchmarks.harness import require
from littlestone.families import Table

ON_REQUEST = True
HARD = ("all balls", "random .2 16384", "boxes", "random .2 65536", "interval unions")


def show(console: Console) -> None:
    """Solve each table twice."""
    from littlestone.dimension.engine import driver, helping
    from littlestone.dimension.engine.search import decide

    used: dict[str, float] = {}

    def clocked(name: str) -> Callable[..., Any]:
        def run(*arguments: Any) -> Any:
            began = time.thread_time()
            answer = decide(*arguments)
            used[name] = used.get(name, 0.0) + time.thread_time() - began
            return answer

        return run

    kernels: list[tuple[Any, str]] = [(driver, "first"), (helping, "second")]
    for module, name in kernels:
        module.decide = clocked(name)
    try:
        for title in HARD:
            family = (FAMILIES | WALLS)[title]
            table = family.table()
            one = solved(table, 1, family.dimension, used)
            two = solved(table, 2, family.dimension, used)
            console.print(
                f"{title}: CPU {one[1]:.2f} s alone, {two[1]:.2f} + {two[2]:.2f} s together, "
                f"ratio {one[1] / max(two[1:]):.2f}; wall {one[0]:.2f} s alone, {two[0]:.2f} s "
                f"together, ratio {one[0] / two[0]:.2f}",
                highlight=False,
                soft_wrap=True,
            )
    finally:
        for module, _ in kernels:
            module.decide = decide


def solved(
    table: Table, jobs: int, dimension: int, used: dict[str, float]
) -> tuple[float, float, float]:
    """Seconds of wall-clock time, and of CPU time of both threads; the answer must be right."""
    from littlestone.dimension import littlestone_dimension

    used.clear()
    began = time.perf_counter()
    found = littlestone_dimension(table, jobs=jobs)
    seconds = time.perf_counter() - began
    require(found == dimension, f"{found} is not {dimension}")
    return seconds, used.get("first", 0.0), used.get("second", 0.0)
