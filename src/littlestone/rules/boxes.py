"""Sets of records in words, as few boxes of them: "x >= 3 and y = 1, or z < 2"."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from littlestone.points import Domain, Grid, Parted, Product
from littlestone.rules.trees import ColumnTest

Box = tuple[Sequence[int], ...]
"""The places along each axis, which stand in order; a range along the axis of a `Grid`."""

MOST_BOXES = 50
"""The most boxes that are named in words."""

_WORK = 1 << 22  # records times boxes: at most 4 boxes of a million records are looked for
_ORDERS = 4  # ways to grow a box that are compared


def box_cover(inside: NDArray[np.bool_], sets: Sequence[int] = ()) -> list[Box] | None:
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
    uncovered, found = inside.copy(), list[Box]()
    while uncovered.any():
        if len(found) == most:
            return None
        first = np.unravel_index(int(uncovered.argmax()), inside.shape)
        start = tuple(int(place) for place in first)
        axes = list(range(inside.ndim))
        grown = (
            _grown(inside, start, axes[i:] + axes[:i], sets) for i in range(min(_ORDERS, len(axes)))
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


def _grown(
    inside: NDArray[np.bool_], start: Sequence[int], axes: Sequence[int], sets: Sequence[int]
) -> Box:
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


def cover_words(boxes: Sequence[Box], columns: Sequence[Domain[Any]]) -> str:
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


def _side(places: Sequence[int], column: Domain[Any]) -> str:
    """The condition that a value is at one of the places of a column; empty for all of them."""
    if len(places) == column.size:
        return ""
    if isinstance(column, Parted):
        return _one_of(places, column)
    assert isinstance(column, Grid)
    first, last = places[0], places[-1]
    low, high = column.words(column.low + first), column.words(column.low + last)
    if first == last:
        return f"{column.name} = {low}"
    if first == 0:
        return f"{column.name} <= {high}"
    if column.low + last == column.high:
        return f"{column.name} >= {low}"
    return f"{low} <= {column.name} <= {high}"


def _one_of(places: Sequence[int], column: Parted) -> str:
    """The shorter of "it is one of these" and "it is not one of the others"."""
    table, chosen = Product((column,)), frozenset(column.points[i] for i in places)
    others = ColumnTest(0, frozenset(column.points) - chosen).words(table)
    return min(ColumnTest(0, chosen).words(table), f"not ({others})", key=len)
