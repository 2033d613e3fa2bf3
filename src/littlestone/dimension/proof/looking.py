"""Rule 2, compiled: which sides of columns no column splits into two large enough parts."""

from __future__ import annotations

from typing import Any

import numpy as np
from numba import boolean, int64, uint64
from numpy.typing import NDArray

from littlestone.dimension.engine.compiling import Index, compiled, part, popcount, trailing_zeros
from littlestone.dimension.proof.adding import AT_ONCE, add_rows_4, add_rows_8
from littlestone.dimension.proof.frames import (
    COLUMN_AT,
    FRAMES,
    KEPT,
    NARROW,
    ROW_AT,
    ROWS,
    WORDS,
    Frames,
    row_words,
)


@compiled(int64(uint64[::1], int64, int64, int64, int64, int64[::1]))
def _share(
    packed: NDArray[np.uint64],
    words: Index,
    usable: Index,
    i: Index,
    first: Index,
    out: NDArray[np.int64],
) -> Index:
    """Count the ones that packed column i shares with each column from ``first`` on.

    Returns the largest number.
    """
    for j in range(out.size):
        out[j] = 0
    for w in range(0, words - 3, 4):
        at = w * usable
        a0, b0 = packed[at + i], packed[at + usable + i]
        c0, d0 = packed[at + 2 * usable + i], packed[at + 3 * usable + i]
        a = packed[at + first : at + usable]
        b = packed[at + usable + first : at + 2 * usable]
        c = packed[at + 2 * usable + first : at + 3 * usable]
        d = packed[at + 3 * usable + first : at + 4 * usable]
        for j in range(out.size):
            total = popcount(a0 & a[j]) + popcount(b0 & b[j])
            total += popcount(c0 & c[j]) + popcount(d0 & d[j])
            out[j] += np.int64(total)
    for w in range(words & ~3, words):
        a = packed[w * usable + first : (w + 1) * usable]
        a0 = packed[w * usable + i]
        for j in range(out.size):
            out[j] += np.int64(popcount(a0 & a[j]))
    most = 0
    for j in range(out.size):
        most = max(most, out[j])
    return most


@compiled(int64(int64[::1], int64[::1], int64[::1], int64[::1], int64, int64))
def _judge(
    common: NDArray[np.int64],
    ones: NDArray[np.int64],
    zero_split: NDArray[np.int64],
    one_split: NDArray[np.int64],
    size: Index,
    least: Index,
) -> Index:
    """Which columns split the sides of column 0, and which of these sides column 0 splits.

    Adds 1 to zero_split[j] and one_split[j] if column 0 splits side 0 and side 1 of column j.  Returns
    how many columns split side 0 of column 0, times 2^32, plus how many split side 1.
    """
    n = ones[0]
    # Unsigned: a <= b - 2 c tells both whether a + c >= c and whether b - (a + c) >= c.
    room1, room0 = np.uint64(n - 2 * least), np.uint64(size - n - 2 * least)
    zeros, total = 0, 0
    for j in range(1, ones.size):
        a = common[j]
        total += 1 if np.uint64(a - least) <= room1 else 0
        zeros += 1 if np.uint64(ones[j] - a - least) <= room0 else 0
    for j in range(1, zero_split.size):
        a, m = common[j], ones[j]
        one_split[j] += 1 if np.uint64(a - least) <= np.uint64(m - 2 * least) else 0
        zero_split[j] += 1 if np.uint64(n - a - least) <= np.uint64(size - m - 2 * least) else 0
    return zeros << 32 | total


@part(int64(FRAMES, int64, int64, int64, boolean), inline=True)
def _pack(F: Frames, depth: Index, tried: Index, least: Index, flip: Any) -> Index:
    """Write columns word by word: those that are tried, and then the others that may split a side.

    The others are added to F.order.  With ``flip``, columns of more ones than zeros are complemented.
    Returns how many columns there are.
    """
    place = F.place[depth]
    size, words, to, kept = place[ROWS], place[WORDS], place[COLUMN_AT], place[KEPT]
    order, packed, taken = F.order, F.packed, F.table
    for c in range(kept):
        taken[c] = 0
    for i in range(tried):
        taken[order[i]] = 1
    usable = tried
    for c in range(kept):
        n = F.ones[depth, c]
        if taken[c] == 0 and min(n, size - n) >= least:
            order[usable] = c
            usable += 1
    for i in range(usable):
        c = order[i]
        n = F.ones[depth, c]
        if flip and 2 * n > size:
            F.sizes[i] = size - n
            for w in range(words):
                packed[w * usable + i] = F.columns[to + c * words + w] ^ F.alive[depth, w]
        else:
            F.sizes[i] = n
            for w in range(words):
                packed[w * usable + i] = F.columns[to + c * words + w]
    return usable


@compiled(int64(FRAMES, int64, int64, int64))
def look(F: Frames, depth: Index, tried: Index, k: Index) -> Index:
    """Count, for each side of the first ``tried`` columns of F.order, the columns that split it.

    A column splits a side if it leaves at least 2^(k-2) rows on both parts; k > 2.  The columns that
    are tried have at least twice as many rows on both sides.  The numbers go to F.split[side, i] for
    the i-th of them.  The other columns that may split a side are added to F.order.  Returns how many
    of the columns that are tried have both sides split.
    """
    size, words, ones = F.place[depth, ROWS], F.place[depth, WORDS], F.sizes
    zero_split, one_split = F.split[0], F.split[1]
    least = 1 << (k - 2)
    for i in range(tried):
        zero_split[i] = one_split[i] = 0
    usable = _pack(F, depth, tried, least, False)
    both = 0
    for i in range(tried):
        common = F.common[: usable - i]
        _share(F.packed, words, usable, i, i, common)
        split = _judge(common, ones[i:usable], zero_split[i:tried], one_split[i:tried], size, least)
        zero_split[i] += split >> 32
        one_split[i] += split & 0xFFFFFFFF
        if zero_split[i] > 0 and one_split[i] > 0:
            both += 1
    return both


@compiled(boolean(FRAMES, int64, int64, int64))
def _dead_by_rows(F: Frames, depth: Index, c: Index, m: Index) -> Any:
    """Whether no column splits a side of a kept column into parts of 2^m rows each; m >= 4.

    Adds up the rows of the smaller side, all columns at once.
    """
    place, columns, listed, planes = F.place[depth], F.columns, F.listed, F.planes
    size, words, at = place[ROWS], place[WORDS], place[COLUMN_AT]
    width, least = row_words(F.name.shape[1]), 1 << m
    n, flip = F.ones[depth, c], np.uint64(0)
    if 2 * n > size:
        n, flip = size - n, ~flip
    found = 0
    for w in range(words):
        word = (columns[at + c * words + w] ^ flip) & F.alive[depth, w]
        begin = place[ROW_AT] + 64 * w * width
        while word != np.uint64(0):
            listed[found] = begin + np.int64(trailing_zeros(word)) * width
            word &= word - np.uint64(1)
            found += 1
    while found % AT_ONCE:
        listed[found] = F.rows.size - width  # zeros
        found += 1
    top = m
    while n >> top:
        top += 1
    for i in range((top + 1) * width):
        planes[i] = 0
    for first in range(0, found, AT_ONCE):
        if width & 7:
            for lane in range(0, width, 4):
                add_rows_4(F.rows, listed, first, lane, planes, width, top)
        else:
            for lane in range(0, width, 8):
                add_rows_8(F.rows, listed, first, lane, planes, width, top)
    name = F.name[depth, c]
    others = np.uint64(0)
    for b in range(width):
        many = np.uint64(0)
        for p in range(m, top):
            many |= planes[p * width + b]
        if name >> 6 == b:
            many &= ~(np.uint64(1) << np.uint64(name & 63))
        others |= many & F.usable[b]
    if others == np.uint64(0):
        return True
    one_split = zero_split = 0
    counts, ones = F.common[: 64 * width], F.named
    for b in range(width):
        here = counts[64 * b : 64 * b + 64]
        for j in range(64):
            here[j] = 0
        for p in range(top):
            word, weight = planes[p * width + b], np.uint64(p)
            for j in range(64):
                here[j] += np.int64(((word >> np.uint64(j)) & np.uint64(1)) << weight)
    for j in range(counts.size):
        a, rest = counts[j], ones[j] - counts[j]
        one_split |= 1 if ones[j] > 0 and least <= a <= n - least else 0
        zero_split |= 1 if least <= rest <= size - n - least else 0
    return one_split == 0 or zero_split == 0


@compiled(int64(FRAMES, int64, int64, int64))
def _by_rows(F: Frames, depth: Index, tried: Index, k: Index) -> Index:
    """Settle the columns of F.order for which adding up rows is quick, and drop them.

    Returns how many are left; -1 if one of them is not settled.
    """
    place, width = F.place[depth], row_words(F.name.shape[1])
    size, least, named = place[ROWS], 1 << (k - 2), F.named
    for j in range(64 * width):
        named[j] = 0
    for b in range(width):
        F.usable[b] = 0
    for c in range(place[KEPT]):
        if least <= F.ones[depth, c] <= size - least:
            name = F.name[depth, c]
            named[name] = F.ones[depth, c]
            F.usable[name >> 6] |= np.uint64(1) << np.uint64(name & 63)
    left = 0
    for i in range(tried):
        c = F.order[i]
        n = min(F.ones[depth, c], size - F.ones[depth, c])
        if n * (width + 8) > place[KEPT] * place[WORDS] // 2:
            F.order[left] = c
            left += 1
        elif not _dead_by_rows(F, depth, c, k - 2):
            return -1
    return left


@compiled(boolean(FRAMES, int64, int64, int64))
def settled(F: Frames, depth: Index, tried: Index, k: Index) -> Any:
    """Whether rule 2 refutes a side of each of the first ``tried`` columns of F.order.

    The same as look(...) == 0, and quicker where that is so: it looks at the smaller sides first, and
    at the larger one only of columns whose smaller side is split.
    """
    if k <= 2:
        return tried == 0
    if k >= 6 and F.name.shape[1] > NARROW:
        tried = _by_rows(F, depth, tried, k)
        if tried <= 0:
            return tried == 0
    size, words, ones = F.place[depth, ROWS], F.place[depth, WORDS], F.sizes
    zero_split, one_split = F.split[0], F.split[1]
    least = 1 << (k - 2)
    for i in range(tried):
        zero_split[i] = one_split[i] = 0
    usable = _pack(F, depth, tried, least, True)
    skipped = tried  # the first column with splits of larger sides that were not counted
    for i in range(tried):
        common = F.common[: usable - i]
        common[0] = ones[i]
        if _share(F.packed, words, usable, i, i + 1, common[1:]) < least:
            skipped = min(skipped, i)
        else:
            split = _judge(
                common, ones[i:usable], zero_split[i:tried], one_split[i:tried], size, least
            )
            zero_split[i] += split >> 32
            one_split[i] += split & 0xFFFFFFFF
        if zero_split[i] > 0 and one_split[i] > 0:
            return False
    for i in range(skipped, tried):
        if one_split[i] > 0:
            common = F.common[:usable]
            _share(F.packed, words, usable, i, 0, common)
            common[i] = ones[i]  # the column itself splits nothing
            for j in range(usable):
                rest = ones[j] - common[j]
                if least <= rest <= size - ones[i] - least:
                    return False
    return True


@compiled(boolean(FRAMES, int64, int64, int64, int64))
def dead_in_place(F: Frames, depth: Index, i: Index, side: Index, k: Index) -> Any:
    """Whether rules 1 and 2 alone refute LDim >= k for a side of a column, which is not built.

    For narrow tables, where the columns of a frame are sooner counted than made.
    """
    place, columns, ones = F.place[depth], F.columns, F.sizes
    words, at, kept = place[WORDS], place[COLUMN_AT], place[KEPT]
    size = F.ones[depth, i] if side == 1 else place[ROWS] - F.ones[depth, i]
    if k >= 62 or size < 1 << k:
        return True
    if k < 2:
        return False
    half, least = 1 << (k - 1), 1 << (k - 2)
    left = F.alive[depth + 1, :words]
    this = columns[at + i * words : at + (i + 1) * words]
    for w in range(words):
        left[w] = this[w] if side == 1 else ~this[w] & F.alive[depth, w]
    tried = 0
    for c in range(kept):
        column = columns[at + c * words : at + (c + 1) * words]
        total = np.uint64(0)
        for w in range(words):
            total += popcount(column[w] & left[w])
        ones[c] = np.int64(total)
        if half <= ones[c] <= size - half:
            F.order[tried] = c
            tried += 1
    if k == 2:
        return tried == 0
    for t in range(tried):
        x = F.order[t]
        n = ones[x]
        both = F.packed[:words]
        for w in range(words):
            both[w] = columns[at + x * words + w] & left[w]
        zero_split = one_split = False
        for c in range(kept):
            if least <= ones[c] <= size - least:
                column = columns[at + c * words : at + (c + 1) * words]
                total = np.uint64(0)
                for w in range(words):
                    total += popcount(column[w] & both[w])
                a = np.int64(total)
                one_split |= least <= a <= n - least
                zero_split |= least <= ones[c] - a <= size - n - least
                if zero_split and one_split:
                    return False
    return True
