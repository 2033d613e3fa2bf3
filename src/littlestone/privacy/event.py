"""Events: uses of mechanisms, described by public parameters; their costs never depend on data."""

from __future__ import annotations

from abc import ABC, abstractmethod
from dataclasses import dataclass
from fractions import Fraction

from littlestone.privacy.cost import NeighboringRelation, PrivacyCost


@dataclass(frozen=True)
class Guarantee:
    """What composition theorems may use of one event; all three hold for every input.

    The event is (``epsilon``, ``delta``)-DP and ``delta``-approximate ``rho``-zCDP (Bun and Steinke
    2016, Definitions 1.1 and 8.1): outside an event of probability ``delta`` its privacy loss is at
    most ``epsilon``, and has Renyi divergence at most ``rho`` alpha for all alpha > 1.

    >>> Guarantee.pure(Fraction(1, 10)).rho
    Fraction(1, 200)
    """

    epsilon: Fraction
    delta: Fraction
    rho: Fraction
    neighboring: NeighboringRelation = NeighboringRelation.REPLACE_ONE

    @classmethod
    def pure(cls, epsilon: Fraction, delta: Fraction = Fraction(0)) -> Guarantee:
        """That of any (epsilon, delta)-DP event: rho = epsilon^2 / 2 (Bun and Steinke, Prop. 1.4)."""
        return cls(epsilon, delta, epsilon**2 / 2)

    @classmethod
    def bounded_range(cls, eta: Fraction, delta: Fraction = Fraction(0)) -> Guarantee:
        """That of an event whose log-ratios lie in an interval of length eta: rho = eta^2 / 8.

        For all outputs y, y' of neighbours S, S': Pr[y|S] Pr[y'|S'] <= e^eta Pr[y|S'] Pr[y'|S], but
        for probability delta.  The exponential mechanism is such an event (Dong, Durfee and Rogers
        2020; Cesar and Rogers 2021, Lemma 3.2).
        """
        return cls(eta, delta, eta**2 / 8)


class Event(ABC):
    """One use of a mechanism, or of several together, described by public parameters only."""

    @abstractmethod
    def cost(self) -> PrivacyCost:
        """The guarantee of one use.  A function of the parameters; it never sees data."""

    def guarantee(self) -> Guarantee:
        """What composition may use; `cost` alone unless the mechanism knows more of itself."""
        cost = self.cost()
        return Guarantee(
            cost.epsilon, cost.delta, cost.epsilon**2 / 2, neighboring=cost.neighboring
        )

    def uses(self) -> list[tuple[Event, int]]:
        """The single draws that one receipt for this event pays for, each with how often."""
        return [(self, 1)]

    @abstractmethod
    def __str__(self) -> str:
        """The mechanism and its public parameters, as the ledger records them."""
