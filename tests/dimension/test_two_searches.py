"""Two searches of one table, which share what they learn."""

from __future__ import annotations

import threading
import time
from typing import Any

import numpy as np
import pytest
import tables

from littlestone.dimension import is_shattered_by, refutes
from littlestone.dimension.bounds import Bounds
from littlestone.dimension.small import solve_small
from littlestone.dimension.solver import _Solve, littlestone_bounds
from littlestone.dimension.table import PackedTable

pytestmark = pytest.mark.slow


def solved(table: Any, jobs: int) -> Bounds:
    solve = _Solve(PackedTable.read(table), None, None, 8 << 30, jobs)
    solve.search()
    return solve.bounds(certificate=True)


def random_table(rng: np.random.Generator, rows: int, points: int) -> Any:
    return (rng.random((rows, points)) < rng.choice([0.1, 0.2, 0.35, 0.5, 0.8])).astype(np.uint8)


@pytest.mark.parametrize("block", range(4))
def test_taking_turns_they_find_what_recursion_finds(block: int) -> None:
    """Each is stopped after a few version spaces, and the other one goes on from there."""
    from littlestone.dimension.engine.helping import NO_POINTS
    from littlestone.dimension.engine.packing import load
    from littlestone.dimension.engine.search import decide
    from littlestone.dimension.engine.state import (
        MAY_GROW,
        NODE_LIMIT,
        NODES,
        State,
        allocate,
        beside,
    )

    def asked(state: State, k: int, nodes: int) -> int:
        state.control[NODE_LIMIT] = state.control[NODES] + nodes
        return int(decide(state, 0, -1, 0, k, -1, NO_POINTS))

    turns = 0
    for seed in range(300 * block, 300 * block + 300):
        rng = np.random.default_rng([6, seed])
        table = PackedTable.read(
            random_table(rng, int(rng.integers(8, 80)), int(rng.integers(5, 60)))
        )
        small = solve_small(table, certificate=False, work=10**9)
        assert small is not None
        first = allocate(table.size, table.points, 1 << 16)
        load(first, table.rows, table.points)
        second = beside(first)
        second.control[MAY_GROW] = 0
        for k in rng.permutation(np.arange(2, table.size.bit_length() + 1)).tolist():
            answer, nodes = -1, 1
            while answer < 0:
                for state in (first, second):
                    answer = asked(state, k, nodes) if answer < 0 else answer
                    turns += 1
                nodes += 1
            assert answer == (k <= small.lower)
    assert turns > 2000


@pytest.mark.parametrize("seed", range(30))
def test_at_once_they_find_what_one_finds(seed: int, monkeypatch: pytest.MonkeyPatch) -> None:
    from littlestone.dimension.engine import helping

    monkeypatch.setattr(helping, "PATIENCE", 0)
    rng = np.random.default_rng([7, seed])
    table = random_table(rng, int(rng.integers(200, 1500)), int(rng.integers(20, 80)))
    alone, together = solved(table, 1), solved(table, 2)
    assert (alone.lower, alone.upper) == (together.lower, together.upper)
    assert alone.certificate == together.certificate
    assert is_shattered_by(table, together.tree)
    assert together.certificate is not None
    if seed % 5 == 0:
        assert refutes(table, together.certificate, together.upper + 1)


@pytest.mark.parametrize("name", ["decision lists", "threshold functions", "downsets", "balls"])
def test_known_dimensions_with_a_helper(name: str, monkeypatch: pytest.MonkeyPatch) -> None:
    from littlestone.dimension.engine import helping

    monkeypatch.setattr(helping, "PATIENCE", 0)
    table, expected = {
        "decision lists": (tables.decision_lists(5), 12),
        "threshold functions": (tables.threshold_functions(4), 9),
        "downsets": (tables.downsets(8), 12),
        "balls": (tables.balls(9, range(10)), 10),
    }[name]
    solve = _Solve(PackedTable.read(table), None, None, 8 << 30, 2)
    solve.search()
    assert (solve.lower, solve.upper) == (expected, expected)
    assert is_shattered_by(table, solve.bounds().tree)


HARD = tables.random_table(1, 16384, 256, 0.2)  # dimension 9


def test_both_search_and_both_end_with_the_time_limit_and_with_ctrl_c(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    from littlestone.dimension.engine import helping

    monkeypatch.setattr(helping, "PATIENCE", 0)
    before = threading.active_count()

    def press(*state: object) -> None:
        helper = solve._engine._helper
        if helper is not None and helper.nodes > 0:
            raise KeyboardInterrupt

    solve = _Solve(PackedTable.read(HARD), press, None, 8 << 30, 2)
    solve.search()
    for bounds in (solve.bounds(), littlestone_bounds(HARD, time_limit=0.4, jobs=2)):
        assert bounds.interrupted
        assert bounds.lower <= 9 <= bounds.upper
        assert is_shattered_by(HARD, bounds.tree)
    until = time.monotonic() + 10
    while threading.active_count() > before and time.monotonic() < until:
        time.sleep(0.01)
    assert threading.active_count() <= before


def test_without_memory_for_it_there_is_no_helper(monkeypatch: pytest.MonkeyPatch) -> None:
    from littlestone.dimension.engine import helping

    def refuse(state: object) -> None:
        raise MemoryError

    monkeypatch.setattr(helping, "PATIENCE", 0)
    monkeypatch.setattr(helping, "beside", refuse)
    assert solved(tables.downsets(6), 2).dimension == 9
