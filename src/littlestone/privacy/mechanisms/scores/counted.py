"""The common part of mechanisms over counted errors: epsilon, and the ratio that an error costs."""

from __future__ import annotations

from dataclasses import dataclass
from fractions import Fraction
from functools import cached_property

from littlestone.privacy.cost import PrivacyCost, require_epsilon
from littlestone.privacy.mechanisms.base import Mechanism
from littlestone.privacy.parameters import require_whole
from littlestone.privacy.rational import exp_below
from littlestone.privacy.scores import ErrorRuns


@dataclass(frozen=True)
class ErrorMechanism(Mechanism[ErrorRuns, int]):
    """An epsilon-DP choice of an item by its errors.

    One replaced record moves an error count by at most ``sensitivity`` = s, which is above 1 if some
    errors count more than others.  The weight of an item falls by a rational factor
    r <= e^(epsilon / (2 s)) with each error.
    """

    epsilon: Fraction
    sensitivity: int = 1

    def __post_init__(self) -> None:
        require_epsilon(self.epsilon)
        require_whole("sensitivity", self.sensitivity, least=1)

    @cached_property
    def base(self) -> Fraction:
        """The ratio r of the weights of two items that differ by one error."""
        # A factor r^s for the weight and one for the sum of all weights: r^(2 s) <= e^epsilon.
        return exp_below(self.epsilon / (2 * self.sensitivity))

    @property
    def counts(self) -> str:
        """What it counts, in words."""
        if self.sensitivity == 1:
            return "error counts"
        return f"costs of up to {self.sensitivity:,} a record"

    def cost(self) -> PrivacyCost:
        return PrivacyCost(self.epsilon)
