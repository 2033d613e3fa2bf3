"""The whole `littlestone fit`, from a file to a model file, beside polars' group-by of the columns.

``python -m benchmarks.whole_commands 1e6 flights``, ``... 1e6 mixed`` and ``... 1e6 keys`` print those
lines of docs/benchmarks/large-tables.md.  Each run is a process of its own, with its imports, and a
line has the medians of `PAIRS` runs of each, in turn.  polars ends when it has counted; the command
also reads its declaration, plans, draws, and writes the ledger and the model.
"""

from __future__ import annotations

import atexit
import os
import statistics
import subprocess
import sys
import tempfile
from functools import cache
from pathlib import Path
from typing import NamedTuple

from benchmarks.harness import require

ON_REQUEST = True
PAIRS = 3

MIXED = {f"n{j}": f"n{j}: 0..100 step 5" for j in range(6)}
MIXED |= {f"t{j}": f"t{j} in {{{', '.join('abcdefgh')}}}" for j in range(4)}
CLASSES = {
    "thresholds": ("dep_delay", "thresholds(dep_delay, -60..1440)"),
    "rules": ("origin,dest,tailnum,hour", "rules(origin, dest, tailnum, hour; at most 2)"),
    "lookup": ("id", "lookup(id; at most 4000)"),
    "trees": (",".join(MIXED), f"trees({', '.join(MIXED.values())}; depth 2)"),
    "points": (",".join(MIXED), f"score_sheet({', '.join(MIXED.values())}; at most 8)"),
}
TASKS = {
    "flights": ("thresholds", "rules", "lookup"),
    "mixed": ("trees", "points"),
    "keys": ("lookup",),
}
GROUP_BY = """
import sys
import polars as pl
path, keys = sys.argv[1], [pl.col(name) for name in sys.argv[2].split(",")]
if sys.argv[2] == "dep_delay":
    keys = [pl.col("dep_delay").fill_null(-60).clip(-60, 1440)]
scan = pl.scan_csv if path.endswith("csv") else pl.scan_parquet
late = (pl.col("arr_delay") > 15).fill_null(False)
query = scan(path).select(*keys, late=late).group_by(pl.exclude("late"))
found = query.agg(pl.len().alias("n"), pl.col("late").sum()).collect(engine="streaming")
print(found["n"].sum())
"""
WRITE = """
import sys
from pathlib import Path
import numpy as np
import polars as pl
from benchmarks.large_tables import write
from benchmarks.whole_commands import MIXED
path, rows, kind = Path(sys.argv[1]), int(sys.argv[2]), sys.argv[3]
if kind == "flights":
    write(path, rows, rows // 10, ["thresholds", "rules", "lookup"])
else:
    rng = np.random.default_rng(5)
    columns = {"id": [f"U{k}" for k in rng.permutation(rows)]} if kind == "keys" else {}
    for name in MIXED if kind == "mixed" else []:
        numbers = rng.integers(0, 1000, rows) / 10 if name[0] == "n" else rng.integers(0, 8, rows)
        columns[name] = numbers if name[0] == "n" else np.array(list("abcdefgh"))[numbers]
    risk = rng.random(rows) < 0.3
    if kind == "mixed":
        risk = (columns["n0"] > 60) & (columns["t0"] > "c")
    columns["arr_delay"] = 15 + np.where(risk ^ (rng.random(rows) < 0.1), 10, -10)
    frame = pl.DataFrame(columns)
    frame.write_csv(path) if path.suffix == ".csv" else frame.write_parquet(path)
"""


class Used(NamedTuple):
    """What one process used: CPU seconds and the peak of memory in MB."""

    cpu: float
    peak: float


def run_process(*command: str) -> Used:
    """Run a process to its end; its rule is not looked at, because it is drawn."""
    process = subprocess.Popen(
        command, stdout=subprocess.DEVNULL, stderr=subprocess.PIPE, env=environment()
    )
    told = process.stderr.read() if process.stderr else b""
    _, status, used = os.wait4(process.pid, 0)
    process.returncode = os.waitstatus_to_exitcode(status)
    require(process.returncode == 0, told[-900:].decode())
    return Used(used.ru_utime + used.ru_stime, used.ru_maxrss * 1024 / 1e6)


@cache
def environment() -> dict[str, str]:
    """That of this process, but modules are compiled once, as where the package is installed."""
    folder = tempfile.TemporaryDirectory(prefix="littlestone-benchmark-")
    atexit.register(folder.cleanup)
    kept = {k: v for k, v in os.environ.items() if k != "PYTHONDONTWRITEBYTECODE"}
    return {**kept, "PYTHONPYCACHEPREFIX": folder.name}


def compare(rows: int, kind: str) -> None:
    """Print a line for each task on tables of that kind, as CSV and as Parquet."""
    print(f"{'task, file, rows':<35}{'polars':>17}{'littlestone':>18}  CPU ratio  peak ratio")
    with tempfile.TemporaryDirectory(prefix="littlestone-benchmark-") as folder:
        for path in (Path(folder, "table.csv"), Path(folder, "table.parquet")):
            run_process(sys.executable, "-c", WRITE, str(path), str(rows), kind)
            for task in TASKS[kind]:
                columns, declared = CLASSES[task]
                ledger, model = Path(folder, "ledger"), Path(folder, "model.json")
                fit = ["-m", "littlestone", "fit", str(path), "--class", declared, "--epsilon", "1"]
                fit += ["--target", "arr_delay", "--positive", "> 15"]
                fit += ["--ledger", str(ledger), "--out", str(model)]
                fit += ["--delta", "1e-9"] if task in ("rules", "lookup") else []
                query = ["-c", GROUP_BY, str(path), columns]
                runs = []
                for _ in range(1 + PAIRS):
                    for written in (ledger, model):
                        written.unlink(missing_ok=True)
                    runs.append([run_process(sys.executable, *each) for each in (query, fit)])
                # The first pair compiled the modules.
                theirs, ours = (
                    Used(*map(statistics.median, zip(*used, strict=True)))
                    for used in zip(*runs[1:], strict=True)
                )
                title = f"{task}, {path.suffix[1:]}, {rows:.0e}".replace("e+0", "e")
                title += ", distinct keys" if kind == "keys" else ""
                print(
                    f"{title:<35}{theirs.cpu:6.2f} s {theirs.peak:5.0f} MB {ours.cpu:7.2f} s "
                    f"{ours.peak:5.0f} MB{ours.cpu / theirs.cpu:11.2f}{ours.peak / theirs.peak:12.2f}",
                    flush=True,
                )
            path.unlink()


if __name__ == "__main__":
    compare(int(float(sys.argv[1])), sys.argv[2])
