"""The search: does the class of a frame have Littlestone dimension at least k?"""

from __future__ import annotations

import numpy as np
from numba import boolean, int64, uint64, void
from numba.types import UniTuple
from numpy.typing import NDArray

from littlestone.dimension.engine.bounds_table import probe, store
from littlestone.dimension.engine.compiling import compiled, popcount
from littlestone.dimension.engine.frames import make_rows, restrict
from littlestone.dimension.engine.splitters import look_by_rows, refuted_in_place, smaller_side
from littlestone.dimension.engine.state import (
    COLUMNS,
    NODES,
    OFFSET,
    ROWS,
    STATE,
    STOP,
    WORDS,
    State,
)


@compiled(UniTuple(uint64, 4)(uint64[::1], uint64, uint64, uint64, uint64, uint64, uint64))
def intersections(arena, x, a, b, c, d, words):
    na = nb = nc = nd = np.uint64(0)
    for w in range(words):
        word = arena[x + w]
        na += popcount(word & arena[a + w])
        nb += popcount(word & arena[b + w])
        nc += popcount(word & arena[c + w])
        nd += popcount(word & arena[d + w])
    return na, nb, nc, nd


@compiled(int64(STATE, int64, int64))
def usable(S: State, depth: int, least: int) -> int:
    """Columns with both sides at least ``least``, most balanced first, into S.order[depth]."""
    rows = S.frame[depth, ROWS]
    found = 0
    for z in range(S.frame[depth, COLUMNS]):
        c = np.int64(S.count[depth, z])
        c = min(c, rows - c)
        if c >= least:
            S.order[depth, found] = (rows - c) << 32 | z
            found += 1
    order, known = S.order[depth], S.known[depth]
    if found > 40:
        order[:found].sort()
    else:
        for i in range(1, found):
            entry = order[i]
            j = i
            while j > 0 and order[j - 1] > entry:
                order[j] = order[j - 1]
                j -= 1
            order[j] = entry
    for i in range(found):
        order[i] &= 0xFFFFFFFF
        known[i] = 0
    return found


@compiled(void(STATE, int64, int64, int64))
def pair_row(S: State, depth: int, i: int, n: int) -> None:
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


@compiled(int64(STATE, int64))
def three(S: State, depth: int) -> int:
    """Whether LDim >= 3, directly: a column both of whose sides some column splits two and two."""
    rows = S.frame[depth, ROWS]
    words = np.uint64(S.frame[depth, WORDS])
    base = np.uint64(S.frame[depth, OFFSET])
    columns = S.frame[depth, COLUMNS]
    arena = S.arena
    for x in range(columns):
        size1 = np.int64(S.count[depth, x])
        size0 = rows - size1
        if min(size0, size1) < 4:
            continue
        at = base + np.uint64(x) * words
        alive0 = alive1 = False
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
                n = np.int64(S.count[depth, min(z + j, columns - 1)]) - n
                alive0 |= 2 <= n <= size0 - 2
            if alive0 and alive1:
                return 1
            z += 4
    return 0


@compiled(boolean(STATE, int64, int64, int64))
def dominated(S: State, depth: int, i: int, n: int) -> bool:
    """Whether a side of the i-th usable column lies in a side already refuted here."""
    rows = S.frame[depth, ROWS]
    pairs = S.pairs[depth]
    ones = np.int64(S.count[depth, S.order[depth, i]])
    for j in range(i):
        refuted = S.known[depth, j]
        if refuted & 6:
            both = np.int64(pairs[j * n + i])
            other = np.int64(S.count[depth, S.order[depth, j]])
            if refuted & 4 and (both == ones or other - both == rows - ones):
                return True
            if refuted & 2 and (both == 0 or both == other):
                return True
    return False


@compiled(boolean(STATE, int64, int64))
def contained(S: State, depth: int, i: int) -> bool:
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


@compiled(void(STATE, int64, int64, int64, int64))
def look_by_pairs(S: State, depth: int, i: int, n: int, least: int) -> None:
    """Fill alive[depth, i] by counting the intersections of the i-th usable column with all."""
    pair_row(S, depth, i, n)
    rows = S.frame[depth, ROWS]
    row = S.pairs[depth, i * n : (i + 1) * n]
    order, count = S.order[depth], S.count[depth]
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


@compiled(boolean(STATE, int64, int64, int64, int64, int64))
def refuted_by_pairs(S: State, depth: int, i: int, n: int, side: int, k: int) -> bool:
    """`refuted_in_place` from the columns, where the i-th row of pairs is known."""
    arena, order, count = S.arena, S.order[depth], S.count[depth]
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


@compiled(int64(STATE, int64, int64, int64))
def remembered(S: State, depth: int, x: int, side: int) -> int:
    """Bounds known for the set of restrictions that leads to a side of column x."""
    at = np.int64(S.origin[depth, x]) ^ side
    return probe(S, S.path[depth, 0] + S.literal[at, 0], S.path[depth, 1] + S.literal[at, 1])


@compiled(void(STATE, int64, int64, int64, int64, int64, int64))
def remember(S: State, depth: int, x: int, side: int, lower: int, upper: int, work: int) -> None:
    """Keep bounds under the set of restrictions that leads to a side of column x."""
    at = np.int64(S.origin[depth, x]) ^ side
    key0, key1 = S.path[depth, 0] + S.literal[at, 0], S.path[depth, 1] + S.literal[at, 1]
    store(S, key0, key1, lower, upper, work)


ROW_COLUMNS = 33  # with fewer columns, pairs of columns are counted one by one
ROW_ROWS = 32
FEW = 64  # with so few columns to try, a side is looked into without being built


@compiled(int64(STATE, int64, int64))
def at_least(S: State, depth: int, k: int) -> int:
    """1 if the frame has LDim >= k, 0 if not, -1 if stopped; k >= 3."""
    if S.control[STOP]:
        return -1
    S.control[NODES] += 1
    if k == 3:
        return three(S, depth)
    rows = S.frame[depth, ROWS]
    half, quarter = 1 << (k - 1), 1 << (k - 2)
    n = usable(S, depth, quarter)
    candidates = 0
    while candidates < n:
        size1 = np.int64(S.count[depth, S.order[depth, candidates]])
        if min(size1, rows - size1) < half:
            break
        candidates += 1
    by_rows = n >= ROW_COLUMNS and rows >= ROW_ROWS
    if by_rows and candidates > 0 and S.stride[depth, 1] == 0:
        make_rows(S, depth)
    looked, chunk = 0, 2
    for i in range(candidates):
        x = S.order[depth, i]
        size1 = np.int64(S.count[depth, x])
        size0 = rows - size1
        if not by_rows:
            if dominated(S, depth, i, n):
                continue
            look_by_pairs(S, depth, i, n, quarter)
        elif i == looked:
            looked = min(candidates, i + chunk)
            chunk = min(2 * chunk, 64)
            for j in range(i, looked):
                z = S.order[depth, j]
                side = smaller_side(np.int64(S.count[depth, z]), rows)
                if remembered(S, depth, z, side) >> 8 < k - 1:
                    S.known[depth, j] |= 4 if side == 1 else 2
            look_by_rows(S, depth, i, looked, quarter)
        if S.known[depth, i] & 6:
            continue
        alive0, alive1 = S.alive[depth, i, 0], S.alive[depth, i, 1]
        if alive0 == 0 or alive1 == 0:
            S.known[depth, i] |= (4 if alive1 == 0 else 0) | (2 if alive0 == 0 else 0)
            if by_rows:
                remember(S, depth, x, 1 if alive1 == 0 else 0, 0, k - 2, 0)
            continue
        if by_rows and contained(S, depth, i):
            continue
        side = 1 if alive1 * size1 <= alive0 * size0 else 0
        answer = 1
        for turn in range(2):
            bounds = remembered(S, depth, x, side)
            if bounds & 0xFF >= k - 1:
                answer = 1
            elif bounds >> 8 < k - 1:
                answer = 0
            elif (
                by_rows
                and S.alive[depth, i, side] <= FEW
                and refuted_in_place(S, depth, i, side, k - 1)
            ):
                answer = 0
                remember(S, depth, x, side, 0, k - 2, 0)
            elif not by_rows and refuted_by_pairs(S, depth, i, n, side, k - 1):
                answer = 0
            else:
                restrict(S, depth, x, side, size1 if side == 1 else size0)
                there = depth + 1
                work = 0
                bounds = probe(S, S.key[there, 0], S.key[there, 1])
                if bounds & 0xFF >= k - 1:
                    answer = 1
                elif bounds >> 8 < k - 1:
                    answer = 0
                else:
                    at = np.int64(S.origin[depth, x]) ^ side
                    S.path[there, 0] = S.path[depth, 0] + S.literal[at, 0]
                    S.path[there, 1] = S.path[depth, 1] + S.literal[at, 1]
                    before = S.control[NODES]
                    answer = at_least(S, there, k - 1)
                    if answer < 0:
                        return -1
                    work = min(S.control[NODES] - before, (1 << 40) - 1)
                    lower, upper = (k - 1, 255) if answer == 1 else (0, k - 2)
                    store(S, S.key[there, 0], S.key[there, 1], lower, upper, work)
                lower, upper = (k - 1, 255) if answer == 1 else (0, k - 2)
                remember(S, depth, x, side, lower, upper, work)
            if answer == 0:
                S.known[depth, i] |= 4 if side == 1 else 2
                break
            side = 1 - side
        if answer == 1:
            return 1
    return 0
