"""Randomized response: the yardstick, whose epsilon is known and attained."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from fractions import Fraction
from functools import cached_property

from littlestone.privacy.cost import PrivacyCost, decimal_text
from littlestone.privacy.ledger import Receipt
from littlestone.privacy.mechanisms.base import Mechanism
from littlestone.privacy.rational import exp_below
from littlestone.privacy.samplers.reals import Real
from littlestone.privacy.samplers.uniform import bernoulli
from littlestone.prove.mechanisms.subject import Subject, mechanism_subject, subject


@dataclass(frozen=True)
class RandomizedResponse(Mechanism[int, int]):
    """The bit itself with probability r / (r + 1), r a rational <= e^epsilon; otherwise the other bit.

    epsilon-DP under replacement, and no less (War65).

    >>> round(float(RandomizedResponse(Fraction(1)).distribution(0)[0]), 3)
    0.731
    """

    epsilon: Fraction

    @cached_property
    def truth(self) -> Fraction:
        """The probability of the bit itself."""
        r = exp_below(self.epsilon)
        return r / (r + 1)

    def cost(self) -> PrivacyCost:
        return PrivacyCost(self.epsilon)

    def draw(self, data: int, *, receipt: Receipt) -> int:
        rng = receipt.redeem(self)
        return data if bernoulli(Real.of(self.truth), rng) else 1 - data

    def distribution(self, data: int) -> Mapping[int, Fraction]:
        return {data: self.truth, 1 - data: 1 - self.truth}

    def __str__(self) -> str:
        return f"randomized response, epsilon {decimal_text(self.epsilon)}"


@subject("randomized-response")
def randomized_response(epsilon: Fraction, delta: Fraction) -> Subject[int]:
    """One bit, told with a lie of known probability; spends no delta."""
    return mechanism_subject(
        RandomizedResponse(epsilon), pairs=[(0, 1)], large=(0, 1), read=lambda bit: bit
    )
