"""Linear and affine subspaces of a finite space, counted by their errors."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from functools import cached_property
from itertools import combinations
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from littlestone import core
from littlestone.classes.counting.blocks import Blocks, Tally, tally_of_counts
from littlestone.points import Vector, field_of_order

MOST_STEPS = 1 << 18
"""The most steps of a record: one for each direction space, and one for each product of its equations.

A step takes about 3 ns.
"""

MOST_COSETS = 1 << 24
"""The most cosets of one direction space."""

MOST_ORDER = 1 << 11
"""The largest field whose products are tabled."""

_LOOKS = 1 << 22  # points times directions of a block


class Family(NamedTuple):
    """The direction spaces with the same pivots, of the flats on one level.

    A flat of level i lies where the first i coordinates are 0, and not where the next is 0 as well.
    """

    level: int
    pivots: tuple[int, ...]
    free: tuple[int, ...]

    @property
    def entries(self) -> list[tuple[int, int]]:
        """The places (row, free column) that the echelon form leaves open, as in `counted_flats`."""
        return [(r, f) for r, p in enumerate(self.pivots) for f, c in enumerate(self.free) if c > p]


def families(width: int, most: int, *, affine: bool) -> Iterator[Family]:
    """The families of all flats of rank 1, ..., ``most`` in a space of ``width`` coordinates.

    ``affine`` flats meet the hyperplane where the first coordinate is not 0: they are on level 0.
    """
    for level in range(1 if affine else width):
        rest = range(width - level - 1)
        for rank in range(min(most, width - level)):
            for pivots in combinations(rest, rank):
                yield Family(level, pivots, tuple(c for c in rest if c not in pivots))


def is_countable(q: int, width: int, most: int, *, affine: bool) -> bool:
    """Whether these flats are within the limits; it stops counting beyond them."""
    steps = 0
    for family in families(width, most, affine=affine):
        if family.pivots:
            products = len(family.pivots) * len(family.free)
            steps += q ** len(family.entries) * (1 + products)
            if steps > MOST_STEPS or q ** len(family.free) > MOST_COSETS or q > MOST_ORDER:
                return False
    return True


Item = tuple[Vector, ...]
"""Equations of a flat."""


@dataclass(frozen=True)
class _Level:
    """The points of a sample that matter on one level."""

    points: NDArray[np.uint16]
    weights: NDArray[np.int64]
    infinity: NDArray[np.uint16]
    infinite_weights: NDArray[np.int64]
    places: dict[Vector, int]
    """The weight of each point, for flats that are a point."""
    zero: int
    """The weight of the vector 0, which is in each flat."""


class FlatCounts(Blocks):
    """The flats of rank 1, ..., most; an item has functionals whose common zeros are the flat.

    ``vectors`` are those of the distinct points of a sample, with the coordinate that is 1 for points
    of an affine space in front, and ``weights`` are negatives - positives.  A flat labels with 1 the
    points whose vectors it holds.
    """

    def __init__(
        self,
        q: int,
        width: int,
        most: int,
        vectors: list[Vector],
        weights: NDArray[np.int64],
        positives: int,
        *,
        affine: bool,
    ) -> None:
        self._q, self._width, self._positives = q, width, positives
        self._field = field_of_order(q)
        # A flat errs at most on all positives and on all negatives that outnumber them at a point.
        self._most = positives + int(weights[weights > 0].sum())
        self._levels = [
            self._level(level, vectors, weights) for level in range(1 if affine else width)
        ]
        self._blocks: list[tuple[Family, int, int]] = []
        each = max(1, _LOOKS // max(1, len(vectors)))
        for family in families(width, most, affine=affine):
            spaces = q ** len(family.entries) if family.pivots else 1
            self._blocks += [
                (family, first, min(spaces, first + each)) for first in range(0, spaces, each)
            ]

    def _level(self, level: int, vectors: list[Vector], weights: NDArray[np.int64]) -> _Level:
        field, places, infinity, zero = self._field, dict[Vector, int](), list[Vector](), 0
        heavy = list[int]()
        for v, weight in zip(vectors, weights.tolist(), strict=True):
            # Not on this level: an earlier coordinate is not 0, so no flat of the level holds the
            # point.
            if any(v[:level]):
                continue
            if v[level]:
                x = v if v[level] == 1 else field.scale(field.inverse(v[level]), v)
                places[x[level + 1 :]] = places.get(x[level + 1 :], 0) + weight
            elif any(v):
                infinity.append(v[level + 1 :])
                heavy.append(weight)
            else:
                zero += weight
        width = self._width - level - 1
        listed = list(places)
        if self._q > MOST_ORDER:  # then each flat is a point, and no coordinates are read
            listed, infinity, heavy = [], [], []
        return _Level(
            np.array(listed, dtype=np.uint16).reshape(len(listed), width).T.copy(),
            np.array([places[x] for x in listed], dtype=np.int64),
            np.array(infinity, dtype=np.uint16).reshape(len(infinity), width).T.copy(),
            np.array(heavy, dtype=np.int64),
            places,
            zero,
        )

    @cached_property
    def _tables(self) -> tuple[Any, Any]:
        return self._field.tables()

    @property
    def blocks(self) -> int:
        return len(self._blocks)

    def tally(self, block: int) -> Tally:
        family, first, last = self._blocks[block]
        level = self._levels[family.level]
        base = self._positives + level.zero
        if not family.pivots:
            return self._points(level, family)
        found = np.zeros(self._most + 1, dtype=np.int64)
        self._count(family, first, last, base, found)
        return tally_of_counts(found)

    def _points(self, level: _Level, family: Family) -> Tally:
        """The flats that are one point of the level."""
        base, totals = self._positives + level.zero, dict[int, int]()
        for weight in level.places.values():
            totals[base + weight] = totals.get(base + weight, 0) + 1
        # Points without records: they weigh nothing, and there are too many to list.
        rest = self._q ** len(family.free) - len(level.places)
        totals[base] = totals.get(base, 0) + rest
        kept = sorted(errors for errors in totals if totals[errors])
        return np.array(kept, dtype=np.int64), [totals[errors] for errors in kept]

    def _count(
        self, family: Family, first: int, last: int, base: int, found: NDArray[np.int64]
    ) -> None:
        """Count the flats with the directions first, ..., last - 1."""
        level = self._levels[family.level]
        weighted = level.points, level.weights, level.infinity, level.infinite_weights
        columns = (np.array(which, np.int64) for which in (family.pivots, family.free))
        core.count_flats(first, last, base, found, *self._tables, *weighted, *columns)

    def _weigh_cosets(self, family: Family, number: int) -> NDArray[np.int64]:
        """What each coset of one direction space weighs, with the points at infinity in the space."""
        level, rows = self._levels[family.level], self._entries(family, number)
        product, minus = self._tables

        def cosets(points: NDArray[np.uint16]) -> NDArray[np.int64]:
            found = np.zeros(points.shape[1], np.int64)
            for f, c in enumerate(family.free):
                left = points[c]  # what is left of coordinate c after the pivots are taken away
                for r, p in enumerate(family.pivots):
                    left = minus[left, product[rows[r][f], points[p]]]
                found = found * self._q + left
            return found

        inside = level.infinite_weights[cosets(level.infinity) == 0].sum()
        sums = np.full(self._q ** len(family.free), inside)
        np.add.at(sums, cosets(level.points), level.weights)
        return sums

    def item(self, block: int, errors: int, index: int) -> Item:
        family, first, last = self._blocks[block]
        level = self._levels[family.level]
        base = self._positives + level.zero
        if not family.pivots:
            return self._equations(family, 0, self._place(level, family, errors - base, index))
        while last - first > 1:  # halve the directions
            middle = (first + last) // 2
            found = np.zeros(self._most + 1, dtype=np.int64)
            self._count(family, first, middle, base, found)
            if index < found[errors]:
                last = middle
            else:
                first, index = middle, index - int(found[errors])
        key = int(np.flatnonzero(base + self._weigh_cosets(family, first) == errors)[index])
        place = []
        for _ in family.free:
            key, digit = divmod(key, self._q)
            place.append(digit)
        return self._equations(family, first, tuple(reversed(place)))

    def _entries(self, family: Family, number: int) -> list[list[int]]:
        """The entries of the echelon form in the free columns."""
        rows = [[0] * len(family.free) for _ in family.pivots]
        for r, f in family.entries:
            number, rows[r][f] = divmod(number, self._q)
        return rows

    def _place(self, level: _Level, family: Family, weight: int, index: int) -> Vector:
        """The index-th point of that weight: those of the sample come first."""
        heavy = [x for x, w in level.places.items() if w == weight]
        if index < len(heavy):
            return heavy[index]
        index -= len(heavy)
        # The other points of weight 0, in the order of their numbers.
        q, width = self._q, len(family.free)
        numbers = sorted(sum(a * q**i for i, a in enumerate(reversed(x))) for x in level.places)
        for taken in numbers:
            index += taken <= index
        digits = []
        for _ in range(width):
            index, digit = divmod(index, q)
            digits.append(digit)
        return tuple(reversed(digits))

    def _equations(self, family: Family, number: int, place: Vector) -> Item:
        """Functionals on the space whose common zeros are the flat."""
        width, level, field = self._width, family.level, self._field
        found = [tuple(int(i == j) for i in range(width)) for j in range(level)]
        rows = self._entries(family, number)
        for f, c in enumerate(family.free):
            equation = [0] * width
            equation[level + 1 + c] = 1
            for r, p in enumerate(family.pivots):
                equation[level + 1 + p] = field.negative(rows[r][f])
            equation[level] = field.negative(place[f])
            found.append(tuple(equation))
        return tuple(found)
