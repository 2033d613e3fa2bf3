"""Solve, write and check, for every table on which the solver is measured; run when named only."""

from __future__ import annotations

import time
from collections.abc import Callable
from functools import partial
from typing import TypeVar

from rich.console import Console

from benchmarks.families import FAMILIES, NEWER, WALLS
from benchmarks.harness import require, steps
from littlestone.dimension import Certificate, littlestone_bounds, littlestone_dimension
from littlestone.dimension.tables import PackedTable

ON_REQUEST = True
REPEATS, PATIENCE = 20, 1.0  # what takes less CPU time is repeated, and its least time counts

Result = TypeVar("Result")


def show(console: Console) -> None:
    """Print a row for each family, as Markdown, with CPU seconds of one thread."""
    console.print(
        "| table | claims | bytes | solve | write | check | write / solve | check / solve |"
        "\n|---|---|---|---|---|---|---|---|",
        highlight=False,
    )
    for name, family in steps((FAMILIES | NEWER | WALLS).items(), "certificates", console):
        table = PackedTable.pack(family.table())
        solve, found = _measured(partial(littlestone_dimension, table, jobs=1))
        require(found == family.dimension, f"{found} in place of {family.dimension}")
        bounds = littlestone_bounds(table, jobs=1)  # the same search, and a tree
        write, certificate = _measured(partial(Certificate.of, table, bounds))
        check, verdicts = _measured(partial(certificate.check, table))
        require(all(verdict.proved for verdict in verdicts), "a bound is not proved")
        size = len(certificate.to_bytes())
        console.print(
            f"| {name} | {certificate.claims:,} | {size:,} | {solve:.3f} | {write:.3f} | {check:.3f} "
            f"| {write / solve:.2f} | {check / solve:.2f} |",
            highlight=False,
        )


def _measured(task: Callable[[], Result]) -> tuple[float, Result]:
    """The least CPU seconds of a task, and what it returned."""
    least, spent, result = float("inf"), 0.0, None
    for _ in range(REPEATS):
        began = time.process_time()
        result = task()
        seconds = time.process_time() - began
        least, spent = min(least, seconds), spent + seconds
        if spent > PATIENCE:
            break
    assert result is not None
    return least, result
