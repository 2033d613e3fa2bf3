"""The root frame: the packed rows of a table, turned into columns."""

from __future__ import annotations

import numpy as np
from numba import int64, uint64, void
from numpy.typing import NDArray

from littlestone.dimension.engine.compiling import Index, compiled
from littlestone.dimension.engine.frames import settle
from littlestone.dimension.engine.state import OFFSET, STATE, State
from littlestone.dimension.engine.transposing import transpose


@compiled(void(STATE, uint64[:, ::1], int64), bare=True)
def load(S: State, rows: NDArray[np.uint64], columns: Index) -> None:
    """Make the rows of a table the root frame, at depth 0."""
    arena, block = S.arena, S.block
    count, wide = rows.shape
    words = (count + 63) >> 6
    for b in range(0, wide, 4):
        for g in range(words):
            block[:] = 0
            for r in range(min(64, count - 64 * g)):
                for i in range(min(4, wide - b)):
                    block[4 * r + i] = rows[64 * g + r, b + i]
            transpose(block)
            for i in range(min(4, wide - b)):
                first = 64 * (b + i)
                for c in range(min(64, columns - first)):
                    arena[(first + c) * words + g] = block[4 * c + i]
    parent = S.frame.shape[0] - 1  # stands for what is above the root
    for j in range(columns):
        S.origin[parent, j] = 2 * j
        S.raw[j, 4] = j
    S.frame[0, OFFSET] = 0
    S.stride[0, 0] = 0
    S.stride[0, 1] = 0
    settle(S, -1, columns, count)
