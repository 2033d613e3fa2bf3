"""Events that see some of the records: subsamples, and disjoint parts.

An event that sees only m of the n records costs about m/n of it.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable
from dataclasses import dataclass
from fractions import Fraction
from math import ceil

from littlestone.base.errors import DeclarationError
from littlestone.privacy.accounting.composed import merge_uses, relation
from littlestone.privacy.cost import NeighboringRelation, PrivacyCost
from littlestone.privacy.event import Event, Guarantee
from littlestone.privacy.parameters import require_whole
from littlestone.privacy.rational import exp_above, log_above

_LARGEST = 44  # beyond it e^epsilon is astronomic, and the cost of the event itself is claimed


@dataclass(frozen=True)
class Subsampling(Event):
    """``event`` on ``size`` of ``n`` records, drawn at random without replacement and kept secret.

    If ``event`` is (epsilon, delta)-DP when one record is replaced, then with rate = size / n this is
    (ln(1 + rate (e^epsilon - 1)), rate delta)-DP when one record is replaced (BBG18, Theorem 9;
    docs/proofs/subsampling.md).  The logarithm is rounded up to a decimal number of about 12 digits.
    Beyond epsilon = 44, where it hardly helps, epsilon is claimed.

    Nothing else accounts for a secret sample.

    A receipt for this event pays for the draws of ``event``, which may only be given the records that
    were drawn.  The sample is the caller's: to draw from all ordered choices alike, to keep secret, and
    to use once.

    Raises `DeclarationError` unless 1 <= ``size`` <= ``n`` and ``event`` is about replaced records.

    >>> from littlestone.privacy.mechanisms.scores.exponential import ExponentialMechanism
    >>> event = Subsampling(ExponentialMechanism(Fraction(1)), n=1000, size=100)
    >>> print(event.cost())
    epsilon 0.15856507874043, delta 0 (replace-one)
    """

    event: Event
    n: int
    size: int

    def __post_init__(self) -> None:
        require_whole("n", self.n, least=1)
        require_whole("size", self.size, least=1)
        if not 1 <= self.size <= self.n:
            raise DeclarationError(
                f"draw {self.size} of {self.n} records without replacement",
                found="a sample has from 1 to n records",
                fix=f"give a size from 1 to {self.n}",
            )
        if self.event.cost().neighboring != NeighboringRelation.REPLACE_ONE:
            raise DeclarationError(
                f"amplify {self.event}",
                found="its cost is not about one record replaced, to which alone this theorem applies",
                fix="state the event's cost for one record replaced",
            )

    @property
    def rate(self) -> Fraction:
        """The probability size / n that a given record is in the sample."""
        return Fraction(self.size, self.n)

    def cost(self) -> PrivacyCost:
        whole = self.event.cost()
        epsilon = whole.epsilon
        if 0 < epsilon <= _LARGEST:
            # The logarithm is at least rate * epsilon, so a small one needs as many more places.
            inverse = ceil(1 / (self.rate * epsilon))
            bits = 64 + inverse.bit_length()
            unit = Fraction(1, 10 ** (12 + len(str(inverse))))
            # BBG18, Theorem 9, with every rounding upwards (docs/proofs/subsampling.md).
            amplified = log_above(1 + self.rate * (exp_above(epsilon, bits) - 1), bits)
            epsilon = min(epsilon, ceil(amplified / unit) * unit)
        return PrivacyCost(epsilon, self.rate * whole.delta)

    def uses(self) -> list[tuple[Event, int]]:
        return self.event.uses()

    def orders(self) -> list[tuple[Event, Event]]:
        return self.event.orders()

    def __str__(self) -> str:
        return f"{self.event}, on {self.size} of {self.n} records drawn without replacement"


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
