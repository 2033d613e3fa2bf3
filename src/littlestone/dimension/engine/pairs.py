"""The lookahead over columns: sizes of intersections, counted pair by pair."""

from __future__ import annotations

from typing import Any

import numpy as np
from numba import boolean, int64, types, uint64, void
from numpy.typing import NDArray

from littlestone.dimension.engine.compiling import Index, Word, part, popcount
from littlestone.dimension.engine.state import (
    COLUMNS,
    OFFSET,
    ROWS,
    STATE,
    WORDS,
    WORK,
    State,
)

_FOUR_WORDS: Any = types.UniTuple(uint64, 4)  # type: ignore[no-untyped-call,unused-ignore]


@part(
    _FOUR_WORDS(uint64[::1], uint64, uint64, uint64, uint64, uint64, uint64),
    inline=True,
)
def intersections(
    arena: NDArray[np.uint64], x: Word, a: Word, b: Word, c: Word, d: Word, words: Word
) -> Any:
    """Numbers of ones that the column at x shares with the columns at a, b, c and d."""
    na = nb = nc = nd = np.uint64(0)
    for w in range(words):
        word = arena[x + w]
        na += popcount(word & arena[a + w])
        nb += popcount(word & arena[b + w])
        nc += popcount(word & arena[c + w])
        nd += popcount(word & arena[d + w])
    return na, nb, nc, nd


@part(void(STATE, int64, int64, int64), inline=True)
def pair_row(S: State, depth: Index, i: Index, n: Index) -> None:
    """Sizes of the intersections of the i-th usable column with all n usable columns."""
    words = np.uint64(S.frame[depth, WORDS])
    base = np.uint64(S.frame[depth, OFFSET])
    pairs, order, known = S.pairs[depth], S.order[depth], S.known[depth]
    x = base + np.uint64(order[i]) * words
    arena = S.arena
    at = i * n
    for j in range(i):
        if known[j] & 1:
            pairs[at + j] = pairs[j * n + i]
        else:
            z = base + np.uint64(order[j]) * words
            total = np.uint64(0)
            for w in range(words):
                total += popcount(arena[x + w] & arena[z + w])
            pairs[at + j] = total
    for j in range(i, n, 4):
        last = n - 1
        a = base + np.uint64(order[j]) * words
        b = base + np.uint64(order[min(j + 1, last)]) * words
        c = base + np.uint64(order[min(j + 2, last)]) * words
        d = base + np.uint64(order[min(j + 3, last)]) * words
        na, nb, nc, nd = intersections(arena, x, a, b, c, d, words)
        pairs[at + min(j + 3, last)] = nd
        pairs[at + min(j + 2, last)] = nc
        pairs[at + min(j + 1, last)] = nb
        pairs[at + j] = na
    known[i] |= 1


@part(void(STATE, int64, int64, int64, int64), inline=True)
def look_by_pairs(S: State, depth: Index, i: Index, n: Index, least: Index) -> None:
    """Fill alive[depth, i] by counting the intersections of the i-th usable column with all."""
    pair_row(S, depth, i, n)
    rows = S.frame[depth, ROWS]
    row = S.pairs[depth, i * n : (i + 1) * n]
    order, count = S.order[depth], S.ones[depth]
    size1 = np.int64(count[order[i]])
    size0 = rows - size1
    alive0 = alive1 = 0
    for j in range(n):
        both = np.int64(row[j])
        if least <= both <= size1 - least:
            alive1 += 1
        both = np.int64(count[order[j]]) - both
        if least <= both <= size0 - least:
            alive0 += 1
    S.alive[depth, i, 0] = alive0
    S.alive[depth, i, 1] = alive1


@part(int64(STATE, int64))
def three(S: State, depth: Index) -> Index:
    """A column both of whose sides some column splits two and two, so LDim >= 3; -1 without one."""
    rows = S.frame[depth, ROWS]
    words = np.uint64(S.frame[depth, WORDS])
    base = np.uint64(S.frame[depth, OFFSET])
    columns = S.frame[depth, COLUMNS]
    arena = S.arena
    for x in range(columns):
        size1 = np.int64(S.ones[depth, x])
        size0 = rows - size1
        if min(size0, size1) < 4:
            continue
        at = base + np.uint64(x) * words
        alive0: Any = False
        alive1: Any = False
        z = 0
        while z < columns:
            a = base + np.uint64(z) * words
            b = base + np.uint64(min(z + 1, columns - 1)) * words
            c = base + np.uint64(min(z + 2, columns - 1)) * words
            d = base + np.uint64(min(z + 3, columns - 1)) * words
            sizes = intersections(arena, at, a, b, c, d, words)
            for j in range(4):
                n = np.int64(sizes[j])
                alive1 |= 2 <= n <= size1 - 2
                n = np.int64(S.ones[depth, min(z + j, columns - 1)]) - n
                alive0 |= 2 <= n <= size0 - 2
            if alive0 and alive1:
                return x
            z += 4
    return -1


@part(int64(STATE, int64, int64, int64))
def splitter(S: State, depth: Index, x: Index, side: Index) -> Index:
    """The first column that splits a side of column x two and two; -1 without one."""
    words = np.uint64(S.frame[depth, WORDS])
    base = np.uint64(S.frame[depth, OFFSET])
    size = np.int64(S.ones[depth, x])
    if side == 0:
        size = S.frame[depth, ROWS] - size
    for z in range(S.frame[depth, COLUMNS]):
        shared = np.uint64(0)
        for w in range(words):
            shared += popcount(
                S.arena[base + np.uint64(x) * words + w] & S.arena[base + np.uint64(z) * words + w]
            )
        n = np.int64(shared)
        if side == 0:
            n = np.int64(S.ones[depth, z]) - n
        if 2 <= n <= size - 2:
            return z
    return -1


@part(boolean(STATE, int64, int64, int64), inline=True)
def dominated(S: State, depth: Index, i: Index, n: Index) -> Any:
    """Whether a side of the i-th usable column lies in a side already refuted here."""
    rows = S.frame[depth, ROWS]
    pairs = S.pairs[depth]
    ones = np.int64(S.ones[depth, S.order[depth, i]])
    for j in range(i):
        refuted = S.known[depth, j]
        if refuted & 6:
            both = np.int64(pairs[j * n + i])
            other = np.int64(S.ones[depth, S.order[depth, j]])
            if refuted & 4 and (both == ones or other - both == rows - ones):
                return True
            if refuted & 2 and (both == 0 or both == other):
                return True
    return False


@part(boolean(STATE, int64, int64))
def contained(S: State, depth: Index, i: Index) -> Any:
    """Whether a side of the i-th usable column lies in a refuted side, looking at the columns."""
    arena = S.arena
    rows, words = S.frame[depth, ROWS], np.uint64(S.frame[depth, WORDS])
    base = np.uint64(S.frame[depth, OFFSET])
    last = np.uint64(0xFFFFFFFFFFFFFFFF) >> np.uint64((64 - rows) & 63)
    x = base + np.uint64(S.order[depth, i]) * words
    for j in range(i):
        refuted = S.known[depth, j]
        if not refuted & 6:
            continue
        z = base + np.uint64(S.order[depth, j]) * words
        open11 = open01 = refuted & 4 != 0
        open10 = open00 = refuted & 2 != 0
        for w in range(words):
            here, there = arena[x + w], arena[z + w]
            every = last if w + np.uint64(1) == words else np.uint64(0xFFFFFFFFFFFFFFFF)
            open11 &= here & ~there == 0
            open10 &= here & there == 0
            open01 &= ~(here | there) & every == 0
            open00 &= ~here & there == 0
            if not (open11 or open10 or open01 or open00):
                break
        if open11 or open10 or open01 or open00:
            return True
    return False


@part(boolean(STATE, int64, int64, int64, int64, int64), inline=True)
def refuted_by_pairs(S: State, depth: Index, i: Index, n: Index, side: Index, k: Index) -> Any:
    """`refuted_in_place` from the columns, where the i-th row of pairs is known."""
    arena, order, count = S.arena, S.order[depth], S.ones[depth]
    row = S.pairs[depth, i * n : (i + 1) * n]
    rows, words = S.frame[depth, ROWS], np.uint64(S.frame[depth, WORDS])
    base = np.uint64(S.frame[depth, OFFSET])
    columns = S.frame[depth, COLUMNS]
    mask = base + np.uint64(columns) * words  # the place of the next frame
    every = np.uint64(0xFFFFFFFFFFFFFFFF)
    last = every >> np.uint64((64 - rows) & 63)
    x = base + np.uint64(order[i]) * words
    flip = np.uint64(0) if side == 1 else every
    ones = np.int64(count[order[i]])
    total = ones if side == 1 else rows - ones
    half, quarter = 1 << (k - 1), 1 << (k - 2)
    for j in range(n):
        both = np.int64(row[j]) if side == 1 else np.int64(count[order[j]]) - np.int64(row[j])
        if both < half or total - both < half:
            continue
        z = base + np.uint64(order[j]) * words
        part = 1 if 2 * both <= total else 0
        dead = False
        for _turn in range(2):
            size = both if part == 1 else total - both
            also = np.uint64(0) if part == 1 else every
            for w in range(words):
                arena[mask + w] = (arena[x + w] ^ flip) & (arena[z + w] ^ also)
            arena[mask + words - np.uint64(1)] &= last
            S.control[WORK] += columns * S.frame[depth, WORDS]
            dead = True
            # All columns: the third one may be less balanced than the usable ones.
            for first in range(0, columns, 4):
                a = base + np.uint64(first) * words
                b = base + np.uint64(min(first + 1, columns - 1)) * words
                c = base + np.uint64(min(first + 2, columns - 1)) * words
                d = base + np.uint64(min(first + 3, columns - 1)) * words
                for m in intersections(arena, mask, a, b, c, d, words):
                    if quarter <= np.int64(m) <= size - quarter:
                        dead = False
                if not dead:
                    break
            if dead:
                break
            part = 1 - part
        if not dead:
            return False
    return True
