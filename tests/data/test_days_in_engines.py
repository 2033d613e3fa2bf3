"""Days in databases, lazy frames and folders: each source gives the sample of its records."""

from __future__ import annotations

import random
from collections.abc import Callable
from datetime import date, datetime
from pathlib import Path
from typing import Any

import pandas as pd
import polars as pl
import pyarrow as pa
import pytest
from engines import by_records
from pyarrow import parquet

from littlestone.base.errors import LittlestoneError, SourceError
from littlestone.data import Label, Table, open_table, read_mapped, read_sample
from littlestone.learn.declared.schema import Schema
from littlestone.points import Dates, Domain, Listed, Product, Strings
from servers import Server

_TIMES = [
    datetime(2021, 6, 30, 23, 59, 59, 999_999), datetime(2021, 7, 1), datetime(1, 1, 1, 0, 0, 1),
    datetime(9999, 12, 31, 23, 59, 59), datetime(1969, 12, 31, 23, 59, 59, 500_000), None,
    datetime(2021, 12, 1, 7), datetime(2000, 2, 29, 12),
]  # fmt: skip
_STARTS = tuple(f"2021-{month:02}-01" for month in range(1, 13))
LATE = Label.parse("late", "yes")
DOMAINS: list[Domain[Any]] = [
    Dates(_STARTS, "day"),
    Dates(("0001-01-01", "1969-12-31", "1970-01-01", "2021-07-01", "9999-12-31"), "time"),
    Product((Dates(_STARTS, "day"), Dates(_STARTS, "time"), Listed(("a", "b"), "word"))),
]


def columns(records: int = 100, *, seed: int = 0) -> dict[str, list[Any]]:
    rng = random.Random(seed)
    times = [*_TIMES, *rng.choices(_TIMES, k=records - len(_TIMES))]
    days = [None if t is None else t.date() for t in rng.sample(times, len(times))]
    words = rng.choices(["a", "b", "c", None], k=records)
    return {
        "day": days,
        "time": times,
        "word": words,
        "late": rng.choices(["yes", "no"], k=records),
    }


def arrow(found: dict[str, list[Any]], unit: str = "us") -> pa.Table:
    types = pa.date32(), pa.timestamp(unit), pa.string(), pa.string()
    return pa.table({n: pa.array(v, t) for (n, v), t in zip(found.items(), types, strict=True)})


def polars_lazy(found: dict[str, list[Any]], folder: Path) -> Table:
    return open_table(pl.DataFrame(arrow(found)).lazy())


def polars_milliseconds(found: dict[str, list[Any]], folder: Path) -> Table:
    frame = pl.DataFrame(arrow(found)).with_columns(pl.col("time").dt.cast_time_unit("ms"))
    return open_table(frame.lazy())


def duckdb_relation(found: dict[str, list[Any]], folder: Path) -> Table:
    duckdb = pytest.importorskip("duckdb")
    connection = duckdb.connect()
    connection.register("given", arrow(found))
    connection.execute("CREATE TABLE t AS SELECT * FROM given")
    return open_table(connection.table("t"))


def duckdb_file(found: dict[str, list[Any]], folder: Path) -> Table:
    duckdb = pytest.importorskip("duckdb")
    with duckdb.connect(str(folder / "t.duckdb")) as connection:
        connection.register("given", arrow(found))
        connection.execute("CREATE TABLE t AS SELECT * FROM given")
    return open_table(folder / "t.duckdb", "t")


def dask_frame(found: dict[str, list[Any]], folder: Path) -> Table:
    pytest.importorskip("dask.dataframe")
    import dask.dataframe as dd

    return open_table(dd.from_pandas(pd.DataFrame(arrow(found).to_pandas(
        types_mapper=pd.ArrowDtype)), npartitions=3))  # fmt: skip


def parquet_folder(found: dict[str, list[Any]], folder: Path) -> Table:
    table = arrow(found)
    (folder / "parts").mkdir(exist_ok=True)
    for start in range(0, len(table), 40):
        parquet.write_table(table[start : start + 40], folder / "parts" / f"{start}.parquet")
    return open_table(folder / "parts")


def sqlite_file(found: dict[str, list[Any]], folder: Path) -> Table:
    pytest.importorskip("sqlalchemy")
    import sqlite3

    (folder / "t.sqlite").unlink(missing_ok=True)
    with sqlite3.connect(folder / "t.sqlite") as connection:
        connection.execute("CREATE TABLE t (day DATE, time TIMESTAMP, word TEXT, late TEXT)")
        rows = zip(*found.values(), strict=True)
        texts = [[None if v is None else str(v) for v in row] for row in rows]
        connection.executemany("INSERT INTO t VALUES (?, ?, ?, ?)", texts)
    return open_table(folder / "t.sqlite", "t")


ENGINES: list[Callable[[dict[str, list[Any]], Path], Table]] = [
    polars_lazy, polars_milliseconds, duckdb_relation, duckdb_file, dask_frame, parquet_folder,
    sqlite_file,
]  # fmt: skip


def require_the_sample_of_the_records(table: Table, found: dict[str, list[Any]]) -> None:
    for domain in DOMAINS:
        sample = read_sample(table, domain, LATE)
        counts = dict(zip(sample.points, sample.counts.tolist(), strict=True))
        assert counts == by_records(found, domain, LATE), domain


@pytest.mark.parametrize("engine", ENGINES, ids=lambda engine: engine.__name__)
def test_days_of_an_engine_are_those_of_its_records(
    engine: Callable[[dict[str, list[Any]], Path], Table], tmp_path: Path
) -> None:
    found = columns()
    table = engine(found, tmp_path)
    require_the_sample_of_the_records(table, found)
    if table.ordered:
        read: list[str] = list(read_mapped(table, DOMAINS[0], list, ["day"]))
        assert read == [DOMAINS[0].encode(value) for value in found["day"]]
    if engine is sqlite_file:
        return  # it declares no types
    assert (table.kind("day"), table.kind("time")) == ("date", "datetime")
    for column in ("day", "time"):  # as numbers or texts they are not read
        with pytest.raises(LittlestoneError, match="declared type"):
            read_sample(table, Strings(column), LATE)


@pytest.mark.parametrize("engine", ENGINES, ids=lambda engine: engine.__name__)
def test_a_form_of_texts_leaves_declared_days_as_they_are(
    engine: Callable[[dict[str, list[Any]], Path], Table], tmp_path: Path
) -> None:
    if engine is sqlite_file:
        return
    found = columns()
    schema = Schema.parse('[columns.day]\ntype = "date"\nformat = "%d.%m.%Y"\n[columns.late]\n')
    table = schema.reading().apply(engine(found, tmp_path))
    schema.require_table(table)
    sample = read_sample(table, DOMAINS[0], LATE)
    counts = dict(zip(sample.points, sample.counts.tolist(), strict=True))
    assert counts == by_records(found, DOMAINS[0], LATE)


def test_days_of_duckdb_outside_the_calendar_are_missing() -> None:
    duckdb = pytest.importorskip("duckdb")
    connection = duckdb.connect()
    connection.execute(
        "CREATE TABLE t (day DATE, time TIMESTAMP, zone TIMESTAMPTZ, word VARCHAR, late VARCHAR)"
    )
    strange = ["infinity", "-infinity", "10000-01-01", "0044-03-15 (BC)", "2021-07-02"]
    for shown in strange:
        connection.execute(
            "INSERT INTO t VALUES (CAST(? AS DATE), CAST(? AS TIMESTAMP), NULL, 'a', 'yes')",
            [shown, shown],
        )
    require_strange(open_table(connection.table("t")))


def require_strange(table: Table) -> None:
    days = [None, None, None, None, date(2021, 7, 2)]
    found: dict[str, list[Any]] = {
        "day": days,
        "time": days,
        "word": ["a"] * 5,
        "late": ["yes"] * 5,
    }
    require_the_sample_of_the_records(table, found)
    with pytest.raises(LittlestoneError, match="declared type"):
        read_sample(table, Dates(_STARTS, "zone"), LATE)


@pytest.fixture
def postgresql(running_server: Server) -> Callable[..., Any]:
    pytest.importorskip("sqlalchemy", reason="SQLAlchemy is not installed: make engines")
    psycopg = pytest.importorskip("psycopg", reason="psycopg is not installed: make engines")
    address = running_server.database()
    create = "CREATE TABLE t (day date, time timestamp, zone timestamptz, word text, late text)"

    def filled(rows: list[tuple[Any, ...]]) -> Table:
        with psycopg.connect(address) as connection:
            # How a role shows days must not matter.
            connection.execute("ALTER ROLE CURRENT_USER SET datestyle = 'SQL, DMY'")
            connection.execute(create)
            insert = "INSERT INTO t (day, time, word, late) VALUES (%s, %s, %s, %s)"
            connection.cursor().executemany(insert, rows)
        return open_table(address, "public.t")

    return filled


def test_days_of_postgresql_are_those_of_its_records(postgresql: Callable[..., Table]) -> None:
    found = columns()
    table = postgresql(list(zip(*found.values(), strict=True)))
    require_the_sample_of_the_records(table, found)
    assert (table.kind("day"), table.kind("time")) == ("date", "datetime")
    with pytest.raises(SourceError, match="declared type"):
        read_sample(table, Strings("day"), LATE)


def test_days_of_postgresql_outside_the_calendar_are_missing(
    postgresql: Callable[..., Table],
) -> None:
    strange = ["infinity", "-infinity", "10000-01-01", "0044-03-15 BC", "2021-07-02"]
    require_strange(postgresql([(shown, shown, "a", "yes") for shown in strange]))
