"""Linear and affine subspaces against plain tables of all of them."""

from __future__ import annotations

import random
from itertools import product

import pytest

from littlestone.algebra import Span
from littlestone.checks import yield_checks
from littlestone.classes import AffineSubspaces, FiniteClass, LinearSubspaces
from littlestone.classes.subspaces import Subspaces
from littlestone.domains import Product
from littlestone.hypotheses import Flat

COLUMNS = "xyzuv"


def subspaces(q: int, n: int, most: int) -> set[Span]:
    """All linear subspaces of rank at most ``most`` of GF(q)^n."""
    found = level = {Span(q, n)}
    for _ in range(most):
        level = {U.plus(v) for U in level for v in product(range(q), repeat=n) if v not in U}
        found = found | level
    return found


def table(H: Subspaces) -> tuple[FiniteClass, dict[tuple[int, ...], str]]:
    """All members of the class as the rows of a table."""
    q, n = H.inside.order, len(H.domain.columns)
    names = {x: f"x{j}" for j, x in enumerate(H.domain)}
    spans = subspaces(q, H.inside.width, H.most)
    if H.affine:  # those with a point, and the empty one
        spans = {U for U in spans if not U.rows or any(row[-1] for row in U.rows)}
    rows = [[int(H.embed(x) in U) for x in names] for U in spans]
    assert n == len(H.domain.columns)
    return FiniteClass.from_array(rows), names


SHAPES = [
    *[(LinearSubspaces, q, n, d) for q, n in [(2, 1), (2, 2), (2, 3), (3, 2)] for d in range(n + 1)],
    *[(LinearSubspaces, *s) for s in [(2, 4, 1), (2, 4, 2), (2, 4, 3), (2, 4, 4), (3, 3, 1)]],
    *[(LinearSubspaces, *s) for s in [(3, 3, 2), (3, 3, 3), (4, 2, 1), (4, 2, 2), (5, 2, 1)]],
    *[(AffineSubspaces, q, n, d) for q, n in [(2, 1), (2, 2), (3, 1), (5, 1)] for d in range(n + 1)],
    *[(AffineSubspaces, *s) for s in [(2, 3, 1), (2, 3, 2), (2, 3, 3), (3, 2, 1), (3, 2, 2)]],
    *[(AffineSubspaces, *s) for s in [(4, 2, 1), (2, 4, 2), (2, 4, 3), (5, 2, 1), (4, 1, 1)]],
]


@pytest.mark.parametrize(("kind", "q", "n", "d"), SHAPES)
def test_every_version_space_is_that_of_the_table(
    kind: type[Subspaces], q: int, n: int, d: int
) -> None:
    H = kind.over(COLUMNS[:n], q, d)
    whole, names = table(H)
    rng = random.Random(f"{kind} {q} {n} {d}")
    for _ in range(12):
        V, T = H, whole
        labels = rng.choice([(0,), (0, 0, 0, 0, 0, 1), (0, 1)])
        for _ in range(rng.choice([0, 2, 5, len(names) // 2, len(names)])):
            x = V.domain.random_point(rng)
            if rng.random() < 0.5:
                x = V.mistake_point() or x
            W, y = V, rng.choice(labels)
            W = V.restrict(x, y)
            if not W.is_empty():
                V, T = W, T.restrict(names[x], y)
            else:
                assert T.restrict(names[x], y).is_empty()
        agree(V, T, names)


def agree(V: Subspaces, T: FiniteClass, names: dict[tuple[int, ...], str]) -> None:
    assert V.size == T.size
    assert V.littlestone_dimension() == T.littlestone_dimension()
    soa, expected = V.soa(), T.soa()
    for x, name in names.items():
        assert soa(x) == V.soa_label(x) == expected(name), (V, x)
    ks = (1, 2, 3) if len(names) <= 16 else (1, 2)
    for k in ks:
        found = V.reducing_points(k)
        assert (found is None) == (T.reducing_points(k) is None), (V, k)
        if found is not None:
            assert 1 <= len(found) <= k
            W = V
            for x in found:
                W = W.restrict(x, soa(x))
            assert W.littlestone_dimension() < V.littlestone_dimension()
