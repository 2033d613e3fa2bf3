"""From the points of a shattered tree to its leaves."""

from __future__ import annotations

import numpy as np
from numba import int64, uint64, void
from numpy.typing import NDArray

from littlestone.dimension.engine.compiling import compiled, trailing_zeros


@compiled(void(uint64[:, ::1], int64[::1], int64[::1], int64[::1]), bare=True)
def descend(
    rows: NDArray[np.uint64],
    points: NDArray[np.int64],
    index: NDArray[np.int64],
    ends: NDArray[np.int64],
) -> None:
    """Sort the row numbers in ``index`` to the leaves of a tree and fill in its lowest level.

    The rows of node i end up in index[ends[i] : ends[i + 1]] for the leaves i, counted from the
    left; ``ends`` has one entry more than there are leaves.
    """
    leaves = ends.size - 1
    ends[0], ends[leaves] = 0, index.size
    width = leaves
    node = 0
    while width > 1:
        for left in range(0, leaves, width):
            first, last = ends[left], ends[left + width]
            x = points[node]
            if x < 0:
                a, b = index[first], index[first + 1]
                for w in range(rows.shape[1]):
                    differ = rows[a, w] ^ rows[b, w]
                    if differ != np.uint64(0):
                        x = 64 * w + np.int64(trailing_zeros(differ))
                        break
                points[node] = x
            lower, upper = first, last
            while lower < upper:
                row = index[lower]
                if rows[row, x >> 6] >> np.uint64(x & 63) & np.uint64(1):
                    upper -= 1
                    index[lower], index[upper] = index[upper], row
                else:
                    lower += 1
            ends[left + (width >> 1)] = lower
            node += 1
        width >>= 1
