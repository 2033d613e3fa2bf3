"""The errors of all intervals of a long range, as sums of what the two ends say."""

from __future__ import annotations

from bisect import bisect_left, bisect_right
from collections.abc import Callable, Sequence
from itertools import accumulate, pairwise
from math import isqrt
from typing import Any

import numpy as np
from numpy.typing import NDArray

from littlestone.data.sample import Sample
from littlestone.privacy.scores import ErrorRuns, ErrorSums, Part, total

Ends = tuple[int, int]

_NEAR = 32
"""Points of a block of the sample whose pairs are scored one by one."""

_EXACT = 1 << 31
"""A range with more values than this may have more pairs of ends than fit in 64 bits."""


class IntervalSums:
    """Groups of intervals a..b whose errors are a sum over their two ends, or those of one run.

    An interval errs on the positives outside and on the negatives inside.  With W(i) the sum of
    negatives - positives over the first i points, it errs P + W(points up to b) - W(points before a)
    times, P being all positives.  The condition a <= b is met by halving the points again and again: a
    group has a before or at a point of the left half, and b at or after one of the right half.
    """

    def __init__(self, sample: Sample[int], size: int) -> None:
        """``size`` is the number of values of the range."""
        order = sorted(range(len(sample.points)), key=sample.points.__getitem__)
        self._points = [sample.points[i] for i in order]
        change = (sample.negatives - sample.positives)[order]
        self._before = np.concatenate([np.zeros(1, np.int64), np.cumsum(change)])
        self._positives = int(sample.positives.sum())
        self._exact = size >= _EXACT
        self._groups: list[list[Part]] = []
        self._names: list[Callable[..., Ends | None]] = []

    def error_sums(self) -> ErrorSums:
        """All groups so far; an item is (a, b), or None for the constant 0."""
        names = self._names
        return ErrorSums(self._groups, lambda place: names[place[0]](*place[1:]))

    def _add(self, parts: list[Part], name: Callable[..., Ends | None]) -> None:
        self._groups.append(parts)
        self._names.append(name)

    def around(self, first: int, start: int, end: int, last: int) -> None:
        """The intervals with first <= a <= start and end <= b <= last, for start <= end."""
        points, before = self._points, self._before
        low, high = bisect_left(points, first), bisect_left(points, start)
        cuts = [first, *(x + 1 for x in points[low:high]), start + 1]
        # Errors of a..b = positives + (before b) - (before a): one term for each end, so ends are
        # drawn apart (docs/proofs/exponential-mechanism.md, Theorem 6).
        starts = ErrorRuns(self._positives - before[low : high + 1], self._lengths(cuts))
        low, high = bisect_right(points, end), bisect_right(points, last)
        cuts = [end, *points[low:high], last + 1]
        ends = ErrorRuns(before[low : high + 1], self._lengths(cuts))
        self._add([starts, ends], lambda i, j: (first + i, end + j))

    def add_gaps(self, gaps: Sequence[Ends]) -> None:
        """The intervals with ends in one of the ``gaps``, and the constant 0."""
        free: list[Ends] = []  # runs without a point of the sample: the first value, and how many
        for first, last in gaps:
            low, high = bisect_left(self._points, first), bisect_right(self._points, last)
            cuts = [first - 1, *self._points[low:high], last + 1]
            free += [(a + 1, b - a - 1) for a, b in pairwise(cuts) if b - a > 1]
            if low < high:
                self._meeting(low, cuts)
        stops = list(accumulate((m * (m + 1) // 2 for _, m in free), initial=1))

        def name(i: int) -> Ends | None:
            k = bisect_right(stops, i)
            if k == 0:
                return None
            first, m = free[k - 1]
            # Counted from the end, the starts have 1, 2, ..., m intervals.
            later = stops[k] - 1 - i
            back = (isqrt(8 * later + 1) - 1) // 2
            last = first + m - 1
            return last - back, last - (later - back * (back + 1) // 2)

        self._add([ErrorRuns(np.array([self._positives]), [stops[-1]])], name)

    def _meeting(self, low: int, cuts: list[int]) -> None:
        """The intervals in one gap that meet the points cuts[1:-1], which begin at number ``low``."""
        count = len(cuts) - 2
        before = self._before[low : low + count + 1]
        starts, ends = self._lengths(cuts[:-1]), self._lengths(cuts[1:])  # for each point
        # Pairs of points of one block, by their distance.
        block = np.arange(count) // _NEAR
        # Near pairs are listed one by one; far pairs become sums over the halves of a tree, so the
        # work is n log n.
        for k in range(min(_NEAR, count)):
            p = np.flatnonzero(block[: count - k] == block[k:])
            errors = self._positives + before[p + k + 1] - before[p]
            if isinstance(starts, np.ndarray) and isinstance(ends, np.ndarray):
                lengths: Any = starts[p] * ends[p + k]
            else:
                lengths = [starts[i] * ends[i + k] for i in p.tolist()]
            self._add([ErrorRuns(errors, lengths)], _pair(p, k, cuts, lengths))
        # Halves: each node of a balanced tree over the blocks.
        waiting = [(0, -(-count // _NEAR))]
        while waiting:
            left, right = waiting.pop()
            if right - left < 2:
                continue
            middle = (left + right) // 2
            waiting += [(left, middle), (middle, right)]
            a, b, c = left * _NEAR, middle * _NEAR, min(count, right * _NEAR)
            first = ErrorRuns(self._positives - before[a:b], starts[a:b])
            second = ErrorRuns(before[b + 1 : c + 1], ends[b:c])
            self._add([first, second], _ends(cuts[a] + 1, cuts[b + 1]))

    def _lengths(self, cuts: Sequence[int]) -> list[int] | NDArray[np.int64]:
        """The differences of neighbours."""
        found = [b - a for a, b in pairwise(cuts)]
        return found if self._exact else np.array(found, dtype=np.int64)


def _ends(start: int, end: int) -> Callable[[int, int], Ends]:
    return lambda i, j: (start + i, end + j)


def _pair(
    p: NDArray[np.int64], k: int, cuts: list[int], lengths: Sequence[int] | NDArray[np.int64]
) -> Callable[[int], Ends]:
    """The name of an interval from point p[r] to the k-th after it, numbered through all r."""

    def name(i: int) -> Ends:
        stops = np.cumsum(lengths) if isinstance(lengths, np.ndarray) else [*accumulate(lengths)]
        r = (
            int(np.searchsorted(stops, i, side="right"))
            if isinstance(stops, np.ndarray)
            else (bisect_right(stops, i))
        )
        left = i - total(lengths[:r])
        first, last = int(p[r]), int(p[r]) + k
        start, end = divmod(left, cuts[last + 2] - cuts[last + 1])
        return cuts[first] + 1 + start, cuts[last + 1] + end

    return name
