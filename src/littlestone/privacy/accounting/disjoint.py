"""Events on disjoint parts of the records."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable
from dataclasses import dataclass

from littlestone.base.errors import DeclarationError
from littlestone.privacy.accounting.composed import merge_uses, relation
from littlestone.privacy.cost import PrivacyCost
from littlestone.privacy.event import Event, Guarantee


@dataclass(frozen=True, init=False)
class Parallel(Event):
    """Each of ``events`` on its own part of the records; no record is in two parts.

    The records' positions determine the parts, before anything is drawn.  So one replaced record is in
    one part, and all together cost the largest epsilon, delta and rho of a part (McS09, Theorem 4;
    docs/proofs/composition.md, Theorem 4).  Parts chosen by the values of records do not compose like
    this: a replaced record leaves one part and enters another.

    Raises `DeclarationError` for no events, for different neighbouring relations, and for one about
    units.

    >>> from fractions import Fraction
    >>> from littlestone.privacy.mechanisms.scores.exponential import ExponentialMechanism
    >>> print(Parallel([ExponentialMechanism(Fraction(1)), ExponentialMechanism(Fraction(2))]).cost())
    epsilon 2, delta 0 (replace-one)
    """

    events: tuple[Event, ...]

    def __init__(self, events: Iterable[Event]) -> None:
        object.__setattr__(self, "events", tuple(events))
        # Disjoint parts protect one position; a unit may have records in several of them.
        if relation(self._parts()).unit is not None:
            raise DeclarationError(
                "charge parts of the records in parallel",
                found="their costs are about one unit, whose records may lie in several parts",
                fix="compose the events, or give events about one record replaced",
            )

    def cost(self) -> PrivacyCost:
        costs = [event.cost() for event in self.events]
        return PrivacyCost(
            max(cost.epsilon for cost in costs),
            max(cost.delta for cost in costs),
            costs[0].neighboring,
        )

    def guarantee(self) -> Guarantee:
        cost, found = self.cost(), [event.guarantee() for event in self.events]
        return Guarantee(
            max(guarantee.epsilon for guarantee in found),
            max(guarantee.delta for guarantee in found),
            max(guarantee.rho for guarantee in found),
            cost.neighboring,
        )

    def uses(self) -> list[tuple[Event, int]]:
        return merge_uses(self._parts())

    def _parts(self) -> list[tuple[Event, int]]:
        return [(event, 1) for event in self.events]

    def __str__(self) -> str:
        counts = Counter(str(event) for event in self.events)
        return "on disjoint parts: " + " and ".join(f"{n} x [{text}]" for text, n in counts.items())
