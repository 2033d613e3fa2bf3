"""CSV files of 1e6 and 1e7 lines to a Sample: CPU time and memory beside polars, DuckDB and pyarrow.

The alternatives count the same rows as well as they can: polars in a lazy query with its streaming
engine, DuckDB in one query, pyarrow in a scan of batches.  Each run is a process of its own, and ends
with the same counts, or it is a wrong answer.  Ours also promises what theirs do not: no line, however
odd, stops it or takes in another line.
"""

from __future__ import annotations

import json
import os
import statistics
import subprocess
import sys
import tempfile
import time
import zlib
from collections.abc import Callable, Iterable
from pathlib import Path
from typing import Any

import numpy as np
import pyarrow as pa
from pyarrow import csv
from rich.console import Console
from rich.table import Table

from benchmarks.harness import require

ON_REQUEST = True

ROWS = {"1e6": 10**6, "1e7": 10**7}
REPEATS = {"1e6": 3, "1e7": 1}
LOW, HIGH, LATE = -60, 1440, 15
TEXTS = ["carrier", "origin", "dest", "hour"]
_SIZES = {"carrier": 16, "origin": 3, "dest": 105, "hour": 24}

Counts = Iterable[tuple[tuple[Any, ...], int, int]]
"""Points, each with the number of its records and of those that are late."""


def show(console: Console) -> None:
    """Run every contender on every task and file, and print what each took."""
    table = Table(title="large_csv", title_justify="left")
    table.add_column("task")
    table.add_column("contender")
    for heading in ("CPU s", "CPU / polars", "peak MB"):
        table.add_column(heading, justify="right")
    with tempfile.TemporaryDirectory(prefix="littlestone-benchmark-") as folder:
        for size, rows in ROWS.items():
            path = Path(folder, f"{size}.csv")
            write(path, rows)
            megabytes = path.stat().st_size / 1e6
            for task in TASKS:
                title = f"{task}, {size} lines, {megabytes:.0f} MB"
                console.print(f"  {title} ...", style="dim", highlight=False)
                for row in _measured(task, path, REPEATS[size]):
                    table.add_row(title, *row)
                    title = ""
                table.add_section()
            path.unlink()
    console.print(table, highlight=False)


def write(path: Path, rows: int) -> None:
    """Two delays, 3 % of them missing, and four texts a line."""
    rng = np.random.default_rng(3)
    with path.open("wb") as file:
        for start in range(0, rows, 10**6):
            n = min(10**6, rows - start)
            delay = np.clip(np.rint(rng.exponential(40, n) - 28), -43, 1301).astype(np.int64)
            arrival = delay + np.rint(rng.normal(-6, 17, n)).astype(np.int64)
            cancelled = rng.random(n) < 0.03
            columns = {
                name: pa.DictionaryArray.from_arrays(
                    pa.array(rng.integers(0, size, n)),
                    [f"{name[0].upper()}{k}" for k in range(size)],
                ).cast(pa.string())
                for name, size in _SIZES.items()
            }
            columns["dep_delay"] = pa.array(delay, mask=cancelled)
            columns["arr_delay"] = pa.array(arrival, mask=cancelled)
            options = csv.WriteOptions(include_header=not start, quoting_style="none")
            csv.write_csv(pa.table(columns), file, options)


def _measured(task: str, path: Path, repeats: int) -> list[tuple[str, ...]]:
    runs = {name: [_run(name, task, path) for _ in range(repeats)] for name in CONTENDERS}
    for name, found in runs.items():
        same = all(one["answer"] == runs["littlestone"][0]["answer"] for one in found)
        require(same, f"{name}: other counts than ours")
    cpu = {name: statistics.median(one["cpu"] for one in found) for name, found in runs.items()}
    peak = {name: max(one["peak"] for one in found) for name, found in runs.items()}
    return [
        (name, f"{cpu[name]:.2f}", f"{cpu[name] / cpu['polars']:.2f}", f"{peak[name]:.0f}")
        for name in CONTENDERS
    ]


def _run(name: str, task: str, path: Path) -> dict[str, Any]:
    command = [sys.executable, "-m", "benchmarks.large_csv", name, task, str(path)]
    done = subprocess.run(command, capture_output=True, text=True, check=False, env=os.environ)
    require(done.returncode == 0, f"{name}: {done.stderr[-500:]}")
    found: dict[str, Any] = json.loads(done.stdout)
    return found


def _ours(task: str, path: Path) -> Counts:
    from littlestone.data import Label, open_table, read_sample
    from littlestone.domains import Domain, Grid, Product, Strings

    domain: Domain[Any] = Grid(LOW, HIGH, "dep_delay")
    if task == "four texts":
        domain = Product(tuple(map(Strings, TEXTS)))
    sample = read_sample(open_table(path), domain, Label.parse("arr_delay", f"> {LATE}"))
    points = sample.points if task == "four texts" else ((x,) for x in sample.points)
    return zip(points, sample.counts.sum(axis=1).tolist(), sample.positives.tolist(), strict=True)


def _polars(task: str, path: Path) -> Counts:
    import polars as pl

    point = [pl.col("dep_delay").fill_null(LOW).clip(LOW, HIGH)]
    keys = [pl.col(name) for name in TEXTS] if task == "four texts" else point
    late = (pl.col("arr_delay") > LATE).fill_null(False)
    query = pl.scan_csv(path).select(*keys, late=late).group_by(pl.exclude("late"))
    counts = query.agg(pl.len().alias("n"), pl.col("late").sum()).collect(engine="streaming")
    return ((tuple(row[:-2]), row[-2], row[-1]) for row in counts.iter_rows())


def _duckdb(task: str, path: Path) -> Counts:
    import duckdb

    point = f"greatest(least(coalesce(dep_delay, {LOW}), {HIGH}), {LOW})"
    keys = ", ".join(TEXTS) if task == "four texts" else point
    late = f"count(*) FILTER (arr_delay > {LATE})"
    query = f"SELECT {keys}, count(*), {late} FROM read_csv('{path}') GROUP BY ALL"
    rows = duckdb.connect().execute(query).fetchall()
    return ((tuple(row[:-2]), row[-2], row[-1]) for row in rows)


def _pyarrow(task: str, path: Path) -> Counts:
    import pyarrow.compute as pc

    keys = TEXTS if task == "four texts" else ["dep_delay"]
    convert = csv.ConvertOptions(include_columns=[*keys, "arr_delay"])
    parts = []
    for batch in csv.open_csv(path, convert_options=convert):
        table = pa.Table.from_batches([batch])
        late = pc.fill_null(pc.greater(table["arr_delay"], LATE), False).cast(pa.int64())
        if task != "four texts":
            filled = pc.fill_null(table["dep_delay"], LOW)
            point = pc.min_element_wise(pc.max_element_wise(filled, LOW), HIGH)
            table = table.set_column(table.schema.get_field_index("dep_delay"), "dep_delay", point)
        table = table.append_column("late", late).append_column("n", pa.array(np.ones(len(late))))
        parts.append(table.group_by(keys).aggregate([("n", "sum"), ("late", "sum")]))
    whole = (
        pa.concat_tables(parts).group_by(keys).aggregate([("n_sum", "sum"), ("late_sum", "sum")])
    )
    columns = [whole[name].to_pylist() for name in (*keys, "n_sum_sum", "late_sum_sum")]
    return ((row[:-2], int(row[-2]), row[-1]) for row in zip(*columns, strict=True))


TASKS = ("thresholds", "four texts")
CONTENDERS: dict[str, Callable[[str, Path], Counts]] = {
    "littlestone": _ours,
    "polars": _polars,
    "duckdb": _duckdb,
    "pyarrow": _pyarrow,
}


def _alone(name: str, task: str, path: Path) -> dict[str, Any]:
    """One run: its CPU time, its imports included, the peak of its process, and what it counted."""
    began = time.process_time()
    counts = CONTENDERS[name](task, path)
    cpu = time.process_time() - began
    # On Linux.  What `getrusage` tells includes the memory of the process that started this one.
    status = Path("/proc/self/status").read_text(encoding="ascii")
    peak = int(status.partition("VmHWM:")[2].split()[0]) / 1024
    rows = [f"{point} {n} {late}" for point, n, late in counts]
    answer = [len(rows), sum(zlib.crc32(row.encode()) for row in rows)]
    return {"cpu": cpu, "peak": peak, "answer": answer}


if __name__ == "__main__":
    contender, what, file = sys.argv[1:]
    print(json.dumps(_alone(contender, what, Path(file))))
