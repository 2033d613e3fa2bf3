"""The compiled writer: a search for a refutation, which writes its graph down as it goes."""

from __future__ import annotations

import os
from typing import Any, NamedTuple

import numpy as np
from numba import boolean, int64, typeof, uint64, void
from numpy.typing import NDArray

from littlestone.dimension.engine.compiling import Index, Word, compiled, part
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
    WORDS,
    Frames,
    build,
    contained,
    fingerprint,
    load,
)
from littlestone.dimension.proof.frames import allocate as allocate_frames
from littlestone.dimension.proof.looking import dead_in_place, look, settled
from littlestone.dimension.proof.symmetries import declared
from littlestone.dimension.symmetry.learning import Symmetry
from littlestone.dimension.table import PackedTable

FALSE, TRUE, STOPPED = -1, -2, -3  # answers; others are numbers of columns

# Entries of Writer.control.
STOP, CLAIMS, LENGTH, SERIAL, ENTRIES, HEADS, WORK, WORK_LIMIT = range(8)
# Columns of Writer.claim, and of Writer.entry.
BOUND, BORN, ENDS, PLACE = range(4)
LEAST, CLAIM, CLAIM_BORN, KIND, NEXT = range(5)
PLACES = 48  # paths whose symmetries are kept; few claims are left by then


class Writer(NamedTuple):
    """What was written, and what is known of the version spaces met so far.

    A claim is known by its number and by its serial number: a number is used again once the attempt
    that the claim belonged to has failed.
    """

    control: NDArray[np.int64]
    out: NDArray[np.uint8]
    claim: NDArray[np.int64]  # [claim, 4]: k, serial number, where its steps end, its place
    head: NDArray[np.int32]  # first entry of each chain
    key: NDArray[np.uint64]  # [entry, 2]
    entry: NDArray[np.int64]  # [entry, 5]: LDim >= least; the claim; its serial number; kind; next
    literal: NDArray[np.uint64]  # [2 * column + side, 2]: random words
    path: NDArray[np.uint64]  # [depth, 2]: sums of the literals that led there
    shape: NDArray[np.uint64]  # scratch
    tried: NDArray[np.int64]  # [depth, column]
    alive: NDArray[np.int64]  # [depth, 2, column]
    dead: NDArray[np.int64]  # [depth, column]: 2 * column + side of the steps so far
    met: NDArray[np.int64]  # [depth, 2]: the entries of a frame, by its path and by its shape
    orbits: NDArray[np.int32]  # [place, column, 2]: as `PathOrbits` writes them
    place: NDArray[np.int64]  # [depth]: the place in orbits; 0 if no symmetry is known
    taken: NDArray[np.int64]  # [column]: scratch


def allocate(rows: int, columns: int, room: int) -> Writer:
    """Memory for a table of this shape, with ``room`` bytes for what is written and known."""
    depth, entries = max(rows, 2).bit_length() + 2, room // 128
    head = 1 << max(10, entries.bit_length() - 1)
    control = np.zeros(8, np.int64)
    control[HEADS] = 1 << 10
    random = np.frombuffer(os.urandom(32 * columns), np.uint64)
    return Writer(
        control=control,
        out=np.empty(room // 4, np.uint8),
        claim=np.empty((entries // 2 + 1, 4), np.int64),
        head=np.full(head, -1, np.int32) if head < 1 << 12 else _minus_one(head),
        key=np.empty((entries, 2), np.uint64),
        entry=np.empty((entries, 5), np.int64),
        literal=random.reshape(2 * columns, 2).copy(),
        path=np.zeros((depth, 2), np.uint64),
        shape=np.empty(PASSES + 1, np.uint64),
        tried=np.empty((depth, columns), np.int64),
        alive=np.empty((depth, 2, columns), np.int64),
        dead=np.empty((depth, columns), np.int64),
        met=np.empty((depth, 2), np.int64),
        orbits=np.zeros((PLACES + 1, columns, 2), np.int32),
        place=np.zeros(depth, np.int64),
        taken=np.empty(columns, np.int64),
    )


def _minus_one(size: int) -> NDArray[np.int32]:
    head = np.empty(size, np.int32)
    head[: 1 << 10] = -1
    return head


WRITER: Any = typeof(allocate(64, 2, 1 << 12))  # type: ignore[no-untyped-call,unused-ignore]


@part(void(WRITER, int64), inline=True)
def _put(W: Writer, number: Index) -> None:
    """Write a number, seven bits to a byte, the lowest first."""
    at = W.control[LENGTH]
    while number >= 128:
        W.out[at] = np.uint8(number & 127 | 128)
        number >>= 7
        at += 1
    W.out[at] = np.uint8(number)
    W.control[LENGTH] = at + 1


@compiled(int64(WRITER, uint64, uint64))
def _find(W: Writer, key0: Word, key1: Word) -> Index:
    """The entry of a key, made if it is not there; -1 if there is no room."""
    mask = np.uint64(W.control[HEADS] - 1)
    e = np.int64(W.head[key0 & mask])
    while e >= 0:
        if W.key[e, 0] == key0 and W.key[e, 1] == key1:
            return e
        e = W.entry[e, NEXT]
    e = W.control[ENTRIES]
    if e == W.entry.shape[0]:
        W.control[STOP] = 1
        return -1
    W.control[ENTRIES] = e + 1
    if e > W.control[HEADS] and 2 * W.control[HEADS] <= W.head.shape[0]:
        W.control[HEADS] *= 2
        mask = np.uint64(W.control[HEADS] - 1)
        for i in range(W.control[HEADS]):
            W.head[i] = -1
        for i in range(e):
            place = W.key[i, 0] & mask
            W.entry[i, NEXT] = W.head[place]
            W.head[place] = i
    W.key[e, 0], W.key[e, 1] = key0, key1
    W.entry[e, LEAST] = 0
    W.entry[e, CLAIM] = -1
    place = key0 & mask
    W.entry[e, NEXT] = W.head[place]
    W.head[place] = e
    return e


@part(boolean(WRITER, int64, int64), inline=True)
def _proved(W: Writer, e: Index, k: Index) -> Any:
    """Whether the claim of an entry stands and says LDim < k."""
    c = W.entry[e, CLAIM]
    return (
        c >= 0
        and c < W.control[CLAIMS]
        and W.claim[c, BORN] == W.entry[e, CLAIM_BORN]
        and W.claim[c, BOUND] <= k
    )


@part(void(WRITER, int64, int64, int64), inline=True)
def _learn(W: Writer, e: Index, claim: Index, kind: Index) -> None:
    W.entry[e, CLAIM] = claim
    W.entry[e, CLAIM_BORN] = W.claim[claim, BORN]
    W.entry[e, KIND] = kind


@part(void(WRITER, int64, int64), inline=True)
def _refer(W: Writer, kind: Index, claim: Index) -> None:
    """Write a reference to a claim."""
    _put(W, kind)
    _put(W, W.control[CLAIMS] - 1 - claim)
    if kind == SHAPE:
        W.out[W.claim[claim, ENDS]] = END_SHAPE


@part(int64(FRAMES, WRITER, int64, int64), inline=True)
def _one_an_orbit(F: Frames, W: Writer, depth: Index, n: Index) -> Index:
    """Leave the first column of each orbit in W.tried, and say how many that are."""
    if W.place[depth] == 0:
        return n
    orbit, tried, name, taken = W.orbits[W.place[depth]], W.tried[depth], F.name[depth], W.taken
    for i in range(n):
        taken[orbit[name[tried[i]], 0]] = 0
    left = 0
    for i in range(n):
        least = orbit[name[tried[i]], 0]
        if taken[least] == 0:
            taken[least] = 1
            tried[left] = tried[i]
            left += 1
    return left


@compiled(int64(FRAMES, WRITER, int64, int64))
def _open(F: Frames, W: Writer, depth: Index, k: Index) -> Index:
    """How many columns of a frame need a step in a proof of LDim < k, most balanced first in W.tried.

    Returns -1 if LDim >= k is clear without a search.
    """
    size = F.place[depth, ROWS]
    if k >= 62 or size < 1 << k:
        return 0
    if k < 2:
        return -1
    half = 1 << (k - 1)
    tried, alive = W.tried[depth], W.alive[depth]
    n = 0
    for c in range(F.place[depth, KEPT]):
        ones = F.ones[depth, c]
        balance = min(ones, size - ones)
        if balance >= half:
            tried[n] = (size - balance) << 32 | c
            n += 1
    if n == 0:
        return 0
    if k == 2:
        return -1
    tried[:n].sort()
    for i in range(n):
        tried[i] &= 0xFFFFFFFF
    n = _one_an_orbit(F, W, depth, n)
    W.control[WORK] += n * F.place[depth, KEPT] * F.place[depth, WORDS] >> 3
    for i in range(n):
        F.order[i] = tried[i]
    if F.name.shape[1] > NARROW:
        if settled(F, depth, n, k):
            return 0
        for i in range(n):
            F.order[i] = tried[i]
    if look(F, depth, n, k) == 0:
        return 0
    if k == 3:
        return -1
    found = 0
    for i in range(n):
        if F.split[0, i] > 0 and F.split[1, i] > 0:
            tried[found] = tried[i]
            alive[0, found], alive[1, found] = F.split[0, i], F.split[1, i]
            found += 1
    return found


@part(int64(FRAMES, WRITER, int64), inline=True)
def _number(F: Frames, W: Writer, k: Index) -> Index:
    """Give a new claim LDim < k its number; -1 if it is stopped, or has no room or work left."""
    me = W.control[CLAIMS]
    full = me == W.claim.shape[0] or W.control[LENGTH] + 24 * F.ones.shape[1] + 64 > W.out.size
    if W.control[STOP] or W.control[WORK] >= W.control[WORK_LIMIT] or full:
        return -1
    W.control[CLAIMS] = me + 1
    W.control[SERIAL] += 1
    W.claim[me, BOUND], W.claim[me, PLACE] = k, 0
    W.claim[me, BORN] = W.control[SERIAL]
    return me


@compiled(boolean(FRAMES, WRITER, int64, int64, int64))
def _covered(F: Frames, W: Writer, depth: Index, x: Index, listed: Index) -> Any:
    """Whether a side of column x lies in a side of an earlier step; if so, write that step."""
    name, earlier = F.name[depth], W.dead[depth]
    for j in range(listed):
        dead = earlier[j]
        for side in range(2):
            if contained(F, depth, 2 * x + side, dead):
                _put(W, STEP + 2 * name[x] + side)
                _put(W, INSIDE)
                _put(W, 2 * name[dead >> 1] + (dead & 1))
                return True
    return False


@compiled(int64(FRAMES, WRITER, int64, int64, int64, int64))
def _quickly(F: Frames, W: Writer, depth: Index, x: Index, side: Index, k: Index) -> Index:
    """Write a step that shows LDim < k for a side, if no search is needed.

    Returns FALSE, TRUE or STOPPED, or else how many columns of the side need a step.  The side is frame
    depth + 1 in that case.
    """
    name = 2 * F.name[depth, x] + side
    W.path[depth + 1, 0] = W.path[depth, 0] + W.literal[name, 0]
    W.path[depth + 1, 1] = W.path[depth, 1] + W.literal[name, 1]
    W.place[depth + 1] = W.orbits[W.place[depth], F.name[depth, x], 1]
    W.control[WORK] += F.place[depth, KEPT] * F.place[depth, WORDS]
    here = _find(W, W.path[depth + 1, 0], W.path[depth + 1, 1])
    if here < 0:
        return STOPPED
    if W.entry[here, LEAST] >= k:
        return FALSE
    if _proved(W, here, k):
        _put(W, STEP + name)
        _refer(W, W.entry[here, KIND], W.entry[here, CLAIM])
        return TRUE
    n = 0
    if F.name.shape[1] > NARROW or not dead_in_place(F, depth, x, side, k):
        build(F, depth, x, side)
        n = _open(F, W, depth + 1, k)
    if n == -1:
        W.entry[here, LEAST] = k
        return FALSE
    if n == 0:
        me = _number(F, W, k)
        if me < 0:
            return STOPPED
        _put(W, STEP + name)
        _put(W, CHILD)
        W.claim[me, ENDS] = W.control[LENGTH]
        _put(W, END)
        _learn(W, here, me, SUBSET)
        return TRUE
    fingerprint(F, depth + 1, W.shape)
    shape = _find(W, W.shape[0] + W.shape[PASSES], W.shape[1])
    if shape < 0:
        return STOPPED
    if W.entry[shape, LEAST] >= k:
        return FALSE
    if _proved(W, shape, k):
        claim = W.entry[shape, CLAIM]
        _learn(W, here, claim, SHAPE)
        _put(W, STEP + name)
        _refer(W, SHAPE, claim)
        return TRUE
    W.met[depth + 1, 0], W.met[depth + 1, 1] = here, shape
    return n


@compiled(int64(FRAMES, WRITER, int64, int64, int64))
def prove(F: Frames, W: Writer, depth: Index, k: Index, n: Index) -> Index:
    """Write the claim LDim < k about a frame of which n columns need a step: TRUE, FALSE or STOPPED."""
    me = _number(F, W, k)
    if me < 0:
        return STOPPED
    W.claim[me, PLACE] = W.place[depth] if n > 0 else 0
    size = F.place[depth, ROWS]
    listed = 0
    for i in range(n):
        x = W.tried[depth, i]
        if _covered(F, W, depth, x, listed):
            continue
        ones = F.ones[depth, x]
        side = 1 if W.alive[depth, 1, i] * ones <= W.alive[depth, 0, i] * (size - ones) else 0
        answer, turn = FALSE, 0
        while answer == FALSE and turn < 2:
            side ^= turn
            turn += 1
            answer = _quickly(F, W, depth, x, side, k - 1)
            if answer > 0:
                length, claims = W.control[LENGTH], W.control[CLAIMS]
                _put(W, STEP + 2 * F.name[depth, x] + side)
                if W.place[depth + 1] == 0:
                    _put(W, CHILD)
                else:
                    _put(W, UNDER_GROUP)
                    _put(W, W.place[depth + 1] - 1)
                answer = prove(F, W, depth + 1, k - 1, answer)
                here, shape = W.met[depth + 1, 0], W.met[depth + 1, 1]
                if answer == TRUE:
                    _learn(W, here, claims, SUBSET)
                    _learn(W, shape, claims, SHAPE)
                else:
                    W.control[LENGTH], W.control[CLAIMS] = length, claims
                    if answer == FALSE:
                        W.entry[here, LEAST] = W.entry[shape, LEAST] = k - 1
        if answer != TRUE:
            return answer
        W.dead[depth, listed] = 2 * x + side
        listed += 1
    W.claim[me, ENDS] = W.control[LENGTH]
    _put(W, END)
    return TRUE


@compiled(int64(FRAMES, WRITER, int64))
def start(F: Frames, W: Writer, k: Index) -> Index:
    """Write the claim LDim < k about the whole table: TRUE, FALSE or STOPPED."""
    n = _open(F, W, 0, k)
    return FALSE if n < 0 else prove(F, W, 0, k, n)


class GraphWriter:
    """Writes the refutation of one bound of one table; it can be stopped from another thread.

    It looks for symmetries of the table once that is cheap beside what it has done so far, and then
    begins anew.
    """

    def __init__(self, table: PackedTable, room: int) -> None:
        self._frames = allocate_frames(table.size, table.points)
        self._writer = allocate(table.size, table.points, room)
        self._symmetry = Symmetry(table, 0)
        load(self._frames, table.rows)

    def stop(self) -> None:
        """Make `write` return None, soon."""
        self._writer.control[STOP] = 1

    def write(self, k: int) -> tuple[bytes, int] | None:
        """What proves LDim < k, and how many claims; None if that is false or it was stopped."""
        writer, symmetry = self._writer, self._symmetry
        control = writer.control
        while True:
            control[LENGTH] = control[CLAIMS] = 0
            control[WORK_LIMIT] = symmetry.due
            answer = start(self._frames, writer, k)
            if answer != STOPPED or control[STOP] or control[WORK] < symmetry.due:
                break
            if symmetry.learn(writer.orbits, int(control[WORK]), lambda: bool(control[STOP])):
                writer.place[0] = 1
        if answer != TRUE:
            return None
        claims = int(control[CLAIMS])
        text = writer.out[: control[LENGTH]].tobytes()
        return self._declared(writer.claim[:claims, PLACE]) + text, claims

    def _declared(self, places: NDArray[np.int64]) -> bytes:
        """The groups of the paths that claims name."""
        paths, last = self._symmetry.paths, int(places.max())
        if paths is None or last == 0:
            return declared([], [], [])
        used = set(places.tolist())
        words, groups = paths.words(place if place in used else 0 for place in range(2, last + 1))
        return declared(self._symmetry.generators, words, groups)
