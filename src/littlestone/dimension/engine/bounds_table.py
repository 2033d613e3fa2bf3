"""The table of bounds: lower and upper bounds of the dimension of the frames met so far.

Buckets of four entries of three words: two words of key and one that packs (work, upper, lower).
A full bucket gives up the entry that took the least work.  The table starts small and doubles in
place: entries of bucket b stay or move to bucket b + (number of buckets), which is still empty.
"""

from __future__ import annotations

import numpy as np
from numba import int64, uint64, void

from littlestone.dimension.engine.compiling import Index, Word, compiled
from littlestone.dimension.engine.state import (
    BUCKETS,
    ENTRY,
    SLOTS,
    STATE,
    TABLE_LIMIT,
    USED,
    State,
)

_SIZE = SLOTS * ENTRY
UNKNOWN = 255 << 8  # lower bound 0, upper bound 255


@compiled(int64(STATE, uint64, uint64), inline=True)
def probe(S: State, key0: Word, key1: Word) -> Index:
    """(upper << 8) + lower of a key; `UNKNOWN` if it is not there."""
    base = np.int64(key0 & np.uint64(S.control[BUCKETS] - 1)) * _SIZE
    for slot in range(SLOTS):
        at = base + slot * ENTRY
        if S.table[at] == key0 and S.table[at + 1] == key1:
            return np.int64(S.table[at + 2]) & 0xFFFF
    return UNKNOWN


@compiled(void(STATE))
def _grow(S: State) -> None:
    old = S.control[BUCKETS]
    for bucket in range(old):
        kept, moved = bucket * _SIZE, (bucket + old) * _SIZE
        base = bucket * _SIZE
        for slot in range(SLOTS):
            at = base + slot * ENTRY
            word0, word1, word2 = S.table[at], S.table[at + 1], S.table[at + 2]
            S.table[at + 2] = 0
            S.table[at] = 0
            S.table[at + 1] = 0
            if word2 == 0:
                continue
            if np.int64(word0 & np.uint64(old)) != 0:
                to = moved
                moved += ENTRY
            else:
                to = kept
                kept += ENTRY
            S.table[to], S.table[to + 1], S.table[to + 2] = word0, word1, word2
    S.control[BUCKETS] = 2 * old


@compiled(void(STATE, uint64, uint64, int64, int64, int64), inline=True)
def store(S: State, key0: Word, key1: Word, lower: Index, upper: Index, work: Index) -> None:
    """Sharpen the bounds of a key; ``work`` < 2^40 decides who stays in a full bucket."""
    if S.control[USED] > 2 * S.control[BUCKETS] and S.control[BUCKETS] < S.control[TABLE_LIMIT]:
        _grow(S)
    base = np.int64(key0 & np.uint64(S.control[BUCKETS] - 1)) * _SIZE
    target: Index = base
    least: Index = np.int64(1) << 62
    for slot in range(SLOTS):
        at = base + slot * ENTRY
        word = np.int64(S.table[at + 2])
        if word == 0:
            target, least = at, -1
            break
        if S.table[at] == key0 and S.table[at + 1] == key1:
            lower = max(lower, word & 0xFF)
            upper = min(upper, word >> 8 & 0xFF)
            work = max(work, word >> 16)
            target, least = at, 0
            break
        if word >> 16 < least:
            target, least = at, word >> 16
    if least < 0:
        S.control[USED] += 1
    S.table[target] = key0
    S.table[target + 1] = key1
    S.table[target + 2] = np.uint64(work << 16 | upper << 8 | lower)
