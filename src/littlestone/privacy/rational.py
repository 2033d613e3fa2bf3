"""Certified rational bounds, so that no privacy guarantee rests on floating point."""

from __future__ import annotations

from fractions import Fraction

# A smaller base is always private, and beyond this one an error is as good as never drawn.
_LARGEST_EXPONENT = 44


def exp_below(x: Fraction, bits: int = 32) -> Fraction:
    """A dyadic rational r with 1 <= r <= e^x and r >= e^x - min(x, 1) / 2^(bits - 1), for x >= 0.

    For x > 44, e^44 is bounded instead.  Every operation rounds down: the value is a sum of terms
    x^i / i!, each truncated.

    >>> round(float(exp_below(Fraction(1, 2))), 9), exp_below(Fraction(0))
    (1.648721271, Fraction(1, 1))
    """
    x = min(x, Fraction(_LARGEST_EXPONENT))
    p, q = x.numerator, x.denominator
    # A small x needs as many more bits, or e^x would be rounded down to 1.
    places = bits + max(0, q.bit_length() - p.bit_length() + 1)
    guarded = places + 128
    total, term, i = 0, 1 << guarded, 0
    while term:
        total += term
        i += 1
        term = term * p // (q * i)
    return Fraction(total >> 128, 1 << places)
