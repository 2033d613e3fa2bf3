"""Building a frame: compress the surviving rows, normalise, drop useless and equal columns."""

from __future__ import annotations

import numpy as np
from numba import int64, uint64, void
from numpy.typing import NDArray

from littlestone.dimension.engine.compiling import compiled, popcount
from littlestone.dimension.engine.state import COLUMNS, OFFSET, ROWS, STATE, WORDS, State

_ONE = np.uint64(1)
_ALL = np.uint64(0xFFFFFFFFFFFFFFFF)
_MIX0 = np.uint64(0x9E3779B97F4A7C15)
_MIX1 = np.uint64(0xC2B2AE3D27D4EB4F)
_MIX2 = np.uint64(0xBF58476D1CE4E5B9)
_MIX3 = np.uint64(0x94D049BB133111EB)
_ZERO = np.uint64(0)


@compiled(uint64(uint64))
def finish(word: np.uint64) -> np.uint64:
    """The finaliser of splitmix64, a bijection that mixes well."""
    word = (word ^ (word >> np.uint64(30))) * _MIX2
    word = (word ^ (word >> np.uint64(27))) * _MIX3
    return word ^ (word >> np.uint64(31))


@compiled(void(uint64[:, ::1], uint64, uint64))
def prepare(masks: NDArray[np.uint64], w: np.uint64, mask: np.uint64) -> None:
    """The six move masks of one word of a mask (Hacker's Delight, section 7-4)."""
    keep = ~mask << _ONE
    for step in range(6):
        moves = keep ^ (keep << _ONE)
        moves ^= moves << np.uint64(2)
        moves ^= moves << np.uint64(4)
        moves ^= moves << np.uint64(8)
        moves ^= moves << np.uint64(16)
        moves ^= moves << np.uint64(32)
        move = moves & mask
        masks[step, w] = move
        mask = (mask ^ move) | (move >> (_ONE << np.uint64(step)))
        keep &= ~moves


@compiled(uint64(uint64[:, ::1], uint64, uint64))
def compress(masks: NDArray[np.uint64], w: np.uint64, word: np.uint64) -> np.uint64:
    """The bits of ``word`` (already under the mask) that the mask keeps, packed together."""
    t = word & masks[0, w]
    word = (word ^ t) | (t >> np.uint64(1))
    t = word & masks[1, w]
    word = (word ^ t) | (t >> np.uint64(2))
    t = word & masks[2, w]
    word = (word ^ t) | (t >> np.uint64(4))
    t = word & masks[3, w]
    word = (word ^ t) | (t >> np.uint64(8))
    t = word & masks[4, w]
    word = (word ^ t) | (t >> np.uint64(16))
    t = word & masks[5, w]
    return (word ^ t) | (t >> np.uint64(32))


@compiled(void(STATE, int64, int64, int64, int64))
def restrict(S: State, depth: int, x: int, side: int, rows: int) -> None:
    """Build frame depth + 1: the ``rows`` rows of frame ``depth`` whose bit in column x is ``side``.

    Columns whose minority has fewer than two rows are dropped (the child is asked for k >= 2), the
    others complemented so that row 0 is 0, equal ones kept once.  The key of the frame is the sum
    of the columns' hashes, so the order of columns does not matter.
    """
    arena = S.arena
    words = np.uint64(S.frame[depth, WORDS])
    source = np.uint64(S.frame[depth, OFFSET])
    columns = S.frame[depth, COLUMNS]
    base = source + np.uint64(columns) * words
    new_words = np.uint64((rows + 63) >> 6)
    last = _ALL >> np.uint64((64 - rows) & 63)
    # The mask, in the row of the arena where the scratch for one column follows it.
    mask = base
    scratch = base  # columns are written in place, one after the other; scratch comes last
    total = S.frame[depth, ROWS]
    last_word = _ALL >> np.uint64((64 - total) & 63)
    flip = _ZERO if side == 1 else _ALL
    at = source + np.uint64(x) * words
    masks = S.masks
    for w in range(words):
        word = arena[at + w] ^ flip
        if w + _ONE == words:
            word &= last_word
        masks[6, w] = word
        prepare(masks, w, word)
    size = S.slots.size
    while size >= 4 * columns + 8:
        size >>= 1
    for i in range(size):
        S.slots[i] = -1
    found = 0
    key0, key1 = _ZERO, _ZERO
    for z in range(columns):
        if z == x:
            continue
        c = S.count[depth, z]
        if min(c, total - c) < 2:
            continue
        at = source + np.uint64(z) * words
        to = base + np.uint64(found) * new_words
        # Compress the words into the scratch row, then append them bit by bit.
        filled = _ZERO
        pending = _ZERO
        out = to
        for w in range(words):
            mask = masks[6, w]
            n = popcount(mask)
            if n == _ZERO:
                continue
            word = compress(masks, w, arena[at + w] & mask)
            pending |= word << filled
            filled += n
            if filled >= np.uint64(64):
                arena[out] = pending
                out += _ONE
                filled -= np.uint64(64)
                pending = word >> (n - filled) if filled > _ZERO else _ZERO
        if filled > _ZERO:
            arena[out] = pending
        flip = _ALL if arena[to] & _ONE else _ZERO
        ones = _ZERO
        hash0, hash1 = _MIX0, _MIX1
        for w in range(new_words):
            word = arena[to + w] ^ flip
            if w + _ONE == new_words:
                word &= last
            arena[to + w] = word
            ones += popcount(word)
            hash0 = (hash0 ^ word) * _MIX2
            hash0 ^= hash0 >> np.uint64(32)
            hash1 = (hash1 + word) * _MIX3
            hash1 ^= hash1 >> np.uint64(29)
        if min(ones, np.uint64(rows) - ones) < np.uint64(2):
            continue
        place = np.int64(hash0 >> np.uint64(7)) & (size - 1)
        equal = False
        while S.slots[place] >= 0:
            other = S.slots[place]
            if S.hashes[other] == hash0:
                there = base + np.uint64(other) * new_words
                equal = True
                for w in range(new_words):
                    if arena[there + w] != arena[to + w]:
                        equal = False
                        break
                if equal:
                    break
            place = (place + 1) & (size - 1)
        if equal:
            continue
        S.slots[place] = found
        S.hashes[found] = hash0
        S.count[depth + 1, found] = ones
        key0 += finish(hash0 ^ _MIX1)
        key1 += finish(hash1 ^ _MIX0)
        found += 1
    S.frame[depth + 1, OFFSET] = np.int64(base)
    S.frame[depth + 1, ROWS] = rows
    S.frame[depth + 1, WORDS] = np.int64(new_words)
    S.frame[depth + 1, COLUMNS] = found
    S.key[depth + 1, 0] = finish(key0 ^ finish(np.uint64(rows)))
    S.key[depth + 1, 1] = finish(key1 + finish(np.uint64(found) ^ _MIX0))
