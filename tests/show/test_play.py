"""The pages to play with, as text: what is in them, what is refused, and the solver beside Python's."""

from __future__ import annotations

import json
import random
import re
import shutil
import subprocess
from itertools import product
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from littlestone.base.errors import EmptyClassError, TooLargeError
from littlestone.classes import FiniteClass, parse_class
from littlestone.show import pages
from littlestone.show.pages.game import (
    DECOMPOSITION,
    MISTAKES,
    MOST_HYPOTHESES,
    MOST_POINTS,
    Board,
    game_page,
    walk_page,
)
from littlestone.show.tree import class_tree, decomposition_drawing
from littlestone.theory.decomposition import decompose

SCRIPT = Path(pages.__file__).with_name("play.js")
HOSTILE = "</script><script>document.title='hacked'</script><!--\"'&amp;\u202e"

# Of a class, and of its version spaces after at most so many labels: the dimension, the SOA's labels,
# and the adversary's point with its answer to each prediction.
ASKED = """
const told = tables.map(([rows, labels]) => {
  const S = solver(rows), found = [], points = [...rows[0].keys()];
  const look = (V, depth) => {
    const x = S.ask(V);
    const answers = x === null ? [] : S.sides(V, x).map(([y]) => S.contradict(V, x, y));
    found.push([S.size(V), S.dimension(V), points.map(p => S.predict(V, p)), x, answers]);
    if (depth) for (const p of points) for (const [, W] of S.sides(V, p)) look(W, depth - 1);
  };
  look(S.all, labels);
  return found;
});
console.log(JSON.stringify(told));
"""


def tables() -> list[tuple[Any, int]]:
    """All classes on three points, and random ones with two and with several labels."""
    functions = list(product((0, 1), repeat=3))
    found: list[tuple[Any, int]] = [
        ([f for i, f in enumerate(functions) if kept >> i & 1], 0) for kept in range(1, 256)
    ]
    rng = random.Random(7)
    for hypotheses, points, labels in [(32, 5, 2), (32, 9, 2), (20, 4, 3), (32, 5, 4), (31, 6, 5)]:
        rows = {tuple(rng.randrange(labels) for _ in range(points)) for _ in range(hypotheses)}
        found.append((sorted(rows), 2))
    return found


def expected(V: FiniteClass, depth: int) -> list[Any]:
    x, points = V.mistake_point(), list(V.domain)
    sides = {p: [(y, V.restrict(p, y)) for y in range(V.labels)] for p in points}
    sides = {p: [(y, W) for y, W in after if not W.is_empty()] for p, after in sides.items()}
    answers = []
    for prediction, _ in sides[x] if x is not None else []:
        others = [(y, W.littlestone_dimension()) for y, W in sides[x] if y != prediction]
        answers.append(max(others, key=lambda side: side[1])[0])
    at = None if x is None else points.index(x)
    labels = [V.soa_label(p) for p in points]
    found: list[Any] = [[V.size, V.littlestone_dimension(), labels, at, answers]]
    if depth:
        for p in points:
            for _, W in sides[p]:
                found += expected(W, depth - 1)
    return found


def node(script: str) -> Any:
    """What a script that follows ours prints, as JSON."""
    path = shutil.which("node")
    if path is None:
        pytest.skip("Node.js is not installed")
    code = SCRIPT.read_text(encoding="utf-8") + script
    done = subprocess.run([path, "-"], input=code, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr
    return json.loads(done.stdout)


def test_the_solver_of_the_page_is_right() -> None:
    asked = tables()
    told = node(f"const tables = {json.dumps(asked)};{ASKED}")
    for (rows, depth), found in zip(asked, told, strict=True):
        labels = max(2, 1 + int(np.max(rows)))
        assert found == expected(FiniteClass.from_array(rows, labels=labels), depth), rows


def test_the_largest_game_is_solved() -> None:
    """A random table at both limits; its rows fill all bits of a number."""
    rng = random.Random(3)
    rows = [[rng.randrange(2) for _ in range(MOST_POINTS)] for _ in range(MOST_HYPOTHESES)]
    ask = f"const S = solver({rows}); console.log(JSON.stringify([S.size(S.all), S.dimension(S.all)]))"
    assert node(ask) == [32, FiniteClass.from_array(rows).littlestone_dimension()]


def data(page: str) -> Any:
    """The data of a page, as a browser reads them."""
    text = re.search(r'<script type="application/json" id="data">(.*?)</script', page, re.DOTALL)
    assert text is not None
    return json.loads(text[1])


@pytest.mark.parametrize(
    "text",
    [
        "thresholds(x, 1..31)",
        "intervals(x, 1..6)",
        "conjunctions(a, b, c)",
        "parities(a, b, c)",
    ],
)
def test_a_board_has_every_hypothesis(text: str) -> None:
    H = parse_class(text)
    board = Board.of(H)
    assert len(board.rows) == len(set(board.rows)) == len(board.hypotheses) == H.size
    assert len(set(board.hypotheses)) == len(board.hypotheses)
    for row in board.rows:
        V = H
        for x, y in zip(H.domain, row, strict=True):
            V = V.restrict(x, y)
        assert V.size == 1
    assert data(game_page(H, text, text))["rows"] == [list(row) for row in board.rows]


def test_a_table_keeps_its_names() -> None:
    H = FiniteClass.from_array([[0, 2], [1, 1]], labels=3, points=["a", "b"], hypotheses=["r", "s"])
    found = data(game_page(H, "a table", "a table", ["no", "maybe", "yes"]))
    assert (found["points"], found["hypotheses"]) == (["a", "b"], ["r", "s"])
    assert (found["rows"], found["labels"]) == ([[0, 2], [1, 1]], ["no", "maybe", "yes"])


@pytest.mark.parametrize(
    ("text", "found"),
    [
        ("thresholds(x, 1..65)", "it has 66 hypotheses on 65 points"),
        ("thresholds(x, 1..32)", "it has 33 hypotheses"),
        ("points(x)", "it has infinitely many points"),
    ],
)
def test_a_class_that_is_too_large(text: str, found: str) -> None:
    with pytest.raises(TooLargeError, match=found) as raised:
        game_page(parse_class(text), text, text)
    assert "32 hypotheses on 64 points" in str(raised.value)
    assert "thresholds(x, 1..31)" in str(raised.value)


def test_an_empty_class_has_no_game() -> None:
    H = FiniteClass.from_array([[0, 1]]).restrict("x0", 1)
    with pytest.raises(EmptyClassError):
        game_page(H, "nothing", "nothing")


def test_names_are_text() -> None:
    """A page has the two scripts of ours and no other, whatever the names are."""
    H = FiniteClass.from_array([[0, 1], [1, 0]], points=[HOSTILE, "b"], hypotheses=["h", HOSTILE])
    root = class_tree(H, 4)
    for page in (
        game_page(H, HOSTILE, HOSTILE, [HOSTILE, "1"]),
        walk_page(root, MISTAKES, HOSTILE, HOSTILE),
    ):
        assert page.count("<script") == page.count("</script") == 2
        assert "<!--" not in page.partition("<head>")[2]
        assert "\u202e" not in page
        assert "hacked" in json.dumps(data(page))


def test_a_tree_has_its_version_spaces() -> None:
    tree = data(walk_page(class_tree(parse_class("thresholds(x, 1..3)"), 1), MISTAKES, "t", "t"))
    root = tree["tree"]
    assert (root["text"], root["note"]) == ("2", "dimension 2, 4 hypotheses")
    (zero, tone, below), (one, _, _) = root["after"]
    assert (zero, tone, one) == ("0", "off", "1")
    assert below == {
        "text": "... 1 more level",
        "note": "dimension 1, 2 hypotheses",
        "cut": True,
        "after": [],
    }


def test_a_decomposition_tree_says_each_dimension_once() -> None:
    H = FiniteClass.from_array([[0, 0], [1, 0], [0, 1]])
    drawn = decomposition_drawing(decompose(H, p=3), H, 4)
    root = data(walk_page(drawn, DECOMPOSITION, "t", "t"))["tree"]
    assert root["note"] == "dimension 1, 3 hypotheses"
    ends = [node for _, _, node in root["after"] if not node["after"]]
    assert [(end["text"], end["note"]) for end in ends] == [("LDim 0: x is 'x0'", "1 hypothesis")]


def test_an_infinite_version_space() -> None:
    root = data(walk_page(class_tree(parse_class("points(x)"), 4), MISTAKES, "t", "t"))["tree"]
    assert root["note"] == "dimension 1, infinitely many hypotheses"


def test_a_class_of_one_function_cannot_make_anybody_err() -> None:
    shown = game_page(FiniteClass.from_array([[1, 0]], points=["p", "q"]), "one", "one")
    assert "1 hypothesis on 2 points, of Littlestone dimension 0." in shown
    assert "The class has one function." in shown
    assert "0 times" not in shown
