"""What a tree says is true of it, and says nothing that always or never holds."""

from __future__ import annotations

import random
import re
from collections.abc import Callable, Iterator
from itertools import combinations, product
from typing import Any

import pytest

from littlestone.points import Cells, Listed, Product
from littlestone.rules.nodes import ColumnTest, Node, Split
from littlestone.rules.trees import DecisionTree

TABLE = Product((Cells(("0", "1", "2"), "n"), Listed(("F",), "sex")))


def single_tests() -> list[ColumnTest]:
    return [
        ColumnTest(j, frozenset(some))
        for j, column in enumerate(TABLE.columns)
        for size in range(1, len(list(column)))
        for some in combinations(column, size)
    ]


def chains() -> Iterator[Node]:
    """Trees that say: if this, or that; and: if this and that, or those."""
    tests = single_tests()
    for a, b in product(tests, repeat=2):
        yield Split(a, 1, Split(b, 1, 0))
        yield Split(a, Split(b, 1, 0), 0)
        yield Split(a, Split(b, 1, 0), Split(b, 1, 0))


def holds(words: str, x: tuple[str, str]) -> int:
    """A slow reading of the words."""
    if words.startswith("always "):
        return int(words[-1])
    number, sex = (None if x[0] == "" else int(x[0])), x[1]
    patterns: list[tuple[str, Callable[[Any], object]]] = [
        (r"(\d+) <= n < (\d+)", lambda m: number is not None and int(m[1]) <= number < int(m[2])),
        (r"n >= (\d+)", lambda m: number is not None and number >= int(m[1])),
        (r"n < (\d+)", lambda m: number is not None and number < int(m[1])),
        (r"n is not missing", lambda m: number is not None),
        (r"n is missing", lambda m: number is None),
        (r"sex is missing", lambda m: sex == ""),
        (r"sex is (\(other\)|F)", lambda m: sex == m[1]),
    ]
    for pattern, told in patterns:
        # Bound at once, and called before the next one.
        words = re.sub(pattern, lambda m: str(bool(told(m))), words)  # noqa: B023
    assert re.fullmatch(r"(True|False|and|or|[() ])+", words), words
    return int(eval(words))


def test_the_words_are_true() -> None:
    for root in chains():
        tree = DecisionTree(TABLE, root)
        for x in product(*TABLE.columns) if tree.condition else ():
            assert holds(tree.condition, x) == tree(x), (tree.words(), x)


def test_each_alternative_says_something() -> None:
    """None always holds by itself, as n < 1 or n >= 1 with n missing would."""
    for root in chains():
        words = DecisionTree(TABLE, root).condition
        if not words or "always" in words or " and " in words:
            continue
        for column in TABLE.columns:
            alone = [one for one in words.split(" or ") if one.startswith(column.name)]
            if not alone:
                continue
            told = " or ".join(alone)
            assert any(not holds(told, x) for x in product(*TABLE.columns)), words
            # Every number is said in these words alone.
            known = [x for x in product(*TABLE.columns) if x[0]]
            if column.name == "n" and all(holds(told, x) for x in known):
                assert told == "n is not missing", words


@pytest.mark.parametrize(
    ("first", "second", "words"),
    [
        (["0"], ["1", "2"], "n is not missing or sex is F"),
        (["", "0"], ["0", "1", "2"], "always 1"),
        (["0", "1"], ["1", "2"], "n is not missing or sex is F"),
        (["1"], ["0"], "n < 2 or sex is F"),
    ],
)
def test_alternatives_of_one_column_are_one(
    first: list[str], second: list[str], words: str
) -> None:
    last = Split(ColumnTest(1, frozenset(["F"])), 1, 0)
    root = Split(
        ColumnTest(0, frozenset(first)), 1, Split(ColumnTest(0, frozenset(second)), 1, last)
    )
    assert DecisionTree(TABLE, root).words() == words
    labelled = DecisionTree(TABLE, root, labels=3).words_with(["a", "b", "c"])
    assert labelled == ("b" if words == "always 1" else f"b if {words}, else a")


def test_alternatives_that_differ_in_one_column_are_one() -> None:
    young, old = ColumnTest(0, frozenset(["0"])), ColumnTest(0, frozenset(["1", "2"]))
    woman = ColumnTest(1, frozenset(["F"]))
    last = Split(old, Split(woman, 1, 0), 0)
    tree = DecisionTree(TABLE, Split(young, Split(woman, 1, last), last))
    assert tree.words() == "n is not missing and sex is F"


def random_node(rng: random.Random, depth: int, labels: int) -> Node:
    if depth == 0 or rng.random() < 0.2:
        return rng.randrange(labels)
    children = [random_node(rng, depth - 1, labels) for _ in range(2)]
    return Split(rng.choice(single_tests()), *children)


def label_of(words: str, x: tuple[str, str]) -> str:
    """A slow reading of ``A if this, else B`` and ``if this then (A), else B``."""
    words = words.removeprefix("always ")
    if not words.startswith("if "):
        label, _, rest = words.partition(" if ")
        condition, comma, other = rest.partition(", else ")
        return label if not comma or holds(condition, x) else label_of(inside(other), x)
    condition, _, rest = words.removeprefix("if ").partition(" then (")
    depth, end = 1, 0
    while depth:
        depth += {"(": 1, ")": -1}.get(rest[end], 0)
        end += 1
    yes, no = rest[: end - 1], rest[end:].removeprefix(", else ")
    return label_of(yes if holds(condition, x) else inside(no), x)


def inside(words: str) -> str:
    """The words without parentheses around all of them, which stand around another question."""
    return words[1:-1] if words.startswith("(") and words.endswith(")") else words


@pytest.mark.deep
def test_the_words_of_random_trees_are_true() -> None:
    rng = random.Random(0)
    for _ in range(3000):
        labels = rng.choice((2, 3))
        tree = DecisionTree(TABLE, random_node(rng, 3, labels), labels)
        for x in product(*TABLE.columns):
            named = tree.words_with(["L0", "L1", "L2"][:labels])
            assert label_of(named, x) == f"L{tree(x)}", (named, x)
            if labels == 2 and tree.condition:
                assert holds(tree.condition, x) == tree(x), (tree.condition, x)


def test_a_value_that_is_the_word_missing_is_told_from_no_value() -> None:
    column = Listed(("missing", "F"), "sex")
    words = {ColumnTest(0, frozenset([v])).words(Product((column,))) for v in column}
    assert words == {"sex is missing", "sex is (other)", "sex is 'missing'", "sex is F"}
