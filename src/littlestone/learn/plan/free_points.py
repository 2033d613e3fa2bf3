"""Points that get all labels from a class; docs/proofs/lower-bounds.md, *Points*."""

from __future__ import annotations

import random
from collections.abc import Iterator
from contextlib import suppress
from typing import Any

import numpy as np

from littlestone.base.errors import TooLargeError
from littlestone.base.steps import answering
from littlestone.classes.base import HypothesisClass
from littlestone.classes.lookup import Lookup
from littlestone.classes.parities import Parities
from littlestone.classes.promises.by_table import ByTable
from littlestone.classes.promises.counted import BoxFamily
from littlestone.classes.promises.covering import PointCovering
from littlestone.classes.promises.tabled import TableClass
from littlestone.points import Point

MOST = 10
"""The most points of a search, which looks at 2^10 version spaces."""
_SMALL = 256  # points of a domain
_MOST_SIDES = 1 << 16
_SAMPLE = 32  # points whose labels by all hypotheses are compared, as bits of one number
_MOST_ROWS = 1 << 21  # hypotheses that are


def free_points(H: HypothesisClass[Point]) -> int:
    """A number m >= 1 of points that get all 2^m labellings while one more point keeps its label.

    H has three hypotheses.  For sets and lookup tables over an open vocabulary, m is LDim(H): new keys
    are free as long as the set is not full, and one more is left out.  The same holds for parities:
    points are free if no equation relates them, except for the point 0; a constant b takes one away.
    Classes beyond a table know some of their points, or have their labels at a few points searched.
    For other classes `shattered_points` searches, as far as it comes, and the last of its points
    keeps a label if no other point does.
    """
    # The cases are those of docs/proofs/lower-bounds.md, "Points".
    if isinstance(H, PointCovering | Lookup | Parities):
        b = isinstance(H, Parities) and H.affine
        return max(1, int(H.littlestone_dimension()) - b)
    if isinstance(H, BoxFamily):
        return H.free_points
    if isinstance(H, ByTable) and H.space is None and H.labels == 2 and H.forms <= _MOST_ROWS:
        return _free_of_rows(H)
    found, more = list[Point](), False
    # Of three hypotheses two agree at a point and differ at another.
    with suppress(TooLargeError), answering():
        for points in _growing(H, MOST):
            found = points
        more = _one_more(H, found)
    return max(1, len(found) if more else len(found) - 1)


def _free_of_rows(H: ByTable) -> int:
    """`free_points` of a class that lists the labels of all its hypotheses, among a few points."""
    rng = random.Random(0)  # the points need not be secret, and are the same each time
    small = H.domain.size is not None and H.domain.size <= _SAMPLE
    points = list(H.domain) if small else [H.domain.random_point(rng) for _ in range(_SAMPLE)]
    points = list(dict.fromkeys(points))
    # The labels of a hypothesis at all points are one number of 32 bits, so equal ones are found by
    # sorting.
    packed = np.packbits(np.asarray(H.labels_of_forms(points), bool), axis=1, bitorder="little")
    numbers = np.zeros((len(packed), 4), np.uint8)
    numbers[:, : packed.shape[1]] = packed
    functions = np.unique(numbers.view("<u4"))
    labels = (functions[:, None] >> np.arange(len(points), dtype=np.uint32)) & 1
    chosen, codes = list[int](), np.zeros(len(functions), np.int64)
    for _ in range(MOST):
        for j in range(len(points)):
            split = 2 * codes + labels[:, j]
            # The new point splits each of the 2^m labellings so far.
            if _all_occur(split, 2 << len(chosen)):
                chosen, codes = [*chosen, j], split
                break
        else:
            break
    m = len(chosen)
    keeps = any(
        _all_occur(codes[labels[:, j] == y], 1 << m) for j in range(len(points)) for y in (0, 1)
    )
    return max(1, m if keeps else m - 1)


def _all_occur(codes: Any, count: int) -> bool:
    return bool(np.bincount(codes, minlength=count).all())


def _one_more(H: HypothesisClass[Point], points: list[Point]) -> bool:
    """Whether another point can have one label whatever the labels of ``points`` are."""
    cells = [H]
    for x in points:
        cells = [cell.restrict(x, y) for cell in cells for y in (0, 1)]
    small = H.domain.size is not None and H.domain.size <= _SMALL
    others = list[Point | None](H.domain) if small else [c.mistake_point() for c in cells[:1]]
    others += [] if small else H.domain.examples(len(points) + 2)
    return any(
        not any(cell.restrict(x, y).is_empty() for cell in cells)
        for x in others
        if x is not None and x not in points
        for y in (0, 1)
    )


def shattered_points(H: HypothesisClass[Point], most: int = MOST) -> list[Point]:
    """At most ``most`` points that H shatters, chosen greedily.

    Candidates are all points of a small domain, and otherwise those where a mistake can be forced.  All
    2^k version spaces after k points are nonempty, so k <= VC(H), and k may be smaller.  In a table,
    the search ends when it needs more than `_MOST_SIDES` columns of all cells.

    >>> from littlestone.classes import parse_class
    >>> len(shattered_points(parse_class("subsets(merchant; at most 3)")))
    3
    """
    found = list[Point]()
    for points in _growing(H, most):
        found = points
    return found


def _growing(H: HypothesisClass[Point], most: int) -> Iterator[list[Point]]:
    """The points of `shattered_points`, one more each time."""
    points: list[Point] = []
    cells = [H]
    small = H.domain.size is not None and H.domain.size <= _SMALL
    domain: list[Point | None] = list(H.domain) if small else []
    while len(points) < most:
        if isinstance(H, TableClass) and not small and len(cells) * len(H.columns) > _MOST_SIDES:
            return
        for x in domain or dict.fromkeys(cell.mistake_point() for cell in cells):
            if x is None or x in points:
                continue
            halves = [cell.restrict(x, y) for cell in cells for y in (0, 1)]
            if not any(half.is_empty() for half in halves):
                points, cells = [*points, x], halves
                yield points
                break
        else:
            return
