"""Risks along a stream: a private table of each block of records, at the places of the rule."""

from __future__ import annotations

from dataclasses import dataclass
from fractions import Fraction
from math import ceil
from typing import Any, Generic, TypeVar

from littlestone.base.errors import DeclarationError
from littlestone.learn.results.risks import Risks
from littlestone.privacy.cost import PrivacyCost
from littlestone.privacy.draws import Noisy, counts_of_places
from littlestone.privacy.event import Event
from littlestone.privacy.ledger import Receipt
from littlestone.privacy.mechanisms.cell_counts import CellCounts
from littlestone.rules import Hypothesis

SHORTEST = 100
"""The records of the first block of a rule, times epsilon: then the noise is small beside them."""


Once = TypeVar("Once", bound=Event)


@dataclass(frozen=True)
class InBlocks(Event, Generic[Once]):
    """``mechanism`` once for each of at most ``blocks`` disjoint blocks of one stream.

    It costs what one use costs: a replaced record is in one block, whose ends depend on what was
    published before (docs/proofs/blocks.md, Theorem 1).
    """

    mechanism: Once
    blocks: int
    shortest: int = 1
    """The number of records of the first block of a rule."""

    @classmethod
    def of_stream(cls, epsilon: Fraction, horizon: int) -> InBlocks[CellCounts]:
        """The tables of a stream of ``horizon`` records; `DeclarationError` if it has no block.

        >>> tables = InBlocks.of_stream(Fraction(1, 4), 4000)
        >>> tables.shortest, tables.blocks, str(tables.cost())
        (400, 10, 'epsilon 0.25, delta 0 (replace-one)')
        """
        shortest = ceil(SHORTEST / epsilon)
        if horizon < shortest:
            raise DeclarationError(
                f"count risks along {horizon:,} records",
                found=f"at this epsilon a table needs {shortest:,}",
                fix="declare a longer horizon or a larger epsilon, or leave the risks out",
            )
        return InBlocks(counts_of_places(epsilon), horizon // shortest, shortest)

    def cost(self) -> PrivacyCost:
        return self.mechanism.cost()

    def uses(self) -> list[tuple[Event, int]]:
        return [(part, times * self.blocks) for part, times in self.mechanism.uses()]

    def __str__(self) -> str:
        return f"{self.mechanism}, in each of {self.blocks} disjoint blocks of the stream"


class StreamRisks:
    """The `risks` of a stream's published rule, by the last whole block of its records.

    A rule's first block has ``event.shortest`` records, and each further one twice as many as the one
    before.  So the blocks are fixed by what was published.  The ``receipt`` pays for all of them.
    """

    def __init__(self, event: InBlocks[CellCounts], horizon: int, receipt: Receipt) -> None:
        self._event, self._left, self._receipt = event, horizon, receipt
        self._rule: Hypothesis[Any] | None = None
        self.risks: Risks | None = None

    def count_record(self, rule: Hypothesis[Any], x: Any, y: int) -> None:
        """Count a record at its place in the ``rule`` that was published before it."""
        if not self._left:  # after the horizon no record is read
            return
        self._left -= 1
        if rule is not self._rule:
            # The counts of a block that ends early are dropped, and nobody sees them.
            self._rule, self._size = rule, self._event.shortest
            self._begin(rule)
        self._counts[int(rule.bins[rule.place(x)])][y] += 1
        self._taken += 1
        if self._taken == self._size:
            # Each record is in one block, and each block is drawn once.
            counts = [count for row in self._counts for count in row]
            mechanism = self._event.mechanism
            noisy = Noisy(mechanism.epsilon, mechanism.draw(counts, receipt=self._receipt))
            self.risks = Risks.from_counts(rule, noisy, self._size)
            self._size *= 2
            self._begin(rule)

    def _begin(self, rule: Hypothesis[Any]) -> None:
        self._taken = 0
        self._counts = [[0] * rule.labels for _ in range(int(rule.bins[-1]) + 1)]
