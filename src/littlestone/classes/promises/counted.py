"""Classes of boxes over ranges that are too large for a table, and whose errors are counted."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import combinations_with_replacement
from math import prod
from typing import Any, cast

import numpy as np
from numpy.typing import NDArray

from littlestone import core
from littlestone.base.errors import TooLargeError, in_digits
from littlestone.classes.base import BinaryClass, ScoredClass
from littlestone.classes.counting.blocks import MOST_ERRORS, Blocks, Tally, tally_of_counts
from littlestone.classes.dimensions import closed_forms
from littlestone.classes.dimensions.closed_forms import MOST_ENTRIES, halving
from littlestone.classes.promises.by_table import FEWER_COLUMNS, NoVersionSpaces
from littlestone.data.sample import Sample
from littlestone.dimension.tables import PackedTable, SearchTable
from littlestone.points import Grid, Product
from littlestone.privacy.scores import ErrorRuns, Scores, either
from littlestone.rules.box import Box

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

    def _sides_of_block(self, block: int) -> list[Side]:
        """The sides of a block in the first columns."""
        chosen = []
        for sides in reversed(self._sides):
            block, place = divmod(block, len(sides))
            chosen.append(sides[place])
        return chosen[::-1]

    def _left(self, block: int) -> NDArray[np.int32]:
        """The weights that a block sees of the points of the other columns."""
        left = self._weights
        for first, last in self._sides_of_block(block):
            left = left[first : last + 1].sum(axis=0, dtype=np.int32)
        return left

    def tally(self, block: int) -> Tally:
        left = self._left(block)
        # No box weighs less than all negative points together, or more than all positive ones.
        low, high = int(left[left < 0].sum()), int(left[left > 0].sum())
        found = np.zeros(high - low + 1, dtype=np.int64)
        sizes = [*[1] * max(0, 2 - left.ndim), *left.shape]  # the counter takes two columns or more
        core.count_boxes(np.ascontiguousarray(left).ravel(), np.array(sizes), -low, found)
        return tally_of_counts(found, self._positives + low)

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
        sides = dict(
            zip([*self._first, *self._rest], [*self._sides_of_block(block), *rest], strict=True)
        )
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


MOST_MONOTONE = 1 << 24
"""The most monotone conjunctions, whose errors are listed."""


def box_rows(sizes: Sequence[int]) -> NDArray[np.bool_]:
    """The constant 0 and all nonempty boxes on ranges of these sizes, one row each."""
    rows = np.ones((1, 1), dtype=bool)
    for size in sizes:
        x = np.arange(size)
        first, last = np.triu_indices(size)
        rows = np.kron(rows, (first[:, None] <= x) & (x <= last[:, None]))
    return np.vstack([np.zeros((1, rows.shape[1]), dtype=bool), rows])


class BoxFamily(NoVersionSpaces, ScoredClass[Any], BinaryClass[Any]):
    """A finite class of boxes over ranges, with a number of hypotheses that is known."""

    domain: Product
    source: str

    proof = "docs/proofs/closed-forms.md"
    why = "it has too many hypotheses for a table"
    remedy = FEWER_COLUMNS

    @property
    def forms(self) -> int:
        return self.size or 0

    @property
    def free_points(self) -> int:
        """How many points get all labels beside one more that keeps its label; 1 if no more are known.

        docs/proofs/lower-bounds.md, *Points*.
        """
        return 1

    @property
    def grids(self) -> tuple[Grid, ...]:
        """The columns."""
        return cast("tuple[Grid, ...]", self.domain.columns)

    def __str__(self) -> str:
        return self.source


@dataclass(frozen=True)
class CountedBoxes(BoxFamily):
    """The boxes over ranges and the constant 0, counted: one pass over the boxes, none is stored.

    It is `Boxes` beyond the limit of a table, and `Conjunctions` too: a literal is a side of a column
    of 0s and 1s.  ``monotone`` takes only the sides that end at 1, and no constant 0.  With V boxes the
    scores take O(V), at 1 or 2 ns each.

    >>> from littlestone.classes import parse_class
    >>> H = parse_class("conjunctions(a, b, c, d, e, f, g, h, i, j, k, l)")
    >>> H.size, H.littlestone_bounds()
    (531442, (13, 13))
    """

    domain: Product
    source: str
    monotone: bool = False

    def require_scorable(self) -> None:
        sizes = [grid.size for grid in self.grids]
        points, most = self.domain.size or 0, MOST_MONOTONE if self.monotone else MOST_COUNTED
        blocks = 0 if self.monotone else boxes_on([sizes[j] for j in first_columns(sizes)])
        if points > MOST_CELLS or self.size > most or blocks > MOST_BLOCKS:
            raise TooLargeError(
                f"count the errors of {self}",
                found=f"there are {in_digits(self.size)} hypotheses on {in_digits(points)} points; "
                f"at most {most:,} on {MOST_CELLS:,} points are counted"
                + (f", in {MOST_BLOCKS:,} parts" if blocks > MOST_BLOCKS else ""),
                fix="declare fewer columns, shorter ranges or a coarser step",
            )

    @property
    def size(self) -> int:
        sizes = [grid.size for grid in self.grids]
        return 1 << len(sizes) if self.monotone else boxes_on(sizes) + 1

    @property
    def free_points(self) -> int:
        """A point inside keeps the label 1, and a box holds each end of each range or not."""
        return max(1, sum(min(grid.size - 1, 2) for grid in self.grids))

    def littlestone_bounds(self) -> tuple[int, int]:
        """LDim twice if no range has more than two points.

        Else, below: an interval in one column, and independent ends in the others (Theorem 5).
        """
        sizes = [grid.size for grid in self.grids]
        exact = len(sizes) if self.monotone else closed_forms.two_point_boxes(sizes)
        return (closed_forms.boxes(sizes), halving(self.size)) if exact is None else (exact, exact)

    def search_table(self) -> SearchTable | None:
        """All boxes, or the nonempty ones on ranges of half as many points, each worth 2 mistakes."""
        bounds = self.littlestone_bounds()
        sizes, gain = [grid.size for grid in self.grids], 0
        # A range of 2 m + 1 points forces two mistakes more than one of m, at least
        # (docs/proofs/closed-forms.md, Theorem 5).
        while (boxes_on(sizes) + 1) * prod(sizes) > MOST_ENTRIES and max(sizes) > 2:
            longest = sizes.index(max(sizes))
            sizes[longest], gain = (sizes[longest] - 1) // 2, gain + 2
        if bounds[0] == bounds[1] or (boxes_on(sizes) + 1) * prod(sizes) > MOST_ENTRIES:
            return None
        rows = box_rows(sizes)[1:] if gain else box_rows(sizes)
        reason = f"a search of the boxes on ranges of {sizes} points, {self.proof}, Theorem 5"
        table = PackedTable.pack(rows)
        return SearchTable(
            table, bounds, gain, whole=not gain, **({"reason": reason} if gain else {})
        )

    @property
    def most_errors(self) -> int:
        return MOST_ERRORS

    def scores(self, sample: Sample[Any]) -> Scores:
        grids, positives = self.grids, int(sample.positives.sum())
        weights = cells(sample, [grid.size for grid in grids], [grid.low for grid in grids])
        if self.monotone:
            errors = weights
            for axis in range(len(grids)):
                ones = errors.take([1], axis=axis)
                errors = np.concatenate([errors.sum(axis=axis, keepdims=True), ones], axis=axis)
            return ErrorRuns(
                errors.ravel().astype(np.int64) + positives, named=self._sides_of_conjunction
            )
        nothing = ErrorRuns(np.array([positives]), named=lambda _: None)
        return either([nothing, BoxCounts(weights, positives).runs()])

    def _sides_of_conjunction(self, number: int) -> tuple[tuple[int, int], ...]:
        """The sides of a monotone conjunction: its digits are the columns that must be 1."""
        n = len(self.grids)
        return tuple((number >> n - 1 - j & 1, 1) for j in range(n))

    def hypothesis_of_item(self, item: Any) -> Box:
        if item is None:
            return Box(self.domain, None)
        lows = (grid.low for grid in self.grids)
        return Box(self.domain, tuple((a + c, b + c) for (a, b), c in zip(item, lows, strict=True)))
