"""Statistical audits: a lower bound on the epsilon of a black box, from its outputs alone.

Its confidence bounds are Clopper and Pearson's.  Every operation rounds a bound of the binomial tail
upwards (`decimal` has directed rounding and unbounded exponents), so the failure probability is at
most the stated one.
"""

from __future__ import annotations

import math
import random
from collections import Counter
from collections.abc import Callable, Hashable
from dataclasses import dataclass
from decimal import MAX_EMAX, MIN_EMIN, ROUND_CEILING, ROUND_FLOOR, Context, Decimal
from fractions import Fraction
from math import lgamma, log, log1p
from statistics import NormalDist

import numpy as np
from numpy.typing import NDArray

from littlestone.privacy.cost import exact_chance, exact_delta
from littlestone.privacy.parameters import require_whole
from littlestone.privacy.randomness import system_generator
from littlestone.prove.audit.claims import nats

Trial = Callable[[random.Random], Hashable]
Seen = tuple[Counter[Hashable], Counter[Hashable]]
"""How often each output was seen, on each of two data sets."""


@dataclass(frozen=True)
class EpsilonBound:
    """No (epsilon', delta)-DP algorithm has epsilon' < ``epsilon``, with this confidence.

    An event of outputs was seen ``hits`` and ``neighbour_hits`` times in ``trials`` fresh runs on the
    two data sets, in the order that counts.  The numbers depend on the data sets, so audit with made-up
    data.
    """

    epsilon: float
    delta: Fraction
    confidence: Fraction
    hits: int
    neighbour_hits: int
    trials: int


def audit_epsilon(
    run: Trial,
    run_neighbour: Trial,
    *,
    delta: object = 0,
    trials: int,
    confidence: object = Fraction(95, 100),
    rng: random.Random | None = None,
) -> EpsilonBound:
    """A lower bound on epsilon at ``delta``, true with probability at least ``confidence``.

    ``run(rng)`` and ``run_neighbour(rng)`` are what the algorithm releases on two neighbouring data
    sets, as hashable values; each is called ``trials`` times.  The first half of the runs chooses the
    event and the direction, the second half bounds both probabilities (docs/proofs/audit.md).  A low
    bound does not prove privacy.  Raises `DeclarationError` for trials < 2 and probabilities outside
    their ranges.

    >>> def flip(truth: int, rng: random.Random) -> int:   # with probability 3/4 the truth
    ...     return truth ^ (rng.randrange(4) == 0)
    >>> bound = audit_epsilon(lambda rng: flip(0, rng), lambda rng: flip(1, rng), trials=10_000,
    ...                       rng=random.Random(0))
    >>> 1.0 < bound.epsilon <= math.log(3)
    True
    """
    rng = system_generator() if rng is None else rng
    delta, confidence = exact_delta(delta), check_confidence(confidence)
    one, other, one_fresh, other_fresh = (
        Counter(algorithm(rng) for _ in range(times))
        for times in halves(trials)
        for algorithm in (run, run_neighbour)
    )
    return bound_epsilon((one, other), (one_fresh, other_fresh), delta=delta, confidence=confidence)


def bound_epsilon(
    seen: Seen, fresh: Seen, *, delta: Fraction, confidence: Fraction
) -> EpsilonBound:
    """`audit_epsilon` of outputs that were counted on the two data sets.

    Those that were ``seen`` choose the event and the direction, and the ``fresh`` ones bound both
    probabilities.
    """
    # The event comes from the first half and is counted on fresh runs, so the counts are binomial
    # (docs/proofs/audit.md, "Statistical audits", step 1 of the proof).
    reverse, event = _choose(*seen, seen[0].total(), float(delta), float(confidence))
    trials = fresh[0].total()
    counts = [sum(outputs[y] for y in event) for outputs in fresh]
    hits, others = reversed(counts) if reverse else counts
    beta = (1 - confidence) / 2  # one for each of two bounds: the direction was chosen before
    # e^epsilon >= (p - delta) / q, with the lower bound of p and the upper one of q (step 3 there).
    above = lower_bound(hits, trials, beta) - delta
    ratio = max(Fraction(1), above / at_most(others, trials, beta))
    # Rounded down by far more than a logarithm's error.
    epsilon = max(0.0, nats(ratio) * (1 - 1e-12) - 1e-12)
    return EpsilonBound(epsilon, delta, confidence, hits, others, trials)


def check_confidence(confidence: object) -> Fraction:
    """``confidence`` as an exact number; raises `DeclarationError` unless it is between 0 and 1."""
    return exact_chance(
        confidence,
        what="confidence",
        asked="audit with confidence",
        fix="give a probability, such as 0.95",
    )


def halves(trials: int) -> tuple[int, int]:
    """The runs on each data set that choose an event, and the fresh ones that count it.

    Raises `DeclarationError` unless ``trials`` is a whole number of at least 2.
    """
    require_whole("trials", trials, least=2)  # each half has one at least
    return trials // 2, trials - trials // 2


def _choose(
    one: Counter[Hashable], other: Counter[Hashable], half: int, delta: float, confidence: float
) -> tuple[bool, frozenset[Hashable]]:
    """The direction and event that look best; any choice is sound, so floats are good enough."""
    z = NormalDist().inv_cdf((1 + confidence) / 2)
    best, choice = -math.inf, (False, frozenset[Hashable]())
    for reverse, (p, q) in enumerate(((one, other), (other, one))):
        order = sorted(p, key=lambda y: (q[y] + 0.5) / (p[y] + 0.5))
        hits = others = 0
        # The best events are the outputs above some likelihood ratio (Neyman and Pearson).
        for size, y in enumerate(order, start=1):
            hits, others = hits + p[y], others + q[y]
            above = _wilson(hits, half, -z) - delta
            score = math.log(above / _wilson(others, half, z)) if above > 0 else -math.inf
            if score > best:
                best, choice = score, (bool(reverse), frozenset(order[:size]))
    return choice


def _wilson(successes: int, trials: int, z: float) -> float:
    """An end of Wilson's interval for a probability: the lower one for z < 0."""
    share = successes / trials
    spread = math.sqrt(share * (1 - share) / trials + z * z / (4 * trials**2))
    return (share + z * z / (2 * trials) + z * spread) / (1 + z * z / trials)


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
