"""Indicators of boxes, one interval for each range; words for sets of records as few boxes."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Self

import numpy as np
from numpy.typing import NDArray

from littlestone.points import Domain, FiniteColumn, Grid, Product
from littlestone.rules.base import BinaryHypothesis
from littlestone.rules.languages.form import Outcome, both, case, interval
from littlestone.rules.nodes import ColumnTest

Places = tuple[Sequence[int], ...]
"""The places along each axis, which stand in order; a range along the axis of a `Grid`."""

MOST_BOXES = 50
"""The most boxes that are named in words."""

_WORK = 1 << 22  # records times boxes: at most 4 boxes of a million records are looked for
_ORDERS = 4  # ways to grow a box that are compared


def box_cover(inside: NDArray[np.bool_], sets: Sequence[int] = ()) -> list[Places] | None:
    """Boxes whose union is the set where ``inside`` is true; None if more than `MOST_BOXES` are needed.

    A box is an interval along each axis, and any set of places along the axes ``sets``.

    It is greedy: a box grows from the first uncovered point, along one axis after another, in several
    orders, and the box that covers the most new points is taken.  A set that is a box is one box.
    Boxes that the others cover are left out.  On many records fewer boxes are allowed, so that it takes
    about a second at most.

    >>> box_cover(np.array([[1, 1, 1], [1, 0, 0]], dtype=bool))
    [(range(0, 1), range(0, 3)), (range(0, 2), range(0, 1))]
    >>> box_cover(np.array([[1, 0, 1], [0, 0, 0]], dtype=bool), sets=[1])
    [(range(0, 1), (0, 2))]
    """
    most = max(1, min(MOST_BOXES, _WORK // inside.size))
    uncovered, found = inside.copy(), list[Places]()
    while uncovered.any():
        if len(found) == most:
            return None
        first = np.unravel_index(int(uncovered.argmax()), inside.shape)
        start = tuple(int(place) for place in first)
        axes = list(range(inside.ndim))
        grown = (
            _grow(inside, start, axes[i:] + axes[:i], sets) for i in range(min(_ORDERS, len(axes)))
        )
        best = max(grown, key=lambda box: int(uncovered[np.ix_(*box)].sum()))
        uncovered[np.ix_(*best)] = False
        found.append(best)
    times = np.zeros(inside.shape, np.int64)
    for box in found:
        times[np.ix_(*box)] += 1
    for box in list(found):
        if len(found) > 1 and (times[np.ix_(*box)] > 1).all():
            times[np.ix_(*box)] -= 1
            found.remove(box)
    return found


def _grow(
    inside: NDArray[np.bool_], start: Sequence[int], axes: Sequence[int], sets: Sequence[int]
) -> Places:
    """The point ``start`` grown along each axis in turn, as far as all of the box is inside."""
    box: list[Sequence[int]] = [(place,) for place in start]
    for axis in axes:
        box[axis] = range(inside.shape[axis])
        others = tuple(other for other in range(inside.ndim) if other != axis)
        free: NDArray[np.bool_] = np.asarray(inside[np.ix_(*box)].all(axis=others))
        if axis in sets:
            box[axis] = tuple(np.flatnonzero(free).tolist())
            continue
        stops = np.flatnonzero(~free)
        at = int(np.searchsorted(stops, start[axis]))
        low = int(stops[at - 1]) + 1 if at else 0
        high = int(stops[at]) if at < len(stops) else len(free)
        box[axis] = range(low, high)
    return tuple(box)


def cover_words(boxes: Sequence[Places], columns: Sequence[FiniteColumn | Grid]) -> str:
    """The union of the boxes as a condition; the columns are those of more than one value.

    >>> cover_words([(range(1), range(3)), (range(2), [0])], [Grid(5, 6, "x"), Grid(0, 2, "y")])
    'x = 5 or y = 0'
    """
    rules = [
        [words for sides in zip(box, columns, strict=True) if (words := _side(*sides))]
        for box in boxes
    ]
    several = len(rules) > 1
    return " or ".join(
        f"({_all_of(rule)})" if several and len(rule) > 1 else _all_of(rule) for rule in rules
    )


def _all_of(words: Sequence[str]) -> str:
    grouped = (f"({one})" if len(words) > 1 and " or " in one else one for one in words)
    return " and ".join(grouped)


def _side(places: Sequence[int], column: FiniteColumn | Grid) -> str:
    """The condition that a value is at one of the places of a column; empty for all of them."""
    if len(places) == column.size:
        return ""
    if isinstance(column, FiniteColumn):
        return _one_of(places, column)
    first, last = places[0], places[-1]
    low, high = column.words(column.low + first), column.words(column.low + last)
    if first == last:
        return f"{column.name} = {low}"
    if first == 0:
        return f"{column.name} <= {high}"
    if column.low + last == column.high:
        return f"{column.name} >= {low}"
    return f"{low} <= {column.name} <= {high}"


def _one_of(places: Sequence[int], column: FiniteColumn) -> str:
    """The shorter of "it is one of these" and "it is not one of the others"."""
    table, chosen = Product((column,)), frozenset(column.points[i] for i in places)
    others = ColumnTest(0, frozenset(column.points) - chosen).words(table)
    return min(ColumnTest(0, chosen).words(table), f"not ({others})", key=len)


Record = tuple[int, ...]


@dataclass(frozen=True)
class Box(BinaryHypothesis[Record]):
    """The function 1[a_j <= x_j <= b_j for all columns j], or the constant 0 if ``sides`` is None.

    Its form does not grow with the number of points.  Canonical: no side is empty or leaves its range.

    >>> hours = Product((Grid(0, 23, "hour"), Grid(0, 6, "day")))
    >>> Box(hours, ((8, 23), (1, 1))).words(), Box(hours, None).words()
    ('hour >= 8 and day = 1', 'always 0')
    """

    domain: Domain[Record]  # a Product of grids
    sides: tuple[tuple[int, int], ...] | None

    def __call__(self, x: Record) -> int:
        if self.sides is None:
            return 0
        return int(all(a <= v <= b for (a, b), v in zip(self.sides, x, strict=True)))

    def words(self) -> str:
        if self.sides is None:
            return "always 0"
        columns: Any = self.domain.columns  # type: ignore[attr-defined]
        places = tuple(
            range(a - column.low, b - column.low + 1)
            for column, (a, b) in zip(columns, self.sides, strict=True)
            if column.size > 1
        )
        return cover_words([places], [c for c in columns if c.size > 1]) or "always 1"

    def outcome(self) -> Outcome:
        if self.sides is None:
            return 0
        columns: Any = self.domain.columns  # type: ignore[attr-defined]
        sides = zip(columns, self.sides, strict=True)
        return case([(both(*(interval(column, a, b + 1) for column, (a, b) in sides)), 1)], 0)

    def witness(self, other: Self) -> Record | None:
        if self.sides is None or other.sides is None:
            sides = self.sides or other.sides
            return None if sides is None else tuple(a for a, _ in sides)
        for inside, outside in ((self.sides, other.sides), (other.sides, self.sides)):
            x = [a for a, _ in inside]
            for j, ((a, b), (c, d)) in enumerate(zip(inside, outside, strict=True)):
                if a < c or b > d:
                    x[j] = a if a < c else b
                    return tuple(x)
        return None

    def form(self) -> dict[str, object]:
        return {"sides": None if self.sides is None else [list(side) for side in self.sides]}

    @classmethod
    def from_form(cls, domain: Domain[Any], form: Mapping[str, Any]) -> Self:
        sides = form["sides"]
        columns = domain.columns if isinstance(domain, Product) else ()
        if not columns or not all(isinstance(column, Grid) for column in columns):
            raise ValueError
        if sides is None:
            return cls(domain, None)
        legal = isinstance(sides, list) and len(sides) == len(columns)
        if not legal or not all(_is_side(*pair) for pair in zip(sides, columns, strict=True)):
            raise ValueError
        return cls(domain, tuple((a, b) for a, b in sides))


def _is_side(side: object, column: Any) -> bool:
    return (
        isinstance(side, list)
        and len(side) == 2
        and all(type(end) is int for end in side)
        and column.low <= side[0] <= side[1] <= column.high
    )
