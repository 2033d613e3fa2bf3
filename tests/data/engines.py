"""One table of nasty values in every engine, and what a record-by-record reading makes of it."""

from __future__ import annotations

import random
import sqlite3
from collections.abc import Callable
from decimal import Decimal
from pathlib import Path
from typing import Any

import pandas as pd
import polars as pl
import pyarrow as pa
import pytest
from pyarrow import parquet
from sources import Columns

from littlestone.data import Label, Table, open_table
from littlestone.points import Disjoint, Domain, Grid, Integers, Names, Product, Reals, Strings

_TEXTS = [
    "", " ", "a", "A", "a ", " a", "ä", "a\u0308", "straße", "STRASSE", "1", "1.0", "01", "é",
    "e\u0301", "a\tb", "a\nb", 'say "hi"', "it's", "a,b", "%s", ":x", "NULL", "None", "nan", "💩", None,
]  # fmt: skip
_NUMBERS = [
    0.0,
    -0.0,
    float("nan"),
    float("inf"),
    float("-inf"),
    5e-324,
    1e300,
    0.29,
    7.0,
    1.5,
    None,
]
_WHOLE = [0, 1, -1, 2**53 + 1, 2**53, 2**63 - 1, -(2**63), None]
_EXACT = [Decimal("1.50"), Decimal("0.00"), Decimal("-3.10"), Decimal("99999999.99"), None]
_FLAGS = [True, False, None]


def nasty(records: int = 120, seed: int = 0) -> dict[str, list[Any]]:
    """Each value at least once, and equal rows too."""
    rng = random.Random(seed)
    kinds: dict[str, list[Any]] = {
        "text": _TEXTS,
        "number": _NUMBERS,
        "whole": _WHOLE,
        "exact": _EXACT,
        "flag": _FLAGS,
        "late": ["yes", "no", "YES", "yes ", None],
    }
    return {
        name: [*values, *rng.choices(values, k=records - len(values))]
        for name, values in kinds.items()
    }


CENTS = Decimal("0.01")
LATE = Label.parse("late", "yes")
DOMAINS: list[Domain[Any]] = [
    Strings("text"),
    Names(("?", "a", "A ", "1"), "text"),
    Grid(-5, 5, "text"),
    Reals("number"),
    Strings("number"),
    Grid(-100, 1000, "number", CENTS),
    Integers("whole"),
    Strings("whole"),
    Grid(-5, 2**53 + 1, "whole"),
    Strings("exact"),
    Grid(-1000, 1000, "exact", CENTS),
    Grid(0, 1, "flag"),
    Strings("flag"),
    Product((Strings("text"), Reals("number"), Strings("exact"))),
    Product((Strings("text"),)),
    Disjoint((Strings("text"), Strings("whole"))),
]
LABELS = [
    LATE,
    Label.parse("number", "> 0"),
    Label.parse("exact", "== 1.5"),
    Label.parse("whole", labels=["0", "1", "-1"]),
]


def by_records(columns: Columns, domain: Domain[Any], label: Label) -> dict[Any, list[int]]:
    """The sample, one record after the other, from its Python values."""
    counts: dict[Any, list[int]] = {}
    names = (*domain.column_names, label.column)
    for *values, y in zip(*(columns[name] for name in names), strict=True):
        point = domain.encode_record(values)
        counts.setdefault(point, [0] * label.labels)[label(y)] += 1
    return counts


def arrow(columns: Columns) -> pa.Table:
    types = {
        "text": pa.string(), "number": pa.float64(), "whole": pa.int64(),
        "exact": pa.decimal128(10, 2), "flag": pa.bool_(), "late": pa.string(),
    }  # fmt: skip
    return pa.table({name: pa.array(values, types[name]) for name, values in columns.items()})


def polars_lazy(columns: Columns, folder: Path) -> Table:
    return open_table(pl.DataFrame(arrow(columns)).lazy())


def polars_scan(columns: Columns, folder: Path) -> Table:
    parquet.write_table(arrow(columns), folder / "scan.parquet", row_group_size=7)
    return open_table(pl.scan_parquet(folder / "scan.parquet"))


def duckdb_relation(columns: Columns, folder: Path) -> Table:
    duckdb = pytest.importorskip("duckdb")
    connection = duckdb.connect()
    # Case, accents and the form of letters are ignored by the column's own collation.
    connection.execute(
        "CREATE TABLE t (text VARCHAR COLLATE NOCASE, number DOUBLE, whole BIGINT, "
        "exact DECIMAL(10, 2), flag BOOLEAN, late VARCHAR COLLATE NOCASE.NOACCENT)"
    )
    connection.register("given", arrow(columns))
    connection.execute("INSERT INTO t SELECT * FROM given")
    return open_table(connection.table("t"))


def duckdb_file(columns: Columns, folder: Path) -> Table:
    duckdb = pytest.importorskip("duckdb")
    with duckdb.connect(str(folder / "t.duckdb")) as connection:
        connection.register("given", arrow(columns))
        connection.execute("CREATE SCHEMA s; CREATE TABLE s.t AS SELECT * FROM given")
    return open_table(folder / "t.duckdb", "s.t")


def sqlite_file(columns: Columns, folder: Path) -> Table:
    pytest.importorskip("sqlalchemy")
    path = folder / "t.sqlite"
    path.unlink(missing_ok=True)
    connection = sqlite3.connect(path)
    connection.execute(
        "CREATE TABLE t (text TEXT COLLATE NOCASE, number REAL, whole INTEGER, "
        "exact TEXT, flag INTEGER, late TEXT COLLATE RTRIM)"
    )
    rows = zip(*columns.values(), strict=True)
    plain = [[str(v) if isinstance(v, Decimal) else v for v in row] for row in rows]
    connection.executemany("INSERT INTO t VALUES (?, ?, ?, ?, ?, ?)", plain)
    connection.commit()
    connection.close()
    return open_table(path, "t")


def dask_frame(columns: Columns, folder: Path) -> Table:
    pytest.importorskip("dask.dataframe")
    import dask.dataframe as dd

    types = {"text": "string", "number": "float64", "whole": "Int64", "flag": "boolean"}
    frame = pd.DataFrame({n: pd.array(list(columns[n]), dtype=t) for n, t in types.items()})
    exact = pd.array(list(columns["exact"]), dtype=pd.ArrowDtype(pa.decimal128(10, 2)))
    late = pd.array(list(columns["late"]), dtype="string")
    return open_table(dd.from_pandas(frame.assign(exact=exact, late=late), npartitions=3))


def parquet_folder(columns: Columns, folder: Path) -> Table:
    table = arrow(columns)
    for i, start in enumerate(range(0, len(table), 50)):
        part = folder / "parts" / f"day={i}"
        part.mkdir(parents=True, exist_ok=True)
        parquet.write_table(table[start : start + 50], part / "part.parquet")
    (folder / "parts" / "_SUCCESS").touch()
    return open_table(folder / "parts")


def parquet_store(columns: Columns, folder: Path) -> Table:
    parquet_folder(columns, folder)
    return open_table(f"file://{folder}/parts")


ENGINES: list[Callable[[Columns, Path], Table]] = [
    polars_lazy,
    polars_scan,
    duckdb_relation,
    duckdb_file,
    sqlite_file,
    dask_frame,
    parquet_folder,
    parquet_store,
]
