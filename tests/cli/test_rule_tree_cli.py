"""The drawing of a rule that is a tree: by `fit`, and of a model by ``littlestone theory tree``."""

from __future__ import annotations

import json
import re
from dataclasses import replace
from fractions import Fraction
from html import unescape
from pathlib import Path

import pytest
from benchmarks.pictures import FOLDER, figures
from running import run

import littlestone
from littlestone.base.errors import ModelError, OutputError
from littlestone.learn import Release
from littlestone.pictures.ranges import Axis, Plane, Strip
from littlestone.points import Cells, Codes, Grid, Listed, Product
from littlestone.privacy.cost import PrivacyCost
from littlestone.rules import StepFunction
from littlestone.rules.nodes import ColumnTest, Split, conjunction
from littlestone.rules.trees import DecisionTree
from littlestone.show.tree import drawing_of_release

CLASS = "trees(age: 0..80 step 40, sex in {F, M}; depth 2)"


@pytest.fixture
def fitted(tmp_path: Path) -> tuple[Path, str]:
    """The model of a crossing, which is no simple condition, and what `fit` printed."""
    table, model = tmp_path / "people.csv", tmp_path / "model.json"
    rows = [f"{age},{sex},{int((age >= 40) == (sex == 'F'))}" for age in range(80) for sex in "FM"]
    table.write_text("age,sex,late\n" + "\n".join(rows * 20) + "\n")
    ran = run("fit", table, "--target", "late", "--positive", 1, "--class", CLASS, "--epsilon", 4,
              "--ledger", tmp_path / "l", "--seed", 1, "--out", model)  # fmt: skip
    assert ran.status == 0
    return model, ran.out


def test_fit_draws_what_is_not_one_condition(fitted: tuple[Path, str]) -> None:
    model, out = fitted
    assert "regrown: 3,200 records are enough to split each leaf once more, which erred less" in out
    assert "exponential has the smaller proved error" in out
    drawing = out.partition("The rule as a tree\n")[2]
    _, *lines = drawing.splitlines()
    assert " yes " in lines[0]
    assert {line[-1] for line in lines if line[-2:] in (" 0", " 1")} == {"0", "1"}
    assert run("theory", "tree", model).out == drawing


def test_one_condition_is_not_drawn(fitted: tuple[Path, str]) -> None:
    table, ledger = fitted[0].parent / "people.csv", fitted[0].parent / "other"
    ran = run("fit", table, "--target", "late", "--positive", 1, "--class", "conditions(age at {40})",
              "--epsilon", 4, "--ledger", ledger)  # fmt: skip
    assert ran.status == 0
    assert "The rule as a tree" not in ran.out


def test_a_figure_of_a_rule(fitted: tuple[Path, str], tmp_path: Path) -> None:
    picture = tmp_path / "rule.svg"
    assert run("theory", "tree", fitted[0], "--out", picture).status == 0
    assert "<svg" in picture.read_text()


def test_a_rule_that_is_no_tree(fitted: tuple[Path, str], tmp_path: Path) -> None:
    data, other = json.loads(fitted[0].read_text()), tmp_path / "other.json"
    data["hypothesis"] = StepFunction.threshold(Grid(0, 9, "age"), 4).to_json()
    other.write_text(json.dumps(data))
    ran = run("theory", "tree", other)
    assert ran.status == 2
    assert "it is not a tree; it is the rule late == 1  <=>  age >= 4" in ran.err


GRIDS = Product((Cells(("0", "40", "80"), "age"), Cells(("1", "10", "100", "1000"), "income")))
OLD, RICH = ColumnTest(0, frozenset(["80"])), ColumnTest(1, frozenset(["100", "1000"]))


def release(rule: DecisionTree, labels: tuple[str, ...] = ()) -> Release:
    return Release(rule, "a class", "late == 1", 9, PrivacyCost(Fraction(1)), "m", True, 1,
                   labels=labels)  # fmt: skip


def svg(of: Release) -> bytes:
    return drawing_of_release(of).content("svg")


def texts(content: bytes) -> list[str]:
    return [unescape(text) for text in re.findall(r"<text [^>]*>([^<]*)</text>", content.decode())]


def test_a_figure_shows_the_declared_ranges(fitted: tuple[Path, str]) -> None:
    shown = texts(svg(Release.load(fitted[0])))
    assert {"missing", "other", "F", "M", "0", "40", "80"} <= set(shown)
    assert "late == 1, epsilon 4, delta 0 (replace-one), a simulation: NOT PRIVATE" in shown


def test_a_figure_is_that_of_the_rule_alone() -> None:
    one = release(DecisionTree(GRIDS, Split(OLD, 1, 0)))
    other = replace(one, n=10**6, receipt=7)
    assert svg(one) == svg(other)


def test_a_constant_has_a_figure() -> None:
    assert "1" in texts(svg(release(DecisionTree(GRIDS, 1))))


def test_rules_on_two_grids_have_a_plane() -> None:
    rule = DecisionTree(GRIDS, Split(OLD, Split(RICH, 1, 0), Split(RICH, 0, 1)))
    plane = Plane.from_tree(rule)
    assert plane is not None
    points = [(x, y) for x in range(-1, 3) for y in range(-1, 4)]
    for i, j in points:
        inside = [a <= i <= b and c <= j <= d for (a, b), (c, d) in plane.areas]
        x, y = tuple(GRIDS.columns[0])[i + 1], tuple(GRIDS.columns[1])[j + 1]
        assert sum(inside) == rule((x, y))
    assert texts(svg(release(rule))).count("late == 1") == 1
    named = texts(svg(release(rule, ("out", "in"))))
    assert "late == 1: in" in named


@pytest.mark.parametrize(
    "rule",
    [
        DecisionTree(GRIDS, Split(OLD, 1, 0)),
        DecisionTree(GRIDS, Split(OLD, 2, Split(RICH, 1, 0)), 3),
        DecisionTree(
            Product((GRIDS.columns[0], Listed(("F",), "sex"))),
            Split(OLD, 1, Split(ColumnTest(1, frozenset("F")), 1, 0)),
        ),
    ],
)
def test_other_rules_have_none(rule: DecisionTree) -> None:
    assert Plane.from_tree(rule) is None
    assert svg(release(rule))


def test_long_lists_and_open_columns() -> None:
    many = Listed(tuple(f"v{i}" for i in range(30)), "x")
    strip = Strip.of_test(ColumnTest(0, frozenset(f"v{i}" for i in range(9))), many)
    assert strip.boxes[0] == ("missing", False)
    assert strip.boxes[-2:] == (("4 more", True), ("22 others", False))
    assert [text for text, _ in strip.boxes[1:-2]] == ["v0", "v1", "v2", "v3", "v4"]
    opened = Strip.of_test(ColumnTest(0, frozenset(["", "12"])), Codes("code"))
    assert opened.boxes == (("missing", True), ("12", True), ("all others", False))


FAR, NEAR = f"1{'0' * 29}", f"1.{'0' * 20}1"


@pytest.mark.parametrize(
    "starts",
    [
        ("5",),
        ("-1", "0.5"),
        ("1", "2"),
        ("0", "1", "100000000"),
        ("0", "1", FAR),
        ("1", "2", FAR),
        ("1", NEAR),
        ("1", NEAR, f"{NEAR}1"),
    ],
)
def test_every_grid_has_an_axis(starts: tuple[str, ...]) -> None:
    axis = Axis.of_column(Cells(starts, "x"))
    assert list(axis.ends) == sorted(set(axis.ends))
    assert len(axis.ends) == len(starts) + 1


@pytest.mark.parametrize(
    "name", ["$x_1$", "<a> & 'b'", "two\nlines", "\ud800", "long " * 40, "日本"]
)
def test_any_name_is_drawn(name: str) -> None:
    value = name.strip() if name.isascii() else "v"
    domain = Product((Cells(("0", FAR), name), Listed((value,), "x"), Cells(("1",), "y")))
    tests = [ColumnTest(0, frozenset([FAR])), ColumnTest(1, frozenset([value]))]
    rule = DecisionTree(domain, conjunction([*tests, ColumnTest(2, frozenset(["1"]))]))
    assert svg(release(rule)).endswith(b"</svg>\n")


def test_python_draws_a_release_and_a_model(fitted: tuple[Path, str], tmp_path: Path) -> None:
    model, picture, other = fitted[0], tmp_path / "rule.svg", tmp_path / "other.svg"
    littlestone.draw(Release.load(model), picture)
    littlestone.draw(model, other)
    assert picture.read_bytes() == other.read_bytes()
    with pytest.raises(OutputError, match=r"ends in \.svg or \.png"):
        littlestone.draw(model, tmp_path / "rule.txt")
    with pytest.raises(ModelError, match="neither a Release nor the path"):
        littlestone.draw(7, picture)


@pytest.mark.parametrize("name", figures())
def test_the_figures_of_the_documentation(name: str) -> None:
    kept = (FOLDER / f"{name}.svg").read_bytes()
    assert texts(kept) == texts(svg(figures()[name]))
