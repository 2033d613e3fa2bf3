"""The compiled counter of boxes by the weight of the points in them."""

from __future__ import annotations

from typing import Any

import numpy as np
from numba import int32, int64, void

from littlestone.dimension.engine.compiling import compiled

_FOLDED = 1 << 16  # numbers that stay in fast memory
_LARGE = 1 << 12  # the code of a table with a weight outside of -3, ..., 4


@compiled(void(int32[::1], int64, int64, int32[::1], int64[::1], int64[::1]))
def _squares(weights: Any, groups: Any, base: Any, codes: Any, small: Any, found: Any) -> None:
    """Count the nine boxes of two columns of two values, for each group.

    ``weights`` are [point, group].  Most are small: those tables are noted in ``small``, by a code.
    The codes come first, because a loop without a branch is several times as fast.
    """
    for x in range(groups):
        a, b = weights[x] + 3, weights[groups + x] + 3
        c, d = weights[2 * groups + x] + 3, weights[3 * groups + x] + 3
        code = ((a * 8 + b) * 8 + c) * 8 + d
        codes[x] = code if (a | b | c | d) & ~7 == 0 else _LARGE
    before = small[_LARGE]
    for x in range(groups):
        small[codes[x]] += 1
    if small[_LARGE] == before:
        return
    for x in range(groups):
        if codes[x] == _LARGE:
            a, b = weights[x], weights[groups + x]
            c, d = weights[2 * groups + x], weights[3 * groups + x]
            found[base + a] += 1
            found[base + b] += 1
            found[base + a + b] += 1
            found[base + c] += 1
            found[base + d] += 1
            found[base + c + d] += 1
            found[base + a + c] += 1
            found[base + b + d] += 1
            found[base + a + b + c + d] += 1


@compiled(void(int32[::1], int64[::1], int64, int64[::1]))
def counted_boxes(table: Any, sizes: Any, base: int, found: Any) -> None:
    """Add to ``found[e]`` the number of boxes with e errors, not counting the empty one.

    ``table`` has the weight of each point of a product of columns of these ``sizes``, the last column
    changing fastest.  A box has ``base`` errors plus the weights of its points.  There are two columns
    or more.
    """
    columns = len(sizes)
    # The intervals of the first columns are taken one after another.  Those of the next ones are
    # summed all at once, for each point of the last two columns.
    strides = np.ones(columns, np.int64)
    for j in range(columns - 1, 0, -1):
        strides[j - 1] = strides[j] * sizes[j]
    cube = columns > 2 and sizes[-1] == 2 and sizes[-2] == 2 and sizes[-3] == 2
    bottom = 3 if cube else 2  # columns whose boxes are counted at once
    outer, folded = columns - bottom, strides[columns - bottom] * sizes[columns - bottom]
    while outer > 0 and folded * sizes[outer - 1] * (sizes[outer - 1] + 1) // 2 <= _FOLDED:
        outer -= 1
        folded *= sizes[outer] * (sizes[outer] + 1) // 2
    here, there = np.empty(folded, np.int32), np.empty(folded, np.int32)
    # Level j holds the sums over intervals of the first j columns, for each point of the others.
    offsets = np.zeros(outer + 2, np.int64)
    offsets[1] = len(table)
    for j in range(1, outer + 1):
        offsets[j + 1] = offsets[j] + strides[j - 1]
    levels = np.empty(offsets[outer + 1], np.int32)
    levels[: len(table)] = table
    start, stop = np.zeros(outer + 1, np.int64), np.full(outer + 1, -1, np.int64)
    rows, width = sizes[-2], sizes[-1]
    row = np.empty(width, np.int64)
    # How many tables of two columns of two values have which four weights, of -3, ..., 4 each.
    small = np.zeros(_LARGE + 1, np.int64)
    codes = np.empty(folded // 8 + 1, np.int32)
    j = 0
    while j >= 0:
        at = offsets[j]
        if j < outer:
            stop[j] += 1
            if stop[j] == sizes[j]:
                start[j] += 1
                stop[j] = start[j]
            if start[j] == sizes[j]:
                j -= 1
                continue
            wide, into = strides[j], offsets[j + 1]
            source = at + stop[j] * wide
            if stop[j] == start[j]:
                for x in range(wide):
                    levels[into + x] = levels[source + x]
            else:
                for x in range(wide):
                    levels[into + x] += levels[source + x]
            j += 1
            start[j] = 0
            stop[j] = -1
            continue
        cells = strides[outer] * sizes[outer]
        for x in range(cells):
            here[x] = levels[at + x]
        # [cells of the columns that are left, intervals so far]: long inner loops in the last steps.
        groups = 1
        for column in range(outer, columns - bottom):
            size = sizes[column]
            cells //= size
            more = groups * (size * (size + 1) // 2)
            for cell in range(cells):
                into = cell * more
                for first in range(size):
                    source = (first * cells + cell) * groups
                    for x in range(groups):
                        there[into + x] = here[source + x]
                    into += groups
                    for last in range(first + 1, size):
                        source = (last * cells + cell) * groups
                        for x in range(groups):
                            there[into + x] = there[into - groups + x] + here[source + x]
                        into += groups
            groups = more
            here, there = there, here
        if cube:
            half = 4 * groups
            for x in range(half):  # the third column from the right is 0, 1, or either
                there[x] = here[x] + here[half + x]
            _squares(here[:half], groups, base, codes, small, found)
            _squares(here[half : 2 * half], groups, base, codes, small, found)
            _squares(there[:half], groups, base, codes, small, found)
            j -= 1
            continue
        for group in range(groups):
            for first in range(rows):
                row[:] = 0
                for last in range(first, rows):
                    for x in range(width):
                        row[x] += here[(last * width + x) * groups + group]
                    for x in range(width):
                        total = base
                        for y in range(x, width):
                            total += row[y]
                            found[total] += 1
        j -= 1
    if cube:
        for code in range(_LARGE):
            count = small[code]
            if count:
                a, b = (code >> 9) - 3, (code >> 6 & 7) - 3
                c, d = (code >> 3 & 7) - 3, (code & 7) - 3
                for top in (a, c, a + c):
                    found[base + top] += count
                for top in (b, d, b + d):
                    found[base + top] += count
                for top in (a + b, c + d, a + b + c + d):
                    found[base + top] += count
