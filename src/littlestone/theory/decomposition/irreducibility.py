"""Irreducible version spaces, and labelled paths that reduce others (Lyu25, section 4.1)."""

from __future__ import annotations

from typing import Any

from littlestone.classes import HypothesisClass
from littlestone.points import Point


def is_irreducible(H: HypothesisClass[Any], k: int) -> bool:
    """Whether no k points reduce H: LDim(H|(x_1,SOA_H(x_1)),...,(x_k,SOA_H(x_k))) = LDim(H).

    Lyu25, Definition 4.1.  Raises as `HypothesisClass.soa` does.  Cost: that of `reducing_points`.

    >>> from littlestone.classes import Points, Thresholds
    >>> from littlestone.points import Strings
    >>> is_irreducible(Points(Strings()), 1000), is_irreducible(Thresholds.on(0, 5), 2)
    (True, False)
    """
    return H.reducing_points(k) is None


def reducing_path(H: HypothesisClass[Point], k: int) -> tuple[tuple[Point, int], ...] | None:
    """At most k examples (x, SOA_H(x)) that lower LDim(H), the last of them for the first time.

    None iff H is k-irreducible.  Otherwise the version spaces off the path, one per point, and the one
    at its end cover H, and all have a lower dimension (Lyu25, after Definition 4.1).

    >>> from littlestone.classes import Thresholds
    >>> reducing_path(Thresholds.on(0, 4), 2)
    ((2, 1),)
    """
    # The search may be untrusted: `reduces` checks a path by restricting alone.
    points = H.reducing_points(k)
    if points is None:
        return None
    path: list[tuple[Point, int]] = []
    V = H
    for x in points:
        path.append((x, H.soa_label(x)))
        V = V.restrict(*path[-1])
        # Stop at the first fall: further points would lengthen the path for nothing.
        if V.littlestone_dimension() < H.littlestone_dimension():
            break
    return tuple(path)


def reduces(H: HypothesisClass[Point], path: tuple[tuple[Point, int], ...]) -> bool:
    """Whether ``path`` carries the SOA labels of H and lowers LDim(H): the check of `reducing_path`.

    >>> from littlestone.classes import Thresholds
    >>> H = Thresholds.on(0, 4)
    >>> [reduces(H, path) for path in [((2, 1),), ((2, 0),), ((0, 0),)]]
    [True, False, False]
    """
    V = H
    for x, y in path:
        V = V.restrict(x, y)
    labelled = all(y == H.soa_label(x) for x, y in path)
    return labelled and V.littlestone_dimension() < H.littlestone_dimension()
