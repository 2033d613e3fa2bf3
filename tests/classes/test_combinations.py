"""Complements, unions and pointwise combinations, against their tables of functions."""

from __future__ import annotations

import random
from itertools import product
from typing import Any

import numpy as np
import pytest

from littlestone.base.errors import DeclarationError
from littlestone.classes import (
    Combined,
    Complement,
    FiniteClass,
    HypothesisClass,
    Thresholds,
    Union,
    closure_bound,
    parse_class,
)
from littlestone.classes.promises.tabled import rows_of

TEXTS = [
    "thresholds(x, 0..5)",
    "intervals(x, 0..5)",
    "complement(thresholds(x, 0..5))",
    "union(complement(thresholds(x, 0..5)), thresholds(x, 0..5))",
]


def labels(H: HypothesisClass[Any]) -> set[tuple[bool, ...]]:
    rows = [tuple(row) for row in rows_of(H).tolist()]
    assert len(set(rows)) == len(rows) == H.size
    return set(rows)


def test_the_table_of_a_class_is_the_same_by_number_and_by_restriction() -> None:
    assert labels(parse_class("intervals(x, 0..5)")) == {
        tuple(a <= x <= b for x in range(6)) for a in range(6) for b in range(a - 1, 6)
    }


@pytest.mark.parametrize("m", range(1, 9))
def test_the_complement_of_thresholds_is_that_of_their_table(m: int) -> None:
    """Where neither label keeps the dimension both SOAs say 1."""
    rng = random.Random(m)
    table = FiniteClass.from_array([[int(x < t) for x in range(m)] for t in range(m + 1)])
    for _ in range(20):
        V: HypothesisClass[Any] = Complement(Thresholds.on(0, m - 1))
        T: HypothesisClass[Any] = table
        for _ in range(3):
            d = T.littlestone_dimension()
            assert (V.size, V.littlestone_dimension()) == (T.size, d)
            if d < 0:
                break
            soa, right = V.soa(), T.soa()
            assert [soa(x) for x in range(m)] == [right(f"x{x}") for x in range(m)]
            for k in (1, 2, 3):
                assert (V.reducing_points(k) is None) == (T.reducing_points(k) is None)
            x, y = rng.randrange(m), rng.randrange(2)
            V, T = V.restrict(x, y), T.restrict(f"x{x}", y)


def test_the_soa_of_a_complement_is_not_the_complement_of_the_soa() -> None:
    H = Thresholds.on(0, 6)
    assert Complement(H).soa() == H.soa()  # 8 thresholds: the SOA is 1 at each point, or tied
    assert Complement(Complement(H)).soa() == H.soa()


@pytest.mark.parametrize(("first", "second"), list(product(TEXTS, repeat=2)))
def test_unions_and_combinations_hold_the_functions_and_keep_the_bounds(
    first: str, second: str
) -> None:
    F, G = parse_class(first), parse_class(second)
    d, e = F.littlestone_dimension(), G.littlestone_dimension()
    union = Union.of_parts([F, G])
    assert labels(union) == labels(F) | labels(G)
    assert max(d, e) <= union.littlestone_dimension() <= d + e + 1
    for op, function in (("and", np.logical_and), ("or", np.logical_or), ("xor", np.logical_xor)):
        combined = Combined.combine(op, F, G)
        expected = {tuple(function(f, g).tolist()) for f in labels(F) for g in labels(G)}
        assert labels(combined) == expected
        assert combined.littlestone_dimension() <= closure_bound(int(d), int(e))


def test_the_union_bound_is_attained() -> None:
    points = [[int(x == i) for x in range(4)] for i in range(4)]
    F = FiniteClass.from_array([[0] * 4, *points])
    G = FiniteClass.from_array(1 - np.array([[0] * 4, *points]))
    assert F.littlestone_dimension() == G.littlestone_dimension() == 1
    assert Union.of_parts([F, G]).littlestone_dimension() == 3


def test_closure_bounds() -> None:
    assert [closure_bound(d) for d in (-1, 0, 1, 2, 5)] == [-1, 0, 1, 2, 5]
    assert closure_bound(0, 3, 0) == 3
    assert closure_bound(1, -1) == -1
    assert closure_bound(2000, 2000) == 18157  # at once


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("complement(points(x))", "is infinite"),
        ("complement(thresholds(x, reals))", "is infinite"),
        ("complement(thresholds(x, 0..99999))", "more than 65536"),
        ("complement(nothing(x))", "no class called 'nothing'"),
        ("union()", "in place of at least 1"),
        ("union(thresholds(x, 0..5), thresholds(y, 0..5))", "on 2 domains"),
        ("combine(or, thresholds(x, 0..99999), thresholds(x, 0..99999))", "more than 65536"),
        ("union(points(x), points(x))", "is infinite"),
        ("combine(nor, boxes(x 0..1), boxes(x 0..1))", "the operations are and, or, xor"),
        ("combine(and, juntas(a; k 1))", "number of its arguments is 2"),
        ("combine(or, boxes(x 0..1), boxes(y 0..1))", "on 2 domains"),
    ],
)
def test_refusals(text: str, message: str) -> None:
    with pytest.raises(DeclarationError, match=message):
        parse_class(text)


def test_version_spaces_may_be_parts() -> None:
    V = Thresholds.on(0, 5).restrict(2, 1)
    union = Union.of_parts([V, Thresholds.on(0, 5).restrict(4, 0)])
    assert union.size == 5
    assert str(union) == "a table of 5 hypotheses on 6 points"
    assert str(Complement(V)).startswith("the complement of thresholds")
