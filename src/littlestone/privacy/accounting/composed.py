"""Several events on the same data, accounted together; and an event for all records of one unit."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, replace
from fractions import Fraction
from functools import cached_property, lru_cache

from littlestone.base.errors import DeclarationError
from littlestone.points.units import Unit
from littlestone.privacy.accounting.account import Account, accounts
from littlestone.privacy.cost import (
    Budget,
    NeighboringRelation,
    PrivacyCost,
    decimal_text,
    require_delta,
    round_down,
    round_up,
)
from littlestone.privacy.event import Event, Guarantee
from littlestone.privacy.parameters import require_whole
from littlestone.privacy.rational import exp_above, exp_below


@dataclass(frozen=True, init=False)
class Composition(Event):
    """Each event of ``parts``, as often as its count says, all on the same data.

    Which records each draw looks at, and in which order the draws come, may depend on what the others
    published, and interactive events may interleave; the parts and their counts are fixed beforehand.
    It costs the least certified epsilon of basic composition, zCDP and Renyi divergences at a total
    delta of at most ``delta`` (docs/proofs/composition.md, Theorems 1 to 3).

    Raises `DeclarationError` for no parts, a count below 1, different neighbouring relations, or a
    ``delta`` below the sum of the parts' own.

    >>> from littlestone.privacy.mechanisms.exponential import ExponentialMechanism
    >>> hundred = Composition([(ExponentialMechanism(Fraction(1, 10)), 100)], Fraction(1, 10**6))
    >>> print(hundred.cost())
    epsilon 2.41891, delta 0.000001 (replace-one)
    """

    parts: tuple[tuple[Event, int], ...]
    delta: Fraction

    def __init__(self, parts: Iterable[tuple[Event, int]], delta: Fraction = Fraction(0)) -> None:
        object.__setattr__(self, "parts", tuple(parts))
        require_delta(delta)
        object.__setattr__(self, "delta", delta)
        _check(self.parts)
        relation(self.parts)
        self.cost()  # this refuses a delta that is too small

    @cached_property
    def account(self) -> Account:
        """The theorem that gives the least epsilon, with its numbers."""
        # All theorems hold at once, so the least epsilon may be claimed.
        best = accounts(self, self.delta)[0]
        # A part that is itself composed may cost less than its own parts do in a larger whole.
        costs = [(part.cost(), n) for part, n in self.parts]
        epsilon = sum((n * cost.epsilon for cost, n in costs), Fraction(0))
        delta = sum((n * cost.delta for cost, n in costs), Fraction(0))
        if delta <= self.delta and epsilon < best.epsilon:
            return Account("basic composition of the parts", epsilon, delta)
        return best

    def cost(self) -> PrivacyCost:
        delta = min(self.delta, round_up(self.account.delta))
        return PrivacyCost(self.account.epsilon, delta, relation(self.parts))

    def guarantee(self) -> Guarantee:
        cost = self.cost()
        rho = sum((n * piece.rho for piece, n in self.pieces()), Fraction(0))
        return Guarantee(cost.epsilon, cost.delta, rho, cost.neighboring)

    def pieces(self) -> list[tuple[Guarantee, int]]:
        return [(piece, n * times) for part, n in self.parts for piece, times in part.pieces()]

    def orders(self) -> list[tuple[Event, Event]]:
        return [pair for part, _ in self.parts for pair in part.orders()]

    def uses(self) -> list[tuple[Event, int]]:
        return merge_uses(self.parts)

    def __str__(self) -> str:
        parts = " and ".join(f"{n} x [{part}]" if n > 1 else f"[{part}]" for part, n in self.parts)
        return f"{parts}, composed at delta {decimal_text(self.delta)}"


def merge_uses(parts: Iterable[tuple[Event, int]]) -> list[tuple[Event, int]]:
    """The single draws of all parts; equal draws are one entry, as a receipt looks them up."""
    total: dict[Event, int] = {}
    for part, n in parts:
        for use, times in part.uses():
            total[use] = total.get(use, 0) + n * times
    return list(total.items())


def relation(parts: Iterable[tuple[Event, int]]) -> NeighboringRelation:
    """The one neighbouring relation of all parts; `DeclarationError` when they differ."""
    found = {part.cost().neighboring for part, _ in parts}
    if len(found) != 1:
        raise DeclarationError(
            "compose events",
            found=f"their neighbouring relations are {', '.join(sorted(found)) or 'none'}",
            fix="compose at least one event, all of them under one neighbouring relation",
        )
    return found.pop()


def _check(parts: tuple[object, ...]) -> None:
    for pair in parts:
        if not (isinstance(pair, tuple) and len(pair) == 2 and isinstance(pair[0], Event)):
            raise DeclarationError(
                f"compose {type(pair).__name__} objects",
                found="a part is a pair of an event and how often it is used",
                fix="write [(event, 3), (other, 1)]",
            )
        part, n = pair
        require_whole(f"the uses of {part}", n, least=1)


def repeat(event: Event, times: int, delta: Fraction) -> Event:
    """``times`` draws of ``event`` as one event: itself if ``times`` is 1, and else `Composition`."""
    return event if times == 1 else Composition([(event, times)], delta)


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
