"""The compiled counter of functions of few columns.

It is not among the classes, because reading the text of a class imports all modules there.
"""

from __future__ import annotations

from typing import Any

import numpy as np
from numba import int64, void

from littlestone.dimension.engine.compiling import compiled


@compiled(void(int64[:, ::1], int64[::1], int64, int64[::1]))
def counted_juntas(weights: Any, functions: Any, low: Any, found: Any) -> None:
    """For each row of cells, add 1 to ``found`` at the sum of each function's cells, less ``low``.

    Bit c of a function tells whether cell c is in the sum.
    """
    cells = weights.shape[1]
    sums = np.zeros(1 << cells, np.int64)
    for s in range(weights.shape[0]):
        sums[0] = -low
        for c in range(cells):
            half = 1 << c
            for t in range(half):
                sums[half + t] = sums[t] + weights[s, c]
        for i in range(functions.shape[0]):
            found[sums[functions[i]]] += 1
