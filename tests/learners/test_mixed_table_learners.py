"""Learners of mixed tables: what they draw if epsilon is so large that only the best is likely."""

from __future__ import annotations

from itertools import product
from typing import Any

from littlestone.classes import parse_class
from littlestone.learners.regrown import RegrownLearner
from littlestone.learners.rounds import RoundsLearner
from littlestone.learners.vocabulary import VocabularyLearner
from littlestone.privacy import Budget
from littlestone.privacy.ledger import Ledger
from littlestone.sample import Sample

LARGE = Budget(1000, "0.1")
CELLS = list(product(("", "0", "5"), ("", "a", "(other)")))


def released(kind: Any, text: str, examples: Any, labels: int = 2) -> str:
    H: Any = parse_class(text, labels=labels)
    sample = Sample.from_examples(H.domain, examples, labels=labels)
    with Ledger() as ledger:
        return kind(H, LARGE).fit(sample, ledger=ledger, dataset="d").hypothesis.words()


def test_each_round_learns_from_what_is_left() -> None:
    examples = [((x, s), 2 if not x else int(s == "a")) for x, s in CELLS]
    text = "rule_list(x at {0, 5}, s in {a}; at most 2)"
    words = released(RoundsLearner, text, [*examples, *examples[:3]], labels=3)
    assert words == "2 if x is missing, else 1 if s is a, else 0"


def test_each_leaf_is_split_by_its_own_records() -> None:
    examples = [((x, s), int(x == "5" if s == "a" else x == "")) for x, s in CELLS]
    examples += [(("5", "a"), 1), (("5", ""), 0), (("0", ""), 0)] * 9
    words = released(RegrownLearner, "trees(x at {0, 5}, s in {a}; depth 1)", examples)
    assert words == "if s is a then (1 if x >= 5, else 0), else (1 if x is missing, else 0)"


def test_values_of_each_open_column_are_listed() -> None:
    rows = list(product(("ICU", "ER", ""), ("7", "8", "")))
    examples = [((w, c), int(w == "ICU" and c == "7")) for w, c in rows] * 40
    words = released(VocabularyLearner, "trees(ward, integers(code); depth 2)", examples)
    assert words == "ward is ICU and code is 7"
