"""Single-key selection: one key of an unbounded set, at almost the price of one moving count."""

from __future__ import annotations

import random
from bisect import bisect_right
from collections import Counter
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from fractions import Fraction
from functools import cached_property
from itertools import accumulate
from math import isqrt, lcm

from littlestone.privacy.mechanisms.partition_selection import Key, KeyRelease, ReleaseCurve
from littlestone.privacy.rational import exp_below, sum_masses

_BITS = 64


@dataclass(frozen=True)
class SingleKeySelection(KeyRelease[Key, Key | None]):
    """Each key u fires with probability q(positives of u); one that fired is drawn with Pr ~ 1 / q.

    If no key fired, bottom (None) is released.  R <= e^epsilon is rational.  E is the largest number
    with E (1 + E (E - 1) / (E + 1 + sqrt(E (E^2 + E + 1)))^2) <= R, and

        q(1) = d,  q(s + 1) = E q(s) + d   while this is at most 1 - E / R,
        q(s + 1) = min(E q(s), 1 - (1 - q(s)) / E)   beyond, and 1 once 1 - q(s) <= c,

    where c is delta / 16 and d the rest of delta (both smaller if delta is large).  It is (epsilon,
    delta)-DP for every input under replacement of one record, with its label: that lowers one count of
    positives by at most 1 and raises one by at most 1.  Counts of positives minus negatives are NOT
    admissible: a changed label would move one by 2.

    Among the keys that fired, those that seldom fire are preferred.  So a key that moves hardly changes
    the chances of the others.  E is between e^(.933 epsilon) and e^epsilon.  Independent releases
    allow only e^(epsilon / 2), and more than e^epsilon is impossible.

    The proof is in docs/proofs/single-key-selection.md.  Time: O(number of
    records), about 4 s for a million keys.

    >>> from littlestone.privacy import Budget
    >>> mechanism = SingleKeySelection(Budget(1, "1e-6"))
    >>> round(float(mechanism.growth), 3), mechanism.sample_size(Fraction(1, 10), Fraction(1, 20))
    (2.58, 219)
    >>> [round(float(mechanism.curve(s)), 3) for s in (1, 10, 14, 18, 40)]
    [0.0, 0.008, 0.343, 0.985, 1.0]
    """

    @cached_property
    def base(self) -> Fraction:
        """R, the factor by which probabilities move at most."""
        return exp_below(self.epsilon)

    @cached_property
    def growth(self) -> Fraction:
        """E, the factor by which one record moves the odds that its key fires, at most."""
        # Bisection keeps `low` on the side where the price fits, so E is rounded down.
        places = _BITS + self.base.denominator.bit_length()
        low, above = 1 << places, (self.base.numerator << places) // self.base.denominator + 1
        while above - low > 1:
            middle = (low + above) // 2
            fits = _price(Fraction(middle, 1 << places)) <= self.base
            low, above = (middle, above) if fits else (low, middle)
        return Fraction(low, 1 << places)

    @cached_property
    def curve(self) -> ReleaseCurve:
        R, E = self.base, self.growth
        # eta of docs/proofs/single-key-selection.md: below it a step is early, where d is added.
        rare = 1 - E / R
        # c pays for the last step to certainty, d for a key that appears; together at most delta.
        c = min(self.delta / 16, 1 - 1 / E, 1 - (2 - 1 / E) / R)
        d = min(self.delta - c, rare)

        def step(q: Fraction) -> Fraction:
            if E * q + d <= rare:
                return E * q + d
            # The kinds of step in the proof: early above, last here, middle below.
            if 1 - q <= c:
                return Fraction(1)
            return min(E * q, 1 - (1 - q) / E)

        least = min(c, d) * (E - 1) / E  # the smallest rise of a step
        return ReleaseCurve(step, bits=_BITS + (1 / least).__ceil__().bit_length())

    def scores(self, data: Iterable[tuple[Key, bool]]) -> dict[Key, int]:
        """The number of positive records of each key."""
        return Counter(key for key, label in data if label)

    def _release(self, scores: Mapping[Key, int], rng: random.Random) -> Key | None:
        # Independent coins first; the choice among those that fired uses public numbers of the
        # curve only.
        fired = self._keys_that_fire(scores, rng)
        if not fired:
            return None
        # First the score of the key, because there are far fewer scores than keys; then the key.
        levels = Counter(scores[key] for key in fired)
        # Weights 1 / q as whole numbers over one denominator: an exact draw by one uniform integer.
        unit = lcm(*(self.curve(score).numerator for score in levels))
        stops = list(
            accumulate(int(count * unit / self.curve(score)) for score, count in levels.items())
        )
        drawn = list(levels)[bisect_right(stops, rng.randrange(stops[-1]))]
        # Keys of one score have one weight, so the choice among them is uniform.
        return rng.choice([key for key in fired if scores[key] == drawn])

    def _distribution(self, scores: Mapping[Key, int]) -> dict[Key | None, Fraction]:
        chances = {key: q for key, score in scores.items() if (q := self.curve(score))}
        masses: dict[Key | None, Fraction] = {
            None: _totals(chances.values()).get(Fraction(0), Fraction(0))
        }
        for key, q in chances.items():
            others = _totals(chance for other, chance in chances.items() if other != key)
            share = sum((mass / (1 / q + total) for total, mass in others.items()), Fraction(0))
            masses[key] = masses.get(key, Fraction(0)) + share  # the key None looks like bottom
        return masses

    def __str__(self) -> str:
        return f"single-key selection on counts of positives, {self.budget}"


def _price(E: Fraction) -> Fraction:
    """E (1 + E (E - 1) / (E + 1 + sqrt(E (E^2 + E + 1)))^2), rounded up: the e^epsilon it needs."""
    square = E * (E * E + E + 1)
    # A root rounded down makes the price too high, so E too small: the safe side.
    root = Fraction(isqrt((square.numerator << 2 * _BITS) // square.denominator), 1 << _BITS)
    return E + E * E * (E - 1) / (E + 1 + root) ** 2


def _totals(chances: Iterable[Fraction]) -> dict[Fraction, Fraction]:
    """The distribution of the sum of 1 / q over the keys that fire, each with its probability q."""
    totals = {Fraction(0): Fraction(1)}
    for q in chances:
        totals = sum_masses(
            (value, mass * share)
            for total, mass in totals.items()
            for value, share in ((total, 1 - q), (total + 1 / q, q))
            if share
        )
    return totals
