"""What the core refuses: arrays of another shape than it reads, and sizes that it cannot number.

And what it does not let anyone wait for: the end of a question that was stopped.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, NamedTuple

import numpy as np
import pytest

from each import each
from littlestone import core
from littlestone.base.errors import DeclarationError
from littlestone.dimension import littlestone_bounds
from littlestone.dimension.search.engine import Engine
from littlestone.dimension.tables import PackedTable

WORDS, INTS, LONGS, SHORTS, BYTES = np.uint64, np.int32, np.int64, np.uint16, np.uint8
ROOM = 1 << 12
RULES = "texts have|has|have|needs|reads|orbits are|fill|decides|claims|there are|no half-graph"


class Call(NamedTuple):
    """A call with arrays of these types and shapes, and the sizes (array, axis) that may be others."""

    name: str
    call: Callable[..., Any]
    arrays: list[tuple[Any, ...]]
    smaller: tuple[tuple[int, int], ...] = ()
    larger: tuple[tuple[int, int], ...] = ()

    def __str__(self) -> str:
        return self.name

    def run(self, shapes: list[list[int]]) -> None:
        pairs = zip(shapes, self.arrays, strict=True)
        self.call(*(np.zeros(shape, kind) for shape, (kind, *_) in pairs))


def solver() -> core.Solver:
    return core.Solver(3, 65, ROOM)


def writer() -> core.Writer:
    return core.Writer(3, 65, 1 << 20)


FIELD = [(SHORTS, 3, 3), (SHORTS, 3, 3)]
FLATS = [*FIELD, (SHORTS, 2, 4), (LONGS, 4), (SHORTS, 2, 1), (LONGS, 1), (LONGS, 1), (LONGS, 1)]
RECORDS = [
    (SHORTS, 2, 5),
    (INTS, 5),
    (LONGS, 5),
    (LONGS, 3, 2),
    (INTS, 3, 2),
    (LONGS, 3),
    (LONGS, 9),
]
TABLE, SIZES, FOUND = np.zeros((3, 2), WORDS), np.array([2, 3]), np.zeros(9, LONGS)
FIRST = ((0, 0),)
CALLS = [
    Call("Solver.load", lambda rows: solver().load(rows), [(WORDS, 3, 2)], FIRST),
    Call("Writer.load", lambda rows: writer().load(rows), [(WORDS, 3, 2)], FIRST),
    Call("Solver orbits", lambda a: solver().use_orbits(a), [(INTS, 2, 65, 2)], (), FIRST),
    Call("Writer orbits", lambda a: writer().use_orbits(a), [(INTS, 2, 65, 2)], (), FIRST),
    Call("find_tree", lambda points: solver().find_tree(3, points), [(LONGS, 3)], (), FIRST),
    Call("Symmetries", lambda rows: core.Symmetries(rows, 65), [(WORDS, 3, 2)], FIRST, FIRST),
    Call("suggest", lambda image: core.Symmetries(TABLE, 65).suggest(image), [(LONGS, 130)]),
    Call(
        "is_symmetry", lambda image: core.Symmetries(TABLE, 65).is_symmetry(image), [(LONGS, 130)]
    ),
    Call(
        "half-graphs",
        lambda rows, columns: core.HalfGraphSearch(rows, columns, 2),
        [(WORDS, 64, 2), (WORDS, 128, 1)],
        ((0, 0), (1, 0)),
    ),
    Call("texts", core.TextNumbers(1).number, [(BYTES, 9), (LONGS, 6), (LONGS, 5)], FIRST, FIRST),
    Call("count_cells", core.count_cells, RECORDS, *2 * [((0, 0), (6, 0))]),
    Call("count_boxes", lambda a: core.count_boxes(a, SIZES, 0, FOUND), [(INTS, 6)]),
    Call("count_flats", lambda *a: core.count_flats(0, 1, 0, FOUND, *a), FLATS),
    Call(
        "count_lists",
        lambda *a: core.count_lists(1, *a),
        [(LONGS, 2, 3), (LONGS, 3), (LONGS, 2, 9)],
        ((2, 1),),
        ((1, 0), (2, 1)),
    ),
]


@each("call", CALLS)
def test_an_array_of_another_shape_is_refused(call: Call) -> None:
    shapes = [list(array[1:]) for array in call.arrays]
    call.run(shapes)
    for array, shape in enumerate(shapes):
        for axis in range(len(shape)):
            for by, allowed in (-1, call.smaller), (1, call.larger):
                shape[axis] += by
                if (array, axis) in allowed:
                    call.run(shapes)
                else:
                    with pytest.raises(ValueError, match=RULES):
                        call.run(shapes)
                shape[axis] -= by


@each("call", CALLS)
def test_an_array_is_not_converted(call: Call) -> None:
    """What the core writes would be lost, and a copy of a large table takes its memory once more."""
    whole = [np.zeros(shape, kind) for kind, *shape in call.arrays]
    call.call(*whole)
    for i, array in enumerate(whole):
        other = np.int64 if array.dtype == WORDS else WORDS
        for changed in (array.astype(other), np.repeat(array, 2, axis=-1)[..., ::2]):
            if changed.dtype != array.dtype or not changed.flags.c_contiguous:
                with pytest.raises(TypeError, match="incompatible"):
                    call.call(*whole[:i], changed, *whole[i + 1 :])


LARGE = 1 << 30


def numbered(*ends: int) -> None:
    core.TextNumbers(1).number(np.zeros(3, BYTES), np.array(ends), np.zeros(1, LONGS))


@each(
    "ask",
    [
        lambda: core.Solver(LARGE, 1, ROOM),
        lambda: core.Solver(1, LARGE, ROOM),
        lambda: core.Solver(-1, 1, ROOM),
        lambda: core.Writer(LARGE, 1, ROOM),
        lambda: core.Writer(1, LARGE, ROOM),
        lambda: core.Symmetries(np.zeros((0, 1 << 24), WORDS), LARGE),
        lambda: core.HalfGraphSearch(np.zeros((1, 1), WORDS), np.zeros((1, 1), WORDS), 0),
        lambda: core.HalfGraphSearch(np.zeros((1, 1), WORDS), np.zeros((1, 1), WORDS), LARGE),
        lambda: core.HalfGraphSearch(np.zeros((1, 1), WORDS), np.zeros((1, 1), WORDS), 1).pairs(),
        lambda: numbered(0, 4),
        lambda: numbered(2, 1),
        lambda: numbered(-1, 1),
        lambda: solver().ask(1, 1, 1, core.Searcher.first),
        lambda: solver().ask(31, 1, 1, core.Searcher.first),
        lambda: solver().ask(2, 1, 1, core.Searcher.both, 1),
        lambda: writer().write(0, 1),
        lambda: solver().find_tree(1, np.zeros(9, LONGS)),
        lambda: core.count_boxes(np.zeros(0, INTS), np.array([0, 3]), 0, np.zeros(9, LONGS)),
        lambda: core.count_boxes(np.zeros(3, INTS), np.array([3]), 0, np.zeros(9, LONGS)),
        lambda: core.count_juntas(
            np.zeros((1, 31), LONGS), np.zeros(1, LONGS), 0, np.zeros(1, LONGS)
        ),
    ],
    ids=range(20),
)
def test_numbers_out_of_range_are_refused(ask: Callable[[], Any]) -> None:
    with pytest.raises(ValueError, match=RULES):
        ask()


@pytest.mark.parametrize("shape", [(LARGE, 1), (1, LARGE)])
def test_a_table_of_two_to_the_thirty_is_refused_before_it_is_read(shape: tuple[int, int]) -> None:
    table = np.broadcast_to(np.zeros((1, 1), np.uint8), shape)  # one entry in memory
    with pytest.raises(DeclarationError, match="fewer than 2"):
        littlestone_bounds(table)


def fours(groups: int) -> PackedTable:
    """Groups of four rows, named by a column each, and a column for each of three places in a group.

    No column splits a side of another one two and two: LDim < 3 needs a look at each pair of columns.
    """
    places = np.tile(np.eye(4, 3, dtype=np.uint8), (groups, 1))
    return PackedTable.pack(
        np.hstack([np.repeat(np.eye(groups, dtype=np.uint8), 4, axis=0), places])
    )


def test_a_question_about_three_ends_when_its_work_is_done() -> None:
    engine = Engine(fours(1000), 1 << 20)
    assert engine.at_least(3, work=1 << 17) is None
    assert engine.work < 1 << 18
    engine.stop()
    assert engine.at_least(3) is None
    engine.resume()
    assert engine.at_least(3) is False


def test_a_limit_on_version_spaces_is_that_of_one_question() -> None:
    table = PackedTable.pack(np.random.default_rng(1).random((4096, 60)) < 0.2)
    engine = Engine(table, 1 << 22)
    assert engine.at_least(8)
    assert engine.nodes > 60
    assert engine.at_least(9, 1) is None
    assert engine.at_least(9, 9) is False


def test_a_claim_about_three_ends_when_its_work_is_done() -> None:
    table = fours(1000)
    writer = core.Writer(table.size, table.points, 1 << 24)
    writer.load(table.rows)
    assert writer.write(3, 1 << 17) == -1
    assert writer.work < 1 << 18
    assert writer.write(3, 1 << 62) == 1
