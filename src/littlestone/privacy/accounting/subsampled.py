"""Amplification by subsampling: an event that sees only m of the n records costs about m/n of it."""

from __future__ import annotations

from dataclasses import dataclass
from fractions import Fraction
from math import ceil

from littlestone.base.errors import DeclarationError
from littlestone.privacy.cost import NeighboringRelation, PrivacyCost
from littlestone.privacy.event import Event
from littlestone.privacy.parameters import require_whole
from littlestone.privacy.rational import exp_above, log_above

_LARGEST = 44  # beyond it e^epsilon is astronomic, and the cost of the event itself is claimed


@dataclass(frozen=True)
class Subsampling(Event):
    """``event`` on ``size`` of ``n`` records, drawn at random without replacement and kept secret.

    If ``event`` is (epsilon, delta)-DP when one record is replaced, then with rate = size / n this is
    (ln(1 + rate (e^epsilon - 1)), rate delta)-DP when one record is replaced (BBG18, Theorem 9;
    docs/proofs/subsampling.md).  The logarithm is rounded up to a decimal number of about 12 digits.
    Beyond epsilon = 44, where it hardly helps, epsilon is claimed.

    Nothing else accounts for a secret sample.

    A receipt for this event pays for the draws of ``event``, which may only be given the records that
    were drawn.  The sample is the caller's: to draw from all ordered choices alike, to keep secret, and
    to use once.

    Raises `DeclarationError` unless 1 <= ``size`` <= ``n`` and ``event`` is about replaced records.

    >>> from littlestone.privacy.mechanisms.scores.exponential import ExponentialMechanism
    >>> event = Subsampling(ExponentialMechanism(Fraction(1)), n=1000, size=100)
    >>> print(event.cost())
    epsilon 0.15856507874043, delta 0 (replace-one)
    """

    event: Event
    n: int
    size: int

    def __post_init__(self) -> None:
        require_whole("n", self.n, least=1)
        require_whole("size", self.size, least=1)
        if not 1 <= self.size <= self.n:
            raise DeclarationError(
                f"draw {self.size} of {self.n} records without replacement",
                found="a sample has from 1 to n records",
                fix=f"give a size from 1 to {self.n}",
            )
        if self.event.cost().neighboring != NeighboringRelation.REPLACE_ONE:
            raise DeclarationError(
                f"amplify {self.event}",
                found="its cost is not about one record replaced, to which alone this theorem applies",
                fix="state the event's cost for one record replaced",
            )

    @property
    def rate(self) -> Fraction:
        """The probability size / n that a given record is in the sample."""
        return Fraction(self.size, self.n)

    def cost(self) -> PrivacyCost:
        whole = self.event.cost()
        epsilon = whole.epsilon
        if 0 < epsilon <= _LARGEST:
            # The logarithm is at least rate * epsilon, so a small one needs as many more places.
            inverse = ceil(1 / (self.rate * epsilon))
            bits = 64 + inverse.bit_length()
            unit = Fraction(1, 10 ** (12 + len(str(inverse))))
            # BBG18, Theorem 9, with every rounding upwards (docs/proofs/subsampling.md).
            amplified = log_above(1 + self.rate * (exp_above(epsilon, bits) - 1), bits)
            epsilon = min(epsilon, ceil(amplified / unit) * unit)
        return PrivacyCost(epsilon, self.rate * whole.delta)

    def uses(self) -> list[tuple[Event, int]]:
        return self.event.uses()

    def __str__(self) -> str:
        return f"{self.event}, on {self.size} of {self.n} records drawn without replacement"
