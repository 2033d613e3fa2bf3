"""Conjunctions, decision lists, juntas and boxes: their tables hold the functions of the definition."""

from __future__ import annotations

from itertools import combinations, product
from typing import Any

import pytest

from littlestone.base.errors import DeclarationError
from littlestone.classes import (
    Boxes,
    Conjunctions,
    DecisionLists,
    Juntas,
    TableClass,
    parse_class,
)
from littlestone.points import Grid

Labels = tuple[int, ...]


def functions(H: TableClass) -> set[Labels]:
    listed = [tuple(h(x) for x in H.domain) for h in H]
    assert len(set(listed)) == len(listed) == H.size
    return set(listed)


def cube(n: int) -> list[Labels]:
    return list(product((0, 1), repeat=n))


@pytest.mark.parametrize("n", [1, 2, 3, 4])
def test_conjunctions(n: int) -> None:
    # Literal by literal: None where the column does not occur.
    terms = list(product((None, 0, 1), repeat=n))

    def holds(term: tuple[int | None, ...], x: Labels) -> int:
        return int(all(v is None or v == b for v, b in zip(term, x, strict=True)))

    expected = {tuple(holds(term, x) for x in cube(n)) for term in terms}
    assert functions(Conjunctions.over_columns("abcd"[:n])) == expected | {(0,) * 2**n}
    monotone = {tuple(holds(t, x) for x in cube(n)) for t in terms if 0 not in t}
    assert functions(Conjunctions.over_columns("abcd"[:n], monotone=True)) == monotone


@pytest.mark.parametrize("n", range(1, 6))
def test_dimensions_of_conjunctions(n: int) -> None:
    assert Conjunctions.over_columns("abcde"[:n]).littlestone_dimension() == n + 1
    assert Conjunctions.over_columns("abcde"[:n], monotone=True).littlestone_dimension() == n


def decision_lists(n: int) -> set[Labels]:
    """All lists in which each column occurs at most once, written out."""
    found = set()
    for r in range(n + 1):
        for chosen in combinations(range(n), r):
            for order in _orders(chosen):
                for literals in cube(r):
                    for outputs in cube(r + 1):
                        rules = list(zip(order, literals, outputs, strict=False))
                        found.add(tuple(_run(rules, outputs[r], x) for x in cube(n)))
    return found


def _orders(chosen: tuple[int, ...]) -> list[tuple[int, ...]]:
    return [p for p in product(chosen, repeat=len(chosen)) if len(set(p)) == len(p)]


def _run(rules: list[tuple[int, int, int]], default: int, x: Labels) -> int:
    return next((b for j, v, b in rules if x[j] == v), default)


@pytest.mark.parametrize(("n", "count"), [(1, 4), (2, 14), (3, 96)])
def test_decision_lists(n: int, count: int) -> None:
    expected = decision_lists(n)
    assert functions(DecisionLists.over_columns("abc"[:n])) == expected
    assert len(expected) == count


def test_numbers_of_decision_lists() -> None:
    assert [DecisionLists.over_columns("abcde"[:n]).size for n in (4, 5)] == [1050, 15036]


@pytest.mark.parametrize(("n", "k"), [(1, 0), (1, 1), (2, 1), (3, 1), (3, 2), (3, 3)])
def test_juntas(n: int, k: int) -> None:
    def depends_on(labels: Labels, j: int) -> bool:
        value = dict(zip(cube(n), labels, strict=True))
        return any(value[x] != value[(*x[:j], 1 - x[j], *x[j + 1 :])] for x in cube(n))

    expected = {
        labels
        for labels in product((0, 1), repeat=2**n)
        if sum(depends_on(labels, j) for j in range(n)) <= k
    }
    assert functions(Juntas.over_columns("abc"[:n], k)) == expected


def test_boxes() -> None:
    x, y = Grid(-1, 1, "x"), Grid(0, 3, "y")
    points = list(product(x, y))
    expected = {
        tuple(int(a <= p <= b and c <= q <= d) for p, q in points)
        for a, b, c, d in product(x, x, y, y)
    }
    assert functions(Boxes.over([x, y])) == expected


@pytest.mark.parametrize(
    "text",
    [
        "conjunctions(wet, 'cold, or dark'; monotone)",
        "conjunctions(wet, cold)",
        "decision_lists(a, b)",
        "juntas(a, b, c; k 1)",
        "boxes(hour 0..3, price 0.5..1.5 step 0.5)",
        "boxes('a, b 0..1', dep delay -1..1)",
    ],
)
def test_texts(text: str) -> None:
    H = parse_class(text)
    assert str(H) == text
    assert parse_class(str(H)) == H
    x: Any = next(iter(H.domain))
    assert str(H.restrict(x, 0)).endswith(f" of {text}")


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("conjunctions()", "in place of at least 1"),
        ("conjunctions(a, a)", "a column is named twice"),
        ("conjunctions(a; monotone 2)", "takes no value"),
        ("juntas(a, b)", "must give a whole number"),
        ("juntas(a, b; k 3)", "k must be in 0..2"),
        ("boxes(x)", "not a column with a finite range"),
        ("boxes(x reals)", "not a column with a finite range"),
        ("boxes(x 3..1)", "the low end is above the high end"),
    ],
)
def test_refusals(text: str, message: str) -> None:
    with pytest.raises(DeclarationError, match=message):
        parse_class(text)
