"""Mistakes in the noise of sums, in its draws, and in what a sequence of them costs."""

from __future__ import annotations

import math
import random
from collections.abc import Callable
from dataclasses import dataclass, replace
from fractions import Fraction
from functools import cached_property
from math import ceil, isqrt
from typing import Any

import pytest
from scipy.stats import norm

from littlestone.privacy import Budget
from littlestone.privacy.accounting.gaussian import CORE, delta_above, greatest_mu_squared
from littlestone.privacy.cost import round_down
from littlestone.privacy.mechanisms import noisy_sums
from littlestone.privacy.mechanisms.noisy_sums import (
    Ask,
    GaussianNoise,
    LaplaceNoise,
    Noisy,
    NoisySums,
    SumStep,
)
from littlestone.privacy.samplers import noise as samplers
from littlestone.prove.audit import Subject
from littlestone.prove.audit.subjects.noisy_counts import STEPS, sums_subject
from plants.harness import Plant, draws_as_it_says, is_private

ONE = Fraction(1)
GAUSSIAN = sums_subject(NoisySums(Budget(1, "0.001"), STEPS), most=20)
LAPLACE = sums_subject(NoisySums(Budget(1), STEPS), most=4)


@dataclass(frozen=True)
class Planned(NoisySums):
    """Gaussian noise by a plan; step i has variance ``variances[i]`` / ``mu_squared``, and 2 more."""

    def variances(self) -> list[Fraction]:
        return [step.squared / step.share for step in self.steps]

    @cached_property
    def mu_squared(self) -> Fraction:
        return greatest_mu_squared(self.epsilon, self.delta)

    @cached_property
    def noises(self) -> tuple[GaussianNoise | LaplaceNoise, ...]:
        return tuple(GaussianNoise(CORE + ceil(v / self.mu_squared)) for v in self.variances())


class SumsDeviation(Planned):
    """Mu is taken for its square."""

    @cached_property
    def mu_squared(self) -> Fraction:
        return Fraction(isqrt(ceil(super().mu_squared * 10**12)) + 1, 10**6)


class SumsNotSquared(Planned):
    """The sensitivity of the first step is not squared."""

    def variances(self) -> list[Fraction]:
        return [isqrt(step.squared) / step.share for step in self.steps]


class SumsStepUnpaid(Planned):
    """The second step is not paid for."""

    def variances(self) -> list[Fraction]:
        return [step.squared * ONE for step in self.steps]


class SumsDeltaEach(Planned):
    """Each step has all of delta, in each of the two directions."""

    @cached_property
    def mu_squared(self) -> Fraction:
        return greatest_mu_squared(self.epsilon, 4 * self.delta)


def _only(values: Any) -> int:
    """The one sum of a step."""
    (value,) = values
    return int(value)


@dataclass(frozen=True)
class SumsOneNoise(NoisySums):
    """The second step has the noise of the first, drawn once."""

    def distribution(self, data: Ask, most: int = 4) -> dict[tuple[Noisy, ...], Fraction]:
        law: dict[tuple[Noisy, ...], Fraction] = {}
        first = _only(data(()))
        for (one, _), mass in super().distribution(data, most).items():
            second = _only(data((one,)))
            other = (min(max(second + one[0] - first, -most), most),)
            law[one, other] = law.get((one, other), Fraction(0)) + mass
        return law


@dataclass(frozen=True)
class SumsExactZero(NoisySums):
    """A sum of 0 is released without noise, because there is nobody to protect."""

    def distribution(self, data: Ask, most: int = 4) -> dict[tuple[Noisy, ...], Fraction]:
        law = super().distribution(data, most)
        values: Any = data(())
        if any(values):
            return law
        found: dict[tuple[Noisy, ...], Fraction] = {}
        for (_, other), mass in law.items():
            found[(0,), other] = found.get(((0,), other), Fraction(0)) + mass
        return found


@dataclass(frozen=True)
class SumsLaplaceByL2(NoisySums):
    """Laplace noise by the sensitivity in L2, and all of epsilon for each step."""

    def _noise(self, step: SumStep) -> GaussianNoise | LaplaceNoise:
        return LaplaceNoise(isqrt(step.squared) / self.epsilon)


# Draws.

Sampler = Callable[..., Any]


def coin_of_the_rest(p: int, q: int, rng: random.Random) -> bool:
    """Whole parts of the exponent are left out."""
    return OWN_COIN(p if p <= q else p % q, q, rng)


def coin_inverted(p: int, q: int, rng: random.Random) -> bool:
    """An odd number of comparisons is taken for an even one."""
    return not OWN_COIN(p, q, rng)


def coin_linear(p: int, q: int, rng: random.Random) -> bool:
    """One comparison: 1 - x in place of e^-x."""
    return rng.randrange(q) >= p


def zero_of_both_signs(scale: Fraction, rng: random.Random) -> int:
    """0 has two signs, and is drawn twice as often."""
    size = abs(OWN_TWO_SIDED(scale, rng))
    while size and rng.getrandbits(1):
        size = abs(OWN_TWO_SIDED(scale, rng))
    return -size if rng.getrandbits(1) else size


def no_sign(scale: Fraction, rng: random.Random) -> int:
    """All noise is at least 0."""
    return abs(OWN_TWO_SIDED(scale, rng))


def whole_scale(scale: Fraction, rng: random.Random) -> int:
    """The scale is rounded down to a whole number."""
    return OWN_TWO_SIDED(Fraction(max(1, int(scale * 4 / 5))), rng)


def not_rejected(variance: int, rng: random.Random) -> int:
    """The proposal is returned without the test."""
    return OWN_TWO_SIDED(Fraction(isqrt(variance) + 1), rng)


def off_centre(variance: int, rng: random.Random) -> int:
    """The test is centred at the scale, and not at variance / scale."""
    t = 2 * (isqrt(variance) + 1)
    while True:
        x = OWN_TWO_SIDED(Fraction(t), rng)
        if OWN_COIN((abs(x) - t) ** 2, 2 * variance, rng):
            return x


def rounded_gauss(variance: int, rng: random.Random) -> int:
    """A float is drawn and cut off to a whole number."""
    return int(rng.gauss(0, variance**0.5))


OWN_COIN, OWN_TWO_SIDED = samplers.below_exp, samplers.two_sided


def with_sampler(subject: Subject[Any], module: Any, name: str, sampler: Sampler) -> Subject[Any]:
    """The same claim and law, but drawn with another sampler."""

    def runs(times: int, rng: random.Random) -> Any:
        run = subject.runs(times, rng)

        def run_changed(data: Any) -> Any:
            with pytest.MonkeyPatch.context() as patch:
                patch.setattr(module, name, sampler)
                return run(data)

        return run_changed

    return replace(subject, runs=runs)


# The curve.

KNOWN = {  # the first digits of delta at (mu squared, epsilon), by another library
    ("1/4", "1"): "0.0068295949831145753842",
    ("1/10000", "1/3"): "2.2472349385436143711e-247",
    ("1/10000", "1/1000"): "0.0035110920258420982562",
    ("1/3000", "1"): "1.4461078956332081559e-657",
    ("81", "40"): "0.47815557445153369951",
}
Curve = Callable[[Fraction, Fraction], Fraction]


def is_above_the_curve(curve: Curve) -> bool:
    """Never below the true delta, as far as its digits are known."""
    return all(
        curve(Fraction(mu_squared), Fraction(epsilon)) * (1 + Fraction(1, 10**18))
        >= Fraction(delta)
        for (mu_squared, epsilon), delta in KNOWN.items()
    )


def curve_rounded_down(mu_squared: Fraction, epsilon: Fraction) -> Fraction:
    """The bound of delta is rounded down to six digits."""
    return round_down(delta_above(mu_squared, epsilon))


def curve_of_less(mu_squared: Fraction, epsilon: Fraction) -> Fraction:
    """Mu is rounded down to one digit before the curve is read."""
    return delta_above(round_down(mu_squared, 1), epsilon)


def curve_in_floats(mu_squared: Fraction, epsilon: Fraction) -> Fraction:
    """The curve in floats, where a difference of two tails near 0 is 0."""
    mu = float(mu_squared) ** 0.5
    a, b = float(epsilon) / mu - mu / 2, float(epsilon) / mu + mu / 2
    return Fraction(float(norm.sf(a) - math.exp(epsilon) * norm.sf(b)))


def _plan(kind: type[NoisySums], honest: Subject[Any] = GAUSSIAN) -> Plant:
    mistake = (kind.__doc__ or "").partition("\n")[0]
    event: Any = honest.event
    most = 20 if honest is GAUSSIAN else 4
    broken = sums_subject(kind(event.budget, STEPS), most=most)
    return Plant(kind.__name__, mistake, is_private, honest, broken)


def _draw(sampler: Sampler, module: Any, name: str, honest: Subject[Any] = GAUSSIAN) -> Plant:
    mistake = (sampler.__doc__ or "").partition("\n")[0]
    broken = with_sampler(honest, module, name, sampler)
    return Plant(f"sums_{sampler.__name__}", mistake, draws_as_it_says, honest, broken)


def _curve(curve: Curve) -> Plant:
    mistake = (curve.__doc__ or "").partition("\n")[0]
    return Plant(f"sums_{curve.__name__}", mistake, is_above_the_curve, delta_above, curve)


PLANTS = [
    *map(_plan, [SumsDeviation, SumsNotSquared, SumsStepUnpaid, SumsDeltaEach, SumsOneNoise]),
    *(_plan(kind, LAPLACE) for kind in (SumsExactZero, SumsLaplaceByL2)),
    _draw(coin_of_the_rest, samplers, "below_exp"),
    _draw(coin_inverted, samplers, "below_exp"),
    _draw(coin_linear, samplers, "below_exp"),
    _draw(not_rejected, noisy_sums, "discrete_gaussian"),
    _draw(off_centre, noisy_sums, "discrete_gaussian"),
    _draw(rounded_gauss, noisy_sums, "discrete_gaussian"),
    _draw(zero_of_both_signs, noisy_sums, "two_sided", LAPLACE),
    _draw(no_sign, noisy_sums, "two_sided", LAPLACE),
    _draw(whole_scale, noisy_sums, "two_sided", LAPLACE),
    *map(_curve, [curve_rounded_down, curve_of_less, curve_in_floats]),
]
