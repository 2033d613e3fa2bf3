"""Exported rules about days predict what `predict` does, for dates, times and texts."""

from __future__ import annotations

import random
import sqlite3
from collections.abc import Callable, Iterator
from datetime import date, datetime
from pathlib import Path
from typing import Any

import polars as pl
import pytest

import littlestone
from littlestone.base.errors import DeclarationError
from littlestone.learn.declared.schema import Schema
from littlestone.points import Dates, Disjoint, Product, Strings
from littlestone.rules import ColumnTest, DecisionTree, FiniteSet, Hypothesis
from littlestone.rules.languages import constants, sql_dialect
from littlestone.rules.nodes import Split
from servers import Server

pytest.importorskip("sqlglot", reason="sqlglot is not installed: pip install '.[sql]'")

DAYS = Dates(("2020-02-29", "2021-03-01", "2021-07-01"), "d")
EITHER = Disjoint((DAYS, Strings("w")))


def test_(*cells: str) -> Hypothesis[Any]:
    return DecisionTree(Product((DAYS,)), Split(ColumnTest(0, frozenset(cells)), 1, 0))


test_.__test__ = False  # type: ignore[attr-defined]
RULES = [
    test_("2021-07-01"), test_("2020-02-29"), test_("2021-03-01"), test_(""),
    test_("", "2021-03-01"), test_("2020-02-29", "2021-03-01", "2021-07-01"),
    FiniteSet(EITHER, frozenset([(0, "2021-03-01"), (1, "x")])),
]  # fmt: skip

TYPED: list[Any] = [
    None, date(1, 1, 1), date(2020, 2, 28), date(2020, 2, 29), date(2021, 2, 28), date(2021, 3, 1),
    date(2021, 6, 30), date(2021, 7, 1), date(9999, 12, 31), date(1969, 12, 31),
]  # fmt: skip
TIMES: list[Any] = [
    *(None if d is None else datetime(d.year, d.month, d.day) for d in TYPED),
    *(None if d is None else datetime(d.year, d.month, d.day, 23, 59, 59, 999_999) for d in TYPED),
]
OUTSIDE = ["infinity", "-infinity", "10000-01-01"]
TEXTS: list[Any] = [
    None, "", "x", "2021-03-01", " 2021-03-01\t", "2021-03-01T09:30", "2021-03-01 junk", "2021-03-01x",
    "2021-02-29", "2020-02-29", "1900-02-29", "2000-02-29", "2021-02-30", "2021-04-31", "2021-04-30",
    "2021-13-01", "2021-00-10", "2021-10-00", "0000-01-01", "0001-01-01", "9999-12-31", "10000-01-01",
    "2021-3-1", "01.03.2021", "20210301", "\u00a02021-03-01", "2021-03-01\u2003", "\x1c2021-03-01",
    "2021-03-01\n\u3000", "2021-03-01\nx", "2021-03-01\u00a0x", "2021-03-01\u00a0", "-2021-03-01",
    "\u0662021-03-01", "2021-03-01T", "2021-03-01 ", "٢021-03-01", "2021-07-01", "2021-06-30T24:00",
]  # fmt: skip
PARTS = [
    *"0123456789-T \t\n\u00a0\x0b\x85x",
    "2021-",
    "-02-",
    "03-01",
    "29",
    "30",
    "31",
    "2020-02-",
]


def texts() -> list[Any]:
    rng = random.Random(0)
    made = ["".join(rng.choices(PARTS, k=rng.randrange(1, 6))) for _ in range(1000)]
    near = [
        f"{rng.choice((1900, 2000, 2020, 2021)):04}-{rng.randrange(14):02}-{rng.randrange(33):02}"
        + "".join(rng.choices(PARTS, k=rng.randrange(3)))
        for _ in range(1000)
    ]
    return [*TEXTS, *made, *near]


def predicted(h: Hypothesis[Any], days: list[Any]) -> list[int]:
    words = ["x"] if h.domain == EITHER else []
    return [h(h.domain.encode_record((d, *words))) for d in days]


def labels(
    ask: Callable[[str], list[Any]], h: Hypothesis[Any], dialect: str, kind: str
) -> list[Any]:
    sql = h.to_sql(dialect, types={"d": kind})
    rows = ask(
        f"SELECT {sql} FROM (SELECT place, {kind} AS d, 'x' AS w FROM p) AS t ORDER BY place"
    )
    return [label for (label,) in rows]


@pytest.fixture(params=["sqlite", "duckdb", "postgres"])
def database(request: pytest.FixtureRequest) -> Iterator[Any]:
    """The dialect, statements that are run, and questions that are answered."""
    if request.param == "sqlite":
        yield "sqlite", sqlite3.connect(":memory:").execute
    elif request.param == "duckdb":
        duckdb = pytest.importorskip("duckdb", reason="duckdb is not installed: make engines")
        yield "duckdb", duckdb.connect().execute
    else:
        psycopg = pytest.importorskip("psycopg", reason="psycopg is not installed: make engines")
        server: Server = request.getfixturevalue("running_server")
        with psycopg.connect(server.database(), autocommit=True) as connection:
            yield "postgres", connection.execute


def filled(database: Any, name: str, kind: str, values: list[Any]) -> Callable[[str], list[Any]]:
    dialect, run = database
    run(f"CREATE TABLE p (place INTEGER, {name} {kind})")
    mark = "%s" if dialect == "postgres" else "?"
    for start in range(0, len(values), 500):  # in few statements
        rows = list(enumerate(values))[start : start + 500]
        marks = ", ".join([f"({mark}, {mark})"] * len(rows))
        run(f"INSERT INTO p VALUES {marks}", [cell for row in rows for cell in row])
    return lambda query: run(
        query.replace("%", "%%") if dialect == "postgres" else query
    ).fetchall()


def faults(database: Any, values: list[Any], name: str = "text", kind: str = "TEXT") -> list[Any]:
    ask = filled(database, name, kind, values)
    known = [None if isinstance(v, str) and v in OUTSIDE and name == "date" else v for v in values]
    return [
        (h.words(), value, y, label)
        for h in RULES
        for value, y, label in zip(
            values, predicted(h, known), labels(ask, h, database[0], name), strict=True
        )
        if label != y
    ]


def test_texts_that_show_days(database: Any) -> None:
    assert faults(database, texts()) == []


@pytest.mark.parametrize(("kind", "values"), [("DATE", TYPED), ("TIMESTAMP", TIMES)])
def test_dates_and_times(database: Any, kind: str, values: list[Any]) -> None:
    if database[0] == "sqlite":
        with pytest.raises(DeclarationError, match="SQLite has no dates"):
            RULES[0].to_sql("sqlite", types={"d": "date"})
        return
    assert faults(database, [*values, *OUTSIDE], "date", kind) == []


def test_values_of_other_types_in_sqlite() -> None:
    connection = sqlite3.connect(":memory:")
    values = [20210301, 2021.5, b"2021-03-01", "2021-03-01\0", "2021-03-01", 2460000]
    assert faults(("sqlite", connection.execute), values, kind="") == []


def test_days_of_polars() -> None:
    for values, kind in ((TYPED, pl.Date), (TIMES, pl.Datetime("us")), (TIMES, pl.Datetime("ms"))):
        frame = pl.DataFrame({"d": values, "w": ["x"] * len(values)}, schema_overrides={"d": kind})
        for h in RULES:
            found = frame.select(y=h.to_polars(types={"d": "date"}))["y"].to_list()
            assert found == predicted(h, values), h.words()


def test_a_day_is_exported_only_with_the_type_of_its_column() -> None:
    for write in (
        lambda: RULES[0].to_sql("duckdb"),
        RULES[0].to_polars,
        lambda: RULES[0].to_sql("postgres", types={"d": "double"}),
    ):
        with pytest.raises(DeclarationError, match="days of 'd'"):
            write()
    for types in ({}, {"d": "date"}, {"d": "text"}):  # no type leads to one that is refused too
        with pytest.raises(DeclarationError, match="write it for polars or as SQL: --type d=date"):
            RULES[0].to_pandas_query(types=types)
    with pytest.raises(DeclarationError, match="leave out the type"):
        FiniteSet(Strings("s"), frozenset("a")).to_sql("duckdb", types={"s": "date"})


def test_a_release_on_a_column_with_a_format_is_exported_for_declared_dates(tmp_path: Path) -> None:
    schema = Schema.parse(
        'target = "y"\npositive = 1\n[columns.d]\ntype = "date"\nformat = "%d.%m.%Y"\n'
        'range = [2021-01-01, 2021-12-01]\nstep = "1 month"\n[columns.y]\n'
    )
    days = [date(2021, month, 3) for month in range(1, 13)] * 20
    frame = pl.DataFrame({"d": days, "y": [int(d.month >= 7) for d in days]})
    release = littlestone.fit(
        frame, schema=schema, hypotheses="conditions(d; at most 1)", epsilon=5,
        ledger=littlestone.Ledger(), dataset="d",
    )  # fmt: skip
    for kind in ("text", None):
        with pytest.raises(DeclarationError, match="declares how its cells are written") as caught:
            release.to_sql("duckdb", types={"d": kind} if kind else None)
        assert "--to sql for PostgreSQL or DuckDB, and --type d=date" in caught.value.fix
    assert (
        frame.select(release.to_polars(types={"d": "date"})).to_series().to_list()
        == frame["y"].to_list()
    )
    assert "CAST('2021-07-01' AS DATE)" in release.to_sql("duckdb", types={"d": "date"})


def test_a_day_that_means_missing_is_not_exported_as_a_day() -> None:
    """A code of letters is in no column of dates; a day is, and would be compared there."""
    days = [date(2021, month, 3) for month in range(1, 13)] * 20
    frame = pl.DataFrame({"d": days, "y": [int(d.month >= 7) for d in days]})
    column: dict[str, Any] = {"type": "date", "range": ["2021-01-01", "2021-12-01"]}
    column["step"] = "1 month"

    def learn(*missing: str) -> littlestone.Release:
        schema = {
            "target": "y",
            "positive": 1,
            "columns": {"d": {**column, "missing": list(missing)}, "y": {"type": "integer"}},
        }
        return littlestone.fit(
            frame, schema=schema, hypotheses="conditions(d; at most 1)", epsilon=5,
            ledger=littlestone.Ledger(), dataset="d",
        )  # fmt: skip

    assert "CAST('2021-07-01' AS DATE)" in learn("k.A.").to_sql("duckdb", types={"d": "date"})
    release = learn("k.A.", "9999-12-31")
    assert release.predict(pl.DataFrame({"d": [date(9999, 12, 31), date(2021, 8, 1)]})) == [0, 1]
    for kind in ("date", "text"):
        with pytest.raises(DeclarationError, match="declares how its cells are written"):
            release.to_sql("duckdb", types={"d": kind})


DAY = constants.day


def every_day_of_a_month(code: str) -> str:
    return r"^\s*(\d{4}-\d{2}-\d{2})([T ]|\s*$)"


def blanks_of_ascii_alone(code: str) -> str:
    right = DAY(code)
    return right.replace(right[1 : right.index("*(\\d{4}")], r"\s")


def anything_behind(code: str) -> str:
    return DAY(code).split("([T ]")[0]


@pytest.mark.parametrize("wrong", [every_day_of_a_month, blanks_of_ascii_alone, anything_behind])
def test_a_planted_pattern_is_caught(
    wrong: Callable[[str], str], monkeypatch: pytest.MonkeyPatch
) -> None:
    duckdb = pytest.importorskip("duckdb", reason="duckdb is not installed: make engines")
    monkeypatch.setattr(constants, "day", wrong)
    assert faults(("duckdb", duckdb.connect().execute), TEXTS)


def test_a_calendar_without_an_end_is_caught(monkeypatch: pytest.MonkeyPatch) -> None:
    duckdb = pytest.importorskip("duckdb", reason="duckdb is not installed: make engines")
    monkeypatch.setattr(sql_dialect, "AFTER_DAYS", "infinity")
    assert faults(("duckdb", duckdb.connect().execute), [*TYPED, *OUTSIDE], "date", "DATE")


def test_what_is_missing_is_said_for_commands_and_for_python() -> None:
    with pytest.raises(DeclarationError) as caught:
        RULES[0].to_polars()
    assert caught.value.fix == "say it: --type d=date, or in Python types={'d': 'date'}"
