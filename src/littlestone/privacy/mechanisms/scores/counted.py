"""The common part of mechanisms over counted errors: epsilon, and the ratio that an error costs."""

from __future__ import annotations

from dataclasses import dataclass
from fractions import Fraction
from functools import cached_property

from littlestone.classes.base import ErrorRuns
from littlestone.privacy.cost import PrivacyCost, require_epsilon
from littlestone.privacy.mechanisms.base import Mechanism
from littlestone.privacy.rational import exp_below


@dataclass(frozen=True)
class ErrorMechanism(Mechanism[ErrorRuns, int]):
    """An epsilon-DP choice of an item by its errors, which one replaced record moves by at most 1.

    The weight of an item falls by a rational factor r <= e^(epsilon / 2) with each error.
    """

    epsilon: Fraction

    def __post_init__(self) -> None:
        require_epsilon(self.epsilon)

    @cached_property
    def base(self) -> Fraction:
        """The ratio r of the weights of two items that differ by one error."""
        return exp_below(self.epsilon / 2)

    def cost(self) -> PrivacyCost:
        return PrivacyCost(self.epsilon)
