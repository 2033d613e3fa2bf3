"""Bounds of dimensions within a time limit, and the searches behind them against the definitions."""

from __future__ import annotations

import json
from functools import cache
from itertools import combinations
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from numpy.typing import NDArray
from typer.testing import CliRunner

from littlestone.base.errors import DeclarationError, TooLargeError
from littlestone.cli import app
from littlestone.dimension import (
    HalfGraph,
    half_graphs,
    is_half_graph,
    is_psi_shattered,
    is_psi_shattered_set,
    is_star,
    is_teaching_set,
    littlestone_bounds,
    psi_bin,
    psi_littlestone_bounds,
    psi_littlestone_dimension,
    psi_n,
    psi_shattered_bounds,
    psi_shattered_set,
    star_bounds,
    star_number,
    teaching_bounds,
    teaching_dimension,
    threshold_bounds,
    threshold_dimension,
)
from littlestone.dimension.half_graphs import HalfGraphSearch

Table = NDArray[np.int64]


def tables(count: int, most: tuple[int, int], seed: int, labels: int = 2) -> list[Table]:
    rng = np.random.default_rng(seed)
    found = []
    for _ in range(count):
        shape = rng.integers(1, most, endpoint=True)
        ones = rng.random(shape) < rng.choice([0.3, 0.5, 0.8])
        found.append(ones * rng.integers(1, labels, size=shape))
    return found


def longest_half_graph(table: Table) -> int:
    """T(V, P) by its definition."""

    ones = [frozenset(np.flatnonzero(row).tolist()) for row in table]

    @cache
    def longest(V: frozenset[int], P: frozenset[int]) -> int:
        below = (
            longest(frozenset(g for g in V if not table[g, x]), P & ones[h] - {x})
            for h in V
            for x in P & ones[h]
        )
        return max((1 + t for t in below), default=0)

    height, width = table.shape
    return longest(frozenset(range(height)), frozenset(range(width)))


@pytest.mark.parametrize("slice_", [1, half_graphs._SLICE])
def test_half_graphs_are_longest(slice_: int, monkeypatch: pytest.MonkeyPatch) -> None:
    """In slices of one node, the search is asked again and again before it answers."""
    monkeypatch.setattr(half_graphs, "_SLICE", slice_)
    for table in tables(200, (7, 8), seed=1):
        found = threshold_bounds(table, time_limit=None)
        assert is_half_graph(table, found.witness)
        assert len(found.witness.points) == longest_half_graph(table)
        assert found.lower == found.upper == len(found.witness.points)


def test_numbers_before_the_first_row_or_column_are_no_half_graph() -> None:
    table = [[1, 1], [0, 1]]
    assert is_half_graph(table, HalfGraph((0, 1), (0, 1)))
    assert not is_half_graph(table, HalfGraph((0, 1), (0, -1)))
    assert not is_half_graph(table, HalfGraph((0, -1), (0, 1)))


def test_random_tables_have_the_known_threshold_dimensions() -> None:
    """Turned as well."""
    table = np.random.default_rng(1).integers(0, 2, (100, 32))
    for turned in (table, table.T):
        found = threshold_bounds(turned, time_limit=None)
        assert (found.lower, found.upper) == (11, 11)
        assert is_half_graph(turned, found.witness)


def smallest(table: Table) -> int:
    """The teaching dimension by its definition."""
    rows = sorted(set(map(tuple, table.tolist())))
    points = range(table.shape[1])

    def needed(row: tuple[int, ...]) -> int:
        others = [other for other in rows if other != row]
        return next(
            size
            for size in range(len(row) + 1)
            for S in combinations(points, size)
            if all(any(other[x] != row[x] for x in S) for other in others)
        )

    return max(map(needed, rows))


@pytest.mark.parametrize("labels", [2, 3])
def test_teaching_sets_are_smallest(labels: int) -> None:
    for table in tables(150, (14, 7), seed=2, labels=labels):
        found = teaching_bounds(table, time_limit=None)
        assert found.lower == found.upper == smallest(table)
        for h, points in found.witness.items():
            assert is_teaching_set(table, h, points)
            assert len(points) <= found.upper


def test_a_few_hundred_rows_are_taught() -> None:
    table = np.random.default_rng(1).integers(0, 2, (200, 64))
    found = teaching_bounds(table, time_limit=None)
    assert found.lower == found.upper == 5
    assert all(is_teaching_set(table, h, points) for h, points in found.witness.items())


@pytest.mark.parametrize("seconds", [0, 0.01, None])
def test_bounds_hold_whenever_a_search_is_stopped(seconds: float | None) -> None:
    for table in tables(6, (40, 12), seed=3):
        for bounds, exact in [
            (threshold_bounds(table, time_limit=seconds), threshold_dimension(table)),
            (teaching_bounds(table, time_limit=seconds), teaching_dimension(table)),
            (star_bounds(table, time_limit=seconds), star_number(table)),
            (
                psi_shattered_bounds(table, psi_n, time_limit=seconds),
                len(psi_shattered_set(table, psi_n)),
            ),
            (
                psi_littlestone_bounds(table, psi_bin, time_limit=seconds),
                psi_littlestone_dimension(table, psi_bin),
            ),
        ]:
            assert bounds.lower <= exact <= bounds.upper  # type: ignore[attr-defined]
            assert bounds.is_settled or seconds is not None  # type: ignore[attr-defined]
        graph = threshold_bounds(table, time_limit=seconds)
        assert is_half_graph(table, graph.witness)
        assert len(graph.witness.points) == graph.lower
        star = star_bounds(table, time_limit=seconds)
        assert is_star(table, star.witness)
        assert len(star.witness.points) == star.lower
        taught = teaching_bounds(table, time_limit=seconds)
        assert max(map(len, taught.witness.values())) == taught.upper
        tree = psi_littlestone_bounds(table, psi_bin, time_limit=seconds)
        assert tree.witness.depth == tree.lower
        assert is_psi_shattered(table, tree.witness)
        asked = psi_shattered_bounds(table, psi_n, time_limit=seconds)
        assert len(asked.witness) == asked.lower
        assert is_psi_shattered_set(table, asked.witness)


@pytest.mark.parametrize("seconds", [-1, "10", float("nan")])
def test_a_time_limit_is_a_number_of_seconds(seconds: Any) -> None:
    with pytest.raises(DeclarationError, match="time limit"):
        threshold_bounds([[0, 1]], time_limit=seconds)


def test_a_search_that_needs_too_much_memory_is_refused_with_bounds(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    most = HalfGraphSearch.bytes_for((29, 12), 7) - 1  # two of the 30 rows are equal
    monkeypatch.setattr(half_graphs, "_MOST_BYTES", most)
    with pytest.raises(TooLargeError, match="it is between 6 and 12, and a search for 7 takes"):
        threshold_dimension(np.random.default_rng(1).integers(0, 2, (30, 12)))


def test_upper_bounds_that_need_too_much_memory_are_not_asked_about(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """The search for one more fits; that for the upper bound, 12, would not."""
    table = np.random.default_rng(1).integers(0, 2, (30, 12))
    exact = threshold_dimension(table)
    most = HalfGraphSearch.bytes_for(table.shape, exact + 1)
    assert exact + 1 < 12
    monkeypatch.setattr(half_graphs, "_MOST_BYTES", most)
    made = HalfGraphSearch.__init__

    def within(self: HalfGraphSearch, values: Any, length: int) -> None:
        assert HalfGraphSearch.bytes_for(table.shape, length) <= most
        made(self, values, length)

    monkeypatch.setattr(HalfGraphSearch, "__init__", within)
    assert threshold_dimension(table) == exact


def test_a_solve_that_needs_too_much_memory_is_refused_with_bounds() -> None:
    table = np.random.default_rng(1).integers(0, 2, (2048, 64))
    with pytest.raises(TooLargeError, match="between 1 and 11") as refused:
        littlestone_bounds(table, memory_limit=1 << 20)
    assert "--memory-limit 1" in str(refused.value)


def test_the_command_prints_bounds_after_its_time_limit(tmp_path: Path) -> None:
    np.save(tmp_path / "t.npy", np.random.default_rng(1).integers(0, 2, (60, 16)))
    done = CliRunner().invoke(app, ["theory", "dims", str(tmp_path / "t.npy"), "--time-limit", "0"])
    assert done.exit_code == 0
    assert "threshold dimension: between 0 and 16 (time limit)" in done.stdout
    assert "at most 16 by its rank over GF(2)" in done.stdout
    done = CliRunner().invoke(
        app, ["theory", "dims", str(tmp_path / "t.npy"), "--time-limit", "0", "--json"]
    )
    found = json.loads(done.stdout)["dimensions"]["star number"]
    assert (found["value"], found["exact"], found["upper"]) == (0, False, 16)
