"""An exact race: draw the item with the least U_i base^gap_i, for independent uniform U_i in [0, 1).

Items are not visited one by one.  With q_j = base^-gap_j, the winning value T has

    Pr[T > t] = prod over levels j of (1 - q_j t)^weight_j,        0 <= t <= 1,

and given T = t the winner is of level j with probability ~ weight_j q_j / (1 - q_j t).  T and the
level each invert a distribution function on a uniform number whose bits are read only as needed.  T
is known between two dyadic numbers and everything else between integers.  A level is returned once it
is the answer for every T and U within these bounds, so nothing is rounded.
"""

from __future__ import annotations

import random
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from fractions import Fraction
from functools import cache

import numpy as np
from numpy.typing import NDArray

from littlestone.privacy.samplers.reals import Enclosure, LazyUniform, Real, power_of
from littlestone.privacy.samplers.selection import (
    Lengths,
    Levels,
    PowerBounds,
    group,
    item_of,
    locate,
    window_of,
)
from littlestone.privacy.scores import total


@dataclass(frozen=True)
class Rates:
    """Integers around q_j 2^bits, level by level; the q of all further items sum to <= ``beyond``."""

    levels: Levels
    rates: Sequence[Enclosure]
    beyond: int
    bits: int


def rates_of(levels: Levels, base: Fraction, bits: int) -> Rates:
    """The rates of grouped items, with one product a level."""
    shrink = PowerBounds(base, bits)
    low = high = 1 << bits
    rates, last = [], 0
    for gap in levels.gaps:
        step_low, step_high = shrink(gap - last)
        # Lower ends round down and upper ends round up, here and in all that follows.
        low, high, last = low * step_low >> bits, -(-high * step_high >> bits), gap
        rates.append((low, high))
    beyond = 0
    if levels.beyond:
        beyond = levels.beyond * -(-high * shrink(levels.window + 1 - last)[1] >> bits)
    return Rates(levels, rates, beyond, bits)


def survival(known: Rates, t: Fraction) -> Enclosure:
    """Integers around Pr[T > t] 2^bits, for t in [0, 1]."""
    one = low = high = 1 << known.bits
    p, q = t.numerator, t.denominator
    # Independent items: Pr[T > t] is a product, a power for each level
    # (docs/proofs/permute-and-flip.md, Theorem 4).
    for weight, (rate_low, rate_high) in zip(known.levels.weights, known.rates, strict=True):
        missed = max(0, one - -(-rate_high * p // q)), one - rate_low * p // q
        below, above = power_of(missed, weight, known.bits)
        low, high = low * below >> known.bits, -(-high * above >> known.bits)
    # A product of numbers 1 - x is at least 1 minus their sum.
    return low * max(0, one - -(-known.beyond * p // q)) >> known.bits, high


def decide(known: Rates, t: tuple[Fraction, Fraction], uniform: int) -> int | None:
    """The level that wins for every T in ``t`` and U in [uniform, uniform + 1) / 2^bits, if any."""
    bits, one = known.bits, 1 << known.bits
    (low_p, low_q), (high_p, high_q) = t[0].as_integer_ratio(), t[1].as_integer_ratio()
    lower_sums, upper_sums = [0], [0]
    rest = one
    for weight, (low, high) in zip(known.levels.weights, known.rates, strict=True):
        rest = one - -(-high * high_p // high_q)
        # The upper bound of q t has reached 1: t is not known well enough yet.
        if rest <= 0:
            return None
        # q / (1 - q t) grows with t: its least value is at t[0] and its largest at t[1].
        lower_sums.append(lower_sums[-1] + (weight * low << bits) // (one - low * low_p // low_q))
        upper_sums.append(upper_sums[-1] - (-(weight * high) << bits) // rest)
    # For further levels 1 - q t is larger still.
    return locate(lower_sums, upper_sums, -((-known.beyond << bits) // rest), uniform, bits)


class LazyMinimum:
    """T between two dyadic numbers, ``low`` <= T <= ``high``, narrowed on demand."""

    def __init__(self, survival_at: Callable[[Fraction], Real], rng: random.Random) -> None:
        self._u = LazyUniform(rng)
        self._survival_at = survival_at
        self.low, self.high = Fraction(0), Fraction(1)

    def narrow(self, digits: int) -> None:
        """Halve until high - low <= high / 2^digits; doubling finds the exponent first."""
        while self.high - self.low > self.high / 2**digits:
            middle = self._middle()
            # T > t iff U < Pr[T > t]: inversion, so T has its exact law however it is narrowed.
            if self._u.below(self._survival_at(middle)):
                self.low = middle
            else:
                self.high = middle

    def _middle(self) -> Fraction:
        if self.low >= self.high / 2:
            return (self.low + self.high) / 2
        # Both are powers of 2 as yet, or low is 0.
        if not self.low:
            return self.high**2 if self.high < 1 else Fraction(1, 2)
        exponents = self.low.denominator.bit_length() + self.high.denominator.bit_length() - 2
        return Fraction(1, 2 ** (exponents // 2))


def draw_item(
    errors: NDArray[np.int64],
    lengths: Lengths,
    base: Fraction,
    rng: random.Random,
) -> int:
    """Draw the winning item, numbered through all runs; ``base`` is a rational > 1.

    ``errors[r]`` is the score of the ``lengths[r]`` >= 1 items of run r (one each if None).
    """
    count = len(errors) if lengths is None else total(lengths)

    @cache
    def at(bits: int) -> Rates:
        return rates_of(group(errors, lengths, window_of(base, bits)), base, bits)

    def survival_at(t: Fraction) -> Real:
        def enclose(bits: int) -> Enclosure:
            # Each item loses a few units in the last place.
            extra = count.bit_length() + 4
            low, high = survival(at(bits + extra), t)
            return low >> extra, -(-high >> extra)

        return Real(enclose)

    # First T, then the winner's level given T, then one of the level's items uniformly.
    minimum = LazyMinimum(survival_at, rng)
    digits, bits = 6, 36 + count.bit_length()
    uniform = rng.getrandbits(bits)
    while True:
        minimum.narrow(digits)
        # A level is accepted only if it wins for every T and U within the bounds: no rounding.
        level = decide(at(bits), (minimum.low, minimum.high), uniform)
        if level is not None:
            levels = at(bits).levels
            return item_of(errors, lengths, levels.gaps[level], levels.weights[level], rng)
        # The same uniform number goes on with more bits; a fresh one would change the law.
        uniform = uniform << bits | rng.getrandbits(bits)
        digits, bits = 2 * digits, 2 * bits
