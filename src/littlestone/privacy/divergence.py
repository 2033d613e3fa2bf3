"""The distance between two exact output distributions, as an adversary sees them."""

from __future__ import annotations

from collections.abc import Hashable, Mapping
from fractions import Fraction
from typing import TypeVar

Output = TypeVar("Output", bound=Hashable)


def hockey_stick(
    p: Mapping[Output, Fraction], q: Mapping[Output, Fraction], ratio: Fraction
) -> Fraction:
    """The hockey-stick divergence sup_Y (p(Y) - ratio q(Y)) = sum over y of (p(y) - ratio q(y))_+.

    With ``ratio`` <= e^epsilon, a value of at most delta in both directions proves (epsilon, delta)
    for this pair of data sets.  Exact.

    >>> hockey_stick({0: Fraction(3, 4), 1: Fraction(1, 4)}, {0: Fraction(1)}, Fraction(1))
    Fraction(1, 4)
    """
    zero = found = Fraction(0)
    for y, mass in p.items():
        other = q.get(y, zero)
        # A fraction takes a gcd of long numbers, and most terms are none.
        whole = mass.denominator * ratio.denominator * other.denominator
        taken = ratio.numerator * other.numerator * mass.denominator
        left = mass.numerator * ratio.denominator * other.denominator - taken
        if left > 0:
            found += Fraction(left, whole)
    return found
