"""Exported rules predict what `predict` does, on a table of nasty values; else they are refused."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from typing import Any

import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pytest
from nasty import (
    RECORDS,
    TABLE,
    TYPES,
    UNSURE,
    assigned,
    created,
    predicted,
    rows,
    selected,
    sqlite,
    told,
)
from walked import by_hand, walked

from littlestone.data import open_table, read_mapped
from littlestone.domains import Grid, Strings
from littlestone.errors import DeclarationError, LittlestoneError, OutputError, TooLargeError
from littlestone.hypotheses import FiniteSet, Hypothesis, StepFunction
from servers import Server

pytestmark = pytest.mark.slow

Rule = Hypothesis[Any]
Table = Mapping[str, Sequence[Any]]
Labels = Callable[[Rule, Mapping[str, str], Mapping[str, str]], list[Any]]
"""The labels of all records, by the rule on the columns with these names, and of these types."""

LOOSE = "CREATE COLLATION loose (provider = icu, locale = 'und-u-ks-level1', deterministic = false)"


class Engine:
    """A database with the table ``t`` of nasty values."""

    def __init__(self, dialect: str, rows_of: Callable[[str], list[Any]]) -> None:
        self.dialect, self.rows_of = dialect, rows_of

    def __call__(self, h: Rule, names: Mapping[str, str], types: Mapping[str, str]) -> list[Any]:
        sql = h.to_sql(self.dialect, types=types)
        return [value for (value,) in self.rows_of(selected([sql], names))]


def sqlite_engine() -> Engine:
    connection = sqlite()
    return Engine("sqlite", lambda query: connection.execute(query).fetchall())


def duckdb_engine() -> Engine:
    duckdb = pytest.importorskip("duckdb", reason="duckdb is not installed: make engines")
    connection = duckdb.connect()
    connection.execute(created("duckdb"))
    marks = ", ".join("?" * (len(TABLE) + 1))
    connection.executemany(f"INSERT INTO t VALUES ({marks})", rows())
    return Engine("duckdb", lambda query: list(connection.execute(query).fetchall()))


def postgres_engine(server: Server) -> Engine:
    import psycopg

    connection = psycopg.connect(server.database(), autocommit=True)
    connection.execute(LOOSE)
    connection.execute(created("postgres").encode())
    marks = ", ".join(["%s"] * (len(TABLE) + 1))
    connection.cursor().executemany(f"INSERT INTO t VALUES ({marks})".encode(), rows())
    return Engine("postgres", lambda query: connection.execute(query.encode()).fetchall())


def by_polars(h: Rule, names: Mapping[str, str], types: Mapping[str, str]) -> list[Any]:
    frame = FRAME.select(pl.col(held).alias(name) for name, held in names.items())
    labels: list[Any] = frame.with_columns(label=h.to_polars(types=types))["label"].to_list()
    return labels


def by_pandas(h: Rule, names: Mapping[str, str], types: Mapping[str, str]) -> list[Any]:
    frame = pd.DataFrame({name: PANDAS[held] for name, held in names.items()})
    found: list[Any] = [None] * RECORDS
    for y in range(h.labels):
        for i in frame.query(h.to_pandas_query(y, types=types), engine="python").index:
            assert found[i] is None, "a record has two labels"
            found[i] = y
    return found


def arrow_column(name: str) -> pa.Array:
    kinds = {
        "text": pa.string(), "integer": pa.int64(), "decimal": pa.decimal128(12, 2),
        "double": pa.float64(), "real": pa.float32(), "boolean": pa.bool_(),
    }  # fmt: skip
    return pa.array(TABLE[name], kinds[name.split("_")[0]])


FRAME: Any = pl.from_arrow(pa.table({name: arrow_column(name) for name in TABLE}))
NUMPY = {"text": "str", "integer": "Int64", "decimal": "object", "real": "float32"}
PANDAS = {
    name: pd.array(
        [np.nan if v is None and name.startswith(("double", "real")) else v for v in values],
        dtype={**NUMPY, "double": "float64", "boolean": "boolean"}[name.split("_")[0]],
    )
    for name, values in TABLE.items()
}


@pytest.fixture(scope="module", params=["sqlite", "duckdb", "postgres", "polars", "pandas"])
def engine(request: pytest.FixtureRequest) -> Any:
    if request.param in ("polars", "pandas"):
        return {"polars": by_polars, "pandas": by_pandas}[request.param]
    pytest.importorskip("sqlglot", reason="sqlglot is not installed: pip install '.[sql]'")
    if request.param == "postgres":
        return postgres_engine(request.getfixturevalue("running_server"))
    return {"sqlite": sqlite_engine, "duckdb": duckdb_engine}[request.param]()


def columns_of(engine: Any) -> Table:
    """The records, as the engine stores them: SQLite has no truth values and no decimals."""
    if getattr(engine, "dialect", "") != "sqlite":
        return TABLE
    names = ", ".join(TABLE)
    stored = engine.rows_of(f"SELECT {names} FROM t ORDER BY place")
    return dict(zip(TABLE, zip(*stored, strict=True), strict=True))


def exported() -> Iterator[tuple[int, Rule]]:
    """The functions that have a form, numbered."""
    for number, h in enumerate(h for some in walked().values() for h in some):
        if not refusal(h):
            yield number, h


def refusal(h: Rule) -> str:
    """Why the function has no form as conditions, or nothing."""
    try:
        h._exported({})
    except LittlestoneError as error:
        return error.found
    return ""


def faults(engine: Any, functions: Iterator[tuple[int, Rule]], kinds: int = 2) -> list[str]:
    """Where the engine and `predict` differ; each function is tried with columns of some types."""
    columns, found = columns_of(engine), list[str]()
    for number, h in functions:
        for kind in {TYPES[(number + 3 * i) % 6] for i in range(kinds)}:
            names = assigned(h, kind)
            try:
                given = engine(h, names, told(h, kind))
            except DeclarationError as error:
                assert any(part in str(error) for part in REFUSED), error
                continue
            expected = predicted(h, names, columns)
            for i, (label, y) in enumerate(zip(given, expected, strict=True)):
                cells = [columns[held][i] for held in names.values()]
                unsure = kind == "text" and any(cell in UNSURE for cell in cells)
                if label != y and not (label is None and unsure):
                    found.append(f"{h.words()} of {kind}: {cells} is {y}, and here {label}")
    return found


REFUSED = ("the rule asks for its numbers", "compares decimals", "cannot quote", "has over 15 digits")
"""What frames have no form for: numbers in texts, decimals of pandas, and long constants."""


def test_a_function_of_each_class_predicts_the_same_everywhere(engine: Any) -> None:
    assert faults(engine, exported()) == []


def test_functions_with_edges_predict_the_same_on_columns_of_all_types(engine: Any) -> None:
    some = (pair for pair in enumerate(by_hand()) if not refusal(pair[1]))
    assert faults(engine, some, 6) == []


def test_each_class_is_exported_or_refused_with_a_reason() -> None:
    outcomes = {name: {refusal(h) for h in some} for name, some in walked().items()}
    no_form = "functions of its kind are no conditions on columns, and it has "
    assert outcomes.pop("BucketTable") == {f"{no_form}endless points, above 4,096"}
    for name, found in outcomes.items():
        assert "" in found, f"{name} is never exported"
        assert all(not why or why.startswith(no_form) for why in found), name
