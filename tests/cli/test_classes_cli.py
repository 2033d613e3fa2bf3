"""``littlestone classes``, and what `fit --explain` adds."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from running import run

from littlestone.classes import parse_class
from littlestone.classes.text import catalogue
from littlestone.classes.text.declared import declared_kinds
from littlestone.cli import classes
from littlestone.learn.plan import candidates, choose_learner
from littlestone.learn.plan.choice import explain
from littlestone.privacy import Budget


def test_every_class_is_listed_once_with_an_example_that_can_be_declared() -> None:
    found = json.loads(run("classes", "--json").out)
    internal = {keyword for keyword, kind in declared_kinds().items() if not kind.group}
    assert internal == {"rule_unions"}
    assert sorted(row["class"] for row in found) == sorted(set(declared_kinds()) - internal)
    for row in found:
        assert row["form"].startswith(f"{row['class']}(")
        assert row["functions"]
        assert row["several labels"] == declared_kinds()[row["class"]].several
        assert row["example"] or row["class"] == "finite"  # an example of it needs a file
        if row["example"]:
            assert str(parse_class(row["example"])) == row["example"]


def test_the_list_is_that_of_the_classes() -> None:
    """It is read from a file, because importing all classes takes longer than all else."""
    kept = json.loads(catalogue.FILE.read_text(encoding="utf-8"))
    new = "run `python tools/class_catalogue.py`"
    assert all(row in catalogue.walk_catalogue() for row in kept["rows"]), new
    if kept["files"] == catalogue.class_files():
        assert kept["rows"] == catalogue.walk_catalogue(), new


def test_ordinary_tables_come_first() -> None:
    out = run("classes").out
    assert out.startswith("Ordinary tables\n  conditions(COLUMN, ...")
    assert "Example: conditions(age: 0..120 step 5, sex in {F, M}, ward; at most 2)" in out
    assert "rule_unions" not in out


def test_groups_of_other_packages_come_last(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(classes, "_GROUPS", classes._GROUPS[1:])
    assert "\nOrdinary tables\n" in run("classes").out


def test_explain_shows_every_method(tmp_path: Path) -> None:
    """In text and in JSON, of a fit and of a dry run; nothing in it depends on a record."""
    table = tmp_path / "people.csv"
    table.write_text("age,y\n" + "".join(f"{age},{int(age > 40)}\n" for age in range(100)))
    declared = ["--target", "y", "--positive", "1", "--class", "thresholds(age, 0..120)"]
    options = [table, *declared, "--epsilon", 1, "--ledger", tmp_path / "l", "--seed", 1]
    methods = {
        found.method for found in candidates(parse_class("thresholds(age, 0..120)"), Budget(1))
    }
    shown = run("fit", *options, "--explain").out
    assert all(method in shown for method in methods)
    assert "buckets, lookup: it is not a class of lookup tables; declare lookup(" in shown
    again = json.loads(run("fit", *options, "--explain", "--json").out)["methods"]
    preview = json.loads(run("fit", *options, "--explain", "--json", "--dry-run").out)
    assert preview["dry run"]
    assert again == preview["methods"]
    assert all(line.replace(": ", "  ", 1).split("  ")[1] in shown for line in again)
    brief = run("fit", *options).out
    assert "buckets" not in brief
    assert "exponential: it scores every rule of the class" in brief


def test_methods_are_explained_for_what_is_declared(tmp_path: Path) -> None:
    (tmp_path / "t.csv").write_text("ward,y\nICU,1\n")
    H, budget = parse_class("points(ward)"), Budget(1, "1e-6")
    declared = ["--target", "y", "--positive", "1", "--class", str(H), "--epsilon", 1]
    declared += ["--delta", "1e-6", "--setting", "realizable", "--ledger", tmp_path / "l"]
    shown = run("fit", tmp_path / "t.csv", *declared, "--explain", "--dry-run", "--json").out
    expected = explain(H, budget, setting="realizable")
    assert json.loads(shown)["methods"] == [": ".join(row) for row in expected]
    ran = run("fit", tmp_path / "t.csv", *declared)
    assert choose_learner(H, budget, setting="realizable")[1] in " ".join(ran.out.split())
