"""Certificates of tables whose columns nearly repeat: sides of one lie inside sides of others."""

from pathlib import Path

import numpy as np
import pytest
import tables

from littlestone.dimension import is_shattered_by
from littlestone.dimension.littlestone import _Solve
from littlestone.dimension.tables import PackedTable
from littlestone.dimension.tree import Bounds


def compiled(table: np.ndarray) -> Bounds:
    solve = _Solve(PackedTable.pack(table), None, None, 1 << 30)
    solve.search()
    return solve.bounds()


@pytest.mark.parametrize("seed", range(16))
def test_the_certificate_is_accepted(seed: int) -> None:
    rng = np.random.default_rng(seed)
    rows, columns = int(rng.integers(120, 200)), int(rng.integers(25, 40))
    base = rng.random((rows, 4)) < 0.5
    noise = rng.random((rows, columns)) < 0.03
    table = (base[:, rng.integers(0, 4, columns)] ^ noise).astype(np.uint8)
    bounds = compiled(table)
    assert is_shattered_by(table, bounds.tree)
    assert tables.proved(table, bounds)


def test_both_sides_of_a_column_may_be_claims() -> None:
    """157 x 31, shrunk from a certificate that was refused: only one of the sides was remembered."""
    table = np.load(Path(__file__).parent / "near_duplicates.npy")
    bounds = compiled(table)
    assert tables.proved(table, bounds)
