"""The lookahead over rows: which columns split both sides of a column into large enough parts."""

from __future__ import annotations

from typing import Any

import numpy as np
from numba import boolean, int32, int64, uint64, void
from numpy.typing import NDArray

from littlestone.dimension.engine.compiling import Index, Word, part, popcount, trailing_zeros
from littlestone.dimension.engine.rows import list_rows
from littlestone.dimension.engine.slices import (
    add_sixteen_2,
    add_sixteen_4,
    count_between_2,
    count_between_4,
)
from littlestone.dimension.engine.state import OFFSET, ROWS, STATE, WORDS, WORK, State

_ZERO, _ONE, _TWO, _FOUR = np.uint64(0), np.uint64(1), np.uint64(2), np.uint64(4)
_SIXTEEN, _LOW, _ALL = np.uint64(16), np.uint64(0xFFFFFFFF), np.uint64(0xFFFFFFFFFFFFFFFF)


@part(
    uint64(
        uint64[::1],
        int32[::1],
        uint64[::1],
        uint64[::1],
        uint64[::1],
        uint64,
        uint64,
        uint64,
        int64,
        int64,
        int64,
    )
)
def split_listed(
    bits: NDArray[np.uint64],
    index: NDArray[np.int32],
    planes: NDArray[np.uint64],
    totals: NDArray[np.uint64],
    split: NDArray[np.uint64],
    out: Word,
    start: Word,
    stride: Word,
    rows: Index,
    size: Index,
    least: Index,
) -> Word:
    """How many columns split the ``size`` rows in index, and how many the other ones of ``rows``.

    A column splits some rows if it leaves at least ``least`` of them on both sides.  The two
    numbers share a word; the columns are marked from split[out] and from split[out + stride] on.
    The listed rows are added up, all columns at once; the rest is the difference to the totals.
    """
    row_levels = 5
    while rows >> row_levels:
        row_levels += 1
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
            add_sixteen_2(bits, start, stride, index, j, planes, _ZERO, stride, np.uint64(levels))
        return count_between_2(
            planes,
            totals,
            _ZERO,
            stride,
            np.uint64(levels),
            np.uint64(row_levels),
            np.uint64(least),
            above,
            rest,
            split,
            out,
        )
    for b in range(_ZERO, stride, _FOUR):
        for j in range(_ZERO, np.uint64(size), _SIXTEEN):
            add_sixteen_4(bits, start + b, stride, index, j, planes, b, stride, np.uint64(levels))
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
            split,
            out + b,
        )
    return found


@part(int64(STATE, int64, int64), inline=True)
def place_of_split(S: State, depth: Index, i: Index) -> Index:
    """Where the marks of the i-th usable column begin in S.split."""
    columns = S.raw.shape[0]
    return (depth * columns + i) * 2 * (((columns + 255) >> 8) << 2)


@part(int64(int64, int64), inline=True)
def smaller_side(ones: Index, rows: Index) -> Index:
    """The side of a column with fewer rows."""
    return 1 if 2 * ones <= rows else 0


@part(void(STATE, int64, int64, int64, int64))
def look_by_rows(S: State, depth: Index, begin: Index, end: Index, least: Index) -> None:
    """Fill alive[depth, begin : end], except for columns that are refuted or left out already."""
    rows, words = S.frame[depth, ROWS], S.frame[depth, WORDS]
    arena, bits, index, planes, split = S.arena, S.bits, S.listed, S.planes, S.split
    totals, count, order = S.totals[depth], S.ones[depth], S.order[depth]
    known, alive = S.known[depth], S.alive[depth]
    start, stride = np.uint64(S.stride[depth, 0]), np.uint64(S.stride[depth, 1])
    for i in range(begin, end):
        if known[i] & 14:
            continue
        x = order[i]
        side = smaller_side(np.int64(count[x]), rows)
        size = list_rows(arena, np.uint64(S.frame[depth, OFFSET] + x * words), rows, side, index)
        found = split_listed(
            bits,
            index,
            planes,
            totals,
            split,
            np.uint64(place_of_split(S, depth, i)),
            start,
            stride,
            rows,
            size,
            least,
        )
        alive[i, side] = np.int64(found & _LOW)
        alive[i, 1 - side] = np.int64(found >> np.uint64(32))


@part(int64(STATE, int64, int64, int64, int64, int64))
def list_both(S: State, depth: Index, x: Index, side: Index, z: Index, part: Index) -> Index:
    """List the rows where column x is ``side`` and column z is ``part`` in S.listed; count them."""
    words, rows = np.uint64(S.frame[depth, WORDS]), S.frame[depth, ROWS]
    base = np.uint64(S.frame[depth, OFFSET])
    arena, index = S.arena, S.listed
    at, to = base + np.uint64(x) * words, base + np.uint64(z) * words
    flip = _ZERO if side == 1 else _ALL
    also = _ZERO if part == 1 else _ALL
    last = _ALL >> np.uint64((64 - rows) & 63)
    found = _ZERO
    for w in range(words):
        word = (arena[at + w] ^ flip) & (arena[to + w] ^ also)
        if w + _ONE == words:
            word &= last
        n = popcount(word)
        first = w << np.uint64(6)
        put = found
        found += n
        while put < found:
            for j in range(4):
                index[put + np.uint64(j)] = np.int32(first + trailing_zeros(word))
                word &= word - _ONE
            put += np.uint64(4)
    return np.int64(found)


@part(boolean(STATE, int64, int64, int64, int64))
def refuted_in_place(S: State, depth: Index, i: Index, side: Index, k: Index) -> Any:
    """Whether a side of the i-th usable column has LDim < k for want of splits, without building it.

    Every column that splits the side into 2^(k-1) and 2^(k-1) rows must leave a part that no column
    splits into 2^(k-2) and 2^(k-2); k >= 3.
    """
    x = S.order[depth, i]
    rows = S.frame[depth, ROWS]
    smaller = smaller_side(np.int64(S.ones[depth, x]), rows)
    start, stride = np.uint64(S.stride[depth, 0]), np.uint64(S.stride[depth, 1])
    place = np.uint64(place_of_split(S, depth, i))
    if side != smaller:
        place += stride
    scratch = np.uint64(place_of_split(S, S.frame.shape[0], 0))
    totals = S.totals[depth]
    for b in range(stride):
        marks = S.split[place + b]
        while marks != _ZERO:
            z = np.int64((b << np.uint64(6)) + trailing_zeros(marks))
            marks &= marks - _ONE
            dead = False
            for turn in range(2):
                part = smaller_side(np.int64(S.ones[depth, z]), rows) ^ turn
                size = list_both(S, depth, x, side, z, part)
                S.control[WORK] += (size >> 4) * S.stride[depth, 1]
                found = split_listed(
                    S.bits,
                    S.listed,
                    S.planes,
                    totals,
                    S.split,
                    scratch,
                    start,
                    stride,
                    rows,
                    size,
                    1 << (k - 2),
                )
                if found & _LOW == _ZERO:
                    dead = True
                    break
            if not dead:
                return False
    return True
