"""`subgroup` and `--cost` on the command line and in Python: one budget, one entry, what is shown."""

from __future__ import annotations

import json
from fractions import Fraction
from pathlib import Path
from typing import Any

import polars
import pytest
from running import entries, run

import littlestone
from littlestone.base.errors import DeclarationError, ModelError
from littlestone.classes import parse_class
from littlestone.learn import ExponentialLearner, Release
from littlestone.learn.results.accuracy import Group, group_accuracy, round_up
from littlestone.privacy import Budget
from littlestone.privacy.ledger import Ledger
from littlestone.privacy.mistakes import MistakeCosts
from littlestone.show.words import rows_of_group

ROWS = [(f"C{i % 5}", i % 24, int(i % 5 == 2 and i % 7 < 4)) for i in range(3000)]
CLASSES = {
    "rules(carrier; at most 1)": "1e-6",
    "thresholds(hour, 0..23)": "0",
    "boxes(hour 0..23)": "0",
    "conditions(hour: 0..23, carrier in {C0, C1, C2}; at most 2)": "0",
}
RULES = next(iter(CLASSES))


@pytest.fixture
def table(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.chdir(tmp_path)
    lines = [f"{carrier},{hour},{late}\n" for carrier, hour, late in ROWS]
    Path("flights.csv").write_text("carrier,hour,late\n" + "".join(lines))
    return Path("flights.csv")


def arguments(table: object, **changed: object) -> list[str]:
    options: dict[str, object] = {
        "target": "late",
        "positive": "1",
        "class": RULES,
        "above": "0.3",
        "epsilon": "2",
        "delta": "1e-6",
        **changed,
    }
    return [str(table), *(f"--{name}={value}" for name, value in options.items() if value)]


@pytest.mark.parametrize(("text", "delta"), CLASSES.items())
def test_a_group_is_one_entry_for_one_epsilon(table: Path, text: str, delta: str) -> None:
    asked = {"class": text, "delta": delta, "out": "group.json"}
    ran = run("subgroup", *arguments(table, **asked), "--json")
    assert ran.status == 0
    assert ran.err.startswith("littlestone.ledger: new ledger. Total so far: epsilon 2")
    assert ran.err.endswith(". No limit set.\n")
    found = json.loads(ran.out)
    assert entries(Path("littlestone.ledger")) == [1]
    with Ledger("littlestone.ledger") as ledger:
        (entry,) = ledger.entries()
    assert entry.cost.epsilon <= 2
    assert entry.what.startswith("find a group with a rate of late == 1 above 0.3 from ")
    figures = found["group"]
    assert json.loads(Path("group.json").read_text()) == found
    release = Release.load("group.json")
    assert release.estimate is not None
    assert release.estimate.epsilon == Fraction(1, 5)
    group = Group(release)
    assert figures["words"] == group.words()
    for name, share in (
        ("size", group.size),
        ("rate", group.rate),
        ("overall rate", group.overall),
    ):
        assert figures[name] == dict(zip(share._fields, map(float, share), strict=True))
    assert len(run("predict", "group.json", table).out.split()) == 3001
    page = run("report", "group.json").out
    assert "<h1>A group with many “late is 1”</h1>" in page
    assert "littlestone subgroup TABLE.csv" in page
    assert "--above 0.3" in page
    card = run("export", "group.json", "--to", "card").out
    assert "A group with many late" in card
    assert "says who is in the group" in card
    with pytest.raises(ModelError, match="a group has no estimate"):
        Release.from_json({name: value for name, value in found.items() if name != "estimate"})


def test_the_figures_are_near_the_truth(table: Path) -> None:
    ran = run("subgroup", *arguments(table), "--evaluate")
    assert ran.status == 0
    shown = {line.split("  ")[1]: line for line in ran.out.splitlines() if line.startswith("  ")}
    assert "carrier is 'C2'" in shown["group"]
    assert "of the group have late == 1" in shown["rate"]
    assert "private, for epsilon 0.2 of the total" in shown["estimates"]
    assert "the group with the most positives beyond 0.3 of its records" in shown["sought"]
    assert "fall short of those of the best group" in shown["accuracy"]
    assert "mean cost of always 0" in ran.out


def test_a_dry_run_spends_nothing(table: Path) -> None:
    ran = run("subgroup", *arguments(table), "--dry-run")
    assert ran.status == 0
    assert "gain 7, loss 3, epsilon 1.8" in ran.out
    assert "counts of 3 cells with discrete Laplace noise, epsilon 0.2" in ran.out
    assert "parts      epsilon 1.8 for the group, 0.2 for its size and rate\n" in ran.out
    assert not Path("littlestone.ledger").exists()


@pytest.mark.parametrize(
    ("changed", "message"),
    [
        ({"above": "0"}, "strictly between 0 and 1"),
        ({"above": "x"}, "not a finite number"),
        ({"above": "0.00001"}, "whole numbers up to"),
        ({"estimate": "2"}, "leaves nothing"),
        ({"method": "irreducible"}, "counts every mistake as one"),
        ({"delta": "0"}, "delta"),
        ({"class": "rules(late; at most 1)"}, "holds the label itself"),
    ],
)
def test_what_is_refused_spends_nothing(table: Path, changed: dict[str, str], message: str) -> None:
    ran = run("subgroup", *arguments(table, **changed))
    assert ran.status == 2
    assert message in " ".join(ran.err.split())
    assert not Path("littlestone.ledger").exists()


def test_nobody_has_an_unknown_rate(table: Path) -> None:
    # An interval misses the truth with probability 5% at most; with this seed it does not.
    ran = run("subgroup", *arguments(table, above="0.99"), "--seed", "1")
    assert "group      nobody" in ran.out
    assert "unknown, because the group may be empty\n" in ran.out


def test_the_function_finds_the_same_group(table: Path) -> None:
    frame = polars.read_csv(table)
    asked: dict[str, Any] = {"positive": 1, "hypotheses": RULES, "epsilon": 2, "delta": "1e-6"}
    with Ledger() as ledger:
        asked |= {"ledger": ledger, "dataset": "flights"}
        group = littlestone.subgroup(frame, "late", above=Fraction(1, 3), estimate=1, **asked)
        assert len(ledger.entries()) == 1
    assert group.words() == "carrier is 'C2'"
    assert (group.above, group.release.cost.epsilon <= 2) == (Fraction(1, 3), True)
    true = sum(y for c, _, y in ROWS if c == "C2") / 600
    assert group.rate.low <= true <= group.rate.high
    assert group.size.low <= 0.2 <= group.size.high
    assert "the most positives beyond 1/3 of its records" in repr(group)
    assert littlestone.predict(group.release, frame)[:5] == [0, 0, 1, 0, 0]
    with Ledger() as ledger:
        plain = Group(littlestone.fit(frame, "late", **{**asked, "ledger": ledger}))
    with pytest.raises(DeclarationError, match="no estimate"):
        rows_of_group(plain)


def test_a_simulation_of_a_data_set_by_name(table: Path) -> None:
    asked = [*arguments(table), "--seed", "1", "--dataset", "flights"]
    ran = run("subgroup", *asked)
    assert "Simulated release: NOT PRIVATE" in ran.out
    assert run("subgroup", *asked).out.splitlines()[1:5] == ran.out.splitlines()[1:5]
    with Ledger("littlestone.ledger") as ledger:
        assert ledger.datasets() == ["flights"]


def test_what_is_proved_of_the_gain() -> None:
    """A gain counts each record 7 or 3, divided by 10, and a mean cost each in units of 7."""
    H, costs = parse_class("thresholds(hour, 0..23)"), MistakeCosts.above("0.3")
    learner = ExponentialLearner(H, Budget(1), cost=costs)
    alpha = learner.accuracy(3000, 0.05)
    assert alpha is not None
    assert f"by at most {round_up(100 * alpha * 0.7)}% of all" in group_accuracy(learner, 3000)


def test_fit_and_plan_take_costs(table: Path) -> None:
    shared = ["--class", "thresholds(hour, 0..23)", "--epsilon", "1", "--positive", "1"]
    ran = run("fit", table, "--target", "late", *shared, "--cost", "10:2", "--evaluate")
    assert ran.status == 0
    assert "mistakes   a missed positive costs 5, a false alarm 1" in ran.out
    assert "the mean cost is at most" in ran.out
    plans = run("plan", RULES, "--epsilon", "1", "--delta", "1e-6", "--cost", "5:1", "--json")
    data = json.loads(plans.out)
    assert data["costs"] == {"missed positive": 5, "false alarm": 1}
    assert [method["method"] for method in data["methods"]] == ["choosing"]
    names = ["--labels", "a,b,c", "--class", "outcomes(carrier; at most 1)"]
    ran = run("fit", table, "--target", "late", "--epsilon", "1", *names, "--cost", "5:1")
    assert ran.status == 2
    assert "none of the labels is the positive one" in " ".join(ran.err.split())
