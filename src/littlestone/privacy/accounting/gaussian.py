"""What Gaussian noise costs: the exact curve of delta by epsilon, bounded by rationals."""

from __future__ import annotations

from collections.abc import Callable
from fractions import Fraction
from functools import lru_cache
from math import floor, isqrt

from littlestone.privacy.rational import enclose_exp, exp_above, exp_below

CORE = 2
"""The part of a discrete variance that makes it like a continuous one, and counts for nothing else."""

LIKENESS = Fraction(1, 10**16)
"""What each discrete number may add to epsilon, and to delta as a share, beyond a continuous one.

It is more than 4 theta, with theta the sum of 2 e^(-2 pi^2 m^2 `CORE`) over m >= 1
(docs/proofs/gaussian.md, Theorem 2).
"""

_FAR = 60  # deviations beyond which a coarse bound does; the least declared delta is within 22
_NEAR = 4  # deviations below which a power series is short, and beyond which a fraction is
_SHARP = 40  # bits of a delta and of a mu squared
_ROUGH = 10  # bits of a mu squared that is searched and not yet used
_CELLS = 1 << 10  # the most into which the ways to lose epsilon in an earlier draw are cut

Enclosure = tuple[int, int]


def delta_above(mu_squared: Fraction, epsilon: Fraction) -> Fraction:
    """An upper bound of Phi(mu/2 - epsilon/mu) - e^epsilon Phi(-mu/2 - epsilon/mu).

    It is the delta of N(0, 1) and N(mu, 1) at epsilon, for mu^2 > 0 and epsilon > 0.  The bound is at
    most one part in 10^12 too large where a = epsilon/mu - mu/2 is at most 60, and otherwise it is
    2^(-0.72 a^2).

    >>> f"{float(delta_above(Fraction(1, 4), Fraction(1))):.12f}"
    '0.006829594983'
    """
    bits = 64
    while True:
        bits *= 2
        # Delta grows with mu, so mu is rounded up.
        mu = Fraction(isqrt(floor(mu_squared * 4**bits)) + 1, 2**bits)
        exact_a = epsilon / mu - mu / 2
        if exact_a > _FAR:
            # Delta <= Phi(-a) <= e^(-a^2 / 2) / 2, and 1 / (2 ln 2) > 0.72.
            return Fraction(1, 2 ** floor(exact_a**2 * 72 / 100))
        # With b = a + mu, e^epsilon phi(b) = phi(a).  So with R(t) = Phi(-t) / phi(t), which falls,
        # delta is phi(a) (R(a) - R(b)), and for a < 0 it is 1 - phi(a) (R(-a) + R(b)).  Both grow
        # as a is rounded down and b up.
        a, b = floor(exact_a * 2**bits), floor((exact_a + mu) * 2**bits) + 1
        near, far = _enclose_ratio(abs(a), bits), _enclose_ratio(b, bits)
        inverse = _enclose_inverse_density(abs(a), bits)
        if a >= 0:
            least = Fraction(near[0] - far[1], inverse[1])
            most = Fraction(near[1] - far[0], inverse[0])
        else:
            least = 1 - Fraction(near[1] + far[1], inverse[0])
            most = 1 - Fraction(near[0] + far[0], inverse[1])
        if most - least < most / 2**_SHARP:
            return most


def fits_after(mu_squared: Fraction, epsilon: Fraction, delta: Fraction, eta: Fraction) -> bool:
    """Whether a draw and N(0, 1) or N(mu, 1) after it are known to be (epsilon, delta)-DP.

    The draw's log ratios lie in an interval of length ``eta``, which is above 0 and below ``epsilon``
    (docs/proofs/gaussian.md, Theorem 7).  Basic composition would need `delta_above` at epsilon - eta.

    >>> mu_squared = greatest_mu_squared(Fraction("0.6"), Fraction(1, 10**6))
    >>> fits_after(mu_squared, Fraction(1), Fraction(1, 10**6), Fraction(1, 2))
    True
    """
    whole = delta_above(mu_squared, epsilon)
    if whole > delta:
        return False
    grown, above = exp_below(eta, 2 * _SHARP) - 1, exp_above(eta, 2 * _SHARP)
    cells = [(0, 1)]
    while cells:
        i, parts = cells.pop()
        # The draw loses t with probability (e^eta - e^t) / (e^eta - 1), or else t - eta.  In the cell
        # the first is the likeliest at its least t, and costs the most at its greatest.
        left = above - exp_below(eta * i / parts, 2 * _SHARP)
        chance = min(Fraction(1), left / grown)
        lost = delta_above(mu_squared, epsilon - eta * (i + 1) / parts)
        if chance * lost + (1 - chance) * whole > delta:
            if parts == _CELLS:
                return False
            cells += [(2 * i, 2 * parts), (2 * i + 1, 2 * parts)]
    return True


@lru_cache(maxsize=1024)
def greatest_mu_squared(epsilon: Fraction, delta: Fraction) -> Fraction:
    """A mu^2 whose `delta_above` at ``epsilon`` is at most ``delta``, for ``delta`` in (0, 1).

    It is the largest one, but for one part in 10^12.

    >>> f"{float(greatest_mu_squared(Fraction(1), Fraction(1, 10**6))):.12f}"
    '0.056028963825'
    """
    return _greatest(lambda found: delta_above(found, epsilon) <= delta, epsilon, _SHARP)


def greatest_after(epsilon: Fraction, delta: Fraction, eta: Fraction) -> Fraction:
    """A mu^2 that `fits_after` a draw; about the largest one.

    >>> f"{float(greatest_after(Fraction(1), Fraction(1, 10**6), Fraction(1, 2))):.5f}"
    '0.02325'
    """
    return _greatest(lambda found: fits_after(found, epsilon, delta, eta), epsilon, _ROUGH)


def _greatest(fits: Callable[[Fraction], bool], epsilon: Fraction, bits: int) -> Fraction:
    """The largest mu^2 that ``fits``, which larger ones do not, to so many ``bits``."""
    # Begin near mu^2 = epsilon^2, or 2 epsilon if that is less.
    low = Fraction(2) ** min(2, 2 * (int(epsilon).bit_length() - int(1 / epsilon).bit_length()))
    while fits(low):
        low *= 2
    while not fits(low):
        low /= 2
    # From low, which fits, to 2 low, which does not, bit by bit.
    step = low
    while step * 2**bits > low:
        step /= 2
        low = low + step if fits(low + step) else low
    return low


def _enclose_ratio(x: int, bits: int) -> Enclosure:
    """Integers around 2^bits R(t), R(t) = Phi(-t) / phi(t), for t = x / 2^bits >= 0."""
    if x >> bits < _NEAR:
        # R(t) = R(0) e^(t^2 / 2) - (t + t^3 / 3 + t^5 / (3 5) + ...), and R(0) = sqrt(2 pi) / 2.
        inverse, odd = _enclose_inverse_density(x, bits), _enclose_odd_series(x, bits)
        return (inverse[0] >> 1) - odd[1], (inverse[1] + 1 >> 1) - odd[0]
    # R(t) = 1 / r_1 with r_k = t + k / r_(k + 1), a continued fraction, and r_k > t for every k.
    low, high = x, x + (bits + 1 << 2 * bits) // x + 1
    for k in range(bits, 0, -1):
        low, high = x + (k << 2 * bits) // high, x + (k << 2 * bits) // low + 1
    return (1 << 2 * bits) // high, (1 << 2 * bits) // low + 1


def _enclose_odd_series(x: int, bits: int) -> Enclosure:
    """Integers around 2^bits times the sum of t^k / (1 3 5 ... k) over odd k, for t = x / 2^bits."""
    square = x * x >> bits, (x * x >> bits) + 1
    low = high = 0
    below = above = x
    k = 1
    while above > 1 or k << bits < 2 * square[1]:
        low, high, k = low + below, high + above, k + 2
        below = (below * square[0] >> bits) // k
        above = ((above * square[1] >> bits) + 1) // k + 1
    # Each omitted term is at most half of the one before it.
    return low, high + 2 * above


def _enclose_inverse_density(x: int, bits: int) -> Enclosure:
    """Integers around 2^bits / phi(t) = 2^bits sqrt(2 pi) e^(t^2 / 2), for t = x / 2^bits."""
    grown, pi = enclose_exp(Fraction(x * x, 2 << 2 * bits), bits), _enclose_pi(bits)
    low, high = isqrt(pi[0] << bits + 1), isqrt(pi[1] << bits + 1) + 1
    return low * grown[0] >> bits, (high * grown[1] >> bits) + 1


@lru_cache(maxsize=64)
def _enclose_pi(bits: int) -> Enclosure:
    """Integers around 2^bits pi, by Machin's 16 arctan(1/5) - 4 arctan(1/239)."""
    guard = bits.bit_length() + 8
    places, found = bits + guard, 0
    for factor, n in ((16, 5), (-4, 239)):
        power, k = (1 << places) // n, 1
        while power:
            found += factor * (power // k)
            power, k, factor = power // (n * n), k + 2, -factor
    # At most places / 4 terms, each at most 3 times its factor off.
    return found - 16 * places >> guard, (found + 16 * places >> guard) + 1
