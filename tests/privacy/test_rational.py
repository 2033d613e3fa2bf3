"""Bounds of e^x and ln x, certified by independent bounds."""

import math
from collections.abc import Callable
from decimal import ROUND_CEILING, Context, Decimal, localcontext
from fractions import Fraction

import pytest
from hypothesis import given
from hypothesis import strategies as st

from littlestone.privacy.rational import enclose_exp, exp_above, exp_below, log_above, log_below

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


SLACK = Fraction(1, 10**60)


def decimal(x: Fraction) -> Decimal:
    return Decimal(x.numerator) / Decimal(x.denominator)


@given(st.fractions(min_value=0, max_value=900), st.integers(1, 120))
def test_the_exponential_is_enclosed(x: Fraction, places: int) -> None:
    """Against the decimal module, which rounds e^x correctly to the digits asked for."""
    with localcontext(prec=500):
        value = Fraction(decimal(x).exp())
    low, high = enclose_exp(x, places)
    assert low - SLACK <= value * 2**places <= high + SLACK
    assert high - low <= 2


@given(st.fractions(min_value=0, max_value=500))
def test_the_upper_bound_is_tight(x: Fraction) -> None:
    with localcontext(prec=400):
        value = Fraction(decimal(x).exp())
    assert value - SLACK <= exp_above(x) <= value + min(x, Fraction(1)) / 2**31 + SLACK


LOGARITHMS = st.one_of(
    st.fractions(min_value=Fraction(1, 10**12), max_value=10**6),
    st.integers(-300, 300).map(lambda k: Fraction(10) ** k),
    st.integers(1, 200).map(lambda k: 1 + Fraction(1, 2**k)),
    st.integers(1, 200).map(lambda k: 1 - Fraction(1, 2**k)),
)


def wrong_logarithm(below: Callable[[Fraction], Fraction], x: Fraction) -> bool:
    """Whether ``below`` exceeds ln x or is further from it than it says, at 64 bits."""
    with localcontext(prec=200):
        value = Fraction(decimal(x).ln())
    return not value - Fraction(1, 2**63) - SLACK <= below(x) <= value + SLACK


@given(LOGARITHMS)
def test_the_logarithm_is_enclosed(x: Fraction) -> None:
    assert not wrong_logarithm(log_below, x)
    assert not wrong_logarithm(lambda y: -log_above(1 / y), x)
    assert log_below(x) <= log_above(x)


@pytest.mark.parametrize(
    "plant",
    [
        log_above,
        lambda x: log_below(x) + Fraction(1, 2**63),
        lambda x: Fraction(math.log(x)),
        lambda x: log_below(x, 32),
    ],
)
def test_a_wrong_logarithm_is_caught(plant: Callable[[Fraction], Fraction]) -> None:
    assert any(wrong_logarithm(plant, 1 + Fraction(1, k)) for k in range(1, 40))
