"""The values of a float count with numpy's Laplace noise, which are few enough to tell counts apart.

numpy draws Laplace noise as a logarithm of one of 2^53 floats (Mir12).  So only some doubles are
reachable from a given count, and others from its neighbour.
"""

from __future__ import annotations

import math

SCALE = 2.0  # a power of 2, so that multiplying by it rounds nothing


def noisy(count: float, k: int) -> float:
    """Numpy's output for the uniform float k / 2^53, 0 < k < 2^53, with each of its roundings."""
    u = k * 2.0**-53
    if u >= 0.5:
        return count - SCALE * math.log(2.0 - u - u)
    return count + SCALE * math.log(u + u)


def reachable(y: float, count: float) -> bool:
    """Whether any uniform float makes numpy's generator answer ``y`` for ``count`` at scale 2.

    It tries all the floats that could.

    >>> reachable(noisy(0, 2**50 + 1), 0), reachable(noisy(0, 2**50 + 1), 1)
    (True, False)
    """
    tail = math.exp(-abs(y - count) / SCALE) / 2
    middle = round((1 - tail if y >= count else tail) * 2**53)
    # y was rounded once, and its logarithm by less than a unit; four units of either are enough.
    unit = math.ulp(max(abs(y), abs(count), 1.0))
    around = 8 + math.ceil(4 * unit / SCALE * tail * 2**53)
    candidates = range(max(1, middle - around), min(2**53 - 1, middle + around) + 1)
    return any(noisy(count, k) == y for k in candidates)
