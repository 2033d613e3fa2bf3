"""The compiled counter of decision lists.

It is not among the classes, because reading the text of a class imports all modules there.
"""

from __future__ import annotations

from typing import Any

import numpy as np
from numba import int64, void

from littlestone.dimension.engine.compiling import compiled


@compiled(void(int64, int64[:, ::1], int64[::1], int64[:, ::1]))
def counted_lists(columns: Any, counts: Any, starts: Any, found: Any) -> None:
    """Count the lists on each subcube by their errors there; ``found`` begins with zeros.

    A subcube is a number to the base 3 with a digit for each column: 0 if it is free, 1 or 2 if it is
    fixed.  ``counts[y, s]`` are the records of label y in subcube s.  ``found[b, starts[s] + e]``
    becomes the number of lists whose first block says b and that have e errors in s.
    """
    powers = np.empty(columns, np.int64)
    free = np.empty(columns, np.int64)
    digits = np.empty(columns, np.int64)
    power = 1
    for j in range(columns):
        powers[j] = power
        power *= 3
    for s in range(power - 1, -1, -1):  # a part of a subcube has a larger number
        width = 0
        for j in range(columns):
            if s // powers[j] % 3 == 0:
                free[width] = powers[j]
                digits[width] = 0
                width += 1
        part, literals = s, 0
        while True:
            j = 0
            while j < width and digits[j] == 2:
                digits[j] = 0
                part -= 2 * free[j]
                literals -= 1
                j += 1
            if j == width:
                break
            if digits[j] == 0:
                literals += 1
            digits[j] += 1
            part += free[j]
            errors = counts[0, part] + counts[1, part] + 1
            for b in range(2):
                wrong = counts[1 - b, s] - counts[1 - b, part]
                to, start = starts[s] + wrong, starts[part]
                for e in range(errors):
                    found[b, to + e] += found[1 - b, start + e]
                if literals > 1:
                    found[b, to + counts[b, part]] += 1
