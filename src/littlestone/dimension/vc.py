"""The VC dimension of a 0/1 table, and a set of points that it shatters."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from littlestone.dimension.collapsing import psi_n, questions
from littlestone.dimension.search.shattered_sets import largest_shattered
from littlestone.dimension.tables.label_table import binary


def vc_dimension(table: Any) -> int:
    """VC(H), the largest number of points on which H has all 2^d patterns of labels.

    ``table`` is an N x m table of 0s and 1s, one row per hypothesis; see `LabelTable.of`.  Raises
    `DeclarationError` for anything else.  O(m^d) sets in the worst case, d <= log2 N.
    Introduced by Vapnik and Chervonenkis (VC71).

    >>> vc_dimension([[0, 0, 0], [0, 0, 1], [0, 1, 1], [1, 1, 1]])
    1
    """
    return len(shattered_set(table))


def shattered_set(table: Any) -> tuple[int, ...]:
    """The numbers of the points of a largest shattered set.

    >>> shattered_set([[0, 0, 1], [0, 1, 1], [1, 1, 0], [1, 1, 1], [1, 0, 1]])
    (0, 1)
    """
    H = binary(table, "take the VC dimension")
    found = largest_shattered(questions(H, psi_n), H.alive)
    return tuple(sorted(question.point for question in found))


def is_shattered_set(table: Any, points: Sequence[int]) -> bool:
    """Whether the table has all 2^d patterns on the d distinct ``points``; O(N d).

    >>> is_shattered_set([[0, 0], [0, 1], [1, 1]], [0, 1])
    False
    """
    H = binary(table, "check a shattered set")
    if not all(0 <= x < len(H.points) for x in points) or len(set(points)) < len(points):
        return False
    patterns = set(map(tuple, H.values[:, list(points)].tolist()))
    return len(patterns) == 1 << len(points)
