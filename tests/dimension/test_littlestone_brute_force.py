"""The solver against the definition of the Littlestone dimension, written down independently."""

from __future__ import annotations

from functools import cache

import numpy as np
import pytest

from littlestone.classes import FiniteClass
from littlestone.dimension.search.splits import LittlestoneSolver

Rows = frozenset[tuple[int, ...]]


@cache
def brute_force(rows: Rows) -> int:
    """LDim: -1 if empty; 1 + the best point's weaker side, where both sides are nonempty."""
    if len(rows) <= 1:
        return len(rows) - 1
    best = 0
    for j in range(len(next(iter(rows)))):
        zero = frozenset(row for row in rows if row[j] == 0)
        if 0 < len(zero) < len(rows):
            best = max(best, 1 + min(brute_force(zero), brute_force(rows - zero)))
    return best


def random_table(seed: int) -> list[tuple[int, ...]]:
    rng = np.random.default_rng([1, seed])
    shape = int(rng.integers(1, 17)), int(rng.integers(1, 7))
    table = rng.random(shape) < rng.choice([0.15, 0.3, 0.5])
    return [tuple(map(int, row)) for row in table]


@pytest.mark.parametrize("block", range(6))
def test_the_solver_agrees_with_brute_force_on_600_random_tables(block: int) -> None:
    found = set()
    for seed in range(100 * block, 100 * block + 100):
        table = random_table(seed)
        expected = brute_force(frozenset(table))
        H = FiniteClass.from_array(table)
        assert H.littlestone_dimension() == expected
        for y in (0, 1):
            rows = frozenset(row for row in table if row[0] == y)
            assert H.restrict("x0", y).littlestone_dimension() == brute_force(rows)
        found.add(expected)
    assert len(found) >= 4


@pytest.mark.parametrize("d", range(1, 5))
def test_the_cube_has_the_dimension_of_its_points(d: int) -> None:
    cube = [[i >> j & 1 for j in range(d)] for i in range(2**d)]
    assert FiniteClass.from_array(cube).littlestone_dimension() == d


def test_thresholds_have_the_logarithm_of_their_number() -> None:
    for n in range(1, 40):
        columns = [(1 << t) - 1 for t in range(1, n)]
        assert LittlestoneSolver(columns).dimension((1 << n) - 1) == n.bit_length() - 1
