"""The learner that auto uses when the number of records is known."""

from __future__ import annotations

from dataclasses import replace
from fractions import Fraction
from typing import Any

import pytest

from declaring import choose_task
from littlestone.classes import parse_class
from littlestone.data import Label
from littlestone.data.sample import Sample
from littlestone.learn import ExponentialLearner
from littlestone.learn.declared.task import Task
from littlestone.learn.plan import candidates, choose_learner
from littlestone.learn.plan.missed import MANY, for_records
from littlestone.points.units import Unit
from littlestone.privacy import Budget
from littlestone.privacy.ledger import Ledger
from planting import Fault, turns_red

TREES = "trees(age: 0..80 step 20, sex in {F, M}; depth 2)"


def task(text: str, epsilon: object = 1, **options: Any) -> Task:
    return choose_task(Label.parse("y", 1), text, Budget(epsilon, 0), **options)


@pytest.mark.parametrize(
    ("epsilon", "n", "method"),
    [(1, MANY - 1, "exponential"), (1, MANY, "regrown"), ("0.1", 10 * MANY - 1, "exponential"),
     ("0.1", 10 * MANY, "regrown")],
)  # fmt: skip
def test_leaves_are_split_from_n_epsilon_on(epsilon: object, n: int, method: str) -> None:
    chosen = task(TREES, epsilon)
    sized = chosen.for_records(n)
    assert sized.learner.method == method
    assert sized.event.cost() == chosen.event.cost()


def test_more_records_than_radii_can_take_go_to_teachers() -> None:
    """At epsilon 1 two million are about the limit; the cost stays."""
    lines = "linear(w, x, y, z; q 2305843009213693951, dimension 2)"
    label, budget = Label.parse("v", 1), Budget(1, "1e-6")
    chosen = choose_task(label, lines, budget, setting="realizable")
    assert chosen.learner.method == chosen.for_records(10**6).learner.method == "radii"
    sized = chosen.for_records(10**7)
    assert sized.learner.method == "irreducible"
    assert sized.why == "irreducible: radii would take too long on 10,000,000 records"
    assert sized.event.cost() == chosen.event.cost()
    sized.learner.require_affordable(10**7)
    named = choose_task(label, lines, budget, setting="realizable", method="radii")
    assert named.for_records(10**7).learner.method == "radii"


def test_only_the_most_records_of_units_are_said() -> None:
    rows = task(TREES, 1)
    units = replace(rows, declaration=replace(rows.declaration, unit=Unit("patient", 3)))
    for told, most in ((rows, "regrown: 9,000"), (units, "regrown: at most 9,000")):
        assert told.for_records(9000).why.startswith(f"{most} records are enough to split")


def test_a_dry_run_says_which_method_many_records_take() -> None:
    assert task(TREES, "0.7").later()[1] == "regrown from 1,715 records on"
    assert task(TREES, "0.7").for_records(1715).learner.method == "regrown"
    assert task(TREES, "0.7").for_records(1714).learner.method == "exponential"
    assert task(TREES, method="exponential").later()[1] == ""
    assert task("thresholds(age, 0..80)").later()[1] == ""


SHEET = "score_sheet(age: 0..80 step 20, sex in {F, M}; at most 2)"
SHARED: list[tuple[str, dict[str, Any]]] = [
    (SHEET, {}),
    (TREES, {"method": "tree_sheet"}),
    (TREES, {}),
    (SHEET, {"risk": False}),
]


def most_is_shown() -> None:
    for text, told in SHARED:
        told = {"risk": True, "estimate": Fraction(1, 10), **told}
        chosen = choose_task(Label.parse("y", 1), text, Budget(1, "1e-3"), **told)
        first, most = chosen.event.cost(), chosen.later()[0].cost()
        costs = [chosen.for_records(10**k).event.cost() for k in range(9)]
        assert max(cost.epsilon for cost in costs) <= most.epsilon <= Fraction(11, 10)
        assert max(cost.delta for cost in costs) <= most.delta <= Fraction("1e-3")
        divides = (told["risk"] and text == SHEET) or "method" in told
        assert (max(cost.epsilon for cost in costs) > first.epsilon) == bool(divides)


def test_a_dry_run_shows_the_most_that_is_spent_for_any_number_of_records() -> None:
    most_is_shown()


LATER = "littlestone.learn.declared.task:Task.later"
FAULTS = [
    Fault(LATER, "if self.divides_by_records", "if False",
          "A dry run shows the cost for few records."),
    Fault(LATER, "sum(self.parts_of_epsilon.values(), Fraction(0))", "own.epsilon",
          "A dry run shows the epsilon for few records."),
    Fault(LATER, "self.declaration.budget.delta", "Fraction(0)", "A dry run forgets delta."),
]  # fmt: skip


@pytest.mark.deep
@pytest.mark.parametrize("fault", FAULTS, ids=lambda fault: fault.mistake)
def test_less_than_may_be_spent_is_noticed(fault: Fault, monkeypatch: pytest.MonkeyPatch) -> None:
    turns_red(fault, most_is_shown, monkeypatch)


def test_only_auto_changes_the_learner() -> None:
    assert task(TREES, method="exponential").for_records(10**6).learner.method == "exponential"
    assert task(TREES, cost="5:1").for_records(10**6).learner.method == "exponential"
    for text in (TREES.replace("depth 2", "depth 1"), "thresholds(age, 0..80)"):
        H: Any = parse_class(text)
        learner = ExponentialLearner(H, Budget(1))
        assert for_records(learner, 10**6) is learner
    H = parse_class("trees(age: 0..80 step 40; depth 2)")
    learner = ExponentialLearner(H.restrict(("40",), 1), Budget(1))
    assert for_records(learner, 10**6) is learner


def test_a_fit_takes_the_learner_for_its_records() -> None:
    chosen = task(TREES)
    for n, leaves in ((MANY - 1, False), (MANY, True)):
        domain = chosen.learner.hypotheses.domain
        sample = Sample[Any].from_counts(domain, {("20", "F"): [n, 0]})
        with Ledger() as ledger:
            release = chosen.fit(sample, ledger=ledger, dataset="d")
        assert ("disjoint leaves" in release.mechanism) == leaves


def test_a_tree_is_regrown_for_many_records_only() -> None:
    H: Any = parse_class(TREES)
    words = {c.method: c.describe() for c in candidates(H, Budget(1))}
    assert words["regrown"].endswith(
        f"; only for many records, from n times epsilon of {MANY:,} on"
    )
    assert choose_learner(H, Budget(1))[0].method == "exponential"
