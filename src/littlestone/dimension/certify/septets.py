"""Numbers with seven bits to a byte, the lowest first; the top bit says that more bytes follow."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

MOST = 9  # bytes of a number


def written(numbers: Sequence[int]) -> bytes:
    """The bytes of numbers below 2^63.

    >>> written([0, 127, 300]).hex()
    '007fac02'
    """
    said = np.asarray(numbers, np.uint64).reshape(-1, 1)
    shifts = np.arange(0, 7 * MOST, 7, dtype=np.uint64)
    more = said >> (shifts + np.uint64(7)) > 0
    octets = (said >> shifts).astype(np.uint8) & 127 | more.astype(np.uint8) << 7
    there = np.hstack([np.ones_like(said, np.bool_), more[:, :-1]])
    return octets[there].tobytes()


def read(data: bytes, at: int, count: int) -> tuple[list[int], int] | None:
    """``count`` numbers from the place ``at`` on, and the place after them; None if some are missing.

    >>> read(bytes.fromhex("007fac02"), 0, 3)
    ([0, 127, 300], 4)
    """
    octets = np.frombuffer(data[at : at + MOST * count], np.uint8)
    ends = np.flatnonzero(octets < 128)[:count] + 1
    sizes = np.diff(ends, prepend=0)
    if len(ends) < count or sizes.max() > MOST:
        return None
    octets = octets[: ends[-1]]
    starts = ends - sizes
    shifts = 7 * (np.arange(len(octets)) - np.repeat(starts, sizes))
    parts = (octets & 127).astype(np.uint64) << shifts.astype(np.uint64)
    return np.add.reduceat(parts, starts).tolist(), at + len(octets)
