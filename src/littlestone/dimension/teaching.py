"""The teaching dimension of a table: how many labelled points identify a hypothesis."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

import numpy as np

from littlestone.dimension.label_table import LabelTable
from littlestone.errors import DeclarationError


def teaching_dimension(table: Any) -> int:
    """TD(H) = max over h of the smallest |S| such that h alone has its labels on S.

    ``table`` is an N x m table of labels 0..k; see `LabelTable.of`.  Raises `DeclarationError` for
    anything else.  N minimum hitting sets, each exponential in the worst case.
    Introduced by Goldman and Kearns (GK95).

    >>> teaching_dimension([[0, 0, 0], [1, 0, 0], [0, 1, 0], [0, 0, 1]])
    3
    """
    return max(len(points) for points in teaching_sets(table).values())


def teaching_sets(table: Any) -> dict[int, tuple[int, ...]]:
    """A teaching set of every hypothesis, none larger than TD(H); the largest are smallest possible.

    The hypotheses are the first ones of equal rows, by their numbers; the sets, numbers of points.

    >>> teaching_sets([[0, 0], [0, 1], [1, 1]])
    {0: (1,), 1: (0, 1), 2: (0,)}
    """
    H = LabelTable.of(table)
    found = {h: _greedy(H, h) for h in range(len(H.hypotheses)) if H.alive >> h & 1}
    worst = 0
    for h in sorted(found, key=lambda h: -len(found[h])):
        # A hypothesis that as many points teach as some other one needs cannot raise the dimension.
        if len(found[h]) > worst:
            found[h] = _smallest(_differences(H, h), found[h], enough=worst)
            worst = max(worst, len(found[h]))
    return found


def smallest_teaching_set(table: Any, h: int) -> tuple[int, ...]:
    """A smallest set of points on which hypothesis number ``h`` differs from every other function.

    Raises `DeclarationError` if there is no such hypothesis.

    >>> smallest_teaching_set([[0, 0, 1], [0, 1, 1], [1, 1, 1]], 1)
    (0, 1)
    """
    H = LabelTable.of(table)
    if not 0 <= h < len(H.hypotheses):
        raise DeclarationError(
            f"teach hypothesis {h}",
            found=f"they are numbered 0..{len(H.hypotheses) - 1}",
            fix="give the number of a row",
        )
    return _smallest(_differences(H, h), _greedy(H, h))


def is_teaching_set(table: Any, h: int, points: Iterable[int]) -> bool:
    """Whether no other function of the table has the labels of hypothesis ``h`` on the ``points``.

    >>> is_teaching_set([[0, 0], [0, 1], [1, 1]], 1, [0])
    False
    """
    H, chosen = LabelTable.of(table), list(points)
    count, width = H.values.shape
    if not 0 <= h < count or not all(0 <= x < width for x in chosen):
        return False
    agree = (H.values[:, chosen] == H.values[h, chosen]).all(axis=1)
    return bool((H.values[agree] == H.values[h]).all())


def _differences(H: LabelTable, h: int) -> list[int]:
    """The inclusion-minimal masks of points where another function differs from h, smallest first."""
    packed = np.packbits(H.values != H.values[h], axis=1, bitorder="little")
    masks = {int.from_bytes(row.tobytes(), "little") for row in packed}
    minimal: list[int] = []
    for mask in sorted(masks - {0}, key=int.bit_count):
        if not any(mask & smaller == smaller for smaller in minimal):
            minimal.append(mask)
    return minimal


def _greedy(H: LabelTable, h: int) -> tuple[int, ...]:
    """A teaching set of h, each time with the point at which most of the rest differ from it."""
    left = H.values != H.values[h]
    left = left[left.any(axis=1)]
    chosen = []
    while len(left):
        x = int(left.sum(axis=0).argmax())
        chosen.append(x)
        left = left[~left[:, x]]
    return tuple(sorted(chosen))


def _smallest(sets: list[int], known: tuple[int, ...], enough: int = 0) -> tuple[int, ...]:
    """A smallest set of points that hits every set; or any of at most ``sample_size`` points.

    ``known`` hits every set.

    1. Branch on the points of a smallest set; a point that was tried is forbidden to later branches.
    2. Disjoint sets need a point each, and one point hits at most so many: two lower bounds.
    """
    best = known

    def search(chosen: tuple[int, ...], left: list[int]) -> None:
        nonlocal best
        if not left:
            best = tuple(sorted(chosen))
            return
        room = len(best) - 1 - len(chosen)
        left = sorted(left, key=int.bit_count)
        if room < max(1, enough - len(chosen)) or left[0] == 0 or _disjoint(left) > room:
            return
        hits = {x: sum(mask >> x & 1 for mask in left) for x in _points(left)}
        if sum(sorted(hits.values(), reverse=True)[:room]) < len(left):
            return
        forbidden = 0
        for x in sorted(_points(left[:1]), key=lambda x: -hits[x]):
            search((*chosen, x), [mask & ~forbidden for mask in left if not mask >> x & 1])
            forbidden |= 1 << x

    search((), sets)
    return best


def _disjoint(sets: list[int]) -> int:
    """A number of pairwise disjoint sets, chosen in the given order."""
    used = count = 0
    for mask in sets:
        if not mask & used:
            used |= mask
            count += 1
    return count


def _points(sets: Iterable[int]) -> list[int]:
    """The points of the sets, in order."""
    union = 0
    for mask in sets:
        union |= mask
    return [x for x in range(union.bit_length()) if union >> x & 1]
