"""Hypotheses counted by their errors, block by block, and the counts of labels in cells.

Counts of labels in the cells of every few columns: all that a class of conditions scores by.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from bisect import bisect_right
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property, reduce
from itertools import (
    accumulate,
    combinations,
    combinations_with_replacement,
    pairwise,
    permutations,
)
from math import prod
from typing import Any

import numpy as np
from numpy.typing import NDArray

from littlestone import core
from littlestone.classes.text.mixed_columns import conditions_on
from littlestone.data.sample import Sample
from littlestone.data.stored import CellTables, CountedSample
from littlestone.points import FiniteColumn, Product
from littlestone.privacy.scores import ErrorRuns
from littlestone.rules.nodes import ColumnTest

MOST_ERRORS = 1 << 25
"""The most errors that a table of counts by errors has room for; each takes 8 bytes."""

_GROUPS = 256  # of blocks whose tallies are kept

Tally = tuple[NDArray[np.int64], list[int]]
"""Distinct errors, in order, and the number of hypotheses of each."""


class Blocks(ABC):
    """All items of a class in numbered blocks, each small enough to be looked through at once.

    `runs` keeps only the tallies.  An item is found again by one more look at its block.
    """

    @property
    @abstractmethod
    def blocks(self) -> int:
        """The number of blocks."""

    @abstractmethod
    def tally(self, block: int) -> Tally:
        """How many items of the block have how many errors."""

    @abstractmethod
    def item(self, block: int, errors: int, index: int) -> Any:
        """The ``index``-th of the items of the block with these errors, in an order of its own."""

    def runs(self) -> ErrorRuns:
        """All items with equal errors as one run."""
        # Where an item is, is known up to a group of blocks.
        each = -(-self.blocks // _GROUPS)
        groups = [
            range(first, min(self.blocks, first + each)) for first in range(0, self.blocks, each)
        ]
        tallies = [self._totals(group) for group in groups]
        totals = _add_tallies(tallies)
        order = sorted(totals)
        stops = list(accumulate(totals[errors] for errors in order))

        def name_item(number: int) -> Any:
            run = bisect_right(stops, number)
            errors, index = order[run], number - stops[run] + totals[order[run]]
            # First the group that holds the item, then its block: only that group is counted again.
            for group, found in zip(groups, tallies, strict=True):
                if index < found.get(errors, 0):
                    return self._item_of_blocks(group, errors, index)
                index -= found.get(errors, 0)
            raise AssertionError  # number < stops[-1]

        lengths = [totals[errors] for errors in order]
        return ErrorRuns(np.array(order, dtype=np.int64), lengths, name_item)

    def _item_of_blocks(self, blocks: Iterable[int], errors: int, index: int) -> Any:
        """The index-th item with these errors of some blocks."""
        for block in blocks:
            count = self._totals([block]).get(errors, 0)
            if index < count:
                return self.item(block, errors, index)
            index -= count
        raise AssertionError  # the blocks have more such items

    def _totals(self, blocks: Iterable[int]) -> Counter[int]:
        tallies = (self.tally(block) for block in blocks)
        return _add_tallies(
            dict(zip(found.tolist(), counts, strict=True)) for found, counts in tallies
        )


def _add_tallies(tallies: Iterable[Mapping[int, int]]) -> Counter[int]:
    totals = Counter[int]()
    for tally in tallies:
        totals.update(tally)
    return totals


def tally_of_counts(counts: NDArray[np.int64], low: int = 0) -> Tally:
    """The tally of a table whose entry i counts the items of low + i errors."""
    found = np.flatnonzero(counts)
    return found + low, counts[found].tolist()


Counts = NDArray[np.int64]
Matrix = NDArray[np.float64]


@dataclass(frozen=True)
class CellCodes:
    """A sample as the number of each column's cell, and the counts of each label.

    ``codes[j, p]`` is the cell of point p in the j-th of the counted columns, out of ``sizes[j]``.
    """

    codes: NDArray[np.uint16]
    counts: Counts
    sizes: tuple[int, ...]

    @classmethod
    def from_sample(cls, sample: Sample[Any], columns: Iterable[int]) -> CellCodes:
        """The sample on these declared columns.  O(1) for each value and numpy for each record."""
        coded, sizes = [], []
        for j in columns:
            column: Any = sample.domain.columns[j]  # type: ignore[attr-defined]
            values, which = sample.column(j)
            places = np.fromiter(map(column.index, values), np.uint16, len(values))
            coded.append(places[which])
            sizes.append(column.size)
        stacked: NDArray[np.uint16] = np.array(coded, np.uint16)
        return cls(
            stacked.reshape(len(sizes), len(sample.counts)),
            np.ascontiguousarray(sample.counts),
            tuple(sizes),
        )

    def tables(self, subsets: Sequence[Sequence[int]]) -> list[Counts]:
        """For each set of columns, the counts [label, cell of its first column, of its second, ...].

        One pass over the records counts all sets, which have one size.
        """
        if not subsets:
            return []
        codes, labels, counts = self._examples
        k, asked = self.counts.shape[1], np.array(subsets, np.int64)
        # [set, column or label], and how far apart in a table the cells of a column are
        shapes = np.insert(np.array(self.sizes, np.int64)[asked], asked.shape[1], k, axis=1)
        strides = np.cumprod(shapes[:, :0:-1], axis=1)[:, ::-1]
        starts = np.cumsum([0, *shapes.prod(axis=1)])
        found = np.zeros(int(starts[-1]), np.int64)
        core.count_cells(
            codes,
            labels,
            counts,
            asked % len(self.sizes),  # the core takes no negative columns
            np.ascontiguousarray(strides, np.int32),
            starts[:-1].astype(np.int64),
            found,
        )
        last = shapes.shape[1] - 1
        return [
            found[start:stop].reshape(shape).transpose(last, *range(last))
            for (start, stop), shape in zip(pairwise(starts.tolist()), shapes.tolist(), strict=True)
        ]

    def products(self, columns: Sequence[int], numbers: Sequence[Counts]) -> Counts:
        """For each two of the columns, the sum over the records of the products of their numbers.

        ``numbers`` has a whole number for each cell of each of the columns.
        """
        own, records = self._numbers(columns, numbers), self.counts.sum(axis=1)
        return np.array([(a * b * records).sum() for a, b in combinations(own, 2)], np.int64)

    def totals(
        self, columns: Sequence[int], numbers: Sequence[Counts], ends: Sequence[int]
    ) -> Counts:
        """The counts [label, run] of the sums of the numbers; a run begins at each of ``ends``."""
        own = self._numbers(columns, numbers)
        totals = sum(own, np.zeros(len(self.counts), np.int64))
        runs = np.searchsorted(ends, totals, side="right")
        # Sums of floats are exact up to 2^53, and there are fewer records.
        found = [
            np.bincount(runs, weights=counts, minlength=len(ends) + 1) for counts in self.counts.T
        ]
        return np.array(found).astype(np.int64)

    def _numbers(self, columns: Sequence[int], numbers: Sequence[Counts]) -> list[Counts]:
        # Too few numbers for a column's cells are no error, which would tell of a record's cell.
        pairs = zip(columns, numbers, strict=True)
        return [own.take(self.codes[j], mode="clip") for j, own in pairs]

    @cached_property
    def _examples(self) -> tuple[NDArray[np.uint16], NDArray[np.int32], Counts]:
        """The codes, labels and counts of all examples."""
        points, labels = np.nonzero(self.counts)
        # A copy of one point for each of its labels; none if each has one.
        alone = np.array_equal(points, np.arange(len(self.counts)))
        codes = self.codes if alone else self.codes[:, points]
        # numpy lays a selection out the other way
        return np.ascontiguousarray(codes), labels.astype(np.int32), self.counts[points, labels]


def cells_of(sample: Sample[Any], columns: Sequence[int]) -> CellCodes | CellTables:
    """What has the `tables` of a sample: its cells, or the counts that an engine has handed over."""
    if isinstance(sample, CountedSample):
        return sample.cells
    return CellCodes.from_sample(sample, columns)


def holding(tests: Iterable[ColumnTest], sample: Sample[Any]) -> NDArray[np.bool_]:
    """Which points of the sample obey all of the tests."""
    held = np.ones(len(sample.counts), dtype=bool)
    for test in tests:
        values, codes = sample.column(test.column)
        held &= np.fromiter((v in test.accepted for v in values), bool, len(values))[codes]
    return held


def indicators(tests: Sequence[ColumnTest], column: FiniteColumn) -> NDArray[np.float64]:
    """The matrix [test, point of the column] of zeros and ones.

    It holds floats, because numpy multiplies those fast; sums of counts below 2^53 stay exact.
    """
    places = {x: i for i, x in enumerate(column.points)}
    matrix = np.zeros((len(tests), len(places)))
    for row, test in zip(matrix, tests, strict=True):
        row[[places[x] for x in test.accepted]] = 1
    return matrix


def covered_table(table: Counts, matrices: Sequence[NDArray[np.float64]]) -> Counts:
    """The counts [label, test on the first column, test on the second, ...] where all tests hold."""
    # Column by column: a rule's count is the sum of its cells (docs/proofs/conditions.md, Theorem 2).
    return reduce(_sum_cells, matrices, table)


def _sum_cells(table: Counts, tests: Matrix) -> Counts:
    """The sums over the second axis, of the cells that obey each test; the tests are the last axis."""
    rises = tests[:, 0] + np.count_nonzero(tests[:, 1:] > tests[:, :-1], axis=1)
    if tests.shape[1] < _WIDE or rises.max() > 1:
        # Floats are multiplied fast, and are exact below 2^53.
        sums = np.tensordot(table.astype(np.float64), tests, axes=(1, 1))
        return np.rint(sums).astype(np.int64)
    # Each test is an interval of cells, so its sum is the difference of two running sums.
    starts = tests.argmax(axis=1)
    stops = starts + tests.sum(axis=1).astype(np.int64)
    found = np.empty((len(table), len(tests), *table.shape[2:]), np.int64)
    for own, cells in zip(found, table, strict=True):
        sums = np.zeros((len(cells) + 1, *cells.shape[1:]), np.int64)  # its rows are whole
        np.cumsum(cells, axis=0, out=sums[1:])
        np.subtract(sums[stops], sums[starts], out=own)
    return np.moveaxis(found, 1, -1)


def all_tests(domain: Product, *, between: bool = False) -> list[list[ColumnTest]]:
    """The conditions on each column of the table; none on an open one."""
    return [conditions_on(domain, j, between=between) for j in range(len(domain.columns))]


_MOST_CELLS = 1 << 22  # of all tables that one pass over the records fills
_WIDE = 64  # cells, from which on running sums are faster than a product of matrices


def joint_counts(sample: Sample[Any], tests: Sequence[Sequence[ColumnTest]], order: int) -> Counts:
    """The counts [label, condition, ..., condition] of the examples that obey ``order`` conditions.

    ``tests[j]`` are the conditions on column j, and all of them are numbered column by column.  The
    time is that of one look at each record for each ``order`` columns, or fewer: columns of few cells
    are counted as one.
    """
    coded, matrices = merge_columns(sample, tests, order)
    stops = np.cumsum([0, *(len(matrix) for matrix in matrices)]).tolist()
    places = [slice(*ends) for ends in pairwise(stops)]
    # These arrays are the largest, so they take the fewest bytes that hold the number of records.
    kind = np.int32 if sample.counts.sum() < 1 << 31 else np.int64
    found = np.zeros((sample.counts.shape[1], *[stops[-1]] * order), kind)
    for distinct in range(1, order + 1):
        columns = list(combinations(range(len(matrices)), distinct))
        for subset, table in _tables(coded, columns):
            for chosen in combinations_with_replacement(subset, order):
                if len(set(chosen)) == distinct:
                    counted = _count_joint([matrices[j] for j in chosen], chosen, table)
                    for axes in permutations(range(order)):
                        where = tuple(places[chosen[axis]] for axis in axes)
                        found[:, *where] = counted.transpose(0, *(axis + 1 for axis in axes))
    return found


def joint_of_fewer(joint: Counts, order: int) -> Counts:
    """The counts of ``order`` conditions, from those of more: a condition twice is the condition."""
    while joint.ndim > order + 1:
        joint = np.einsum("yaa...->ya...", joint)
    return joint


def merge_columns(
    sample: Sample[Any], tests: Sequence[Sequence[ColumnTest]], order: int
) -> tuple[CellCodes | CellTables, list[Matrix]]:
    """The cells that occur, of neighbouring columns as one where these are few.

    With them come the matrices [condition, cell] of zeros and ones.  A table of ``order`` such columns
    stays smaller than the sample, and in fast memory.  Counts of an engine stay as they are.
    """
    coded = cells_of(sample, range(len(tests)))
    most = min(64, max(16, round(len(sample.counts) ** (1 / order))))
    codes: list[NDArray[np.uint16]] = []
    matrices: list[Matrix] = []
    domain: Any = sample.domain
    if isinstance(coded, CellTables):
        return coded, [indicators(own, c) for own, c in zip(tests, domain.columns, strict=True)]
    for own, size, column, asked in zip(
        coded.codes, coded.sizes, domain.columns, tests, strict=True
    ):
        seen = np.bincount(own, minlength=size) > 0
        seen[0] |= not seen.any()  # a sample without records
        # A cell that does not occur has no examples in any table.
        own, matrix = (
            (np.cumsum(seen) - 1).astype(np.uint16)[own],
            indicators(asked, column)[:, seen],
        )
        cells = matrix.shape[1]
        if matrices and matrices[-1].shape[1] * cells <= most:
            before = matrices[-1].shape[1]
            codes[-1] = codes[-1] * np.uint16(cells) + own
            matrices[-1] = np.vstack(
                [np.repeat(matrices[-1], cells, axis=1), np.tile(matrix, before)]
            )
        else:
            codes.append(own)
            matrices.append(matrix)
    sizes = tuple(matrix.shape[1] for matrix in matrices)
    stacked: NDArray[np.uint16] = np.array(codes, np.uint16).reshape(len(sizes), len(sample.counts))
    return CellCodes(stacked, coded.counts, sizes), matrices


def _tables(
    coded: CellCodes | CellTables, subsets: Sequence[tuple[int, ...]]
) -> Iterator[tuple[tuple[int, ...], Counts]]:
    """The tables of these sets of columns, a few at a time."""
    first, cells = 0, 0
    for stop, subset in enumerate([*subsets, ()]):
        own = prod(coded.sizes[j] for j in subset)
        if stop == len(subsets) or (cells + own > _MOST_CELLS and stop > first):
            yield from zip(subsets[first:stop], coded.tables(subsets[first:stop]), strict=True)
            first, cells = stop, 0
        cells += own


def _count_joint(matrices: Sequence[Matrix], chosen: Sequence[int], table: Counts) -> Counts:
    """The counts [label, condition on the first of the chosen columns, ...], from their table."""
    *_, last = matrices
    if len(chosen) == 3 and table.ndim == 2:
        # Conditions on one column three times: the first two as one, so that the table stays small.
        both = (last[:, None] * last).reshape(-1, last.shape[1])
        found = covered_table(_repeat(table, 1), [both, last])
    else:
        for i in range(1, len(chosen)):
            table = _repeat(table, i) if chosen[i] == chosen[i - 1] else table
        found = covered_table(table, matrices)
    return found.reshape(len(table), *map(len, matrices))


def _repeat(table: Counts, axis: int) -> Counts:
    """The table with one column twice: its examples are in the cells on the diagonal."""
    cells = table.shape[axis]
    equal = np.eye(cells, dtype=np.int64).reshape(cells, cells, *[1] * (table.ndim - axis - 1))
    found: Counts = np.expand_dims(table, axis + 1) * equal
    return found
