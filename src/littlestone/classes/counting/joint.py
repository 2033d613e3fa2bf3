"""How many examples obey several conditions at once, for every two or three conditions."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from itertools import combinations, combinations_with_replacement, pairwise, permutations
from math import prod
from typing import Any

import numpy as np
from numpy.typing import NDArray

from littlestone.classes.counting.blocks import CellCodes, covered_table, indicators
from littlestone.data.sample import Sample
from littlestone.rules.trees import ColumnTest

Counts = NDArray[np.int64]
Matrix = NDArray[np.float64]

_MOST_CELLS = 1 << 22  # of all tables that one pass over the records fills


def joint_counts(sample: Sample[Any], tests: Sequence[Sequence[ColumnTest]], order: int) -> Counts:
    """The counts [label, condition, ..., condition] of the examples that obey ``order`` conditions.

    ``tests[j]`` are the conditions on column j, and all of them are numbered column by column.  The
    time is that of one look at each record for each ``order`` columns, or fewer: columns of few cells
    are counted as one.
    """
    coded, matrices = merge_columns(sample, tests)
    stops = np.cumsum([0, *(len(matrix) for matrix in matrices)]).tolist()
    places = [slice(*ends) for ends in pairwise(stops)]
    found = np.zeros((sample.counts.shape[1], *[stops[-1]] * order), np.int64)
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
    sample: Sample[Any], tests: Sequence[Sequence[ColumnTest]]
) -> tuple[CellCodes, list[Matrix]]:
    """The cells that occur, of neighbouring columns as one where these are few.

    With them come the matrices [condition, cell] of zeros and ones.  A table of three such columns
    stays smaller than the sample, and in fast memory.
    """
    coded = CellCodes.from_sample(sample, range(len(tests)))
    most = min(64, max(16, round(len(sample.counts) ** (1 / 3))))
    codes: list[NDArray[np.uint16]] = []
    matrices: list[Matrix] = []
    domain: Any = sample.domain
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
    coded: CellCodes, subsets: Sequence[tuple[int, ...]]
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
