"""Thresholds, intervals, boxes and half-planes on grids."""

from __future__ import annotations

from itertools import combinations_with_replacement

import numpy as np

from littlestone.theory.families.base import Table, family


@family("thresholds", lambda n: (n + 1, n), (1, 10**6))
def thresholds(n: int) -> Table:
    """The n + 1 thresholds on n points: the first points are 1."""
    return np.tri(n + 1, n, -1, dtype=np.uint8)


@family("intervals", lambda n, k: (2**n, n), (1, 23), (1, 12))
def intervals(n: int, k: int) -> Table:
    """Unions of at most k intervals of n points in a row, with the empty one."""
    sets = np.arange(2**n, dtype=np.uint32)
    sets = sets[np.bitwise_count(sets & ~(sets << np.uint32(1))) <= k]
    bits = sets[:, np.newaxis] >> np.arange(n, dtype=np.uint32) & np.uint32(1)
    return np.asarray(bits, np.uint8)


@family("boxes", lambda n, d: ((n * (n + 1) // 2) ** d + 1, n**d), (1, 10**3), (1, 8))
def boxes(n: int, d: int) -> Table:
    """Axis-parallel boxes in a grid of n^d points, with the empty one."""
    pairs = combinations_with_replacement(range(n), 2)
    x = np.arange(n)
    sides = np.array([(low <= x) & (x <= high) for low, high in pairs])
    found = np.ones((1, 1), bool)
    for _ in range(d):
        found = (found[:, None, :, None] & sides[None, :, None, :]).reshape(
            len(found) * len(sides), -1
        )
    return np.concatenate([np.zeros((1, n**d), np.uint8), found.astype(np.uint8)])


@family("half_planes", lambda n: (8 * n**4, n * n), (1, 64))
def half_planes(n: int) -> Table:
    """What half-planes cut out of a grid of n x n points.

    Each is a first part of the points in the order of a direction.  The order changes only where a
    direction is orthogonal to a line through two points.  Just after it ties are broken along that
    line, and so they are just before the next one.
    """
    x, y = (side.ravel() for side in np.meshgrid(np.arange(n), np.arange(n)))
    steps = range(1 - n, n)
    directions = {(dx // g, dy // g) for dx in steps for dy in steps if (g := np.gcd(dx, dy))}
    sets = set()
    for a, b in directions or {(0, 1)}:
        order = np.lexsort((b * x - a * y, a * x + b * y))
        place = np.empty(n * n, np.int64)
        place[order] = np.arange(n * n)
        sets |= {row.tobytes() for row in np.arange(n * n + 1)[:, np.newaxis] > place}
    return np.array([np.frombuffer(row, np.uint8) for row in sorted(sets)])
