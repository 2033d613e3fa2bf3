"""The working memory of one search: a stack of frames and a table of bounds, in flat arrays."""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from littlestone.dimension.engine.memory import memory, placed

# Entries of State.control and State.shared.
STOP, NODES, NODE_LIMIT, MAY_GROW, WORK, WORK_LIMIT = range(6)
BUCKETS, USED, TABLE_LIMIT, SYMMETRIC = range(4)
# Columns of State.frame.
OFFSET, ROWS, WORDS, COLUMNS = range(4)

SLOTS = 4  # entries of a bucket of the table of bounds
ENTRY = 3  # words of an entry: two of key, one of bounds
MARKS = 1 << 12
PLACES = 1 << 19  # columns times paths whose orbits are kept


class State(NamedTuple):
    """Flat arrays, indexed first by the depth of a frame wherever there is one frame a depth.

    Two searches of one root share four of them: see `beside`.
    """

    control: NDArray[np.int64]
    shared: NDArray[np.int64]
    marks: NDArray[np.uint64]  # paths of the large frames that are being searched, by their hash
    frame: NDArray[np.int64]  # [depth, 4]
    key: NDArray[np.uint64]  # [depth, 2]: of the columns of the frame
    path: NDArray[np.uint64]  # [depth, 2]: of the set of restrictions that led to the frame
    origin: NDArray[np.int32]  # [depth, column]: 2 * column of the root + 1 if complemented
    literal: NDArray[np.uint64]  # [2 * column of the root + side, 2]: random words
    place: NDArray[np.int64]  # [depth]: of the frame's path in orbits; 0 if it is not there
    orbits: NDArray[
        np.int32
    ]  # [place, column of the root]: its orbit, the place of the path with it
    arena: NDArray[np.uint64]  # the columns of the frames, one frame after another
    ones: NDArray[np.int32]  # [depth, column]: number of ones
    order: NDArray[np.int64]  # [depth, usable]: columns, most balanced first
    pairs: NDArray[np.int32]  # [depth, usable x usable]: sizes of intersections
    alive: NDArray[np.int64]  # [depth, usable, 2]: columns that split side 0, side 1
    split: NDArray[np.uint64]  # [depth * usable * side * word]: the columns counted in alive
    known: NDArray[np.int8]  # [depth, usable]: bit 0 row of pairs is there, bits 1, 2 side refuted
    masks: NDArray[np.uint64]  # [7, words]: how to compress, and the mask
    slots: NDArray[np.int32]  # hash table for equal columns
    hashes: NDArray[np.uint64]  # [column]
    raw: NDArray[
        np.uint64
    ]  # [column, 5]: of a raw column two hashes, ones, complement mask, parent
    table: NDArray[np.uint64]  # bounds
    bits: NDArray[np.uint64]  # the rows of the frames that have them, one frame after another
    stride: NDArray[np.int64]  # [depth, 2]: start and stride in bits; stride 0 if there are no rows
    listed: NDArray[np.int32]  # indices of rows
    planes: NDArray[np.uint64]  # scratch counters
    totals: NDArray[np.uint64]  # [depth, plane * word]: ones of every column, bit by bit
    block: NDArray[np.uint64]  # scratch for transposing
    places: NDArray[np.uint64]  # where the others are

    @property
    def address(self) -> int:
        """Where compiled code finds them all."""
        return int(self.places.ctypes.data)


def allocate(rows: int, columns: int, table_bytes: int) -> State:
    """Working memory for a root of the given shape; untouched pages cost nothing."""
    depth = max(rows, 2).bit_length() + 1
    words = -(-rows // 64)
    buckets = 1 << max(6, (table_bytes // (8 * SLOTS * ENTRY)).bit_length() - 1)
    state = State(
        control=np.array([0, 0, 1 << 62, 1, 0, 1 << 62], np.int64),
        shared=np.array([min(buckets, 1 << 10), 0, buckets, 0], np.int64),
        marks=np.zeros(MARKS, np.uint64),
        frame=np.zeros((depth, 4), np.int64),
        key=np.zeros((depth, 2), np.uint64),
        path=np.zeros((depth, 2), np.uint64),
        origin=np.zeros((depth, columns), np.int32),
        literal=np.random.default_rng(64).integers(0, 2**64, (2 * columns, 2), np.uint64),
        place=np.zeros(depth + 1, np.int64),
        orbits=np.zeros((2 + PLACES // columns, columns, 2), np.int32),
        arena=np.empty(depth * (words + 1) * (columns + 1), np.uint64),
        ones=np.empty((depth, columns), np.int32),
        order=np.empty((depth, columns), np.int64),
        pairs=np.empty((depth, columns * columns), np.int32),
        alive=np.zeros((depth, columns, 2), np.int64),
        split=np.empty((depth * columns + 1) * 2 * (-(-columns // 256) * 4), np.uint64),
        known=np.zeros((depth, columns), np.int8),
        masks=np.empty((7, words + 1), np.uint64),
        slots=np.empty(1 << (2 * columns + 2).bit_length(), np.int32),
        hashes=np.empty(columns, np.uint64),
        raw=np.empty((columns, 5), np.uint64),
        table=np.zeros(buckets * SLOTS * ENTRY, np.uint64),
        bits=np.empty(depth * (rows + 1) * (-(-columns // 256) * 4), np.uint64),
        stride=np.zeros((depth + 1, 2), np.int64),
        listed=np.empty(rows + 80, np.int32),
        planes=np.empty(32 * (-(-columns // 256) * 4), np.uint64),
        totals=np.empty((depth, 32 * (-(-columns // 256) * 4)), np.uint64),
        block=np.zeros(256, np.uint64),
        places=np.empty(0, np.uint64),
    )
    return placed(state)


def beside(S: State) -> State:
    """Working memory for a second search of the same root, with the same table of bounds.

    It may be made while the first search runs, which does not write to its root.
    """
    own: dict[str, Any] = {
        name: np.zeros(array.shape, array.dtype)  # untouched pages cost nothing here either
        for name, array in S._asdict().items()
        if name not in ("shared", "marks", "literal", "orbits", "table", "places")
    }
    own["control"][WORK_LIMIT] = 1 << 62
    T = placed(S._replace(**own))
    for name in ("frame", "key", "path", "origin", "ones"):
        own[name][0] = getattr(S, name)[0]
    size = int(S.frame[0, WORDS] * S.frame[0, COLUMNS])
    T.arena[:size] = S.arena[:size]
    return T


STATE: Any = memory(allocate(64, 2, 0))
