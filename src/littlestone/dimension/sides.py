"""The sides of the columns of a version space, for the finder and the checker of refutations."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from littlestone.dimension import counting

Columns = NDArray[np.uint64]  # [column, word]: 64 rows to a word, zeros after the last
Mask = NDArray[np.uint64]  # [word]: a set of rows


class Sides:
    """The sides of the columns of V, and which of them are known to have LDim < k - 1.

    ``open`` are the columns both of whose sides rules 1 and 2 leave alive, most balanced first.
    """

    def __init__(self, columns: Columns, size: int, k: int) -> None:
        self.columns, self.size, self.k = columns, size, k
        self.ones = ones = weights(columns)
        self._both = np.zeros((len(columns), len(columns)), np.int64)
        self._dead = np.zeros((len(columns), 2), np.bool_)
        counting.look(columns, ones, size, k, self._both, self._dead)
        balance = np.minimum(ones, size - ones)
        alive = np.flatnonzero((balance >= 1 << (k - 1)) & ~self._dead.any(axis=1))
        self.open: list[int] = alive[np.argsort(-balance[alive], kind="stable")].tolist()

    def smaller_first(self, j: int) -> tuple[int, int]:
        """The sides of column j, the one with fewer rows first."""
        smaller = int(2 * self.ones[j] <= self.size)
        return smaller, 1 - smaller

    def rows(self, j: int, side: int) -> Mask:
        """The rows of one side of column j."""
        rows: Mask = self.columns[j] if side else everything(self.size) ^ self.columns[j]
        return rows

    def bury(self, j: int, side: int) -> bool:
        """Take note that this side has LDim < k - 1."""
        self._dead[j, side] = True
        return True

    def counts_out(self, j: int, side: int) -> bool:
        """Whether rules 1 and 2 alone refute this side of an open column (rule 4)."""
        if self.k == 2:
            return False
        ones, size = self._both[j], int(self.ones[j])
        if side == 0:
            ones, size = self.ones - ones, self.size - size
        rows = self.rows(j, side)
        return bool(counting.counted_out(self.columns, rows, ones, size, self.k - 1))

    def inside(self, j: int) -> bool:
        """Whether a side of open column j lies in a side that is dead (rule 5)."""
        return bool(counting.inside(self.ones, self.size, self._both, self._dead, j))


def everything(size: int) -> Mask:
    """The mask of that many rows."""
    mask = np.full(-(-size // 64), 2**64 - 1, np.uint64)
    mask[-1:] >>= np.uint64(-size % 64)
    return mask


def weights(columns: Columns) -> NDArray[np.int64]:
    """How many rows are 1 in each column."""
    ones: NDArray[np.int64] = np.bitwise_count(columns).sum(axis=-1, dtype=np.int64)
    return ones


def restricted(columns: Columns, rows: Mask) -> Columns:
    """The columns on the rows of a mask alone."""
    out = np.zeros((len(columns), -(-int(weights(rows)) // 64)), np.uint64)
    counting.gather(columns, rows, out)
    return out


def reduced(columns: Columns, size: int) -> tuple[Columns, NDArray[np.int64]]:
    """The columns with two rows on both sides, complemented so that row 0 is 0, once each.

    Beside each, its name: to be on side s of it is the restriction name ^ s of the table.
    """
    ones = weights(columns)
    useful = np.flatnonzero((ones >= 2) & (size - ones >= 2))
    flipped: NDArray[np.uint64] = columns[useful, :1] & np.uint64(1)
    columns = columns[useful] ^ flipped * everything(size)
    first: dict[bytes, int] = {}
    for j, column in enumerate(columns):
        first.setdefault(column.tobytes(), j)
    kept = list(first.values())
    return columns[kept], 2 * useful[kept] + flipped[kept].sum(axis=1, dtype=np.int64)
