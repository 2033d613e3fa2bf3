"""``littlestone report``: which files it reads, and which it writes and refuses."""

from __future__ import annotations

import io
import json
import sys
from pathlib import Path
from types import SimpleNamespace

import pytest
from running import run

from example_pages import release, run_lines, spent
from littlestone.privacy.ledger import Ledger


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.chdir(tmp_path)
    Path("model.json").write_text(json.dumps(release().to_json()))
    Path("lines.json").write_text("\n".join(run_lines()))
    spent(tmp_path / "l")
    return tmp_path


def contents(folder: Path) -> dict[str, object]:
    """The files of a folder; SQLite counts in the header of a ledger how often it was opened."""
    found: dict[str, object] = {p.name: p.read_bytes() for p in folder.iterdir() if p.name != "l"}
    with Ledger(folder / "l") as ledger:
        return {**found, "l": ledger.entries()}


@pytest.mark.parametrize(
    ("what", "kind"),
    [("model.json", "Private release"), ("lines.json", "Private stream"), ("l", "Privacy ledger")],
)
def test_each_kind_of_file_has_a_page(folder: Path, what: str, kind: str) -> None:
    shown = run("report", what)
    assert shown.status == 0, shown.err
    assert f'<p class="kind">{kind}</p>' in shown.out
    done = run("report", what, "--out", "page.html")
    assert (done.status, done.out) == (0, "written to page.html\n")
    assert Path("page.html").read_text() == shown.out
    assert run("report", what, "--out", "page.html").status == 0  # over its own page


def test_a_model_from_a_pipe(folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    content = Path("model.json").read_bytes()
    monkeypatch.setattr(sys, "stdin", SimpleNamespace(buffer=io.BytesIO(content)))
    assert "Private release" in run("report", "-").out


def test_one_data_set_and_the_budget_of_a_model(folder: Path) -> None:
    page = run("report", "l", "--dataset", "census").out
    assert "<h1>census</h1>" in page
    with Ledger("l") as ledger:
        (entry,) = ledger.entries("census")
    paid = release(cost=entry.cost, mechanism=entry.mechanism, receipt=entry.number)
    Path("model.json").write_text(json.dumps(paid.to_json()))
    assert "The data set census" in run("report", "model.json", "--ledger", "l").out


@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        (["absent.json"], "No such file"),
        (["table.csv"], "lines of a stream"),
        (["state"], "as secret as they are"),
        (["picture.png"], "neither text nor a ledger"),
        (["model.json", "--ledger", "l"], "no such entry"),
        (["model.json", "--ledger", "absent"], "absent"),
        (["model.json", "--out", "table.csv"], "ends in .html"),
        (["model.json", "--out", "notes.html"], "another kind"),
        (["model.json", "--out", "model.json"], "same file"),
        (["l", "--out", "l"], "same file"),
        (["model.json", "--ledger", "l", "--out", "l"], "same file"),
        (["l", "--dataset", "other"], "not this one"),
        (["l", "--ledger", "l"], "a ledger itself"),
        (["model.json", "--dataset", "census"], "it is for ledgers"),
    ],
)
def test_other_files_are_refused(folder: Path, arguments: list[str], said: str) -> None:
    Path("table.csv").write_text("age,ill\n64,SECRET\n")
    Path("state").write_bytes(b'littlestone run 3\n["SECRET"]\n')
    Path("picture.png").write_bytes(b"\x89PNG\r\n\xff")
    Path("notes.html").write_text("<p>mine")
    before = contents(folder)
    done = run("report", *arguments)
    assert done.status > 0
    assert said in " ".join(done.err.split())
    assert "SECRET" not in done.err + done.out
    assert done.out == ""
    assert contents(folder) == before


@pytest.mark.parametrize("private", [True, False])
def test_only_a_draw_with_a_seed_can_be_repeated(folder: Path, private: bool) -> None:
    Path("model.json").write_text(json.dumps(release(private=private).to_json()))
    Path("lines.json").write_text("\n".join(run_lines(private=private)))
    for what in ("model.json", "lines.json"):
        page = run("report", what).out
        assert ("cannot be repeated" in page) == private
        assert ("Whoever knows the seed" in page) != private


@pytest.mark.parametrize("content", ['{"format": "littlest', "a,b\n1,2\n", ""])
def test_a_cut_model_and_other_text_are_refused(folder: Path, content: str) -> None:
    Path("other").write_text(content)
    done = run("report", "other")
    assert done.status == 2
    assert "or a model of `littlestone fit --out`" in " ".join(done.err.split())
