"""Continual tallies over all of their steps, and the online learner built on them as a whole."""

from __future__ import annotations

from collections.abc import Iterator
from copy import deepcopy
from dataclasses import replace
from fractions import Fraction
from functools import partial

from littlestone.classes import FiniteClass
from littlestone.learn.stream import TalliedLearner
from littlestone.learn.stream.tallied import Scale, Weights
from littlestone.privacy.budget import Budget
from littlestone.privacy.mechanisms.streams.confirmation import ContinualConfirmation
from littlestone.privacy.mechanisms.streams.tallies import ContinualTallies
from littlestone.prove.mechanisms.neighbours import neighbours
from littlestone.prove.mechanisms.subject import Subject, mechanism_subject, subject
from littlestone.prove.mechanisms.subjects.exponential_learner import Records
from littlestone.prove.mechanisms.subjects.online import LONG, Law, Published, told

Cells = tuple[int | None, ...]

HORIZON = 20


def quick_timer(epsilon: Fraction, horizon: int) -> ContinualConfirmation:
    """A timer that hits after few records, so that short streams show much."""
    return ContinualConfirmation(
        skip_epsilon=epsilon / 2,
        test_epsilon=epsilon / 2,
        threshold=1,
        warm=horizon,
        keys=1,
        horizon=horizon,
    )


def of_tallied(learner: TalliedLearner, records: Records) -> Law:
    """The law of what is published, by the learner's own code between the tallies."""
    law: Law = {}
    for published, mass in _paths(learner, learner.begun(), records):
        law[published] = law.get(published, Fraction(0)) + mass
    return law


def _paths(
    learner: TalliedLearner, weights: Weights, records: Records
) -> Iterator[tuple[Published, Fraction]]:
    """All that can be published from a step on at which the counts begin."""
    mechanism, left = learner.mechanism, Fraction(1)
    rule = weights.published
    cells = [None if rule(x) == y else weights.cell(x) for x, y in records]
    for u in range(1, len(records) + 1):
        left -= (mass := mechanism.timed(cells[:u]))
        for tally, p in mechanism.tally_law(cells[:u]).items():
            later = deepcopy(weights)
            later.take(tally)
            quiet = (rule.words(),) * (u - 1)
            for published, q in _paths(learner, later, records[u:]):
                yield (*quiet, later.published.words(), *published), mass * p * q
    yield (rule.words(),) * len(records), left


@subject(
    "continual-tallies",
    id="Streams",
    code="privacy.mechanisms.streams.tallies",
    proof="proofs/tallies.md#theorem-1-privacy",
    drawn_at=8,
    steps=2,
)
def continual_tallies(epsilon: Fraction, delta: Fraction) -> Subject[Cells]:
    """Two cells of a stream, counted again and again; spends no delta."""
    mechanism = ContinualTallies(
        timer=quick_timer(epsilon, HORIZON), cell_epsilon=epsilon / 2, cells=2, least=0, most=1
    )
    return mechanism_subject(
        mechanism,
        pairs=neighbours((None, 0, 1), 2),
        large=((0, *(1,) * (HORIZON - 1)), (1,) * HORIZON),
        read=lambda stream: stream,
    )


@subject(
    "online-tallied-learner",
    id="Streams",
    code="learn.stream.TalliedLearner",
    proof="proofs/tallies.md#theorem-1-privacy",
    drawn_at=6,
    steps=2,
)
def points(epsilon: Fraction, delta: Fraction) -> Subject[Records]:
    """The online learner of tallies, of a table of two points; spends no delta."""
    table = FiniteClass.from_array([[0, 0], [0, 1], [1, 1]], points=["a", "b"])
    learner = TalliedLearner(table, Budget(epsilon), horizon=LONG, threshold=1)
    learner.scale = Scale(Fraction(1), 1, 1)
    learner.mechanism = replace(
        learner.mechanism, timer=quick_timer(epsilon, LONG), least=-1, most=1
    )
    return told(learner, partial(of_tallied, learner), (("a", 0), ("a", 1), ("b", 1)), steps=2)
