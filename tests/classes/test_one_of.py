"""Several classes are one class if a single draw compares their rules; else they are refused."""

from __future__ import annotations

from typing import Any

import pytest

from declaring import choose_task
from littlestone.base.errors import DeclarationError
from littlestone.classes.union import ScoredUnion
from littlestone.data import Label
from littlestone.learn.declared.declaring import declare_class
from littlestone.privacy import Budget

CLOSED, OPEN = "age: 0..80 step 20", "ward, age: 0..80 step 20"


def test_one_draw_compares_all_rules() -> None:
    texts = [f"conditions({CLOSED}; at most 1)", f"trees({CLOSED}; depth 1)"]
    task = choose_task(Label.parse("late", "1"), texts, Budget(1))
    assert isinstance(task.learner.hypotheses, ScoredUnion)
    assert task.learner.method == "exponential"
    assert str(declare_class(texts[:1])) == texts[0]


@pytest.mark.parametrize(
    ("texts", "labels", "words"),
    [
        ([], 2, "there are none"),
        (["points(ward)", "thresholds(age, 0..80)"], 2, "the same columns, declared alike"),
        (["trees(ward; depth 1)", "trees(ward in {A, B}; depth 1)"], 2, "declared alike"),
        (
            [f"conditions({OPEN}; at most 2)", f"trees({OPEN}; depth 1)"],
            2,
            "one of the classes alone",
        ),
        ([f"rule_list({CLOSED}; at most {k})" for k in (1, 2)], 2, "one of the classes alone"),
        ([f"trees({CLOSED}; depth {k})" for k in (1, 2)], 3, "--positive"),
    ],
)
def test_others_are_refused_with_a_remedy(texts: list[str], labels: int, words: str) -> None:
    with pytest.raises(DeclarationError) as refused:
        declare_class(texts, labels)
    assert words in str(refused.value)


def test_the_first_that_cannot_be_compared_is_named() -> None:
    texts: list[Any] = [f"trees({CLOSED}; depth 1)", f"rule_list({CLOSED}; at most 2)"]
    with pytest.raises(DeclarationError, match=r"rule_list.*a single draw cannot compare"):
        declare_class(texts)
