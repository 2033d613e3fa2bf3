"""A count with discrete Laplace noise: the yardstick of noise addition."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from fractions import Fraction
from functools import cached_property

from littlestone.privacy.cost import PrivacyCost, decimal_text
from littlestone.privacy.ledger import Receipt
from littlestone.privacy.mechanisms.base import Mechanism
from littlestone.privacy.rational import exp_below
from littlestone.privacy.samplers.geometric import discrete_laplace
from littlestone.prove.mechanisms.neighbours import neighbours
from littlestone.prove.mechanisms.subject import Subject, mechanism_subject, subject

Bits = tuple[int, ...]


@dataclass(frozen=True)
class DiscreteLaplaceCount(Mechanism[Bits, int]):
    """The number of 1s plus X, with Pr[X = x] = (1 - a) / (1 + a) a^|x| and a >= e^-epsilon.

    epsilon-DP under replacement: the number moves by at most 1 (GRS12).

    >>> masses = DiscreteLaplaceCount(Fraction(1)).distribution((1, 0))
    >>> {y: round(float(mass), 3) for y, mass in masses.items()}
    {0: 0.269, 1: 0.462, 2: 0.269}
    """

    epsilon: Fraction

    @cached_property
    def decay(self) -> Fraction:
        """a, a rational."""
        return 1 / exp_below(self.epsilon)

    def cost(self) -> PrivacyCost:
        return PrivacyCost(self.epsilon)

    def draw(self, data: Bits, *, receipt: Receipt) -> int:
        rng = receipt.redeem(self)
        return sum(data) + discrete_laplace(self.decay, rng)

    def distribution(self, data: Bits) -> Mapping[int, Fraction]:
        """Outputs <= 0 are one cell and those >= n another, n the number of records.

        Beyond all possible counts c, c' the likelihood ratio is a^(c - c') or its inverse, constant.
        """
        count, n, a = sum(data), len(data), self.decay
        masses = {y: (1 - a) / (1 + a) * a ** abs(y - count) for y in range(1, n)}
        return {0: a**count / (1 + a), **masses, n: a ** (n - count) / (1 + a)}

    def __str__(self) -> str:
        return f"count with discrete Laplace noise, epsilon {decimal_text(self.epsilon)}"


@subject("discrete-laplace-count")
def discrete_laplace_count(epsilon: Fraction, delta: Fraction) -> Subject[Bits]:
    """A count with discrete Laplace noise; spends no delta."""
    large = (1,) * 500 + (0,) * 500
    return mechanism_subject(
        DiscreteLaplaceCount(epsilon),
        pairs=neighbours((0, 1), 4, ordered=False),
        large=(large, (0, *large[1:])),
        read=lambda bits: bits,
        cell=lambda bits, y: min(max(y, 0), len(bits)),
    )
