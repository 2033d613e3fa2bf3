"""Privacy budgets: what a person allows to be spent, parsed once, where it is declared."""

from __future__ import annotations

from dataclasses import dataclass
from fractions import Fraction

from littlestone.privacy.cost import PrivacyCost, decimal_text, exact_delta, exact_epsilon


@dataclass(frozen=True, init=False)
class Budget:
    """The (epsilon, delta) that a learner or mechanism may spend, as exact rationals.

    ``epsilon`` is in nats, from 1e-9 to 1000, and ``delta`` is a probability below 1.  Give both as a
    number or a text: 0.1, ``"0.1"`` and ``"1/10"`` are all 1/10.  A budget is a declaration.  The
    charge is a `PrivacyCost`, which may be less, or a sum beyond any legal epsilon.  Raises
    `DeclarationError` outside these ranges.

    >>> Budget(1, "1e-6")
    Budget(epsilon=Fraction(1, 1), delta=Fraction(1, 1000000))
    >>> print(Budget(0.5))
    epsilon 0.5, delta 0
    """

    epsilon: Fraction
    delta: Fraction

    def __init__(self, epsilon: object, delta: object = 0) -> None:
        object.__setattr__(self, "epsilon", exact_epsilon(epsilon))
        object.__setattr__(self, "delta", exact_delta(delta))

    @property
    def cost(self) -> PrivacyCost:
        """The cost of spending all of it."""
        return PrivacyCost(self.epsilon, self.delta)

    def __str__(self) -> str:
        return f"epsilon {decimal_text(self.epsilon)}, delta {decimal_text(self.delta)}"
