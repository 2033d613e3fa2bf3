"""The standard optimal algorithm on sequences that no hypothesis need agree with."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, replace
from typing import Generic

from littlestone.classes.base import HypothesisClass
from littlestone.domains import Point
from littlestone.hypotheses import Hypothesis
from littlestone.hypotheses.flipping import flipped


@dataclass(frozen=True)
class ExtendedSOA(Generic[Point]):
    """What the SOA knows after a sequence; immutable, so that a sequence may go on in several ways.

    While the sequence is realizable, its rule is SOA_V of the version space V.  From the first example
    on that leaves V empty, V stays as it was, and an example (x, y) only sets the rule's label
    of x to y (BLM20, Definition 8).  So the rule is SOA_V but at the points ``flips``, it agrees with
    every realizable sequence, and with the last examples of any other.

    >>> from littlestone.classes import Thresholds
    >>> start = ExtendedSOA(Thresholds.on(0, 9))
    >>> start.after([(3, 1), (2, 0)]).hypothesis().words()
    'x >= 3'
    >>> start.after([(3, 1), (2, 0), (7, 0)]).hypothesis().words()
    '3 <= x < 7 or x >= 8'
    """

    version_space: HypothesisClass[Point]
    flips: frozenset[Point] = frozenset()
    realizable: bool = True

    def update(self, x: Point, y: int) -> ExtendedSOA[Point]:
        """What it knows after one more example, by one `restrict`."""
        if self.realizable:
            V = self.version_space.restrict(x, y)
            if not V.is_empty():
                return ExtendedSOA(V)
        right = self.version_space.soa_label(x) == y
        flips = self.flips - {x} if right else self.flips | {x}
        return replace(self, flips=flips, realizable=False)

    def after(self, examples: Iterable[tuple[Point, int]]) -> ExtendedSOA[Point]:
        """What it knows after all of ``examples``, in their order."""
        state = self
        for x, y in examples:
            state = state.update(x, y)
        return state

    def hypothesis(self) -> Hypothesis[Point] | None:
        """The rule; None if it has flips and the class's kind of function cannot hold them."""
        return flipped(self.version_space.soa(), self.flips)
