"""Several events on the same data, accounted together."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from fractions import Fraction
from functools import cached_property

from littlestone.base.errors import DeclarationError
from littlestone.privacy.accounting.account import Account, accounts
from littlestone.privacy.cost import (
    NeighboringRelation,
    PrivacyCost,
    decimal_text,
    require_delta,
    round_up,
)
from littlestone.privacy.event import Event, Guarantee


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
        if isinstance(n, bool) or not isinstance(n, int) or n < 1:
            raise DeclarationError(
                f"compose {n!r} uses of {part}",
                found="a count is a whole number of at least 1",
                fix="say how often the event is used, or leave it out",
            )


def repeat(event: Event, times: int, delta: Fraction) -> Event:
    """``times`` draws of ``event`` as one event: itself if ``times`` is 1, and else `Composition`."""
    return event if times == 1 else Composition([(event, times)], delta)
