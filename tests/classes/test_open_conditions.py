"""Rules with an open column: their candidates against all rules that the records name."""

import random
from itertools import combinations, product
from typing import Any

import numpy as np
import pytest
from mixed_tables import random_examples, sample_of

from littlestone import dim
from littlestone.base.errors import DeclarationError, TooLargeError
from littlestone.classes import parse_class
from littlestone.classes.promises import open_conditions
from littlestone.classes.promises.open_conditions import OpenConditions
from littlestone.learn.plan.choice import candidates
from littlestone.points import Cells, Integers, Product, Strings
from littlestone.privacy import Budget
from littlestone.rules.nodes import ColumnTest, conjunction
from littlestone.rules.trees import DecisionTree

TEXTS = [
    "conditions(ward, age: 0..20 step 10, integers(code); at most 2)",
    "conditions(ward, age: 0..20 step 10, sex in {F}; at most 3, between)",
    "conditions(age at {4}, ward; at most 2)",
    "conditions(ward; at most 2)",
]


def named_rules(H: Any, examples: Any) -> set[str]:
    """All rules over the values that occur, that cover a positive record, in words."""
    values = [sorted({x[j] for x, _ in examples}) for j in range(len(H.domain.columns))]
    tests = [
        H._tests[j] or [ColumnTest(j, frozenset([v])) for v in values[j]]
        for j in range(len(values))
    ]
    found = set()
    for r in range(H._most + 1):
        for subset in combinations(range(len(values)), r):
            for chosen in product(*(tests[j] for j in subset)):
                h = DecisionTree(H.domain, conjunction(chosen))
                if any(h(x) and y for x, y in examples):
                    found.add(h.words())
    return found


@pytest.mark.parametrize("chunk", [1 << 22, 8, 1])
@pytest.mark.parametrize("text", TEXTS)
def test_candidates_are_all_rules_that_cover_a_positive(
    text: str, chunk: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    H: Any = parse_class(text)
    monkeypatch.setattr(open_conditions, "_CHUNK", chunk)
    rng = random.Random(3)
    for n in (0, 1, 30):
        examples = random_examples(H, rng, n)
        sample = sample_of(H, examples)
        found = H.elements(sample)
        words = set()
        for i in range(len(found.positives)):
            h = found.element(i)
            words.add(h.words())
            assert found.positives[i] == sum(h(x) and y for x, y in examples)
            assert found.negatives[i] == sum(h(x) and not y for x, y in examples)
            inside = np.flatnonzero([h(x) for x in sample.points]).tolist()
            assert found.covered(i).tolist() == inside
        assert len(words) == len(found.positives) <= H.most_candidates(max(n, 1))
        assert words == named_rules(H, examples)


@pytest.mark.parametrize("text", TEXTS)
def test_growth_is_sharp(text: str) -> None:
    """Some record obeys as many rules as the growth says, and none obeys more."""
    H: Any = parse_class(text)
    columns = [column.examples(4) for column in H.domain.columns]
    most = max(len(H.elements(sample_of(H, [(x, 1)])).positives) for x in product(*columns))
    assert most == H.elements_per_point


def test_the_most_candidates_of_so_many_records() -> None:
    """None; a ward; one of five conditions on age; a ward and one of the two that an age obeys."""
    H: Any = parse_class("conditions(ward, age: 0..20 step 10; at most 2)")
    assert H.most_candidates(7) == 1 + 7 + 5 + 2 * 7


@pytest.mark.parametrize("text", TEXTS)
def test_text_and_bounds(text: str) -> None:
    H: Any = parse_class(text)
    assert str(H) == text
    low, high = H.littlestone_bounds()
    assert 2 <= low <= high == H.elements_per_point.bit_length()
    with pytest.raises(TooLargeError, match="a column is open"):
        H.restrict(H.domain.examples(1)[0], 1)


def test_bounds_hold_for_the_closed_class() -> None:
    """With a few values in the place of an open column, the dimension is between the bounds."""
    low, high = parse_class("conditions(w, x at {0, 1, 2, 3}; at most 2)").littlestone_bounds()
    closed = parse_class("conditions(w in {a, b, c}, x at {0, 1, 2, 3}; at most 2)")
    assert low <= closed.littlestone_dimension() <= high


def test_a_union_is_one_rule_or_none() -> None:
    H: Any = parse_class(TEXTS[0])
    found = H.elements(sample_of(H, [(("a", "10", "7"), 1)]))
    h = found.element(3)
    assert H.union([h]) == h
    assert H.union([]).words() == "always 0"


def test_what_open_conditions_refuse() -> None:
    with pytest.raises(DeclarationError, match="no column is open"):
        OpenConditions(Product((Cells(("0", "5"), "x"),)))
    with pytest.raises(DeclarationError, match="not one of a mixed table"):
        OpenConditions(Product((Integers("x"),)))
    with pytest.raises(DeclarationError, match="1, 2, 3 or 4"):
        OpenConditions(Product((Strings("x"),)), 5)
    many = ", ".join(f"c{i}" for i in range(60))
    with pytest.raises(TooLargeError, match="sets of columns"):
        parse_class(f"conditions({many}; at most 3)")
    with pytest.raises(TooLargeError, match="so many cuts"):
        parse_class("conditions(w, x: 0..3000, y: 0..3000; at most 2)")
    with pytest.raises(TooLargeError, match="so many cells"):
        parse_class("conditions(w, x: 0..300, y: 0..300, z: 0..300; at most 3)")


@pytest.mark.parametrize(
    "form", ["points({})", "subsets({}; at most 2)", "rules(a, {}; at most 1)"]
)
def test_a_range_or_a_list_is_not_the_name_of_an_open_column(form: str) -> None:
    for column in ("w: 0..9", "w in {a,b}"):
        with pytest.raises(DeclarationError, match="it has a range or a list"):
            parse_class(form.format(column))
    assert parse_class(form.format("'a: b..c'"))


def test_methods_that_restrict_the_class_are_refused_before_the_spend() -> None:
    """Even where its bounds are equal, so that its dimension is known."""
    H = parse_class("conditions(ward; at most 1)")
    assert dim(H) == 2
    found = candidates(H, Budget(5, 1e-3), setting="realizable")
    assert [each.method for each in found if each.learner is not None] == ["choosing"]
