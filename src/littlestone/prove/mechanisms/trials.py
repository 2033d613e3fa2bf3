"""Many runs on one receipt."""

from __future__ import annotations

from dataclasses import dataclass

from littlestone.privacy.cost import PrivacyCost
from littlestone.privacy.event import Event


@dataclass(frozen=True)
class Trials(Event):
    """``event`` as often as ``times`` says, by basic composition: an audit pays once for all its runs.

    A composition theorem would cost less, but take time; made-up data of an audit have no budget.

    >>> from fractions import Fraction
    >>> from littlestone.privacy.mechanisms.scores.exponential import ExponentialMechanism
    >>> print(Trials(ExponentialMechanism(Fraction(1, 10)), 2000).cost())
    epsilon 200, delta 0 (replace-one)
    """

    event: Event
    times: int

    def cost(self) -> PrivacyCost:
        one = self.event.cost()
        return PrivacyCost(self.times * one.epsilon, self.times * one.delta, one.neighboring)

    def uses(self) -> list[tuple[Event, int]]:
        return [(use, self.times * n) for use, n in self.event.uses()]

    def __str__(self) -> str:
        return f"{self.times} x [{self.event}]"
