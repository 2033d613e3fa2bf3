"""Intervals against tables, and against the recursion that their closed form solves."""

from __future__ import annotations

import random
from functools import cache
from itertools import product
from typing import Any

import pytest

from littlestone.base.errors import DeclarationError
from littlestone.classes import FiniteClass, HypothesisClass, Intervals, parse_class
from littlestone.classes.dimensions.closed_forms import spine, spine_dimension
from littlestone.learn import ExponentialLearner
from littlestone.points import Grid
from littlestone.privacy import Budget
from littlestone.rules import StepFunction


def table(m: int) -> FiniteClass:
    ends = [(a, b) for a in range(m) for b in range(a, m)]
    rows = [[0] * m] + [[int(a <= x <= b) for x in range(m)] for a, b in ends]
    return FiniteClass.from_array(rows)


def assert_same(V: HypothesisClass[Any], T: FiniteClass, m: int, *, most: int) -> None:
    """All that a learner sees of V and of its table is the same."""
    d = T.littlestone_dimension()
    assert (V.size, V.littlestone_dimension()) == (T.size, d)
    if T.is_empty():
        return
    soa, right = V.soa(), T.soa()
    assert [soa(x) for x in range(m)] == [right(f"x{x}") for x in range(m)]
    assert [V.soa_label(x) for x in range(m)] == [right(f"x{x}") for x in range(m)]
    for k in range(most + 1):
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
        assert min(V.restrict(root, y).littlestone_dimension() for y in (0, 1)) >= d - 1


def assert_all_same(H: HypothesisClass[Any], m: int) -> None:
    """`assert_same` for all sets of negative examples, alone and with one positive."""
    for negatives in product((0, 1), repeat=m):
        V, T = H, table(m)
        for x in range(m):
            if negatives[x]:
                V, T = V.restrict(x, 0), T.restrict(f"x{x}", 0)
        assert_same(V, T, m, most=m)
        for x in range(m):
            assert_same(V.restrict(x, 1), T.restrict(f"x{x}", 1), m, most=3)


@pytest.mark.parametrize("m", range(1, 8))
def test_every_version_space_of_small_grids_is_that_of_the_table(m: int) -> None:
    assert_all_same(Intervals.on(0, m - 1), m)


@pytest.mark.parametrize("m", [11, 14, 17, 20])
def test_random_version_spaces_are_those_of_the_table(m: int) -> None:
    rng = random.Random(m)
    assert_same(Intervals.on(0, m - 1), table(m), m, most=2)
    for _ in range(12):
        V, T = Intervals.on(0, m - 1), table(m)
        for _ in range(rng.randrange(1, 5)):
            x, y = rng.randrange(m), int(rng.random() < 0.1)
            V, T = V.restrict(x, y), T.restrict(f"x{x}", y)
        assert_same(V, T, m, most=3)


@cache
def recursion(gaps: tuple[int, ...]) -> int:
    """LDim by its definition: the best point to ask about, where a positive leaves two thresholds."""
    best = 0
    for j, g in enumerate(gaps):
        for i in range(1, g // 2 + g % 2 + 1):
            positive = i.bit_length() + (g + 1 - i).bit_length() - 2
            rest = sorted(n for n in (*gaps[:j], i - 1, g - i, *gaps[j + 1 :]) if n)
            if positive + 1 > best:
                best = max(best, 1 + min(positive, recursion(tuple(rest))))
    return best


def test_the_two_longest_gaps_decide() -> None:
    rng = random.Random(0)
    for g in range(1, 42):
        assert spine_dimension([g]) == recursion((g,))
    for _ in range(300):
        gaps = [rng.randint(1, 11) for _ in range(rng.randint(2, 4))]
        assert spine_dimension(gaps) == recursion(tuple(sorted(gaps))), gaps


def test_the_dimension_of_the_largest_grid_is_within_one_of_its_size() -> None:
    H = Intervals.over(Grid(0, 2**64 - 1))
    assert H.size == 2**63 * (2**64 + 1) + 1
    assert H.littlestone_dimension() == 126 <= H.size.bit_length() - 1 == 127
    assert spine(126)[0] <= 2**64 < spine(127)[0]


def test_constant_soas_need_many_points() -> None:
    H = Intervals.on(0, 79)
    for x in range(7, 80, 8):
        H = H.restrict(x, 0)
    assert H.littlestone_dimension() == 5
    assert H.soa().words() == "always 0"
    needed = H.reducing_points(100)
    assert needed is not None
    assert H.reducing_points(len(needed) - 1) is None


class FirstGapOnly(Intervals):
    """The second longest gap is forgotten."""

    def littlestone_dimension(self) -> int:
        if self.core is not None or not self.zero:
            return super().littlestone_dimension()
        return spine_dimension([max((b - a + 1 for a, b in self.gaps), default=0)])


class CutsInOneWay(Intervals):
    """No part may be as long as B; that one might stay below A is forgotten."""

    def reducing_points(self, k: int) -> list[int] | None:
        found = super().reducing_points(k)
        d = self.littlestone_dimension()
        if d and found and not any(self.soa().changes):
            B = spine(d)[1]
            return found if sum((b - a + 1) // B for a, b in self.gaps) <= k else None
        return found


class EndsOfAsMany(Intervals):
    """LDim after a positive example by the number of intervals alone."""

    def littlestone_dimension(self) -> int:
        size = self.size
        return super().littlestone_dimension() if self.core is None else size.bit_length() - 1


@pytest.mark.parametrize("broken", [FirstGapOnly, CutsInOneWay, EndsOfAsMany])
def test_subtle_errors_are_caught(broken: type[Intervals]) -> None:
    def compare() -> None:
        for m in range(1, 9):
            assert_all_same(broken.on(0, m - 1), m)

    with pytest.raises(AssertionError):
        compare()


def test_texts() -> None:
    H = parse_class("intervals('price, net', 0.0..1.5; step 0.5)")
    assert str(H) == "intervals('price, net', 0.0..1.5; step 0.5)"
    assert H.restrict(1, 1).restrict(3, 0).soa().words() == "price, net < 1.5"
    with pytest.raises(DeclarationError, match="infinite Littlestone dimension"):
        parse_class("intervals(x, reals)")
    with pytest.raises(DeclarationError, match="number of its arguments is 1"):
        parse_class("intervals(x)")


def test_what_cannot_be_listed_is_refused() -> None:
    assert ExponentialLearner(Intervals.on(0, 4096), Budget(1)).size == 4097 * 4098 // 2 + 1
    Intervals.on(0, 4095).require_listable()
    with pytest.raises(DeclarationError, match="more than 4096"):
        Intervals.on(0, 4096).require_listable()


def test_huge_classes_are_numbered() -> None:
    H = Intervals.on(0, 2**64 - 1)
    ends = [(0, 0), (0, 1), (0, 2**64 - 1), (1, 1), (2**40, 2**63), (2**64 - 1, 2**64 - 1)]
    m = 2**64
    for a, b in ends:
        index = 1 + a * m - a * (a - 1) // 2 + b - a
        assert H.hypothesis(index) == StepFunction(H.domain, 0, (a, b + 1))
    assert H.size - 1 == 1 + (m - 1) * m - (m - 1) * (m - 2) // 2


def test_equal_version_spaces_are_equal_objects() -> None:
    def told(*examples: tuple[int, int]) -> Intervals:
        V = Intervals.on(0, 9)
        for x, y in examples:
            V = V.restrict(x, y)
        return V

    assert told((3, 1), (1, 0), (0, 0)) == told((1, 0), (3, 1))
    assert told((3, 1), (5, 1), (4, 1)) == told((5, 1), (3, 1))
    assert told((3, 1), (3, 0)) == told((4, 1), (2, 0), (2, 1))
