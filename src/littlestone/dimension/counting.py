"""Counting in the sides of columns, compiled: rules 1, 2 and 5 of `refutes`.

Columns are packed, 64 rows to a word.  ``ones`` are the rows of V with value 1 in each column, and
``size`` is the number of its rows.
"""

from __future__ import annotations

from typing import Any

import numpy as np
from numba import boolean, int64, uint64, void
from numpy.typing import NDArray

from littlestone.dimension.engine.compiling import Index, compiled, popcount, trailing_zeros

_ONE = np.uint64(1)


# An array that is passed is counted as used, which costs more than these do: numbers only.
@compiled(boolean(int64, int64, int64), inline=True)
def _parts(ones: Index, size: Index, least: Index) -> Any:
    """Whether a column has so many rows on both sides."""
    return ones >= least and size - ones >= least


@compiled(int64(int64, int64, int64, int64, int64), inline=True)
def _split(x: Index, y: Index, both: Index, size: Index, least: Index) -> Index:
    """1 if a column splits side 0 of another into two parts of so many rows, + 2 for side 1.

    The split column has x ones and the other one y, of which ``both`` are in common.
    """
    split0 = _parts(y - both, size - x, least)
    split1 = _parts(both, x, least)
    return (1 if split0 else 0) + (2 if split1 else 0)


@compiled(void(uint64[:, ::1], int64[::1], int64, int64, int64[:, ::1], boolean[:, ::1]))
def look(
    columns: NDArray[np.uint64],
    ones: NDArray[np.int64],
    size: Index,
    k: Index,
    both: NDArray[np.int64],
    dead: NDArray[np.bool_],
) -> None:
    """For each column that rule 1 leaves: the ones it has in common with each, and rule 2.

    Marks dead[x, side] where rule 2 refutes that side of column x.
    """
    half, quarter = 1 << (k - 1), 1 << (k - 2)
    for x in range(len(columns)):
        if not _parts(ones[x], size, half):
            continue
        # If k = 2, a side of two rows has LDim >= 1, even if none of these columns splits it.
        split = 3 if k == 2 else 0
        for y in range(len(columns)):
            if y < x and _parts(ones[y], size, half):
                both[x, y] = both[y, x]
            else:
                common = np.uint64(0)
                for w in range(columns.shape[1]):
                    common += popcount(columns[x, w] & columns[y, w])
                both[x, y] = np.int64(common)
            split |= _split(ones[x], ones[y], both[x, y], size, quarter)
        dead[x, 0], dead[x, 1] = split & 1 == 0, split & 2 == 0


@compiled(boolean(uint64[:, ::1], uint64[::1], int64[::1], int64, int64))
def counted_out(
    columns: NDArray[np.uint64],
    rows: NDArray[np.uint64],
    ones: NDArray[np.int64],
    size: Index,
    k: Index,
) -> Any:
    """Whether rules 1 and 2 leave no column of V alive, V being a mask of rows."""
    half, quarter = 1 << (k - 1), 1 << (k - 2)
    for x in range(len(columns)):
        if not _parts(ones[x], size, half):
            continue
        split = 3 if k == 2 else 0
        part = rows & columns[x]
        for y in range(len(columns)):
            if _parts(ones[y], size, quarter):
                common = np.uint64(0)
                for w in range(len(part)):
                    common += popcount(part[w] & columns[y, w])
                split |= _split(ones[x], ones[y], np.int64(common), size, quarter)
            if split == 3:
                return False
    return True


@compiled(boolean(int64[::1], int64, int64[:, ::1], boolean[:, ::1], int64))
def inside(
    ones: NDArray[np.int64], size: Index, both: NDArray[np.int64], dead: NDArray[np.bool_], x: Index
) -> Any:
    """Whether a side of column x lies in a dead side (rule 5)."""
    for y in range(len(ones)):
        common = both[x, y]
        in0 = common == 0 or common == ones[y]
        in1 = common == ones[x] or ones[y] - common == size - ones[x]
        if (in0 and dead[y, 0]) or (in1 and dead[y, 1]):
            return True
    return False


@compiled(void(uint64[:, ::1], uint64[::1], uint64[:, ::1]))
def gather(columns: NDArray[np.uint64], rows: NDArray[np.uint64], out: NDArray[np.uint64]) -> None:
    """Write the columns, on the rows of a mask alone, into the words of ``out``, which are 0."""
    for j in range(len(columns)):
        to = 0
        for w in range(len(rows)):
            column, left = columns[j, w], rows[w]
            while left:
                bit = column >> trailing_zeros(left) & _ONE
                out[j, to >> 6] |= bit << np.uint64(to & 63)
                left &= left - _ONE
                to += 1
