"""Intervals on an ordered grid of up to 2^64 points, and their errors: sums of what two ends say."""

from __future__ import annotations

from bisect import bisect_left, bisect_right
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from heapq import nlargest
from itertools import accumulate, chain, pairwise
from math import isqrt
from typing import Any, Self

import numpy as np
from numpy.typing import NDArray

from littlestone.base.errors import DeclarationError
from littlestone.base.work import count_steps as count_steps
from littlestone.classes.base import BinaryClass, Enumerable, require_example
from littlestone.classes.dimensions.closed_forms import spine, spine_dimension
from littlestone.classes.text.declared import DeclaredClass
from littlestone.classes.text.spec import Spec, parse_ranged, quote_argument
from littlestone.classes.thresholds import require_range
from littlestone.data.sample import Sample
from littlestone.points import Grid
from littlestone.privacy.scores import ErrorRuns, ErrorSums, Part, total
from littlestone.rules import StepFunction

Span = tuple[int, int]  # first, last

MOST_LISTED = 1 << 12
"""Points of the longest grid whose intervals are scored one by one: there are 8 million."""


@dataclass(frozen=True)
class Intervals(Enumerable[int], BinaryClass[int], DeclaredClass):
    """The functions 1[a <= x <= b] for low <= a <= b <= high on a grid, and the constant 0.

    A version space is stored as the ``gaps`` (the runs of points between negative examples), the
    ``core`` (the hull of the positive ones) and whether the constant ``zero`` is left.  An interval
    lies in one gap and contains the core.  Nothing is enumerated.  Let l >= r be the lengths of the
    two longest gaps.  Before a positive example

        LDim >= d  iff  l >= A  or  (l >= B and r >= C),  where A, B, C = spine(d),

    so that LDim = 2 log2 m - O(1) on m points.  After a positive example, the two ends are independent
    thresholds and LDim = floor(log2 #a) + floor(log2 #b).  All methods take O(number of gaps) steps,
    and k more for k reducing points.  `scores` takes O(n log n) on n distinct points, on every grid.
    `error_runs` scores all O(m^2) intervals one by one, on grids of at most 2^12 points.
    Proofs: docs/proofs/intervals.md.

    >>> H = Intervals.on(0, 2**64 - 1)
    >>> H.littlestone_dimension(), H.restrict(2**40 - 1, 1).littlestone_dimension()
    (126, 103)
    >>> H.restrict(20, 1).restrict(9, 0).restrict(30, 0).soa().words()
    '13 <= x < 28'
    """

    keyword = "intervals"
    group = "ranges"
    typical = "intervals(age, 0..120)"

    domain: Grid
    gaps: tuple[Span, ...]
    core: Span | None = None
    zero: bool = True

    @classmethod
    def over(cls, domain: Grid) -> Self:
        """All intervals on ``domain``; raises `DeclarationError` unless it is a grid."""
        require_range(domain, "intervals")
        return cls(domain, ((domain.low, domain.high),))

    @classmethod
    def on(cls, low: int, high: int, name: str = "x") -> Self:
        """All intervals on the whole numbers low, ..., high."""
        return cls.over(Grid(low, high, name))

    def restrict(self, x: int, y: int) -> Self:
        require_example(self, x, y)
        # Long lists of gaps take as long as several steps of other classes: about 5 us per gap.
        count_steps(len(self.gaps) // 2)
        core = self.core
        if y:
            core = (x, x) if core is None else (min(core[0], x), max(core[1], x))
            gaps = tuple((a, b) for a, b in self.gaps if a <= x <= b)
        else:
            parts = chain.from_iterable(
                ((a, x - 1), (x + 1, b)) if a <= x <= b else ((a, b),) for a, b in self.gaps
            )
            gaps = tuple((a, b) for a, b in parts if a <= b and _holds((a, b), core))
        zero = self.zero and not y
        return type(self)(self.domain, gaps, core if gaps else None, zero)

    def is_empty(self) -> bool:
        return not (self.gaps or self.zero)

    @property
    def size(self) -> int:
        if self.core is not None:
            starts, ends = self._ends(self.core)
            return starts * ends
        return self.zero + sum(m * (m + 1) // 2 for m in map(_length, self.gaps))

    def _ends(self, core: Span) -> Span:
        """The numbers of left and right ends of the intervals that contain ``core``."""
        first, last = next(gap for gap in self.gaps if _holds(gap, core))
        return core[0] - first + 1, last - core[1] + 1

    def littlestone_dimension(self) -> int:
        if self.core is not None:
            return sum(end.bit_length() - 1 for end in self._ends(self.core))
        return spine_dimension(map(_length, self.gaps)) if self.zero else -1

    def soa(self) -> StepFunction:
        self.require_learnable()
        changes = (x for first, last in self._ones() for x in (first, last + 1))
        return StepFunction(self.domain, 0, tuple(changes))

    def soa_label(self, x: int) -> int:
        self.domain.require(x)
        self.require_learnable()
        return int(any(first <= x <= last for first, last in self._ones()))

    def _ones(self) -> list[Span]:
        """The runs of points where a negative example lowers LDim, in order: there the SOA is 1."""
        if self.core is not None:
            starts, ends = (1 << n.bit_length() - 1 for n in self._ends(self.core))
            return [(self.core[0] - starts + 1, self.core[1] + ends - 1)]
        d = self.littlestone_dimension()
        ones: list[Span] = []
        longest = nlargest(3, self.gaps, key=_length)
        for first, last in sorted(longest[:2]):  # a third gap does not matter
            others = [_length(gap) for gap in longest if gap != (first, last)]
            # One part of a cut grows and the other shrinks; they matter when they pass A, B or C.
            turns = {t for c in spine(d) for t in (first + c, last - c + 1) if first < t <= last}
            for start, stop in pairwise(sorted({first, last + 1} | turns)):
                # The SOA is 1 where a cut lowers the dimension: docs/proofs/intervals.md, Lemma 3.
                if spine_dimension([start - first, last - start, *others]) < d:
                    joined = bool(ones) and ones[-1][1] + 1 == start
                    ones.append((ones.pop()[0] if joined else start, stop - 1))
        return ones

    def mistake_point(self) -> int | None:
        d = self.littlestone_dimension()
        if d <= 0:
            return None
        if self.core is None:
            return max(self.gaps, key=_length)[0] + (1 << (d - 1) // 2) - 1
        starts, ends = self._ends(self.core)
        return self.core[0] - (starts + 1) // 2 if starts > 1 else self.core[1] + ends // 2

    def reducing_points(self, k: int) -> list[int] | None:
        self.require_learnable()
        d = self.littlestone_dimension()
        if k < 1 or d == 0:
            return None
        ones = self._ones()
        if not ones:
            return self._cuts(k, d)
        for x in chain.from_iterable(map(self._least_dimensions, ones)):
            if self.restrict(x, 1).littlestone_dimension() < d:
                return [x]
        return self._pin_points(*ones[0]) if k >= 2 else None

    def _least_dimensions(self, run: Span) -> Iterator[int]:
        """Points of a run of SOA label 1, one of which has the least LDim(H|(x,1)) in the run."""
        yield from run
        if self.core is None:
            # floor(log2 #a) rises with x, floor(log2 #b) falls, where #b = last + 1 - x < 2^j first.
            last = next(last for first, last in self.gaps if first <= run[0] <= last)
            falls = (last + 2 - (1 << j) for j in range(_length((run[0], last)).bit_length()))
            yield from (x for x in falls if run[0] < x <= run[1])

    def _pin_points(self, start: int, stop: int) -> list[int]:
        """Two points around an end of a run of SOA label 1 that fix one end or both."""
        first, last = next(gap for gap in self.gaps if gap[0] <= start <= gap[1])
        if stop < last:
            return [stop, stop + 1]
        return [start - 1, start] if start > first else [start, stop]

    def _cuts(self, k: int, d: int) -> list[int] | None:
        """At most ``k`` negative points that lower LDim, if the SOA is the constant 0.

        They end LDim >= d if no part of a gap is as long as B, or if at most one part is as long as C
        and that part is shorter than A.
        """
        A, B, C = spine(d)

        def every(step: int, head: int) -> list[range]:
            return [range(first + head - 1, last + 1, step) for first, last in self.gaps]

        # Lemma 3: LDim falls below d iff no gap reaches A, and none reaches B or at most one

        # reaches C.
        plans = [every(B, B), every(C, C)]
        after_long_head = every(C, A)
        saved = [len(c) - len(a) for c, a in zip(plans[1], after_long_head, strict=True)]
        best = saved.index(max(saved))
        plans[1][best] = after_long_head[best]
        cuts = min(plans, key=lambda plan: sum(map(len, plan)))
        return list(chain.from_iterable(cuts)) if sum(map(len, cuts)) <= k else None

    def hypothesis(self, index: int) -> StepFunction:
        if not 0 <= index < self.size:
            raise IndexError(f"{self} has no hypothesis number {index}")
        if self.core is not None:
            start, end = divmod(index, self._ends(self.core)[1])
            return self._interval(self.gaps[0][0] + start, self.core[1] + end)
        if self.zero and index == 0:
            return StepFunction(self.domain, 0, ())
        index -= self.zero
        for first, last in self.gaps:
            m = last - first + 1
            if index < m * (m + 1) // 2:
                break
            index -= m * (m + 1) // 2
        # Counted from the end, the starts have 1, 2, ..., m intervals: find the triangular number.
        later = m * (m + 1) // 2 - 1 - index
        back = (isqrt(8 * later + 1) - 1) // 2
        return self._interval(last - back, last - (later - back * (back + 1) // 2))

    def _interval(self, a: int, b: int) -> StepFunction:
        return StepFunction(self.domain, 0, (a, b + 1))

    def scores(self, sample: Sample[int]) -> ErrorSums:
        """See `ScoredClass.scores`: the intervals without a point of the sample, and sums of two ends.

        Intervals around a core are sums of two ends.  docs/proofs/exponential-mechanism.md, Theorem 7.
        """
        sums = IntervalSums(sample, self.domain.size)
        if self.core is not None:
            first, last = self.gaps[0]
            sums.around(first, *self.core, last)
        else:
            sums.add_gaps(self.gaps)  # without a core the constant 0 is left
        return sums.error_sums()

    def hypothesis_of_item(self, item: Span | None) -> StepFunction:
        return StepFunction(self.domain, 0, ()) if item is None else self._interval(*item)

    def require_listable(self) -> None:
        if self.domain.size > MOST_LISTED:
            raise DeclarationError(
                f"score each interval of {self}",
                found=f"the range has {self.domain.size} values, more than {MOST_LISTED}",
                fix="declare a shorter range or a coarser step",
            )

    def error_runs(self, sample: Sample[int]) -> ErrorRuns:
        self.require_listable()
        # Outside of an interval the positives are wrong, and inside the negatives.
        low, everywhere = self.domain.low, int(sample.positives.sum())
        change = np.zeros(self.domain.size + 1, dtype=np.int64)
        change[[x - low + 1 for x in sample.points]] = sample.negatives - sample.positives
        until = np.cumsum(change)  # until[i]: of the points before low + i
        errors = [np.full(int(self.zero), everywhere, dtype=np.int64)]
        for first, last in self.gaps:
            if self.core is None:
                a, b = np.triu_indices(last - first + 1)
                errors.append(everywhere + until[b + (first - low + 1)] - until[a + (first - low)])
            else:
                ends = until[self.core[1] - low + 1 : last - low + 2]
                starts = until[first - low : self.core[0] - low + 1]
                errors.append((everywhere + ends - starts[:, None]).ravel())
        return ErrorRuns(np.concatenate(errors))

    @classmethod
    def parse(cls, spec: Spec) -> Self:
        domain = parse_ranged(spec)
        if not isinstance(domain, Grid):
            raise DeclarationError(
                f"declare the class {spec}",
                found="intervals of real numbers have infinite Littlestone dimension",
                fix="declare a finite range and a step, such as intervals(x, 0..100; step 0.01)",
            )
        return cls.over(domain)

    @classmethod
    def examples(cls) -> list[Self]:
        small = [cls.on(0, high) for high in range(6)]
        gaps = cls.on(-3, 11).restrict(2, 0).restrict(6, 0)
        huge = cls.over(Grid(-(2**63), 2**63 - 1, "id"))
        return [*small, gaps, cls.on(0, 14).restrict(6, 1), huge, huge.restrict(17, 1)]

    def __str__(self) -> str:
        low, high = self.domain.words(self.domain.low), self.domain.words(self.domain.high)
        step = "" if self.domain.unit == 1 else f"; step {self.domain.unit}"
        declared = f"intervals({quote_argument(self.domain.name)}, {low}..{high}{step})"
        if self == type(self).over(self.domain):
            return declared
        if self.is_empty():
            return f"{declared} after a contradiction"
        core = f" around {self.core[0]}..{self.core[1]}" if self.core else " or empty"
        gaps = ", ".join(f"{first}..{last}" for first, last in self.gaps)
        return f"{declared} within [{gaps}]{core}"


def _length(run: Span) -> int:
    return run[1] - run[0] + 1


def _holds(gap: Span, core: Span | None) -> bool:
    return core is None or (gap[0] <= core[0] and core[1] <= gap[1])


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
