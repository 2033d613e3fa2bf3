"""What a record of a CSV file is, by the options of every command that reads one."""

from __future__ import annotations

import io
import json
import sys
from pathlib import Path
from typing import Any

import pytest
from running import TABLE, fit_arguments, run

import littlestone
from littlestone.base.errors import DeclarationError, ModelError
from littlestone.data import CsvStream
from littlestone.data.table import SPANNING
from littlestone.learn import Release

SPANS = "records (which may span lines of the file)"


@pytest.fixture(autouse=True)
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.chdir(tmp_path)
    stray = TABLE.replace("delay,carrier,late\n", 'delay,carrier,late\n1,"A,0\n', 1)
    Path("stray.csv").write_text(stray)
    Path("semicolons.csv").write_text(TABLE.replace(",", ";"))
    Path("tabs.tsv").write_text(TABLE.replace(",", "\t"))
    Path("longer.tsv").write_text(TABLE.replace(",", "\t") + "1\tA\t0\n")
    return tmp_path


def words(text: str) -> str:
    return " ".join(text.split())


def test_a_stray_quote_joins_no_lines_unless_asked() -> None:
    assert "replacing one of the 19 records changes" in words(run(*fit_arguments("stray.csv")).out)
    ran = run(*fit_arguments("stray.csv", multiline=True, out="model.json"))
    assert f"replacing one of the 1 {SPANS} changes" in words(ran.out)
    assert "one record (which may span lines of the file);" in words(ran.out)
    release = Release.load("model.json")
    assert release.spanning
    assert f"1 {SPANS[8:]}" in repr(release)
    data = release.to_json()
    assert data["record"] == SPANNING
    assert Release.from_json(data).spanning
    with pytest.raises(ModelError, match="what a record is"):
        Release.from_json({**data, "record": "a page"})
    assert "record" not in json.loads(run(*fit_arguments("stray.csv", json=True)).out)


def test_units_and_groups_say_what_a_record_is() -> None:
    unit: dict[str, Any] = {"unit": "carrier", "max-records": 1, "multiline": True}
    assert "with all its records (which may span lines of the file)" in words(
        run(*fit_arguments("stray.csv", **unit)).out
    )
    ran = run(
        "subgroup", "stray.csv", "--target", "late", "--positive", "1", "--above", "0.5",
        "--class", "rules(carrier; at most 1)", "--epsilon", "2", "--delta", ".01", "--multiline",
        "--dataset", "another",
    )  # fmt: skip
    assert SPANS in words(ran.out)


@pytest.mark.parametrize(
    ("table", "options"),
    [
        ("semicolons.csv", ["--separator", ";"]),
        ("tabs.tsv", []),
        ("tabs.tsv", ["--separator", "tab"]),
    ],
)
def test_every_command_takes_a_separator(table: str, options: list[str]) -> None:
    ran = run(*fit_arguments(table, out="model.json", seed=1), *options)
    assert (ran.status, "18 records" in words(ran.out)) == (0, True)
    ran = run("predict", "model.json", table, *options)
    assert len(ran.out.splitlines()) == 19
    assert "[columns.carrier]" in run("schema", table, *options).out
    streamed = ["--target", "late", "--positive", "1", "--class", "subsets(carrier; at most 2)",
                "--horizon", "18", "--epsilon", "1", "--delta", "1e-6", "--evaluate"]  # fmt: skip
    ran = run("stream", table, *streamed, *options)
    assert json.loads(ran.out.splitlines()[-1])["records"] == 18


@pytest.mark.parametrize("multiline", [False, True])
def test_a_stream_says_what_a_record_is(multiline: bool, monkeypatch: pytest.MonkeyPatch) -> None:
    class Pipe:
        buffer = io.BytesIO(b'late;id\n1;"a\n0;b\n')

    streamed = ["--target", "late", "--positive", "1", "--class", "subsets(id; at most 2)",
                "--horizon", "18", "--epsilon", "1", "--delta", "1e-6", "--evaluate",
                "--separator", ";", *(["--multiline"] * multiline)]  # fmt: skip
    monkeypatch.setattr(sys, "stdin", Pipe)
    header, *_, last = map(
        json.loads, run("stream", "-", "--dataset", "d", *streamed).out.splitlines()
    )
    assert header.get("record") == (SPANNING if multiline else None)
    assert last["records"] == (1 if multiline else 2)


def test_options_of_lines_are_refused_where_there_are_none() -> None:
    for options in (["--separator", "ab"], ["--separator", '"']):
        ran = run(*fit_arguments("stray.csv"), *options)
        assert (ran.status, "one character, such as ';', or the word tab" in ran.err) == (2, True)
    ran = run("fit", "semicolons.csv", *fit_arguments("semicolons.csv")[2:])
    assert "--separator ';'" in words(ran.err)
    assert not Path("littlestone.ledger").exists()


def test_an_opened_table_has_the_name_of_its_file() -> None:
    declared: dict[str, Any] = {
        "target": "late",
        "positive": 1,
        "hypotheses": "thresholds(delay, 0..20)",
        "epsilon": 1,
    }
    with littlestone.Ledger() as ledger:
        for name, separator, n in (("semicolons.csv", ";", 18), ("longer.tsv", None, 19)):
            table = littlestone.open_table(name, separator=separator)
            release = littlestone.fit(table, ledger=ledger, **declared)
            assert (release.n, release.spanning) == (n, False)
            assert len(release.predict(table)) == n
        names = {entry.dataset for entry in ledger.entries()}
        assert names == {str(Path(name).resolve()) for name in ("semicolons.csv", "longer.tsv")}
        pipe = CsvStream(io.BytesIO(TABLE.encode()), name="pipe.csv")
        with pytest.raises(DeclarationError, match="add dataset="):
            littlestone.fit(pipe, ledger=ledger, **declared)


def test_predict_reads_records_as_the_model_was_learned(tmp_path: Path) -> None:
    """A model of records that span lines reads new tables so; each line would be a record else."""
    records = [f'{i % 10},"a note\nin two lines",{int(i % 10 > 4)}' for i in range(200)]
    table, model = tmp_path / "t.csv", tmp_path / "m.json"
    table.write_text("\n".join(["x,note,y", *records]) + "\n")
    fit = ["fit", table, "--target", "y", "--positive", "1", "--class", "thresholds(x, 0..9)",
           "--epsilon", "5", "--ledger", tmp_path / "l.db", "--out", model, "--multiline"]  # fmt: skip
    assert run(*fit).status == 0
    expected = [str(int(i % 10 > 4)) for i in range(200)]
    for more in ([], ["--multiline"]):
        assert run("predict", model, table, *more).out.split() == ["prediction", *expected]
    assert Release.load(model).predict(table) == list(map(int, expected))
