"""Partition selection: release each key of an unbounded set independently if it has many records."""

from __future__ import annotations

import random
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from fractions import Fraction
from functools import cached_property

from littlestone.privacy.cost import decimal_text
from littlestone.privacy.mechanisms.base import Output
from littlestone.privacy.mechanisms.keys.key_release import Key, KeyRelease, ReleaseCurve
from littlestone.privacy.rational import exp_below


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
        return (
            f"partition selection on {self.counted}, "
            f"epsilon {decimal_text(self.epsilon)}, delta {decimal_text(self.delta)}"
        )
