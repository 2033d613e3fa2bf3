"""The search: whether the class of a frame has Littlestone dimension at least k."""

from __future__ import annotations

import numpy as np
from numba import int64, void

from littlestone.dimension.engine.bounds_table import probe, store
from littlestone.dimension.engine.compiling import Index, compiled
from littlestone.dimension.engine.frames import restrict
from littlestone.dimension.engine.pairs import (
    contained,
    dominated,
    look_by_pairs,
    refuted_by_pairs,
    three,
)
from littlestone.dimension.engine.rows import make_rows
from littlestone.dimension.engine.splitters import look_by_rows, refuted_in_place, smaller_side
from littlestone.dimension.engine.state import (
    COLUMNS,
    NODE_LIMIT,
    NODES,
    ROWS,
    STATE,
    STOP,
    State,
)

ROW_COLUMNS = 33  # with fewer columns, pairs of columns are counted one by one
ROW_ROWS = 32
FEW = 64  # with so few columns to try, a side is looked into without being built


@compiled(int64(STATE, int64, int64), inline=True)
def usable(S: State, depth: Index, least: Index) -> Index:
    """Columns with both sides at least ``least``, most balanced first, into S.order[depth]."""
    rows = S.frame[depth, ROWS]
    found = 0
    for z in range(S.frame[depth, COLUMNS]):
        c = np.int64(S.ones[depth, z])
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


@compiled(int64(STATE, int64, int64, int64), inline=True)
def remembered(S: State, depth: Index, x: Index, side: Index) -> Index:
    """Bounds known for the set of restrictions that leads to a side of column x."""
    at = np.int64(S.origin[depth, x]) ^ side
    return probe(S, S.path[depth, 0] + S.literal[at, 0], S.path[depth, 1] + S.literal[at, 1])


@compiled(void(STATE, int64, int64, int64, int64, int64, int64), inline=True)
def remember(
    S: State, depth: Index, x: Index, side: Index, lower: Index, upper: Index, work: Index
) -> None:
    """Keep bounds under the set of restrictions that leads to a side of column x."""
    at = np.int64(S.origin[depth, x]) ^ side
    key0, key1 = S.path[depth, 0] + S.literal[at, 0], S.path[depth, 1] + S.literal[at, 1]
    store(S, key0, key1, lower, upper, work)


@compiled(int64(STATE, int64, int64))
def at_least(S: State, depth: Index, k: Index) -> Index:
    """1 if the frame has LDim >= k, 0 if not, -1 if stopped; k >= 3."""
    if S.control[STOP] or S.control[NODES] >= S.control[NODE_LIMIT]:
        return -1
    S.control[NODES] += 1
    if k == 3:
        return three(S, depth)
    rows = S.frame[depth, ROWS]
    half, quarter = 1 << (k - 1), 1 << (k - 2)
    n = usable(S, depth, quarter)
    candidates = 0
    while candidates < n:
        size1 = np.int64(S.ones[depth, S.order[depth, candidates]])
        if min(size1, rows - size1) < half:
            break
        candidates += 1
    by_rows = n >= ROW_COLUMNS and rows >= ROW_ROWS
    if by_rows and candidates > 0 and S.stride[depth, 1] == 0:
        make_rows(S, depth)
    looked, chunk = 0, 2
    for i in range(candidates):
        x = S.order[depth, i]
        size1 = np.int64(S.ones[depth, x])
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
                side = smaller_side(np.int64(S.ones[depth, z]), rows)
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
        for _turn in range(2):
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
