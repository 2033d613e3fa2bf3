"""From a filled table of bounds to a shattered tree."""

from __future__ import annotations

from typing import Any

import numpy as np
from numba import boolean, int64, uint64, void
from numpy.typing import NDArray

from littlestone.dimension.engine.bounds_table import probe
from littlestone.dimension.engine.compiling import Index, compiled, trailing_zeros
from littlestone.dimension.engine.frames import restrict
from littlestone.dimension.engine.search import at_least, remembered, usable
from littlestone.dimension.engine.state import COLUMNS, ROWS, STATE, State


@compiled(int64(STATE, int64, int64, int64, int64))
def decide_side(S: State, depth: Index, x: Index, side: Index, k: Index) -> Index:
    """Build a side of column x as frame depth + 1 and decide LDim >= k for it; k >= 2."""
    ones = np.int64(S.ones[depth, x])
    size = ones if side == 1 else S.frame[depth, ROWS] - ones
    restrict(S, depth, x, side, size)
    if size < 1 << k:
        return 0
    if k == 2:
        return 1 if S.frame[depth + 1, COLUMNS] > 0 else 0
    at = np.int64(S.origin[depth, x]) ^ side
    S.path[depth + 1, 0] = S.path[depth, 0] + S.literal[at, 0]
    S.path[depth + 1, 1] = S.path[depth, 1] + S.literal[at, 1]
    bounds = probe(S, S.key[depth + 1, 0], S.key[depth + 1, 1])
    if bounds & 0xFF >= k:
        return 1
    if bounds >> 8 < k:
        return 0
    return at_least(S, depth + 1, k)


@compiled(boolean(STATE, int64, int64, int64, int64[::1]))
def plant(S: State, depth: Index, k: Index, node: Index, points: NDArray[np.int64]) -> Any:
    """Write the points of a shattered tree of depth k >= 2 for a frame, but for the lowest level."""
    n = usable(S, depth, 1 << (k - 1))
    if k == 2:
        points[node] = S.origin[depth, S.order[depth, 0]] >> 1
        return n > 0
    chosen = np.int64(-1)
    for i in range(n):
        x = S.order[depth, i]
        if (
            remembered(S, depth, x, 0) & 0xFF >= k - 1
            and remembered(S, depth, x, 1) & 0xFF >= k - 1
        ):
            chosen = x
            break
    if chosen < 0:
        for i in range(n):
            x = S.order[depth, i]
            smaller = 1 if 2 * np.int64(S.ones[depth, x]) <= S.frame[depth, ROWS] else 0
            first = decide_side(S, depth, x, smaller, k - 1)
            if first < 0:
                return False
            if first == 0:
                continue
            second = decide_side(S, depth, x, 1 - smaller, k - 1)
            if second < 0:
                return False
            if second == 1:
                chosen = x
                break
    if chosen < 0:
        return False
    origin = np.int64(S.origin[depth, chosen])
    points[node] = origin >> 1
    for side in range(2):
        decide_side(S, depth, chosen, side, k - 1)
        if not plant(S, depth + 1, k - 1, 2 * node + 1 + (side ^ (origin & 1)), points):
            return False
    return True


@compiled(void(uint64[:, ::1], int64[::1], int64[::1], int64[::1]))
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
