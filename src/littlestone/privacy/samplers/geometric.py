"""Geometric numbers, discrete Laplace numbers and waiting times, drawn exactly."""

from __future__ import annotations

import random
from fractions import Fraction

from littlestone.privacy.samplers.reals import LazyUniform, Real

_BITS = 32


def geometric(a: Real, rng: random.Random, *, most: int | None = None) -> int:
    """X >= 0 with Pr[X >= x] = a^x for 0 <= a < 1, or min(X, most): the x with a^(x+1) <= U < a^x.

    O(log X) comparisons of one uniform U, so a = 1 - 10^-9 costs no more than a = 1/2.  With ``most``,
    a = 1 is legal too.  With p = 1 - a, 1 + X is the number of independent trials, each a success with
    probability p, up to the first success.

    >>> geometric(Real.of(Fraction(0)), random.Random(0)), geometric(
    ...     Real.of(Fraction(1)), random.Random(0), most=7)
    (0, 7)
    """
    u = LazyUniform(rng)

    def reaches(x: int) -> bool:
        return u.below(a.power(x))

    # If X is usually at least `most`, ask that first.  This is only for speed: no answer depends on the
    # order of the questions.
    one = 1 << _BITS
    rare = most is not None and (one - a.enclose(_BITS)[0]) * most < one
    # Doubling, then halving: {X >= x} = {U < a^x} for every x, all about the same U.
    low, above = 0, most if most and rare else 1  # low <= X; and X < above, once found
    while (most is None or above <= most) and reaches(above):
        low, above = above, 2 * above
    above = above if most is None else min(above, most + 1)
    while above - low > 1:
        middle = (low + above) // 2
        low, above = (middle, above) if reaches(middle) else (low, middle)
    return low


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


def laplace_at_least(a: Fraction, x: int) -> Real:
    """Pr[X >= x] of `discrete_laplace`: a^x / (1 + a) for x >= 1, and 1 - a^(1-x) / (1 + a) below.

    >>> laplace_at_least(Fraction(1, 2), 1).enclose(20)[0] == 2**20 // 3
    True
    """
    # Below 1 the other tail: X and -X have the same law, so Pr[X >= x] = 1 - Pr[X >= 1 - x].
    tail = Real.of(a).power(x if x >= 1 else 1 - x) * Real.of(1 / (1 + a))
    return tail if x >= 1 else 1 - tail
