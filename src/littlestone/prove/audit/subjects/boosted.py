"""Learners that ask others many times: boosting and bits."""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Callable, Hashable, Mapping, Sequence
from fractions import Fraction
from functools import cache, partial
from itertools import combinations_with_replacement, compress, pairwise, product
from math import prod
from typing import Any, cast

from littlestone.classes import FiniteClass, Thresholds
from littlestone.data.sample import Sample
from littlestone.learn import (
    BitPartsLearner,
    BitsLearner,
    BoostingLearner,
    ExponentialLearner,
)
from littlestone.learn.papers.voting import orders
from littlestone.privacy.cost import Budget
from littlestone.privacy.rational import sum_masses
from littlestone.prove.audit.claims import neighbours
from littlestone.prove.audit.subject import Subject, subject
from littlestone.prove.audit.subjects.reductions import Masses, record_orders
from littlestone.prove.audit.subjects.whole_learners import (
    Records,
    fits,
    released_text,
)
from littlestone.rules import Hypothesis

Learner = BoostingLearner[Any]

Law = dict[Any, Fraction]

Votes = tuple[Hypothesis[Any], ...]

ONE = Fraction(1)

RECORDS: Records = ((0, 0), (0, 1))


def law_of_vote(learner: Learner, part: Records, votes: Votes) -> Law:
    """The law of one round, over all coins: a hypothesis, and how many records passed.

    Its ``weak`` is the exponential learner.
    """
    weak = cast("ExponentialLearner[Any]", learner.weak)
    law: Law = defaultdict(Fraction)
    chances = learner.chances(part, votes)
    for coins in product((0, 1), repeat=len(part)):
        mass = prod((p if c else 1 - p for c, p in zip(coins, chances, strict=True)), start=ONE)
        if mass:
            passed = learner.fill_sample(list(compress(part, coins)), len(part))
            for h, p in weak.distribution(passed).items():
                law[h, sum(coins)] += mass * p
    return dict(law)


def votes_in_order(learner: Learner, *, counted: bool = False) -> Callable[[Records], Law]:
    """All votes of records in a known order, and if ``counted`` how many passed in each round."""

    @cache
    def round_of(part: Records, votes: Votes) -> Law:
        masses: Masses = defaultdict(Fraction)
        for (h, passed), p in law_of_vote(learner, part, votes).items():
            masses[h, passed if counted else 0] += p
        return dict(masses)

    @cache
    def law_of_votes(records: Records) -> Law:
        states: dict[tuple[Any, ...], Fraction] = {(): ONE}
        for part in learner.parts(records):
            states = {
                (*found, given): mass * p
                for found, mass in states.items()
                for given, p in round_of(tuple(part), tuple(h for h, _ in found)).items()
            }
        return dict(states)

    return law_of_votes


def law_of_learner(learner: Learner) -> Callable[[Records], Masses]:
    """The exact law of what `draw` releases, over all orders."""
    ordered = votes_in_order(learner)
    text = cache(lambda votes: released_text(learner.vote(votes)))

    def law_of_release(records: Records) -> Masses:
        masses: Masses = defaultdict(Fraction)
        listed = list(record_orders(Counter(records)))
        for order in listed:
            for found, mass in ordered(order).items():
                masses[text(tuple(h for h, _ in found))] += mass / len(listed)
        return dict(masses)

    return cache(law_of_release)


def tiny(epsilon: Fraction, kind: type[Learner] = Learner) -> Learner:
    """Three rounds, in which the weak learner sees two thirds of a part."""
    H = Thresholds.on(0, 0)
    return kind(H, Budget(epsilon), alpha=Fraction(1, 3), kept=Fraction(2, 3))


@subject("boosting-learner")
def boosting(epsilon: Fraction, delta: Fraction) -> Subject[Records]:
    """The boosting learner: three weak learners of thresholds, each on two of three records."""
    learner = tiny(epsilon)
    samples = list(combinations_with_replacement(RECORDS, 9))
    pairs = tuple(pairwise(samples))
    return Subject(learner.event, law_of_learner(learner), pairs, fits(learner), pairs[-1])


# Three labels of one point: codes up to 3, and code 3 is no label.
H = FiniteClass.from_array([[0], [1], [2]], labels=3)

LABELLED: Records = tuple(product(H.domain.points, range(H.labels)))

read: Callable[[Records], Sample[str]] = partial(Sample.from_examples, H.domain, labels=H.labels)

Chances = Mapping[Hashable, Fraction]


def together(
    learner: BitsLearner[Any] | BitPartsLearner[Any], parts: Sequence[Sample[Any]]
) -> Chances:
    """The exact law of the release if learner i sees ``parts[i]``."""
    laws = []
    for binary, part in zip(learner.learners, parts, strict=True):
        if not isinstance(binary, ExponentialLearner):
            raise TypeError
        laws.append(list(binary.distribution(part).items()))
    return sum_masses(
        (
            released_text(learner.classifier([h for h, _ in choice])),
            prod((mass for _, mass in choice), start=Fraction(1)),
        )
        for choice in product(*laws)
    )


def by_orders(learner: BitPartsLearner[Any], sample: Sample[Any]) -> Chances:
    """The exact law over all orders of the records."""
    return sum_masses(
        (text, chance * mass)
        for parts, chance in orders(sample, len(learner.learners))
        for text, mass in together(learner, learner.parts(parts)).items()
    )


def on_pairs(
    learner: BitsLearner[Any] | BitPartsLearner[Any], law: Callable[[Records], Chances]
) -> Subject[Records]:
    """The learner on all neighbouring samples of four records, and on a pair of a hundred."""
    many = LABELLED * 33
    pairs = tuple(neighbours(LABELLED, 4, ordered=False))
    return Subject(
        learner.event, law, pairs, fits(learner, read), ((LABELLED[0], *many), (LABELLED[2], *many))
    )


@subject("bits-learner")
def bits(epsilon: Fraction, delta: Fraction) -> Subject[Records]:
    """Three labels learned by their two bits, each from all records, under one budget."""
    learner = BitsLearner(H, Budget(epsilon, delta), binary=ExponentialLearner)

    def law_of_bits(data: Records) -> Chances:
        sample = read(data)
        return together(learner, [learner.bit(sample, i) for i in range(H.bits)])

    return on_pairs(learner, law_of_bits)


@subject("bit-parts-learner")
def bit_parts(epsilon: Fraction, delta: Fraction) -> Subject[Records]:
    """Three labels learned by their two bits, each from a random part of the records."""
    learner = BitPartsLearner(H, Budget(epsilon, delta), binary=ExponentialLearner)
    return on_pairs(learner, lambda data: by_orders(learner, read(data)))
