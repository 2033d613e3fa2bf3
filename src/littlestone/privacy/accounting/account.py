"""The cost of a composition by each theorem, so that the best can be used and all can be shown."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from fractions import Fraction
from functools import lru_cache

from littlestone.base.errors import DeclarationError
from littlestone.privacy.accounting.renyi import renyi_epsilon, zcdp_epsilon
from littlestone.privacy.cost import decimal_text, round_up
from littlestone.privacy.event import Event, Guarantee

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
    >>> from littlestone.privacy.mechanisms.scores.exponential import ExponentialMechanism
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
