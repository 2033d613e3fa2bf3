"""The star number of a 0/1 table: the largest star inside it."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from typing import Any

from littlestone.dimension.search.splits import Bracket, last, look
from littlestone.dimension.tables import binary, row_masks


@dataclass(frozen=True)
class Star:
    """A center h_0, points x_1, ..., x_s and hypotheses h_1, ..., h_s, all by their numbers.

    On these points, h_i differs from h_0 only at x_i.
    """

    center: int
    points: tuple[int, ...]
    hypotheses: tuple[int, ...]


def star_number(table: Any) -> int:
    """The largest s for which H has a star of s points; see `Star`.

    ``table`` is an N x m table of 0s and 1s; see `LabelTable.of`.  Raises `DeclarationError` for
    anything else.  Exponential in the worst case; see `largest_star`.  Source: Hanneke and Yang,
    Minimax analysis of active learning (HY15), Definition 2.

    >>> star_number([[0, 0, 0], [1, 0, 0], [0, 1, 0], [0, 0, 1]])
    3
    """
    return len(largest_star(table).points)


def largest_star(table: Any) -> Star:
    """A largest star, by branch and bound over the points of each center.

    For a center h_0, a set S of points is a star iff each x in S has some h with {z in S : h(z) !=
    h_0(z)} = {x}.  A subset of such a set is one too, so points are added one by one.

    >>> largest_star([[0, 0], [1, 0], [0, 1]])
    Star(center=0, points=(0, 1), hypotheses=(1, 2))
    """
    *_, exact = star_brackets(table)
    return exact.witness


def star_bounds(table: Any, *, time_limit: float | None = 10) -> Bracket[Star]:
    """The star number, or what is known of it after ``time_limit`` seconds; ``witness`` is a star.

    >>> star_bounds([[0, 0], [1, 0], [0, 1]]).lower
    2
    """
    return last(star_brackets(table), time_limit)


def star_brackets(table: Any) -> Iterator[Bracket[Star]]:
    """Ever closer bounds of the star number; the last ones are equal."""
    H = binary(table, "find a largest star")
    rows = H.distinct
    masks = row_masks(H.values)
    sets = {h: masks[h] for h in rows}
    best, size = Star(rows[0], (), ()), [0]
    most = min(len(H.points), len(rows) - 1)
    yield Bracket(0, most, best, "the number of hypotheses and points")
    for center in rows:
        # Around a center, a star is a set of points each of which some difference has alone.
        differences = {sets[h] ^ sets[center]: h for h in rows if h != center}
        points = [x for x in range(len(H.points)) if any(d >> x & 1 for d in differences)]
        for found in _larger([], points, list(differences), size):
            mask = sum(1 << x for x in found)
            alone = {(d & mask).bit_length() - 1: h for d, h in differences.items()
                     if (d & mask).bit_count() == 1}  # fmt: skip
            best = Star(center, tuple(found), tuple(alone[x] for x in found))
            yield Bracket(len(found), most, best, "the number of hypotheses and points")
    yield Bracket(len(best.points), len(best.points), best, "a search around every hypothesis")


def _larger(
    chosen: list[int], left: Sequence[int], differences: list[int], size: list[int]
) -> Iterator[list[int]]:
    """Ever larger stars that add points of ``left`` to the chosen ones, each of more than size[0].

    ``size`` holds the size of the largest star so far.  ``differences`` are those with at most one of
    the chosen points.
    """
    look()
    if len(chosen) > size[0]:
        size[0] = len(chosen)
        yield chosen
    for i, x in enumerate(left):
        if len(chosen) + len(left) - i <= size[0]:
            break
        mask = sum(1 << z for z in (*chosen, x))
        # A difference with two chosen points can isolate none of them, now or later.
        kept = [d for d in differences if (d & mask).bit_count() <= 1]
        seen = 0
        for d in kept:
            seen |= d & mask
        # Every chosen point is isolated by some difference.
        if seen == mask:
            yield from _larger([*chosen, x], left[i + 1 :], kept, size)


def is_star(table: Any, found: Star) -> bool:
    """Whether each hypothesis differs from the center, among the points, only at its own point.

    >>> is_star([[0, 0], [1, 0], [0, 1]], Star(0, (0, 1), (1, 2)))
    True
    """
    H = binary(table, "check a star")
    height, width = H.values.shape
    numbers: Iterable[int] = (found.center, *found.hypotheses)
    if not all(0 <= h < height for h in numbers) or not all(0 <= x < width for x in found.points):
        return False
    if len(found.points) != len(found.hypotheses) or len({*found.points}) != len(found.points):
        return False
    here = H.values[:, list(found.points)]
    return all(
        (here[h] != here[found.center]).nonzero()[0].tolist() == [i]
        for i, h in enumerate(found.hypotheses)
    )
