"""The compiled sums over the rows of a table, four entries at a time, and the check of a symmetry."""

from __future__ import annotations

from typing import Any

import numpy as np
from numba import boolean, int64, uint64, void

from littlestone.dimension.engine.compiling import compiled

_FOUR, _FIFTEEN = np.uint64(4), np.uint64(15)


@compiled(void(uint64[:, ::1], uint64[::1], uint64[::1]), bare=True)
def sum_rows(rows: Any, sums: Any, found: Any) -> None:
    """The sum of each row; ``sums`` has those of the 16 values of every four entries."""
    for i in range(rows.shape[0]):
        total = np.uint64(0)
        for w in range(rows.shape[1]):
            word = rows[i, w]
            for j in range(256 * w, 256 * w + 256, 16):
                total += sums[np.uint64(j) + (word & _FIFTEEN)]
                word >>= _FOUR
        found[i] = total


@compiled(void(uint64[:, ::1], uint64[::1], uint64[::1]), bare=True)
def sum_values(rows: Any, weights: Any, found: Any) -> None:
    """Add the weights of the rows to the sums of the 16 values of every four entries."""
    for i in range(rows.shape[0]):
        for w in range(rows.shape[1]):
            word = rows[i, w]
            for j in range(256 * w, 256 * w + 256, 16):
                found[np.uint64(j) + (word & _FIFTEEN)] += weights[i]
                word >>= _FOUR


@compiled(boolean(uint64[:, ::1], int64[::1], int64[::1], uint64[::1]), bare=True)
def takes(rows: Any, image: Any, match: Any, moved: Any) -> Any:
    """Whether a permutation of literals takes each row i to row match[i]; ``moved`` is for one row."""
    for i in range(rows.shape[0]):
        moved[:] = 0
        for x in range(image.size >> 1):
            bit = np.int64(rows[i, x >> 6] >> np.uint64(x & 63) & np.uint64(1))
            to = image[2 * x + bit]
            moved[to >> 7] |= np.uint64(to & 1) << np.uint64(to >> 1 & 63)
        for w in range(moved.size):
            if moved[w] != rows[match[i], w]:
                return False
    return True
