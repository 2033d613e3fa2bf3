"""Optimal composition is that of randomized response, neither less nor more."""

from __future__ import annotations

from fractions import Fraction
from math import comb

import pytest
from composing import excess, response, together

from littlestone.privacy.accounting.optimal import optimal_epsilon
from littlestone.privacy.event import Guarantee
from littlestone.privacy.rational import exp_below


def closed_form(epsilon: Fraction, k: int, i: int, r: Fraction) -> Fraction:
    """delta_i of Kairouz, Oh and Viswanath 2015, Theorem 3.3, at which the sum is (k - 2i) epsilon."""
    a, b = r.numerator, r.denominator
    terms = (
        comb(k, j) * (a ** (k - j) * b**j - a ** (k - 2 * i + j) * b ** (2 * i - j))
        for j in range(i)
    )
    return Fraction(sum(terms), (a + b) ** k)


@pytest.mark.parametrize("k", [5, 40, 101])
@pytest.mark.parametrize("epsilon", [Fraction(1, 20), Fraction(1)])
def test_the_closed_form(epsilon: Fraction, k: int) -> None:
    r = exp_below(epsilon, 64)
    for i in range(1, (k + 1) // 2, 1 + k // 20):
        found = optimal_epsilon([(Guarantee.pure(epsilon), k)], closed_form(epsilon, k, i, r))
        assert (k - 2 * i) * epsilon <= found <= (k - 2 * i) * epsilon * (1 + Fraction(1, 10**5))


@pytest.mark.parametrize("delta", [Fraction(1, 5), Fraction(1, 100), Fraction(1, 10**6)])
@pytest.mark.parametrize(
    "epsilons",
    [[1], [1, 1, 1], ["1/2", "1/3", "1/7", "1/2"], ["1/10", "2/10", "3/10", "3/10"]],
    ids=str,
)
def test_no_less_is_possible(epsilons: list[str], delta: Fraction) -> None:
    """At the epsilon found the responses' delta is enough, and at a little less it is not."""
    exact = [Fraction(epsilon) for epsilon in epsilons]
    pair = together(*map(response, exact))
    found = optimal_epsilon([(Guarantee.pure(epsilon), 1) for epsilon in exact], delta)
    assert excess(pair, found) <= delta
    if found:
        assert excess(pair, found * (1 - Fraction(1, 10**5))) > delta


def test_many_different_epsilons_are_rounded_up() -> None:
    """No common divisor: the answer is larger than the exact one, by one step a response."""
    odd = [Fraction(1, 1009), Fraction(1, 10), Fraction(1, 9)]
    pair, delta = together(*map(response, odd)), Fraction(1, 100)
    found = optimal_epsilon([(Guarantee.pure(epsilon), 1) for epsilon in odd], delta)
    assert excess(pair, found) <= delta
    assert excess(pair, found - Fraction(3, 10**3)) > delta
    # The epsilon that counts most is not rounded: one odd one among a hundred changes little.
    tenth, millionth = Guarantee.pure(Fraction(1, 10)), Fraction(1, 10**6)
    one_more = optimal_epsilon([(tenth, 101)], millionth)
    odd_one = (Guarantee.pure(Fraction(99991, 10**6)), 1)
    assert optimal_epsilon([(tenth, 100), odd_one], millionth) <= one_more
    # Where a step of the lattice would be larger than an epsilon, their sum is the answer.
    many = [(Guarantee.pure(Fraction(1, 999)), 3000), (Guarantee.pure(Fraction(1, 1000)), 3000)]
    assert optimal_epsilon(many, delta) == Fraction(3000, 999) + 3


def test_a_thousand_responses_beyond_the_range_of_floats() -> None:
    """The losses reach e^1000; what is far out is neither lost nor infinite."""
    found = optimal_epsilon([(Guarantee.pure(Fraction(1)), 1000)], Fraction(1, 10**6))
    i = (1000 - int(found)) // 2  # found lies between the sums (1000 - 2i) and two more
    below, above = (closed_form(Fraction(1), 1000, j, exp_below(Fraction(1))) for j in (i, i + 1))
    assert below < Fraction(1, 10**6) < above


def test_epsilon_zero_costs_nothing() -> None:
    nothing = Guarantee.pure(Fraction(0))
    one = Guarantee.pure(Fraction(1))
    delta = Fraction(1, 1000)
    assert optimal_epsilon([(nothing, 5)], delta) == 0
    assert optimal_epsilon([(nothing, 5), (one, 2)], delta) == optimal_epsilon([(one, 2)], delta)
