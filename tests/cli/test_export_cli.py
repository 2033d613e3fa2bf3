"""``littlestone export``: SQL, data frames and cards of a model file."""

from __future__ import annotations

import json
import sqlite3
from contextlib import closing
from pathlib import Path

import pytest
from running import TABLE, fit_arguments, run

from example_pages import run_lines
from littlestone.learn import Release
from littlestone.points import Strings
from littlestone.rules import FiniteSet


@pytest.fixture
def model(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> str:
    """A model of delay >= 5."""
    monkeypatch.chdir(tmp_path)
    monkeypatch.setattr("littlestone.privacy.samplers.selection.draw_item", lambda *_: 5)
    Path("table.csv").write_text(TABLE)
    assert run(*fit_arguments("table.csv", out="model.json")).status == 0
    return "model.json"


def test_the_version_is_printed() -> None:
    assert run("--version").out.startswith("littlestone 0.")


def test_sql_is_printed_for_each_dialect(model: str) -> None:
    pytest.importorskip("sqlglot", reason="sqlglot is not installed: pip install '.[sql]'")
    printed = run("export", model, "--to", "sql", "--dialect", "duckdb", "--type", "delay=integer")
    assert printed.out == 'CASE WHEN "delay" >= 5 THEN 1 ELSE 0 END\n'
    for dialect, condition in (("postgres", '"delay" >= 5'), ("sqlite", "`delay` >= 5")):
        assert condition in run("export", model, "--to", "sql", "--dialect", dialect).out


def test_sqlite_fails_where_the_column_is_missing(model: str) -> None:
    """In double quotes it would take the name for a text, and answer."""
    pytest.importorskip("sqlglot", reason="sqlglot is not installed: pip install '.[sql]'")
    sql = run("export", model, "--to", "sql", "--dialect", "sqlite").out
    with closing(sqlite3.connect(":memory:")) as database:
        database.execute("CREATE TABLE t (other int)")
        database.execute("INSERT INTO t VALUES (9)")
        with pytest.raises(sqlite3.OperationalError, match="no such column: delay"):
            database.execute(f"SELECT {sql} FROM t").fetchall()


def test_the_last_rule_of_a_stream_is_exported(tmp_path: Path) -> None:
    lines = tmp_path / "lines.json"
    lines.write_text("\n".join(run_lines()))
    assert run("export", lines, "--to", "pandas").out == 'id in ["d0", "d1"]\n'
    refused = run("export", lines, "--to", "card")
    assert refused.status == 2
    assert "it has the lines of a stream; `predict`, `report` and `export` take them" in refused.err


def test_frames_and_a_card_are_printed(model: str) -> None:
    import pandas
    import polars

    query = run("export", model, "--to", "pandas").out
    assert query == "delay >= 5\n"
    assert run("export", model, "--to", "pandas", "--label", "0").out.startswith(
        "not (delay.notna()"
    )
    frame = pandas.DataFrame({"delay": [1, 7]})
    assert frame.query(query, engine="python")["delay"].to_list() == [7]

    written = run("export", model, "--to", "polars").out
    rule = polars.Expr.deserialize(written.encode(), format="json")
    assert polars.DataFrame({"delay": [1, 7]}).select(rule).to_series().to_list() == [0, 1]
    assert run("export", model, "--to", "card").out == Release.load(model).card()


@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        (["--to", "sql"], "say which SQL"),
        (["--to", "card", "--dialect", "sqlite"], "is for --to sql"),
        (["--to", "card", "--type", "delay=text"], "is not for --to card"),
        (["--to", "sql", "--dialect", "sqlite", "--label", "1"], "is not for --to sql"),
        (["--to", "pandas", "--type", "delay"], "write COLUMN=TYPE"),
        (["--to", "word"], "is not one of"),
        (["--to", "excel"], "say which file to write"),
        (["--to", "excel", "--out", "rule.csv"], "a file that ends in .xlsx"),
        (["--to", "excel", "--out", "rule.xlsx"], "only score sheets have that form"),
        (["--to", "pmml"], "only score sheets have that form"),
        (["--to", "pmml", "--out", "rule.xml"], "is for --to excel"),
        (["--to", "pandas", "--type", "delay=int"], "'int' is not a type"),
        (["--to", "pandas", "--label", "late"], "no such label"),
    ],
)
def test_other_words_are_refused(model: str, arguments: list[str], said: str) -> None:
    ran = run("export", model, *arguments)
    assert ran.status != 0
    assert said in " ".join(ran.err.replace("│", " ").split())
    assert ran.out == ""


def test_labels_with_names_are_shown_by_name(model: str) -> None:
    data = {**json.loads(Path(model).read_text()), "labels": ["on time", "it's late"]}
    Path(model).write_text(json.dumps(data))
    pytest.importorskip("sqlglot", reason="sqlglot is not installed: pip install '.[sql]'")
    sql = run("export", model, "--to", "sql", "--dialect", "postgres").out
    assert "THEN 'it''s late' ELSE 'on time' END" in sql
    query = run("export", model, "--to", "pandas", "--label", "it's late").out
    assert query == "delay >= 5\n"


def test_control_characters_are_written_to_files_alone(
    model: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    data = json.loads(Path(model).read_text())
    data["hypothesis"] = FiniteSet(Strings("s"), frozenset(["\x1b[2J"])).to_json()
    Path(model).write_text(json.dumps(data))
    query = run("export", model, "--to", "card")
    assert "\x1b" not in query.out
    pytest.importorskip("sqlglot", reason="sqlglot is not installed: pip install '.[sql]'")
    assert "\x1b[2J" in run("export", model, "--to", "sql", "--dialect", "sqlite").out
    monkeypatch.setattr("littlestone.cli.predict._is_terminal", lambda: True)
    refused = run("export", model, "--to", "sql", "--dialect", "sqlite")
    assert (refused.status, refused.out) == (2, "")
    assert "write it to a file" in refused.err
