"""Thresholds over very many points: with a delta, the records grow as the logarithm of the bits.

A threshold is found through its level: the least dyadic interval with many records of both labels.
It is one step of the recursion of BNSV15 and KLMNS20.
"""

from __future__ import annotations

from bisect import bisect_left
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass
from fractions import Fraction
from functools import cached_property
from itertools import count
from typing import Self

import numpy as np

from littlestone.learn.base import binomial_mean
from littlestone.privacy.cost import Budget
from littlestone.privacy.mechanisms.exponential import ExponentialMechanism
from littlestone.privacy.mechanisms.single_key_selection import SingleKeySelection
from littlestone.privacy.mechanisms.sparse_selection import least_power
from littlestone.privacy.randomness import Choose

Record = tuple[int, int]


@dataclass(frozen=True)
class LevelLearner:
    """A threshold t of x >= t over the points 0, ..., 2^bits - 1, (epsilon, delta)-DP for all records.

    Let s(J) be the lesser of the negative and the positive records in an interval J, and G(j) the
    largest s(J) of the dyadic intervals of 2^j points.  Three draws, at 4/9, 3/9 and 2/9 of epsilon:

    1. a level j, by the exponential mechanism with the errors max(c - G(j), G(j - 1) + 1 - c),
    2. an interval of 2^j points, or none, by `SingleKeySelection` at delta with the scores s(J),
    3. its left end, its middle or its right end, by the exponential mechanism with their errors.

    ``target`` is c.  So many negative records are added below all points, and positive ones above.

    The proof is in docs/proofs/levels.md.  No ledger is told: use `ExponentialLearner` for data about
    people; up to 2^119 points it needs fewer records, too.  Time: O(bits n).

    >>> learner = LevelLearner.for_goal(64, Budget(1, "1e-6"), beta=0.05)
    >>> learner.target, learner.most_errors(beta=0.05), learner.records(alpha=0.1, beta=0.05)
    (89, 171, 2047)
    """

    bits: int
    budget: Budget
    target: int

    @classmethod
    def for_goal(cls, bits: int, budget: Budget, *, beta: float) -> Self:
        """The learner with the least target for which each step fails with probability beta / 4."""
        start = cls(bits, budget, 0)
        curve, most = start.intervals.curve, 1 - Fraction(beta) / 4
        fires = next(s for s in count() if curve(s) >= most)
        return cls(bits, budget, fires + start._stray(start.levels, bits + 1, beta))

    @cached_property
    def levels(self) -> ExponentialMechanism:
        """The draw of a level."""
        return ExponentialMechanism(self.budget.epsilon * 4 / 9)

    @cached_property
    def intervals(self) -> SingleKeySelection[int]:
        """The draw of an interval."""
        return SingleKeySelection(Budget(self.budget.epsilon * 3 / 9, self.budget.delta))

    @cached_property
    def ends(self) -> ExponentialMechanism:
        """The draw of a threshold."""
        return ExponentialMechanism(self.budget.epsilon * 2 / 9)

    def draw(self, S: Sequence[Record], choose: Choose) -> int:
        """A threshold from 0 to 2^bits."""
        # Points begin at 1: the added negatives are at 0, the added positives at the last one.
        records = [(x + 1, y) for x, y in S]
        crossings = [self._crossings(records, j) for j in range(self.bits + 2)]
        G = [max(counts.values()) for counts in crossings]
        wrong = [
            max(self.target - G[j], G[j - 1] + 1 - self.target) for j in range(1, self.bits + 2)
        ]
        j = 1 + choose(self.levels.probabilities(np.array(wrong)))
        law = self.intervals.distribution(
            (J, True) for J, times in crossings[j].items() for _ in range(times)
        )
        key = list(law)[choose(list(law.values()))]
        if key is None:
            return 0
        three = [key << j, (2 * key + 1) << j - 1, (key + 1) << j]
        errors = [sum((x >= t) != y for x, y in records) for t in three]
        t = three[choose(self.ends.probabilities(np.array(errors)))]
        return min(max(t - 1, 0), 1 << self.bits)

    def _crossings(self, records: Sequence[Record], j: int) -> dict[int, int]:
        """s(J) of the intervals of 2^j points with a record."""
        counts = [Counter({0: self.target}), Counter({(2 << self.bits) - 1 >> j: self.target})]
        for x, y in records:
            counts[y][x >> j] += 1
        return {J: min(side[J] for side in counts) for J in {*counts[0], *counts[1]}}

    def _stray(self, mechanism: ExponentialMechanism, items: int, beta: float) -> int:
        """One of so many items errs more above the least with a probability of at most beta / 4."""
        return least_power(mechanism.base, items / (Fraction(beta) / 4)) - 1

    def most_errors(self, *, beta: float) -> int:
        """The most errors on n records of some threshold, but for a probability of 3 beta / 4."""
        strays = self._stray(self.levels, self.bits + 1, beta), self._stray(self.ends, 2, beta)
        return self.target - 1 + sum(strays)

    def records(self, *, alpha: float, beta: float) -> int:
        """So many i.i.d. records of a threshold suffice for error alpha with probability 1 - beta."""
        most = np.ones(self.most_errors(beta=beta) + 1)
        # More records make so few errors of a bad threshold rarer; two of them are the least bad.
        return bisect_left(
            range(10**9), True, key=lambda n: 2 * binomial_mean(n, alpha, most) <= beta / 4
        )
