"""What a private learner of a tiny class is asked, and exact checks of how well it can be done.

A learner is a law for each sample of n records: whole numbers, one for each rule.  It is private under
replace-one, on every sample, whether a hypothesis fits it or not.  The order of the records says
nothing: a law that is averaged over all orders is as private, and does as well.

Nothing here searches.  `success_of` bounds the optimum from below by a learner, and `most_success` from
above by weights (docs/proofs/optimum.md).
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from fractions import Fraction
from functools import cached_property
from itertools import combinations_with_replacement
from math import comb, factorial, lcm, prod
from typing import Any

import numpy as np
from numpy.typing import NDArray

from littlestone.base.errors import DeclarationError, TooLargeError
from littlestone.classes import HypothesisClass
from littlestone.privacy.cost import Budget
from littlestone.privacy.rational import exp_above, exp_below

Records = tuple[int, ...]
"""A sample: its records in increasing order; record 2 x + y is the point x with the label y."""

Whole = NDArray[Any]
"""Whole numbers of any length."""

_MOST_PAIRS = 1 << 18  # of neighbours
MOST_POINTS = 10
_BITS = 128  # of e^epsilon


@dataclass(frozen=True)
class Trial:
    """Samples with their chances, and the rules that pass if one of them comes, as numbers."""

    chances: Mapping[Records, Fraction]
    passes: frozenset[int]


@dataclass(frozen=True)
class Task:
    """Learn from ``n`` records over a few points, and pass each trial with a high chance.

    A rule is a number whose bit x is its label of point x, as in the atlas.

    >>> task = Task.uniform((0, 4, 6, 7), 3, n=2, wrong=1)
    >>> len(task.samples), task.rules, len(task.trials)
    (21, (4, 6), 4)
    """

    points: int
    n: int
    trials: tuple[Trial, ...]
    rules: tuple[int, ...]

    @classmethod
    def uniform(
        cls, rows: Sequence[int], points: int, n: int, wrong: int, *, proper: bool = False
    ) -> Task:
        """Each point is as likely, and a hypothesis labels it; pass with ``wrong`` points at most.

        There is a trial for each hypothesis.  So the learner knows how points are drawn, and its
        success is its chance to err by at most alpha = wrong / points on new records.
        """
        _require(rows, points, n, wrong)
        shown = [Counter(xs) for xs in combinations_with_replacement(range(points), n)]
        chances = [
            Fraction(factorial(n), prod(map(factorial, xs.values())) * points**n) for xs in shown
        ]
        trials = [
            Trial(
                {
                    tuple(sorted(2 * x + (h >> x & 1) for x in xs.elements())): chance
                    for xs, chance in zip(shown, chances, strict=True)
                },
                frozenset(f for f in range(1 << points) if (f ^ h).bit_count() <= wrong),
            )
            for h in rows
        ]
        return cls.from_trials(trials, points, n, rows if proper else range(1 << points))

    @classmethod
    def every_sample(
        cls, rows: Sequence[int], points: int, n: int, wrong: int, *, proper: bool = False
    ) -> Task:
        """Any sample that a hypothesis fits; pass with errors on at most ``wrong`` of its n records."""
        _require(rows, points, n, wrong)

        def errors(f: int, records: Records) -> int:
            return sum(f >> (record >> 1) & 1 != record & 1 for record in records)

        trials = [
            Trial(
                {records: Fraction(1)},
                frozenset(f for f in range(1 << points) if errors(f, records) <= wrong),
            )
            for records in combinations_with_replacement(range(2 * points), n)
            if any(errors(h, records) == 0 for h in rows)
        ]
        return cls.from_trials(trials, points, n, rows if proper else range(1 << points))

    @classmethod
    def from_trials(
        cls, trials: Sequence[Trial], points: int, n: int, rules: Sequence[int]
    ) -> Task:
        """The task without rules that pass nothing more than another one: it can stand for them."""
        passed: dict[frozenset[int], int] = {}
        for f in rules:
            passed.setdefault(frozenset(i for i, one in enumerate(trials) if f in one.passes), f)
        kept = tuple(f for these, f in passed.items() if not any(these < more for more in passed))
        return cls(points, n, tuple(trials), kept)

    @cached_property
    def samples(self) -> tuple[Records, ...]:
        """All samples, without an order of their records."""
        return tuple(combinations_with_replacement(range(2 * self.points), self.n))

    @cached_property
    def number(self) -> dict[Records, int]:
        """The place of each sample."""
        return {records: i for i, records in enumerate(self.samples)}

    @cached_property
    def pairs(self) -> NDArray[np.int64]:
        """The places of both samples of each ordered pair that differs in one record."""
        records = range(2 * self.points)
        found = set()
        for rest in combinations_with_replacement(records, self.n - 1):
            near = [self.number[tuple(sorted((*rest, record)))] for record in records]
            found |= {(s, t) for s in near for t in near if s != t}
        return np.array(sorted(found), np.int64).reshape(-1, 2)

    @cached_property
    def trial_places(self) -> list[tuple[NDArray[np.int64], list[Fraction], NDArray[np.int64]]]:
        """Of each trial the places of its samples, their chances, and the places of good rules."""
        return [
            (
                np.array([self.number[records] for records in one.chances], np.int64),
                list(one.chances.values()),
                np.array([i for i, f in enumerate(self.rules) if f in one.passes], np.int64),
            )
            for one in self.trials
        ]


def rows_of(H: HypothesisClass[Any]) -> tuple[tuple[int, ...], int]:
    """The hypotheses of a class as numbers, and how many points it has.

    >>> from littlestone.classes import parse_class
    >>> rows_of(parse_class("thresholds(x, 1..3)"))
    ((0, 4, 6, 7), 3)
    """
    if H.labels > 2 or H.domain.size is None or H.domain.size > MOST_POINTS:
        raise DeclarationError(
            f"find the best private learner of {H}",
            found=f"only classes of two labels over at most {MOST_POINTS} points are tiny enough",
            fix="give a table or a class such as 'thresholds(x, 1..3)'",
        )
    spaces = [(0, H)]
    points = list(H.domain)
    for i, x in enumerate(points):
        sides = [(row + (y << i), V.restrict(x, y)) for row, V in spaces for y in (0, 1)]
        spaces = [(row, V) for row, V in sides if not V.is_empty()]
    return tuple(sorted(row for row, _ in spaces)), len(points)


def success_of(task: Task, law: Whole, budget: Budget) -> Fraction | None:
    """The least chance of a learner to pass a trial; None if it is not private.

    ``law[s, f]`` are whole numbers, and the numbers of each sample have the same sum.

    >>> task = Task.uniform((0, 1), 1, n=1, wrong=0)
    >>> [str(success_of(task, np.array(law, object), Budget(1))) for law in ([[2, 1], [1, 2]],
    ...     [[3, 1], [1, 3]])]
    ['2/3', 'None']
    """
    whole = int(law[0].sum())
    if (law.sum(axis=1) != whole).any() or (law < 0).any() or whole <= 0:
        return None
    # At most e^epsilon: who is private with a smaller ratio is private.
    ratio, delta = exp_below(budget.epsilon, _BITS), budget.cost.delta
    excess = law[task.pairs[:, 0]] * ratio.denominator - law[task.pairs[:, 1]] * ratio.numerator
    spent = np.maximum(excess, 0).sum(axis=1)
    if (spent * delta.denominator > delta.numerator * whole * ratio.denominator).any():
        return None
    return min(
        sum(
            (chance * int(law[s, good].sum()) for s, chance in zip(at, chances, strict=True)),
            Fraction(0),
        )
        / whole
        for at, chances, good in task.trial_places
    )


def most_success(task: Task, trials: Whole, weights: Whole, budget: Budget) -> Fraction:
    """What no private learner exceeds: its least chance to pass a trial is at most this.

    Any whole numbers >= 0 give a bound, by docs/proofs/optimum.md, Theorem 1: one for each trial, not
    all 0, and ``weights[p, f]`` for each pair of neighbours and each rule.

    >>> task = Task.uniform((0, 1), 1, n=1, wrong=0)
    >>> a = 10**9  # the pairs are (0, 1) and (1, 0)
    >>> bound = most_success(task, np.array([a, a], object),
    ...     np.array([[268941421, 0], [0, 268941421]], object), Budget(1))
    >>> round(float(bound), 8)
    0.73105858
    """
    if (trials < 0).any() or (weights < 0).any() or not trials.sum():
        raise DeclarationError(
            "bound the success of private learners",
            found="a weight is below 0, or no trial has one",
            fix="give whole numbers of at least 0",
        )
    # At least e^epsilon: whoever is private with e^epsilon is private with a larger ratio.
    ratio, delta = exp_above(budget.epsilon, _BITS), budget.cost.delta
    share = lcm(*(c.denominator for _, chances, _ in task.trial_places for c in chances))
    gain = np.zeros((len(task.samples), len(task.rules)), object)
    for weight, (at, chances, good) in zip(trials.tolist(), task.trial_places, strict=True):
        whole = np.array([weight * int(chance * share) for chance in chances], object)
        gain[np.ix_(at, good)] += whole[:, np.newaxis]
    gain *= ratio.denominator
    np.subtract.at(gain, task.pairs[:, 0], weights * (share * ratio.denominator))
    np.add.at(gain, task.pairs[:, 1], weights * (share * ratio.numerator))
    spent = int(weights.max(axis=1).sum()) * share * ratio.denominator
    bound = int(gain.max(axis=1).sum()) + delta * spent
    return bound / (int(trials.sum()) * share * ratio.denominator)


def _require(rows: Sequence[int], points: int, n: int, wrong: int) -> None:
    if not rows or not all(0 <= row < 1 << points for row in rows) or points < 1:
        raise DeclarationError(
            "ask for the best private learner",
            found="a class has rows, each a number with a bit for each point",
            fix="give rows such as (0, 4, 6, 7) and 3 points",
        )
    if n < 1 or wrong < 0:
        raise DeclarationError(
            f"ask for the best private learner from {n} records with {wrong} wrong",
            found="it takes at least one record, and at least 0 wrong",
            fix="give numbers such as 2 and 1",
        )
    if points > MOST_POINTS or comb(2 * points + n - 1, n) * n * (2 * points - 1) > _MOST_PAIRS:
        raise TooLargeError(
            f"find the best private learner from {n} records over {points} points",
            found="there are too many samples for a linear program",
            fix="ask for fewer records or points",
        )
