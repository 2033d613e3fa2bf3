"""Mistakes in adding noise to a count."""

from __future__ import annotations

import math
import random
from collections.abc import Callable
from dataclasses import replace
from fractions import Fraction
from typing import Any

from littlestone.privacy.samplers.noise import discrete_laplace
from littlestone.prove.audit import find_subject
from littlestone.prove.audit.subjects.noisy_counts import DiscreteLaplaceCount
from plants.harness import Masses, Plant, draws_as_it_says, is_private, weighted

ONE = Fraction(1)
A = DiscreteLaplaceCount(ONE).decay
HONEST = find_subject("discrete-laplace-count").make(ONE, Fraction(0))
Bits = tuple[int, ...]


def scale_halved(bits: Bits) -> Masses:
    return dict(DiscreteLaplaceCount(2 * ONE).distribution(bits))


def scale_of_the_data(bits: Bits) -> Masses:
    """The scale is fit to the count, for the same relative error at all counts."""
    return dict(DiscreteLaplaceCount(ONE / max(1, sum(bits))).distribution(bits))


def noise_cut_off(bits: Bits) -> Masses:
    """Noise beyond 20 is thought never to occur, and is drawn again."""
    count = sum(bits)
    return weighted({count + x: A ** abs(x) for x in range(-20, 21)})


def zero_stays_zero(bits: Bits) -> Masses:
    return dict(HONEST.distribution(bits)) if any(bits) else {0: ONE}


def noise_in_floats(bits: Bits) -> Masses:
    """Inverse transform of a uniform float of 8 bits; those of 53 do the same less visibly."""
    masses: Masses = {}
    for k in range(256):
        u = (k + 0.5) / 256 - 0.5
        y = sum(bits) - math.copysign(math.log1p(-2 * abs(u)), u)
        masses[y] = masses.get(y, Fraction(0)) + Fraction(1, 256)
    return masses


def _plant(mistake: str, broken: Any) -> Plant:
    return Plant(broken.__name__, mistake, is_private, HONEST, replace(HONEST, distribution=broken))


def _adding(noise: Callable[[random.Random], int]) -> Any:
    """The honest distribution, and runs that add ``noise(rng)``."""
    return replace(HONEST, runs=lambda times, rng: lambda bits: sum(bits) + noise(rng))


def _honest_noise(rng: random.Random) -> int:
    return discrete_laplace(A, rng)


def _whole_part(rng: random.Random) -> int:
    """The whole part of continuous Laplace noise: not the discrete distribution."""
    return int(rng.expovariate(1.0) * (1 if rng.getrandbits(1) else -1))


PLANTS = [
    _plant("The scale is 1 / (2 epsilon).", scale_halved),
    _plant("The scale of the noise depends on the count.", scale_of_the_data),
    _plant("Noise of small probability is cut off, and no delta pays for it.", noise_cut_off),
    _plant(
        "A count of 0 is released without noise, because there is nobody to protect.",
        zero_stays_zero,
    ),
    _plant(
        "Noise in floats: each count reaches doubles that its neighbour cannot (Mir12).",
        noise_in_floats,
    ),
    Plant(
        "draws_something_else",
        "The exact distribution is right and the draw is another one.",
        draws_as_it_says,
        _adding(_honest_noise),
        _adding(_whole_part),
    ),
]
