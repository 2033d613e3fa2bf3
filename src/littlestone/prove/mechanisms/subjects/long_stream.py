"""The online learner of sets over a realistic number of steps, when a key is nearly published."""

from __future__ import annotations

from fractions import Fraction
from math import expm1, log1p
from typing import Any

from littlestone.classes import Subsets
from littlestone.learn.stream import KeyLearner
from littlestone.points import Integers
from littlestone.privacy.budget import Budget
from littlestone.privacy.mechanisms.streams.continual_key_selection import ContinualKeySelection
from littlestone.privacy.parameters import least
from littlestone.prove.mechanisms.subject import Subject, subject
from littlestone.prove.mechanisms.subjects.online import of_keys, told

HORIZON = 200_000
_HALF = Fraction(1, 2)
_SEEN = 1 / 16  # if it is rarer, the ratio is larger but fewer runs show it


def nearly_published(mechanism: ContinualKeySelection[Any]) -> int:
    """The fewest records of a key after which it is selected in all steps with probability 1/16.

    One record less lowers this probability by nearly the ratio of two chances, r2: if both are
    small, the probabilities are T times a chance.

    >>> nearly_published(ContinualKeySelection[int].within(Budget(1, "1e-6"), horizon=200_000))
    14
    """
    skip, terms = float(mechanism.skip), mechanism.terms

    def missed(score: int) -> float:
        chance = float(min(terms.weight(score), _HALF))  # never reached, and 1 has no logarithm
        return mechanism.horizon * log1p(-chance)

    def selected(records: int) -> float:
        weights = ((1 - skip) * skip**z for z in range(records))
        return sum(weight * -expm1(missed(records - z)) for z, weight in enumerate(weights))

    return least(lambda records: selected(records) >= _SEEN)


@subject("online-key-learner-long")
def long_keys(epsilon: Fraction, delta: Fraction) -> Subject[Any]:
    """The online learner of sets over 200,000 steps, on a key nearly published; needs a delta."""
    learner = KeyLearner(Subsets(Integers(), 2), Budget(epsilon, delta), horizon=HORIZON)
    named = nearly_published(learner.mechanism)
    rest = (*((0, 1),) * (named - 1), HORIZON - named)
    large = ((0, 1), *rest), ((0, 0), *rest)
    return told(
        learner, lambda data: of_keys(learner, data), ((0, 0), (0, 1)), steps=2, large=large
    )
