"""The table of bounds: lower and upper bounds of the dimension of the frames met so far.

Buckets of four entries of three words: two words of key and one that packs (work, upper, lower).
A full bucket gives up the entry that took the least work.  The table starts small and doubles in
place: entries of bucket b stay or move to bucket b + (number of buckets), which is still empty.

Two searches may use a table at once, without locks.  So the words of the key are kept xor the third
word: an entry of which one search wrote a part and the other one the rest is nobody's (Hyatt and Mann,
"A lock-less transposition-table implementation for parallel search", 2002).  Only one of them doubles
the table.  What the other one stores meanwhile may be lost, which costs time alone.
"""

from __future__ import annotations

import numpy as np
from numba import int64, uint64, void

from littlestone.dimension.engine.compiling import Index, Word, part
from littlestone.dimension.engine.state import (
    BUCKETS,
    ENTRY,
    MAY_GROW,
    SLOTS,
    STATE,
    TABLE_LIMIT,
    USED,
    State,
)

_SIZE = SLOTS * ENTRY
UNKNOWN = 255 << 8  # lower bound 0, upper bound 255


@part(int64(STATE, uint64, uint64), inline=True)
def probe(S: State, key0: Word, key1: Word) -> Index:
    """(upper << 8) + lower of a key; `UNKNOWN` if it is not there."""
    base = np.int64(key0 & np.uint64(S.shared[BUCKETS] - 1)) * _SIZE
    for slot in range(SLOTS):
        at = base + slot * ENTRY
        word = S.table[at + 2]
        if S.table[at] ^ word == key0 and S.table[at + 1] ^ word == key1:
            return np.int64(word) & 0xFFFF
    return UNKNOWN


@part(void(STATE))
def _grow(S: State) -> None:
    old = S.shared[BUCKETS]
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
            if np.int64((word0 ^ word2) & np.uint64(old)) != 0:
                to = moved
                moved += ENTRY
            else:
                to = kept
                kept += ENTRY
            S.table[to], S.table[to + 1], S.table[to + 2] = word0, word1, word2
    S.shared[BUCKETS] = 2 * old


@part(void(STATE, uint64, uint64, int64, int64, int64), inline=True)
def store(S: State, key0: Word, key1: Word, lower: Index, upper: Index, work: Index) -> None:
    """Sharpen the bounds of a key; ``work`` < 2^40 decides who stays in a full bucket."""
    if (
        S.shared[USED] > 2 * S.shared[BUCKETS]
        and S.shared[BUCKETS] < S.shared[TABLE_LIMIT]
        and S.control[MAY_GROW]
    ):
        _grow(S)
    base = np.int64(key0 & np.uint64(S.shared[BUCKETS] - 1)) * _SIZE
    target: Index = base
    least: Index = np.int64(1) << 62
    for slot in range(SLOTS):
        at = base + slot * ENTRY
        found = S.table[at + 2]
        word = np.int64(found)
        if word == 0:
            target, least = at, -1
            break
        if S.table[at] ^ found == key0 and S.table[at + 1] ^ found == key1:
            lower = max(lower, word & 0xFF)
            upper = min(upper, word >> 8 & 0xFF)
            work = max(work, word >> 16)
            target, least = at, 0
            break
        if word >> 16 < least:
            target, least = at, word >> 16
    if least < 0:
        S.shared[USED] += 1
    entry = np.uint64(work << 16 | upper << 8 | lower)
    S.table[target] = key0 ^ entry
    S.table[target + 1] = key1 ^ entry
    S.table[target + 2] = entry
