"""Lists and sets of rules: what a round scores, and what the rules make together."""

import random
from itertools import product
from typing import Any

import numpy as np
import pytest
from mixed_tables import errors_of, random_examples, sample_of

from littlestone.base.errors import DeclarationError, TooLargeError
from littlestone.classes import parse_class
from littlestone.classes.rule_lists import RuleLists
from littlestone.learn.rounds import left
from littlestone.points import Listed, Product

LISTS = [
    ("rule_list(x at {0, 5}, sex in {F}; at most 2)", 2),
    ("rule_list(x at {0, 5}, sex in {F}; at most 2 rules of 2)", 2),
    ("rule_list(y at {0, 5, 8}; at most 3)", 2),
    ("rule_list(x at {0, 5}, sex in {F}; at most 2)", 3),
]
SETS = [
    ("rule_sets(x at {0, 5, 8}, sex in {F}; at most 2 rules of 2)", 2),
    ("rule_sets(x at {0, 5}; at most 3 rules of 1)", 2),
]
REFUSED = {
    "rule_list(x at {0, 5}; at most 0)": "between 1 and 16",
    "rule_list(x at {0, 5}; at most 17)": "between 1 and 16",
    "rule_list(x at {0, 5}; at most two)": "does not say how many",
    "rule_list(x at {0, 5}; at least 2)": "does not say how many",
    "rule_list(x at {0, 5}; at most 2 rules of)": "does not say how many",
    "rule_list(x at {0, 5}; at most 2 rules of 5)": "1, 2, 3 or 4",
    "rule_list(x at {0, 5}; depth 2)": "is unknown",
    "rule_sets(x at {0, 5}; at most 2 rules of 9)": "1, 2, 3 or 4",
}


@pytest.mark.parametrize(("text", "labels"), LISTS + SETS)
def test_a_round_scores_every_item(text: str, labels: int) -> None:
    H: Any = parse_class(text, labels=labels)
    rng = random.Random(1)
    for n in (0, 1, 50):
        examples = random_examples(H, rng, n)
        errors = H.round_scores(sample_of(H, examples)).errors
        assert len(errors) == H.items
        for i, found in enumerate(errors.tolist()):
            assert found == errors_of(H.function_of_rules([H.rule(i)]), examples)
    rules = [H.rule(i) for i in range(H.items)]
    assert len(set(rules)) == len(rules)


@pytest.mark.parametrize(("text", "labels"), LISTS + SETS)
def test_rules_are_read_one_after_the_other(text: str, labels: int) -> None:
    """The first rule that holds says the label; else the last one's default."""
    H: Any = parse_class(text, labels=labels)
    rng, points = random.Random(2), list(H.domain)
    for _ in range(200):
        rules = [H.rule(rng.randrange(H.items)) for _ in range(rng.randrange(1, H.rules + 1))]
        h = H.function_of_rules(rules)
        for x in points:
            held = (r.yes for r in rules if all(x[t.column] in t.accepted for t in r.tests))
            assert h(x) == next(held, rules[-1].no)


@pytest.mark.parametrize(("text", "labels"), [*LISTS[:1], *SETS[1:], LISTS[3]])
def test_the_functions_are_those_of_all_rounds(text: str, labels: int) -> None:
    """A list ends with a label for everything, or after its last rule."""
    H: Any = parse_class(text, labels=labels)
    points, rules = list(H.domain), [H.rule(i) for i in range(H.items)]
    found = set()
    for r in range(1, H.rules + 1):
        for chosen in product(rules, repeat=r):
            found.add(tuple(map(H.function_of_rules(chosen), points)))
    assert {
        tuple(row) for row in np.asarray(H.labels_of_forms(points)).astype(int).tolist()
    } == found
    assert H.size == len(found) <= H.forms == sum(H.items**r for r in range(1, H.rules + 1))


def test_the_errors_of_a_list_are_those_of_its_parts() -> None:
    """What the rules cover is decided; the next item is scored on what is left."""
    H: Any = parse_class(*LISTS[1])
    examples = random_examples(H, random.Random(5))
    sample, rng = sample_of(H, examples), random.Random(6)
    for _ in range(30):
        first = H.rule(rng.randrange(2, H.items))
        rest = left(sample, first)
        decided = errors_of(H.function_of_rules([first._replace(no=0)]), examples) - int(
            rest.counts[:, 1].sum()
        )
        for i, errors in enumerate(H.round_scores(rest).errors.tolist()):
            assert decided + errors == errors_of(H.function_of_rules([first, H.rule(i)]), examples)


def test_a_rule_that_says_what_the_rest_says_is_left_out() -> None:
    H: Any = parse_class(*LISTS[3])
    item = next(i for i in range(H.items) if H.rule(i).tests and H.rule(i).yes == 1)
    assert H.function_of_rules([H.rule(item), H.rule(1)]).words() == "always 1"


@pytest.mark.parametrize(("text", "labels"), LISTS + SETS)
def test_text(text: str, labels: int) -> None:
    H = parse_class(text, labels=labels)
    assert parse_class(str(H), labels=labels) == H


@pytest.mark.parametrize("text", ["rule_list(ward; at most 2)", "trees(ward; depth 1)"])
def test_open_columns_have_several_labels_too(text: str) -> None:
    H: Any = parse_class(text, labels=3)
    assert H.labels == H.close_columns({}).labels == 3


def test_limits_of_lists() -> None:
    """Sixteen rules; and cells of all labels: lists without values have two cells and one condition."""
    assert parse_class("rule_list(x at {0, 5}; at most 16)").labels == 2
    table = Product(tuple(Listed((), f"c{j}") for j in range(56)))
    with pytest.raises(TooLargeError, match="so many cells"):
        RuleLists(table, None, 1, 4, 12)


@pytest.mark.parametrize("text", REFUSED)
def test_what_lists_of_rules_refuse(text: str) -> None:
    with pytest.raises(DeclarationError, match=REFUSED[text]):
        parse_class(text)
