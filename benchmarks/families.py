"""Tables on which the exact solver is measured, each with its known dimension."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from typing import NamedTuple

from benchmarks.named_tables import Table, table


class Family(NamedTuple):
    """A table and its dimension."""

    table: Callable[[], Table]
    dimension: int


FAMILIES = {
    "thresholds": Family(partial(table, "thresholds", 1000), 9),
    "random .5": Family(partial(table, "random", 1024, 1024, 50, 1), 10),
    "balls r=2": Family(partial(table, "balls", 10, 2), 5),
    "decision lists": Family(partial(table, "decision_lists", 5), 12),
    "threshold functions": Family(partial(table, "threshold_functions", 5), 15),
    "3-juntas": Family(partial(table, "juntas", 6, 3), 11),
    "all balls": Family(partial(table, "all_balls", 10), 11),
    "random .2 4096": Family(partial(table, "random", 4096, 1024, 20, 1), 8),
    "random .2 16384": Family(partial(table, "random", 16384, 256, 20, 1), 9),
    "boxes": Family(partial(table, "boxes", 32, 2), 17),
    "linear orders": Family(partial(table, "orders", 9), 18),
}

NEWER = {
    "unions of 3 terms": Family(partial(table, "dnf", 4, 3, 3), 6),
    "unions of 4 terms": Family(partial(table, "dnf", 4, 3, 4), 8),
    "Kneser": Family(partial(table, "kneser", 12, 4), 5),
    "Paley": Family(partial(table, "paley", 1009), 9),
    "RM(2,5)": Family(partial(table, "reed_muller", 2, 5), 16),
    "BCH[31,16]": Family(partial(table, "bch", 5, 3), 16),
    "half-planes": Family(partial(table, "half_planes", 16), 15),
}

WALLS = {
    "random .2 65536": Family(partial(table, "random", 65536, 256, 20, 1), 10),
    "interval unions": Family(partial(table, "intervals", 20, 5), 15),
}
