"""The learner of radii, on samples around the number of radii at which bottom weighs as much."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from fractions import Fraction
from itertools import combinations, product
from typing import Any

from littlestone.classes import HypothesisClass, Subsets
from littlestone.data.sample import Sample
from littlestone.learn.papers.radii import RadiiLearner
from littlestone.points import Integers
from littlestone.privacy.budget import Budget
from littlestone.prove.mechanisms.subject import Subject, subject
from littlestone.prove.mechanisms.subjects.exponential_learner import Records
from littlestone.prove.mechanisms.subjects.learners import NAMED, NAMED_RECORDS, whole

PAIRED: Records = tuple(product(range(3), (0, 1)))


def around(
    learner: RadiiLearner[Any], often: Iterable[tuple[int, ...]], records: Records
) -> Iterator[tuple[Records, Records]]:
    """Neighbours with as many records as radii; the last one differs.

    The others are negative records of the last point of the domain's examples.
    """
    filler = learner.hypotheses.domain.examples(6)[-1], 0
    for counts in often:
        most = [r for r, times in zip(records, counts, strict=False) for _ in range(times)]
        rest = max(0, learner.radii - 1 - len(most))
        for one, other in combinations(records, 2):
            yield (*most, *[filler] * rest, one), (*most, *[filler] * rest, other)


def audited(learner: RadiiLearner[Any], pairs: Iterable[tuple[Records, Records]]) -> Subject[Any]:
    """The learner on ``pairs``, by its own law."""
    H: HypothesisClass[Any] = learner.hypotheses

    def law(data: Records) -> dict[Any, Fraction]:
        return learner.distribution(Sample.from_examples(H.domain, data, labels=H.labels))

    return whole(learner, law, pairs)


def pairs_of_points(learner: RadiiLearner[Any]) -> list[tuple[Records, Records]]:
    """Sets of two points; the sample shows none, one or both of them often.

    In the last ones, a label of point 0 moves {1, 2} and {0} by two radii each, in opposite directions.
    """
    b, c = learner.mechanism.bottom, learner.radii // 3 - 3
    # The counts of 0 labelled 0, of 0 labelled 1, and so on.
    often = [(0, 0, 0, 1), (0, 0, 0, b), (0, 0, 0, b, 0, b), (0, c + 8, 0, c, 0, c)]
    return list(around(learner, often, PAIRED))


def two_points(budget: Budget) -> RadiiLearner[Any]:
    """The learner of sets of at most two points, with room for all that three points bring."""
    H = Subsets(Integers(), 2)
    return RadiiLearner(H, budget, lists=(3, 3), beta=Fraction(1, 1000))


@subject("radii-learner")
def radii(epsilon: Fraction, delta: Fraction) -> Subject[Records]:
    """The learner of radii of sets of at most two points; needs a delta."""
    learner = two_points(Budget(epsilon, delta))
    return audited(learner, pairs_of_points(learner))


@subject("radii-learner-labels")
def radii_labels(epsilon: Fraction, delta: Fraction) -> Subject[Records]:
    """The learner of radii of functions of three labels on six points; needs a delta."""
    learner = RadiiLearner(NAMED, Budget(epsilon, delta), lists=[3])
    b = learner.mechanism.bottom
    often = [(0, 1), (0, b), (0, b, 1), (1, b, 1, 0, b)]
    return audited(learner, around(learner, often, NAMED_RECORDS))
