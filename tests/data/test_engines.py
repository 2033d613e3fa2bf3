"""What an engine counts is what a reading of one record after the other finds."""

from __future__ import annotations

import os
import random
import sqlite3
from collections import Counter
from collections.abc import Callable
from decimal import Decimal
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pytest
from engines import DOMAINS, ENGINES, LABELS, LATE, arrow, by_records, nasty
from pyarrow import parquet
from sources import Columns, examples, plain

import littlestone
from littlestone.base.errors import DeclarationError, TableError
from littlestone.data import Label, Table, open_table, read_mapped, read_sample
from littlestone.data.lazy_frames import engine_errors
from littlestone.data.opening import dataset_name
from littlestone.data.reading import Reservoir
from littlestone.points import Domain, Grid, Integers, Names, Product, Reals, Strings
from littlestone.points.units import Unit

Engine = Callable[[Columns, Path], Table]
COLUMNS = nasty()


def counts(table: Table, domain: Domain[Any], label: Label) -> dict[Any, list[int]]:
    sample = read_sample(table, domain, label)
    return dict(zip(sample.points, sample.counts.tolist(), strict=True))


@pytest.mark.filterwarnings("ignore::littlestone.base.errors.NotPrivateWarning")
@pytest.mark.parametrize("engine", ENGINES, ids=lambda engine: engine.__name__)
def test_a_table_of_nasty_values_gives_one_sample_and_one_release(
    engine: Engine, tmp_path: Path
) -> None:
    table = engine(COLUMNS, tmp_path)
    for domain in DOMAINS:
        if engine.__name__ == "sqlite_file" and domain == Strings("flag"):
            continue  # SQLite has no truth values, and keeps 1 and 0
        assert counts(table, domain, LATE) == by_records(COLUMNS, domain, LATE), domain
    for label in LABELS:
        assert counts(table, Strings("text"), label) == by_records(COLUMNS, Strings("text"), label)
    memory = open_table(arrow(COLUMNS))
    for hypotheses in ("points(text)", "rules(text, exact; at most 2)"):
        rules = {
            str(
                littlestone.fit(
                    source, "late", positive="yes", hypotheses=hypotheses, epsilon=0.1,
                    delta="1e-3", ledger=littlestone.Ledger(), dataset="d", simulation_seed=5,
                ).hypothesis
            )
            for source in (memory, table)
        }  # fmt: skip
        assert len(rules) == 1


@pytest.mark.parametrize("engine", ENGINES, ids=lambda engine: engine.__name__)
def test_units_read_records_one_by_one(engine: Engine, tmp_path: Path) -> None:
    table, domain = engine(COLUMNS, tmp_path), Product((Strings("text"), Integers("whole")))
    keep = Reservoir(Unit("late", 1000), random.Random(0))
    sample = read_sample(table, domain, LATE, keep=keep)
    assert sample.units == 5
    found = {x: c for x, c in zip(sample.points, sample.counts.tolist(), strict=True) if any(c)}
    assert found == by_records(COLUMNS, domain, LATE)


@pytest.mark.parametrize("engine", ENGINES, ids=lambda engine: engine.__name__)
def test_a_changed_record_moves_one_example(engine: Engine, tmp_path: Path) -> None:
    columns = nasty(30, seed=1)
    other = {name: list(values) for name, values in columns.items()}
    other["text"][2], other["number"][2] = "Ä", -0.0
    domain = Product((Strings("text"), Reals("number")))
    one, two = (tmp_path / name for name in "ab")
    one.mkdir()
    two.mkdir()
    before = examples(read_sample(engine(columns, one), domain, LATE))
    after = examples(read_sample(engine(other, two), domain, LATE))
    assert ((before - after).total(), (after - before).total()) == (1, 1)


@pytest.mark.parametrize("engine", ENGINES[:-2], ids=lambda engine: engine.__name__)
def test_an_empty_table_is_refused_as_a_whole(engine: Engine, tmp_path: Path) -> None:
    empty: Columns = {name: [] for name in COLUMNS}
    with pytest.raises(TableError, match="it has no rows"):
        read_sample(engine(empty, tmp_path), Strings("text"), LATE)


MERGED: list[tuple[Any, Any]] = [
    (0.0, -0.0),
    (np.float32(0.0), np.float32(-0.0)),
    (float("nan"), -float("nan")),
    (float("nan"), None),
]


@pytest.mark.parametrize(("one", "other"), MERGED, ids=str)
def test_numbers_that_engines_merge_are_one_point_and_one_label(one: Any, other: Any) -> None:
    names = ("?", "0", "-0", "0.0", "-0.0", "nan")
    domains: list[Domain[Any]] = [
        Grid(-5, 5), Grid(-5, 5, "x", Decimal("0.1")), Integers(), Reals(), Strings(), Names(names),
    ]  # fmt: skip
    labels = [
        Label.parse("y", c) for c in ("> 0", ">= 0", "== 0", "== -0.0", "!= 0", "nan", "<= 0")
    ]
    labels.append(Label.parse("y", labels=["?", "0", "nan"]))
    functions: list[Callable[[Any], Any]] = [*(domain.encode for domain in domains), *labels]
    for function in functions:
        assert function(one) == function(other)


# What breaks "one record is one example" in engines, and that it does not here.


def naive(rows: list[tuple[Any, int]]) -> Counter[Any]:
    """The examples that a group-by of the engine itself gives, by whichever value it shows."""
    return Counter(dict(rows))


def moved(before: Counter[Any], after: Counter[Any]) -> int:
    return max((before - after).total(), (after - before).total())


def test_a_collation_of_duckdb_that_ignores_case() -> None:
    duckdb = pytest.importorskip("duckdb")
    found = []
    for first in ("a", "b"):
        connection = duckdb.connect()
        connection.execute("CREATE TABLE t (x VARCHAR COLLATE NOCASE, y INTEGER)")
        connection.execute(f"INSERT INTO t VALUES ('{first}', 1), ('A', 1), ('A', 1)")
        engine = naive(connection.execute("SELECT x, count(*) FROM t GROUP BY x").fetchall())
        table = open_table(connection.table("t"))
        found.append((engine, examples(read_sample(table, Strings("x"), Label.parse("y", 1)))))
    (naive_before, before), (naive_after, after) = found
    assert (moved(naive_before, naive_after), moved(before, after)) == (3, 1)


def test_values_of_sqlite_that_are_equal_and_of_different_types(tmp_path: Path) -> None:
    pytest.importorskip("sqlalchemy")
    found = []
    for i, first in enumerate((1.5, 2)):
        connection = sqlite3.connect(tmp_path / f"{i}.db")
        connection.execute("CREATE TABLE t (x COLLATE NOCASE, y)")
        rows = [(first, 1), (2.0, 1), (2, 1), (b"a", 1), ("a", 1), ("A", 1), ("A", 1)]
        connection.executemany("INSERT INTO t VALUES (?, ?)", rows)
        connection.commit()
        engine = naive(connection.execute("SELECT x, count(*) FROM t GROUP BY x").fetchall())
        assert len(engine) == 4 - i
        table = open_table(tmp_path / f"{i}.db", "t")
        # Both texts of the last column are kept, and so is which of the numbers has a point.
        kinds = [type(v) for g in table.groups(["x"]) for v in g.columns[0].values]
        assert Counter(kinds) == Counter({int: 1, float: 2 - i, bytes: 1, str: 2})
        found.append(examples(read_sample(table, Strings("x"), Label.parse("y", 1))))
    assert moved(*found) == 1


def test_texts_of_sqlite_that_are_no_utf8(tmp_path: Path) -> None:
    pytest.importorskip("sqlalchemy")
    connection = sqlite3.connect(tmp_path / "t.db")
    connection.execute("CREATE TABLE t (x TEXT, y)")
    connection.execute(
        "INSERT INTO t VALUES (CAST(x'ff41' AS TEXT), 1), ('a' || char(0) || 'b', 1)"
    )
    connection.commit()
    with pytest.raises(sqlite3.OperationalError):  # and it quotes the text
        connection.execute("SELECT x FROM t").fetchall()
    sample = read_sample(open_table(tmp_path / "t.db", "t"), Strings("x"), Label.parse("y", 1))
    assert plain(sample) == {"\ufffdA": (0, 1), "a\0b": (0, 1)}


@pytest.mark.parametrize("engine", ["polars", "duckdb"])
def test_an_engine_that_fails_at_a_text_says_nothing_of_it(engine: str, tmp_path: Path) -> None:
    raw = [b"ok", b"SECRET\xff"]
    x = pa.Array.from_buffers(pa.string(), 2, pa.array(raw, pa.binary()).buffers())
    path = tmp_path / "t.parquet"
    parquet.write_table(pa.table({"x": x, "y": [1, 1]}), path)
    own = plain(read_sample(open_table(path), Strings("x"), Label.parse("y", 1)))
    assert own == {"ok": (0, 1), "SECRET\ufffd": (0, 1)}
    if engine == "polars":
        table = open_table(pl.scan_parquet(path).with_columns(pl.col("y").cast(pl.Int8)))
        with pytest.raises(TableError, match="polars could not compute it") as error:
            read_sample(table, Strings("x"), Label.parse("y", 1))
        assert error.value.__cause__ is error.value.__context__ is None
        assert "SECRET" not in str(error.value)
        return
    duckdb = pytest.importorskip("duckdb")
    with pytest.raises(TableError, match="a view or a query of DuckDB"):
        open_table(duckdb.sql(f"SELECT * FROM '{path}'"))


DAMAGE = {
    "t.db": "it is encrypted, or not a SQLite database",
    "t.parquet": "the file is damaged",
    "t.csv.gz": "the file is damaged or not of the kind its name says",
    "t.xlsx": "it is damaged, has a password or is not an Excel workbook",
}


@pytest.mark.parametrize("name", DAMAGE)
def test_nothing_is_kept_of_an_error_of_another_package(name: str, tmp_path: Path) -> None:
    """A debugger would show the context that ``raise ... from None`` leaves, with its words."""
    path, given = tmp_path / name, ("t",) if name == "t.db" else ()
    frame = pd.DataFrame({"x": ["a"], "y": [1]})
    if name == "t.db":
        pytest.importorskip("sqlalchemy")
        with sqlite3.connect(path) as connection:
            frame.to_sql("t", connection)
    elif name == "t.xlsx":
        pytest.importorskip("openpyxl")
        frame.to_excel(path)
    elif name == "t.parquet":
        frame.to_parquet(path)
    else:
        frame.to_csv(path)
    table = open_table(path, *given)
    whole, damaged = path.read_bytes(), b"SECRET" * 1000
    if name == "t.parquet":
        path.write_bytes(damaged)
        with pytest.raises(TableError, match="it is not a Parquet file") as error:
            open_table(path)
        assert error.value.__cause__ is error.value.__context__ is None
        end = len(whole) - 8 - int.from_bytes(whole[-8:-4], "little")  # of the pages
        path.write_bytes(damaged[:end] + whole[end:])
    else:
        path.write_bytes(whole[:40] + damaged if name == "t.csv.gz" else damaged)
    with pytest.raises(TableError) as error:
        read_sample(table, Strings("x"), Label.parse("y", 1))
    assert error.value.found == DAMAGE[name]
    assert error.value.__cause__ is error.value.__context__ is None


def test_a_damaged_page_of_a_database_is_not_quoted(tmp_path: Path) -> None:
    pytest.importorskip("sqlalchemy")
    path = tmp_path / "t.db"
    with sqlite3.connect(path) as connection:
        pd.DataFrame({"x": ["a"], "y": [1]}).to_sql("t", connection)
    table, whole = open_table(path, "t"), path.read_bytes()
    path.write_bytes(whole[:4096] + b"SECRET" * (len(whole) // 6))
    with pytest.raises(TableError) as error:
        read_sample(table, Strings("x"), Label.parse("y", 1))
    assert error.value.found == "SQLite stopped with an error SQLITE_CORRUPT"


def test_a_panic_of_an_engine_is_replaced() -> None:
    class Panic(BaseException):
        """What a library in Rust raises."""

    with pytest.raises(TableError), engine_errors("polars", "the data frame"):
        raise Panic("SECRET")


@pytest.mark.parametrize("kind", [KeyboardInterrupt, SystemExit, GeneratorExit])
def test_what_ends_the_program_is_no_error_of_an_engine(kind: type[BaseException]) -> None:
    with pytest.raises(kind), engine_errors("polars", "the data frame"):
        raise kind


def test_whole_numbers_of_dask_beside_a_missing_one() -> None:
    pytest.importorskip("dask.dataframe")
    import dask.dataframe as dd

    odd = 2**53 + 1

    def part(last: int | None) -> pd.DataFrame:
        return pd.DataFrame({"id": [odd, last], "y": [1, 1]})

    meta = part(0)
    read = []
    for last in (0, None):
        frame = dd.from_map(part, [0, last], meta=meta, enforce_metadata=False)
        values = [v for p in frame.to_delayed() for v in p.compute()["id"].tolist()]
        read.append(values.count(odd))
        with pytest.raises(TableError, match="Dask rounds such numbers beside a missing value"):
            read_sample(open_table(frame), Integers("id"), Label.parse("y", 1))
    assert read == [2, 1]  # one missing value changed another record


def test_small_whole_numbers_and_categories_of_dask() -> None:
    pytest.importorskip("dask.dataframe")
    import dask.dataframe as dd

    frame = pd.DataFrame({"id": np.array([1, 2, 2], np.int32), "y": ["a", "b", "b"]})
    table = open_table(dd.from_pandas(frame.astype({"y": "category"}), npartitions=2))
    sample = read_sample(table, Integers("id"), Label.parse("y", "b"))
    assert plain(sample) == {1: (1, 0), 2: (0, 2)}
    rule: list[int] = list(read_mapped(table, Integers("id"), list))
    assert rule == [1, 2, 2]


def test_views_and_joins_are_refused(tmp_path: Path) -> None:
    pytest.importorskip("sqlalchemy")
    duckdb = pytest.importorskip("duckdb")
    lite = sqlite3.connect(tmp_path / "t.db")
    duck = duckdb.connect(str(tmp_path / "t.duckdb"))
    joined = "SELECT t.x, t.y FROM t JOIN k ON t.x = k.x"
    for connection in (lite, duck):
        connection.execute("CREATE TABLE t (x INTEGER, y INTEGER)")
        connection.execute("CREATE TABLE k (x INTEGER)")
        connection.execute("INSERT INTO t VALUES (1, 1), (2, 1)")
        connection.execute("INSERT INTO k VALUES (1), (1), (1)")
        connection.execute(f"CREATE VIEW v AS {joined}")
        # One record of t is three rows.
        assert connection.execute("SELECT x, count(*) FROM v GROUP BY x").fetchall() == [(1, 3)]
    for relation in (duck.table("v"), duck.sql(joined), duck.table("t").filter("x > 0")):
        with pytest.raises(TableError, match="a view or a query"):
            open_table(relation)
    lite.commit()
    lite.execute("CREATE VIRTUAL TABLE w USING fts5(x)")
    lite.commit()
    duck.close()
    for name in ("t.db", "t.duckdb"):
        with pytest.raises(TableError, match="it is a view"):
            open_table(tmp_path / name, "v")
        assert open_table(tmp_path / name, "t").columns == ("x", "y")
    with pytest.raises(TableError, match="it is a virtual table"):
        open_table(tmp_path / "t.db", "w")


def test_macros_of_duckdb_do_not_read_other_records(tmp_path: Path) -> None:
    """A macro that a file holds would take the place of a function that reads a record."""
    duckdb = pytest.importorskip("duckdb")
    path = tmp_path / "t.duckdb"
    with duckdb.connect(str(path)) as connection:
        connection.execute("CREATE TABLE t AS SELECT * FROM (VALUES ('a', 1), ('b', 1)) AS v(x, y)")
        connection.execute("CREATE MACRO encode(a) AS (SELECT max(x) FROM t)::blob")
        connection.execute("CREATE MACRO count_star() AS 7")
        connection.execute("CREATE MACRO list(a) AS [0, 0]")
        # Both records are read as the second.
        assert connection.sql("SELECT DISTINCT encode(x) FROM t").fetchall() == [(b"b",)]
        with pytest.raises(TableError, match="a macro with the name of a DuckDB function"):
            open_table(connection.table("t"))
    sample = read_sample(open_table(path, "t"), Strings("x"), Label.parse("y", 1))
    assert plain(sample) == {"a": (0, 1), "b": (0, 1)}


def test_columns_that_sqlite_computes_are_refused(tmp_path: Path) -> None:
    """A record would make the statement fail."""
    pytest.importorskip("sqlalchemy")
    with sqlite3.connect(tmp_path / "t.db") as connection:
        connection.execute("CREATE TABLE t (z, y)")
        connection.execute("INSERT INTO t VALUES ('no JSON', 1)")
        connection.execute("ALTER TABLE t ADD COLUMN x AS (json_extract(z, '$.a'))")
        with pytest.raises(sqlite3.OperationalError):
            connection.execute("SELECT x FROM t").fetchall()
    table = open_table(tmp_path / "t.db", "t")
    with pytest.raises(TableError, match="computed when it is read"):
        table.require("x")
    table.require("z")


def test_columns_that_duckdb_computes_are_refused() -> None:
    """DuckDB checks them when a record is inserted, and not when it is changed."""
    duckdb = pytest.importorskip(
        "duckdb", minversion="2.0", reason="it does not say which they are"
    )
    connection = duckdb.connect()
    connection.execute("CREATE SCHEMA s")
    connection.execute(
        'CREATE TABLE s."it\'s" (z VARCHAR, x INTEGER AS (CAST(z AS INTEGER)), y INTEGER)'
    )
    table = connection.table('s."it\'s"')
    connection.execute("INSERT INTO s.\"it's\" (z, y) VALUES ('1', 1)")
    connection.execute("UPDATE s.\"it's\" SET z = 'no number'")
    with pytest.raises(duckdb.ConversionException):
        connection.execute('SELECT x FROM s."it\'s"').fetchall()
    with pytest.raises(TableError, match="computed when it is read"):
        open_table(table).require("x")
    assert plain(read_sample(open_table(table), Strings("z"), Label.parse("y", 1))) == {
        "no number": (0, 1)
    }


def test_a_temporary_macro_of_duckdb_is_refused() -> None:
    duckdb = pytest.importorskip("duckdb")
    connection = duckdb.connect()
    connection.execute("CREATE TABLE t (x VARCHAR, y INTEGER)")
    connection.execute("CREATE TEMP MACRO list(a) AS [0, 0]")
    with pytest.raises(TableError, match="a macro with the name of a DuckDB function"):
        open_table(connection.table("t"))


def test_times_are_refused_by_their_type() -> None:
    duckdb = pytest.importorskip("duckdb")
    connection = duckdb.connect()
    connection.execute("CREATE TABLE t (moment TIMESTAMPTZ, tags VARCHAR[], y INTEGER)")
    lazy = pl.LazyFrame(
        {"moment": [], "tags": [], "y": []},
        schema={"moment": pl.Datetime("us", "UTC"), "tags": pl.List(pl.String), "y": pl.Int64},
    )
    for source in (connection.table("t"), lazy):
        for column in ("moment", "tags"):
            with pytest.raises(TableError, match="its declared type is"):
                read_sample(open_table(source), Strings(column), Label.parse("y", 1))
    objects = open_table(pl.LazyFrame({"o": pl.Series([object()], dtype=pl.Object), "y": [1]}))
    with pytest.raises(TableError, match="null"):
        read_sample(objects, Strings("o"), Label.parse("y", 1))


def test_a_lazy_frame_is_computed_once() -> None:
    """Twice, it could be that of two states of the data."""
    runs = []

    def changing(frame: pl.DataFrame) -> pl.DataFrame:
        runs.append(1)
        return frame.with_columns(x=pl.lit(len(runs)))

    lazy = pl.LazyFrame({"x": [0, 0], "y": [1, 0]}).map_batches(
        changing, schema={"x": pl.Int32, "y": pl.Int64}
    )
    assert plain(read_sample(open_table(lazy), Integers("x"), Label.parse("y", 1))) == {1: (1, 1)}
    assert len(runs) == 1


def test_a_statement_of_sqlite_sees_one_state(tmp_path: Path) -> None:
    pytest.importorskip("sqlalchemy")
    path = tmp_path / "t.db"
    writer = sqlite3.connect(path)
    writer.execute("PRAGMA journal_mode = WAL")
    writer.execute("CREATE TABLE t (x, y)")
    writer.executemany("INSERT INTO t VALUES (?, 1)", [(i,) for i in range(40_000)])
    writer.commit()
    groups = open_table(path, "t").groups(["x", "y"])
    n = int(next(groups).counts.sum())
    writer.execute("UPDATE t SET x = -1")
    writer.commit()
    rest = [value for group in groups for value in group.columns[0].values]
    assert n + len(rest) == 40_000
    assert -1 not in rest
    writer.close()


def test_columns_in_the_names_of_folders(tmp_path: Path) -> None:
    """Their values are texts, whatever other folders are called."""
    for name, rows in (("07", 2), ("__HIVE_DEFAULT_PARTITION__", 1), ("a%2Fb", 3)):
        part = tmp_path / f"code={name}" / "late=yes"
        part.mkdir(parents=True)
        parquet.write_table(pa.table({"t": [[1]] * rows, "x": [1] * rows}), part / "p.parquet")
        (part / ".hidden.parquet").write_text("no Parquet")
    table = open_table(tmp_path)
    late = Label.parse("late", "yes")
    assert table.columns == ("t", "x", "code", "late")
    assert plain(read_sample(table, Strings("code"), late)) == {
        "07": (0, 2),
        "": (0, 1),
        "a/b": (0, 3),
    }
    assert plain(read_sample(table, Integers("code"), late)) == {7: (0, 2), 0: (0, 4)}
    other = tmp_path / "code=1" / "late=no"
    other.mkdir(parents=True)
    parquet.write_table(pa.table({"t": [[1]], "x": ["text"]}), other / "p.parquet")
    with pytest.raises(TableError, match="do not all have the same columns") as error:
        open_table(tmp_path)
    assert "late=no" not in str(error.value)
    nested = tmp_path / "nested" / "code=1" / "late=no"
    nested.mkdir(parents=True)
    parquet.write_table(pa.table({"t": [[1]]}), nested / "p.parquet")
    with pytest.raises(TableError, match="no column of numbers or texts"):
        read_sample(open_table(tmp_path / "nested"), Strings("code"), late)


def test_a_file_counts_once(tmp_path: Path) -> None:
    for link in ("hard", "soft", "folder"):
        folder = tmp_path / link
        folder.mkdir()
        (folder / "a.csv").write_text("x,y\nu,1\n", encoding="utf-8")
        for source in (folder, f"{folder}/**/**/*.csv"):
            assert read_sample(open_table(source), Strings("x"), Label.parse("y", 1)).n == 1
        if link == "hard":
            os.link(folder / "a.csv", folder / "b.csv")
        else:
            target = folder / "a.csv" if link == "soft" else folder
            (folder / ("b.csv" if link == "soft" else "again")).symlink_to(target)
        with pytest.raises(TableError, match="names lead to 1 files"):
            open_table(folder)


def test_files_that_change_are_refused(tmp_path: Path) -> None:
    for name in "ab":
        (tmp_path / f"{name}.csv").write_text("x,y\nu,1\n", encoding="utf-8")
    table = open_table(tmp_path)
    (tmp_path / "b.csv").write_text("z,y\nu,1\n", encoding="utf-8")
    with pytest.raises(TableError, match="do not all have the same columns"):
        read_sample(table, Strings("x"), Label.parse("y", 1))
    (tmp_path / "b.csv").write_text("x,x,y\nu,v,1\n", encoding="utf-8")
    with pytest.raises(TableError, match="do not all have the same columns"):
        open_table(tmp_path)


# Which data set it is.


def test_only_a_file_of_one_table_has_a_name(tmp_path: Path) -> None:
    parquet.write_table(arrow(COLUMNS), tmp_path / "a.parquet")
    sqlite3.connect(tmp_path / "t.db").execute("CREATE TABLE t (x, y)").connection.close()
    lazy = pl.LazyFrame({"text": ["a"], "late": ["yes"]})
    sources = [tmp_path, f"{tmp_path}/*.parquet", f"file://{tmp_path}", "postgresql://h/d", lazy]
    for source in [*sources, tmp_path / "t.db", f"sqlite:///{tmp_path}/t.db"]:
        with pytest.raises(DeclarationError, match="dataset is missing") as error:
            littlestone.fit(
                source, "late", positive="yes", hypotheses="points(text)", epsilon=1, delta="1e-3",
                ledger=littlestone.Ledger(),
            )  # fmt: skip
        assert "dataset" in error.value.fix


def test_an_address_is_no_name() -> None:
    with pytest.raises(DeclarationError, match="an address as the name") as error:
        dataset_name("postgresql://ada:SECRET@here/visits")
    assert "SECRET" not in str(error.value)
