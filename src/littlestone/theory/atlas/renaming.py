"""Which classes are the same up to renaming, and one of each such family.

Points may change places, and the labels 0 and 1 may be exchanged at all points together.  (To exchange
them at one point alone changes the threshold dimension and the dual dimensions.)  Hypotheses have no
names, because a class is a set.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Iterator, Sequence
from functools import cache
from itertools import permutations, product

import numpy as np
from numpy.typing import NDArray

from littlestone.dimension import LabelTable

Rows = tuple[int, ...]
"""A class: its rows in increasing order."""

_FEW = 4  # orders of the points that are tried one by one; more go through numpy


def table_of(rows: Sequence[int], points: int) -> LabelTable:
    """The class as a table, a row for each hypothesis and a column for each point.

    >>> table_of((0, 6), 3).values.tolist()
    [[0, 0, 0], [0, 1, 1]]
    """
    values = np.array(rows, np.int64)[:, np.newaxis] >> np.arange(points) & 1
    return LabelTable(values, 2, _names("x", points), _names("h", len(rows)))


def lines_of(rows: Sequence[int], points: int) -> list[str]:
    """Each hypothesis as its labels at the points, in order.

    >>> lines_of((0, 6), 3)
    ['000', '011']
    """
    return ["".join(map(str, row)) for row in table_of(rows, points).values]


@cache
def _names(letter: str, count: int) -> tuple[str, ...]:
    return tuple(f"{letter}{i}" for i in range(count))


def canonical(rows: Iterable[int], points: int) -> Rows:
    """The same rows for all classes that are the same up to renaming, and for no others.

    The way to call the labels with fewer ones is taken.  The points are ordered by their signatures
    (`_signature`); among these orders the one with the smallest rows is taken.  The time is exponential
    in the number of different columns with one signature.

    >>> canonical([0b100, 0b110, 0b111], 3), canonical([0b000, 0b100, 0b110], 3)
    ((0, 2, 6), (0, 2, 6))
    """
    given, full = [*rows], 2**points - 1
    ones, cells = sum(row.bit_count() for row in given), len(given) * points
    ways = []
    if 2 * ones <= cells:
        ways.append(given)
    if 2 * ones >= cells:
        ways.append([full ^ row for row in given])
    return min(_smallest(way, points) for way in ways)


def _smallest(rows: Sequence[int], points: int) -> Rows:
    orders = list(_orders(rows, points))
    if len(orders) <= _FEW:
        return min(tuple(sorted(_moved(rows, order))) for order in orders)
    moved = table_of(rows, points).values[:, np.array(orders)] @ (1 << np.arange(points))
    found: list[int] = min(np.sort(moved, axis=0).T.tolist())
    return tuple(found)


def _moved(rows: Iterable[int], order: Sequence[int]) -> Iterator[int]:
    """The rows with the old point ``order[x]`` in the place x."""
    return (sum((row >> old & 1) << x for x, old in enumerate(order)) for row in rows)


def _orders(rows: Sequence[int], points: int) -> Iterator[tuple[int, ...]]:
    """The orders of the points in which their signatures increase; equal columns stay together."""
    equal = defaultdict(list)
    for x in range(points):
        equal[sum((row >> x & 1) << i for i, row in enumerate(rows))].append(x)
    alike = defaultdict(list)
    sizes = [row.bit_count() for row in rows]
    for column, places in equal.items():
        alike[_signature(column, places, equal, sizes)].append(places)
    groups = (permutations(alike[signature]) for signature in sorted(alike))
    for parts in product(*groups):
        yield tuple(x for part in parts for places in part for x in places)


def _signature(
    column: int, places: list[int], equal: dict[int, list[int]], sizes: list[int]
) -> tuple[object, ...]:
    """What no renaming changes about a point, from its column.

    How many points have the column; the numbers of ones of the rows with a 1 there, sorted; and for
    each other column, its numbers of points, of shared ones and of ones, sorted.
    """
    here = sorted(size for i, size in enumerate(sizes) if column >> i & 1)
    others = sorted(
        (len(same), (column & other).bit_count(), other.bit_count())
        for other, same in equal.items()
    )
    return len(places), tuple(here), tuple(others)


def renamings(points: int) -> NDArray[np.int64]:
    """Where each of the 2 n! renamings takes each of the 2^n rows, as an array of that shape.

    >>> renamings(2).tolist()
    [[0, 1, 2, 3], [0, 2, 1, 3], [3, 2, 1, 0], [3, 1, 2, 0]]
    """
    rows, full = range(2**points), 2**points - 1
    moved = [list(_moved(rows, order)) for order in permutations(range(points))]
    return np.array([*moved, *([full ^ row for row in image] for image in moved)])


def smallest_masks(images: NDArray[np.int64]) -> tuple[list[int], list[int]]:
    """The smallest class of each family of renamed classes, as a mask, and the family's size.

    ``images[g, i]`` is the row that renaming g makes of row i, and the renamings are a group.  The
    empty class is left out.

    >>> smallest_masks(renamings(1))
    ([1, 3], [2, 1])
    """
    rows = images.shape[1]
    masks = np.arange(1 << rows, dtype=np.int64)
    smallest = masks.copy()
    for image in images.tolist():
        moved = np.zeros_like(masks)
        for row, other in enumerate(image):
            moved |= (masks >> row & 1) << other
        np.minimum(smallest, moved, out=smallest)
    kept, counts = np.unique(smallest[1:], return_counts=True)
    return kept.tolist(), counts.tolist()
