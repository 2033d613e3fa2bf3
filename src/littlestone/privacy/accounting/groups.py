"""Group privacy: an event for all records of one unit, and the budget that one record then has."""

from __future__ import annotations

from dataclasses import dataclass, replace
from fractions import Fraction
from functools import lru_cache

from littlestone.base.errors import DeclarationError
from littlestone.points.units import Unit
from littlestone.privacy.cost import (
    Budget,
    NeighboringRelation,
    PrivacyCost,
    decimal_text,
    round_down,
    round_up,
)
from littlestone.privacy.event import Event, Guarantee
from littlestone.privacy.rational import exp_above, exp_below

_BITS, _DIGITS = 64, 12
_LEAST = Fraction(1, 10**9)  # of a legal epsilon
_VAST = 300  # e^300 is above 10^100, and no declared delta is below 10^-100
_LEAST_DELTA = Fraction(1, 10**80)  # with 12 digits its text stays short enough for a budget


@dataclass(frozen=True)
class UnitEvent(Event):
    """``event`` on a sample that holds at most k = ``unit.most`` records of each unit.

    Each unit has exactly k places in the sample, and those without a record are void.  So one unit
    replaced is at most k places replaced.  If ``event`` is (epsilon, delta)-DP when one place is
    replaced, this is

        (k epsilon, delta (e^(k epsilon) - 1) / (e^epsilon - 1))-DP

    when one unit is replaced, with delta rounded up to six digits, and at most 1.  If k = 1 it is
    (epsilon, delta)-DP (docs/proofs/units.md, Theorem 2).  A receipt for this event pays for the draws
    of ``event``.

    Raises `DeclarationError` unless ``event`` is about one record replaced.

    >>> from littlestone.privacy.mechanisms.exponential import ExponentialMechanism
    >>> event = UnitEvent(ExponentialMechanism(Fraction(1, 3)), Unit("patient_id", 3))
    >>> print(event.cost())
    epsilon 1, delta 0 (replace-one-unit: patient_id)
    """

    event: Event
    unit: Unit

    def __post_init__(self) -> None:
        if self.event.cost().neighboring != NeighboringRelation.REPLACE_ONE:
            raise DeclarationError(
                f"protect each {self.unit.column} in {self.event}",
                found="its cost is not about one record replaced, to which alone this theorem applies",
                fix="state the event's cost for one record replaced",
            )

    @property
    def _relation(self) -> NeighboringRelation:
        return NeighboringRelation.replace_one_unit(self.unit.column)

    def cost(self) -> PrivacyCost:
        return replace(of_group(self.event.cost(), self.unit.most), neighboring=self._relation)

    def guarantee(self) -> Guarantee:
        one, k, cost = self.event.guarantee(), self.unit.most, self.cost()
        if k == 1:
            return replace(one, neighboring=self._relation)
        found = Guarantee.pure(cost.epsilon, cost.delta, self._relation)
        # BS16 on group privacy, which is stated without a delta.
        return found if one.delta else replace(found, rho=min(found.rho, k**2 * one.rho))

    def uses(self) -> list[tuple[Event, int]]:
        return self.event.uses()

    def orders(self) -> list[tuple[Event, Event]]:
        return self.event.orders()

    def __str__(self) -> str:
        return f"{self.event}, on {self.unit}"


def for_unit(event: Event, unit: Unit | None) -> Event:
    """``event`` as `UnitEvent` by the unit, or as it is without one.

    Raises `DeclarationError` if nothing would be protected.

    >>> from littlestone.privacy.mechanisms.exponential import ExponentialMechanism
    >>> print(for_unit(ExponentialMechanism(Fraction(1, 2)), Unit("patient_id", 2)).cost())
    epsilon 1, delta 0 (replace-one-unit: patient_id)
    """
    if unit is None:
        return event
    grouped = UnitEvent(event, unit)
    if grouped.cost().delta >= 1:
        raise DeclarationError(
            f"learn from {unit} with {event.cost()} for one record",
            found="the delta for all records of a unit is 1, which protects nothing",
            fix="give a smaller --max-records, or a smaller budget; record_budget() divides one",
        )
    return grouped


def of_group(one: PrivacyCost, k: int) -> PrivacyCost:
    """The cost of k steps between neighbours, if one step costs ``one``: the formula of `UnitEvent`.

    >>> print(of_group(PrivacyCost(Fraction(1, 2), Fraction(1, 10**6)), 2))
    epsilon 1, delta 0.00000264873 (replace-one)
    """
    delta = one.delta
    if k > 1 and delta:
        vast = (k - 1) * one.epsilon > _VAST  # its power would take minutes to find
        grown = Fraction(1) if vast else round_up(delta * growth(one.epsilon, k))
        delta = min(Fraction(1), grown)
    return PrivacyCost(k * one.epsilon, delta, one.neighboring)


@lru_cache(maxsize=1024)
def growth(epsilon: Fraction, k: int) -> Fraction:
    """An upper bound of 1 + e^epsilon + ... + e^((k - 1) epsilon), by which delta grows for k records.

    >>> round(float(growth(Fraction(1), 3)), 6), growth(Fraction(0), 3)
    (11.107338, Fraction(3, 1))
    """
    if epsilon == 0:
        return Fraction(k)
    if epsilon < _LEAST:  # there the quotient below may be one by 0
        return k * exp_above((k - 1) * epsilon, _BITS)
    # Numerator up, denominator down: an upper bound of the geometric sum.
    return (exp_above(k * epsilon, _BITS) - 1) / (exp_below(epsilon, _BITS) - 1)


def record_budget(budget: Budget, unit: Unit | None) -> Budget:
    """A budget for one record with which `UnitEvent` stays within ``budget`` for one unit.

    That is (epsilon / k, delta / `growth`), with delta rounded down; without a unit, ``budget``.
    Raises `DeclarationError` if it is too small to be a budget.

    >>> print(record_budget(Budget(1, "1e-6"), Unit("patient_id", 3)))
    epsilon 1/3, delta 0.000000230237216348
    """
    if unit is None or unit.most == 1:
        return budget
    k = unit.most
    epsilon = budget.epsilon / k
    # `UnitEvent.cost` rounds up to six digits, and so stays below a number of six digits.
    delta = round_down(round_down(budget.delta) / growth(epsilon, k), _DIGITS)
    if epsilon < _LEAST or (budget.delta and delta < _LEAST_DELTA):
        raise DeclarationError(
            f"divide {budget} between {k:,} records of each {unit.column}",
            found=f"one record is left with epsilon {decimal_text(round_up(epsilon))} and less than "
            f"a delta of {decimal_text(round_up(delta) or _LEAST_DELTA)}",
            fix="give a smaller --max-records"
            + (", or a smaller epsilon" if epsilon >= _LEAST else ", or a larger epsilon"),
        )
    return Budget(epsilon, delta)
