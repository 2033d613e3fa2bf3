"""A mechanism: a public event, an exact draw, and its exact distribution for audits."""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Hashable, Mapping
from fractions import Fraction
from typing import Generic, TypeVar

from littlestone.privacy.cost import Budget, PrivacyCost
from littlestone.privacy.event import Event
from littlestone.privacy.ledger import Receipt

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
