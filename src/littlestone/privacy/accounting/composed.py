"""Several events on the same data, accounted together: the cost by each theorem; the least counts."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from fractions import Fraction
from functools import cached_property, lru_cache

from littlestone.base.errors import DeclarationError
from littlestone.privacy.cost import (
    NeighboringRelation,
    PrivacyCost,
    decimal_text,
    require_delta,
    round_up,
)
from littlestone.privacy.event import Event, Guarantee
from littlestone.privacy.parameters import require_whole
from littlestone.privacy.rational import exp_above, exp_below, log_above, log_below


def renyi_epsilon(pieces: Sequence[tuple[Guarantee, int]], delta: Fraction) -> Fraction:
    """An epsilon such that ``pieces`` together are (epsilon, delta)-DP, without their own deltas.

    ``pieces`` are guarantees with their counts, and 0 < delta < 1.  With D the sum of the pieces'
    `divergence` at order alpha, for any alpha > 1,

        epsilon = D + ln(1 - 1/alpha) + (ln(1/delta) - ln alpha) / (alpha - 1)

    (CKS20, Section 2.3; docs/proofs/composition.md, Theorem 3).  Floats propose the order, and
    rationals certify the bound for it.

    >>> float(renyi_epsilon([(Guarantee.bounded_range(Fraction(1, 10)), 100)], Fraction(1, 10**6)))
    2.41891
    """
    floats = [(float(piece.epsilon), float(piece.rho), n) for piece, n in pieces]
    return _convert(
        lambda alpha: sum((n * divergence(piece, alpha) for piece, n in pieces), Fraction(0)),
        lambda alpha: sum(n * _float_divergence(epsilon, rho, alpha) for epsilon, rho, n in floats),
        delta,
    )


def zcdp_epsilon(rho: Fraction, delta: Fraction) -> Fraction:
    """An epsilon such that every rho-zCDP mechanism is (epsilon, delta)-DP, for 0 < delta < 1.

    >>> float(zcdp_epsilon(Fraction(1, 8), Fraction(1, 10**6)))
    2.4191
    """
    return _convert(lambda alpha: rho * alpha, lambda alpha: float(rho) * alpha, delta)


def divergence(piece: Guarantee, alpha: Fraction) -> Fraction:
    """A bound of the Renyi divergence of order alpha > 1 outside the piece's delta.

    It is the least of rho alpha, epsilon, and the divergence of randomized response,
    ln((e^(alpha epsilon) + e^((1 - alpha) epsilon)) / (1 + e^epsilon)) / (alpha - 1), which is the
    most that an epsilon-DP mechanism can have (BS16, Proposition 3.3).

    >>> float(divergence(Guarantee.pure(Fraction(1)), Fraction(2))) < 0.77
    True
    """
    epsilon, least = piece.epsilon, min(piece.rho * alpha, piece.epsilon)
    if alpha * epsilon > 40:  # the third bound would hardly differ from epsilon
        return least
    moment = exp_above(alpha * epsilon, 64) + 1 / exp_below((alpha - 1) * epsilon, 64)
    response = log_above(moment / (1 + exp_below(epsilon, 64))) / (alpha - 1)
    return min(least, response)


def _convert(
    certified: Callable[[Fraction], Fraction],
    proposed: Callable[[float], float],
    delta: Fraction,
) -> Fraction:
    """The bound of `renyi_epsilon`, at the order alpha where it is about least in floats."""
    log_delta = math.log(delta.numerator) - math.log(delta.denominator)

    def bound(t: float) -> float:
        above = math.exp(t)  # alpha - 1
        return proposed(1 + above) - math.log1p(1 / above) - (log_delta + math.log1p(above)) / above

    centre, width = 0.0, 20.0
    while width > 1e-4:
        centre = min((centre + k * width / 20 for k in range(-20, 21)), key=bound)
        width /= 8
    above = max(Fraction(math.exp(centre)).limit_denominator(10**10), Fraction(1, 10**10))
    alpha = 1 + above
    spent = (log_above(1 / delta) - log_below(alpha)) / above
    return round_up(certified(alpha) - log_below(alpha / above) + spent)


def _float_divergence(epsilon: float, rho: float, alpha: float) -> float:
    """`divergence` in floats."""
    least = min(rho * alpha, epsilon)
    if alpha * epsilon > 40:
        return least
    moment = math.exp(alpha * epsilon) + math.exp((1 - alpha) * epsilon)
    return min(least, math.log(moment / (1 + math.exp(epsilon))) / (alpha - 1))


Pieces = Sequence[tuple[Guarantee, int]]


@dataclass(frozen=True)
class Account:
    """The event is (``epsilon``, ``delta``)-DP by the theorem ``method``; certified."""

    method: str
    epsilon: Fraction
    delta: Fraction

    def __str__(self) -> str:
        return (
            f"{self.method}: epsilon {decimal_text(self.epsilon)}, delta {decimal_text(self.delta)}"
        )


def _zcdp(pieces: Pieces, delta: Fraction) -> Fraction:
    return zcdp_epsilon(sum((n * piece.rho for piece, n in pieces), Fraction(0)), delta)


# Each takes the delta that the deltas of the pieces leave.
_THEOREMS: dict[str, Callable[[Pieces, Fraction], Fraction]] = {
    "zCDP": _zcdp,
    "Renyi divergences": renyi_epsilon,
}


@lru_cache(maxsize=1 << 12)
def _epsilons(
    pieces: tuple[tuple[Guarantee, int], ...], delta: Fraction
) -> tuple[tuple[str, Fraction], ...]:
    """The epsilon of each theorem, kept: calibrations of like learners ask for the same ones."""
    return tuple((name, epsilon(pieces, delta)) for name, epsilon in _THEOREMS.items())


def accounts(event: Event, delta: Fraction) -> list[Account]:
    """The cost of ``event`` at a total delta of at most ``delta`` by each theorem, the best first.

    Raises `DeclarationError` if the deltas of its pieces alone exceed ``delta``.

    >>> from littlestone.privacy.accounting.composed import Composition
    >>> from littlestone.privacy.mechanisms.exponential import ExponentialMechanism
    >>> delta = Fraction(1, 10**6)
    >>> event = Composition([(ExponentialMechanism(Fraction(1, 10)), 100)], delta)
    >>> for account in accounts(event, delta):
    ...     print(account)
    Renyi divergences: epsilon 2.41891, delta 0.000001
    zCDP: epsilon 2.41891, delta 0.000001
    basic composition: epsilon 10, delta 0
    """
    pieces = event.pieces()
    own = sum((n * piece.delta for piece, n in pieces), Fraction(0))
    # Deltas of the parts add up, and the conversions need what is left of delta.
    if own > delta:
        raise DeclarationError(
            f"account for {event} at delta = {decimal_text(delta)}",
            found=f"the deltas of its parts add up to {decimal_text(round_up(own))} already",
            fix=f"allow a delta of at least {decimal_text(round_up(own))}, or make the parts' deltas "
            "smaller",
        )
    # docs/proofs/composition.md, Theorem 1; the theorems that need a delta join only if some is
    # left (2 and 3).
    basic = sum((n * piece.epsilon for piece, n in pieces), Fraction(0))
    found = [Account("basic composition", basic, own)]
    left = delta - own
    if left > 0:
        found += [Account(name, epsilon, delta) for name, epsilon in _epsilons(tuple(pieces), left)]
    return sorted(found, key=lambda account: (account.epsilon, account.delta, account.method))


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
