"""``python -m benchmarks symmetry``: the solver with and without symmetries, in CPU seconds.

Each table is solved by one thread, three times, in turn without and with them.  Shown are the medians,
the median of the ratios within repetitions, and the version spaces searched.  Tables without a symmetry
show what looking for one costs.
"""

from __future__ import annotations

import statistics
import time
from collections.abc import Callable
from functools import partial

import numpy as np
from rich.console import Console

from benchmarks.families import FAMILIES, Family
from benchmarks.harness import duration, require, steps
from benchmarks.named_tables import Table, table
from littlestone.dimension import symmetry
from littlestone.dimension.littlestone import GIB, _Solve
from littlestone.dimension.tables import PackedTable

ON_REQUEST = True
REPEATS = 3


def _named(name: str, *numbers: int) -> Callable[[], Table]:
    return partial(table, name, *numbers)


def _regular() -> Table:
    """Each row has 205 ones and each column 820, so that the first look tells nothing apart."""
    rng, x = np.random.default_rng(0), np.arange(1024)
    found = ((x - np.arange(4096)[:, np.newaxis]) % 1024 < 205).astype(np.uint8)
    for _ in range(20_000):  # two rows share out anew where they differ
        a, b = rng.choice(4096, 2, replace=False)
        differ = np.flatnonzero(found[a] != found[b])
        found[a, differ] = rng.permutation(found[a, differ])
        found[b, differ] = 1 - found[a, differ]
    return found


CASES = {
    "balls 8 2": Family(_named("balls", 8, 2), 5),
    "balls 10 2": FAMILIES["balls r=2"],
    "balls 11 2": Family(_named("balls", 11, 2), 5),
    "balls 12 3": Family(_named("balls", 12, 3), 8),
    "all_balls 9": Family(_named("all_balls", 9), 10),
    "all_balls 10": FAMILIES["all balls"],
    "kneser 14 4": Family(_named("kneser", 14, 4), 7),
    "kneser 16 4": Family(_named("kneser", 16, 4), 8),
    "kneser 15 5": Family(_named("kneser", 15, 5), 6),
    "paley 1021": Family(_named("paley", 1021), 9),
    "paley 4093": Family(_named("paley", 4093), 11),
    "orders 8": Family(_named("orders", 8), 14),
    "orders 9": FAMILIES["linear orders"],
    "juntas 5 3": Family(_named("juntas", 5, 3), 10),
    "juntas 6 3": FAMILIES["3-juntas"],
    "decision_lists 5": FAMILIES["decision lists"],
    "threshold_functions 5": FAMILIES["threshold functions"],
    "half_planes 11": Family(_named("half_planes", 11), 12),
    "intervals 16 4": Family(_named("intervals", 16, 4), 12),
    "random .5 1024": FAMILIES["random .5"],
    "random .2 4096": FAMILIES["random .2 4096"],
    "random .2 16384": FAMILIES["random .2 16384"],
    "regular, no symmetry": Family(_regular, 8),
}


def show(console: Console) -> None:
    """Solve each table without and with symmetries."""
    for name, family in steps(CASES.items(), "tables", console, len(CASES)):
        packed = PackedTable.pack(family.table())
        seconds: dict[bool, list[float]] = {False: [], True: []}
        spaces: dict[bool, int] = {}
        for _ in range(REPEATS):
            for learn in (False, True):
                used, spaces[learn] = solved(packed, family.dimension, learn=learn)
                seconds[learn].append(used)
        pairs = zip(seconds[True], seconds[False], strict=True)
        ratio = statistics.median(a / b for a, b in pairs)
        without, with_ = (statistics.median(seconds[learn]) for learn in (False, True))
        console.print(
            f"{name}, {packed.size} x {packed.points}, LDim {family.dimension}: CPU "
            f"{duration(without)} without, {duration(with_)} with, ratio {ratio:.2f}; version spaces "
            f"{spaces[False]:,} without, {spaces[True]:,} with",
            highlight=False,
            soft_wrap=True,
        )


def solved(packed: PackedTable, dimension: int, *, learn: bool) -> tuple[float, int]:
    """CPU seconds of a solve by one thread, and its version spaces; the answer must be right."""
    patience = symmetry.PATIENCE
    symmetry.PATIENCE = patience if learn else 1 << 30
    try:
        began = time.process_time()
        solve = _Solve(packed, None, None, 8 * GIB, 1)
        solve.search()
        seconds = time.process_time() - began
    finally:
        symmetry.PATIENCE = patience
    require(
        solve.lower == solve.upper == dimension, f"{solve.lower}..{solve.upper} is not {dimension}"
    )
    return seconds, solve._engine.nodes
