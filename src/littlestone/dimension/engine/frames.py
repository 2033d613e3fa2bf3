"""Building a frame: compress the surviving rows, normalise, drop useless and equal columns."""

from __future__ import annotations

import numpy as np
from numba import int64, uint64, void
from numpy.typing import NDArray

from littlestone.dimension.engine.compiling import compiled, popcount, trailing_zeros
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


@compiled(int64(STATE, int64, int64, int64))
def list_rows(S: State, depth: int, x: int, side: int) -> int:
    """Write the indices of the rows whose bit in column x is ``side`` into S.index, and count them."""
    words = np.uint64(S.frame[depth, WORDS])
    total = S.frame[depth, ROWS]
    at = np.uint64(S.frame[depth, OFFSET]) + np.uint64(x) * words
    last = _ALL >> np.uint64((64 - total) & 63)
    flip = _ZERO if side == 1 else _ALL
    index = S.index
    found = _ZERO
    for w in range(words):
        word = S.arena[at + w] ^ flip
        if w + _ONE == words:
            word &= last
        n = popcount(word)
        first = w << np.uint64(6)
        # Eight at a time, more than there are: cheaper than a branch for each.
        to = found
        done = _ZERO
        while done < n:
            for j in range(8):
                index[to + np.uint64(j)] = np.int32(first + trailing_zeros(word))
                word &= word - _ONE
            to += np.uint64(8)
            done += np.uint64(8)
        found += n
    return np.int64(found)


@compiled(void(uint64[::1]))
def transpose(block: NDArray[np.uint64]) -> None:
    """Transpose 64 x 64 bits in place: bit c of word r becomes bit r of word c."""
    mask = np.uint64(0x00000000FFFFFFFF)
    j = 32
    while j:
        shift = np.uint64(j)
        for base in range(0, 64, 2 * j):
            for r in range(base, base + j):
                swap = ((block[r] >> shift) ^ block[r + j]) & mask
                block[r + j] ^= swap
                block[r] ^= swap << shift
        j >>= 1
        mask ^= mask << np.uint64(j)


@compiled(int64(STATE, int64, int64))
def gather_rows(S: State, depth: int, rows: int) -> int:
    """Write the columns of frame ``depth`` on the ``rows`` rows in S.index, unfinished."""
    arena, bits, block = S.arena, S.bits, S.block
    columns = S.frame[depth, COLUMNS]
    out = S.frame[depth, OFFSET] + columns * S.frame[depth, WORDS]
    S.frame[depth + 1, OFFSET] = out
    start, stride = S.stride[depth, 0], S.stride[depth, 1]
    words = (rows + 63) >> 6
    for g in range(words):
        n = min(64, rows - 64 * g)
        for b in range((columns + 63) >> 6):
            for r in range(n):
                block[r] = bits[start + np.int64(S.index[64 * g + r]) * stride + b]
            for r in range(n, 64):
                block[r] = 0
            transpose(block)
            to = out + 64 * b * words + g
            for c in range(min(64, columns - 64 * b)):
                arena[to] = block[c]
                to += words
    return columns


@compiled(void(STATE, int64))
def make_rows(S: State, depth: int) -> None:
    """Give frame ``depth`` its rows, a row of zeros after the last, and the totals of its columns."""
    arena, bits, block = S.arena, S.bits, S.block
    columns, rows = S.frame[depth, COLUMNS], S.frame[depth, ROWS]
    words, source = S.frame[depth, WORDS], S.frame[depth, OFFSET]
    stride = 2 if columns <= 128 else (columns + 255) >> 8 << 2
    start = S.stride[depth, 0]
    S.stride[depth, 1] = stride
    for i in range(stride):
        bits[start + rows * stride + i] = 0
    for b in range(stride):
        n = min(64, columns - 64 * b)
        for g in range(words):
            for c in range(n):
                block[c] = arena[source + (64 * b + c) * words + g]
            for c in range(max(n, 0), 64):
                block[c] = 0
            if n > 0:
                transpose(block)
            to = start + 64 * g * stride + b
            for r in range(min(64, rows - 64 * g)):
                bits[to] = block[r]
                to += stride
    planes = 1
    while rows >> planes:
        planes += 1
    totals = S.totals[depth]
    for i in range(planes * stride):
        totals[i] = 0
    for c in range(columns):
        count = np.int64(S.count[depth, c])
        bit = _ONE << np.uint64(c & 63)
        at = c >> 6
        while count:
            if count & 1:
                totals[at] |= bit
            at += stride
            count >>= 1


@compiled(void(STATE, int64, int64, int64))
def settle(S: State, depth: int, wide: int, rows: int) -> None:
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
    for z in range(wide):
        at = base + np.uint64(z) * words
        to = base + np.uint64(found) * words
        flip = _ALL if arena[at] & _ONE else _ZERO
        ones = _ZERO
        hash0, hash1 = _MIX0, _MIX1
        for w in range(words):
            word = arena[at + w] ^ flip
            if w + _ONE == words:
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
        S.count[depth + 1, found] = ones
        key0 += finish(hash0 ^ _MIX1)
        key1 += finish(hash1 ^ _MIX0)
        found += 1
    S.frame[depth + 1, ROWS] = rows
    S.frame[depth + 1, WORDS] = np.int64(words)
    S.frame[depth + 1, COLUMNS] = found
    S.key[depth + 1, 0] = finish(key0 ^ finish(np.uint64(rows)))
    S.key[depth + 1, 1] = finish(key1 + finish(np.uint64(found) ^ _MIX0))


@compiled(int64(STATE, int64, int64, int64))
def compress_columns(S: State, depth: int, x: int, side: int) -> int:
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
        c = S.count[depth, z]
        if z == x or min(c, total - c) < 2:
            continue
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


@compiled(void(STATE, int64, int64, int64, int64))
def restrict(S: State, depth: int, x: int, side: int, rows: int) -> None:
    """Build frame depth + 1: the ``rows`` rows of frame ``depth`` whose bit in column x is ``side``."""
    S.stride[depth + 1, 0] = S.stride[depth, 0] + S.stride[depth, 1] * (S.frame[depth, ROWS] + 1)
    S.stride[depth + 1, 1] = 0
    if S.stride[depth, 1] > 0:
        list_rows(S, depth, x, side)
        wide = gather_rows(S, depth, rows)
    else:
        wide = compress_columns(S, depth, x, side)
    settle(S, depth, wide, rows)
