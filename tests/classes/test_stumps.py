"""Stumps against tables of their functions."""

from __future__ import annotations

import random
from itertools import product
from typing import Any

import pytest

from littlestone import dim
from littlestone.base.errors import DeclarationError
from littlestone.classes import Boxes, FiniteClass, HypothesisClass, Stumps, parse_class
from littlestone.points import Grid, Integers

SHAPES = [(1,), (2,), (5,), (8,), (2, 2), (3, 2), (4, 3), (5, 4), (2, 2, 2), (3, 3, 2), (1, 4)]


def on(shape: tuple[int, ...], kind: type[Stumps] = Stumps) -> Stumps:
    return kind.over([Grid(j, j + m - 1, f"c{j}") for j, m in enumerate(shape)])


def table(H: Stumps) -> FiniteClass:
    points = list(H.domain)
    rows = {tuple(int(x[j] >= t) for x in points) for j in range(len(points[0])) for t in range(12)}
    rows |= {tuple(1 - y for y in row) for row in rows}
    return FiniteClass.from_array(sorted(rows))


def assert_same(V: HypothesisClass[Any], T: FiniteClass) -> None:
    d = T.littlestone_dimension()
    assert (V.size, V.littlestone_dimension()) == (T.size, d)
    if T.is_empty():
        return
    soa, right = V.soa(), T.soa()
    names = {x: f"x{i}" for i, x in enumerate(V.domain)}
    assert [soa(x) for x in names] == [right(name) for name in names.values()]
    for k in (0, 1, 2, 3):
        found = V.reducing_points(k)
        assert (found is None) == (T.reducing_points(k) is None), (V, k)
        if found is not None:
            assert 1 <= len(found) <= k
            W = V
            for x in found:
                W = W.restrict(x, soa(x))
            assert W.littlestone_dimension() < d
    root = V.mistake_point()
    assert (root is None) == (d == 0)
    if root is not None:
        assert min(V.restrict(root, y).littlestone_dimension() for y in (0, 1)) == d - 1


def assert_walks_same(H: Stumps, seed: int, walks: int = 40) -> None:
    rng = random.Random(seed)
    names = {x: f"x{i}" for i, x in enumerate(H.domain)}
    whole = table(H)
    for _ in range(walks):
        V, T = H, whole
        while True:
            assert_same(V, T)
            if T.size <= 1:
                break
            x = rng.choice(list(names))
            # Labels of a hypothesis keep walks long.
            y = V.hypothesis(rng.randrange(V.size))(x)
            V, T = V.restrict(x, y), T.restrict(names[x], y)
            if rng.random() < 0.2:
                break


@pytest.mark.parametrize("shape", SHAPES)
def test_random_version_spaces_are_those_of_the_table(shape: tuple[int, ...]) -> None:
    assert_walks_same(on(shape), len(shape))


@pytest.mark.parametrize("shape", [(3, 2), (6,)])
def test_all_version_spaces_of_two_examples(shape: tuple[int, ...]) -> None:
    H = on(shape)
    names = {x: f"x{i}" for i, x in enumerate(H.domain)}
    for (a, y), (b, z) in product(product(names, (0, 1)), repeat=2):
        V, T = H.restrict(a, y).restrict(b, z), table(H).restrict(names[a], y)
        assert_same(V, T.restrict(names[b], z))


class TwiceTheConstants(Stumps):
    @property
    def size(self) -> int:
        return super().size + self.zero + self.one


class AnyTwoNeighbours(Stumps):
    """The records of all low and all high ends, also where steps are needed."""

    def reducing_points(self, k: int) -> Any:
        found = super().reducing_points(k)
        if found is None or len(found) == 1:
            return found
        return [tuple(g.low for g in self._grids), tuple(g.high for g in self._grids)]


class OneReduces(Stumps):
    def reducing_points(self, k: int) -> Any:
        found = super().reducing_points(k)
        root = self.mistake_point()
        return [root] if k and root is not None else found


@pytest.mark.parametrize("kind", [TwiceTheConstants, AnyTwoNeighbours, OneReduces])
def test_subtle_errors_are_caught(kind: type[Stumps]) -> None:
    with pytest.raises(AssertionError):
        assert_walks_same(on((4, 3), kind), 1)


def test_texts() -> None:
    H = parse_class("stumps(dep hour 0..23, price 0.0..1.5 step 0.5)")
    assert isinstance(H, Stumps)
    assert str(H) == "stumps(dep hour 0..23, price 0.0..1.5 step 0.5)"
    assert H.hypothesis(2).words() == "dep hour >= 1"
    assert H.hypothesis(H.size - 1).words() == "price <= 1.0"
    with pytest.raises(DeclarationError, match="more than 1048576"):
        Stumps.over([Grid(0, 9999, "a"), Grid(0, 9999, "b")])
    assert str(parse_class("stumps(a 0..9999, b 0..9999)")) == "stumps(a 0..9999, b 0..9999)"


@pytest.mark.parametrize("kind", [Stumps, Boxes])
@pytest.mark.parametrize("grids", [Integers("x"), Grid(0, 3, "x"), [Integers("x")], None])
def test_only_a_list_of_grids_is_taken(kind: type[Stumps | Boxes], grids: Any) -> None:
    with pytest.raises(DeclarationError, match=r"not a list of grids\n.*over\(\[Grid"):
        kind.over(grids)


def test_the_dimension_needs_no_records() -> None:
    """floor(log2 |H|), also on more records than version spaces take."""
    assert dim("stumps(a 0..9999, b 0..9999)") == 15
    assert dim("stumps(a 0..1023, b 0..1023)") + 1 == dim("stumps(a 0..1023, b 0..1024)") == 12
