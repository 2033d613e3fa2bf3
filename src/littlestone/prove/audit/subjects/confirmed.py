"""Continual confirmation over all of its steps, and the online learner built on it as a whole."""

from __future__ import annotations

from collections.abc import Iterator
from copy import deepcopy
from dataclasses import replace
from fractions import Fraction
from functools import partial
from itertools import product
from math import prod
from typing import Any

from littlestone.classes import FiniteClass, HypothesisClass, Intervals, Thresholds
from littlestone.learn.stream import ConfirmedLearner
from littlestone.learn.stream.knowledge import Knowledge
from littlestone.learn.stream.known_ends import Ends
from littlestone.privacy.cost import Budget
from littlestone.privacy.mechanisms.streams.confirmation import ContinualConfirmation
from littlestone.prove.audit.neighbours import neighbours
from littlestone.prove.audit.subject import Subject, mechanism_subject, subject
from littlestone.prove.audit.subjects.exponential_learner import Records
from littlestone.prove.audit.subjects.online import LONG, Law, Published, subject_of_stream

Keys = tuple[int | None, ...]
Gaps = tuple[int, ...]
Epochs = dict[Any, tuple[int, Gaps]]

HORIZON = 20


def of_confirmed(learner: ConfirmedLearner, records: Records) -> Law:
    """The law of what is published, by the learner's own code between the hits."""
    law: Law = {}
    for published, mass in _paths(learner, learner.asked.initial_knowledge(), {}, records, 1):
        law[published] = law.get(published, Fraction(0)) + mass
    return law


def _paths(
    learner: ConfirmedLearner, knowledge: Knowledge, epochs: Epochs, records: Records, step: int
) -> Iterator[tuple[Published, Fraction]]:
    """All that can be published from ``step`` on; an epoch is its records and the gaps of its tests."""
    mechanism = learner.mechanism
    if step > len(records):
        yield (), _quiet(mechanism, epochs)
        return
    x, y = records[step - 1]
    named = None if knowledge.published_rule(x) == y else knowledge.key(x, y)
    watched = knowledge.keys_to_watch(mechanism.threshold, learner.unlikely)
    now = dict(epochs)
    for key, watch in watched.items():
        count, gaps = now.get(key, (0, ()))
        count += key == named
        rise = next(mechanism.rises(step - watch.first))[0]
        now[key] = count, (*gaps, watch.threshold + rise - count)
    for hits in product((False, True), repeat=len(watched)):
        confirmed = frozenset(key for key, hit in zip(watched, hits, strict=True) if hit)
        mass = prod((mechanism._first_hit(now[key][1]) for key in confirmed), start=Fraction(1))
        later, left = knowledge, now
        if confirmed:
            later = deepcopy(knowledge)
            forgotten = later.confirm(confirmed, step + 1)
            left = {key: epoch for key, epoch in now.items() if key not in confirmed}
            if forgotten:
                mass, left = mass * _quiet(mechanism, left), {}
        for published, p in _paths(learner, later, left, records, step + 1):
            yield (later.published_rule.words(), *published), mass * p


def _quiet(mechanism: ContinualConfirmation, epochs: Epochs) -> Fraction:
    """The probability that no test of these epochs hits."""
    quiet = Fraction(1)
    for _, gaps in epochs.values():
        quiet *= 1 - sum(
            (mechanism._first_hit(gaps[: u + 1]) for u in range(len(gaps))), Fraction(0)
        )
    return quiet


@subject(
    "continual-confirmation",
    id="Streams",
    code="privacy.mechanisms.streams.confirmation",
    proof="proofs/confirmation.md#theorem-1-privacy",
    drawn_at=6,
    steps=2,
)
def continual_confirmation(epsilon: Fraction, delta: Fraction) -> Subject[Keys]:
    """Two keys of a stream, each confirmed when it is named often; spends no delta."""
    mechanism = ContinualConfirmation(
        skip_epsilon=epsilon / 2,
        test_epsilon=epsilon / 2,
        threshold=1,
        warm=1,
        keys=2,
        horizon=HORIZON,
    )
    return mechanism_subject(
        mechanism,
        pairs=neighbours((None, 0, 1), 3),
        large=((0, *(1,) * (HORIZON - 1)), (1,) * HORIZON),
        read=lambda stream: stream,
    )


def quick(H: HypothesisClass[Any], epsilon: Fraction) -> ConfirmedLearner:
    """A learner that confirms after few records, so that short streams show much."""
    learner = ConfirmedLearner(H, Budget(epsilon), horizon=LONG, warm=1)
    learner.mechanism = replace(
        learner.mechanism, skip_epsilon=epsilon / 2, test_epsilon=epsilon / 2, threshold=1
    )
    return learner


@subject(
    "online-confirmed-learner",
    id="Streams",
    code="learn.stream.ConfirmedLearner",
    proof="proofs/confirmation.md#theorem-1-privacy",
    drawn_at=4,
    steps=2,
)
def points(epsilon: Fraction, delta: Fraction) -> Subject[Records]:
    """The online learner of confirmations, of a table of two points; spends no delta."""
    table = FiniteClass.from_array([[0, 0], [0, 1], [1, 1]], points=["a", "b"])
    learner = quick(table, epsilon)
    return subject_of_stream(
        learner, partial(of_confirmed, learner), (("a", 0), ("a", 1), ("b", 1))
    )


@subject("online-confirmed-thresholds")
def thresholds(epsilon: Fraction, delta: Fraction) -> Subject[Records]:
    """The online learner of confirmations, of three thresholds; spends no delta."""
    learner = quick(Thresholds.on(0, 1), epsilon)
    return subject_of_stream(learner, partial(of_confirmed, learner), ((0, 0), (0, 1), (1, 1)))


@subject("online-confirmed-intervals")
def intervals(epsilon: Fraction, delta: Fraction) -> Subject[Records]:
    """The online learner of confirmations, of intervals of two points; spends no delta."""
    H = Intervals.on(0, 1)
    learner = quick(H, epsilon)
    learner.asked = Ends(H)
    return subject_of_stream(
        learner, partial(of_confirmed, learner), ((0, 0), (0, 1), (1, 1)), steps=2
    )
