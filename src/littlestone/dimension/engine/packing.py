"""From a 0/1 table to packed columns: distinct rows, 64 to a word."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from numba import int64, uint8, uint64, void

from littlestone.dimension.engine.compiling import compiled
from littlestone.dimension.engine.state import COLUMNS, OFFSET, ROWS, STATE, WORDS, State
from littlestone.dimension.engine.state import allocate


def pack_columns(table: NDArray[np.uint8]) -> NDArray[np.uint64]:
    """Columns as rows of 64-bit words; bit i of a column is row i of the table."""
    rows, columns = table.shape
    packed = np.zeros((columns, -(-rows // 64) * 8), np.uint8)
    for first in range(0, rows, 1 << 16):
        block = np.packbits(np.ascontiguousarray(table[first : first + (1 << 16)].T), axis=1, bitorder="little")
        packed[:, first // 8 : first // 8 + block.shape[1]] = block
    return packed.view(np.uint64)
