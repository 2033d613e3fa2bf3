"""The teaching dimension of a table: how many labelled points identify a hypothesis."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import Any

from littlestone.base.errors import DeclarationError
from littlestone.dimension.search.splits import Bracket, last, look
from littlestone.dimension.tables import LabelTable, row_masks


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
    *_, exact = teaching_brackets(table)
    return exact.witness


def teaching_bounds(
    table: Any, *, time_limit: float | None = 10
) -> Bracket[dict[int, tuple[int, ...]]]:
    """The teaching dimension, or what is known of it after ``time_limit`` seconds.

    ``witness`` has a teaching set of every hypothesis, none larger than ``upper``.  Some hypothesis has
    none of fewer than ``lower`` points: a search found that.

    >>> bounds = teaching_bounds([[0, 0], [0, 1], [1, 1]])
    >>> bounds.lower, bounds.upper
    (2, 2)
    """
    return last(teaching_brackets(table), time_limit)


def teaching_brackets(table: Any) -> Iterator[Bracket[dict[int, tuple[int, ...]]]]:
    """Ever closer bounds of the teaching dimension; the last ones are equal."""
    H = LabelTable.of(table)
    every = tuple(range(len(H.points)))
    found = dict.fromkeys(H.distinct, every)
    lower = min(1, H.size - 1)

    def bracket() -> Bracket[dict[int, tuple[int, ...]]]:
        largest = max(map(len, found.values()))
        return Bracket(lower, largest, dict(found), "a teaching set of each hypothesis")

    yield bracket()
    for h in found:
        look()
        found[h] = _greedy(H, h)
    yield bracket()
    for h in sorted(found, key=lambda h: -len(found[h])):
        # A hypothesis that as many points teach as some other one needs cannot raise the dimension.
        if len(found[h]) > lower:
            before = len(found[h]), lower
            found[h] = _smallest(_differences(H, h), found[h], enough=lower)
            lower = max(lower, len(found[h]))
            if before != (len(found[h]), lower):
                yield bracket()


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
    masks = set(row_masks(H.values != H.values[h]))
    minimal: list[int] = []
    for mask in sorted(masks - {0}, key=int.bit_count):
        look()
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
    """A smallest set of points that hits every set; or any of at most ``enough`` points.

    ``known`` hits every set.  Asks for ever larger sets, and starts where counting starts.
    """
    if len(known) <= enough or not sets:
        return known if sets else ()
    hit_by = {x: sum(1 << i for i, mask in enumerate(sets) if mask >> x & 1) for x in _points(sets)}
    # Disjoint sets need a point each.
    least = max(enough, _disjoint(sets))
    for size in range(least, len(known)):
        found = _hitting(sets, hit_by, size)
        if found is not None:
            return tuple(sorted(found))
    return known


def _hitting(sets: list[int], hit_by: dict[int, int], size: int) -> list[int] | None:
    """At most ``size`` points that hit every set, or None.

    A set of sets is a mask here, and ``hit_by[x]`` are those that the point x hits.

    1. Branch on the points of a smallest set; a point that was tried is left out of later branches.
    2. Each remaining point hits at most a known number of the sets, and this bounds how many they hit
       together.
    """

    def search(left: int, allowed: list[int], room: int) -> list[int] | None:
        look()
        if not left:
            return []
        hits = {x: (hit_by[x] & left).bit_count() for x in allowed}
        most = sorted(hits.values(), reverse=True)[:room]
        # Even the best remaining points together leave a set unhit.
        if sum(most) < left.bit_count():
            return None
        if room == 1:
            return [max(hits, key=hits.__getitem__)]
        # Some point of this set is in every hitting set, so branch on its points alone.
        first = (left & -left).bit_length() - 1  # the sets are in the order of their sizes
        here = sorted((x for x in allowed if sets[first] >> x & 1), key=lambda x: -hits[x])
        rest = [x for x in allowed if hits[x]]
        for x in here:
            rest.remove(x)
            found = search(left & ~hit_by[x], rest, room - 1)
            if found is not None:
                return [x, *found]
        return None

    return search((1 << len(sets)) - 1, list(hit_by), size) if size else None


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
