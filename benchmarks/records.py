"""Records of named families: the dimension, how long it took, and a certificate that was checked."""

from __future__ import annotations

import time

from rich.console import Console

from benchmarks.harness import require
from benchmarks.named_tables import table
from littlestone.base.work import track_items
from littlestone.cli.console import bar
from littlestone.dimension import Certificate, littlestone_bounds
from littlestone.dimension.tables import PackedTable

FAMILIES = (
    ("thresholds", 1000), ("intervals", 12, 3), ("boxes", 8, 2), ("half_planes", 5), ("kneser", 8, 3),
    ("paley", 61), ("balls", 7, 2), ("all_balls", 7), ("orders", 7), ("terms", 5, 3), ("dnf", 4, 3, 2),
    ("decision_lists", 4), ("juntas", 6, 2), ("threshold_functions", 4), ("reed_muller", 2, 4),
    ("bch", 5, 4), ("parities", 8), ("random", 200, 100, 20, 1),
)  # fmt: skip


def show(console: Console) -> None:
    """Print a row for each family, as Markdown."""
    rows = []
    with bar("solving"):
        for name, *numbers in track_items(FAMILIES, "solving"):
            made = PackedTable.pack(table(str(name), *map(int, numbers)))
            begin = time.process_time()
            bounds = littlestone_bounds(made, time_limit=60)
            proof = Certificate.of(made, bounds)
            solved = time.process_time() - begin
            require(bounds.lower == bounds.upper, f"{name} is not settled")
            begin = time.process_time()
            verdicts = proof.check(made)
            checked = time.process_time() - begin
            require(
                all(verdict.proved for verdict in verdicts),
                f"the certificate of {name} does not prove the dimension",
            )
            asked = " ".join(map(str, (name, *numbers)))
            rows.append((asked, f"{made.size:,} x {made.points:,}", bounds.lower, solved, checked))
    console.print("| family | table | LDim | solved, with proof | checked |\n|---|---|---|---|---|",
                  highlight=False)  # fmt: skip
    for asked, size, dimension, solved, checked in rows:
        console.print(
            f"| `{asked}` | {size} | {dimension} | {solved:.2f} s | {checked:.2f} s |",
            highlight=False,
        )
