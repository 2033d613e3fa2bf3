"""The star number of a 0/1 table: the largest star inside it."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import Any

from littlestone.dimension.label_table import binary


@dataclass(frozen=True)
class Star:
    """A center h_0, points x_1, ..., x_s and hypotheses h_1, ..., h_s, all by their numbers.

    On these points, h_i differs from h_0 at x_i alone.
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
    H = binary(table, "find a largest star")
    rows = [h for h in range(len(H.hypotheses)) if H.alive >> h & 1]
    sets = {h: sum(1 << x for x, y in enumerate(H.values[h].tolist()) if y) for h in rows}
    best = Star(rows[0], (), ())
    for center in rows:
        differences = {sets[h] ^ sets[center]: h for h in rows if h != center}
        points = [x for x in range(len(H.points)) if any(d >> x & 1 for d in differences)]
        if found := _extended([], points, list(differences), len(best.points)):
            mask = sum(1 << x for x in found)
            alone = {(d & mask).bit_length() - 1: h for d, h in differences.items()
                     if (d & mask).bit_count() == 1}  # fmt: skip
            best = Star(center, tuple(found), tuple(alone[x] for x in found))
    return best


def _extended(
    chosen: list[int], left: Sequence[int], differences: list[int], beat: int
) -> list[int] | None:
    """A largest star that adds points of ``left`` to the chosen ones; None unless it beats the size.

    ``differences`` are those with at most one of the chosen points.
    """
    best = list(chosen) if len(chosen) > beat else None
    for i, x in enumerate(left):
        if len(chosen) + len(left) - i <= max(beat, len(best or ())):
            break
        mask = sum(1 << z for z in (*chosen, x))
        kept = [d for d in differences if (d & mask).bit_count() <= 1]
        seen = 0
        for d in kept:
            seen |= d & mask
        if seen == mask:
            found = _extended([*chosen, x], left[i + 1 :], kept, max(beat, len(best or ())))
            best = found or best
    return best


def is_star(table: Any, found: Star) -> bool:
    """Whether each hypothesis differs from the center, among the points, at its own point alone.

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
