"""`fit` on databases and folders: what is named, what is refused, and that no password is kept."""

from __future__ import annotations

import json
import sqlite3
import sys
from pathlib import Path
from typing import Any

import pytest
from running import TABLE, Ran, entries, fit_arguments, run

from littlestone.base.errors import install_command
from servers import Server


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A folder with one table in files and in a database."""
    monkeypatch.chdir(tmp_path)
    Path("good.csv").write_text(TABLE)
    header, *rows = TABLE.splitlines()
    for i in range(2):
        Path(f"year=202{i}").mkdir()
        Path(f"year=202{i}/part.csv").write_text("\n".join([header, *rows[i::2], ""]))
    connection = sqlite3.connect("good.db")
    connection.execute("CREATE TABLE visits (delay, carrier, late)")
    connection.executemany("INSERT INTO visits VALUES (?, ?, ?)", [r.split(",") for r in rows])
    connection.execute("CREATE VIEW twice AS SELECT a.* FROM visits a, visits b")
    connection.commit()
    connection.close()
    return tmp_path


def rule(ran: Ran) -> str:
    assert ran.status == 0, ran.err
    return str(json.loads(ran.out)["rule"])


def test_one_table_in_files_and_in_a_database(folder: Path) -> None:
    pytest.importorskip("sqlalchemy")
    options: dict[str, Any] = {"epsilon": "0.01", "seed": 4, "json": True}
    named: list[tuple[str, dict[str, Any]]] = [
        ("good.csv", {}),
        ("good.db", {"table_": "visits", "dataset": "visits"}),
        ("sqlite:///good.db", {"table_": "main.visits", "dataset": "visits"}),
        ("year=*/*.csv", {"dataset": "visits"}),
    ]
    rules = {rule(run(*fit_arguments(source, **more, **options))) for source, more in named}
    assert len(rules) == 1
    years = {"class": "points(year)", "delta": "0.001", "dataset": "visits"}
    ran = run(*fit_arguments("year=*", **years))
    assert ran.status == 2  # no file has such a name
    assert run(*fit_arguments("year=*/*.csv", **years)).status == 0


def refused(ran: Ran, words: str, status: int = 2) -> None:
    assert (ran.status, ran.out) == (status, ""), ran.err
    assert words in " ".join(ran.err.split())
    assert ran.err.startswith("error: cannot ")
    assert "Traceback" not in ran.err
    assert "SECRET" not in ran.err
    for ledger in Path.cwd().glob("*.ledger"):
        assert entries(ledger) == []
        assert b"SECRET" not in ledger.read_bytes()


UNREACHABLE = "postgresql://ada@127.0.0.1:1/visits"
CASES = [
    (UNREACHABLE, {"table_": "t"}, "127.0.0.1"),
    (UNREACHABLE, {}, "name it: --table"),
    (f"{UNREACHABLE}?sslkey=SECRET", {"table_": "t"}, "PostgreSQL says"),
    ("postgresql://ada:SECRET@127.0.0.1:1/visits", {"table_": "t"}, "holds a password"),
    ("postgresql:/ada:SECRET@127.0.0.1/visits", {"table_": "t"}, "looks like an address"),
    ("mysql://ada:SECRET@127.0.0.1/visits", {"table_": "t"}, "looks like an address"),
    ("s3://ada:SECRET@bucket/visits", {}, "holds a password"),
    ("good.db", {}, "nothing says which of its tables"),
    ("good.db", {"table_": "Visits"}, "did you mean 'visits'"),
    ("good.db", {"table_": "twice"}, "it is a view"),
    ("good.csv", {"table_": "visits"}, "it is neither a database"),
    ("file:///nowhere/at/all", {}, "there is no CSV or Parquet file"),
]


@pytest.mark.parametrize(("source", "options", "words"), CASES, ids=[c[0][:20] for c in CASES])
def test_bad_sources(source: str, options: dict[str, str], words: str, folder: Path) -> None:
    pytest.importorskip("sqlalchemy")
    refused(run(*fit_arguments(source, dataset="visits", **options)), words)


@pytest.mark.parametrize("source", ["postgresql://h/SECRET", "good.db", ".", "*.csv", "s3://b/c"])
def test_a_source_with_aliases_needs_a_name(source: str, folder: Path) -> None:
    ran = run(*fit_arguments(source, table_="visits" if source == "good.db" else None))
    refused(ran, "--dataset visits")
    ran = run(*fit_arguments("good.csv", dataset="postgresql://ada:SECRET@h/d"))
    refused(ran, "an address as the name of a data set")


@pytest.mark.parametrize(
    ("source", "missing", "extra"),
    [
        ("good.db", "sqlalchemy", "sqlite"),
        ("duck.db", "duckdb", "duckdb"),
        ("postgresql://h/d", "sqlalchemy", "postgresql"),
        ("postgresql://h/d", "psycopg", "postgresql"),
    ],
)
def test_a_missing_driver_is_named(
    source: str, missing: str, extra: str, folder: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    Path("duck.db").write_bytes(b"checksumDUCK    ")
    monkeypatch.setitem(sys.modules, missing, None)
    ran = run(*fit_arguments(source, table_="visits", dataset="visits"))
    refused(ran, install_command(extra))


def test_what_is_broken_or_locked(folder: Path) -> None:
    pytest.importorskip("sqlalchemy")
    pytest.importorskip("duckdb")
    Path("broken.db").write_bytes(b"SQLite format 3\0" + b"SECRET" * 1000)
    Path("broken.duckdb").write_bytes(b"checksumDUCK" + b"SECRET" * 1000)
    for name, words in (
        ("broken.db", "not a SQLite database"),
        ("broken.duckdb", "DuckDB cannot open"),
    ):
        refused(run(*fit_arguments(name, table_="visits", dataset="visits")), words)


@pytest.mark.parametrize("source", ["good.db", "good.csv", "year=2020"])
def test_what_you_may_not_read(source: str, folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("os.access", lambda path, mode: str(path) != source)
    table = "visits" if source == "good.db" else None
    refused(
        run(*fit_arguments(source, table_=table, dataset="visits")),
        "you do not have the right to read it",
    )


@pytest.mark.deep
def test_a_server_and_its_rights(
    folder: Path, running_server: Server, monkeypatch: pytest.MonkeyPatch
) -> None:
    pytest.importorskip("sqlalchemy")
    import psycopg

    address = running_server.database()
    with psycopg.connect(address, autocommit=True) as connection:
        connection.execute("CREATE TABLE visits (delay integer, carrier text, late integer)")
        connection.execute(
            "INSERT INTO visits SELECT d, 'A', (d > 4)::int FROM generate_series(0, 8) d"
        )
        connection.execute("DROP ROLE IF EXISTS eve")
        connection.execute("CREATE ROLE eve LOGIN")
    monkeypatch.setenv("PGPASSWORD", "SECRET")
    named = {"table_": "public.visits", "dataset": "visits"}
    eve = address.replace("ada@", "eve@")
    refused(run(*fit_arguments(eve, **named)), "there is no GRANT SELECT")
    refused(run(*fit_arguments(f"{address}x", **named)), "PostgreSQL says")
    preview = run(*fit_arguments(address, **named, **{"dry-run": True}))
    assert preview.status == 0
    ran = run(*fit_arguments(address, **named, out="model.json"))
    assert ran.status == 0, ran.err
    assert "9" in ran.out
    shown = run("ledger", "show"), run("ledger", "history")
    kept = [path.read_bytes() for path in Path.cwd().iterdir() if path.is_file()]
    for text in (preview.out, ran.out, ran.err, *(s.out + s.err for s in shown)):
        assert "SECRET" not in text
    assert not any(b"SECRET" in content for content in kept)
    assert address not in shown[0].out + shown[1].out
    with psycopg.connect(address, autocommit=True) as connection:
        connection.execute("DROP ROLE eve")


def test_a_draft_of_a_schema_from_a_database(folder: Path) -> None:
    pytest.importorskip("sqlalchemy")
    ran = run("schema", "good.db", "--table", "visits")
    assert ran.status == 0
    assert "[columns.delay]" in ran.out
