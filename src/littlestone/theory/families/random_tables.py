"""Random tables, the same for the same numbers."""

from __future__ import annotations

import numpy as np

from littlestone.theory.families.base import Table, family


@family("random", lambda rows, points, percent, seed: (rows, points), (1, 2**24), (1, 2**20),
        (0, 100), (0, 2**32 - 1))  # fmt: skip
def random(rows: int, points: int, percent: int, seed: int) -> Table:
    """Independent entries, each 1 with that probability in percent; equal rows are kept once."""
    made = np.random.default_rng(seed).random((rows, points)) < percent / 100
    return np.unique(made.astype(np.uint8), axis=0)
