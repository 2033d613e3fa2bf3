"""Numbers of noise, drawn exactly with whole numbers alone: geometric, Laplace and Gaussian (CKS20)."""

from __future__ import annotations

import random
from fractions import Fraction
from math import isqrt

from littlestone.privacy.samplers.reals import KNOWN, Enclosure, LazyUniform, Real, product


def geometric(a: Real, rng: random.Random, *, most: int | None = None) -> int:
    """X >= 0 with Pr[X >= x] = a^x for 0 <= a < 1, or min(X, most): the x with a^(x+1) <= U < a^x.

    O(log X) comparisons of one uniform U, so a = 1 - 10^-9 costs no more than a = 1/2.  With ``most``,
    a = 1 is legal too.  With p = 1 - a, 1 + X is the number of independent trials, each a success with
    probability p, up to the first success.

    >>> geometric(Real.of(Fraction(0)), random.Random(0)), geometric(
    ...     Real.of(Fraction(1)), random.Random(0), most=7)
    (0, 7)
    """
    u, squares = LazyUniform(rng), a.squares

    def square(i: int) -> Enclosure:
        """An enclosure of a^(2^i)."""
        # Put into its place, because another thread may be as far: twice there would be another law.
        for j in range(len(squares), i + 1):
            squares[j : j + 1] = [product(squares[j - 1], squares[j - 1], KNOWN)]
        return squares[i]

    def reaches(x: int, power: Enclosure) -> bool:
        found = u.decide(power) if most is None or x <= most else False
        return u.below(a.power(x)) if found is None else found

    # {X >= x} = {U < a^x} for every x, all about the same U: doubling, then halving.
    # The order of the questions is only for speed: no answer depends on it.
    x, power, top = 0, (1 << KNOWN, 1 << KNOWN), 0
    while reaches(1 << top, square(top)):
        top += 1
    for i in reversed(range(top)):
        larger = product(power, square(i), KNOWN)
        if reaches(x + (1 << i), larger):
            x, power = x + (1 << i), larger
    return x


def discrete_laplace(a: Fraction, rng: random.Random) -> int:
    """X with Pr[X = x] = (1 - a) / (1 + a) a^|x|, for a rational 0 < a < 1 (GRS12).

    With a = e^-epsilon it makes a count of sensitivity 1 epsilon-DP, and so does any rational
    a >= e^-epsilon.  |X| - 1 is geometric given X != 0, and Pr[X = 0] = (1 - a) / (1 + a).

    >>> [discrete_laplace(Fraction(1, 10**9), random.Random(seed)) for seed in range(3)]
    [0, 0, 0]
    """
    # Three independent choices, each exact: is X 0, how large is |X|, which sign.
    if LazyUniform(rng).below(Real.of((1 - a) / (1 + a))):
        return 0
    size = 1 + geometric(Real.of(a), rng)
    return size if rng.getrandbits(1) else -size


def laplace_tail(a: Fraction, x: int) -> Fraction:
    """Pr[X >= x] of `discrete_laplace`: a^x / (1 + a) for x >= 1, and 1 - a^(1-x) / (1 + a) below.

    >>> laplace_tail(Fraction(1, 2), 1), laplace_tail(Fraction(1, 2), 0)
    (Fraction(1, 3), Fraction(2, 3))
    """
    # X and -X have the same law.
    return a**x / (1 + a) if x >= 1 else 1 - laplace_tail(a, 1 - x)


def laplace_at_least(a: Fraction, x: int) -> Real:
    """`laplace_tail` as a number to draw with, whose bits are computed as they are asked for.

    >>> laplace_at_least(Fraction(1, 2), 1).enclose(20)[0] == 2**20 // 3
    True
    """
    # Below 1 the other tail: X and -X have the same law, so Pr[X >= x] = 1 - Pr[X >= 1 - x].
    tail = Real.of(a).power(x if x >= 1 else 1 - x) * Real.of(1 / (1 + a))
    return tail if x >= 1 else 1 - tail


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
