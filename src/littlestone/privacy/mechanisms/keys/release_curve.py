"""Release curves: the exact probability that a key with a given score is released."""

from __future__ import annotations

import random
from collections.abc import Callable
from fractions import Fraction


class ReleaseCurve:
    """q(0) = 0 and q(s + 1) = step(q(s)), rounded down to ``bits`` binary places, up to q = 1.

    ``step`` maps [0, 1] to [0, 1] and satisfies step(q) >= q + 2^-bits for q < 1.  So the rounded curve
    rises strictly until it is 1.  If ``step`` satisfies a condition of the form q(s + 1) <= f(q(s)),
    the rounded curve does too, because f is applied to the value that was rounded before.

    Values are computed on demand, up to the largest score asked for.

    >>> curve = ReleaseCurve(lambda q: min(1, 2 * q + Fraction(1, 10)), bits=10)
    >>> [round(float(curve(s)), 2) for s in range(-1, 6)]
    [0.0, 0.0, 0.1, 0.3, 0.7, 1.0, 1.0]
    """

    def __init__(self, step: Callable[[Fraction], Fraction], bits: int) -> None:
        self._step = step
        self._bits = bits
        # q(s) 2^bits by s.  Threads may compute one value twice; then they write the same value twice.
        self._known = {0: 0}

    def __call__(self, score: int) -> Fraction:
        """q(score), which is 0 for scores below 1."""
        return Fraction(self._numerator(score), 1 << self._bits)

    def fires(self, score: int, rng: random.Random) -> bool:
        """True with probability exactly q(score): a uniform integer below 2^bits is below q 2^bits."""
        numerator = self._numerator(score)
        # Certain answers draw nothing.
        if numerator in (0, 1 << self._bits):
            return numerator > 0
        return rng.getrandbits(self._bits) < numerator

    def miss(self, n: int, weight: Fraction) -> Fraction:
        """E[1 - q(X)], X binomial: a key with this share of n i.i.d. records is not released.

        It falls as ``n`` or ``weight`` grows.
        """
        # Whole numbers throughout, with one division at the end: a sum of fractions would reduce n
        # times.
        hits, rest, one = weight.numerator, weight.denominator - weight.numerator, 1 << self._bits
        ways, missed = rest**n, 0  # ways = C(n, s) hits^s rest^(n - s)
        for s in range(n + 1):
            q = self._numerator(s)
            if q == one or ways == 0:
                break
            missed += ways * (one - q)
            ways = ways * (n - s) * hits // ((s + 1) * rest)
        return Fraction(missed, weight.denominator**n << self._bits)

    def _numerator(self, score: int) -> int:
        one, known = 1 << self._bits, self._known
        top = len(known) - 1  # all scores up to it are known, and only the last can be 1
        while top < score and known[top] < one:
            q = self._step(Fraction(known[top], one))
            # Each step starts from the rounded value, so the proof's inequalities hold for the
            # curve that is drawn, not only for the ideal one.
            known[top + 1] = (q.numerator << self._bits) // q.denominator
            top += 1
        return known[max(0, min(score, top))]
