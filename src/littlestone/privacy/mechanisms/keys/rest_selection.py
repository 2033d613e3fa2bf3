"""Partition selection that also decides about all keys that it does not release."""

from __future__ import annotations

import random
from collections.abc import Mapping
from dataclasses import dataclass
from fractions import Fraction
from functools import cached_property

from littlestone.privacy.cost import decimal_text
from littlestone.privacy.mechanisms.keys.key_release import Key
from littlestone.privacy.mechanisms.keys.partition_selection import NetRelease
from littlestone.privacy.rational import exp_below
from littlestone.privacy.samplers.reals import Real, bernoulli

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
            f"epsilon {decimal_text(self.epsilon)}, delta {decimal_text(self.delta)}"
        )
