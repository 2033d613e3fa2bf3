"""Closed forms against the solver, on every table that is small enough: docs/proofs/closed-forms.md."""

from __future__ import annotations

from itertools import combinations, combinations_with_replacement
from typing import Any

import numpy as np
import pytest
from numpy.typing import NDArray

from littlestone.base.errors import TooLargeError
from littlestone.classes import (
    Boxes,
    Conjunctions,
    EqualityRules,
    FiniteClass,
    Juntas,
    RuleSets,
    parse_class,
)
from littlestone.classes.base import ScoredClass
from littlestone.classes.combined import Combined, ScoredPairs
from littlestone.classes.decision_lists import _of_two_blocks, decision_list_rows
from littlestone.classes.dimensions import closed_forms
from littlestone.classes.dimensions.closed_forms import find_dimension, halving
from littlestone.classes.juntas import CountedJuntas
from littlestone.classes.promises import counted
from littlestone.classes.promises.counted import CountedBoxes, box_rows
from littlestone.classes.promises.tabled import bits
from littlestone.dimension import littlestone_bounds, littlestone_dimension
from littlestone.points import Grid, Product


def names(n: int) -> str:
    return ", ".join(f"c{j}" for j in range(n))


def dimension(rows: NDArray[np.bool_]) -> int:
    found: Any = littlestone_dimension(rows, jobs=1)
    return int(found)


def blocks(values: NDArray[np.bool_]) -> int:
    """The fewest blocks of a decision list with these values, from the definition."""
    if values.all() or not values.any():
        return 1
    found = []
    for b in (0, 1):
        rest: Any = values
        shrunk = True
        while shrunk and rest.ndim:
            shrunk = False
            for axis in range(rest.ndim):
                for v in (0, 1):
                    if not shrunk and (rest.take(v, axis) == b).all():
                        rest, shrunk = rest.take(1 - v, axis), True
                if shrunk:
                    break
            if (rest == b).all():
                return 1
        if rest.ndim < values.ndim:
            found.append(1 + blocks(rest) - bool((rest == b).all()))
    return min(found)


@pytest.mark.parametrize("monotone", [True, False])
def test_conjunctions(monotone: bool) -> None:
    for n in range(1, 7 if monotone else 6):
        H = Conjunctions.over_columns([f"c{j}" for j in range(n)], monotone=monotone)
        assert H.closed_form == H.littlestone_dimension() == dimension(H.table())
        assert H.search_table() is None
        assert find_dimension(H).lower == find_dimension(H).upper == H.closed_form


@pytest.mark.parametrize("n", [1, 2, 3, 4, 5])
def test_lists(n: int) -> None:
    rows = decision_list_rows(n)
    many = ~_of_two_blocks(rows)
    if n < 5:
        assert [blocks(row.reshape((2,) * n)) > 2 for row in rows] == many.tolist()
        assert closed_forms.decision_lists(n) <= dimension(rows)
    if n > 2:
        assert closed_forms.LISTS[n] == dimension(rows[many])
        assert closed_forms.LISTS[n] >= closed_forms.LISTS[n - 1] + 2


def exactly(n: int, k: int) -> NDArray[np.bool_]:
    """The functions of n columns that depend on exactly k."""
    rows = Juntas.over_columns([f"c{j}" for j in range(n)], k).table()
    cubes = rows.reshape(-1, *(2,) * n)
    depends = [
        (cubes.take(0, j) != cubes.take(1, j)).reshape(len(rows), -1).any(axis=1)
        for j in range(1, n + 1)
    ]
    found: NDArray[np.bool_] = rows[sum(depends, np.zeros(len(rows), int)) == k]
    return found


@pytest.mark.parametrize("k", closed_forms.JUNTAS)
def test_functions_of_exactly_k_columns(k: int) -> None:
    for n, found in closed_forms.JUNTAS[k].items():
        assert dimension(exactly(n, k)) == found


@pytest.mark.parametrize(("k", "most"), [(0, 4), (1, 8), (2, 8), (3, 7), (4, 4)])
def test_juntas(k: int, most: int) -> None:
    for n in range(max(1, k), most + 1):
        rows = Juntas.over_columns([f"c{j}" for j in range(n)], k).table()
        H = CountedJuntas(bits(names(n).split(", ")), "", k)
        low, high = H.littlestone_bounds()
        assert H.size == len(rows)
        assert low <= dimension(rows) <= high
        assert k > 1 or low == high


def test_the_blocks_of_juntas_are_the_best() -> None:
    """Theorem 2 by all sizes of blocks, for k = 5: no solved class hides its bound."""
    for n in range(5, 40):
        sizes = (s for t in range(1, 6) for s in combinations_with_replacement(range(6), t))
        fit = (s for s in sizes if sum(2**i for i in s) + 5 - len(s) <= n)
        assert closed_forms.juntas(n, 5) == max(2**5, *(2**5 - len(s) + sum(s) for s in fit))


def test_boxes() -> None:
    for d, most in ((1, 12), (2, 8), (3, 4), (4, 2)):
        found = {
            sizes: dimension(box_rows(sizes)[1:])
            for sizes in combinations_with_replacement(range(1, most + 1), d)
        }
        for sizes, own in found.items():
            grids = tuple(Grid(0, m - 1, f"x{j}") for j, m in enumerate(sizes))
            low, high = CountedBoxes(Product(grids), "").littlestone_bounds()
            whole = dimension(box_rows(sizes))
            assert closed_forms.boxes(sizes) <= own <= whole <= high
            assert low == (whole if max(sizes) <= 2 else closed_forms.boxes(sizes))
            assert Boxes.over(grids).closed_form == (whole if max(sizes) <= 2 else None)
            for j, m in enumerate(sizes):
                longer = tuple(sorted((*sizes[:j], 2 * m + 1, *sizes[j + 1 :])))
                assert longer not in found or found[longer] >= own + 2


def test_a_search_of_boxes_on_shorter_ranges(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(counted, "MOST_ENTRIES", 60)
    shorter = 0
    for sizes in combinations_with_replacement(range(1, 8), 2):
        grids = tuple(Grid(0, m - 1, f"x{j}") for j, m in enumerate(sizes))
        H = CountedBoxes(Product(grids), "")
        table, found = H.search_table(), find_dimension(H, littlestone_bounds)
        shorter += table is not None and not table.whole
        assert found.lower <= dimension(box_rows(sizes)) <= found.upper
    assert shorter > 10


def rule_rows(m: int, sizes: range) -> NDArray[np.bool_]:
    masks = [sum(1 << j for j in c) for r in sizes for c in combinations(range(m), r)]
    found: NDArray[np.bool_] = (np.array(masks)[:, None] & ~np.arange(1 << m)) == 0
    return found


@pytest.mark.parametrize("m", range(1, 8))
def test_rules(m: int) -> None:
    for r in range(1, m + 1):
        for empty in (True, False):
            rows = rule_rows(m, range(1 - empty, r + 1))
            assert len(rows) == closed_forms.shapes(m, r) - 1 + empty
            assert closed_forms.rules(m, r, empty=empty) <= dimension(rows) <= halving(len(rows))


@pytest.mark.parametrize("r", closed_forms.RULES)
def test_rules_of_exactly_r_columns(r: int) -> None:
    for m, found in closed_forms.RULES[r].items():
        if m <= 10:  # 11 and 12 take three seconds each
            assert dimension(rule_rows(m, range(r, r + 1))) == found


@pytest.mark.parametrize(
    ("text", "wanted"),
    [
        (f"conjunctions({names(10)})", 11),
        (f"conjunctions({names(300)})", 301),
        (f"conjunctions({names(13)}; monotone)", 13),
        (f"boxes({', '.join(f'c{j} 3..4' for j in range(24))}, x 0..0)", 25),
        (f"juntas({names(10)}; k 3)", 14),
        (f"juntas({names(20)}; k 3)", 17),
        (f"juntas({names(40)}; k 2)", 12),
        ("combine(and, intervals(x, 0..40), intervals(x, 0..40))", 9),
        (f"direct_sum(conjunctions({names(12)}), thresholds(x, 1..1000))", 22),
    ],
)
def test_large_classes_have_exact_dimensions(text: str, wanted: int) -> None:
    found = find_dimension(parse_class(text), littlestone_bounds)
    assert found.lower == found.upper == wanted


@pytest.mark.parametrize(
    ("text", "lower", "upper"),
    [
        (f"decision_lists({names(11)})", 24, 41),
        (f"decision_lists({names(100)})", 345, 676),
        ("boxes(x 0..999, y 0..999)", 35, 37),
        (f"boxes(x 0..{2**64 - 1}, y 0..{2**64 - 1})", 252, 254),
        (f"juntas({names(1000)}; k 16)", 65615, 65651),
    ],
)
def test_larger_classes_have_bounds(text: str, lower: int, upper: int) -> None:
    H = parse_class(text)
    assert H.littlestone_bounds() == (lower, upper)
    assert all(H.bound_reasons())
    assert isinstance(H, ScoredClass)
    with pytest.raises(TooLargeError):
        H.require_scorable()


def test_rules_of_many_columns() -> None:
    """Where version spaces are searched, the formulas bound what the search finds."""
    for m in range(1, 8):
        for r in range(1, m + 1):
            H = EqualityRules.over_columns(*names(m).split(", "), max_literals=r)
            for V, empty in ((H, True), (H.restrict(("v",) * m, 0), False)):
                shapes = closed_forms.shapes(m, r) - 1 + empty
                low = 1 + closed_forms.rules(m, r, empty=empty)
                assert low <= V.littlestone_dimension() <= 1 + halving(shapes)
    H = EqualityRules.over_columns(*names(20).split(", "), max_literals=2)
    assert H.littlestone_bounds() == (8, 8)
    assert H.restrict(("v",) * 20, 0).littlestone_bounds() == (8, 8)
    after = H.restrict(("v",) * 20, 1)
    assert after.size == 211
    assert after.littlestone_bounds() == (1, 7)
    with pytest.raises(TooLargeError, match="too many sets of columns"):
        H.littlestone_dimension()
    found = find_dimension(parse_class(f"rules({names(11)}; at most 2)"), littlestone_bounds)
    assert (found.lower, found.upper) == (6, 6)


@pytest.mark.parametrize(("m", "r", "s"), [(1, 1, 2), (2, 1, 2), (2, 2, 2), (3, 1, 2), (2, 1, 3)])
def test_rule_sets(m: int, r: int, s: int) -> None:
    H = RuleSets.over_columns(*names(m).split(", "), max_rules=s, max_literals=r)
    low, high = closed_forms.rule_sets(m, r, s)
    assert low <= H.littlestone_dimension() <= high


def test_larger_rule_sets_have_bounds() -> None:
    H = parse_class(f"rule_sets({names(5)}; at most 2 rules of 2)")
    assert H.littlestone_bounds() == closed_forms.rule_sets(5, 2, 2) == (8, 14)
    assert all(H.bound_reasons())


@pytest.mark.parametrize("op", ["and", "or", "xor"])
@pytest.mark.parametrize("m", [2, 5, 9])
def test_combinations_of_two_halves(op: str, m: int) -> None:
    texts = f"thresholds(x, 1..{m})", f"intervals(x, 1..{m})", f"complement(intervals(x, 1..{m}))"
    for first, second in combinations_with_replacement(texts, 2):
        F: Any = parse_class(first)
        G: Any = parse_class(second)
        low, high = ScoredPairs(F.domain, op, F, G).littlestone_bounds()
        assert low <= Combined.combine(op, F, G).littlestone_dimension() <= high


def test_a_class_counts_only_where_the_other_one_is_neutral() -> None:
    F = FiniteClass.from_array(np.tri(6, 5, -1, dtype=int))  # thresholds, with both constants
    nothing = FiniteClass.from_array([[0] * 5])
    for first, second in ((F, nothing), (nothing, F)):
        assert ScoredPairs(F.domain, "and", first, second).littlestone_bounds()[0] == 0
        assert ScoredPairs(F.domain, "or", first, second).littlestone_bounds() == (2, 2)


def test_pairs_of_long_intervals_have_bounds() -> None:
    part = "intervals(x, 0..1000)"
    H = parse_class(f"combine(or, {part}, {part})")
    assert H.littlestone_bounds() == (32, 37)
    assert isinstance(H, ScoredPairs)
    with pytest.raises(TooLargeError, match="at most 4,194,304 pairs"):
        H.require_scorable()
    two = parse_class(f"combine(xor, {part[:-5]}40), {part[:-5]}40))")
    table = two.search_table()
    assert table is not None
    assert table.table.size == 112792  # no block of ones, one, or two
