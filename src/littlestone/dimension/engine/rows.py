"""Frames as rows of bits: listing, gathering and transposing them."""

from __future__ import annotations

import numpy as np
from numba import int32, int64, uint64, void
from numpy.typing import NDArray

from littlestone.dimension.engine.compiling import Index, Word, part, popcount, trailing_zeros
from littlestone.dimension.engine.state import (
    COLUMNS,
    OFFSET,
    ROWS,
    STATE,
    WORDS,
    State,
)
from littlestone.dimension.engine.transposing import transpose

_ZERO, _ONE = np.uint64(0), np.uint64(1)
_ALL = np.uint64(0xFFFFFFFFFFFFFFFF)


@part(int64(uint64[::1], uint64, int64, int64, int32[::1]))
def list_rows(
    arena: NDArray[np.uint64], at: Word, total: Index, side: Index, index: NDArray[np.int32]
) -> Index:
    """Write where the column arena[at:] of ``total`` bits equals ``side`` into index; count them."""
    words = np.uint64((total + 63) >> 6)
    last = _ALL >> np.uint64((64 - total) & 63)
    flip = _ZERO if side == 1 else _ALL
    found = _ZERO
    for w in range(words):
        word = arena[at + w] ^ flip
        if w + _ONE == words:
            word &= last
        n = popcount(word)
        first = w << np.uint64(6)
        # Eight at a time, more than there are: cheaper than a branch for each.
        to = found
        found += n
        while to < found:
            for j in range(8):
                index[to + np.uint64(j)] = np.int32(first + trailing_zeros(word))
                word &= word - _ONE
            to += np.uint64(8)
    return np.int64(found)


@part(int64(STATE, int64, int64), inline=True)
def gather_rows(S: State, depth: Index, rows: Index) -> Index:
    """Write the columns of frame ``depth`` on the ``rows`` rows in S.listed, unfinished."""
    arena, bits, block, index = S.arena, S.bits, S.block, S.listed
    columns = S.frame[depth, COLUMNS]
    out = S.frame[depth, OFFSET] + columns * S.frame[depth, WORDS]
    S.frame[depth + 1, OFFSET] = out
    start, stride = S.stride[depth, 0], S.stride[depth, 1]
    words = (rows + 63) >> 6
    for z in range(columns):
        S.raw[z, 4] = z
    for i in range(rows, (rows + 63) & ~63):
        index[i] = S.frame[depth, ROWS]  # the row of zeros
    for b in range(0, stride, 4):
        width = min(4, stride - b)
        for g in range(words):
            for r in range(64):
                at = start + np.int64(index[64 * g + r]) * stride + b
                for i in range(width):
                    block[4 * r + i] = bits[at + i]
            transpose(block)
            for i in range(width):
                first = 64 * (b + i)
                to = out + first * words + g
                for c in range(min(64, columns - first)):
                    arena[to] = block[4 * c + i]
                    to += words
    return columns


@part(void(STATE, int64))
def make_rows(S: State, depth: Index) -> None:
    """Give frame ``depth`` its rows, a row of zeros after the last, and the totals of its columns."""
    arena, bits, block = S.arena, S.bits, S.block
    columns, rows = S.frame[depth, COLUMNS], S.frame[depth, ROWS]
    words, source = S.frame[depth, WORDS], S.frame[depth, OFFSET]
    stride = 2 if columns <= 128 else (columns + 255) >> 8 << 2
    start = S.stride[depth, 0]
    S.stride[depth, 1] = stride
    for i in range(stride):
        bits[start + rows * stride + i] = 0
    for b in range(0, stride, 4):
        width = min(4, stride - b)
        for g in range(words):
            for i in range(width):
                first = 64 * (b + i)
                at = source + first * words + g
                n = max(0, min(64, columns - first))
                for c in range(n):
                    block[4 * c + i] = arena[at]
                    at += words
                for c in range(n, 64):
                    block[4 * c + i] = 0
            transpose(block)
            to = start + 64 * g * stride + b
            for r in range(min(64, rows - 64 * g)):
                for i in range(width):
                    bits[to + i] = block[4 * r + i]
                to += stride
    planes = 5  # as many levels as counters have at least
    while rows >> planes:
        planes += 1
    totals = S.totals[depth]
    for i in range(planes * stride):
        totals[i] = 0
    for c in range(columns):
        count = np.int64(S.ones[depth, c])
        bit = _ONE << np.uint64(c & 63)
        at = c >> 6
        while count:
            if count & 1:
                totals[at] |= bit
            at += stride
            count >>= 1
