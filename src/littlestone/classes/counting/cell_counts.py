"""Counts of labels in the cells of every few columns: all that a class of conditions scores by."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from functools import reduce
from math import prod
from typing import Any

import numpy as np
from numpy.typing import NDArray

from littlestone import core
from littlestone.classes.text.columns import conditions_on
from littlestone.data.sample import Sample
from littlestone.points import Parted, Product
from littlestone.rules.trees import ColumnTest

Counts = NDArray[np.int64]


@dataclass(frozen=True)
class Coded:
    """A sample as the number of each column's cell, and the counts of each label.

    ``codes[j, p]`` is the cell of point p in the j-th of the counted columns, out of ``sizes[j]``.
    """

    codes: NDArray[np.uint16]
    counts: Counts
    sizes: tuple[int, ...]

    @classmethod
    def of(cls, sample: Sample[Any], columns: Iterable[int]) -> Coded:
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
        points, labels = np.nonzero(self.counts)
        # A copy of one point for each of its labels; none if each has one.
        alone = np.array_equal(points, np.arange(len(self.counts)))
        codes = self.codes if alone else self.codes[:, points]
        k = self.counts.shape[1]
        shapes = [[*(self.sizes[j] for j in subset), k] for subset in subsets]
        strides = [[prod(shape[t + 1 :]) for t in range(len(shape) - 1)] for shape in shapes]
        sizes = list(map(prod, shapes))
        starts = np.cumsum([0, *sizes])
        found = np.zeros(int(starts[-1]), np.int64)
        core.count_cells(
            np.ascontiguousarray(codes),  # numpy lays a selection out the other way
            labels.astype(np.int32),
            self.counts[points, labels],
            np.array(subsets, np.int64),
            np.array(strides, np.int32),
            starts[:-1].astype(np.int64),
            found,
        )
        return [
            np.moveaxis(found[start : start + size].reshape(shape), -1, 0)
            for start, size, shape in zip(starts.tolist(), sizes, shapes, strict=False)
        ]


def holding(tests: Iterable[ColumnTest], sample: Sample[Any]) -> NDArray[np.bool_]:
    """Which points of the sample obey all of the tests."""
    held = np.ones(len(sample.counts), dtype=bool)
    for test in tests:
        values, codes = sample.column(test.column)
        held &= np.fromiter((v in test.accepted for v in values), bool, len(values))[codes]
    return held


def indicators(tests: Sequence[ColumnTest], column: Parted) -> NDArray[np.float64]:
    """The matrix [test, point of the column] of zeros and ones.

    It holds floats, because numpy multiplies those fast; sums of counts below 2^53 stay exact.
    """
    places = {x: i for i, x in enumerate(column.points)}
    matrix = np.zeros((len(tests), len(places)))
    for row, test in zip(matrix, tests, strict=True):
        row[[places[x] for x in test.accepted]] = 1
    return matrix


def covered(table: Counts, matrices: Sequence[NDArray[np.float64]]) -> Counts:
    """The counts [label, test on the first column, test on the second, ...] where all tests hold."""
    # One matrix product a column: a rule's count is the sum of its cells
    # (docs/proofs/conditions.md, Theorem 2). Floats are exact below 2^53.
    found = reduce(
        lambda left, matrix: np.tensordot(left, matrix, axes=(1, 1)),
        matrices,
        table.astype(np.float64),
    )
    return np.rint(found).astype(np.int64)


def all_tests(domain: Product, *, between: bool = False) -> list[list[ColumnTest]]:
    """The conditions on each column of the table; none on an open one."""
    return [conditions_on(domain, j, between=between) for j in range(len(domain.columns))]
