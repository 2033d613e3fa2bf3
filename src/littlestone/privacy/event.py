"""Events: uses of mechanisms, described by public parameters; mechanisms, their draws and exact laws.

A cost never depends on data.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Hashable, Mapping
from dataclasses import dataclass
from fractions import Fraction
from functools import cached_property
from typing import TYPE_CHECKING, Any, Generic, TypeVar

from littlestone.privacy.cost import Budget, NeighboringRelation, PrivacyCost, round_up
from littlestone.privacy.rational import exp_above, exp_below, log_below

if TYPE_CHECKING:
    from littlestone.privacy.ledger import Receipt

_BITS, _DIGITS = 64, 12  # of the bounds from which rho is computed, and of rho itself


@dataclass(frozen=True)
class Guarantee:
    """The properties of one event that composition theorems may use; all hold for every input.

    The event is (``epsilon``, ``delta``)-DP and ``delta``-approximate ``rho``-zCDP (BS16,
    Definitions 1.1 and 8.1): outside an event of probability ``delta`` its privacy loss is at
    most ``epsilon``, and has Renyi divergence at most ``rho`` alpha for all alpha > 1.  An event
    between whose steps others may come needs its own reason for its rho: docs/proofs/composition.md,
    Theorem 5.

    >>> Guarantee.pure(Fraction(1)).rho <= Fraction("0.462118")
    True
    """

    epsilon: Fraction
    delta: Fraction
    rho: Fraction
    neighboring: NeighboringRelation = NeighboringRelation.REPLACE_ONE

    @classmethod
    def pure(
        cls,
        epsilon: Fraction,
        delta: Fraction = Fraction(0),
        neighboring: NeighboringRelation = NeighboringRelation.REPLACE_ONE,
    ) -> Guarantee:
        """The guarantee of any (epsilon, delta)-DP event: rho = epsilon tanh(epsilon / 2), rounded up.

        It is the least possible, and at most epsilon^2 / 2 (docs/proofs/composition.md, Theorem 2).
        """
        tanh = 1 - 2 / (exp_above(epsilon, _BITS) + 1)
        rho = min(round_up(epsilon * tanh, _DIGITS), epsilon**2 / 2)
        return cls(epsilon, delta, rho, neighboring)

    @classmethod
    def bounded_range(cls, eta: Fraction, delta: Fraction = Fraction(0)) -> Guarantee:
        """The guarantee of an event whose log-ratios lie in an interval of length eta.

        For all outputs y, y' of neighbours S, S': Pr[y|S] Pr[y'|S'] <= e^eta Pr[y|S'] Pr[y'|S], except
        with probability delta.  The exponential mechanism is such an event (DDR20).  With
        x = eta / (1 - e^-eta), rho = x - 1 - ln x, rounded up: the least possible, and at most
        eta^2 / 8 (CR21, Lemma 3.2; docs/proofs/composition.md, Theorem 2).
        """
        if eta == 0:
            return cls(eta, delta, eta)
        # A small eta needs more bits: x - 1 is about eta / 2, and rho about its square.
        bits = _BITS + 4 * (1 / eta).__ceil__().bit_length()
        x = eta / (1 - 1 / exp_below(eta, bits))
        rho = min(round_up(x - 1 - log_below(x, bits), _DIGITS), eta**2 / 8)
        return cls(eta, delta, rho)


class Event(ABC):
    """One use of a mechanism, or of several together, described by public parameters only."""

    @abstractmethod
    def cost(self) -> PrivacyCost:
        """The guarantee of one use.  It depends on the parameters and never sees data."""

    def guarantee(self) -> Guarantee:
        """The properties that composition may use: `cost` alone, unless the mechanism knows more."""
        cost = self.cost()
        return Guarantee.pure(cost.epsilon, cost.delta, cost.neighboring)

    def pieces(self) -> list[tuple[Guarantee, int]]:
        """The guarantees that composition adds up for this event, each with its count.

        By default the event itself, once; a composition of events composes more tightly in parts.
        """
        return [(self.guarantee(), 1)]

    def uses(self) -> list[tuple[Event, int]]:
        """The single draws that one receipt for this event pays for, each with its count."""
        return [(self, 1)]

    def orders(self) -> list[tuple[Event, Event]]:
        """Pairs of `uses`: all draws of the first are taken before one of the second."""
        return []

    @abstractmethod
    def __str__(self) -> str:
        """The mechanism and its public parameters, as the ledger records them."""


class WithCost:
    """What is paid for by one `event`: a learner of a sample, or a whole run over a stream."""

    mechanism: Any

    @cached_property
    def event(self) -> Event:
        """One use, as the ledger records it: that of its mechanism, if nothing else is assigned.

        It depends on declarations alone.
        """
        event: Event = self.mechanism
        return event

    def cost(self) -> PrivacyCost:
        """The privacy guarantee of one use, however much it publishes."""
        return self.event.cost()


Data = TypeVar("Data")
Output = TypeVar("Output", bound=Hashable)


class Mechanism(Event, Generic[Data, Output]):
    """A randomized function of data, private for every input; its fields are public parameters.

    Equal keys, candidates and items are the same to a mechanism: its law is about classes of equal
    objects, and which of several equal objects it returns is not promised.  So equal objects must be
    interchangeable to everyone who sees an output.  They are if they come from `Domain.canonical`.
    """

    @abstractmethod
    def draw(self, data: Data, *, receipt: Receipt) -> Output:
        """Draw one output, paid for by ``receipt``, with the receipt's generator.

        Raises `LedgerError` unless ``receipt`` pays for this very event and has a draw of it left.
        Raises nothing else, whatever the data.
        """

    @abstractmethod
    def distribution(self, data: Data) -> Mapping[Output, Fraction]:
        """The exact probability of each output.  It depends on the data: for audits, never released."""


class BudgetedMechanism:
    """The common part of mechanisms that spend a whole `Budget`, their field ``budget``."""

    budget: Budget

    @property
    def epsilon(self) -> Fraction:
        """The budget's epsilon, in nats."""
        return self.budget.epsilon

    @property
    def delta(self) -> Fraction:
        """The budget's delta."""
        return self.budget.delta

    def cost(self) -> PrivacyCost:
        """All of the budget."""
        return self.budget.cost
