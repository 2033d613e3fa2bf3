"""How many records several keys take together until each of them is selected."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import islice

import numpy as np
from numpy.typing import NDArray

from littlestone.privacy.mechanisms.streams.competition import Terms

MOST_SUMMED = 20_000
"""The most records of all keys whose exact law is summed, which takes their square."""

RARE = 1e-6
"""The least probability for which sums of floats are exact enough."""


def least_total(missed: NDArray[np.float64], parts: int, beta: float) -> int:
    """The least M that ``parts`` independent waits exceed together with probability at most ``beta``.

    A wait is longer than m records with probability ``missed[m]``; see `least_sum`.

    >>> least_total(np.array([1.0, 0.5, 0.0]), 2, 0.3)
    3
    """
    return least_sum([(missed, parts)], beta)


def least_sum(waits: Sequence[tuple[NDArray[np.float64], int]], beta: float) -> int:
    """The least M that independent waits exceed together with probability at most ``beta``.

    ``waits`` are pairs (missed, count): ``count`` independent waits, each longer than m records with
    probability ``missed[m]``.  One that is longer than all of them counts as endless, so the last
    probability must be far below beta / parts, for all parts together.  If the waits may have more than
    `MOST_SUMMED` records together, or if beta is below `RARE`, M is the sum of the numbers that each
    exceeds with probability at most beta / parts, which is larger.

    >>> least_sum([(np.array([1.0, 0.5, 0.0]), 1), (np.array([1.0, 0.0]), 1)], 0.3)
    3
    """
    # The margins cover the rounding of sums of a few thousand numbers.
    if sum((len(missed) - 1) * times for missed, times in waits) > MOST_SUMMED or beta < RARE:
        share = beta / max(1, sum(times for _, times in waits))
        each = ((missed * (1 + 1e-9) <= share, times) for missed, times in waits)
        return sum(int(np.argmax(rare)) * times for rare, times in each)
    total = np.ones(1)
    for missed, times in waits:
        for _ in range(times):
            # The exact law of a sum of independent waits, one convolution a wait.
            total = np.convolve(total, np.append(0.0, missed[:-1] - missed[1:]))
    return int(np.argmax(1 - np.cumsum(total) + 1e-9 <= beta))


def wait(terms: Terms, rare: float) -> NDArray[np.float64]:
    """S(m) of these terms for m = 0, 1, ..., down to ``rare`` or less."""
    return np.fromiter(islice(terms.miss_bounds(), terms.sample_size(rare) + 1), float)
