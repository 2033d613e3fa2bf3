"""Labels that are alike may be merged by an engine; the sample is the same."""

from __future__ import annotations

import logging
from collections.abc import Callable
from pathlib import Path
from typing import Any

import polars as pl
import pytest
from engines import ENGINES, by_records, duckdb_file, duckdb_relation, nasty, polars_scan
from sources import Columns, plain

from littlestone.base.errors import TableError
from littlestone.data import Label, Table, databases, open_table, read_sample
from littlestone.data.coding import Alike, code_column
from littlestone.points import Integers, Product, Strings
from servers import Server

Engine = Callable[[Columns, Path], Table]
COLUMNS = nasty()
DOMAIN = Product((Strings("text"), Strings("whole")))
LABELS = [
    Label.parse("text", "!= a"),
    Label.parse("text", labels=["A", "a ", "1", "%s"]),
    Label.parse("number", ">= 0"),
    Label.parse("number", labels=["0", "nan", "inf"]),
    Label.parse("whole", "> 9007199254740992"),
    Label.parse("exact", "<= 1.5"),
    Label.parse("flag", "True"),
    Label.parse("late", "in {yes, no}"),
]


def found(table: Table, label: Label, **options: Any) -> dict[Any, list[int]]:
    sample = read_sample(table, DOMAIN, label, **options)
    return dict(zip(sample.points, sample.counts.tolist(), strict=True))


def shown(table: Table, columns: list[str], label: Label) -> set[str]:
    """The values of the label's column that the engine handed over."""
    groups = table.groups(columns, label)
    return {str(value) for group in groups for value in group.columns[-1].to_list()}


@pytest.mark.parametrize("engine", ENGINES, ids=lambda engine: engine.__name__)
def test_labels_of_nasty_values_are_those_of_the_records(engine: Engine, tmp_path: Path) -> None:
    table = engine(COLUMNS, tmp_path)
    for label in LABELS:
        if engine.__name__ != "sqlite_file" or label.column != "flag":  # SQLite has 1 and 0
            assert found(table, label) == by_records(COLUMNS, DOMAIN, label), label


@pytest.fixture(scope="module")
def server(running_server: Server) -> str:
    pytest.importorskip("sqlalchemy")
    psycopg = pytest.importorskip("psycopg")
    address = running_server.database()
    with psycopg.connect(address) as connection:
        connection.execute(
            'CREATE TABLE t (text text, number double precision, "wh%ole" bigint, exact numeric, '
            "flag boolean, late text, single real)"
        )
        singles = [None if v is None or abs(v) in (5e-324, 1e300) else v for v in COLUMNS["number"]]
        rows = list(zip(*COLUMNS.values(), singles, strict=True))
        connection.cursor().executemany("INSERT INTO t VALUES (%s, %s, %s, %s, %s, %s, %s)", rows)
    return address


def test_labels_of_postgresql(server: str) -> None:
    columns = {**COLUMNS, "wh%ole": COLUMNS["whole"]}
    domain = Product((Strings("text"), Strings("wh%ole")))
    table = open_table(server, "t")
    for label in [*LABELS[:4], Label.parse("wh%ole", "> 0"), *LABELS[5:]]:
        sample = read_sample(table, domain, label)
        counts = dict(zip(sample.points, sample.counts.tolist(), strict=True))
        assert counts == by_records(columns, domain, label), label
    for label, values in (
        (Label.parse("number", "> 0"), {"0.0", "inf"}),
        (Label.parse("single", "> 0.29"), {"0.0", "inf"}),
        (Label.parse("late", "yes"), {"no", "yes"}),
    ):
        groups = shown(table, ["text", label.column], label)
        assert len(groups) == 2
        assert {label(v) for v in groups} == {label(v) for v in values} == {0, 1}


def test_what_postgresql_is_sent_does_not_decide_what_a_record_is(
    running_server: Server, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The table changes between the two statements: the sample is that of the second."""
    pytest.importorskip("sqlalchemy")
    psycopg = pytest.importorskip("psycopg")
    address = running_server.database()
    own = databases.SqlTable._merge_alike

    def run(statement: str) -> None:
        with psycopg.connect(address, autocommit=True) as connection:
            connection.execute(statement)

    def changed(self: Any, *given: Any) -> Any:
        merged = own(self, *given)
        run("UPDATE t SET y = y + 100")
        return merged

    run("CREATE TABLE t (x integer, y integer)")
    run("INSERT INTO t SELECT i % 3, nullif(i, 7) FROM generate_series(0, 199) AS i")
    monkeypatch.setattr(databases.SqlTable, "_merge_alike", changed)
    for added, condition in ((100, "> 150"), (200, "<= 250")):  # either may come first
        label = Label.parse("y", condition)
        expected = {x: [0, 0] for x in range(3)}
        for i in range(200):
            expected[i % 3][label(i + added if i != 7 else None)] += 1
        sample = read_sample(open_table(address, "t"), Integers("x"), label)
        assert {x: list(c) for x, c in plain(sample).items()} == expected


@pytest.mark.parametrize("limit", ["_LISTED", "_CHARACTERS"])
def test_many_values_and_long_ones_are_not_sent(
    limit: str, server: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    label = Label.parse("late", "yes")
    monkeypatch.setattr(databases, limit, 3)
    table = open_table(server, "t")
    assert len(shown(table, ["text", "late"], label)) == len(set(COLUMNS["late"]))
    assert found_late(table) == by_records(COLUMNS, Strings("text"), label)


def found_late(table: Table) -> dict[Any, list[int]]:
    sample = read_sample(table, Strings("text"), Label.parse("late", "yes"))
    return dict(zip(sample.points, sample.counts.tolist(), strict=True))


def test_a_missing_label_that_none_is_like(running_server: Server) -> None:
    """An evaluation tells it from the others, so it is sent for none, and no exception shows it."""
    pytest.importorskip("sqlalchemy")
    psycopg = pytest.importorskip("psycopg")
    address = running_server.database()
    with psycopg.connect(address) as connection:
        connection.execute("CREATE TABLE t (x integer, y integer)")
        connection.execute("INSERT INTO t VALUES (0, NULL), (0, 1), (0, 2), (0, 20)")
    label = Label.parse("y", "> 15")
    sample = read_sample(open_table(address, "t"), Integers("x"), label, refuse_blank=True)
    assert plain(sample) == {0: (3, 1)}


def test_no_log_of_sqlalchemy_shows_a_value(server: str, caplog: pytest.LogCaptureFixture) -> None:
    from sqlalchemy import create_engine
    from sqlalchemy.pool import NullPool

    caplog.set_level(logging.INFO, "sqlalchemy.engine")
    label = Label.parse("late", "no")
    named = server.replace("postgresql:", "postgresql+psycopg:", 1)
    for source in (server, create_engine(named, poolclass=NullPool)):
        values = shown(open_table(source, "t"), ["text", "late"], label)
        assert len(values) == (2 if source == server else 5)
    assert "GROUP BY" in caplog.text
    assert "YES" not in caplog.text


@pytest.mark.parametrize("engine", [polars_scan, duckdb_relation, duckdb_file])
def test_engines_hand_over_one_value_for_all_that_are_alike(
    engine: Engine, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    label = Label.parse("number", "> 0")
    table = engine(COLUMNS, tmp_path)
    assert len(shown(table, ["text", "number"], label)) == 2
    if engine is not polars_scan:
        rows = sum(len(group.counts) for group in table.groups(["flag", "number"], label))
        assert rows == 6
        # In pieces, and as groups if there are many records.
        monkeypatch.setattr("littlestone.data.frames._BATCH", 7)
        sample = read_sample(table, Strings("flag"), label)
        counts = dict(zip(sample.points, sample.counts.tolist(), strict=True))
        assert counts == by_records(COLUMNS, Strings("flag"), label)
        pieces = list(table.groups(["flag", "number"], label))
        assert len(pieces) > 6
        assert sum(int(group.counts.sum()) for group in pieces) == 120
        monkeypatch.setattr("littlestone.data.lazy_frames._LISTED", 3)
        assert len(shown(table, ["text", "number"], label)) > 2
        assert found(table, label) == by_records(COLUMNS, DOMAIN, label)


@pytest.mark.parametrize("engine", [polars_scan, duckdb_relation])
def test_whether_a_value_can_be_read_is_kept(engine: Engine, tmp_path: Path) -> None:
    """An evaluation refuses a column without values, and a missing one has the label 0 too."""
    label = Label.parse("late", "> 0")
    for late, read in (("-1", True), ("no number either", False)):
        folder = tmp_path / late
        folder.mkdir()
        table = engine({**COLUMNS, "late": ["n/a", late] * 60}, folder)
        if read:
            assert found(table, label, refuse_blank=True)
            continue
        with pytest.raises(TableError, match="none of its values can be read"):
            found(table, label, refuse_blank=True)


def test_a_label_that_fails_in_polars_says_nothing() -> None:
    def secret(value: object) -> int:
        raise ValueError(f"SECRET {value}")

    table = open_table(pl.LazyFrame({"x": [1], "y": [2]}))
    with pytest.raises(TableError, match="polars could not compute it") as error:
        list(table.groups(["x", "y"], secret))
    assert "SECRET" not in str(error.value)


def test_numbers_of_one_value_each() -> None:
    alike = Alike(lambda value: value is None)
    assert alike(code_column([1, None, 1.0])).tolist() == [0, 1, 0]
    assert alike(code_column([None])).tolist() == [1]
    assert alike.representatives == [1, None]
