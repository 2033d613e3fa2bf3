"""How many records several keys take together until each of them is selected."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

MOST_SUMMED = 20_000
"""The most records of all keys whose exact law is summed, which takes their square."""

RARE = 1e-6
"""The least probability for which sums of floats are exact enough."""


def least_total(missed: NDArray[np.float64], parts: int, beta: float) -> int:
    """The least M that ``parts`` independent waits exceed together with probability at most ``beta``.

    A wait is longer than m records with probability ``missed[m]``; one that is longer than all of them
    counts as endless, so the last of them must be far below beta / parts.  If the waits may have more
    than `MOST_SUMMED` records together, or if beta is below `RARE`, M is ``parts`` times the number
    that each exceeds with probability at most beta / parts, which is larger.

    >>> least_total(np.array([1.0, 0.5, 0.0]), 2, 0.3)
    3
    """
    if not parts:
        return 0
    # The margins cover the rounding of sums of a few thousand numbers.
    if parts * (len(missed) - 1) > MOST_SUMMED or beta < RARE:
        return parts * int(np.argmax(missed * (1 + 1e-9) <= beta / parts))
    total, one = np.ones(1), np.append(0.0, missed[:-1] - missed[1:])
    for _ in range(parts):
        total = np.convolve(total, one)
    return int(np.argmax(1 - np.cumsum(total) + 1e-9 <= beta))
