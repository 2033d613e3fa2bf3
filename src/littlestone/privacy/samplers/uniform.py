"""A uniform number in [0, 1) whose bits are read only as far as comparisons need them.

This is the one place where exact samplers meet randomness: every draw asks whether one uniform U
lies below some probabilities.  U < p is decided exactly for every computable p, with two bits on
average, so nothing is rounded and nothing underflows.
"""

from __future__ import annotations

import random

from littlestone.privacy.samplers.reals import Real


class LazyUniform:
    """One U, uniform on [0, 1); all comparisons of one object are about the same U.

    >>> from fractions import Fraction
    >>> u = LazyUniform(random.Random(0))
    >>> half = Real.of(Fraction(1, 2))
    >>> u.below(half) == u.below(half)
    True
    """

    def __init__(self, rng: random.Random) -> None:
        self._rng = rng
        self._bits = 32
        self._value = rng.getrandbits(self._bits)  # U lies in [value, value + 1) / 2^bits

    def below(self, x: Real) -> bool:
        """Whether U < x."""
        while True:
            low, high = x.enclose(self._bits)
            if self._value < low:  # both are whole, so value + 1 <= low
                return True
            if self._value >= high:
                return False
            # Undecided: x lies within U's cell. Read more bits of the same U.
            self._value = self._value << self._bits | self._rng.getrandbits(self._bits)
            self._bits *= 2


def bernoulli(p: Real, rng: random.Random) -> bool:
    """True with probability exactly p.

    >>> from fractions import Fraction
    >>> bernoulli(Real.of(Fraction(1)), random.Random(0))
    True
    """
    return LazyUniform(rng).below(p)
