"""The compiled checker: it reads a refutation graph once and counts; it never searches."""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np
from numba import boolean, int64, typeof
from numpy.typing import NDArray

from littlestone.dimension.engine.compiling import Index, compiled, part
from littlestone.dimension.proof.format import (
    CHILD,
    END,
    END_SHAPE,
    INSIDE,
    SHAPE,
    STEP,
    SUBSET,
    UNDER_GROUP,
)
from littlestone.dimension.proof.frames import (
    FRAMES,
    KEPT,
    NARROW,
    PASSES,
    ROWS,
    Frames,
    allocate,
    build,
    contained,
    fingerprint,
    load,
)
from littlestone.dimension.proof.looking import dead_in_place, settled
from littlestone.dimension.proof.symmetries import Groups, RefusedError, read
from littlestone.dimension.table import PackedTable

# Entries of Reader.control, and columns of Reader.claim.
AT, CLAIMS, SHAPES, STOP = range(4)
BOUND, PARENT, LITERAL, PRINT = range(4)
ALONE = -1  # no group


class Reader(NamedTuple):
    """The text of the claims, how far it has been read, and what is kept of each claim."""

    control: NDArray[np.int64]
    text: NDArray[np.uint8]
    claim: NDArray[np.int64]  # [claim, 4]: k, parent, last restriction, place in prints or -1
    prints: NDArray[np.uint64]  # [shape, PASSES + 1]
    path: NDArray[np.int8]  # [2 * column + side]: 1 for the restrictions of the current frame
    slot: NDArray[np.int64]  # [depth, column]: its number among the columns that are kept
    dead: NDArray[np.int8]  # [depth, i]: 1 + side for the kept columns that have a step
    shape: NDArray[np.uint64]  # scratch
    least: NDArray[np.int64]  # [group, column]: the least column of its orbit
    fixed: NDArray[np.int8]  # [group, column]: 1 if the group fixes both literals
    taken: NDArray[np.int64]  # [column]: scratch


def _reader(text: bytes, columns: int, depth: int, claims: int, groups: Groups) -> Reader:
    return Reader(
        control=np.zeros(4, np.int64),
        text=np.frombuffer(text, np.uint8).copy(),
        claim=np.empty((claims, 4), np.int64),
        prints=np.empty((claims, PASSES + 1), np.uint64),
        path=np.zeros(2 * columns, np.int8),
        slot=np.zeros((depth, columns), np.int64),
        dead=np.zeros((depth, columns), np.int8),
        shape=np.empty(PASSES + 1, np.uint64),
        least=groups.least,
        fixed=groups.fixed,
        taken=np.empty(columns, np.int64),
    )


_NONE = Groups(np.empty((0, 0), np.int64), np.empty((0, 0), np.int8), 0)
READER: Any = typeof(_reader(b"0", 2, 2, 1, _NONE))  # type: ignore[no-untyped-call,unused-ignore]


@part(int64(READER), inline=True)
def _number(R: Reader) -> Index:
    """The next number; -1 if the text ends within it or it needs more than nine bytes."""
    total: Index = 0
    at, shift = R.control[AT], 0
    while at < R.text.size and shift < 63:
        byte = np.int64(R.text[at])
        at += 1
        total |= (byte & 127) << shift
        shift += 7
        if byte < 128:
            R.control[AT] = at
            return total
    return -1


@part(int64(READER, int64), inline=True)
def _claim(R: Reader, k: Index) -> Index:
    """The earlier claim that is referred to next, if it says LDim < k; -1 if there is none."""
    back = _number(R)
    if back < 0 or back >= R.control[CLAIMS]:
        return -1
    claim = R.control[CLAIMS] - 1 - back
    return claim if R.claim[claim, BOUND] <= k else -1


@compiled(boolean(READER, int64, int64))
def _restricts(R: Reader, claim: Index, literal: Index) -> Any:
    """Whether every restriction of a claim is one of the current frame, or ``literal``."""
    while claim > 0:
        needed = R.claim[claim, LITERAL]
        if needed != literal and R.path[needed] == 0:
            return False
        claim = R.claim[claim, PARENT]
    return True


@compiled(boolean(FRAMES, int64, int64))
def _repeated(F: Frames, depth: Index, c: Index) -> Any:
    """Whether a kept column equals one before it or its complement."""
    size = F.place[depth, ROWS]
    for other in range(c):
        if F.ones[depth, other] == F.ones[depth, c] and contained(F, depth, 2 * c, 2 * other):
            return True
        if F.ones[depth, other] == size - F.ones[depth, c] and contained(
            F, depth, 2 * c + 1, 2 * other
        ):
            return True
    return False


@compiled(boolean(READER, int64, int64, int64))
def _fixes(R: Reader, group: Index, claim: Index, x: Index) -> Any:
    """Whether there is such a group, and it fixes the literals of column x and of a claim's path."""
    if not 0 <= group < R.fixed.shape[0]:
        return False
    good = R.fixed[group, x] == 1
    while claim > 0:
        good &= R.fixed[group, R.claim[claim, LITERAL] >> 1] == 1
        claim = R.claim[claim, PARENT]
    return good


@compiled(int64(FRAMES, READER, int64, int64, int64, boolean))
def _unsettled(F: Frames, R: Reader, depth: Index, k: Index, group: Index, distinct: Any) -> Index:
    """Put the kept columns that neither a step nor rule 1 settles into F.order, one of each orbit.

    Orbits with a step are left out.  With ``distinct`` so are columns that equal an earlier one or its
    complement.
    """
    size, name, taken = F.place[depth, ROWS], F.name[depth], R.taken
    half = 1 << (k - 1)
    kept = F.place[depth, KEPT]
    if group != ALONE:
        for c in range(kept):
            taken[R.least[group, name[c]]] = 0
        for c in range(kept):
            if R.dead[depth, c] != 0:
                taken[R.least[group, name[c]]] = 1
    n = 0
    for c in range(kept):
        ones = F.ones[depth, c]
        if min(ones, size - ones) < half or R.dead[depth, c] != 0:
            continue
        if group != ALONE and taken[R.least[group, name[c]]] == 1:
            continue
        if distinct and _repeated(F, depth, c):
            continue
        if group != ALONE:
            taken[R.least[group, name[c]]] = 1
        F.order[n] = c
        n += 1
    return n


@compiled(boolean(FRAMES, READER, int64, int64, int64))
def _counts(F: Frames, R: Reader, depth: Index, k: Index, group: Index) -> Any:
    """Whether every kept column without a step is settled."""
    n = _unsettled(F, R, depth, k, group, False)
    if n == 0 or settled(F, depth, n, k):
        return True
    left = _unsettled(F, R, depth, k, group, True)
    return (left < n or group != ALONE) and settled(F, depth, left, k)


@part(boolean(READER), inline=True)
def _ends(R: Reader) -> Any:
    """Whether the next claim has no steps, and keeps no shape."""
    return R.control[AT] < R.text.size and R.text[R.control[AT]] == END


@part(boolean(FRAMES, READER, int64, int64, int64, int64, int64, int64), inline=True)
def _in_place(
    F: Frames,
    R: Reader,
    depth: Index,
    i: Index,
    side: Index,
    k: Index,
    parent: Index,
    literal: Index,
) -> Any:
    """Read a claim without steps, LDim < k about a side of a column, and whether it follows."""
    me = R.control[CLAIMS]
    if me == R.claim.shape[0] or R.control[STOP]:
        return False
    R.control[CLAIMS] = me + 1
    R.control[AT] += 1
    R.claim[me, BOUND], R.claim[me, PARENT] = k, parent
    R.claim[me, LITERAL], R.claim[me, PRINT] = literal, -1
    return dead_in_place(F, depth, i, side, k)


@compiled(boolean(FRAMES, READER, int64, int64, int64, int64))
def accept(F: Frames, R: Reader, depth: Index, k: Index, literal: Index, group: Index) -> Any:
    """Read the claim LDim < k about a frame under a group, and whether it follows."""
    me = R.control[CLAIMS]
    if me == R.claim.shape[0] or R.control[STOP]:
        return False
    R.control[CLAIMS] = me + 1
    place, name, dead = F.place[depth], F.name[depth], R.dead[depth]
    R.claim[me, BOUND] = k
    R.claim[me, LITERAL], R.claim[me, PRINT] = literal, -1
    size, kept, narrow = place[ROWS], place[KEPT], R.path.size <= 2 * NARROW
    few = k >= 62 or size < 1 << k
    if k < 2 and not few:
        return False
    for i in range(kept):
        R.slot[depth, name[i]] = i
        dead[i] = 0
    word = _number(R)
    while word >= STEP:
        side = (word - STEP) & 1
        x = (word - STEP) >> 1
        if few or x >= F.name.shape[1]:
            return False
        i = R.slot[depth, x]
        if i >= kept or name[i] != x or dead[i] != 0:
            return False
        kind = _number(R)
        if kind == CHILD and narrow and _ends(R):
            if not _in_place(F, R, depth, i, side, k - 1, me, 2 * x + side):
                return False
        elif kind in (CHILD, UNDER_GROUP):
            below: Index = ALONE
            if kind == UNDER_GROUP:
                below = _number(R)
                if not _fixes(R, below, me, x):
                    return False
            added = R.path[2 * x + side] == 0
            R.path[2 * x + side] = 1
            build(F, depth, i, side)
            if R.control[CLAIMS] < R.claim.shape[0]:
                R.claim[R.control[CLAIMS], PARENT] = me
            if not accept(F, R, depth + 1, k - 1, 2 * x + side, below):
                return False
            if added:
                R.path[2 * x + side] = 0
        elif kind == INSIDE:
            other = _number(R)
            if other < 0 or other >> 1 >= F.name.shape[1]:
                return False
            j = R.slot[depth, other >> 1]
            if j >= kept or name[j] != other >> 1 or dead[j] != 1 + (other & 1):
                return False
            if not contained(F, depth, 2 * i + side, 2 * j + (other & 1)):
                return False
        elif kind == SUBSET:
            claim = _claim(R, k - 1)
            if claim < 0 or not _restricts(R, claim, 2 * x + side):
                return False
        elif kind == SHAPE:
            claim = _claim(R, k - 1)
            if claim < 0 or R.claim[claim, PRINT] < 0:
                return False
            build(F, depth, i, side)
            fingerprint(F, depth + 1, R.shape)
            of = R.claim[claim, PRINT]
            for p in range(PASSES + 1):
                if R.prints[of, p] != R.shape[p]:
                    return False
        else:
            return False
        dead[i] = 1 + side
        word = _number(R)
    if word < 0 or not (few or _counts(F, R, depth, k, group)):
        return False
    if word == END_SHAPE:
        shapes = R.control[SHAPES]
        if shapes == R.prints.shape[0]:
            return False
        R.control[SHAPES] = shapes + 1
        fingerprint(F, depth, R.shape)
        R.prints[shapes] = R.shape
        R.claim[me, PRINT] = shapes
    return True


class GraphChecker:
    """Checks the claims about one table; it can be stopped from another thread."""

    def __init__(self, table: PackedTable, text: bytes, claims: int) -> None:
        self._frames = allocate(table.size, table.points)
        try:
            groups = read(table, text)
        except RefusedError:
            groups, text = _NONE, b""
        self._first = 0 if len(groups.least) else ALONE
        depth = len(self._frames.place)
        self._reader = _reader(text[groups.end :], table.points, depth, claims, groups)
        self._rows = table.rows

    @property
    def claims(self) -> int:
        """How many claims have been read."""
        return int(self._reader.control[CLAIMS])

    def stop(self) -> None:
        """Make `accepts` return False, soon."""
        self._reader.control[STOP] = 1

    def accepts(self, k: int) -> bool:
        """Whether the text is that many claims, the first LDim < k of the table, and all follow."""
        reader = self._reader
        load(self._frames, self._rows)
        return (
            accept(self._frames, reader, 0, min(k, 62), 0, self._first)
            and int(reader.control[AT]) == len(reader.text)
            and self.claims == len(reader.claim)
        )
