"""Building a frame: compress the surviving rows, normalise, drop useless and equal columns."""

from __future__ import annotations

import numpy as np
from numba import int64, uint64, void
from numpy.typing import NDArray

from littlestone.dimension.engine.compiling import Index, Word, part, popcount
from littlestone.dimension.engine.rows import gather_rows, list_rows
from littlestone.dimension.engine.state import (
    COLUMNS,
    OFFSET,
    ROWS,
    STATE,
    WORDS,
    State,
)

_ONE = np.uint64(1)
_ALL = np.uint64(0xFFFFFFFFFFFFFFFF)
_MIX0 = np.uint64(0x9E3779B97F4A7C15)
_MIX1 = np.uint64(0xC2B2AE3D27D4EB4F)
_MIX2 = np.uint64(0xBF58476D1CE4E5B9)
_MIX3 = np.uint64(0x94D049BB133111EB)
_ZERO = np.uint64(0)


@part(uint64(uint64), inline=True)
def finish(word: Word) -> Word:
    """The finaliser of splitmix64, a bijection that mixes well."""
    word = (word ^ (word >> np.uint64(30))) * _MIX2
    word = (word ^ (word >> np.uint64(27))) * _MIX3
    return word ^ (word >> np.uint64(31))


@part(void(uint64[:, ::1], uint64, uint64), inline=True)
def prepare(masks: NDArray[np.uint64], w: Word, mask: Word) -> None:
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


@part(uint64(uint64[:, ::1], uint64, uint64), inline=True)
def compress(masks: NDArray[np.uint64], w: Word, word: Word) -> Word:
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


@part(void(STATE, uint64, int64, uint64, uint64), inline=True)
def hash_columns(S: State, base: Word, wide: Index, words: Word, last: Word) -> None:
    """Two hashes, the number of ones and the complement mask of each raw column, into S.raw."""
    arena, raw = S.arena, S.raw
    stop = words - _ONE
    for first in range(0, wide, 2):
        second = min(first + 1, wide - 1)
        a, b = base + np.uint64(first) * words, base + np.uint64(second) * words
        flip_a = _ALL if arena[a] & _ONE else _ZERO
        flip_b = _ALL if arena[b] & _ONE else _ZERO
        ones_a = ones_b = _ZERO
        a0 = b0 = _MIX0
        a1 = b1 = _MIX1
        for w in range(words):
            keep = last if w == stop else _ALL
            word_a = (arena[a + w] ^ flip_a) & keep
            word_b = (arena[b + w] ^ flip_b) & keep
            ones_a += popcount(word_a)
            ones_b += popcount(word_b)
            a0 = (a0 ^ word_a) * _MIX2
            b0 = (b0 ^ word_b) * _MIX2
            a0 ^= a0 >> np.uint64(32)
            b0 ^= b0 >> np.uint64(32)
            a1 = (a1 + word_a) * _MIX3
            b1 = (b1 + word_b) * _MIX3
            a1 ^= a1 >> np.uint64(29)
            b1 ^= b1 >> np.uint64(29)
        raw[first, 0], raw[first, 1], raw[first, 2], raw[first, 3] = a0, a1, ones_a, flip_a
        raw[second, 0], raw[second, 1], raw[second, 2], raw[second, 3] = b0, b1, ones_b, flip_b


@part(void(STATE, int64, int64, int64), inline=True)
def settle(S: State, depth: Index, wide: Index, rows: Index) -> None:
    """Finish frame depth + 1, whose ``wide`` raw columns lie in place, one after another.

    Columns whose minority has fewer than two rows are dropped (the child is asked for k >= 2), the
    others complemented so that row 0 is 0, equal ones kept once.  The key of the frame is the sum
    of the columns' hashes, so the order of columns does not matter.
    """
    arena, slots, hashes = S.arena, S.slots, S.hashes
    base = np.uint64(S.frame[depth + 1, OFFSET])
    words = np.uint64((rows + 63) >> 6)
    last = _ALL >> np.uint64((64 - rows) & 63)
    size = 8
    while size < 2 * wide:
        size <<= 1
    for i in range(size):
        slots[i] = -1
    found = 0
    key0, key1 = _ZERO, _ZERO
    if words > _ZERO:
        hash_columns(S, base, wide, words, last)
    for z in range(wide):
        hash0, ones = S.raw[z, 0], S.raw[z, 2]
        if min(ones, np.uint64(rows) - ones) < np.uint64(2):
            continue
        at = base + np.uint64(z) * words
        to = base + np.uint64(found) * words
        flip = S.raw[z, 3]
        if at != to or flip != _ZERO:
            for w in range(words):
                arena[to + w] = arena[at + w] ^ flip
            arena[to + words - _ONE] &= last
        place = np.int64(hash0 >> np.uint64(7)) & (size - 1)
        equal = False
        while slots[place] >= 0:
            other = slots[place]
            if hashes[other] == hash0:
                there = base + np.uint64(other) * words
                equal = True
                for w in range(words):
                    if arena[there + w] != arena[to + w]:
                        equal = False
                        break
                if equal:
                    break
            place = (place + 1) & (size - 1)
        if equal:
            continue
        slots[place] = found
        hashes[found] = hash0
        S.ones[depth + 1, found] = ones
        S.origin[depth + 1, found] = S.origin[depth, np.int64(S.raw[z, 4])] ^ np.int32(flip & _ONE)
        key0 += finish(hash0 ^ _MIX1)
        key1 += finish(S.raw[z, 1] ^ _MIX0)
        found += 1
    S.frame[depth + 1, ROWS] = rows
    S.frame[depth + 1, WORDS] = np.int64(words)
    S.frame[depth + 1, COLUMNS] = found
    S.key[depth + 1, 0] = finish(key0 ^ finish(np.uint64(rows)))
    S.key[depth + 1, 1] = finish(key1 + finish(np.uint64(found) ^ _MIX0))


@part(int64(STATE, int64, int64, int64), inline=True)
def compress_columns(S: State, depth: Index, x: Index, side: Index) -> Index:
    """Write the columns of frame ``depth`` on the rows where column x is ``side``, unfinished."""
    arena, masks = S.arena, S.masks
    words = np.uint64(S.frame[depth, WORDS])
    source = np.uint64(S.frame[depth, OFFSET])
    columns, total = S.frame[depth, COLUMNS], S.frame[depth, ROWS]
    out = source + np.uint64(columns) * words
    S.frame[depth + 1, OFFSET] = np.int64(out)
    last = _ALL >> np.uint64((64 - total) & 63)
    flip = _ZERO if side == 1 else _ALL
    at = source + np.uint64(x) * words
    for w in range(words):
        word = arena[at + w] ^ flip
        if w + _ONE == words:
            word &= last
        masks[6, w] = word
        prepare(masks, w, word)
    found = 0
    for z in range(columns):
        c = S.ones[depth, z]
        if z == x or min(c, total - c) < 2:
            continue
        S.raw[found, 4] = z
        found += 1
        at = source + np.uint64(z) * words
        filled = _ZERO
        pending = _ZERO
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
            out += _ONE
    return found


@part(void(STATE, int64, int64, int64, int64))
def restrict(S: State, depth: Index, x: Index, side: Index, rows: Index) -> None:
    """Build frame depth + 1: the ``rows`` rows of frame ``depth`` whose bit in column x is ``side``."""
    S.stride[depth + 1, 0] = S.stride[depth, 0] + S.stride[depth, 1] * (S.frame[depth, ROWS] + 1)
    S.stride[depth + 1, 1] = 0
    if S.stride[depth, 1] > 0:
        at = np.uint64(S.frame[depth, OFFSET] + x * S.frame[depth, WORDS])
        list_rows(S.arena, at, S.frame[depth, ROWS], side, S.listed)
        wide = gather_rows(S, depth, rows)
    else:
        wide = compress_columns(S, depth, x, side)
    settle(S, depth, wide, rows)
