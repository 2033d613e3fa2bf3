"""The keys of thresholds and intervals: on which side of what is published an end lies."""

from __future__ import annotations

from collections.abc import Iterable
from fractions import Fraction
from typing import Any

from littlestone.classes.intervals import Intervals
from littlestone.classes.thresholds import Thresholds
from littlestone.learn.stream.knowledge import UNLIKELY, KeyScheme, Knowledge
from littlestone.privacy.mechanisms.streams.confirmation import Watch
from littlestone.rules import Hypothesis, StepFunction


class Cuts(KeyScheme):
    """Keys are the two sides of the published threshold."""

    theorem = "Theorem 5"

    def __init__(self, hypotheses: Thresholds) -> None:
        self.hypotheses = hypotheses
        self.keys = self.watched = 2 if self.max_epochs else 0
        self.spread = 2 * self.max_epochs + Fraction(2, UNLIKELY)

    @property
    def max_epochs(self) -> int:
        return max(0, (self.hypotheses.size or 0).bit_length() - 1)

    def initial_knowledge(self) -> Sides:
        return Sides(self.hypotheses)


class Sides(Knowledge):
    """The knowledge of thresholds: key 1 confirms a larger cut than the published one, key 0 a smaller.

    Runs of cuts that contradict equally many confirmations are kept as [end, number].
    """

    def __init__(self, hypotheses: Thresholds) -> None:
        self._hypotheses = hypotheses
        self._runs: list[list[int]] = [[hypotheses.size or 0, 0]]
        self._first = 1
        self._vote()

    def _vote(self) -> None:
        fewest, start = min(against for _, against in self._runs), 0
        spans = []
        for end, against in self._runs:
            if against == fewest:
                spans.append((start, end))
            start = end
        left = sum(end - start for start, end in spans)
        self._below, self._above = left // 2, left - 1 - left // 2
        # The median of the cuts that are left: half of them contradict whatever is confirmed next.
        rank = self._below
        for start, end in spans:
            if rank < end - start:
                self._index = start + rank
                return
            rank -= end - start

    @property
    def published_rule(self) -> Hypothesis[Any]:
        return self._hypotheses.hypothesis(self._index)

    def key(self, x: Any, y: int) -> int | None:
        return 1 - y

    def confirm(self, keys: Iterable[int], step: int) -> bool:
        index = self._index
        for key in keys:
            # The published threshold is against both, and so are all cuts on the other side.
            start = 0
            runs: list[list[int]] = []
            for end, against in self._runs:
                cut = min(max(index + key, start), end)
                for stop, wrong in ((cut, key == 1), (end, key == 0)):
                    if stop > start:
                        number = against + wrong
                        if runs and runs[-1][1] == number:
                            runs[-1][0] = stop
                        else:
                            runs.append([stop, number])
                        start = stop
            self._runs = runs
        self._first = step
        self._vote()
        return True

    def keys_to_watch(self, threshold: int, more: int) -> dict[int, Watch]:
        likely = {0: self._below, 1: self._above}
        return {key: Watch(self._first, threshold if n else more) for key, n in likely.items()}


class Ends(KeyScheme):
    """Keys are parts of the grid with positive points, and then the two sides of each published end."""

    theorem = "Theorem 6"

    def __init__(self, hypotheses: Intervals) -> None:
        self.domain = hypotheses.domain
        ((self.low, self.high),) = hypotheses.gaps
        length = self.high - self.low + 1
        self._halvings = (length - 1).bit_length()
        self.keys = self.watched = 4
        # Four keys after each confirmation, of which there is one for each key touched at most.
        self.spread = Fraction(4 * (self.max_epochs + 1))

    @property
    def max_epochs(self) -> int:
        length = self.high - self.low + 1
        ends = ((length + 1) ** 2 // 4).bit_length() - 1
        return 2 * self._halvings + 2 + ends

    def initial_knowledge(self) -> Reach:
        return Reach(self)


class Reach(Knowledge):
    """The knowledge of intervals.

    First a positive point is looked for, and the constant 0 is published.  There is a part of the grid
    that the interval meets, at first all of it.  Key 0 confirms that it meets the lower half of the
    part, key 1 the upper half, key 2 what is below the part and key 3 what is above.  Then an interval
    around that point is published.  Keys 0 and 1 confirm a lower and a higher first point, keys 2 and 3
    a lower and a higher last one.

    Two of the keys get new names when what they say changes: key k is 4 times their generation plus k.
    If confirmations leave nothing, all begins anew.
    """

    def __init__(self, asked: Ends) -> None:
        self._asked = asked
        self._ages = [0, 0]  # the generations of keys 0 and 1, and of keys 2 and 3
        self._first = 1
        self._start()

    def _start(self) -> None:
        self._found = False
        self._part = self._asked.low, self._asked.high
        self._renew(0, 1)

    def _renew(self, *pairs: int) -> None:
        for pair in pairs:
            self._ages[pair] += 1

    @property
    def _middle(self) -> int:
        return sum(self._part) // 2

    @property
    def _ends(self) -> tuple[int, int]:
        """The middles of the first and last points that are left."""
        first, last = (low + (high - low + 1) // 2 for low, high in self._left)
        return first, last

    @property
    def published_rule(self) -> Hypothesis[Any]:
        if not self._found:
            return StepFunction(self._asked.domain, 0, ())
        first, last = self._ends
        return StepFunction(self._asked.domain, 0, (first, last + 1))

    def key(self, x: Any, y: int) -> int | None:
        if self._found:
            if x == self._point:
                return None
            kind = (1 - y) if x < self._point else 2 + y
        else:
            low, high = self._part
            kind = 2 if x < low else 3 if x > high else int(x > self._middle)
        return self._name(kind)

    def _name(self, kind: int) -> int:
        return 4 * self._ages[kind // 2] + kind

    def confirm(self, keys: Iterable[int], step: int) -> bool:
        kinds = {key % 4 for key in keys}
        if self._found:
            self._halve(kinds)
        else:
            self._search(kinds)
        self._first = step
        return False

    def _search(self, kinds: set[int]) -> None:
        """An interval that meets two neighbouring parts holds the points where they touch."""
        low, high = self._part
        if {0, 1} <= kinds:
            self._part = self._middle, self._middle
        # What is outside the part touches it at its edge, as the interval meets both.
        elif 2 in kinds:
            self._part = low, low
        elif 3 in kinds:
            self._part = high, high
        else:
            self._part = (low, self._middle) if 0 in kinds else (self._middle + 1, high)
            self._renew(0)
        low, high = self._part
        if low == high:
            self._found, self._point = True, low
            self._left = [(self._asked.low, low), (low, self._asked.high)]
            self._renew(0, 1)

    def _halve(self, kinds: set[int]) -> None:
        for pair, middle in enumerate(self._ends):
            low, high = self._left[pair]
            if 2 * pair in kinds:
                high = middle - 1
            if 2 * pair + 1 in kinds:
                low = middle + 1
            # Contradicting confirmations, which a realizable stream brings with probability `doubt`
            # at most.
            if low > high:
                self._start()
                return
            if (low, high) != self._left[pair]:
                self._left[pair] = low, high
                self._renew(pair)

    def keys_to_watch(self, threshold: int, more: int) -> dict[int, Watch]:
        if self._found:
            pairs = zip(self._left, self._ends, strict=True)
            likely = [side for (low, high), end in pairs for side in (low < end, end < high)]
            thresholds = {kind: threshold if yes else more for kind, yes in enumerate(likely)}
        else:
            low, high = self._part
            outside = (self._asked.low < low, high < self._asked.high)
            thresholds = {0: threshold, 1: threshold}
            thresholds |= {2 + i: threshold for i, some in enumerate(outside) if some}
        return {self._name(kind): Watch(self._first, u) for kind, u in thresholds.items()}
