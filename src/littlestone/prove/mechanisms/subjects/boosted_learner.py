"""The boosting learner: its whole distribution, over all orders of the records and all coins."""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Callable
from fractions import Fraction
from functools import cache
from itertools import combinations_with_replacement, compress, pairwise, product
from math import prod
from typing import Any, cast

from littlestone.classes import Thresholds
from littlestone.learn import BoostingLearner, ExponentialLearner
from littlestone.privacy.budget import Budget
from littlestone.prove.mechanisms.subject import Subject, subject
from littlestone.prove.mechanisms.subjects.exponential_learner import Records, fits, released_text
from littlestone.prove.mechanisms.subjects.globally_stable_learner import Masses, orders
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
            passed = learner.filled(list(compress(part, coins)), len(part))
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
    def of(records: Records) -> Law:
        states: dict[tuple[Any, ...], Fraction] = {(): ONE}
        for part in learner.parts(records):
            states = {
                (*found, given): mass * p
                for found, mass in states.items()
                for given, p in round_of(tuple(part), tuple(h for h, _ in found)).items()
            }
        return dict(states)

    return of


def distribution(learner: Learner) -> Callable[[Records], Masses]:
    """The exact law of what `draw` releases, over all orders."""
    ordered = votes_in_order(learner)
    text = cache(lambda votes: released_text(learner.vote(votes)))

    def of(records: Records) -> Masses:
        masses: Masses = defaultdict(Fraction)
        listed = list(orders(Counter(records)))
        for order in listed:
            for found, mass in ordered(order).items():
                masses[text(tuple(h for h, _ in found))] += mass / len(listed)
        return dict(masses)

    return cache(of)


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
    return Subject(learner.event, distribution(learner), pairs, fits(learner), pairs[-1])
