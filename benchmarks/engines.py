"""From tables of engines to a Sample: 10 million records in DuckDB, a million in PostgreSQL.

The alternatives clip and compare in SQL, and end with the same Sample.  Ours groups raw values by their
bytes and encodes each distinct one, which no collation or odd value changes.  Takes
`pip install 'littlestone[engines]'` and PostgreSQL's server; what is missing is left out.
"""

from __future__ import annotations

import atexit
import importlib
import sys
import tempfile
from collections.abc import Callable, Iterator
from contextlib import ExitStack
from importlib.util import find_spec
from pathlib import Path
from typing import Any

import numpy as np
import polars as pl
import pyarrow as pa
from pyarrow import parquet

from benchmarks.harness import Case, Contender, require
from littlestone.data import Label, open_table, read_sample
from littlestone.domains import Domain, Grid, Product, Strings
from littlestone.sample import Sample

ON_REQUEST = True
MANY, FEWER = 10**7, 10**6
LOW, HIGH = -60, 1440
DELAY, LATE = Grid(LOW, HIGH, "delay"), Label.parse("late", "yes")
PLACES = Product((Strings("origin"), Strings("tail")))
SQL = (
    f"SELECT least(greatest(coalesce(delay, {LOW}), {LOW}), {HIGH}) AS x, count(*), "
    "count(*) FILTER (WHERE late = 'yes') FROM flights GROUP BY 1"
)


def flights(rows: int) -> pa.Table:
    """Delays, labels, 100 places and 1,000 tail numbers."""
    rng = np.random.default_rng(4)
    delay = np.rint(rng.exponential(40, rows) - 28).astype(np.int64)
    places = pa.array([f"A{k:02d}" for k in range(100)])
    tails = pa.array([f"N{k}" for k in range(1000)])
    return pa.table(
        {
            "delay": pa.array(delay, mask=rng.random(rows) < 0.03),
            "late": pa.array(["no", "yes"]).take(pa.array((delay > 15).astype(np.int64))),
            "origin": places.take(pa.array(rng.integers(0, 100, rows))),
            "tail": tails.take(pa.array(rng.integers(0, 1000, rows))),
        }
    )


def cases() -> Iterator[Case]:
    """Thresholds on one column, and rules on 100,000 pairs of texts, from each source."""
    folder = tempfile.TemporaryDirectory(prefix="littlestone-benchmark-")
    atexit.register(folder.cleanup)
    file = Path(folder.name, "flights.parquet")
    table = flights(MANY)
    parquet.write_table(table, file)
    yield _case("Parquet, 10 million", lambda: open_table(file), MANY)
    yield _case("polars, 10 million", lambda: open_table(pl.scan_parquet(file)), MANY)
    if find_spec("duckdb"):
        import duckdb

        database = str(Path(folder.name, "flights.duckdb"))
        with duckdb.connect(database) as connection:
            connection.execute(f"CREATE TABLE flights AS SELECT * FROM '{file}'")

        def with_sql() -> Sample[int]:
            with duckdb.connect(database, read_only=True) as connection:
                return _sample(connection.execute(SQL).fetchall())

        yield _case("DuckDB, 10 million", lambda: open_table(database, "flights"), MANY, with_sql)
        yield _case(
            "DuckDB, 10 million, pairs",
            lambda: open_table(database, "flights"),
            MANY,
            domain=PLACES,
        )
    if find_spec("sqlalchemy") and (address := _server(table[:FEWER])):
        import psycopg

        def on_server() -> Sample[int]:
            with psycopg.connect(address) as connection:
                return _sample(connection.execute(SQL.encode()).fetchall())

        where = "PostgreSQL, 1 million"
        yield _case(where, lambda: open_table(address, "flights"), FEWER, on_server)
        yield _case(f"{where}, pairs", lambda: open_table(address, "flights"), FEWER, domain=PLACES)


def _case(
    title: str,
    open_source: Callable[[], Any],
    rows: int,
    other: Callable[[], Sample[int]] | None = None,
    domain: Domain[Any] = DELAY,
) -> Case:
    def check(sample: Sample[Any]) -> None:
        require(sample.n == rows, f"{sample.n} examples in place of {rows}")
        require(domain is DELAY or len(sample.points) > 99_900, "pairs are missing")

    def ours() -> Sample[Any]:
        return read_sample(open_source(), domain, LATE)

    others = [] if other is None else [Contender("encoded in SQL", other, check)]
    return Case(title, Contender("littlestone", ours, check), others, repeats=3, patience=60)


def _sample(rows: list[tuple[int, int, int]]) -> Sample[int]:
    points, total, ones = zip(*rows, strict=True)
    positives = np.array(ones, np.int64)
    return Sample.of_two(DELAY, points, np.array(total, np.int64) - positives, positives)


def _server(table: pa.Table) -> str | None:
    """The address of a database with the table, on a server of our own; None if there is none."""
    sys.path.append(str(Path(__file__).parent.parent / "tests"))
    servers = importlib.import_module("servers")
    if servers.programs() is None:
        return None
    import psycopg

    running = ExitStack()
    atexit.register(running.close)
    address: str = running.enter_context(servers.server()).database()
    with psycopg.connect(address) as connection:
        connection.execute("CREATE TABLE flights (delay bigint, late text, origin text, tail text)")
        with connection.cursor().copy("COPY flights FROM STDIN") as copy:
            for row in zip(*(column.to_pylist() for column in table.columns), strict=True):
                copy.write_row(row)
        connection.execute("ANALYZE flights")
    return address
