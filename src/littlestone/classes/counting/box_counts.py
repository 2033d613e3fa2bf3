"""Boxes over several ranges, counted by their errors."""

from __future__ import annotations

from itertools import combinations_with_replacement
from math import prod
from typing import Any

import numpy as np
from numpy.typing import NDArray

from littlestone import core
from littlestone.classes.counting.blocks import Blocks, Tally, tallied

Side = tuple[int, int]
"""The first and the last place on an axis."""

MOST_COUNTED = 1 << 32
"""The most boxes that are counted: conjunctions of 20 columns have 3.5 billion."""

MOST_CELLS = 1 << 24
"""The most points of the domain of boxes that are counted."""

MOST_BLOCKS = 1 << 15

_LISTED = 1 << 22  # boxes of a block, which are listed to find one of them again


def first_columns(sizes: list[int]) -> list[int]:
    """The columns whose intervals make the blocks: the shortest ones, until a block can be listed."""
    order, left = sorted(range(len(sizes)), key=sizes.__getitem__), boxes_on(sizes)
    chosen: list[int] = []
    while left > _LISTED:
        chosen.append(order[len(chosen)])
        left //= boxes_on([sizes[chosen[-1]]])
    return chosen


def boxes_on(sizes: list[int]) -> int:
    """The number of nonempty boxes on ranges of these sizes."""
    return prod(size * (size + 1) // 2 for size in sizes)


class BoxCounts(Blocks):
    """All nonempty boxes; an item has a side for each column.

    ``weights`` has negatives - positives for each point of the product.  A box errs on the negatives
    inside and on the positives outside, so it has ``positives`` errors plus the weights inside.
    """

    def __init__(self, weights: NDArray[np.int32], positives: int) -> None:
        self._positives = positives
        self._first = first_columns(list(weights.shape))
        self._rest = [j for j in range(weights.ndim) if j not in self._first]
        self._weights = np.ascontiguousarray(weights.transpose(*self._first, *self._rest))
        self._sides = [_sides(weights.shape[j]) for j in self._first]

    @property
    def blocks(self) -> int:
        return prod(map(len, self._sides))

    def _chosen(self, block: int) -> list[Side]:
        """The sides of a block in the first columns."""
        chosen = []
        for sides in reversed(self._sides):
            block, place = divmod(block, len(sides))
            chosen.append(sides[place])
        return chosen[::-1]

    def _left(self, block: int) -> NDArray[np.int32]:
        """The weights that a block sees of the points of the other columns."""
        left = self._weights
        for first, last in self._chosen(block):
            left = left[first : last + 1].sum(axis=0, dtype=np.int32)
        return left

    def tally(self, block: int) -> Tally:
        left = self._left(block)
        # No box weighs less than all negative points together, or more than all positive ones.
        low, high = int(left[left < 0].sum()), int(left[left > 0].sum())
        found = np.zeros(high - low + 1, dtype=np.int64)
        sizes = [*[1] * max(0, 2 - left.ndim), *left.shape]  # the counter takes two columns or more
        core.count_boxes(np.ascontiguousarray(left).ravel(), np.array(sizes), -low, found)
        return tallied(found, self._positives + low)

    def item(self, block: int, errors: int, index: int) -> tuple[Side, ...]:
        found, rest = self._left(block), []
        for axis in range(len(self._rest)):
            first, last = np.array(_sides(found.shape[axis])).T
            zero = np.zeros_like(found.take([0], axis=axis))
            sums = np.concatenate([zero, found.cumsum(axis=axis, dtype=np.int32)], axis=axis)
            # Prefix sums along one axis after another: the weight of every box as differences.
            found = sums.take(last + 1, axis=axis) - sums.take(first, axis=axis)
        place = np.flatnonzero(found == errors - self._positives)[index]
        for axis, at in enumerate(np.unravel_index(place, found.shape)):
            rest.append(_sides(self._weights.shape[len(self._first) + axis])[int(at)])
        sides = dict(zip([*self._first, *self._rest], [*self._chosen(block), *rest], strict=True))
        return tuple(sides[j] for j in range(len(sides)))


def _sides(size: int) -> list[Side]:
    """All intervals on a range."""
    return list(combinations_with_replacement(range(size), 2))


def cells(sample: Any, sizes: list[int], lows: list[int]) -> NDArray[np.int32]:
    """Negatives - positives of each point of a product of ranges."""
    at = np.zeros(len(sample.points), dtype=np.int64)
    for j, (size, low) in enumerate(zip(sizes, lows, strict=True)):
        values, codes = sample.column(j)
        places = np.array([v - low for v in values], dtype=np.int64)
        at = at * size + (places[codes] if len(places) else 0)
    weights = np.zeros(prod(sizes), dtype=np.int32)
    # A box errs on all positives, plus this weight for each point inside.
    np.add.at(weights, at, (sample.negatives - sample.positives).astype(np.int32))
    return weights.reshape(sizes)
