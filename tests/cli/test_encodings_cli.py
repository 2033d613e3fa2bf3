"""Outputs whose encoding lacks a character: people see an escape, programs get all or nothing."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from running import run, run_process

MODEL = "größe.json"
NARROW = {"PYTHONIOENCODING": "ascii", "PYTHONUTF8": "0"}


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    table = "größe,antwort\n" + "".join(f"{i},{'ja ✓' if i > 4 else 'nö'}\n" for i in range(10))
    (tmp_path / "t.csv").write_text(table, encoding="utf-8")
    ran = run(
        "fit", tmp_path / "t.csv", "--target", "antwort", "--labels", "nö,ja ✓", "--epsilon", "9",
        "--class", "thresholds(größe, 0..9)", "--ledger", tmp_path / "l.db", "--out", tmp_path / MODEL,
    )  # fmt: skip
    assert ran.status == 0, ran.err
    return tmp_path


@pytest.mark.deep
@pytest.mark.parametrize(
    "arguments",
    [
        ["export", MODEL, "--to", "pandas"],
        ["export", MODEL, "--to", "card"],
        ["predict", MODEL, "t.csv"],
        ["report", MODEL],
        ["ledger", "export", "--ledger", "l.db"],
    ],
    ids=lambda arguments: " ".join(arguments[:2]),
)
def test_what_programs_read_is_written_whole_or_not_at_all(
    folder: Path, arguments: list[str]
) -> None:
    ran = run_process(*arguments, cwd=folder, **NARROW)
    assert (ran.status, ran.out) == (2, "")
    assert "its encoding, ascii, has no character" in ran.err
    assert "PYTHONIOENCODING=utf-8" in ran.err
    assert run_process(*arguments, cwd=folder, PYTHONIOENCODING="utf-8").status == 0


@pytest.mark.deep
def test_json_escapes_what_the_encoding_lacks(folder: Path) -> None:
    arguments = ["ledger", "export", "--format", "json", "--ledger", "l.db"]
    narrow = run_process(*arguments, cwd=folder, **NARROW)
    wide = run_process(*arguments, cwd=folder, PYTHONIOENCODING="utf-8")
    assert narrow.status == wide.status == 0
    assert json.loads(narrow.out) == json.loads(wide.out)
    assert "größe" in wide.out


@pytest.mark.deep
def test_a_stream_of_json_escapes_what_the_encoding_lacks(folder: Path) -> None:
    ran = run_process(
        "stream", "t.csv", "--target", "antwort", "--positive", "ja ✓", "--epsilon", "1",
        "--class", "thresholds(größe, 0..9)", "--horizon", "10", "--ledger", "m.db",
        cwd=folder, **NARROW,
    )  # fmt: skip
    header = json.loads(ran.out.splitlines()[0])
    assert header["label"] == "antwort == ja ✓"


@pytest.mark.deep
def test_people_see_an_escape_and_keep_their_release(folder: Path) -> None:
    ran = run_process(
        "fit", "t.csv", "--target", "antwort", "--positive", "ja ✓", "--epsilon", "9",
        "--class", "thresholds(größe, 0..9)", "--ledger", "n.db", "--out", "n.json",
        cwd=folder, **NARROW,
    )  # fmt: skip
    assert ran.status == 0
    assert "gr\\xf6\\xdfe" in ran.out
    assert "größe" in (folder / "n.json").read_text(encoding="utf-8")


def test_bytes_of_another_encoding_are_told_with_the_way_out(tmp_path: Path) -> None:
    text = "ward,late\n" + "".join(f"{'Köln' if i % 2 else 'Bonn'},{i % 2}\n" for i in range(40))
    (tmp_path / "t.csv").write_text(text, encoding="utf-8")
    (tmp_path / "l.csv").write_text(text, encoding="latin-1")
    asked = (
        "--target",
        "late",
        "--positive",
        "1",
        "--class",
        "conditions(ward in {Köln, Bonn}; at most 1)",
    )
    model, ledger = tmp_path / "m.json", tmp_path / "l.db"
    paid = "--epsilon", "9", "--ledger", ledger, "--out", model
    assert run("fit", tmp_path / "t.csv", *asked, *paid).status == 0
    found = run("check", tmp_path / "l.csv", *asked)
    assert (found.status, "20 NOT READ: bytes of another encoding" in found.out) == (1, True)
    assert "schema TABLE --encoding latin-1` drafts" in found.out
    said = run("predict", model, tmp_path / "l.csv").err
    assert "20 of them are bytes of another encoding" in said
    assert "iconv -f latin1 -t utf-8" in said
    assert "encoding" not in run("predict", model, tmp_path / "t.csv").err
