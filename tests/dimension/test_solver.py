"""The solver against brute force, theorems, and an impatient user."""

from __future__ import annotations

import threading
import time
from contextlib import suppress
from functools import cache
from math import comb
from typing import Any

import numpy as np
import pandas as pd
import polars as pl
import pytest
import tables
from tables import Table

from each import in_turn
from littlestone.base.errors import DeclarationError
from littlestone.classes import FiniteClass
from littlestone.dimension.littlestone import (
    _Solve,
    is_shattered_by,
    littlestone_bounds,
    littlestone_dimension,
    mistake_tree,
)
from littlestone.dimension.search.splits import BoundedSolver, TooHardError
from littlestone.dimension.tables import PackedTable
from littlestone.dimension.tree import Bounds, InterruptedSolve, MistakeTree, UnsettledError


def compiled(table: Table) -> Bounds:
    solve = _Solve(PackedTable.pack(table), None, None, 1 << 30)
    solve.search()
    return solve.bounds()


@cache
def brute_force(rows: frozenset[tuple[int, ...]]) -> int:
    """LDim by its recursive definition; -1 if empty."""
    if len(rows) <= 1:
        return len(rows) - 1
    best = 0
    for j in range(len(next(iter(rows)))):
        zero = frozenset(row for row in rows if row[j] == 0)
        if 0 < len(zero) < len(rows):
            best = max(best, 1 + min(brute_force(zero), brute_force(rows - zero)))
    return best


@pytest.mark.parametrize("block", in_turn(range(8), 4))
def test_it_agrees_with_brute_force_on_2400_random_tables(block: int) -> None:
    found = set()
    for seed in range(300 * block, 300 * block + 300):
        rng = np.random.default_rng([3, seed])
        shape = int(rng.integers(1, 30)), int(rng.integers(1, 8))
        table = (rng.random(shape) < rng.choice([0.1, 0.2, 0.35, 0.5, 0.8])).astype(np.uint8)
        expected = brute_force(frozenset(tuple(map(int, row)) for row in table))
        bounds = compiled(table)
        assert (bounds.lower, bounds.upper) == (expected, expected)
        assert bounds.tree.depth == expected
        assert is_shattered_by(table, bounds.tree)
        assert tables.proved(table, bounds)
        found.add(expected)
    assert len(found) >= 5


@pytest.mark.parametrize("seed", range(40))
def test_wider_tables_where_rows_are_counted(seed: int) -> None:
    rng = np.random.default_rng([4, seed])
    shape = int(rng.integers(40, 150)), int(rng.integers(30, 400))
    table = tables.random_table(seed, *shape, float(rng.choice([0.05, 0.1, 0.2])))
    bounds = compiled(table)
    packed = PackedTable.pack(table)
    with suppress(TooHardError):
        small = BoundedSolver(packed.masks, 4_000_000).dimension((1 << packed.size) - 1)
        assert small == bounds.lower
    assert bounds.lower == bounds.upper
    assert tables.proved(table, bounds)
    assert is_shattered_by(table, bounds.tree)


PROVED = {
    "thresholds": (tables.thresholds(300), 8),
    "points": (np.eye(90, dtype=np.uint8), 1),
    "3-subsets of 12": (tables.subsets(12, range(3, 4)), 3),
    "9-subsets of 12": (tables.subsets(12, range(9, 10)), 3),
    "at most 3 of 12": (tables.subsets(12, range(4)), 3),
    "cube": (tables.cube(8), 8),
    "parities": (tables.code(tables.cube(8).T), 8),
    "random code": (tables.code(tables.random_table(1, 9, 30, 0.5)), 9),
    "monotone conjunctions": (tables.conjunctions(7, negations=False, false=False), 7),
    "conjunctions": (tables.conjunctions(5, negations=True, false=True), 6),
    "linear subspaces": (tables.linear_subspaces(4), 4),
    "lines of F_2^4": (tables.linear_subspaces(4, affine=1), 2),
    "planes of F_2^4": (tables.linear_subspaces(4, affine=2), 3),
    "projective lines": (tables.projective_lines(7), 2),
    "product": (tables.product_of(tables.thresholds(15), tables.subsets(8, range(3))), 6),
    "canonical tree": (tables.canonical_tree(7), 7),
}
COMPUTED = {
    **{f"monotone n={n}": (tables.monotone(n), comb(n, n // 2)) for n in range(1, 6)},
    **{
        f"boxes N={n}": (tables.boxes(n), d)
        for n, d in enumerate([1, 3, 4, 6, 7, 7, 8, 9, 10, 10, 11, 11], 1)
    },
    **{
        f"linear orders n={n}": (tables.linear_orders(n), d)
        for n, d in enumerate([1, 2, 4, 6, 9, 11, 14, 18], 2)
    },
    **{
        f"decision lists n={n}": (tables.decision_lists(n), d)
        for n, d in enumerate([2, 3, 5, 9, 12], 1)
    },
    **{
        f"threshold functions n={n}": (tables.threshold_functions(n), d)
        for n, d in enumerate([2, 3, 6, 9], 1)
    },
    **{
        f"downsets N={n}": (tables.downsets(n), d)
        for n, d in enumerate([1, 2, 4, 5, 7, 9, 10, 12, 14], 1)
    },
    **{f"all balls n={n}": (tables.balls(n, range(n + 1)), n + 1) for n in range(3, 11)},
    "all balls n=11": (tables.balls(11, range(12)), 13),
    "balls of radius 3, n=10": (tables.balls(10, range(3, 4)), 8),
    "balls of radius 2": (tables.balls(8, range(2, 3)), 5),
}


@pytest.mark.parametrize("name", [*PROVED, *COMPUTED])
def test_known_dimensions(name: str) -> None:
    table, expected = {**PROVED, **COMPUTED}[name]
    bounds = compiled(table)
    assert (bounds.lower, bounds.upper) == (expected, expected)
    assert bounds.tree.depth == expected
    assert is_shattered_by(table, bounds.tree)
    assert littlestone_dimension(table) == expected


@pytest.mark.parametrize("name", PROVED)
def test_certificates_of_known_dimensions(name: str) -> None:
    table, expected = PROVED[name]
    bounds = littlestone_bounds(table)
    assert (bounds.lower, bounds.upper) == (expected, expected)
    assert tables.proved(table, bounds)


def test_finite_classes_and_version_spaces() -> None:
    H = FiniteClass.from_array(tables.downsets(4), points=[f"p{i}" for i in range(16)])
    assert littlestone_dimension(H) == H.littlestone_dimension() == 5
    V = H.restrict("p5", 1)
    assert littlestone_dimension(V) == V.littlestone_dimension()
    assert is_shattered_by(V, mistake_tree(V))
    with pytest.raises(DeclarationError, match="the class has 3 labels"):
        littlestone_dimension(FiniteClass.from_array([[0, 2], [1, 1]], labels=3))


def test_equal_rows_and_columns_are_legal() -> None:
    table = np.repeat(np.repeat(tables.thresholds(7), 3, axis=0), 2, axis=1)
    bounds = littlestone_bounds(table)
    assert bounds.dimension == 3
    assert is_shattered_by(table, bounds.tree)


@pytest.mark.parametrize(
    ("table", "found"),
    [
        ([[0, 1], [1]], "row 2 has 1 entries"),
        ([[0, 1], [2, 1]], "row 2, column 1 is neither 0 nor 1"),
        ([[0.0, float("nan")]], "row 1, column 2 is neither 0 nor 1"),
        ([["a", "b"]], "row 1, column 1"),
        ([], "shape"),
        ([[], []], "shape"),
        (np.zeros((0, 3)), "shape"),
        ([0, 1], "does not hold rows"),
        (np.zeros(3), "shape"),
    ],
)
def test_what_is_no_table_is_refused(table: object, found: str) -> None:
    with pytest.raises(DeclarationError, match=found):
        littlestone_dimension(table)  # type: ignore[arg-type]


def test_a_huge_table_is_refused_before_anything_is_reserved() -> None:
    table = PackedTable(np.zeros((1 << 16, 2000), np.uint64), 128_000, np.arange(1 << 16))
    with pytest.raises(DeclarationError, match="--memory-limit"):
        _Solve(table, None, None, 8 << 30)


HARD = tables.random_table(1, 16384, 256, 0.2)  # dimension 9


class Scripted:
    """An engine that knows the dimension, and takes a scripted number of version spaces for each k."""

    work = 0

    def __init__(self, dimension: int, costs: list[int]) -> None:
        self.dimension, self.costs, self.asked = dimension, costs, list[tuple[int, int]]()

    def at_least(self, k: int, nodes: int, *, work: int, ahead: int) -> bool | None:
        self.asked.append((k, nodes))
        return None if self.costs[k] > nodes else k <= self.dimension


def scripted(dimension: int, costs: list[int]) -> tuple[_Solve, list[tuple[int, int]]]:
    solve = _Solve(PackedTable.pack(tables.cube(4)), None, None, 1 << 30)
    engine = Scripted(dimension, costs)
    solve.lower, solve.upper = 0, len(costs) - 1
    solve._counted = solve.upper
    solve._engine = engine  # type: ignore[assignment]
    solve._deepen()
    return solve, engine.asked


@pytest.mark.parametrize("seed", range(20))
def test_the_bounds_meet_whatever_the_questions_cost(seed: int) -> None:
    rng = np.random.default_rng([5, seed])
    for _ in range(50):
        top = int(rng.integers(1, 20))
        dimension = int(rng.integers(1, top + 1))
        costs = [int(2 ** rng.uniform(0, 24)) for _ in range(top + 1)]
        solve, asked = scripted(dimension, costs)
        assert solve.lower == solve.upper == dimension
        # A question without a budget is the last one.
        assert all(nodes <= 1 << 30 for _, nodes in asked[:-1])


def test_the_upper_bound_falls_where_the_next_question_is_hard() -> None:
    """11 takes for ever; 12 is refuted after a while, although the search cannot pass 11."""
    solve, asked = scripted(10, [1] * 11 + [1 << 40, 2000, 1, 1])
    assert (solve.lower, solve.upper) == (10, 10)
    assert asked[-1] == (11, 1 << 60)
    assert max(nodes for k, nodes in asked[:-1] if k == 11) <= 1 << 14


def test_the_time_limit_gives_bounds_with_a_tree() -> None:
    began = time.monotonic()
    bounds = littlestone_bounds(HARD, time_limit=0.4)
    assert time.monotonic() - began < 10
    assert bounds.interrupted
    assert 5 <= bounds.lower <= 9 < bounds.upper
    assert bounds.tree.depth == bounds.lower
    assert is_shattered_by(HARD, bounds.tree)
    with pytest.raises(UnsettledError, match="between"):
        assert bounds.dimension < 0  # not reached


def test_a_limit_that_is_not_reached_changes_nothing() -> None:
    bounds = littlestone_bounds(tables.thresholds(600), time_limit=100)
    assert bounds.dimension == 9
    assert not bounds.interrupted


def test_a_table_may_be_a_data_frame() -> None:
    table = [[0, 1, 1], [1, 0, 1]]
    frames = [pd.DataFrame(table, columns=["a", "b", "c"]), pl.DataFrame(table, orient="row")]
    for frame in frames:
        assert PackedTable.pack(frame).rows.tolist() == PackedTable.pack(table).rows.tolist()


def test_progress_is_reported() -> None:
    seen: list[tuple[int, int, int, float]] = []
    littlestone_bounds(HARD, time_limit=0.6, progress=lambda *state: seen.append(state))
    assert len(seen) >= 3
    assert seen[-1][2] > 0


def test_an_error_in_the_progress_function_is_not_swallowed() -> None:
    def fail(*state: object) -> None:
        raise ZeroDivisionError

    with pytest.raises(ZeroDivisionError):
        littlestone_bounds(HARD, progress=fail)


def test_ctrl_c_raises_with_the_bounds() -> None:
    def press(*state: object) -> None:
        raise KeyboardInterrupt

    with pytest.raises(InterruptedSolve) as caught:
        littlestone_dimension(HARD, progress=press)
    assert caught.value.bounds.lower <= 9 < caught.value.bounds.upper
    assert threading.active_count() < 10


def test_a_second_ctrl_c_does_not_lose_the_bounds(monkeypatch: pytest.MonkeyPatch) -> None:
    from littlestone.dimension.search.engine import Engine

    build, presses = Engine.tree, iter([True, True, False])

    def pressed(engine: Engine, depth: int) -> MistakeTree:
        if next(presses):
            raise KeyboardInterrupt
        return build(engine, depth)

    monkeypatch.setattr(Engine, "tree", pressed)
    bounds = littlestone_bounds(tables.thresholds(600))
    assert (bounds.lower, bounds.upper, bounds.tree.depth) == (9, 9, 9)
    assert (bounds.interrupted, bounds.timed_out) == (True, False)


def test_a_ctrl_c_as_the_bounds_meet_is_not_forgotten(monkeypatch: pytest.MonkeyPatch) -> None:
    awaited, searched = threading.Event(), threading.Event()
    search = _Solve._deepen_in_thread

    def search_and_say(solve: Any) -> None:
        awaited.wait(60)
        search(solve)
        searched.set()

    def press(*state: object) -> None:
        awaited.set()
        assert searched.wait(60)
        raise KeyboardInterrupt

    monkeypatch.setattr(
        "littlestone.dimension.littlestone.BRIEF", 1
    )  # the table is left to the thread
    monkeypatch.setattr(_Solve, "_deepen_in_thread", search_and_say)
    table = np.random.default_rng(0).random((500, 40)) < 0.3
    bounds = littlestone_bounds(table, progress=press)
    assert bounds.dimension == littlestone_dimension(table)
    assert (bounds.interrupted, bounds.timed_out) == (True, False)


@pytest.mark.parametrize("limit", [-1, float("nan"), "1"])
def test_a_time_limit_is_a_number_of_seconds(limit: Any) -> None:
    with pytest.raises(DeclarationError, match="seconds"):
        littlestone_bounds([[0, 1], [1, 0]], time_limit=limit)
