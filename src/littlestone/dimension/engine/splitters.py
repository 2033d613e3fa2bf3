"""The lookahead over rows: which columns split both sides of a column into large enough parts?"""

from __future__ import annotations

import numpy as np
from numba import int8, int32, int64, uint64, void
from numpy.typing import NDArray

from littlestone.dimension.engine.compiling import compiled
from littlestone.dimension.engine.frames import list_rows
from littlestone.dimension.engine.slices import (
    add_sixteen_2,
    add_sixteen_4,
    count_between_2,
    count_between_4,
)
from littlestone.dimension.engine.state import OFFSET, ROWS, WORDS

_ZERO, _TWO, _FOUR = np.uint64(0), np.uint64(2), np.uint64(4)
_SIXTEEN, _LOW = np.uint64(16), np.uint64(0xFFFFFFFF)


@compiled(
    void(
        uint64[::1],
        uint64[::1],
        int32[::1],
        uint64[::1],
        uint64[::1],
        int32[::1],
        int64[::1],
        int8[::1],
        int64[:, ::1],
        int64[::1],
        int64[::1],
        int64,
        int64,
        int64,
    )
)
def count_splitters(
    arena: NDArray[np.uint64],
    bits: NDArray[np.uint64],
    index: NDArray[np.int32],
    planes: NDArray[np.uint64],
    totals: NDArray[np.uint64],
    count: NDArray[np.int32],
    order: NDArray[np.int64],
    known: NDArray[np.int8],
    alive: NDArray[np.int64],
    frame: NDArray[np.int64],
    place: NDArray[np.int64],
    begin: int,
    end: int,
    least: int,
) -> None:
    """Into alive[i], for order[begin : end]: columns that split side 0, side 1 of column order[i].

    A column splits a side if both parts have at least ``least`` rows.  The rows of the smaller side
    are added up, all columns at once; the larger side is the difference to the totals.
    """
    rows = frame[ROWS]
    start, stride = np.uint64(place[0]), np.uint64(place[1])
    row_levels = 5
    while rows >> row_levels:
        row_levels += 1
    for i in range(begin, end):
        if known[i] & 6:
            continue
        x = order[i]
        ones = np.int64(count[x])
        side = 1 if 2 * ones <= rows else 0
        size = list_rows(arena, np.uint64(frame[OFFSET] + x * frame[WORDS]), rows, side, index)
        for j in range(size, (size + 15) & ~15):
            index[j] = rows  # the row of zeros
        levels = 5
        while size >> levels:
            levels += 1
        for j in range(np.uint64(levels) * stride):
            planes[j] = 0
        above, rest = np.uint64(size - least + 1), np.uint64(rows - size - least + 1)
        found = _ZERO
        if stride == _TWO:
            for j in range(_ZERO, np.uint64(size), _SIXTEEN):
                add_sixteen_2(
                    bits, start, stride, index, j, planes, _ZERO, stride, np.uint64(levels)
                )
            found = count_between_2(
                planes,
                totals,
                _ZERO,
                stride,
                np.uint64(levels),
                np.uint64(row_levels),
                np.uint64(least),
                above,
                rest,
            )
        else:
            for b in range(_ZERO, stride, _FOUR):
                for j in range(_ZERO, np.uint64(size), _SIXTEEN):
                    add_sixteen_4(
                        bits, start + b, stride, index, j, planes, b, stride, np.uint64(levels)
                    )
                found += count_between_4(
                    planes,
                    totals,
                    b,
                    stride,
                    np.uint64(levels),
                    np.uint64(row_levels),
                    np.uint64(least),
                    above,
                    rest,
                )
        alive[i, side] = np.int64(found & _LOW)
        alive[i, 1 - side] = np.int64(found >> np.uint64(32))
