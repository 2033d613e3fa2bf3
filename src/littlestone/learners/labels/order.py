"""The order of the records, as an event that a receipt pays for."""

from __future__ import annotations

from dataclasses import dataclass
from fractions import Fraction

from littlestone.privacy.cost import PrivacyCost
from littlestone.privacy.event import Event


@dataclass(frozen=True)
class UniformOrder(Event):
    """A uniform order of the records, whatever they contain; it costs nothing.

    It is redeemed before the order is drawn, so nothing can be drawn without a receipt.

    >>> print(UniformOrder().cost())
    epsilon 0, delta 0 (replace-one)
    """

    def cost(self) -> PrivacyCost:
        return PrivacyCost(Fraction(0))

    def __str__(self) -> str:
        return "uniform order of the records"
