"""The compiled counter of flats by the weight of the points in them."""

from __future__ import annotations

from typing import Any

import numpy as np
from numba import int32, int64, uint16, void

from littlestone.dimension.engine.compiling import compiled

_TABLE = uint16[:, ::1]
_POINTS = uint16[:, ::1]


@compiled(
    void(
        _POINTS,
        int64[::1],
        _POINTS,
        int64[::1],
        _TABLE,
        _TABLE,
        int64[::1],
        int64[::1],
        int64,
        int64,
        int64,
        int64[::1],
        int64[::1],
        int32[::1],
        int64[::1],
    )
)
def counted_flats(
    points: Any,
    weights: Any,
    infinity: Any,
    infinite_weights: Any,
    product: Any,
    minus: Any,
    pivots: Any,
    free: Any,
    first: int,
    last: int,
    base: int,
    sums: Any,
    seen: Any,
    touched: Any,
    found: Any,
) -> None:
    """Add up how many flats have which errors, for the directions number ``first``, ..., ``last`` - 1.

    A direction space W has the reduced echelon form with these ``pivots``; its entries in the ``free``
    columns to their right are the digits of its number.  Each of its cosets is a flat.  The coset of a
    point is the number whose digits are its coordinates modulo W in the free columns.  A flat has
    ``base`` errors, plus the weights of its points, plus those of the ``infinity`` points in W.
    ``found[e]`` counts the flats with e errors.  ``sums`` and ``seen`` have an entry for each coset,
    and are 0 and below ``first`` at first.
    """
    q, rank, width = len(product), len(pivots), len(free)
    entries = np.zeros((rank, width), np.int64)
    cosets = 1
    for _ in range(width):
        cosets *= q
    for number in range(first, last):
        rest = number
        for r in range(rank):
            for f in range(width):
                entries[r, f] = 0
                if free[f] > pivots[r]:
                    entries[r, f] = rest % q
                    rest //= q
        own = base
        for p in range(infinity.shape[1]):
            inside = True
            for f in range(width):
                y = int64(infinity[free[f], p])
                for r in range(rank):
                    y = int64(minus[y, product[entries[r, f], infinity[pivots[r], p]]])
                if y != 0:
                    inside = False
                    break
            if inside:
                own += infinite_weights[p]
        count = 0
        for p in range(points.shape[1]):
            key = 0
            for f in range(width):
                y = int64(points[free[f], p])
                for r in range(rank):
                    y = int64(minus[y, product[entries[r, f], points[pivots[r], p]]])
                key = key * q + y
            if seen[key] != number:
                seen[key] = number
                sums[key] = 0
                touched[count] = key
                count += 1
            sums[key] += weights[p]
        for i in range(count):
            found[own + sums[touched[i]]] += 1
        found[own] += cosets - count
