"""Discrete Gaussian and Laplace numbers, drawn exactly with whole numbers alone (CKS20)."""

from __future__ import annotations

import random
from fractions import Fraction
from math import isqrt


def below_exp(p: int, q: int, rng: random.Random) -> bool:
    """True with probability exactly e^(-p/q), for whole p >= 0 and q > 0 (CKS20, Algorithm 1).

    >>> below_exp(0, 1, random.Random(0)), below_exp(10**9, 1, random.Random(0))
    (True, False)
    """
    # e^-x is a product of factors e^-1 and one of at most e^-1 for the rest.
    while p > q:
        if not _below_exp_of_share(1, 1, rng):
            return False
        p -= q
    return _below_exp_of_share(p, q, rng)


def _below_exp_of_share(p: int, q: int, rng: random.Random) -> bool:
    """`below_exp` for p <= q: the first k with U_k >= (p/q) / k is odd with probability e^(-p/q)."""
    # Pr[k > j] = (p/q)^j / j!, so the probability of an odd k is 1 - x + x^2/2 - ... = e^-x.
    k = 1
    while rng.randrange(q * k) < p:
        k += 1
    return k % 2 == 1


def two_sided(scale: Fraction, rng: random.Random) -> int:
    """X with Pr[X = x] ~ e^(-|x| / scale), for a rational scale > 0 (CKS20, Algorithm 2).

    >>> [two_sided(Fraction(1, 10**9), random.Random(seed)) for seed in range(3)]
    [0, 0, 0]
    """
    t, s = scale.numerator, scale.denominator
    while True:
        # Z = u + t v has Pr[Z = z] ~ e^(-z / t): v is geometric with ratio e^-1, and u is drawn
        # below t with weights e^(-u / t).  Then floor(Z / s) has the ratio e^(-s / t).
        u, v = rng.randrange(t), 0
        if not below_exp(u, t, rng):
            continue
        while below_exp(1, 1, rng):
            v += 1
        size = (u + t * v) // s
        negative = rng.getrandbits(1)
        # 0 has two signs; without this, it would be drawn twice as often as its share.
        if size or not negative:
            return -size if negative else size


def discrete_gaussian(variance: int, rng: random.Random) -> int:
    """X with Pr[X = x] ~ e^(-x^2 / (2 variance)), for a whole variance >= 1 (CKS20, Algorithm 3).

    It takes about twenty random numbers of a few words, whatever the variance.

    >>> rng = random.Random(0)
    >>> [discrete_gaussian(10**8, rng) for _ in range(3)]
    [-6311, -7113, 9298]
    """
    t = isqrt(variance) + 1
    while True:
        x = two_sided(Fraction(t), rng)
        # e^(-x^2 / 2v) ~ e^(-|x| / t), the law of x, times e^(-(|x| - v/t)^2 / 2v).
        if below_exp((abs(x) * t - variance) ** 2, 2 * variance * t * t, rng):
            return x
