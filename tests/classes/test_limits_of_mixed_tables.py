"""Classes over mixed tables that would take too long are refused by name, before anything is spent."""

from __future__ import annotations

from typing import Any

import pytest

from littlestone.base.errors import DeclarationError, TooLargeError
from littlestone.classes import parse_class
from littlestone.classes.promises.by_table import OpenClass
from littlestone.classes.promises.open_conditions import OpenConditions
from littlestone.data.sample import Sample
from littlestone.learn import ChoosingLearner
from littlestone.learn.rounds import VocabularyLearner
from littlestone.points import Listed, Product, Strings
from littlestone.privacy import Budget
from littlestone.privacy.ledger import Ledger
from littlestone.privacy.randomness import seeded_generator


@pytest.mark.parametrize(
    "text",
    [
        "conditions(x: 0..2047; at most 1, between)",
        "conditions(" + ", ".join(f"c{j}: 0..4094" for j in range(12)) + "; at most 1)",
        "conditions(w, x: 0..4094; at most 1, between)",
        "trees(" + ", ".join(f"c{j} at {{0, 5}}" for j in range(900)) + "; depth 2)",
        "rule_list(" + ", ".join(f"c{j}: 0..19" for j in range(8)) + "; at most 16 rules of 3)",
    ],
)
def test_what_would_take_too_long_is_refused(text: str) -> None:
    with pytest.raises(TooLargeError, match="candidates, more than"):
        parse_class(text)


@pytest.mark.deep
def test_no_value_is_listed_where_none_is_within_the_limits() -> None:
    columns = ", ".join(f"c{i}: 0..{578 + (i == 0)}" for i in range(10))  # 5,791 conditions
    H: Any = parse_class(f"trees(w, {columns}; depth 2)")
    assert isinstance(H, OpenClass)
    assert H.most_values == 0
    learner = VocabularyLearner(H, Budget(1, "1e-3"))
    examples = [(("A", *[0] * 10), 1)] * 300 + [(("B", *[7] * 10), 0)] * 300
    sample = Sample.from_examples(H.domain, examples)
    with Ledger() as book:
        release = learner.fit(sample, ledger=book, dataset="d", rng=seeded_generator(1))
    assert release.hypothesis(("A", *["0"] * 10)) in (0, 1)


def test_choosing_over_too_many_cells_is_refused_before_the_spend() -> None:
    wide = tuple(map(str, range(2000)))
    H = OpenConditions(Product((Strings("w"), Listed(wide, "a"), Listed(wide, "b"))), 3)
    learner = ChoosingLearner(H, Budget(1, "1e-6"))
    learner.require_affordable(100)
    with pytest.raises(TooLargeError, match="rules over the cells of 1,000,000 records"):
        learner.require_affordable(1_000_000)


WIDE = ", ".join(f"q{i}: 0..4" for i in range(900))


@pytest.mark.parametrize(
    ("text", "found"),
    [
        (f"conditions({WIDE}; at most 2 either)", "option 'at most 2 either' is unknown"),
        (f"trees({WIDE}; 2)", "option '2' is unknown"),
        (f"rule_list({WIDE}; 2 rules)", "option '2 rules' is unknown"),
        (f"tree({WIDE}; depth 2)", "there is no class called 'tree'"),
        (f"trees({WIDE}; depth 2; 3)", "more than one semicolon"),
    ],
)
def test_an_error_shows_what_is_wrong_and_not_the_whole_class(text: str, found: str) -> None:
    with pytest.raises(DeclarationError, match=found) as error:
        parse_class(text)
    assert len(str(error.value)) < 800
    assert WIDE in str(error.value.asked)  # programs see all of it
