"""Renyi divergences: rho of pure and bounded-range events, and the way back to epsilon."""

from __future__ import annotations

from collections.abc import Callable
from decimal import Decimal, localcontext
from fractions import Fraction
from math import erfc, exp, expm1, fsum, log, sqrt
from random import Random

import numpy as np
import pytest
from composing import Pair, response, selection

from littlestone.privacy.accounting.composed import divergence, zcdp_epsilon
from littlestone.privacy.event import Guarantee

ORDERS = [1.0001, 1.01, 1.1, 1.5, 2, 3, 5, 10, 30, 100]
EPSILONS = [Fraction(1, 100), Fraction(1, 10), Fraction(1), Fraction(3), Fraction(6)]

Rho = Callable[[Fraction], Fraction]


def renyi(pair: Pair, alpha: float) -> float:
    """The Renyi divergence of order alpha, in floats: ln(1 + sum q (e^(alpha L) - alpha e^L + ...)).

    Both laws sum to one, so sum q (x^alpha - 1 - alpha (x - 1)) is the moment less 1, and has no
    cancellation.
    """
    p, q = pair
    ratios = [(float(q[y]), float(p[y] / q[y])) for y in p if p[y]]
    return log(1 + fsum(m * _convex(x, alpha) for m, x in ratios)) / (alpha - 1)


def _convex(x: float, alpha: float) -> float:
    return expm1(alpha * log(x)) - alpha * (x - 1)


def two_point(eta: Fraction, p: Fraction) -> Pair:
    """Laws whose log-ratios are eta apart; the more likely outcome has mass p in the first."""
    ratio = Fraction(exp(-eta))  # of the two likelihood ratios; a float of it is near enough here
    low = p * ratio / (p * ratio + 1 - p)
    return {0: p, 1: 1 - p}, {0: low, 1: 1 - low}


def most(pairs: list[Pair]) -> float:
    """The largest divergence over alpha of the pairs, in both directions."""
    return max(
        renyi(pair, alpha) / alpha
        for a, b in pairs
        for pair in ((a, b), (b, a))
        for alpha in ORDERS
    )


def bounded_range_pairs(eta: Fraction) -> list[Pair]:
    rng = Random(3)
    return [selection(eta, rng, items) for items in (2, 3, 10) for _ in range(10)] + [
        two_point(eta, Fraction(k, 50)) for k in range(1, 50)
    ]


def of_bounded_range(eta: Fraction) -> Fraction:
    return Guarantee.bounded_range(eta).rho


def of_pure(epsilon: Fraction) -> Fraction:
    return Guarantee.pure(epsilon).rho


@pytest.mark.parametrize("eta", EPSILONS)
def test_rho_of_bounded_range_holds_and_is_the_least(eta: Fraction) -> None:
    found, rho = most(bounded_range_pairs(eta)), float(of_bounded_range(eta))
    assert found <= rho * (1 + 1e-9)
    assert found >= rho * 0.99
    assert rho <= float(eta**2 / 8)


@pytest.mark.parametrize("epsilon", EPSILONS)
def test_rho_of_pure_holds_and_is_the_least(epsilon: Fraction) -> None:
    found, rho = most([response(epsilon)]), float(of_pure(epsilon))
    assert found <= rho * (1 + 1e-9)
    assert found >= rho * 0.999
    assert rho <= float(epsilon**2 / 2)


def least_rho(eta: Fraction) -> Fraction:
    """x - 1 - ln x in 120 digits, for x = eta / (1 - e^-eta)."""
    with localcontext(prec=120):
        exact = Decimal(eta.numerator) / Decimal(eta.denominator)
        x = exact / (1 - (-exact).exp())
        return Fraction(x - 1 - x.ln())


RANGES = [Fraction(k, 7 * 10**j) for j in range(9) for k in (1, 2, 3, 5, 11, 40)]


def test_rho_is_rounded_up() -> None:
    for eta in RANGES:
        assert least_rho(eta) <= of_bounded_range(eta) <= least_rho(eta) * (1 + Fraction(1, 10**11))


def test_rho_in_floats_is_caught() -> None:
    def in_floats(eta: float) -> float:
        x = eta / -expm1(-eta)
        return x - 1 - log(x)

    assert any(Fraction(in_floats(float(eta))) < least_rho(eta) for eta in RANGES)


def half_of_it(eta: Fraction) -> Fraction:
    return eta**2 / 16


def that_of_small_ranges_scaled(eta: Fraction) -> Fraction:
    """An approximation of the least rho for small ranges, too small for large ones."""
    return eta**2 / 8 / (1 + eta**2)


@pytest.mark.parametrize("plant", [half_of_it, that_of_small_ranges_scaled])
def test_a_smaller_rho_is_caught(plant: Rho) -> None:
    assert any(most(bounded_range_pairs(eta)) > plant(eta) * (1 + 1e-9) for eta in EPSILONS)


def test_bounded_range_is_not_that_of_every_pure_event() -> None:
    """Randomized response has range 2 epsilon; taken for epsilon, its rho is too small."""
    assert most([response(Fraction(1))]) > float(of_bounded_range(Fraction(1)))
    assert most([response(Fraction(1))]) <= float(of_bounded_range(Fraction(2)))


@pytest.mark.parametrize("epsilon", EPSILONS)
def test_divergence_is_that_of_randomized_response(epsilon: Fraction) -> None:
    for alpha in ORDERS:
        bound = float(divergence(Guarantee.pure(epsilon), Fraction(alpha)))
        found = renyi(response(epsilon), alpha)
        assert found <= bound * (1 + 1e-9)
        assert bound <= found * (1 + 1e-3) or bound == float(epsilon)


def gaussian_delta(rho: float, epsilon: float) -> float:
    """The exact delta of a Gaussian mechanism, which is rho-zCDP (Balle and Wang 2018, Theorem 8)."""
    shift = sqrt(2 * rho)  # the distance of the means over the standard deviation

    def beyond(x: float) -> float:
        return erfc(x / sqrt(2)) / 2

    return beyond(epsilon / shift - shift / 2) - exp(epsilon) * beyond(epsilon / shift + shift / 2)


Conversion = Callable[[Fraction, Fraction], Fraction]
GAUSSIANS = [(rho, delta) for rho in (0.001, 0.1, 1.0, 10.0) for delta in (0.1, 1e-3, 1e-6, 1e-9)]


def gaussian_violations(conversion: Conversion) -> int:
    return sum(
        gaussian_delta(rho, float(conversion(Fraction(rho), Fraction(delta)))) > delta
        for rho, delta in GAUSSIANS
    )


def test_the_conversion_holds_for_gaussians() -> None:
    assert gaussian_violations(zcdp_epsilon) == 0


def without_the_two(rho: Fraction, delta: Fraction) -> Fraction:
    return Fraction(rho + sqrt(rho * log(1 / delta)))


def without_rho(rho: Fraction, delta: Fraction) -> Fraction:
    return Fraction(2 * sqrt(rho * log(1 / delta)))


def in_base_ten(rho: Fraction, delta: Fraction) -> Fraction:
    return Fraction(rho + 2 * sqrt(rho * log(1 / delta, 10)))


@pytest.mark.parametrize("plant", [without_the_two, without_rho, in_base_ten])
def test_a_wrong_conversion_is_caught(plant: Conversion) -> None:
    assert gaussian_violations(plant) > 0


@pytest.mark.parametrize(("rho", "delta"), [*GAUSSIANS, (1e6, 1e-6)])
def test_the_order_is_about_the_best(rho: float, delta: float) -> None:
    """The least over a dense grid of orders, and never above Bun and Steinke's Proposition 1.3."""
    above = np.exp(np.linspace(-12, 20, 200_001))
    bounds = rho * (1 + above) + np.log(above / (1 + above))
    bounds += (log(1 / delta) - np.log1p(above)) / above
    epsilon = float(zcdp_epsilon(Fraction(rho), Fraction(delta)))
    assert epsilon == pytest.approx(max(0, bounds.min()), rel=1e-5, abs=1e-9)
    assert epsilon <= rho + 2 * sqrt(rho * log(1 / delta))


def test_no_divergence_costs_nothing() -> None:
    assert zcdp_epsilon(Fraction(0), Fraction(1, 10**6)) == 0
    assert Guarantee.bounded_range(Fraction(0)).rho == Guarantee.pure(Fraction(0)).rho == 0
