"""Two searches of one table, which share what they learn."""

from __future__ import annotations

import threading
from typing import Any

import numpy as np
import pytest
import tables

from littlestone import core
from littlestone.dimension import is_shattered_by
from littlestone.dimension.littlestone import _Solve, littlestone_bounds
from littlestone.dimension.search import engine as driver
from littlestone.dimension.tables import PackedTable
from littlestone.dimension.tree import Bounds


def solved(table: Any, jobs: int) -> Bounds:
    solve = _Solve(PackedTable.pack(table), None, None, 8 << 30, jobs)
    solve.search()
    return solve.bounds()


def random_table(rng: np.random.Generator, rows: int, points: int) -> Any:
    return (rng.random((rows, points)) < rng.choice([0.1, 0.2, 0.35, 0.5, 0.8])).astype(np.uint8)


@pytest.mark.parametrize("block", range(4))
def test_taking_turns_they_find_what_recursion_finds(block: int) -> None:
    """Each is stopped after a few version spaces, and the other one goes on from there."""
    turns = 0
    for seed in range(300 * block, 300 * block + 300):
        rng = np.random.default_rng([6, seed])
        table = PackedTable.pack(
            random_table(rng, int(rng.integers(8, 80)), int(rng.integers(5, 60)))
        )
        dimension = tables.recursion(table)
        solver = core.Solver(table.size, table.points, 1 << 16)
        solver.load(table.rows)
        for k in rng.permutation(np.arange(2, table.size.bit_length())).tolist():
            answer, nodes = -1, 1
            while answer < 0:
                for searcher in (core.Searcher.first, core.Searcher.second):
                    answer = solver.ask(k, nodes, 1 << 62, searcher) if answer < 0 else answer
                    turns += 1
                nodes += 1
            assert answer == (k <= dimension)
    assert turns > 2000


@pytest.mark.parametrize("seed", range(30))
def test_at_once_they_find_what_one_finds(seed: int, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(driver, "PATIENCE", 0)
    rng = np.random.default_rng([7, seed])
    table = random_table(rng, int(rng.integers(200, 1500)), int(rng.integers(20, 80)))
    alone, together = solved(table, 1), solved(table, 2)
    assert (alone.lower, alone.upper) == (together.lower, together.upper)
    assert is_shattered_by(table, together.tree)


def test_one_goes_ahead_to_another_question() -> None:
    """What it learns there is true, and no answer to the question of the first search."""
    for seed in range(60):
        rng = np.random.default_rng([8, seed])
        table = PackedTable.pack(random_table(rng, 80, 30))
        dimension = tables.recursion(table)
        solver = core.Solver(table.size, table.points, 1 << 16)
        solver.load(table.rows)
        solver.help_after(0)
        for k, ahead in rng.integers(2, 7, (8, 2)).tolist():
            answer = solver.ask(k, 1 << 60, 1 << 62, core.Searcher.both, ahead)
            assert answer == (k <= dimension)


def test_a_side_at_which_the_other_search_is_gets_its_turn() -> None:
    """Of 2^k thresholds only the halves have LDim = k - 1, so that both searches go the same way."""
    table = PackedTable.pack(tables.thresholds(511))
    for _ in range(5000):  # in one of a hundred they meet there
        solver = core.Solver(table.size, table.points, 1 << 16)
        solver.load(table.rows)
        solver.help_after(0)
        assert solver.ask(9, 1 << 60, 1 << 62, core.Searcher.both) == 1


@pytest.mark.parametrize("name", ["decision lists", "threshold functions", "downsets", "balls"])
def test_known_dimensions_with_a_helper(name: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(driver, "PATIENCE", 0)
    table, expected = {
        "decision lists": (tables.decision_lists(5), 12),
        "threshold functions": (tables.threshold_functions(4), 9),
        "downsets": (tables.downsets(8), 12),
        "balls": (tables.balls(9, range(10)), 10),
    }[name]
    solve = _Solve(PackedTable.pack(table), None, None, 8 << 30, 2)
    solve.search()
    assert (solve.lower, solve.upper) == (expected, expected)
    assert is_shattered_by(table, solve.bounds().tree)


HARD = tables.random_table(1, 16384, 256, 0.2)  # dimension 9


def test_both_search_and_both_end_with_the_time_limit_and_with_ctrl_c(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(driver, "PATIENCE", 0)
    before = threading.active_count()

    def press(*state: object) -> None:
        if solve._engine.nodes > 1000:
            raise KeyboardInterrupt

    solve = _Solve(PackedTable.pack(HARD), press, None, 8 << 30, 2)
    solve.search()
    for bounds in (solve.bounds(), littlestone_bounds(HARD, time_limit=0.4, jobs=2)):
        assert bounds.interrupted
        assert bounds.lower <= 9 <= bounds.upper
        assert is_shattered_by(HARD, bounds.tree)
    assert threading.active_count() <= before


def test_questions_are_stopped_at_any_time(monkeypatch: pytest.MonkeyPatch) -> None:
    """By a timer, again and again; what the two learnt until then is right."""
    monkeypatch.setattr(driver, "PATIENCE", 0)
    table = PackedTable.pack(tables.random_table(2, 4000, 200, 0.2))
    dimension, stopped = solved(table, 1).dimension, 0
    for seconds in np.random.default_rng(0).uniform(0, 0.003, 30).tolist():
        engine = driver.Engine(table, 1 << 20)
        engine.help()
        for k in (dimension + 1, dimension, dimension + 1):
            timer = threading.Timer(seconds, engine.stop)
            timer.start()
            answer = engine.at_least(k, ahead=k)
            timer.join()
            engine.resume()
            assert answer in (None, k <= dimension)
            stopped += answer is None
        assert engine.at_least(dimension + 1, ahead=dimension + 1) is False
    assert stopped > 10
