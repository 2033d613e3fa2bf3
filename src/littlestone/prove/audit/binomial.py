"""Certified confidence bounds on a probability: Clopper and Pearson's, rounded to the safe side.

Every operation rounds a bound of the binomial tail upwards (`decimal` has directed rounding and
unbounded exponents), so the failure probability is at most the stated one.
"""

from __future__ import annotations

from decimal import MAX_EMAX, MIN_EMIN, ROUND_CEILING, ROUND_FLOOR, Context, Decimal
from fractions import Fraction
from math import lgamma, log, log1p

import numpy as np
from numpy.typing import NDArray


def directed_contexts(digits: int) -> tuple[Context, Context]:
    """Contexts of that precision, one that rounds up and one that rounds down.

    >>> up, down = directed_contexts(3)
    >>> up.divide(1, 3), down.divide(1, 3)
    (Decimal('0.334'), Decimal('0.333'))
    """
    up, down = (
        Context(prec=digits, rounding=rounding, Emin=MIN_EMIN, Emax=MAX_EMAX)
        for rounding in (ROUND_CEILING, ROUND_FLOOR)
    )
    return up, down


def power(x: Decimal, n: int, context: Context) -> Decimal:
    """x^n >= 0 by O(log n) products, each rounded as the context says, unlike Decimal's powers.

    >>> up, down = directed_contexts(3)
    >>> power(Decimal("1.01"), 3, up), power(Decimal("1.01"), 3, down)
    (Decimal('1.05'), Decimal('1.03'))
    """
    result = Decimal(1)
    for digit in f"{n:b}":
        result = context.multiply(result, result)
        if digit == "1":
            result = context.multiply(result, x)
    return result


_UP, _DOWN = directed_contexts(40)
_GRID = 10**15  # bounds are multiples of 10^-15
_SHORT = Decimal("1e-15")  # the share of the tail that is left to its geometric bound


def lower_bound(successes: int, trials: int, beta: Fraction) -> Fraction:
    """A number that is at most p with probability at least 1 - beta, given Bin(trials, p) successes.

    The largest p, to 10^-15, with Pr[Bin(trials, p) >= successes] <= beta (CP34).

    >>> round(float(lower_bound(90, 100, Fraction(1, 40))), 9)
    0.823777402
    """
    # Without a success no p > 0 is excluded; otherwise the bound is the largest p under which so many
    # successes or more have probability at most beta.
    if successes == 0:
        return Fraction(0)
    # Rounded down, and all tails up, so the bound is too low if anything (docs/proofs/audit.md,
    # "Statistical audits").
    limit = _DOWN.divide(Decimal(beta.numerator), Decimal(beta.denominator))
    choices = _choices(trials, successes)
    low, high = 0, successes * _GRID // trials  # beyond the mean the tail probability is not small
    while high - low > 1:
        middle = (low + high) // 2
        if _tail_above(middle, successes, trials, choices) <= limit:
            low = middle
        else:
            high = middle
    return Fraction(low, _GRID)


def at_most(successes: int, trials: int, beta: Fraction) -> Fraction:
    """A number that is at least p with probability at least 1 - beta, given Bin(trials, p) successes.

    >>> round(float(at_most(0, 100, Fraction(1, 20))), 9)
    0.02951305
    """
    # Failures are binomial with 1 - p.
    return 1 - lower_bound(trials - successes, trials, beta)


def binomial_chances(trials: int, p: float) -> NDArray[np.float64]:
    """Pr[Bin(trials, p) = k] for k = 0, ..., trials, in floats: for estimates, not for bounds.

    >>> binomial_chances(3, 0.5).round(12).tolist()
    [0.125, 0.375, 0.375, 0.125]
    """
    if p in (0, 1):
        sure: NDArray[np.float64] = np.eye(trials + 1)[trials if p else 0]
        return sure
    # In logarithms, because C(n, k) overflows a float and p^k underflows.
    factorials = np.array([lgamma(k + 1) for k in range(trials + 1)])
    k = np.arange(trials + 1)
    choices = factorials[-1] - factorials - factorials[::-1]
    found: NDArray[np.float64] = np.exp(choices + k * log(p) + (trials - k) * log1p(-p))
    return found


def _tail_above(p: int, k: int, n: int, choices: Decimal) -> Decimal:
    """An upper bound of Pr[Bin(n, p / GRID) >= k] for p / GRID < k / n; ``choices`` >= C(n, k)."""
    yes, no = (_UP.divide(Decimal(part), Decimal(_GRID)) for part in (p, _GRID - p))
    odds = _up(p, _GRID - p)
    term = _UP.multiply(choices, _UP.multiply(power(yes, k, _UP), power(no, n - k, _UP)))
    total = term
    for j in range(k, n):
        # The terms fall ever faster, so the rest is below a geometric series.
        ratio = _UP.multiply(_up(n - j, j + 1), odds)
        if term < _UP.multiply(total, _SHORT) and ratio < 1:
            remaining = _DOWN.subtract(Decimal(1), ratio)
            return _UP.add(total, _UP.divide(_UP.multiply(term, ratio), remaining))
        term = _UP.multiply(term, ratio)
        total = _UP.add(total, term)
    return total


def _choices(n: int, k: int) -> Decimal:
    """An upper bound of C(n, k)."""
    product = Decimal(1)
    for i in range(1, min(k, n - k) + 1):
        product = _UP.divide(_UP.multiply(product, Decimal(n + 1 - i)), Decimal(i))
    return product


def _up(a: int, b: int) -> Decimal:
    """The quotient a / b, rounded up."""
    return _UP.divide(Decimal(a), Decimal(b))
