"""Certified rational bounds, so that no privacy guarantee rests on floating point."""

from __future__ import annotations

from collections.abc import Iterable
from fractions import Fraction
from functools import lru_cache
from typing import TypeVar

Outcome = TypeVar("Outcome")

# A smaller base is always private, and beyond this an error is practically never drawn.
_LARGEST_EXPONENT = 44


def sum_masses(pairs: Iterable[tuple[Outcome, Fraction]]) -> dict[Outcome, Fraction]:
    """The law that gives each outcome the sum of its masses.

    >>> sum_masses([("a", Fraction(1, 2)), ("b", Fraction(1, 4)), ("a", Fraction(1, 4))])
    {'a': Fraction(3, 4), 'b': Fraction(1, 4)}
    """
    law: dict[Outcome, Fraction] = {}
    for outcome, mass in pairs:
        law[outcome] = law.get(outcome, Fraction(0)) + mass
    return law


# Only public epsilons are asked for, and a search for a size asks for the same one many times.
@lru_cache(maxsize=1024)
def exp_below(x: Fraction, bits: int = 32) -> Fraction:
    """A dyadic rational r with 1 <= r <= e^x and r >= e^x - min(x, 1) / 2^(bits - 1), for x >= 0.

    For x > 44, it bounds e^44 instead.

    >>> round(float(exp_below(Fraction(1, 2))), 9), exp_below(Fraction(0))
    (1.648721271, Fraction(1, 1))
    """
    # A smaller base than e^x is always private, so the cap costs accuracy and never privacy.
    x = min(x, Fraction(_LARGEST_EXPONENT))
    places = _places(x, bits)
    return Fraction(enclose_exp(x, places)[0], 1 << places)


@lru_cache(maxsize=1024)
def exp_above(x: Fraction, bits: int = 32) -> Fraction:
    """A dyadic rational r with e^x <= r <= e^x + min(x, 1) / 2^(bits - 1), for x >= 0.

    It is never capped, so its size and time grow with x.

    >>> exp_above(Fraction(1)) - exp_below(Fraction(1)) == Fraction(1, 2**33)
    True
    """
    places = _places(x, bits)
    return Fraction(enclose_exp(x, places)[1], 1 << places)


def log_below(x: Fraction, bits: int = 64) -> Fraction:
    """A dyadic rational r with ln x - 2^(1 - bits) <= r <= ln x, for x > 0.

    >>> round(float(log_below(Fraction(10))), 9), log_below(Fraction(1))
    (2.302585093, Fraction(0, 1))
    """
    return Fraction(_enclose_log(x, bits)[0], 1 << bits)


def log_above(x: Fraction, bits: int = 64) -> Fraction:
    """A dyadic rational r with ln x <= r <= ln x + 2^(1 - bits), for x > 0.

    >>> round(float(log_above(Fraction(1, 10))), 9), log_above(Fraction(1))
    (-2.302585093, Fraction(0, 1))
    """
    return Fraction(_enclose_log(x, bits)[1], 1 << bits)


def enclose_exp(x: Fraction, places: int) -> tuple[int, int]:
    """Integers low <= e^x 2^places <= high with high - low <= 2, for x >= 0.

    It sums y^i / i! for y = x / 2^k < 1, with each term rounded down once and up once, and squares both
    sums k times.

    >>> enclose_exp(Fraction(1), 10)
    (2783, 2784)
    """
    k = int(x).bit_length()
    p, q = x.numerator, x.denominator << k
    # A squaring doubles the relative error.  So all roundings together lose less than e^x 2^k times
    # ten times the number of terms, and e^x < 2^(3x/2).
    guard = 64 + k + int(x * 3 / 2)
    bits = places + guard
    low = high = i = 0
    below = above = 1 << bits
    while above > 1:
        low, high, i = low + below, high + above, i + 1
        below, above = below * p // (q * i), -(-above * p // (q * i))
    # Each omitted term is at most half of the one before it.
    high += 2 * above
    for _ in range(k):
        low, high = low * low >> bits, -(-high * high >> bits)
    return low >> guard, -(-high >> guard)


def _places(x: Fraction, bits: int) -> int:
    """The number of places; a small x needs more, or e^x would be rounded to 1."""
    return bits + max(0, x.denominator.bit_length() - x.numerator.bit_length() + 1)


def _enclose_log(x: Fraction, places: int) -> tuple[int, int]:
    """Integers low <= ln(x) 2^places <= high with high - low <= 2: x = 2^k m with 1/2 < m < 2."""
    k = x.numerator.bit_length() - x.denominator.bit_length()
    guard = 32 + abs(k).bit_length()
    # ln x = k ln 2 + ln m, and ln m = 2 atanh((m - 1) / (m + 1)), with |z| <= 1/3, so the series
    # converges fast.
    m = x / Fraction(2) ** k
    low, high = _enclose_atanh((m - 1) / (m + 1), places + guard)
    low_two, high_two = _enclose_atanh(Fraction(1, 3), places + guard)
    # A negative multiple turns the ends of ln 2 around.
    if k < 0:
        low_two, high_two = high_two, low_two
    return (low + k * low_two) * 2 >> guard, -(-(high + k * high_two) * 2 >> guard)


def _enclose_atanh(z: Fraction, places: int) -> tuple[int, int]:
    """Integers low <= atanh(z) 2^places <= high, for |z| <= 1/3: the sum of z^i / i over odd i."""
    if z < 0:
        low, high = _enclose_atanh(-z, places)
        return -high, -low
    p, q = z.numerator, z.denominator
    low = high = 0
    below, above, i = (p << places) // q, -((-p << places) // q), 1
    while above > 1:
        low, high, i = low + below // i, high - (-above // i), i + 2
        below, above = below * p * p // (q * q), -(-above * p * p // (q * q))
    # Each omitted power is at most 1/9 of the one before it.
    return low, high + 2 * above
