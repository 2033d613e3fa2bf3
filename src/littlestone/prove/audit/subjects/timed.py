"""Streams: confirmations, and what is released whenever a timer hits, with their learners."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from copy import deepcopy
from dataclasses import replace
from fractions import Fraction
from functools import partial
from itertools import product
from math import prod
from typing import Any

import numpy as np

from littlestone.classes import FiniteClass, HypothesisClass, Intervals, Thresholds
from littlestone.learn.stream import ConfirmedLearner, TalliedLearner
from littlestone.learn.stream.known_ends import Ends, Knowledge
from littlestone.learn.stream.tallied import Ends as BothEnds
from littlestone.learn.stream.weights import Scores, Weights
from littlestone.privacy.cost import Budget
from littlestone.privacy.mechanisms.confirmation import ContinualConfirmation
from littlestone.privacy.mechanisms.sides import ContinualSides, Told
from littlestone.privacy.mechanisms.tallies import ContinualMedians, ContinualTallies, TimedRelease
from littlestone.privacy.rational import sum_masses
from littlestone.prove.audit.claims import neighbours
from littlestone.prove.audit.subject import Subject, mechanism_subject, subject
from littlestone.prove.audit.subjects.online import (
    LONG,
    Law,
    Published,
    no_hit,
    subject_of_stream,
)
from littlestone.prove.audit.subjects.whole_learners import Records

Keys = tuple[int | None, ...]
Gaps = tuple[int, ...]
Epochs = dict[Any, tuple[int, Gaps]]

STEPS = 20


def of_confirmed(learner: ConfirmedLearner, records: Records) -> Law:
    """The law of what is published, by the learner's own code between the hits."""
    return sum_masses(_paths(learner, learner.asked.initial_knowledge(), {}, records, 1))


def _paths(
    learner: ConfirmedLearner, knowledge: Knowledge, epochs: Epochs, records: Records, step: int
) -> Iterator[tuple[Published, Fraction]]:
    """All that can be published from ``step`` on; an epoch is its records and the gaps of its tests."""
    mechanism, search = learner.mechanism, learner.search
    if search is not None and knowledge.searching:
        yield from _found_places(learner, search, knowledge, records, step)
        return
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
    # The timers of watched keys are independent, so the chances of their hits are multiplied.
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


def _found_places(
    learner: ConfirmedLearner,
    search: ContinualMedians,
    knowledge: Knowledge,
    records: Records,
    step: int,
) -> Iterator[tuple[Published, Fraction]]:
    """All that can be published from ``step`` on, at which a search for a place begins."""
    rule = knowledge.published_rule
    named = [None if rule(x) == y else knowledge.key(x, y) for x, y in records[step - 1 :]]

    def go_on(u: int, place: int) -> Iterator[tuple[Published, Fraction]]:
        later = deepcopy(knowledge)
        later.locate(place, step + u)
        for published, p in _paths(learner, later, {}, records, step + u):
            yield (later.published_rule.words(), *published), p

    yield from _until_told(search, named, rule.words(), go_on)


def _until_told(
    mechanism: TimedRelease,
    named: Sequence[int | None],
    now: str,
    go_on: Callable[[int, Any], Iterable[tuple[Published, Fraction]]],
) -> Iterator[tuple[Published, Fraction]]:
    """All that can be published, if it is ``now`` until step u, whose release is told to ``go_on``."""
    for u, told, mass in mechanism.first_releases(named):
        if told is None:
            yield (now,) * u, mass
        else:
            for published, p in go_on(u, told):
                yield (*(now,) * (u - 1), *published), mass * p


def _quiet(mechanism: ContinualConfirmation, epochs: Epochs) -> Fraction:
    """The probability that no test of these epochs hits."""
    return prod(
        (no_hit(mechanism._first_hit, gaps) for _, gaps in epochs.values()), start=Fraction(1)
    )


def quick_timer(
    epsilon: Fraction, horizon: int, *, warm: int | None = None, keys: int = 1
) -> ContinualConfirmation:
    """Counters that hit after few records, so that short streams show much."""
    return ContinualConfirmation(
        skip_epsilon=epsilon / 2,
        test_epsilon=epsilon / 2,
        threshold=1,
        warm=warm or horizon,
        keys=keys,
        horizon=horizon,
    )


@subject("continual-confirmation", id="Streams", drawn_at=6, steps=2)
def continual_confirmation(epsilon: Fraction, delta: Fraction) -> Subject[Keys]:
    """Two keys of a stream, each confirmed when it is named often; spends no delta.

    code: privacy.mechanisms.confirmation
    proof: proofs/confirmation.md#theorem-1-privacy
    """
    return mechanism_subject(
        quick_timer(epsilon, STEPS, warm=1, keys=2),
        pairs=neighbours((None, 0, 1), 3),
        large=((0, *(1,) * (STEPS - 1)), (1,) * STEPS),
    )


@subject("continual-medians", id="Streams", drawn_at=8, steps=2)
def continual_medians(epsilon: Fraction, delta: Fraction) -> Subject[Keys]:
    """A place in the middle of the records of a stream, again and again; spends no delta.

    code: privacy.mechanisms.tallies
    proof: proofs/tallies.md#theorem-1-privacy
    """
    mechanism = ContinualMedians(
        timer=quick_timer(epsilon, STEPS), cell_epsilon=epsilon / 2, points=3
    )
    return mechanism_subject(
        mechanism,
        pairs=neighbours((None, 0, 1, 2), 2),
        large=((0, *(2,) * (STEPS - 1)), (2,) * STEPS),
    )


def quick(H: HypothesisClass[Any], epsilon: Fraction) -> ConfirmedLearner:
    """A learner that confirms after few records, so that short streams show much."""
    learner = ConfirmedLearner(H, Budget(epsilon), horizon=LONG, warm=1)
    learner.mechanism = replace(
        learner.mechanism, skip_epsilon=epsilon / 2, test_epsilon=epsilon / 2, threshold=1
    )
    return learner


@subject("online-confirmed-learner", id="Streams", drawn_at=4, steps=2)
def points(epsilon: Fraction, delta: Fraction) -> Subject[Records]:
    """The online learner of confirmations, of a table of two points; spends no delta.

    code: learn.stream.ConfirmedLearner
    proof: proofs/confirmation.md#theorem-1-privacy
    """
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


@subject("online-confirmed-intervals", id="Streams", drawn_at=4, steps=2)
def intervals(epsilon: Fraction, delta: Fraction) -> Subject[Records]:
    """The online learner of confirmations, of intervals of two points; spends no delta.

    code: learn.stream.ConfirmedLearner
    proof: proofs/tallies.md#theorem-3-mechanisms-in-turn
    """
    H = Intervals.on(0, 1)
    learner = quick(H, epsilon)
    learner.asked = Ends(H)
    learner.search = ContinualMedians(
        timer=quick_timer(epsilon, LONG), cell_epsilon=epsilon / 2, points=2
    )
    return subject_of_stream(
        learner, partial(of_confirmed, learner), ((0, 0), (0, 1), (1, 1)), steps=2
    )


def of_tallied(learner: TalliedLearner, records: Records) -> Law:
    """The law of what is published, by the learner's own code between the tallies."""
    return sum_masses(_tally_paths(learner, learner.initial_weights(), records))


def _tally_paths(
    learner: TalliedLearner, weights: Weights, records: Records
) -> Iterator[tuple[Published, Fraction]]:
    """All that can be published from a step on at which the counts begin."""
    rule = weights.published_rule
    cells = [None if rule(x) == y else weights.cell(x, y) for x, y in records]

    def go_on(u: int, tally: Any) -> Iterator[tuple[Published, Fraction]]:
        later = deepcopy(weights)
        later.take(tally)
        for published, p in _tally_paths(learner, later, records[u:]):
            yield (later.published_rule.words(), *published), p

    mechanism: Any = learner.mechanism
    yield from _until_told(mechanism, cells, rule.words(), go_on)


@subject("continual-tallies", id="Streams", drawn_at=8, steps=2)
def continual_tallies(epsilon: Fraction, delta: Fraction) -> Subject[Keys]:
    """Two cells of a stream, counted again and again; spends no delta.

    code: privacy.mechanisms.tallies
    proof: proofs/tallies.md#theorem-1-privacy
    """
    mechanism = ContinualTallies(
        timer=quick_timer(epsilon, STEPS), cell_epsilon=epsilon / 2, cells=2, most=1
    )
    return mechanism_subject(
        mechanism,
        pairs=neighbours((None, 0, 1), 2),
        large=((0, *(1,) * (STEPS - 1)), (1,) * STEPS),
    )


@subject("online-tallied-learner", id="Streams", drawn_at=6, steps=2)
def tallied_points(epsilon: Fraction, delta: Fraction) -> Subject[Records]:
    """The online learner of tallies, of a table of two points; spends no delta.

    code: learn.stream.TalliedLearner
    proof: proofs/tallies.md#theorem-1-privacy
    """
    table = FiniteClass.from_array([[0, 0], [0, 1], [1, 1]], points=["a", "b"])
    learner = TalliedLearner(table, Budget(epsilon), horizon=LONG, threshold=1)
    learner.scores = Scores(np.array([-4096, 4096]))
    learner.mechanism = replace(learner.mechanism, timer=quick_timer(epsilon, LONG), most=1)
    return subject_of_stream(
        learner, partial(of_tallied, learner), (("a", 0), ("a", 1), ("b", 1)), steps=2
    )


@subject("continual-sides", id="Streams", drawn_at=30, steps=2)
def continual_sides(epsilon: Fraction, delta: Fraction) -> Subject[Keys]:
    """The sides of an end of a stream, told again and again; spends no delta.

    code: privacy.mechanisms.sides
    proof: proofs/sides.md#theorem-1-privacy
    """
    return mechanism_subject(
        ContinualSides(epsilon=epsilon, threshold=1, ends=1, horizon=STEPS),
        pairs=neighbours((None, 0, 1), 2),
        large=((0, 1), (0, 0)),
    )


def of_ends(learner: TalliedLearner, search: ContinualMedians, records: Records) -> Law:
    """The law of what is published, by the learner's own code between medians and told sides."""
    weights = learner.initial_weights()
    rule = weights.published_rule
    places = [None if rule(x) == y else weights.cell(x, y) for x, y in records]

    def go_on(u: int, place: int) -> Iterable[tuple[Published, Fraction]]:
        later = deepcopy(weights)
        later.take(place)
        return _told_sides(learner, later, records[u:]).items()

    return sum_masses(_until_told(search, places, rule.words(), go_on))


def _told_sides(learner: TalliedLearner, weights: Weights, records: Records) -> Law:
    """From these weights on; their rule is the first that is published."""

    def weights_after(told: Told) -> Weights:
        later = deepcopy(weights)
        for side in told:
            if side is not None:
                later.take(side)
        return later

    def name(told: Told) -> int | None:
        (x, y), now = records[len(told)], weights_after(told)
        return None if now.published_rule(x) == y else now.cell(x, y)

    mechanism: Any = learner.mechanism
    law = dict[Any, Fraction]()
    for told, mass in mechanism.law(len(records), name).items():
        shown = tuple(weights_after(told[:t]).published_rule.words() for t in range(len(told) + 1))
        law[shown] = law.get(shown, Fraction(0)) + mass
    return law


@subject("online-tallied-intervals", id="Streams", drawn_at=30, steps=2)
def tallied_intervals(epsilon: Fraction, delta: Fraction) -> Subject[Records]:
    """The online learner of tallies, of intervals of two points; spends no delta.

    code: learn.stream.TalliedLearner
    proof: proofs/sides.md#theorem-1-privacy
    """
    H = Intervals.on(0, 1)
    learner = TalliedLearner(H, Budget(epsilon), horizon=LONG)
    learner.asked = BothEnds(H)
    learner.mechanism, learner.scores = learner.asked.plan(epsilon, LONG, 1)
    learner.asked.search = search = ContinualMedians(
        timer=quick_timer(epsilon, LONG), cell_epsilon=epsilon / 2, points=2
    )
    law = partial(of_ends, learner, search)
    return subject_of_stream(learner, law, ((0, 0), (0, 1), (1, 1)), steps=2)


def of_sides(learner: TalliedLearner, records: Records) -> Law:
    """The law of what is published, by the learner's own code between told sides."""
    law = _told_sides(learner, learner.initial_weights(), records)
    return {shown[1:]: mass for shown, mass in law.items()}  # all begin with one rule


@subject("online-tallied-thresholds", id="Streams", drawn_at=30, steps=2)
def tallied_thresholds(epsilon: Fraction, delta: Fraction) -> Subject[Records]:
    """The online learner of tallies, of three thresholds; spends no delta.

    code: learn.stream.TalliedLearner
    proof: proofs/sides.md#theorem-1-privacy
    """
    learner = TalliedLearner(Thresholds.on(0, 1), Budget(epsilon), horizon=LONG, threshold=1)
    return subject_of_stream(learner, partial(of_sides, learner), ((0, 0), (0, 1), (1, 1)), steps=2)
