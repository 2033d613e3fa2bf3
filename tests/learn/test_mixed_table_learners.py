"""Learners of mixed tables: what they pay, and what they draw if only the best is likely."""

from __future__ import annotations

import math
from fractions import Fraction
from itertools import product
from typing import Any

import pytest

from littlestone.base.errors import DeclarationError
from littlestone.classes import parse_class
from littlestone.data.sample import Sample
from littlestone.learn.regrown import RegrownLearner
from littlestone.learn.rounds import RoundsLearner, VocabularyLearner, count_values
from littlestone.privacy import Budget
from littlestone.privacy.ledger import Ledger

LARGE = Budget(1000, "1e-15")
CELLS = list(product(("", "0", "5"), ("", "a", "(other)")))


def released(kind: Any, text: str, examples: Any, labels: int = 2) -> Any:
    H: Any = parse_class(text, labels=labels)
    sample = Sample.from_examples(H.domain, examples, labels=labels)
    with Ledger() as ledger:
        return kind(H, LARGE).fit(sample, ledger=ledger, dataset="d").hypothesis


def test_each_round_learns_from_what_is_left() -> None:
    examples = [((x, s), 2 if not x else int(s == "a")) for x, s in CELLS]
    text = "rule_list(x at {0, 5}, s in {a}; at most 2)"
    h = released(RoundsLearner, text, [*examples, *examples[:3]], labels=3)
    assert h.words() == "2 if x is missing, else 1 if s is a, else 0"


def test_each_leaf_is_split_by_its_own_records() -> None:
    examples = [((x, s), int(x == "5" if s == "a" else x == "")) for x, s in CELLS]
    examples += [(("5", "a"), 1), (("5", ""), 0), (("0", ""), 0)] * 9
    h = released(RegrownLearner, "trees(x at {0, 5}, s in {a}; depth 1)", examples)
    assert h.words() == "if s is a then (1 if x >= 5, else 0), else (1 if x is missing, else 0)"


def test_values_of_each_open_column_are_listed() -> None:
    rows = list(product(("ICU", "ER", ""), ("7", "8", "")))
    examples = [(row, int(row == ("ICU", "7"))) for row in rows]
    h = released(VocabularyLearner, "trees(ward, integers(code); depth 2)", examples * 40)
    assert all(h(row) == y for row, y in examples)


def test_a_value_of_one_record_is_not_listed() -> None:
    examples = [(("rare",), 1), *((ward, 0) for ward in zip("bcde", strict=True))]
    examples += [(("often",), 0), (("",), 0)] * 99
    assert released(VocabularyLearner, "trees(ward; depth 1)", examples)(("rare",)) == 0


def test_rounds_share_the_budget() -> None:
    """Also by a composition that needs the delta: then each round has more than an eighth."""
    H = parse_class("rule_list(x at {0, 5}; at most 8)")
    pure, composed = RoundsLearner(H, Budget(1)), RoundsLearner(H, Budget(1, "1e-6"))
    assert pure.event.uses() == [(pure.mechanism, 8)]
    assert (pure.mechanism.epsilon, pure.cost().epsilon) == (Fraction(1, 8), Fraction(1))
    assert composed.event.uses() == [(composed.mechanism, 8)]
    assert composed.mechanism.epsilon > Fraction(1, 8)
    assert composed.cost().within(Budget(1, "1e-6").cost)


def test_values_and_the_tree_share_the_budget() -> None:
    H: Any = parse_class("trees(ward, integers(code); depth 1)")
    learner: Any = VocabularyLearner(H, Budget(1, "1e-6"))
    selection, inner = learner.selection, learner.inner(H.close_columns({}))
    assert (selection.epsilon, selection.delta) == (Fraction(1, 6), Fraction(1, 2 * 10**6))
    assert inner.event.epsilon == Fraction(2, 3)
    assert learner.event.uses() == [(selection, 2), (inner.event, 1)]


def test_the_values_that_are_kept() -> None:
    """What is missing and "(other)" stand for themselves; of too many, the first as texts."""
    H: Any = parse_class("trees(ward; depth 1)")
    learner: Any = VocabularyLearner(H, Budget(1, "1e-6"))
    assert learner.values_to_list(frozenset(["b", "", "(other)", "a"])) == ["a", "b"]
    many = [f"{i:04}" for i in range(1030)]
    assert learner.values_to_list(frozenset(many)) == many[:1024]


def test_records_are_counted_and_not_points() -> None:
    H: Any = parse_class("trees(ward, x at {0}; depth 1)")
    sample = Sample[Any].from_counts(
        H.domain, {("a", "0"): [3, 1], ("a", ""): [0, 2], ("b", "0"): [0, 0]}
    )
    assert count_values(sample, 0) == {"a": 6}
    assert count_values(sample, 1) == {"0": 4, "": 2}


def test_the_size_of_a_regrown_tree_is_the_least_of_its_formula() -> None:
    learner: Any = RegrownLearner(parse_class("trees(x at {0, 5}, s in {a}; depth 2)"), Budget(1))
    conditions, beta = 4, 0.05
    splits, leaves = 4 * conditions, 4
    trees, rate = conditions * splits**2, math.log(learner.mechanism.base)

    def alpha(n: int) -> float:
        drawn = math.log(3 * trees / beta) + leaves * math.log(3 * leaves * splits / beta)
        spread = math.log(6 * trees * splits**leaves / beta), math.log(6 / beta)
        return drawn / (n * rate) + sum(math.sqrt(part / (2 * n)) for part in spread)

    n = learner.plan(0.1, beta).n
    assert alpha(n) <= 0.1 < alpha(n - 1)


def test_the_work_of_rounds_grows_with_their_number() -> None:
    H: Any = parse_class("rule_list(x: 0..2000; at most 3)")
    assert H.items == 2 + 2 * 4001
    assert RoundsLearner(H, Budget(1)).work(10) == 3 * (10 + 8)


@pytest.mark.parametrize(
    ("kind", "text"),
    [(RoundsLearner, "rule_list(x at {0, 5}; at most 2)"),
     (RegrownLearner, "trees(x at {0, 5}; depth 1)")],
)  # fmt: skip
def test_version_spaces_are_refused(kind: Any, text: str) -> None:
    left = parse_class(text).restrict(("5",), 1)
    with pytest.raises(DeclarationError, match="it is not a class of"):
        kind(left, Budget(1))
