"""Release each key of an unbounded set that has many records, and say or not which others there are."""

from __future__ import annotations

import random
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from fractions import Fraction
from functools import cached_property

from littlestone.privacy.mechanisms.base import Output
from littlestone.privacy.mechanisms.key_release import Key, KeyRelease, ReleaseCurve
from littlestone.privacy.rational import exp_below
from littlestone.privacy.samplers.reals import Real, bernoulli


class NetRelease(KeyRelease[Key, Output]):
    """Keys are released by the number of their positive records minus that of their negative ones."""

    @cached_property
    def odds_factor(self) -> Fraction:
        """The factor r by which one record moves the odds of one key, at most."""
        return exp_below(self.epsilon / 2)

    @property
    def upper(self) -> Fraction:
        """The factor by which one record moves the chance that a key is not released, at most."""
        return self.odds_factor

    @cached_property
    def curve(self) -> ReleaseCurve:
        r, upper = self.odds_factor, self.upper
        # A changed label takes two steps of one score: r (r q + d) + d = r^2 q + delta
        # (docs/proofs/partition-selection.md, Theorem 1, step 1).
        d = self.delta / (r + 1)

        def step(q: Fraction) -> Fraction:
            # The first bound keeps releases close, the second keeps non-releases close.
            return min(r * q + d, 1 - (1 - q - d) / upper, Fraction(1))

        # Enough places that rounding down still leaves every step a rise of 2^64 units.
        return ReleaseCurve(step, bits=64 + (r / d).__ceil__().bit_length())

    def scores(self, data: Iterable[tuple[Key, bool]]) -> dict[Key, int]:
        """Positives minus negatives of each key."""
        counts: dict[Key, int] = {}
        for key, label in data:
            # One record counts once, +1 or -1: replacing it moves two scores by 1, or one by 2.
            counts[key] = counts.get(key, 0) + (1 if label else -1)
        return counts

    def _sets(self, scores: Mapping[Key, int]) -> dict[frozenset[Key], Fraction]:
        """The exact probability of each set of keys that fire."""
        masses: dict[frozenset[Key], Fraction] = {frozenset(): Fraction(1)}
        for key, score in scores.items():
            q = self.curve(score)
            with_key = {keys | {key}: mass * q for keys, mass in masses.items()}
            masses = {keys: mass * (1 - q) for keys, mass in masses.items()} | with_key
        return {keys: mass for keys, mass in masses.items() if mass}


@dataclass(frozen=True)
class PartitionSelection(NetRelease[Key, frozenset[Key]]):
    """Release key u, independently of all others, with probability q(positives - negatives of u).

    q is the largest curve with q(s) = 0 for s <= 0 and, for a rational r <= e^(epsilon / 2) and
    d = delta / (r + 1),

        q(s + 1) <= min(r q(s) + d, 1 - (1 - q(s) - d) / r, 1),

    except that each step is rounded down by less than 2^-64 d.  It is (epsilon, delta)-DP for every
    input under replacement of one record, with its label: that moves two scores by at most 1 each, or
    one score by at most 2.  A score that moves from 0 to 2 attains the delta.

    DVGM22, Theorem 1, has this curve for adding or removing a record.  The proof for replacement is in
    docs/proofs/partition-selection.md.  Time: O(number of records), about 4 s for a million keys.

    >>> from littlestone.privacy import Budget
    >>> mechanism = PartitionSelection(Budget(1, "1e-6"))
    >>> [round(float(mechanism.curve(s)), 3) for s in (1, 20, 28, 36, 60)]
    [0.0, 0.013, 0.651, 0.994, 1.0]
    >>> mechanism.sample_size(Fraction(1, 10), Fraction(1, 20))
    378
    """

    counted: str = field(default="positives minus negatives", compare=False)
    """What the scores are, in words; they may be any that one record moves as little."""

    def _release(self, scores: Mapping[Key, int], rng: random.Random) -> frozenset[Key]:
        released = self._keys_that_fire(scores, rng)
        # As in `StableHistogram`: the order in which a set is filled can show when it is listed.
        rng.shuffle(released)
        return frozenset(released)

    def _distribution(self, scores: Mapping[Key, int]) -> dict[frozenset[Key], Fraction]:
        return self._sets(scores)

    def __str__(self) -> str:
        return f"partition selection on {self.counted}, {self.budget}"


_SHARE = Fraction(1, 10)
"""The share of ln r by which one record of the rest may move the chance that the rest is kept out."""


@dataclass(frozen=True)
class RestSelection(NetRelease[Key, frozenset[Key] | None]):
    """Release keys like `PartitionSelection`; or None, for all keys there are.

    Key u is released with probability q(s_u), independently, where s_u is its positives minus its
    negatives.  Let T be the sum of s_u over the keys that are not released.  Then, with probability
    Q(T), None is released in place of the keys.  For rationals r <= e^(epsilon / 2) and 1 < p < r,

        q(s + 1) <= min(r q(s) + d, 1 - (1 - q(s) - d) p / r, 1),  d = delta / (r + 1),
        Q(T) = Q0 r^T  for T <= 0,  1 - (1 - Q0) p^-T  for T > 0,  Q0 = (p - 1) / (r p - 1).

    It is (epsilon, delta)-DP for every input under replacement of one record, with its label.  Q costs
    no epsilon of its own: it is paid by the factor p that the upper part of q gives away.

    The proof is in docs/proofs/partition-selection.md, Theorem 3.  Time: O(number of records).

    >>> from littlestone.privacy import Budget
    >>> mechanism = RestSelection(Budget(1, "1e-6"))
    >>> [round(float(mechanism.curve(s)), 3) for s in (1, 20, 28, 36, 60)]
    [0.0, 0.013, 0.633, 0.99, 1.0]
    >>> [round(float(mechanism.chance_of_all(T)), 3) for T in (-20, -5, 0, 20, 100)]
    [0.0, 0.006, 0.07, 0.658, 0.994]
    """

    @cached_property
    def slow(self) -> Fraction:
        """The factor p by which one record of the rest moves the chance that the rest is kept out."""
        # r is not above e^44 either, and far larger chances make no difference.
        return exp_below(min(self.epsilon / 2, Fraction(44)) * _SHARE)

    @property
    def upper(self) -> Fraction:
        # Non-releases may move by r / p only; the decision about the rest pays with p
        # (docs/proofs/partition-selection.md, Theorem 3, step 4).
        return self.odds_factor / self.slow

    @cached_property
    def even(self) -> Fraction:
        """Q0, the chance of all keys if the rest has as many positives as negatives."""
        # The value at which Q(1) = r Q(0) exactly, so both pieces of Q keep their slopes at 0.
        return (self.slow - 1) / (self.odds_factor * self.slow - 1)

    def chance_of_all(self, rest: int) -> Fraction:
        """Q(T), exactly; for audits and small T, because it has T times as many digits as r."""
        if rest <= 0:
            return self.even / self.odds_factor**-rest
        return 1 - (1 - self.even) / self.slow**rest

    def _release(self, scores: Mapping[Key, int], rng: random.Random) -> frozenset[Key] | None:
        released = self._keys_that_fire(scores, rng)
        # T looks only at keys that did not fire, which is why the fired ones need no further noise.
        rest = sum(scores.values()) - sum(scores[key] for key in released)
        # All keys are drawn for, never computed from T: a certain decision would reveal the sign of
        # T.
        if self._all(rest, rng):
            return None
        # As in `StableHistogram`: the order in which a set is filled can show when it is listed.
        rng.shuffle(released)
        return frozenset(released)

    def _all(self, rest: int, rng: random.Random) -> bool:
        """True with probability exactly Q(rest)."""
        even = Real.of(self.even)
        if rest <= 0:
            # The power stays a `Real`: as a fraction it would have T times as many digits as r.
            return bernoulli(even * Real.of(1 / self.odds_factor).power(-rest), rng)
        return not bernoulli((1 - even) * Real.of(1 / self.slow).power(rest), rng)

    def _distribution(self, scores: Mapping[Key, int]) -> dict[frozenset[Key] | None, Fraction]:
        total = sum(scores.values())
        masses: dict[frozenset[Key] | None, Fraction] = {}
        for keys, mass in self._sets(scores).items():
            chance = self.chance_of_all(total - sum(scores[key] for key in keys))
            masses[keys] = mass * (1 - chance)
            masses[None] = masses.get(None, Fraction(0)) + mass * chance
        return {keys: mass for keys, mass in masses.items() if mass}

    def __str__(self) -> str:
        return (
            f"partition selection on positives minus negatives, with the rest of the keys, "
            f"{self.budget}"
        )
