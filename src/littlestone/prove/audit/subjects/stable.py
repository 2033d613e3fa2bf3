"""Globally stable learners, and radii."""

from __future__ import annotations

import random
from collections import Counter, defaultdict
from collections.abc import Callable, Hashable, Iterable, Iterator, Sequence
from fractions import Fraction
from functools import cache
from itertools import combinations, product
from typing import Any, cast

from littlestone.classes import Enumerable, FiniteClass, HypothesisClass, Subsets, Thresholds
from littlestone.data.sample import Sample
from littlestone.learn import GloballyStableLearner
from littlestone.learn.papers.globally_stable import errors
from littlestone.learn.papers.radii import RadiiLearner
from littlestone.learn.papers.stable_sizes import BatchSizes
from littlestone.points import Integers
from littlestone.privacy.cost import Budget
from littlestone.prove.audit.subject import Subject, subject
from littlestone.prove.audit.subjects.exponential_learner import (
    Records,
    all_records,
    fits,
    released_text,
)
from littlestone.prove.audit.subjects.whole_learners import (
    NAMED,
    NAMED_RECORDS,
    crowd,
    subject_of_learner,
)
from littlestone.rules import Hypothesis

Learner = GloballyStableLearner[Any]
Masses = dict[Hashable, Fraction]
Show = Callable[[Hypothesis[Any], Sequence[Any]], Hashable]


class _SpentError(Exception):
    """The script of labels is too short."""


class _Script(random.Random):
    """Uniform labels from a script."""

    def __init__(self, guesses: Sequence[int]) -> None:
        super().__init__(0)
        self.guesses = iter(guesses)

    def getrandbits(self, k: int) -> int:
        for guess in self.guesses:
            return guess
        raise _SpentError


def law_of_rule(learner: Learner, batch: Records, i: int, sizes: BatchSizes) -> Masses:
    """What one batch gives, over all labels that tournaments guess."""
    labels = learner.hypotheses.labels
    masses: Masses = defaultdict(Fraction)
    waiting: list[tuple[int, ...]] = [()]
    while waiting:
        guesses = waiting.pop()
        try:
            rule = learner.rule(batch, i, sizes, _Script(guesses))
        except _SpentError:
            waiting += [(*guesses, y) for y in range(labels)]
        else:
            masses[rule] += Fraction(1, labels ** len(guesses))
    return dict(masses)


def as_text(h: Hypothesis[Any], batches: Sequence[Any]) -> Hashable:
    """The text of a released rule, without anything from the batches."""
    return released_text(h)


def in_order(learner: Learner, show: Show = as_text) -> Callable[[Records], Masses]:
    """The exact law of the release for records in a known order: all coins, and both mechanisms."""
    sizes = cast(BatchSizes, learner.sizes)
    histogram, choice, H = learner.histogram, learner.choice, learner.hypotheses

    @cache
    def rule(batch: Records, i: int) -> Masses:
        return law_of_rule(learner, batch, i, sizes)

    @cache
    def law_of_histogram(votes: frozenset[tuple[Any, int]]) -> Masses:
        masses: Masses = defaultdict(Fraction)
        voted = [h for h, times in votes for _ in range(times)]
        for found, mass in histogram.distribution(voted).items():
            masses[frozenset(h for h, count in found if count >= sizes.keep)] += mass
        return dict(masses)

    @cache
    def law_in_order(records: Records) -> Masses:
        masses: Masses = defaultdict(Fraction)
        fresh, batches = learner.split(records, sizes)
        # Given the order, batches are disjoint and their rules independent: the product of their laws.
        laws = [rule(tuple(batch), i % len(sizes.caps)).items() for i, batch in enumerate(batches)]
        for rules in product(*laws):
            weight = Fraction(1)
            for _, mass in rules:
                weight *= mass
            for found, mass in law_of_histogram(
                frozenset(Counter(h for h, _ in rules).items())
            ).items():
                survivors = list(cast("frozenset[Any]", found))
                if not survivors:
                    masses[show(H.soa(), batches)] += weight * mass
                    continue
                drawn = choice.distribution(errors(survivors, fresh))
                for j, p in drawn.items():
                    masses[show(survivors[j], batches)] += weight * mass * p
        return dict(masses)

    return law_in_order


def law_of_learner(learner: Learner) -> Callable[[Records], Masses]:
    """The exact law of what `draw` releases, over all orders."""
    ordered = in_order(learner)

    def law_of_release(records: Records) -> Masses:
        masses: Masses = defaultdict(Fraction)
        listed = list(record_orders(Counter(records)))
        for order in listed:
            for output, mass in ordered(order).items():
                masses[output] += mass / len(listed)
        return dict(masses)

    return cache(law_of_release)


def record_orders(records: Counter[tuple[Any, int]]) -> Iterator[Records]:
    """All different orders of the records, which a uniform permutation makes equally likely.

    >>> [len(list(record_orders(Counter({(0, 1): 9, (1, 1): k})))) for k in (0, 1, 2)]
    [1, 10, 55]
    """
    if not +records:
        yield ()
    for record in +records:
        for rest in record_orders(records - Counter([record])):
            yield (record, *rest)


@subject("globally-stable-learner")
def globally_stable(epsilon: Fraction, delta: Fraction) -> Subject[Records]:
    """The globally stable learner of thresholds, a vote a record and one fresh; needs a delta."""
    return a_vote_a_record(Thresholds.on(0, 1), Budget(epsilon, delta))


@subject("globally-stable-learner-labels")
def labels(epsilon: Fraction, delta: Fraction) -> Subject[Records]:
    """The globally stable learner of three labels, a vote a record and one fresh; needs a delta."""
    H = FiniteClass.from_array([[0], [1], [2]], labels=3)
    return a_vote_a_record(H, Budget(epsilon, delta))


def a_vote_a_record(H: Enumerable[Any], budget: Budget) -> Subject[Records]:
    """The learner without tournaments, around as many equal records as make a rule likely."""
    votes = Learner(H, budget).histogram.threshold
    sizes = BatchSizes(block=1, caps=(0,), batches=votes, fresh=1)
    learner = Learner(H, budget, sizes=sizes)
    pairs = tuple(crowd(votes, all_records(H, points=2)))
    return Subject(learner.event, law_of_learner(learner), pairs, fits(learner), pairs[-1])


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


def subject_of_radii(
    learner: RadiiLearner[Any], pairs: Iterable[tuple[Records, Records]]
) -> Subject[Any]:
    """The learner on ``pairs``, by its own law."""
    H: HypothesisClass[Any] = learner.hypotheses

    def law(data: Records) -> dict[Any, Fraction]:
        return learner.distribution(Sample.from_examples(H.domain, data, labels=H.labels))

    return subject_of_learner(learner, law, pairs)


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
    return subject_of_radii(learner, pairs_of_points(learner))


@subject("radii-learner-labels")
def radii_labels(epsilon: Fraction, delta: Fraction) -> Subject[Records]:
    """The learner of radii of functions of three labels on six points; needs a delta."""
    learner = RadiiLearner(NAMED, Budget(epsilon, delta), lists=[3])
    b = learner.mechanism.bottom
    often = [(0, 1), (0, b), (0, b, 1), (1, b, 1, 0, b)]
    return subject_of_radii(learner, around(learner, often, NAMED_RECORDS))
