"""Real numbers known to any requested precision, so that probabilities are never rounded.

A uniform number in [0, 1) is the one place where exact samplers meet randomness: every draw asks
whether one uniform U lies below some probabilities.  U < p is decided exactly for every computable p,
with two bits on average, so nothing is rounded and nothing underflows.
"""

from __future__ import annotations

import random
from collections.abc import Callable
from dataclasses import dataclass
from fractions import Fraction
from functools import cached_property

KNOWN = 64
"""The bits of an enclosure by which most comparisons are decided, before more are asked for."""

Enclosure = tuple[int, int]


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

    def decide(self, known: Enclosure) -> bool | None:
        """Whether U < x for an enclosure of x with `KNOWN` bits; None if more must be known of them."""
        spare = KNOWN - self._bits
        if spare >= 0 and self._value < known[0] >> spare:
            return True
        return False if spare >= 0 and self._value >= -(-known[1] >> spare) else None

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


@dataclass(frozen=True)
class Real:
    """A number x in [0, 1], such as a probability, as a map from precisions to enclosures.

    ``enclose(bits)`` is (low, high) with low <= x 2^bits <= high.  high - low grows at most like a
    constant while 2^bits doubles, so any two different numbers can be told apart.

    >>> half = Real.of(Fraction(1, 2))
    >>> (half * half).enclose(10), (1 - half.power(3)).enclose(10)
    ((256, 256), (896, 896))
    """

    enclose: Callable[[int], Enclosure]

    @classmethod
    def of(cls, x: Fraction) -> Real:
        """The rational number x in [0, 1]."""
        a, b = x.numerator, x.denominator
        return cls(lambda bits: ((a << bits) // b, -((-a << bits) // b)))

    def __mul__(self, other: Real) -> Real:
        return Real(lambda bits: product(self.enclose(bits), other.enclose(bits), bits))

    def __rsub__(self, one: int) -> Real:
        """1 - x."""

        def rest(bits: int) -> Enclosure:
            low, high = self.enclose(bits)
            return (one << bits) - high, (one << bits) - low

        return Real(rest)

    @cached_property
    def squares(self) -> list[Enclosure]:
        """Enclosures of x, x^2, x^4, ..., with `KNOWN` bits, as far as a caller extended them."""
        return [self.enclose(KNOWN)]

    def power(self, k: int) -> Real:
        """x^k for k >= 0, in O(log k) products; the enclosure is k times as wide as that of x."""

        def enclose_power(bits: int) -> Enclosure:
            # Work with more bits, so that a large k needs no second round.
            extra = k.bit_length() + 2
            low, high = power_of(self.enclose(bits + extra), k, bits + extra)
            return low >> extra, -(-high >> extra)

        return Real(enclose_power)


def product(x: Enclosure, y: Enclosure, bits: int) -> Enclosure:
    """Integers around x y 2^bits, from those around x 2^bits and y 2^bits."""
    # Both numbers lie in [0, 1], so products of the ends are the ends of the product.
    return x[0] * y[0] >> bits, -(-x[1] * y[1] >> bits)


def power_of(x: Enclosure, k: int, bits: int) -> Enclosure:
    """Integers around x^k 2^bits for x >= 0, k >= 0, from integers around x 2^bits."""
    found = 1 << bits, 1 << bits
    # Square and multiply along the binary digits of k, lower ends down and upper ends up.
    for digit in f"{k:b}":
        found = product(found, found, bits)
        if digit == "1":
            found = product(found, x, bits)
    return found
