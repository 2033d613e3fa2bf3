"""`fit --labels`: the release alone, read back and predicted with; what does not go together."""

from __future__ import annotations

import json
import random
from pathlib import Path
from typing import Any

import pytest
from running import Ran, entries, run

from littlestone.learn import Release
from littlestone.rules import LookupTable

CLASS = "lookup(tail; at most 9)"


@pytest.fixture(autouse=True)
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.chdir(tmp_path)
    rng = random.Random(1)
    rows = [rng.randrange(9) for _ in range(1500)]
    lines = [f"N{k},{('UA', 'AA', 'HA or, so')[k % 3]!r},{k}" for k in rows]
    Path("flights.csv").write_text("tail,carrier,k\n" + "\n".join(lines).replace("'", '"') + "\n")
    return tmp_path


def fit(**changes: Any) -> Ran:
    options = {
        "target": "carrier", "labels": 'UA,AA,"HA or, so"', "class": CLASS, "epsilon": "1",
        "delta": "1e-6", **changes,
    }  # fmt: skip
    flags = [f"--{name}" for name, value in options.items() if value is True]
    pairs = [word for name, v in options.items() if isinstance(v, str) for word in (f"--{name}", v)]
    return run("fit", "flights.csv", *pairs, *flags)


def test_a_fit_is_written_and_predicted_with() -> None:
    ran = fit(out="model.json")
    assert ran.status == 0, ran.err
    assert "NOT PRIVATE" not in ran.out
    assert "lookup: " in ran.out
    release = Release.load("model.json")
    assert isinstance(release.hypothesis, LookupTable)
    assert release.label == "carrier"
    assert len(release.hypothesis.entries) == 6
    Path("new.csv").write_text("tail\nN1\nN2\nN3\nN99\n")
    predicted = run("predict", "model.json", "new.csv")
    assert predicted.out.splitlines() == ["prediction", "AA", '"HA or, so"', "UA", "UA"]
    assert entries(Path("littlestone.ledger")) == [1]


@pytest.mark.deep
def test_json_and_evaluation() -> None:
    data = json.loads(fit(json=True, evaluate=True, default="AA").out)
    assert data["labels"] == ["AA", "UA", "HA or, so"]
    assert data["hypothesis"]["labels"] == 3
    evaluation = data["evaluation"]
    assert evaluation["NOT PRIVATE"] is True
    assert evaluation["errors"] == evaluation["table_errors"] == 0
    assert evaluation["constant_errors"] > 0.5 * evaluation["n"]
    shown = fit(evaluate=True).out
    assert "Evaluation: NOT PRIVATE" in shown
    assert "error of always " in shown


def test_a_dry_run_spends_nothing() -> None:
    ran = fit(**{"dry-run": True})
    assert ran.status == 0
    assert "label selection, epsilon 1" in ran.out
    assert not Path("littlestone.ledger").exists()


def test_a_dry_run_shows_which_of_two_labels_a_rule_predicts() -> None:
    Path("ill.csv").write_text("age,ill\n50,yes\n20,no\n")
    for names, default, one in (
        ("yes,no", None, "no"),
        ("no,yes", None, "yes"),
        ("no,yes", "yes", "no"),
    ):
        zero = "yes" if one == "no" else "no"
        common = [
            "fit",
            "ill.csv",
            "--target",
            "ill",
            "--labels",
            names,
            "--epsilon",
            "1",
            "--dry-run",
        ]
        common += ["--default", default] if default else []
        ran = run(*common, "--class", "thresholds(age, 0..98)")
        assert f"for example  {one} if age >= 50, else {zero}\n" in ran.out
        found = json.loads(run(*common, "--class", "points(age)", "--delta", "1e-3", "--json").out)
        assert found["label 1"].startswith(f"'{one}'; a rule of the class says when")
    ran = run("fit", "ill.csv", "--target", "ill", "--positive", "yes", "--epsilon", "1", "--dry-run",
              "--class", "thresholds(age, 0..98)")  # fmt: skip
    assert "label 1" not in ran.out


@pytest.mark.parametrize(
    ("changes", "words"),
    [
        ({"positive": "UA"}, "`labels` for several labels to fix it: give one of the two"),
        ({"labels": "UA"}, "2 or more"),
        ({"labels": "UA,UA"}, "named twice"),
        ({"labels": "1,1.0"}, "the same number"),
        ({"labels": ",".join(map(str, range(10_000)))}, "10,000 labels"),
        ({"default": "HA"}, "not one of the declared labels"),
        ({"labels": None, "positive": "UA", "default": "UA"}, "no list of labels"),
        ({"class": "thresholds(k, 0..9)"}, "of 3 labels: thresholds has two labels"),
        ({"class": "lookup(tail)"}, "how many keys"),
        ({"class": "lookup(carrier; at most 9)"}, "'carrier'"),
        ({"class": "lookup(tailnum; at most 9)"}, "'tailnum'"),
        ({"delta": "0", "method": "lookup"}, "one record alone"),
        ({"estimate": "0.1"}, "leave the estimate out"),
        ({"method": "exponential"}, "infinitely many"),
        ({"method": "staged"}, "it learns two labels, and the class has 3"),
        ({"method": "tournaments"}, "no such method"),
    ],
    ids=lambda value: str(value)[:40],
)
def test_what_is_refused(changes: dict[str, Any], words: str) -> None:
    ran = fit(**changes)
    assert ran.status == 2
    assert ran.out == ""
    assert ran.err.startswith("error: cannot ")
    assert words in " ".join(ran.err.split())
    assert not Path("littlestone.ledger").exists()


def test_labels_or_a_positive_one() -> None:
    ran = fit(labels=None)
    assert ran.status == 2
    assert "--positive" in ran.err
