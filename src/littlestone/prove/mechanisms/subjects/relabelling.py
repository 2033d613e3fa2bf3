"""Agnostic learners: the exact law of what they relabel, and the whole from records to a rule."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Hashable, Iterator
from fractions import Fraction
from functools import cache
from itertools import combinations
from math import comb
from typing import Any

from littlestone.classes import FiniteClass
from littlestone.data.sample import Sample
from littlestone.learn import AgnosticLearner, ExponentialLearner, RelabellingLearner
from littlestone.learn.papers.agnostic.base import AgnosticTransformation
from littlestone.privacy.budget import Budget
from littlestone.prove.mechanisms.subject import Subject, subject
from littlestone.prove.mechanisms.subjects.exponential_learner import (
    Records,
    all_records,
    fits,
    released_text,
)

Masses = dict[Hashable, Fraction]
Multiset = Counter[tuple[Any, int]]


def drawn(records: Multiset, size: int) -> Iterator[tuple[Multiset, Fraction]]:
    """All samples of ``size`` records without replacement, as multisets, each with its probability.

    >>> [str(p) for _, p in drawn(Counter({(0, 0): 3, (0, 1): 1}), 2)]
    ['1/2', '1/2']
    """
    total = comb(records.total(), size)

    def ways(kinds: list[tuple[Any, int]], left: int) -> Iterator[tuple[Multiset, int]]:
        if not kinds:
            if not left:
                yield Counter(), 1
            return
        most = records[kinds[0]]
        for taken in range(min(most, left) + 1):
            for rest, times in ways(kinds[1:], left - taken):
                yield rest + Counter({kinds[0]: taken}), times * comb(most, taken)

    for chosen, times in ways(list(records), size):
        yield chosen, Fraction(times, total)


def sample_of(learner: AgnosticTransformation[Any], records: Multiset) -> Sample[Any]:
    """The records as a sample of the learner's domain."""
    counts: dict[Any, list[int]] = {}
    for (x, y), often in records.items():
        counts.setdefault(x, [0, 0])[y] += often
    return Sample.from_counts(learner.hypotheses.domain, counts)


def multiset(sample: Sample[Any]) -> Multiset:
    """The records of a sample."""
    counts = zip(sample.points, sample.negatives.tolist(), sample.positives.tolist(), strict=True)
    return +Counter({(x, y): often for x, *both in counts for y, often in enumerate(both)})


def relabelled(learner: AgnosticTransformation[Any], records: Records) -> Masses:
    """The exact law of the relabelled sample, a set of pairs (record, multiplicity)."""
    data, masses = Counter(records), Masses()
    for chosen, p in drawn(data, learner.size(len(records))):
        samples = sample_of(learner, chosen), sample_of(learner, data - chosen)
        for mass, found in learner.laws(*samples):
            key = frozenset(multiset(found).items())
            masses[key] = masses.get(key, Fraction(0)) + p * mass
    return masses


# Two labellings of the first two points.  The third point gives one of them another extension, and
# the fourth the other one, so one record moves the choice as far as it can.
CLASS = FiniteClass.from_array([[0, 0, 1, 0], [0, 0, 1, 1], [1, 1, 0, 0], [1, 1, 1, 0]])
SEEN: Records = (("x0", 0), ("x1", 0))


def whole(kind: Callable[..., AgnosticTransformation[Any]], epsilon: Fraction) -> Subject[Records]:
    """The transformation over the exponential learner; two records are relabelled."""

    def realizable(budget: Budget) -> ExponentialLearner[Any]:
        return ExponentialLearner(CLASS, budget)

    learner = kind(CLASS, Budget(epsilon), realizable=realizable)
    mechanism = realizable(Budget(learner.realizable.cost().epsilon)).mechanism
    texts = [released_text(CLASS.hypothesis(i)) for i in range(CLASS.size)]

    @cache
    def distribution(records: Records) -> Masses:
        masses = Masses()
        for found, p in relabelled(learner, records).items():
            sample = sample_of(learner, Counter(dict(found)))  # type: ignore[call-overload]
            for i, mass in mechanism.distribution(CLASS.error_runs(sample)).items():
                masses[texts[i]] = masses.get(texts[i], Fraction(0)) + p * mass
        return masses

    n = 2 * learner.relabelling.share
    rest = SEEN * ((n - 1) // 2)
    many = (*rest, *SEEN[: n - 1 - len(rest)])
    pairs = tuple(
        ((*many, one), (*many, other)) for one, other in combinations(all_records(CLASS, 4), 2)
    )
    return Subject(learner.event, distribution, pairs, fits(learner), pairs[-1])


@subject("agnostic-learner")
def agnostic(epsilon: Fraction, delta: Fraction) -> Subject[Records]:
    """The agnostic learner that asks the other records, over a table; spends no delta."""
    return whole(AgnosticLearner, epsilon)


@subject("relabelling-learner")
def relabelling(epsilon: Fraction, delta: Fraction) -> Subject[Records]:
    """The agnostic learner that asks the sample itself, over a table; spends no delta."""
    return whole(RelabellingLearner, epsilon)
