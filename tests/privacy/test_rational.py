"""exp_below is a lower bound of e^x, certified by an independent upper bound."""

from collections.abc import Callable
from decimal import ROUND_CEILING, Context, Decimal
from fractions import Fraction

import pytest
from hypothesis import given
from hypothesis import strategies as st

from littlestone.privacy.rational import exp_below

EXPONENTS = [Fraction(1, 10**k) for k in range(12)] + [Fraction(k, 3) for k in range(1, 60)]


def exceeds(r: Fraction, x: Fraction) -> bool:
    """Whether r > e^x for certain: e^x < sum_{i<k} x^i/i! + x^k/k! * 2 once k >= 2x."""
    terms, term, i = Fraction(1), Fraction(1), 0
    while i < 2 * x or term > Fraction(1, 2**300):
        i += 1
        term = term * x / i
        terms += term
    return r > terms + term


def violations(bound: Callable[[Fraction], Fraction]) -> list[Fraction]:
    return [x for x in EXPONENTS if exceeds(bound(x), x)]


def test_never_above_the_exponential() -> None:
    assert violations(exp_below) == []


def rounded_up(x: Fraction) -> Fraction:
    r = exp_below(x)
    return r + Fraction(1, r.denominator)


def from_a_float(x: Fraction) -> Fraction:
    import math

    return Fraction(math.exp(float(x)))


@pytest.mark.parametrize("plant", [rounded_up, from_a_float])
def test_a_rounded_up_base_is_caught(plant: Callable[[Fraction], Fraction]) -> None:
    assert violations(plant) != []


@given(st.fractions(min_value=Fraction(1, 10**9), max_value=44))
def test_tight_and_at_least_one(x: Fraction) -> None:
    context = Context(prec=80, rounding=ROUND_CEILING)
    exponent = context.divide(Decimal(x.numerator), Decimal(x.denominator))
    above = Fraction(context.exp(exponent)) + Fraction(1, 10**60)
    r = exp_below(x)
    assert 1 < r <= above
    assert above - r <= min(x, Fraction(1)) / 2**31 + Fraction(1, 10**40) * above


def test_a_huge_exponent_is_bounded() -> None:
    assert exp_below(Fraction(10**9)) == exp_below(Fraction(44))
