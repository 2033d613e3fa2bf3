"""Sets of records in words, as few boxes of them: "x >= 3 and y = 1, or z < 2"."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from littlestone.domains import Grid

Box = tuple[tuple[int, int], ...]
"""The first and the last place along each axis."""

MOST_BOXES = 50
"""The most boxes that are named in words."""

_WORK = 1 << 22  # records times boxes: at most 4 boxes of a million records are looked for
_ORDERS = 4  # ways to grow a box that are compared


def box_cover(inside: NDArray[np.bool_]) -> list[Box] | None:
    """Boxes whose union is the set where ``inside`` is true; None if more than `MOST_BOXES` are needed.

    It is greedy: a box grows from the first point that is not covered, along one axis after another, in
    several orders, and the one that covers most new points is taken.  A set that is a box is one box.
    Boxes that the others cover are left out.  On many records fewer boxes are allowed, so that it takes
    about a second at most.

    >>> corner = np.array([[1, 1, 1], [1, 0, 0]], dtype=bool)
    >>> box_cover(corner)
    [((0, 0), (0, 2)), ((0, 1), (0, 0))]
    """
    most = max(1, min(MOST_BOXES, _WORK // inside.size))
    uncovered, found = inside.copy(), list[Box]()
    while uncovered.any():
        if len(found) == most:
            return None
        first = np.unravel_index(int(uncovered.argmax()), inside.shape)
        start = tuple(int(place) for place in first)
        axes = list(range(inside.ndim))
        grown = (_grown(inside, start, axes[i:] + axes[:i]) for i in range(min(_ORDERS, len(axes))))
        best = max(grown, key=lambda box: int(uncovered[_slices(box)].sum()))
        uncovered[_slices(best)] = False
        found.append(best)
    times = np.zeros(inside.shape, np.int64)
    for box in found:
        times[_slices(box)] += 1
    for box in list(found):
        if len(found) > 1 and (times[_slices(box)] > 1).all():
            times[_slices(box)] -= 1
            found.remove(box)
    return found


def _slices(box: Box) -> tuple[slice, ...]:
    return tuple(slice(first, last + 1) for first, last in box)


def _grown(inside: NDArray[np.bool_], start: Sequence[int], axes: Sequence[int]) -> Box:
    """The point ``start`` grown along each axis in turn, as far as all of the box is inside."""
    ends = [(place, place) for place in start]
    for axis in axes:
        ends[axis] = (0, inside.shape[axis] - 1)
        others = tuple(other for other in range(inside.ndim) if other != axis)
        free: NDArray[np.bool_] = np.asarray(inside[_slices(tuple(ends))].all(axis=others))
        stops = np.flatnonzero(~free)
        at = int(np.searchsorted(stops, start[axis]))
        low = int(stops[at - 1]) + 1 if at else 0
        high = int(stops[at]) - 1 if at < len(stops) else len(free) - 1
        ends[axis] = (low, high)
    return tuple(ends)


def cover_words(boxes: Sequence[Box], columns: Sequence[Grid]) -> str:
    """The union of the boxes as a condition; the columns are those of more than one value.

    >>> cover_words([((0, 0), (0, 2)), ((0, 1), (0, 0))], [Grid(5, 6, "x"), Grid(0, 2, "y")])
    'x = 5 or y = 0'
    """
    rules = [_pieces(box, columns) for box in boxes]
    return " or ".join(
        f"({' and '.join(rule)})" if len(rules) > 1 and len(rule) > 1 else " and ".join(rule)
        for rule in rules
    )


def _pieces(box: Box, columns: Sequence[Grid]) -> list[str]:
    pieces = []
    for column, (first, last) in zip(columns, box, strict=True):
        low, high = column.words(column.low + first), column.words(column.low + last)
        above, below = first > 0, column.low + last < column.high
        if first == last:
            pieces.append(f"{column.name} = {low}")
        elif above and below:
            pieces.append(f"{low} <= {column.name} <= {high}")
        elif above:
            pieces.append(f"{column.name} >= {low}")
        elif below:
            pieces.append(f"{column.name} <= {high}")
    return pieces
