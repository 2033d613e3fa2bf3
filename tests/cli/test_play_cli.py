"""The pages of ``play``, ``tree`` and ``decompose``: `tests/show` says what is in them."""

from __future__ import annotations

import json
from dataclasses import replace
from pathlib import Path

import pytest
from benchmarks.pictures import FOLDER, GAME, released, table
from running import run

from littlestone.rules.nodes import ColumnTest, Split

RULES = "rule,a,b,c\nnone,0,0,0\nA,1,0,0\nB,0,1,0\nC,0,0,1\n"


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.chdir(tmp_path)
    Path("rules.csv").write_text(RULES)
    return tmp_path


def test_the_page_of_the_tutorial(folder: Path) -> None:
    """The command makes exactly the page in ``docs``."""
    ran = run("theory", "play", GAME, "--out", "game.html")
    assert (ran.status, ran.out) == (0, "written to game.html\n")
    same = Path("game.html").read_bytes() == (FOLDER / "game.html").read_bytes()
    assert same, "a script or a style has changed: run `python -m benchmarks pictures`"


def test_a_game_on_a_table(folder: Path) -> None:
    Path("labels.csv").write_text("a,b\n0,2\n1,1\n2,0\n")
    ran = run(
        "theory",
        "play",
        "labels.csv",
        "--labels",
        'on time,late,"gone, or lost"',
        "--out",
        "g.html",
    )
    assert ran.status == 0
    page = Path("g.html").read_text()
    assert '"labels": ["on time", "late", "gone, or lost"]' in page
    assert "<h1>labels.csv</h1>" in page
    assert str(folder) not in page


@pytest.mark.parametrize(
    "command", [("play",), ("tree",), ("tree", "--levels", 1), ("decompose", "--p", 3)]
)
def test_a_page_is_overwritten_and_nothing_else(folder: Path, command: tuple[object, ...]) -> None:
    which, *rest = command
    for _ in range(2):
        assert run("theory", which, "rules.csv", *rest, "--out", "page.html").status == 0
    page = Path("page.html").read_text()
    assert page.startswith("<!doctype html>\n")
    Path("mine.html").write_text("<p>mine</p>")
    for name, found in (("mine.html", "of another kind"), ("rules.csv", "same file")):
        ran = run("theory", which, "rules.csv", *rest, "--out", name)
        assert ran.status == 2
        assert found in ran.err or "the suffix is '.csv'" in ran.err
    assert Path("mine.html").read_text() == "<p>mine</p>"
    assert Path("rules.csv").read_text() == RULES


def test_the_page_of_a_rule(folder: Path) -> None:
    domain = table("age: 0..80 step 40, sex in {F, M}")
    rule = Split(ColumnTest(1, frozenset(["F"])), 1, 0)
    release = replace(released("late == 1", domain, rule), n=9, receipt=1)
    Path("model.json").write_text(json.dumps(release.to_json()))
    assert run("theory", "tree", "model.json", "--out", "rule.html").status == 0
    page = Path("rule.html").read_text()
    assert "<h1>late == 1, epsilon 1, delta 0 (replace-one)</h1>" in page
    assert '"text": "sex is F"' in page


@pytest.mark.parametrize(
    ("arguments", "found"),
    [
        (("--out", "game.svg"), "give a file that ends in .html"),
        (("--out", "absent/game.html"), "absent/game.html"),
        (("--out", "game.html", "--learner", "halving"), "on a page you play yourself"),
        (("--out", "game.html", "--json"), "on a page you play yourself"),
    ],
)
def test_what_play_refuses(folder: Path, arguments: tuple[str, ...], found: str) -> None:
    ran = run("theory", "play", "thresholds(x, 1..7)", *arguments)
    assert ran.status != 0
    assert found in " ".join(ran.err.replace("│", " ").split())
    assert sorted(path.name for path in folder.iterdir()) == ["rules.csv"]
