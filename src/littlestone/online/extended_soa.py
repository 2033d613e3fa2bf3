"""The standard optimal algorithm on sequences that no hypothesis need agree with."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, replace
from typing import Generic

from littlestone.classes.base import HypothesisClass
from littlestone.domains import Point
from littlestone.hypotheses import Hypothesis


@dataclass(frozen=True)
class ExtendedSOA(Generic[Point]):
    """What the SOA knows after a sequence; immutable, so that a sequence may go on in several ways.

    While the sequence is realizable, its rule is SOA_V of the version space V.  From the first example
    on that leaves V empty, V stays as it was, and an example (x, y) only sets the rule's label of x
    to y (BLM20, Definition 8).  So the rule is SOA_V except at the points of ``set_labels``.  It
    agrees with every realizable sequence, and with the last examples of any other.

    >>> from littlestone.classes import Thresholds
    >>> start = ExtendedSOA(Thresholds.on(0, 9))
    >>> start.after([(3, 1), (2, 0)]).hypothesis().words()
    'x >= 3'
    >>> start.after([(3, 1), (2, 0), (7, 0)]).hypothesis().words()
    '3 <= x < 7 or x >= 8'
    """

    version_space: HypothesisClass[Point]
    set_labels: frozenset[tuple[Point, int]] = frozenset()
    """Pairs (x, y), y being another label than SOA_V(x), at most one for each x."""
    realizable: bool = True

    def update(self, x: Point, y: int) -> ExtendedSOA[Point]:
        """What it knows after one more example, by one `restrict`."""
        if self.realizable:
            V = self.version_space.restrict(x, y)
            if not V.is_empty():
                return ExtendedSOA(V)
        others = frozenset(pair for pair in self.set_labels if pair[0] != x)
        right = self.version_space.soa_label(x) == y
        return replace(self, set_labels=others if right else others | {(x, y)}, realizable=False)

    def after(self, examples: Iterable[tuple[Point, int]]) -> ExtendedSOA[Point]:
        """What it knows after all of ``examples``, in their order."""
        state = self
        for x, y in examples:
            state = state.update(x, y)
        return state

    def hypothesis(self) -> Hypothesis[Point] | None:
        """The rule; None if the class's kind of function cannot hold the labels that were set."""
        return self.version_space.soa().patched(dict(self.set_labels))
