"""``littlestone theory decompose``: tables, infinite classes, drawings and refusals."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from running import run

RULES = "rule,a,b,c\nnone,0,0,0\nA,1,0,0\nB,0,1,0\nC,0,0,1\n"


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.chdir(tmp_path)
    (tmp_path / "rules.csv").write_text(RULES)
    return tmp_path


def test_json(folder: Path) -> None:
    ran = run("theory", "decompose", "rules.csv", "--p", "3", "--json")
    assert json.loads(ran.out) == {
        "decomposition_dimension": 0,
        "upper": 0,
        "leaves": 4,
        "essential": 4,
        "first_essential": ["always 0", "x is 'c'", "x is 'b'", "x is 'a'"],
    }


def test_a_long_list_is_cut() -> None:
    out = run("theory", "decompose", "thresholds(x, 1..1000)", "--p", "2").out
    assert "(2, 9)-decomposition dimension = 0, 1,001 leaves" in out
    assert "... 989 more" in out


def test_a_larger_d_asks_for_more() -> None:
    out = run("theory", "decompose", "points(dest)", "--p", "7", "--d", "5").out
    assert "(7, 5)-decomposition dimension = 1, 1 leaf" in out


def test_a_drawing(folder: Path) -> None:
    ran = run("theory", "decompose", "rules.csv", "--p", "3", "--out", "tree.svg")
    assert ran.out.endswith("drawn to tree.svg\n")
    picture = (folder / "tree.svg").read_text()
    assert "(3, 1)-decomposition of rules.csv" in picture
    assert "LDim 0: x is" in picture


@pytest.mark.parametrize(
    ("arguments", "words"),
    [
        (["rules.csv", "--p", "0"], "give whole numbers p >= 1"),
        (["rules.csv", "--d", "0"], "d >= 1"),
        (["thresholds(x, reals)"], "infinite"),
        (["thresholds(x, 1..1000000000)"], "more nodes than are allowed"),
        (["polynomial_zeros(a, b; q 5, degree 2)"], "is between 0 and 6,"),
        (["rules.csv", "--out", "tree.pdf"], ".svg, .png or .html"),
    ],
)
def test_refusals(folder: Path, arguments: list[str], words: str) -> None:
    ran = run("theory", "decompose", *arguments)
    assert (ran.status, ran.out) == (2, "")
    assert words in ran.err
