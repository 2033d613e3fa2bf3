"""The search: whether the class of a frame has Littlestone dimension at least k."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, cast

import numpy as np
from numba import int64, void
from numba.extending import intrinsic
from numpy.typing import NDArray

from littlestone.dimension.engine.bounds_table import probe, store
from littlestone.dimension.engine.compiling import Index, compiled, part
from littlestone.dimension.engine.frames import restrict
from littlestone.dimension.engine.pairs import (
    contained,
    dominated,
    look_by_pairs,
    refuted_by_pairs,
    splitter,
    three,
)
from littlestone.dimension.engine.rows import make_rows
from littlestone.dimension.engine.splitters import look_by_rows, refuted_in_place, smaller_side
from littlestone.dimension.engine.state import (
    COLUMNS,
    MARKS,
    NODE_LIMIT,
    NODES,
    ROWS,
    STATE,
    STOP,
    SYMMETRIC,
    WORDS,
    WORK,
    WORK_LIMIT,
    State,
)

ROW_COLUMNS = 33  # with fewer columns, pairs of columns are counted one by one
ROW_ROWS = 32
FEW = 64  # with so few columns to try, a side is looked into without being built
NOWHERE = np.int64(-1)  # no node of a tree; a plain -1 would be a type of its own
MARKED = 4  # sides are marked where k is larger


@part(int64(STATE, int64, int64), inline=True)
def usable(S: State, depth: Index, least: Index) -> Index:
    """Columns with both sides at least ``least``, most balanced first, into S.order[depth]."""
    rows, columns = S.frame[depth, ROWS], S.frame[depth, COLUMNS]
    order, known, ones, places = S.order[depth], S.known[depth], S.ones[depth], S.listed
    found: Index = 0
    if columns > 40:  # sort by counting
        half = rows >> 1
        for c in range(half - least + 1):
            places[c] = 0
        for z in range(columns):
            c = min(np.int64(ones[z]), rows - np.int64(ones[z]))
            if c >= least:
                places[half - c] += 1
        for c in range(half - least + 1):
            size = np.int64(places[c])
            places[c] = found
            found += size
        for z in range(columns):
            c = min(np.int64(ones[z]), rows - np.int64(ones[z]))
            if c >= least:
                order[places[half - c]] = z
                places[half - c] += 1
    else:
        for z in range(columns):
            c = min(np.int64(ones[z]), rows - np.int64(ones[z]))
            if c >= least:
                entry = (rows - c) << 32 | z
                j = found
                while j > 0 and order[j - 1] > entry:
                    order[j] = order[j - 1]
                    j -= 1
                order[j] = entry
                found += 1
        for i in range(found):
            order[i] &= 0xFFFFFFFF
    for i in range(found):
        known[i] = 0
    return found


@part(int64(STATE, int64, int64, int64), inline=True)
def remembered(S: State, depth: Index, x: Index, side: Index) -> Index:
    """Bounds known for the set of restrictions that leads to a side of column x."""
    at = np.int64(S.origin[depth, x]) ^ side
    return probe(S, S.path[depth, 0] + S.literal[at, 0], S.path[depth, 1] + S.literal[at, 1])


@part(void(STATE, int64, int64, int64, int64, int64, int64), inline=True)
def remember(
    S: State, depth: Index, x: Index, side: Index, lower: Index, upper: Index, work: Index
) -> None:
    """Keep bounds under the set of restrictions that leads to a side of column x."""
    at = np.int64(S.origin[depth, x]) ^ side
    key0, key1 = S.path[depth, 0] + S.literal[at, 0], S.path[depth, 1] + S.literal[at, 1]
    store(S, key0, key1, lower, upper, work)


@part(int64(STATE, int64, int64), inline=True)
def both_remembered(S: State, depth: Index, k: Index) -> Index:
    """A column both of whose sides are remembered to have LDim >= k - 1; -1 without one."""
    for z in range(S.frame[depth, COLUMNS]):
        if (
            remembered(S, depth, z, 0) & 0xFF >= k - 1
            and remembered(S, depth, z, 1) & 0xFF >= k - 1
        ):
            return z
    return -1


@part(void(STATE, int64, int64))
def one_an_orbit(S: State, depth: Index, candidates: Index) -> None:
    """Leave the first candidate of each orbit, if the orbits of the frame's path are known."""
    orbit, met = S.orbits[S.place[depth]], S.slots
    for i in range(candidates):
        met[orbit[S.origin[depth, S.order[depth, i]] >> 1, 0]] = -1
    for i in range(candidates):
        o = orbit[S.origin[depth, S.order[depth, i]] >> 1, 0]
        if met[o] == 1:
            S.known[depth, i] |= 8
        met[o] = 1


_QUESTION = int64(STATE, int64, int64, int64, int64, int64, int64[::1])


@intrinsic  # type: ignore[untyped-decorator,unused-ignore]
def _itself(
    typing: Any, S: Any, depth: Any, x: Any, side: Any, k: Any, node: Any, points: Any
) -> Any:
    """`decide`, called by itself.

    For a recursive call the compiler would find out the types of all of the function again.
    """

    def generate(context: Any, builder: Any, signature: Any, arguments: Any) -> Any:
        convention, (returned, types) = context.call_conv, (signature.return_type, signature.args)
        status, answer = convention.call_function(
            builder, builder.function, returned, types, arguments
        )
        with builder.if_then(status.is_error, likely=False):
            convention.return_status_propagate(builder, status)
        return answer

    return _QUESTION, generate


_decide = cast(Callable[..., Any], _itself)


@compiled(_QUESTION, bare=True)
def decide(
    S: State,
    depth: Index,
    x: Index,
    side: Index,
    k: Index,
    node: Index,
    points: NDArray[np.int64],
) -> Index:
    """1 if a side of column x of a frame has LDim >= k, 0 if not, -1 if stopped; k >= 2.

    The side becomes frame depth + 1.  With x = -1 the question is about the frame itself.  With
    node >= 0 the points of a shattered tree are written, too, from that node on, but for the lowest
    level.

    Another search of the same root may run beside this one.  Each marks the large frames that it
    searches.  A column whose side is marked waits until the others are done; by then the other
    search has mostly decided it, or this one helps.
    """
    if x >= 0:
        size1 = np.int64(S.ones[depth, x])
        restrict(S, depth, x, side, size1 if side == 1 else S.frame[depth, ROWS] - size1)
        at = np.int64(S.origin[depth, x]) ^ side
        S.path[depth + 1, 0] = S.path[depth, 0] + S.literal[at, 0]
        S.path[depth + 1, 1] = S.path[depth, 1] + S.literal[at, 1]
        S.place[depth + 1] = S.orbits[S.place[depth], at >> 1, 1]
        S.control[WORK] += S.frame[depth, COLUMNS] * S.frame[depth, WORDS]
        depth += 1
    elif depth == 0:
        S.place[0] = S.shared[SYMMETRIC]
    rows = S.frame[depth, ROWS]
    if rows < 1 << k:
        return 0
    if k == 2:
        if S.frame[depth, COLUMNS] == 0:
            return 0
        if node >= 0:
            points[node] = S.origin[depth, 0] >> 1
        return 1
    if node < 0:
        bounds = probe(S, S.key[depth, 0], S.key[depth, 1])
        if bounds & 0xFF >= k:
            return 1
        if bounds >> 8 < k:
            return 0
    if (
        S.control[STOP]
        or S.control[NODES] >= S.control[NODE_LIMIT]
        or S.control[WORK] >= S.control[WORK_LIMIT]
    ):
        return -1
    began = S.control[NODES]
    S.control[NODES] += 1
    chosen: Index = np.int64(-1)
    if k == 3:
        chosen = three(S, depth)
    elif node >= 0:
        chosen = both_remembered(S, depth, k)
    if k > 3 and chosen < 0:
        half, quarter = 1 << (k - 1), 1 << (k - 2)
        n = usable(S, depth, quarter)
        candidates = 0
        while candidates < n:
            size1 = np.int64(S.ones[depth, S.order[depth, candidates]])
            if min(size1, rows - size1) < half:
                break
            candidates += 1
        if S.place[depth] > 0:
            one_an_orbit(S, depth, candidates)
        by_rows = n >= ROW_COLUMNS and rows >= ROW_ROWS
        if by_rows and candidates > 0 and S.stride[depth, 1] == 0:
            make_rows(S, depth)
        looked, chunk = 0, 2
        for turn in range(2):
            waiting = False
            for i in range(candidates):
                z = S.order[depth, i]
                size1 = np.int64(S.ones[depth, z])
                size0 = rows - size1
                if S.known[depth, i] & (14 if turn == 1 else 8):
                    continue
                if turn == 1:
                    pass
                elif not by_rows:
                    if dominated(S, depth, i, n):
                        S.known[depth, i] |= 8
                        continue
                    look_by_pairs(S, depth, i, n, quarter)
                    S.control[WORK] += n * S.frame[depth, WORDS]
                elif i >= looked:
                    if S.control[WORK] >= S.control[WORK_LIMIT]:
                        return -1
                    looked = min(candidates, i + chunk)
                    chunk = min(2 * chunk, 64)
                    for j in range(i, looked):
                        if S.known[depth, j] & 8:
                            continue
                        y = S.order[depth, j]
                        s = smaller_side(np.int64(S.ones[depth, y]), rows)
                        if remembered(S, depth, y, s) >> 8 < k - 1:
                            S.known[depth, j] |= 4 if s == 1 else 2
                        else:
                            S.control[WORK] += (rows >> 5) * S.stride[depth, 1]
                    look_by_rows(S, depth, i, looked, quarter)
                if S.known[depth, i] & 6:
                    continue
                alive0, alive1 = S.alive[depth, i, 0], S.alive[depth, i, 1]
                if alive0 == 0 or alive1 == 0:
                    S.known[depth, i] |= (4 if alive1 == 0 else 0) | (2 if alive0 == 0 else 0)
                    if by_rows:
                        remember(S, depth, z, 1 if alive1 == 0 else 0, 0, k - 2, 0)
                    continue
                if by_rows and turn == 0 and contained(S, depth, i):
                    S.known[depth, i] |= 8
                    continue
                s = 1 if alive1 * size1 <= alive0 * size0 else 0
                answer = 1
                for _turn in range(2):
                    bounds = remembered(S, depth, z, s)
                    if bounds & 0xFF >= k - 1:
                        answer = 1
                    elif bounds >> 8 < k - 1:
                        answer = 0
                    elif (
                        by_rows
                        and S.alive[depth, i, s] <= FEW
                        and refuted_in_place(S, depth, i, s, k - 1)
                    ):
                        answer = 0
                        remember(S, depth, z, s, 0, k - 2, 0)
                    elif not by_rows and refuted_by_pairs(S, depth, i, n, s, k - 1):
                        answer = 0
                    else:
                        mark = S.path[depth, 0] + S.literal[np.int64(S.origin[depth, z]) ^ s, 0]
                        place = np.int64(mark & np.uint64(MARKS - 1))
                        if k > MARKED and turn == 0 and S.marks[place] == mark:
                            answer = 2
                        else:
                            if k > MARKED:
                                S.marks[place] = mark
                            before = S.control[NODES]
                            answer = _decide(S, depth, z, s, k - 1, NOWHERE, points)
                            if k > MARKED:
                                S.marks[place] = 0
                            if answer < 0:
                                return -1
                            work = min(S.control[NODES] - before, (1 << 40) - 1)
                            lower, upper = (k - 1, 255) if answer == 1 else (0, k - 2)
                            remember(S, depth, z, s, lower, upper, work)
                    if answer != 1:
                        break
                    s = 1 - s
                if answer == 1:
                    chosen = z
                    break
                if answer == 0:
                    S.known[depth, i] |= 4 if s == 1 else 2
                else:
                    waiting = True
            if chosen >= 0 or not waiting:
                break
    if node < 0 or chosen < 0:
        work = min(S.control[NODES] - began, (1 << 40) - 1)
        lower, upper = (k, 255) if chosen >= 0 else (0, k - 1)
        store(S, S.key[depth, 0], S.key[depth, 1], lower, upper, work)
        return 1 if chosen >= 0 else 0
    origin = np.int64(S.origin[depth, chosen])
    points[node] = origin >> 1
    for s in range(2):
        below = 2 * node + 1 + (s ^ (origin & 1))
        if k == 3:
            points[below] = S.origin[depth, splitter(S, depth, chosen, s)] >> 1
        elif _decide(S, depth, chosen, s, k - 1, below, points) != 1:
            return -1
    return 1
