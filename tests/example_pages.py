"""Releases, runs and ledgers that pages are made of."""

from __future__ import annotations

import json
from fractions import Fraction
from pathlib import Path
from typing import Any

from littlestone.learn import Release
from littlestone.learn.results.estimate import Estimate, UnreadRecords
from littlestone.learn.results.risks import Risks
from littlestone.points import Cells, Grid, Listed, Product, Strings
from littlestone.points.units import Unit
from littlestone.privacy.cost import Budget, NeighboringRelation, PrivacyCost
from littlestone.privacy.ledger import Ledger
from littlestone.privacy.mechanisms.exponential import ExponentialMechanism
from littlestone.privacy.mistakes import MistakeCosts
from littlestone.rules import FiniteSet, Hypothesis, RuleUnion, StepFunction, TableFunction
from littlestone.rules.box import Box
from littlestone.rules.nodes import ColumnTest, Split
from littlestone.rules.sheet import ScoreSheet
from littlestone.rules.trees import DecisionTree

HOSTILE = "<script>document.title='hacked'</script>\"'><img src=x onerror=alert(1)>{0}&amp;\u202e"

AGE = Grid(0, 120, "age")
TABLE = Product((Cells(("0", "40", "80"), "age"), Listed(("F", "M"), "sex")))
SHEET = ScoreSheet(TABLE, (0, 1), ((0, -2, 12, 31), (0, 0, 14, -1)), 33, (-1500, 90))
OLD, FEMALE = ColumnTest(0, frozenset(["80"])), ColumnTest(1, frozenset(["F"]))
FLIGHTS = Product((Strings("carrier"), Strings("origin"), Strings("dest")))
RULES: dict[str, Hypothesis[Any]] = {
    "threshold": StepFunction.threshold(AGE, 60),
    "interval": StepFunction(AGE, 0, (30, 61)),
    "never": StepFunction(AGE, 0, ()),
    "always": StepFunction(AGE, 1, ()),
    "box": Box(Product((Grid(0, 23, "hour"), Grid(0, 6, "day"))), ((8, 23), (1, 1))),
    "empty box": Box(Product((AGE, Grid(0, 6, "day"))), None),
    "set": FiniteSet(Strings("dest"), frozenset({"HNL", "OGG"})),
    "rules": RuleUnion(FLIGHTS, frozenset({(None, "JFK", "HNL"), ("HA", None, None)})),
    "tree": DecisionTree(TABLE, Split(OLD, Split(FEMALE, 1, 0), Split(FEMALE, 0, 1))),
    "condition": DecisionTree(TABLE, Split(OLD, 1, 0)),
    "table": TableFunction.from_labels(AGE, [int(x % 7 == 3) for x in AGE]),
}


def release(rule: Hypothesis[Any] = RULES["threshold"], **more: Any) -> Release:
    """A release of the rule with public numbers that stand nowhere else."""
    fields: dict[str, Any] = {
        "hypotheses": "thresholds(age, 0..120)",
        "label": "ill == 1",
        "n": 7_431,
        "cost": PrivacyCost(Fraction(3, 4), Fraction(1, 10**6)),
        "mechanism": "exponential mechanism on error counts, epsilon 0.75",
        "private": True,
        "receipt": 17,
        "accuracy": "On new records, the error is at most 4.21 percentage points above that of the "
        "best rule in the class (proved, with probability 95%).",
    }
    return Release(rule, **(fields | more))


def risks_of(rule: Any) -> Risks:
    """Risks of a rule, with some places almost empty."""
    rows = tuple((2_000 // (i + 1), 300 * i - 5) for i in range(rule.bins[-1] + 1))
    return Risks(rule, Fraction(1, 4), 7_431, rows)


def variants() -> dict[str, Release]:
    """Releases of every shape."""
    found = {name: release(rule) for name, rule in RULES.items()}
    of_unit = NeighboringRelation.replace_one_unit("patient")
    table = Product((Cells(("0", "9"), HOSTILE), Listed((HOSTILE,), "x")))
    high, strange = ColumnTest(0, frozenset(["9"])), ColumnTest(1, frozenset([HOSTILE]))
    hostile = DecisionTree(table, Split(high, Split(strange, 1, 0), 0))
    names = ("label", "hypotheses", "mechanism", "accuracy")
    return found | {
        "estimated": release(estimate=Estimate(Fraction(1, 4), 7_431, 2_905, 144, 211)),
        "unread": release(
            estimate=Estimate(
                Fraction(1, 4),
                7_431,
                2_905,
                144,
                211,
                unread=UnreadRecords(Fraction(1, 8), 163, -4),
            )
        ),
        "sheet": release(SHEET, risks=risks_of(SHEET)),
        "risks": release(RULES["tree"], risks=risks_of(RULES["tree"])),
        "named": release(RULES["tree"], labels=("no, never", "yes"), label="ill"),
        "unit": release(
            unit=Unit("patient", 3), cost=PrivacyCost(Fraction(2), Fraction(0), of_unit)
        ),
        "costs": release(mistakes=MistakeCosts(5, 1)),
        "simulated": release(private=False),
        "large": release(cost=PrivacyCost(Fraction(12))),
        "spanning": release(spanning=True, accuracy=""),
        "hostile": release(hostile, labels=(HOSTILE, "b"), **dict.fromkeys(names, HOSTILE)),
    }


def run_lines(*, private: bool = True) -> list[str]:
    """What `littlestone stream` prints, with lines that are not private among it."""
    header = {
        "private": private, "epsilon": "1", "delta": "0.000001", "neighboring": "replace-one",
        "horizon": 4000, "class": "subsets(id; at most 2)", "label": "bad == 1",
        "method": "keys, of at most 74 mistakes on clean labels", "mechanism": "key selection",
        "ledger entry": 5,
    }  # fmt: skip
    domain = Strings("id")
    rules = {0: [], 503: ["d1"], 705: ["d0", "d1"]}
    lines: list[dict[str, Any]] = [header]
    for step, members in rules.items():
        h = FiniteSet(domain, frozenset(members))
        lines.append({"step": step, "rule": h.words(), "hypothesis": h.to_json()})
        lines.append({"NOT PRIVATE": True, "record": 90_909, "prediction": 1})
    lines.append({"NOT PRIVATE": True, "records": 4000, "mistakes": 80_808})
    return [json.dumps(line) for line in lines]


def spent(path: Path, *, entries: int = 2, limit: bool = True) -> Path:
    """A ledger with a data set of a hostile name, and another one."""
    with Ledger(path, create=True) as ledger:
        for i in range(entries):
            event = ExponentialMechanism(Fraction(1, 4))
            ledger.spend(event, dataset=HOSTILE[:-1], what=f"look {i}, {HOSTILE[:-1]}")
        if limit:
            ledger.set_limit(HOSTILE[:-1], Budget(3, "1e-6"))
        ledger.spend(ExponentialMechanism(Fraction(1)), dataset="census", what="a count")
    return path
