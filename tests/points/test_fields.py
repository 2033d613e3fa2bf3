"""Fields and spans against galois and against their definitions."""

from __future__ import annotations

import re
import sys
from itertools import product

import galois
import numpy as np
import pytest

from littlestone.base.errors import DeclarationError
from littlestone.points import Span, field_of_order


@pytest.mark.parametrize("q", [4, 8, 9, 25, 27])
def test_tables_are_those_of_galois(q: int) -> None:
    field, GF = field_of_order(q), galois.GF(q, compile="python-calculate")
    elements = GF(np.arange(q))
    sums, products = elements[:, None] + elements, elements[:, None] * elements
    for a, b in product(range(q), repeat=2):
        assert field.add(a, b) == int(sums[a, b])
        assert field.multiply(a, b) == int(products[a, b])
    for a in range(q):
        assert field.add(a, field.negative(a)) == 0
        assert a == 0 or field.multiply(a, field.inverse(a)) == 1


@pytest.mark.parametrize("q", [2, 5, 4, 8, 9, 27])
def test_whole_tables_are_those_of_the_field(q: int) -> None:
    field = field_of_order(q)
    table, minus = field.tables()
    for a, b in product(range(q), repeat=2):
        assert table[a, b] == field.multiply(a, b)
        assert minus[a, b] == field.add(a, field.negative(b))


@pytest.mark.deep
def test_orders_of_fields_up_to_a_hundred() -> None:
    def is_order(q: int) -> bool:
        try:
            return field_of_order(q).order == q
        except DeclarationError:
            return False

    powers = {p**k for p in range(2, 100) if all(p % f for f in range(2, p)) for k in range(1, 10)}
    assert [q for q in range(-2, 100) if is_order(q)] == sorted(q for q in powers if q < 100)


@pytest.mark.parametrize("q", [561, 2**61 - 3, 3215031751, 2**64, 2**89 - 1, 2**32 + 1])
def test_pseudoprimes_and_too_large_orders_are_refused(q: int) -> None:
    with pytest.raises(DeclarationError, match="is not a prime up to"):
        field_of_order(q)


@pytest.mark.parametrize("q", [2, 3, 4, 5])
def test_spans_are_sets(q: int) -> None:
    rng = np.random.default_rng(q)
    field, space = field_of_order(q), list(product(range(q), repeat=3))
    for _ in range(20):
        U, W = (
            Span.from_vectors(q, 3, [tuple(v) for v in rng.integers(0, q, size=(k, 3)).tolist()])
            for k in rng.integers(0, 3, size=2)
        )
        members = {v for v in space if v in U}
        assert len(members) == q**U.rank
        common = {v for v in members if v in W}
        assert {v for v in space if v in U.intersection(W)} == common
        orthogonal = {a for a in space if all(field.dot(a, u) == 0 for u in members)}
        assert {a for a in space if a in U.annihilator()} == orthogonal
        shuffled = list(members)
        rng.shuffle(shuffled)
        assert Span.from_vectors(q, 3, [tuple(v) for v in shuffled]) == U


def test_without_galois_a_prime_power_is_refused(monkeypatch: pytest.MonkeyPatch) -> None:
    field_of_order.cache_clear()
    monkeypatch.setitem(sys.modules, "galois", None)
    assert field_of_order(5).multiply(2, 3) == 1
    with pytest.raises(DeclarationError, match=re.escape("pip install 'galois>=0.4'")):
        field_of_order(4)
