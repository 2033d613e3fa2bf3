"""The standard optimal algorithm on sequences that need not agree with a hypothesis."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, replace
from typing import Generic

from littlestone.classes.base import HypothesisClass
from littlestone.points import Point
from littlestone.rules import Hypothesis


@dataclass(frozen=True)
class ExtendedSOA(Generic[Point]):
    """The state of the SOA after a sequence; immutable, so a sequence can be extended in several ways.

    While the sequence is realizable, the rule is SOA_V of the version space V.  When an example would
    leave V empty, V no longer changes: that example and each later (x, y) only set the rule's label of
    x to y (BLM20, Definition 8).  So the rule is SOA_V except at the points of ``set_labels``.  The
    rule agrees with every realizable sequence, and with the last examples of any other sequence.

    >>> from littlestone.classes import Thresholds
    >>> start = ExtendedSOA(Thresholds.on(0, 9))
    >>> start.after([(3, 1), (2, 0)]).hypothesis().words()
    'x >= 3'
    >>> start.after([(3, 1), (2, 0), (7, 0)]).hypothesis().words()
    '3 <= x < 7 or x >= 8'
    """

    version_space: HypothesisClass[Point]
    set_labels: frozenset[tuple[Point, int]] = frozenset()
    """Pairs (x, y) with a label y other than SOA_V(x), at most one for each x."""
    realizable: bool = True

    def update(self, x: Point, y: int) -> ExtendedSOA[Point]:
        """The state after one more example; costs one `restrict`."""
        if self.realizable:
            V = self.version_space.restrict(x, y)
            if not V.is_empty():
                return ExtendedSOA(V)
        others = frozenset(pair for pair in self.set_labels if pair[0] != x)
        right = self.version_space.soa_label(x) == y
        return replace(self, set_labels=others if right else others | {(x, y)}, realizable=False)

    def after(self, examples: Iterable[tuple[Point, int]]) -> ExtendedSOA[Point]:
        """The state after all of ``examples``, in their order."""
        state = self
        for x, y in examples:
            state = state.update(x, y)
        return state

    def hypothesis(self) -> Hypothesis[Point] | None:
        """The rule; None if the class's kind of function cannot represent the set labels."""
        return self.version_space.soa().patched(dict(self.set_labels))
