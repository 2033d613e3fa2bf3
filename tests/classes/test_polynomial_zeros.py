"""Zero sets of polynomials against plain tables of all of them."""

from __future__ import annotations

import random
from functools import cache
from itertools import product
from typing import Any

import pytest

from littlestone.algebra import Monomials, Span, Vector, field_of_order, scattered, vector_space
from littlestone.checks import yield_checks
from littlestone.classes import AffineSubspaces, FiniteClass, PolynomialZeros, parse_class
from littlestone.domains import Domain, Grid
from littlestone.errors import DeclarationError, ModelError
from littlestone.hypotheses import Hypothesis, ZeroSet, disagreement

COLUMNS = "xyzuv"
Names = dict[Vector, str]


@cache
def zero_sets(q: int, n: int, degree: int) -> frozenset[tuple[int, ...]]:
    """The labels of all zero sets, from the polynomials themselves: no reduced exponents, no spans."""
    F, points = field_of_order(q), list(product(range(q), repeat=n))
    exponents = [e for e in product(range(degree + 1), repeat=n) if sum(e) <= degree]

    def power(a: int, e: int) -> int:
        return F.multiply(a, power(a, e - 1)) if e else 1

    def monomial(x: Vector, e: Vector) -> int:
        value = 1
        for a, b in zip(x, e, strict=True):
            value = F.multiply(value, power(a, b))
        return value

    functions = {(0,) * len(points)}
    for e in exponents:
        values = [monomial(x, e) for x in points]
        functions |= {F.combine(f, c, values) for f in functions for c in range(1, q)}
    hypersurfaces = {sum((not a) << i for i, a in enumerate(f)) for f in functions}
    found, level = set(hypersurfaces), hypersurfaces
    while level:
        level = {a & b for a in level for b in hypersurfaces} - found
        found |= level
    return frozenset(tuple(bits >> i & 1 for i in range(len(points))) for bits in found)


def table(H: PolynomialZeros) -> tuple[FiniteClass, Names]:
    """All members of the class as the rows of a table."""
    names = {x: f"x{j}" for j, x in enumerate(H.domain)}
    rows = zero_sets(H.inside.order, len(H.domain.columns), H.degree)
    return FiniteClass.from_array([list(row) for row in sorted(rows)]), names


SHAPES = [
    *[(2, 1, 1), (2, 1, 3), (2, 2, 1), (2, 2, 2), (2, 3, 1), (2, 3, 2), (2, 3, 3), (3, 1, 1)],
    *[(3, 1, 2), (3, 2, 1), (3, 2, 2), (3, 2, 3), (4, 1, 1), (4, 1, 2), (4, 1, 3), (4, 2, 1)],
    *[(5, 1, 1), (5, 1, 2), (5, 1, 3), (5, 2, 1), (7, 1, 2), (7, 1, 3)],
]


@pytest.mark.parametrize(("q", "n", "degree"), SHAPES)
def test_every_version_space_is_that_of_the_table(q: int, n: int, degree: int) -> None:
    H = PolynomialZeros.over(COLUMNS[:n], q, degree)
    whole, names = table(H)
    assert H.size == whole.size
    rng = random.Random(f"{q} {n} {degree}")
    for _ in range(16):
        V, T = H, whole
        labels = rng.choice([(0,), (0, 0, 0, 0, 0, 1), (0, 1)])
        for _ in range(rng.choice([0, 2, 5, len(names) // 2, len(names)])):
            x = V.domain.random_point(rng)
            if rng.random() < 0.5:
                x = V.mistake_point() or x
            y = rng.choice(labels)
            W = V.restrict(x, y)
            if not W.is_empty():
                V, T = W, T.restrict(names[x], y)
            else:
                assert T.restrict(names[x], y).is_empty()
        agree(V, T, names)


def agree(V: PolynomialZeros, T: FiniteClass, names: Names) -> None:
    assert V.size == T.size
    assert V.littlestone_dimension() == T.littlestone_dimension()
    soa, expected = V.soa(), T.soa()
    for x, name in names.items():
        assert soa(x) == V.soa_label(x) == expected(name), (V, x)
    root = V.mistake_point()
    assert (root is None) == (T.littlestone_dimension() < 1)
    if root is not None:
        below = [T.restrict(names[root], y).littlestone_dimension() for y in (0, 1)]
        assert min(below) == T.littlestone_dimension() - 1
    for k in (1, 2, 3) if len(names) <= 16 else (1, 2):
        found = V.reducing_points(k)
        assert (found is None) == (T.reducing_points(k) is None), (V, k)
        if found is not None:
            assert 1 <= len(found) <= k
            W = V
            for x in found:
                W = W.restrict(x, soa(x))
            assert W.littlestone_dimension() < V.littlestone_dimension()
