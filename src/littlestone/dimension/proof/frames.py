"""Version spaces as rows and as columns of bits, for the writer and the checker of proofs.

A frame is a version space V at some depth below the whole table.  Of its columns those are kept that
have two rows on both sides, 64 places to a word.  Each place has a row of V or is empty, and then all
columns are 0 there.  A frame has the places of the frame above it, or, if few of these would be left,
the rows of V in their order and empty places only at the end.  Of columns of the whole table that are
equal or complements the first one is kept.
"""

from __future__ import annotations

import os
from typing import Any, NamedTuple

import numpy as np
from numba import boolean, int64, typeof, uint64, void
from numpy.typing import NDArray

from littlestone.dimension.engine.compiling import (
    Index,
    Word,
    compiled,
    part,
    popcount,
    trailing_zeros,
)
from littlestone.dimension.proof.adding import AT_ONCE

ROWS, WORDS, ROW_AT, COLUMN_AT, KEPT, DENSE = range(6)
NARROW = 64  # the most columns of a narrow table
LANES = 4  # words that are transposed side by side
PASSES = 4  # independent fingerprints of a column, of 32 bits each

_ONE, _ZERO = np.uint64(1), np.uint64(0)
_LOW = np.uint64(0xFFFFFFFF)
_HALF = np.uint64(32)


class Frames(NamedTuple):
    """A stack of frames in flat arrays, and scratch memory."""

    place: NDArray[np.int64]  # [depth, 6]: rows, words of a column, where both begin, columns kept,
    # and 1 if empty places are only at the end
    alive: NDArray[np.uint64]  # [depth, word]: the places that have a row
    name: NDArray[np.int64]  # [depth, i]: the column of the table that is kept as number i
    ones: NDArray[np.int64]  # [depth, i]: number of rows with value 1
    rows: NDArray[np.uint64]  # one frame after another, and a row of zeros at the end
    columns: NDArray[np.uint64]  # one frame after another
    listed: NDArray[np.int64]  # positions of rows
    block: NDArray[np.uint64]  # [64 * LANES]: bits to be transposed
    keys: NDArray[np.uint64]  # [word, 2 * PASSES]: random numbers of 32 bits
    prints: NDArray[np.uint64]  # [i, PASSES]: fingerprints of columns
    table: NDArray[np.int64]  # columns in the order of their fingerprints, with gaps of -1
    order: NDArray[np.int64]  # the kept columns that are counted
    packed: NDArray[np.uint64]  # these columns, word by word
    common: NDArray[np.int64]  # ones shared with one column
    sizes: NDArray[np.int64]  # ones of the columns that are counted
    planes: NDArray[np.uint64]  # counters of all columns, bit by bit
    named: NDArray[np.int64]  # [column]: its ones if it may split a side, or 0
    usable: NDArray[np.uint64]  # a bit for each column that may
    split: NDArray[np.int64]  # [2, i]: how many columns split side 0, side 1


def allocate(rows: int, columns: int) -> Frames:
    """Memory for a table of this shape; pages that are never used cost nothing."""
    depth, words = max(rows, 2).bit_length() + 2, -(-rows // 64)
    width = 1 if columns <= 64 else -(-columns // (64 * LANES)) * LANES
    numbers = words + PASSES * columns
    random = np.frombuffer(os.urandom(8 * PASSES * numbers), np.uint32)
    return Frames(
        place=np.zeros((depth, 6), np.int64),
        alive=np.empty((depth, words), np.uint64),
        name=np.zeros((depth, columns), np.int64),
        ones=np.zeros((depth, columns), np.int64),
        rows=np.empty((depth * 64 * words + 1) * width, np.uint64),
        columns=np.empty(depth * words * columns, np.uint64),
        listed=np.empty(rows + AT_ONCE, np.int64),
        block=np.empty(64 * LANES, np.uint64),
        keys=random.astype(np.uint64).reshape(numbers, 2 * PASSES),
        prints=np.empty((columns, PASSES), np.uint64),
        table=np.empty(5 * columns + 16, np.int64),
        order=np.empty(columns, np.int64),
        packed=np.empty(words * columns, np.uint64),
        common=np.empty(64 * width, np.int64),
        sizes=np.empty(columns, np.int64),
        planes=np.empty((depth + 1) * width, np.uint64),
        named=np.empty(64 * width, np.int64),
        usable=np.empty(width, np.uint64),
        split=np.empty((2, columns), np.int64),
    )


FRAMES: Any = typeof(allocate(64, 2))  # type: ignore[no-untyped-call,unused-ignore]


@part(void(uint64[::1], int64, uint64), inline=True)
def _swap(block: NDArray[np.uint64], gap: Index, mask: Word) -> None:
    """One stage of a transposition: exchange bits of words that lie ``gap`` apart."""
    by = np.uint64(gap)
    step = np.uint64(LANES * gap)
    for first in range(_ZERO, np.uint64(64 * LANES), step + step):
        for i in range(first, first + step):
            low, high = block[i], block[i + step]
            moved = ((low >> by) ^ high) & mask
            block[i + step] = high ^ moved
            block[i] = low ^ (moved << by)


@compiled(void(uint64[::1]))
def transpose(block: NDArray[np.uint64]) -> None:
    """Transpose in place: bit c of word LANES r + l becomes bit r of word LANES c + l."""
    _swap(block, 32, np.uint64(0x00000000FFFFFFFF))
    _swap(block, 16, np.uint64(0x0000FFFF0000FFFF))
    _swap(block, 8, np.uint64(0x00FF00FF00FF00FF))
    _swap(block, 4, np.uint64(0x0F0F0F0F0F0F0F0F))
    _swap(block, 2, np.uint64(0x3333333333333333))
    _swap(block, 1, np.uint64(0x5555555555555555))


@part(int64(int64), inline=True)
def row_words(columns: Index) -> Index:
    """Words of a row: one, or a multiple of LANES."""
    return 1 if columns <= 64 else (columns + 64 * LANES - 1) // (64 * LANES) * LANES


@part(boolean(uint64[::1], int64, int64, int64, uint64, uint64), inline=True)
def _equal(
    columns: NDArray[np.uint64], a: Index, b: Index, words: Index, flip: Word, last: Word
) -> Any:
    """Whether two columns are equal, one of them complemented if ``flip`` is all ones."""
    for w in range(words):
        differ = columns[a + w] ^ columns[b + w] ^ flip
        if w == words - 1:
            differ &= last
        if differ != _ZERO:
            return False
    return True


@part(void(FRAMES, int64, int64), inline=True)
def _keep_distinct(F: Frames, depth: Index, offered: Index) -> None:
    """Move the columns that are kept to the front, each once, and count their ones."""
    place, name, ones = F.place[depth], F.name[depth], F.ones[depth]
    size, words, to = place[ROWS], place[WORDS], place[COLUMN_AT]
    columns, keys, table, prints = F.columns, F.keys, F.table, F.prints
    last = ~_ZERO >> np.uint64(-size & 63)
    slots = 8
    while slots < 2 * offered:
        slots *= 2
    for i in range(slots):
        table[i] = -1
    kept = 0
    for i in range(offered):
        at = to + i * words
        total = _ZERO
        for w in range(at, at + words):
            total += popcount(columns[w])
        n = np.int64(total)
        if min(n, size - n) < 2:
            continue
        flip = ~_ZERO if columns[at] & _ONE else _ZERO
        mixed = _ZERO
        for w in range(words):
            word = columns[at + w] ^ flip
            if w == words - 1:
                word &= last
            mixed += ((word + keys[w, 0]) & _LOW) * (((word >> _HALF) + keys[w, 1]) & _LOW)
        slot = np.int64((mixed ^ mixed >> _HALF) & np.uint64(slots - 1))
        repeated = False
        while table[slot] >= 0 and not repeated:
            other = table[slot]
            there = to + other * words
            repeated = prints[other, 0] == mixed and _equal(
                columns, at, there, words, flip ^ (~_ZERO if columns[there] & _ONE else _ZERO), last
            )
            slot = (slot + 1) & (slots - 1)
        if repeated:
            continue
        table[slot] = kept
        prints[kept, 0] = mixed
        if kept != i:
            for w in range(words):
                columns[to + kept * words + w] = columns[at + w]
        name[kept], ones[kept] = name[i], n
        kept += 1
    place[KEPT] = kept


@part(void(FRAMES, int64, int64), inline=True)
def _keep(F: Frames, source: Index, goal: Index) -> None:
    """Keep the columns of a frame that have two rows on both sides of another one, or of itself."""
    place, columns, alive = F.place[goal], F.columns, F.alive[goal]
    size, words = place[ROWS], place[WORDS]
    start, to = F.place[source, COLUMN_AT], place[COLUMN_AT]
    kept = 0
    for i in range(F.place[source, KEPT]):
        total = _ZERO
        at = to + kept * words
        for w in range(words):
            word = columns[start + i * words + w] & alive[w]
            columns[at + w] = word
            total += popcount(word)
        n = np.int64(total)
        F.name[goal, kept], F.ones[goal, kept] = F.name[source, i], n
        kept += 1 if min(n, size - n) >= 2 else 0
    place[KEPT] = kept


@compiled(void(FRAMES, int64, int64))
def _make_columns(F: Frames, depth: Index, offered: Index) -> None:
    """Write the first ``offered`` columns in F.name of a dense frame."""
    place, name = F.place[depth], F.name[depth]
    size, words, row_at, to = place[ROWS], place[WORDS], place[ROW_AT], place[COLUMN_AT]
    rows, columns, block = F.rows, F.columns, F.block
    width = row_words(name.size)
    if width == 1:
        for g in range(0, words, LANES):
            for lane in range(LANES):
                base = 64 * (g + lane)
                here = min(64, max(0, size - base))
                for r in range(here):
                    block[LANES * r + lane] = rows[row_at + base + r]
                for r in range(here, 64):
                    block[LANES * r + lane] = _ZERO
            transpose(block)
            for i in range(offered):
                c = name[i]
                for lane in range(min(LANES, words - g)):
                    columns[to + i * words + g + lane] = block[LANES * c + lane]
    else:
        first = 0
        while first < offered:
            b = name[first] // (64 * LANES) * LANES
            end = first
            while end < offered and name[end] < 64 * (b + LANES):
                end += 1
            for g in range(words):
                here = min(64, size - 64 * g)
                at = row_at + 64 * g * width + b
                for r in range(here):
                    for lane in range(LANES):
                        block[LANES * r + lane] = rows[at + lane]
                    at += width
                for r in range(LANES * here, LANES * 64):
                    block[r] = _ZERO
                transpose(block)
                for i in range(first, end):
                    c = name[i] - 64 * b
                    columns[to + i * words + g] = block[LANES * (c & 63) + (c >> 6)]
            first = end
    for w in range(words):
        F.alive[depth, w] = ~_ZERO
    if words > 0:
        F.alive[depth, words - 1] = ~_ZERO >> np.uint64(-size & 63)
    place[DENSE] = 1


@compiled(void(FRAMES, int64, int64))
def _move_rows(F: Frames, source: Index, goal: Index) -> None:
    """Give frame ``goal`` a list of its rows, from the places of frame ``source`` that it has."""
    place, below = F.place[source], F.place[goal]
    words, row_at, width = place[WORDS], place[ROW_AT], row_words(F.name.shape[1])
    rows, listed = F.rows, F.listed
    to = row_at + 64 * words * width
    found = 0
    for w in range(words):
        word = F.alive[goal, w]
        first = 64 * w
        while word != _ZERO:
            listed[found] = first + np.int64(trailing_zeros(word))
            word &= word - _ONE
            found += 1
    if width == 1:
        for r in range(found):
            rows[to + r] = rows[row_at + listed[r]]
    else:
        for r in range(found):
            here, there = row_at + listed[r] * width, to + r * width
            for b in range(width):
                rows[there + b] = rows[here + b]
    below[WORDS], below[ROW_AT] = (found + 63) >> 6, to


@compiled(void(FRAMES, int64, int64, int64))
def build(F: Frames, depth: Index, i: Index, side: Index) -> None:
    """Make the rows of frame ``depth`` whose value at the kept column i is ``side`` the next frame."""
    place, below, columns = F.place[depth], F.place[depth + 1], F.columns
    words, kept, at = place[WORDS], place[KEPT], place[COLUMN_AT]
    alive, left = F.alive[depth], F.alive[depth + 1]
    flip = _ZERO if side == 1 else ~_ZERO
    for w in range(words):
        left[w] = (columns[at + i * words + w] ^ flip) & alive[w]
    ones = F.ones[depth, i]
    below[ROWS] = ones if side == 1 else place[ROWS] - ones
    below[COLUMN_AT] = at + kept * words
    # Few columns are sooner counted at empty places than made, and many are not.
    full = (below[ROWS] + 63) >> 6
    if words < 8 * full if F.name.shape[1] <= NARROW else 2 * words < 3 * full:
        below[WORDS], below[ROW_AT], below[DENSE] = words, place[ROW_AT], 0
        _keep(F, depth, depth + 1)
    else:
        for j in range(kept):
            F.name[depth + 1, j] = F.name[depth, j]
        _move_rows(F, depth, depth + 1)
        _make_columns(F, depth + 1, kept)
        below[KEPT] = kept
        _keep(F, depth + 1, depth + 1)


@compiled(void(FRAMES, uint64[:, ::1]))
def load(F: Frames, rows: NDArray[np.uint64]) -> None:
    """Make the packed rows of a table frame 0."""
    size, columns = rows.shape[0], F.name.shape[1]
    width = row_words(columns)
    F.place[0, ROWS], F.place[0, WORDS] = size, (size + 63) >> 6
    F.place[0, ROW_AT] = F.place[0, COLUMN_AT] = 0
    for i in range(size):
        for b in range(width):
            F.rows[i * width + b] = rows[i, b] if b < rows.shape[1] else _ZERO
    for b in range(width):
        F.rows[F.rows.size - width + b] = _ZERO
    for c in range(columns):
        F.name[0, c] = c
    _make_columns(F, 0, columns)
    _keep_distinct(F, 0, columns)


@part(boolean(uint64[:, ::1], int64, int64), inline=True)
def _before(prints: NDArray[np.uint64], one: Index, other: Index) -> Any:
    """Whether one column's fingerprint comes before another's, word by word."""
    for p in range(PASSES):
        if prints[one, p] != prints[other, p]:
            return prints[one, p] < prints[other, p]
    return False


@part(boolean(uint64[:, ::1], int64, int64), inline=True)
def _same(prints: NDArray[np.uint64], one: Index, other: Index) -> Any:
    """Whether two columns have the same fingerprint."""
    same = True
    for p in range(PASSES):
        same &= prints[one, p] == prints[other, p]
    return same


@compiled(void(FRAMES, int64, uint64[::1]))
def fingerprint(F: Frames, depth: Index, out: NDArray[np.uint64]) -> None:
    """Write the fingerprint of the shape of a frame to out[: PASSES + 1].

    The last word holds the numbers of rows and of columns, exactly.  The kept columns are complemented
    so that row 0 is 0, and repetitions count once.  The fingerprint of a column is the hash NH with
    keys that were drawn at random when the memory was allocated; that of the shape is the same hash of
    the sorted fingerprints.
    """
    place = F.place[depth]
    if place[DENSE] == 0:
        _move_rows(F, depth, depth)
        _make_columns(F, depth, place[KEPT])
    size, words, to, kept = place[ROWS], place[WORDS], place[COLUMN_AT], place[KEPT]
    columns, keys, prints, table = F.columns, F.keys, F.prints, F.table
    last = ~_ZERO >> np.uint64(-size & 63)
    bits = 3
    while 1 << bits < 2 * kept:
        bits += 1
    down = np.uint64(64 - bits)
    slots = (1 << bits) + kept
    for i in range(slots):
        table[i] = -1
    for c in range(kept):
        at = to + c * words
        flip = ~_ZERO if columns[at] & _ONE else _ZERO
        p0 = p1 = p2 = p3 = _ZERO
        for w in range(words):
            word = columns[at + w] ^ flip
            if w == words - 1:
                word &= last
            high = word >> _HALF
            p0 += ((word + keys[w, 0]) & _LOW) * ((high + keys[w, 1]) & _LOW)
            p1 += ((word + keys[w, 2]) & _LOW) * ((high + keys[w, 3]) & _LOW)
            p2 += ((word + keys[w, 4]) & _LOW) * ((high + keys[w, 5]) & _LOW)
            p3 += ((word + keys[w, 6]) & _LOW) * ((high + keys[w, 7]) & _LOW)
        prints[c, 0], prints[c, 1], prints[c, 2], prints[c, 3] = p0, p1, p2, p3
        # Slots come in the order of the fingerprints.
        slot: Index = np.int64(p0 >> down)
        while table[slot] >= 0 and _before(prints, table[slot], c):
            slot += 1
        moving: Index = c
        while table[slot] >= 0:
            table[slot], moving = moving, table[slot]
            slot += 1
        table[slot] = moving
    w = keys.shape[0] - PASSES * F.name.shape[1]
    p0 = p1 = p2 = p3 = _ZERO
    distinct, before = 0, -1
    for i in range(slots):
        if table[i] >= 0 and not (before >= 0 and _same(prints, before, table[i])):
            distinct, before = distinct + 1, table[i]
            for q in range(PASSES):
                word = prints[table[i], q]
                high = word >> _HALF
                p0 += ((word + keys[w, 0]) & _LOW) * ((high + keys[w, 1]) & _LOW)
                p1 += ((word + keys[w, 2]) & _LOW) * ((high + keys[w, 3]) & _LOW)
                p2 += ((word + keys[w, 4]) & _LOW) * ((high + keys[w, 5]) & _LOW)
                p3 += ((word + keys[w, 6]) & _LOW) * ((high + keys[w, 7]) & _LOW)
                w += 1
    out[0], out[1], out[2], out[3] = p0, p1, p2, p3
    out[PASSES] = np.uint64(size) << _HALF | np.uint64(distinct)


@compiled(boolean(FRAMES, int64, int64, int64))
def contained(F: Frames, depth: Index, literal: Index, other: Index) -> Any:
    """Whether the rows of one literal are a subset of those of another.

    Literals are 2 * i + side for a kept column i.
    """
    place, columns, alive = F.place[depth], F.columns, F.alive[depth]
    words, at = place[WORDS], place[COLUMN_AT]
    flip = _ZERO if literal & 1 else ~_ZERO
    also = ~_ZERO if other & 1 else _ZERO
    a, b = at + (literal >> 1) * words, at + (other >> 1) * words
    for w in range(words):
        if (columns[a + w] ^ flip) & (columns[b + w] ^ also) & alive[w] != _ZERO:
            return False
    return True
