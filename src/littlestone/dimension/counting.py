"""Compiled counting in the sides of columns, for rules 1, 2 and 5 of `refutes`.

Columns are packed, with 64 rows in a word.  ``ones`` is the number of rows of V with the value 1, for
each column.  ``size`` is the number of rows of V.
"""

from __future__ import annotations

from typing import Any

import numpy as np
from numba import boolean, int64, uint64, void
from numpy.typing import NDArray

from littlestone.dimension.engine.compiling import Index, compiled, part, popcount, trailing_zeros

_ONE = np.uint64(1)


# These take numbers only: passing an array updates its reference count, which costs more than they do.
@part(boolean(int64, int64, int64), inline=True)
def _parts(ones: Index, size: Index, least: Index) -> Any:
    """Whether a column has at least ``least`` rows on both sides."""
    return ones >= least and size - ones >= least


@part(int64(int64, int64, int64, int64, int64), inline=True)
def _split(x: Index, y: Index, both: Index, size: Index, least: Index) -> Index:
    """Which sides of one column another column splits into parts of at least ``least`` rows.

    The result is the sum of 1 for side 0 and 2 for side 1.  The first column has x ones, the other one
    has y, and ``both`` of these are in the same rows.
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
    """Apply rule 2 to each column that rule 1 leaves, and count the ones that columns share.

    Writes the number of shared ones to both[x, y].  Sets dead[x, side] if rule 2 refutes that side of
    column x.
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
    """Whether rules 1 and 2 leave no column of V, where V is the mask ``rows``."""
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
    """Whether a side of column x is a subset of a dead side (rule 5)."""
    for y in range(len(ones)):
        common = both[x, y]
        in0 = common == 0 or common == ones[y]
        in1 = common == ones[x] or ones[y] - common == size - ones[x]
        if (in0 and dead[y, 0]) or (in1 and dead[y, 1]):
            return True
    return False


@compiled(void(uint64[:, ::1], uint64[::1], uint64[:, ::1]))
def gather(columns: NDArray[np.uint64], rows: NDArray[np.uint64], out: NDArray[np.uint64]) -> None:
    """Copy the rows of a mask, from every column, into ``out``, whose words are 0 before."""
    for j in range(len(columns)):
        to = 0
        for w in range(len(rows)):
            column, left = columns[j, w], rows[w]
            while left:
                bit = column >> trailing_zeros(left) & _ONE
                out[j, to >> 6] |= bit << np.uint64(to & 63)
                left &= left - _ONE
                to += 1
