"""Rule 2, compiled: which sides of columns no column splits into two large enough parts."""

from __future__ import annotations

import numpy as np
from numba import int64, uint64, void
from numpy.typing import NDArray

from littlestone.dimension.engine.compiling import Index, compiled, popcount
from littlestone.dimension.proof.frames import COLUMN_AT, FRAMES, KEPT, ROWS, WORDS, Frames


@compiled(void(uint64[::1], int64, int64, int64, int64[::1]))
def _share(
    packed: NDArray[np.uint64], words: Index, usable: Index, i: Index, out: NDArray[np.int64]
) -> None:
    """Count the ones that packed column i shares with each column from i on."""
    for j in range(out.size):
        out[j] = 0
    for w in range(0, words - 3, 4):
        a = packed[w * usable + i : (w + 1) * usable]
        b = packed[(w + 1) * usable + i : (w + 2) * usable]
        c = packed[(w + 2) * usable + i : (w + 3) * usable]
        d = packed[(w + 3) * usable + i : (w + 4) * usable]
        a0, b0, c0, d0 = a[0], b[0], c[0], d[0]
        for j in range(out.size):
            total = popcount(a0 & a[j]) + popcount(b0 & b[j])
            total += popcount(c0 & c[j]) + popcount(d0 & d[j])
            out[j] += np.int64(total)
    for w in range(words & ~3, words):
        a = packed[w * usable + i : (w + 1) * usable]
        a0 = a[0]
        for j in range(out.size):
            out[j] += np.int64(popcount(a0 & a[j]))


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


@compiled(int64(FRAMES, int64, int64, int64))
def look(F: Frames, depth: Index, tried: Index, k: Index) -> Index:
    """Count, for each side of the first ``tried`` columns of F.order, the columns that split it.

    A column splits a side if it leaves at least 2^(k-2) rows on both parts; k > 2.  The columns that
    are tried have at least twice as many rows on both sides.  The numbers go to F.alive[side, i] for
    the i-th of them.  The other columns that may split a side are added to F.order.  Returns how many
    of the columns that are tried have both sides split.
    """
    place = F.place[depth]
    size, words, to, kept = place[ROWS], place[WORDS], place[COLUMN_AT], place[KEPT]
    order, packed, ones, taken = F.order, F.packed, F.sizes, F.table
    zero_split, one_split = F.alive[0], F.alive[1]
    least = 1 << (k - 2)
    for c in range(kept):
        taken[c] = 0
    for i in range(tried):
        taken[order[i]] = 1
        zero_split[i] = one_split[i] = 0
    usable = tried
    for c in range(kept):
        n = F.ones[depth, c]
        if taken[c] == 0 and min(n, size - n) >= least:
            order[usable] = c
            usable += 1
    for i in range(usable):
        c = order[i]
        ones[i] = F.ones[depth, c]
        for w in range(words):
            packed[w * usable + i] = F.columns[to + c * words + w]
    both = 0
    for i in range(tried):
        common = F.common[: usable - i]
        _share(packed, words, usable, i, common)
        split = _judge(common, ones[i:usable], zero_split[i:tried], one_split[i:tried], size, least)
        zero_split[i] += split >> 32
        one_split[i] += split & 0xFFFFFFFF
        if zero_split[i] > 0 and one_split[i] > 0:
            both += 1
    return both
