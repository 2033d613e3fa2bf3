"""Large tables to a Sample: CPU and peak memory beside polars, DuckDB, pyarrow and the engine itself.

``python -m benchmarks.large_tables SECTION`` prints one table of docs/benchmarks/large-tables.md, and
``python -m benchmarks.large_tables files 1e7`` those lines of it; ``python -m benchmarks large_tables``
prints all.  Each run is a process of its own, and all contenders
must end with the same counts.  They read the same files, and each does only what it is best at: polars
in a lazy query with its streaming engine, DuckDB in one query, pyarrow in one plan of Acero.
"""

from __future__ import annotations

import importlib
import json
import os
import subprocess
import sys
import tempfile
from collections.abc import Callable, Iterable, Iterator, Mapping
from contextlib import contextmanager
from importlib.util import find_spec
from itertools import product
from pathlib import Path
from typing import Any, NamedTuple
from zlib import crc32

import numpy as np
import pyarrow as pa
from pyarrow import compute, csv, parquet
from rich.console import Console
from rich.table import Table

from benchmarks.harness import require, steps

ON_REQUEST = True

LOW, HIGH, LATE = -60, 1440, 15
BITS = {"origin": 9, "dest": 9, "tailnum": 13, "hour": 5}
TASKS = {"thresholds": ["dep_delay"], "rules": list(BITS), "lookup": ["id"]}
CLASSES = {
    "thresholds": f"thresholds(dep_delay, {LOW}..{HIGH})",
    "rules": "rules(origin, dest, tailnum, hour; at most 2)",
    "lookup": "lookup(id; at most 4000)",
}
_CHUNK = 10**6

_MANY = "thresholds", "lookup", "rules"
FILES = [  # rows, distinct tuples of the four texts, and tasks
    (10**6, 10**5, _MANY),
    (10**6, 10**6, ("rules",)),
    (10**7, 10**5, ("rules",)),
    (10**7, 10**6, _MANY),
    (10**7, 10**7, ("rules",)),
    (5 * 10**7, 10**7, _MANY),
]
ENGINES = (10**7, 10**6, _MANY)
GROWTH = [(10**r, 10**t) for r, t in ((6, 5), (6, 6), (7, 5), (7, 6), (7, 7), (8, 7))]


class Run(NamedTuple):
    """What one contender does with one source, in a process of its own."""

    contender: str
    task: str
    source: str
    server: int = 0
    """The process of a server that works for it, or 0."""


def files(console: Console, only: int = 0) -> None:
    """CSV and Parquet files, beside polars, DuckDB and pyarrow."""
    table = _table("files", "polars")
    with tempfile.TemporaryDirectory(prefix="littlestone-benchmark-") as folder:
        wanted = [found for found in FILES if only in (0, found[0])]
        tables = list(product(wanted, ("csv", "parquet")))
        for (rows, tuples, tasks), ending in steps(tables, "files", console):
            path = Path(folder, f"table.{ending}")
            write(path, rows, tuples, tasks)
            for task in tasks:
                title = f"{task}, {ending}, {_title(rows, tuples, task)}"
                runs = [Run(name, task, str(path)) for name in (*OTHERS, "littlestone")]
                _compare(table, console, title, runs, "polars")
            path.unlink()
    console.print(table, highlight=False)


def engines(console: Console) -> None:
    """Tables of DuckDB, PostgreSQL and Spark, beside a query that encodes and counts in the engine."""
    table = _table("engines", "its own query")
    rows, tuples, tasks = ENGINES
    with tempfile.TemporaryDirectory(prefix="littlestone-benchmark-") as folder:
        path = Path(folder, "table.parquet")
        write(path, rows, tuples, tasks)
        for engine, start in steps(SOURCES, "engines", console):
            with start(path) as found:
                if found is None:
                    table.add_row(engine, "not installed here")
                    continue
                source, server = found
                for task in tasks:
                    title = f"{task}, {engine}, {_title(rows, tuples, task)}"
                    names = (f"sql of {engine}", f"littlestone, {engine}")
                    _compare(
                        table,
                        console,
                        title,
                        [Run(n, task, source, server) for n in names],
                        names[0],
                    )
    console.print(table, highlight=False)


def growth(console: Console) -> None:
    """Up to 1e8 rows of Parquet: the memory that a row takes, and that a distinct tuple takes."""
    table = _table("growth", "polars")
    law = []
    with tempfile.TemporaryDirectory(prefix="littlestone-benchmark-") as folder:
        path = Path(folder, "table.parquet")
        for rows, tuples in steps(GROWTH, "growth", console):
            write(path, rows, tuples, ["rules"])
            title = f"rules, parquet, {_title(rows, tuples, 'rules')}"
            runs = [Run(name, "rules", str(path)) for name in ("polars", "littlestone")]
            found = _compare(table, console, title, runs, "polars")["littlestone"]
            law.append((rows, tuples, 1, found["peak"]))
    console.print(table, highlight=False)
    *terms, peak = np.array(law).T
    row, distinct, rest = np.linalg.lstsq(np.column_stack(terms), peak)[0]
    console.print(
        f"  peak memory: {row * 1e6:.1f} bytes a row, {distinct * 1e6:.0f} bytes a distinct tuple,"
        f" and {rest:.0f} MB",
        highlight=False,
    )


SECTIONS: dict[str, Callable[..., None]] = {"files": files, "engines": engines, "growth": growth}


def show(console: Console) -> None:
    """All tables."""
    for section in SECTIONS.values():
        section(console)


def _title(rows: int, tuples: int, task: str) -> str:
    distinct = {
        "thresholds": "",
        "rules": f", {tuples:.0e} tuples",
        "lookup": f", {rows // 10:.0e} keys",
    }
    return f"{rows:.0e} rows{distinct[task]}".replace("e+0", "e")


def _table(title: str, beside: str) -> Table:
    table = Table(title=title, title_justify="left", box=None)
    table.add_column("task")
    table.add_column("contender")
    for heading in ("CPU s", f"CPU / {beside}", "peak MB"):
        table.add_column(heading, justify="right")
    return table


def write(path: Path, rows: int, tuples: int, tasks: Iterable[str]) -> None:
    """Two delays, 3 % of them missing, four texts with so many different tuples, and a key."""
    rng = np.random.default_rng(3)
    texts = {c: pa.array([f"{c[0].upper()}{k}" for k in range(2**b)]) for c, b in BITS.items()}
    with path.open("wb") as file:
        writer: Any = None
        for start in range(0, rows, _CHUNK):
            n = min(_CHUNK, rows - start)
            delay = np.clip(np.rint(rng.exponential(40, n) - 28), -43, 1301).astype(np.int16)
            arrival = delay + np.rint(rng.normal(-6, 17, n)).astype(np.int16)
            cancelled = rng.random(n) < 0.03
            number = np.arange(start, start + n, dtype=np.uint64)
            number = number * np.uint64(7_368_787) % np.uint64(tuples)  # all, in another order
            place, columns = _mixed(number), {}
            for name, bits in BITS.items():
                codes = pa.array((place & np.uint64(2**bits - 1)).astype(np.int32))
                columns[name] = texts[name].take(codes)
                place >>= np.uint64(bits)
            if "lookup" in tasks:
                keys = pa.array(rng.integers(0, rows // 10, n)).cast(pa.string())
                columns["id"] = compute.binary_join_element_wise("U", keys, "")
            columns["dep_delay"] = pa.array(delay, mask=cancelled)
            columns["arr_delay"] = pa.array(arrival, mask=cancelled)
            table = pa.table(columns)
            if path.suffix == ".csv":
                options = csv.WriteOptions(include_header=not start, quoting_style="none")
                csv.write_csv(table, file, options)
                continue
            writer = writer or parquet.ParquetWriter(file, table.schema)
            writer.write_table(table)
        if writer is not None:
            writer.close()


def _mixed(number: Any) -> Any:
    """Each number below 2^36 becomes another one."""
    mask = np.uint64(2**36 - 1)
    for factor in (0x9E3779B9B, 0xD6E8FEB87):  # odd
        number = number * np.uint64(factor) & mask
        number ^= number >> np.uint64(18)
    return number


def _compare(
    table: Table, console: Console, title: str, runs: list[Run], beside: str
) -> dict[str, dict[str, Any]]:
    """Run the contenders one after the other, compare their counts and add their rows."""
    found: dict[str, dict[str, Any]] = {}
    for run in runs:
        command = [sys.executable, "-m", "benchmarks.large_tables", "--alone", json.dumps(run)]
        done = subprocess.run(command, capture_output=True, text=True, check=False, env=os.environ)
        require(done.returncode == 0, f"{run.contender}: {done.stderr[-900:]}")
        found[run.contender] = one = json.loads(done.stdout.splitlines()[-1])
        told = f"  {title}: {run.contender} {one['cpu']:.2f} s, {one['peak']:.0f} MB"
        console.print(told, style="dim", highlight=False)
        require(
            found[run.contender]["answer"] == found[runs[0].contender]["answer"],
            f"{title}: {run.contender} has other counts than {runs[0].contender}",
        )
    for name, one in found.items():
        parts = [(name, one["cpu"], one["peak"])]
        if "scored" in one:
            parts.append((f"{name}, scored", *one["scored"]))
        for who, cpu, peak in parts:
            ratio = f"{cpu / found[beside]['cpu']:.2f}"
            table.add_row(title, who, f"{cpu:.2f}", ratio, f"{peak:.0f}")
            title = ""
    table.add_section()
    return found


# What one process does.  A contender returns the number of records and of late ones for each point,
# in whatever form it has them; a table of Arrow is made of it when nothing is measured any more.

Contender = Callable[[Run], Any]


def _ours(run: Run) -> Any:
    from littlestone.data import Label, open_table, read_sample

    source: Any = run.source
    if run.contender == "littlestone, spark":
        source = _session().read.parquet(run.source)
    name = (
        "flights" if run.contender in ("littlestone, duckdb", "littlestone, postgresql") else None
    )
    label = Label.parse("arr_delay", f"> {LATE}")
    return read_sample(open_table(source, name), _declared(run.task).domain, label)


def _declared(task: str) -> Any:
    from littlestone.classes import parse_class

    return parse_class(CLASSES[task])


def _polars(run: Run) -> Any:
    import polars as pl

    keys = [pl.col(name) for name in TASKS[run.task]]
    if run.task == "thresholds":
        keys = [pl.col("dep_delay").fill_null(LOW).clip(LOW, HIGH)]
    late = (pl.col("arr_delay") > LATE).fill_null(False)
    scan = pl.scan_csv if run.source.endswith("csv") else pl.scan_parquet
    query = scan(run.source).select(*keys, late=late).group_by(pl.exclude("late"))
    return query.agg(pl.len().alias("n"), pl.col("late").sum()).collect(engine="streaming")


def _sql(task: str, source: str) -> str:
    keys = ", ".join(TASKS[task])
    if task == "thresholds":
        keys = f"greatest(least(coalesce(dep_delay, {LOW}), {HIGH}), {LOW}) AS dep_delay"
    grouped = ", ".join(str(i + 1) for i in range(len(TASKS[task])))
    late = f"sum(CASE WHEN arr_delay > {LATE} THEN 1 ELSE 0 END)"
    return f"SELECT {keys}, count(*) AS n, {late} AS late FROM {source} GROUP BY {grouped}"


def _duckdb_files(run: Run) -> Any:
    import duckdb

    return duckdb.connect().execute(_sql(run.task, f"'{run.source}'")).to_arrow_table()


def _pyarrow(run: Run) -> Any:
    import pyarrow.compute as pc
    from pyarrow import acero, dataset

    keys = TASKS[run.task]
    data = dataset.dataset(run.source, format=run.source.rpartition(".")[2])
    late = pc.coalesce(pc.greater(pc.field("arr_delay"), LATE), pc.scalar(False)).cast("int64")
    fields = {name: pc.field(name) for name in keys}
    if run.task == "thresholds":
        point = pc.coalesce(pc.field("dep_delay").cast("int64"), pc.scalar(LOW))
        point = pc.min_element_wise(pc.max_element_wise(point, pc.scalar(LOW)), pc.scalar(HIGH))
        fields = {"dep_delay": point}
    counts = [([], "hash_count_all", None, "n"), ("late", "hash_sum", None, "late")]
    plan = [
        acero.Declaration("scan", acero.ScanNodeOptions(data, columns=[*keys, "arr_delay"])),
        acero.Declaration(
            "project", acero.ProjectNodeOptions([*fields.values(), late], [*fields, "late"])
        ),
        acero.Declaration("aggregate", acero.AggregateNodeOptions(counts, keys=keys)),
    ]
    return acero.Declaration.from_sequence(plan).to_table()


def _in_duckdb(run: Run) -> Any:
    import duckdb

    with duckdb.connect(run.source, read_only=True) as connection:
        return connection.execute(_sql(run.task, "flights")).to_arrow_table()


def _in_postgresql(run: Run) -> Any:
    import psycopg

    with psycopg.connect(run.source) as connection:
        cursor = connection.execute(_sql(run.task, "flights").encode())
        columns = zip(*cursor.fetchall(), strict=True)
    names = [*TASKS[run.task], "n", "late"]
    return pa.table(dict(zip(names, map(pa.array, columns), strict=True)))


def _in_spark(run: Run) -> Any:
    session = _session()
    session.read.parquet(run.source).createOrReplaceTempView("flights")
    return session.sql(_sql(run.task, "flights")).toArrow()


def _session() -> Any:
    from pyspark.sql import SparkSession

    settings = {
        "spark.ui.enabled": "false",
        "spark.sql.shuffle.partitions": "2",
        "spark.driver.host": "127.0.0.1",
        "spark.driver.bindAddress": "127.0.0.1",
        "spark.driver.memory": "4g",
        "spark.driver.maxResultSize": "0",
        "spark.log.level": "OFF",
    }
    builder = SparkSession.builder.master("local[2]")
    for name, value in settings.items():
        builder = builder.config(name, value)
    return builder.getOrCreate()


OTHERS: dict[str, Contender] = {
    "polars": _polars,
    "duckdb": _duckdb_files,
    "pyarrow": _pyarrow,
}
CONTENDERS: dict[str, Contender] = {
    **OTHERS,
    "littlestone": _ours,
    "sql of duckdb": _in_duckdb,
    "littlestone, duckdb": _ours,
    "sql of postgresql": _in_postgresql,
    "littlestone, postgresql": _ours,
    "sql of spark": _in_spark,
    "littlestone, spark": _ours,
}


def alone(run: Run) -> dict[str, Any]:
    """One run: its CPU time, its imports included, its peak of memory, and what it counted.

    Both are those of this process, of all that it started, and of a server that worked for it.
    """
    began = cpu_of(run)
    counts = CONTENDERS[run.contender](run)
    found: dict[str, Any] = {"cpu": cpu_of(run) - began, "peak": _peak()}
    if run.task == "rules" and run.contender.startswith("littlestone"):
        elements = _declared(run.task).elements(counts)
        require(len(elements.positives), "no rule covers a late flight")
        found["scored"] = cpu_of(run) - began, _peak()
    found["answer"] = _answer(counts, run.task)
    return found


def processes_of(roots: set[int]) -> Iterator[tuple[Path, list[str]]]:
    """The processes with these numbers and all that they started, with what Linux tells of each."""
    told = {}
    for path in Path("/proc").iterdir():
        if path.name.isdigit():
            try:
                told[path] = (path / "stat").read_text(encoding="utf-8").rpartition(")")[2].split()
            except OSError:
                continue  # it ended
    size = 0
    while size != len(roots):
        size = len(roots)
        roots |= {int(path.name) for path, fields in told.items() if int(fields[1]) in roots}
    return ((path, fields) for path, fields in told.items() if int(path.name) in roots)


def cpu_of(run: Run) -> float:
    """Seconds of user and system, those of processes that ended included."""
    roots = {os.getpid(), run.server} - {0}
    ticks = sum(sum(map(int, fields[11:15])) for _, fields in processes_of(roots))
    return ticks / os.sysconf("SC_CLK_TCK")


def _peak() -> float:
    """Megabytes of this process and of those that it started, at the peak of each."""
    # What `getrusage` tells includes the memory of the process that started this one.
    told = (
        (path / "status").read_text(encoding="ascii") for path, _ in processes_of({os.getpid()})
    )
    peaks = [text.partition("VmHWM:")[2].split() for text in told]  # none of one that ended
    return sum(int(peak[0]) for peak in peaks if peak) * 1024 / 1e6


def _answer(counts: Any, task: str) -> list[int]:
    """The number of distinct points and of records, and a sum over all points that tells them apart."""
    columns: list[tuple[list[Any], Any]] = []
    if hasattr(counts, "points"):
        n, late = counts.counts.sum(axis=1), counts.positives
        if task == "rules":
            columns = [(list(v), c) for v, c in map(counts.column, range(len(TASKS[task])))]
        else:
            columns = [(list(counts.points), np.arange(len(n)))]
    else:
        table = counts if isinstance(counts, pa.Table) else counts.to_arrow()
        n, late = (np.array(table[name].to_pylist(), np.int64) for name in ("n", "late"))
        for name in TASKS[task]:
            coded = table[name].combine_chunks().dictionary_encode()
            columns.append((coded.dictionary.to_pylist(), coded.indices.to_numpy()))
    mixed = n.astype(np.uint64) * np.uint64(0x9E3779B97F4A7C15) + late.astype(np.uint64)
    for values, codes in columns:
        texts = np.array([crc32(str(value).encode()) for value in values], np.uint64)
        mixed = (mixed ^ texts[codes]) * np.uint64(0xD6E8FEB86659FD93)
        mixed ^= mixed >> np.uint64(32)
    return [len(n), int(n.sum()), int(mixed.sum())]


# Engines with the table, as the source of a run and the process of a server; nothing if not installed.

Started = tuple[str, int] | None


@contextmanager
def _duckdb(path: Path) -> Iterator[Started]:
    if not find_spec("duckdb"):
        yield None
        return
    database = str(path.with_suffix(".duckdb"))
    statement = f"CREATE TABLE flights AS FROM '{path}'"
    load = f"import duckdb; duckdb.connect({database!r}).execute({statement!r})"
    subprocess.run([sys.executable, "-c", load], check=True, capture_output=True)
    yield database, 0


@contextmanager
def postgresql(
    path: Path, table: str = "flights", types: Mapping[str, str] | None = None
) -> Iterator[Started]:
    """A server with the ``table`` of a Parquet file; delays are numbers unless ``types`` are given."""
    sys.path.append(str(Path(__file__).parent.parent / "tests"))
    servers = importlib.import_module("servers")
    if not (find_spec("sqlalchemy") and find_spec("psycopg") and servers.programs()):
        yield None
        return
    import psycopg

    with servers.server(fsync="off") as running:
        address = running.database()
        with psycopg.connect(address) as connection:
            names = parquet.read_schema(path).names
            known = types or {name: "smallint" for name in names if name.endswith("delay")}
            columns = ", ".join(f"{name} {known.get(name, 'text')}" for name in names)
            connection.execute(f"CREATE TABLE {table} ({columns})".encode())
            statement = f"COPY {table} FROM STDIN (FORMAT csv)".encode()
            with connection.cursor().copy(statement) as copy:
                for batch in parquet.ParquetFile(path).iter_batches(2**17):
                    text = pa.BufferOutputStream()
                    options = csv.WriteOptions(include_header=False, quoting_style="none")
                    csv.write_csv(pa.Table.from_batches([batch]), text, options)
                    copy.write(text.getvalue().to_pybytes())
            connection.execute(f"ANALYZE {table}".encode())
            connection.commit()
        yield address, running.process.pid


@contextmanager
def _spark(path: Path) -> Iterator[Started]:
    yield (str(path), 0) if find_spec("pyspark") else None


SOURCES = [("duckdb", _duckdb), ("postgresql", postgresql), ("spark", _spark)]


if __name__ == "__main__":
    what, *more = sys.argv[1:]
    if what == "--alone":
        print(json.dumps(alone(Run(*json.loads(more[0])))))
    else:
        SECTIONS[what](Console(width=120), *(int(float(rows)) for rows in more))
