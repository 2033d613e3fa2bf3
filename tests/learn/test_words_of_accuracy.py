"""What `fit` says of the accuracy: one plain sentence, and no number that another line contradicts."""

from __future__ import annotations

import pytest

from littlestone.classes import parse_class
from littlestone.learn.plan import choose_learner
from littlestone.learn.results.accuracy import accuracy, group_accuracy
from littlestone.privacy import Budget
from littlestone.privacy.mistakes import MistakeCosts


@pytest.mark.parametrize(
    ("text", "n", "sentence"),
    [
        (
            "thresholds(x, 0..9)",
            10_000,
            "On new records, the error is at most 3.29 percentage points above that of the best rule "
            "in the class (proved, with probability 95%).",
        ),
        (
            "subsets(a; at most 2)",
            1000,
            "If some rule in the class makes no mistakes, the error on new records is at most 6.69% "
            "(proved, with probability 95%). Otherwise there is no guarantee.",
        ),
        (
            "thresholds(x, 0..9)",
            9,
            "No accuracy guarantee: to be within 50 percentage points of the best rule needs 38 "
            "records.",
        ),
        (
            "lookup(a; at most 2)",
            9,
            "No accuracy guarantee: an error of at most 50% needs 119 records and error-free labels.",
        ),
        (
            "rule_sets(a, b; at most 2 rules of 1)",
            10**9,
            "No accuracy guarantee: none is known for the method choosing.",
        ),
    ],
)
def test_the_sentence(text: str, n: int, sentence: str) -> None:
    learner, why = choose_learner(parse_class(text), Budget(1, "1e-6"))
    assert accuracy(learner, n) == sentence
    assert "records" not in why


def test_costs_and_groups_say_what_would_be_proved_too() -> None:
    H = parse_class("thresholds(x, 0..9)")
    costly, _ = choose_learner(H, Budget(1), mistakes=MistakeCosts(5, 1))
    assert accuracy(costly, 9) == (
        "No accuracy guarantee: to be within a mean cost of 2.5 of the best rule needs 38 records."
    )
    group, _ = choose_learner(H, Budget(1), mistakes=MistakeCosts.above("0.2"))
    assert group_accuracy(group, 9) == (
        "No accuracy guarantee: to be within 40% of all records of the best group needs 38 records."
    )
