"""The drawing of a rule that is a tree: by `fit`, and of a model by ``littlestone tree``."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from running import run

from littlestone.domains import Grid
from littlestone.hypotheses import StepFunction

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
    assert "regrown: 3,200 records are enough to split each leaf once more" in out
    drawing = out.partition("The rule as a tree\n")[2]
    _, *lines = drawing.splitlines()
    assert " yes " in lines[0]
    assert {line[-1] for line in lines if line[-2:] in (" 0", " 1")} == {"0", "1"}
    assert run("tree", model).out == drawing


def test_a_figure_of_a_rule(fitted: tuple[Path, str], tmp_path: Path) -> None:
    picture = tmp_path / "rule.svg"
    assert run("tree", fitted[0], "--out", picture).status == 0
    assert "<svg" in picture.read_text()


def test_a_rule_that_is_no_tree(fitted: tuple[Path, str], tmp_path: Path) -> None:
    data, other = json.loads(fitted[0].read_text()), tmp_path / "other.json"
    data["hypothesis"] = StepFunction.threshold(Grid(0, 9, "age"), 4).to_json()
    other.write_text(json.dumps(data))
    ran = run("tree", other)
    assert ran.status == 1
    assert "it is no tree, but the rule late == 1  <=>  age >= 4" in ran.err
