"""Solve, write and check, for every table on which the solver is measured; run when named only."""

from __future__ import annotations

import resource
import shutil
import subprocess
import time
from collections.abc import Callable
from functools import partial
from pathlib import Path
from tempfile import TemporaryDirectory

import numpy as np
from rich.console import Console

from benchmarks.families import FAMILIES, WALLS
from benchmarks.harness import require, steps
from littlestone.dimension import Certificate, littlestone_bounds, littlestone_dimension
from littlestone.dimension.table import PackedTable

ON_REQUEST = True
CHECKER = Path(__file__).parents[1] / "checker" / "check.c"


def show(console: Console) -> None:
    """Print a row for each family, as Markdown, with CPU seconds of one thread."""
    _warm_up()
    with TemporaryDirectory() as folder:
        program = _compiled(Path(folder))
        console.print(
            "| table | claims | bytes | solve | write | check | `check.c` |"
            "\n|---|---|---|---|---|---|---|",
            highlight=False,
        )
        for name, family in steps((FAMILIES | WALLS).items(), "certificates", console):
            table = PackedTable.read(family.table())
            solve = _seconds(partial(littlestone_dimension, table, jobs=1), family.dimension)
            bounds = littlestone_bounds(table, jobs=1)  # the same search, and a tree
            began = time.process_time()
            certificate = Certificate.of(table, bounds)
            wrote = time.process_time() - began
            check = _seconds(partial(_accepts, table, certificate), True)
            there = _by_c(program, table, certificate) if program and name in FAMILIES else "-"
            console.print(
                f"| {name} | {certificate.claims:,} | {len(certificate.to_bytes()):,} | {solve:.2f} "
                f"| {wrote:.2f} | {check:.2f} | {there} |",
                highlight=False,
            )


def _seconds(task: Callable[[], object], expected: object) -> float:
    """CPU seconds of a task whose result is known."""
    began = time.process_time()
    found = task()
    seconds = time.process_time() - began
    require(found == expected, f"{found} in place of {expected}")
    return seconds


def _accepts(table: PackedTable, certificate: Certificate) -> bool:
    return all(verdict.proved for verdict in certificate.check(table))


def _warm_up() -> None:
    """Compile and load the kernels."""
    table = PackedTable.read(FAMILIES["random .5"].table())
    Certificate.of(table, littlestone_bounds(table)).check(table)


def _compiled(folder: Path) -> Path | None:
    compiler = shutil.which("gcc") or shutil.which("clang")
    if compiler is None:
        return None
    flags = ["-std=c11", "-O3", "-march=native", "-o", str(folder / "check")]
    subprocess.run([compiler, *flags, str(CHECKER)], check=True)
    return folder / "check"


def _by_c(program: Path, table: PackedTable, certificate: Certificate) -> str:
    """The CPU seconds of the C program."""
    given, proof = program.with_name("table.npy"), program.with_name("table.ldim")
    np.save(given, table.values().astype(np.uint8))
    proof.write_bytes(certificate.to_bytes())
    before = resource.getrusage(resource.RUSAGE_CHILDREN).ru_utime
    subprocess.run([program, given, proof], check=True, capture_output=True)
    return f"{resource.getrusage(resource.RUSAGE_CHILDREN).ru_utime - before:.2f}"
