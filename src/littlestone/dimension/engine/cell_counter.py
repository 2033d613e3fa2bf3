"""The compiled counter of cells.

It is not among the classes, because reading the text of a class imports all modules there.
"""

from __future__ import annotations

from typing import Any

import numpy as np
from numba import int32, int64, uint16, void

from littlestone.dimension.engine.compiling import compiled

_BLOCK = 1 << 12


@compiled(
    void(
        uint16[:, ::1], int32[::1], int64[::1], int64[:, ::1], int32[:, ::1], int64[::1], int64[::1]
    )
)
def counted(
    codes: Any, labels: Any, counts: Any, subsets: Any, strides: Any, starts: Any, found: Any
) -> None:
    """Add ``counts[p]`` to the cell of record p in each subset's table.

    Subset s holds the columns ``subsets[s]``.  The cell is number ``starts[s]``, plus ``labels[p]``,
    plus the sum of the record's codes times ``strides[s]``; ``codes[j]`` are those of column j.
    """
    records, width = codes.shape[1], subsets.shape[1]
    cells = np.empty(_BLOCK, np.int32)
    # Block by block, so that the codes and one table at a time stay in the fastest memory.
    for first in range(0, records, _BLOCK):
        size = min(_BLOCK, records - first)
        for s in range(subsets.shape[0]):
            cells[:size] = labels[first : first + size]
            for t in range(width):
                stride = strides[s, t]
                column = codes[subsets[s, t], first : first + size]
                for p in range(size):
                    cells[p] += column[p] * stride
            table = found[starts[s] :]
            for p in range(size):
                table[cells[p]] += counts[first + p]
