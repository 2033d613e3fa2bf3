"""Online learners of keys, functions, votes and confirmed hypotheses, on all short streams."""

from __future__ import annotations

import random
from collections.abc import Callable, Hashable, Mapping, Sequence
from copy import deepcopy
from fractions import Fraction
from functools import cache, partial
from itertools import accumulate
from math import expm1, log1p
from typing import Any

from littlestone.classes import Points, Subsets, Thresholds
from littlestone.data.sample import Sample
from littlestone.learn.stream import (
    BlockLearner,
    HedgeLearner,
    KeyLearner,
    PrivateOnlineLearner,
    PrivateStream,
    TeacherLearner,
)
from littlestone.learn.stream.blockwise import BlockwiseLearner, always_0
from littlestone.learn.stream.staged import StagedStream
from littlestone.learn.stream.teachers import TeacherStream
from littlestone.points import Integers
from littlestone.privacy.cost import Budget
from littlestone.privacy.ledger import Receipt
from littlestone.privacy.mechanisms.continual_selection import ContinualKeySelection
from littlestone.privacy.parameters import least
from littlestone.privacy.tape import Tape
from littlestone.prove.audit.claims import neighbours
from littlestone.prove.audit.subject import Subject, runs_on_receipt, subject
from littlestone.prove.audit.subjects.whole_learners import Records
from littlestone.rules import Hypothesis

Published = tuple[str, ...]
Law = dict[Any, Fraction]
Begin = Callable[[Receipt], PrivateStream[Any]]

LONG = 12
VOID: Any = None
"""A record that takes its step, and from which nothing is learned."""

KEY = 1
"""Which teacher has which step is public, so the audit of teachers takes one assignment."""


def view_of_stream(stream: PrivateStream[Any]) -> str:
    """The published hypothesis, with the number of draws, or the call and stage."""
    words = stream.hypothesis.words()
    match stream:
        case TeacherStream():
            return f"{words}, draws: {stream.secret_draws}"
        case StagedStream():
            return f"{words}, calls: {stream.calls}, stage: {stream.stage}"
        case _:
            return words


def subject_of_stream(
    learner: PrivateOnlineLearner[Any],
    law: Callable[[Records], Mapping[Any, Fraction]],
    records: Records,
    *,
    steps: int = 3,
    begin: Begin | None = None,
    large: tuple[Any, Any] | None = None,
) -> Subject[Any]:
    """The learner on all neighbouring streams, with what is seen of it after each step.

    A record may be `VOID`.
    In the two ``large`` streams, a number stands for that many records that are predicted correctly.
    """

    def publish(receipt: Receipt, data: Sequence[Any]) -> Hashable:
        stream = learner.begin(receipt) if begin is None else begin(receipt)
        published = []
        for record in data:
            if isinstance(record, int):
                stream.skip_to(stream.steps + record)
            else:
                stream.take([record])
            published.append(view_of_stream(stream))
        return tuple(published)

    pairs = tuple(neighbours(records, steps))
    long = (records[-1],) * LONG
    large = large or (long, (records[0], *long[1:]))
    return Subject(learner.event, cache(law), pairs, runs_on_receipt(learner.event, publish), large)


def of_keys(
    learner: KeyLearner, records: Records, key: Callable[[int], Hashable] | None = None
) -> Law:
    """The law of what is published: the mechanism's, for key streams that agree with its selections.

    ``key(t)`` is what record t names if it is mistaken; the default is what the learner says.
    """
    naming = learner.naming
    start = naming.hypotheses.soa()
    keys = [
        None if record is VOID else naming.key(*record) if key is None else key(t)
        for t, record in enumerate(records)
    ]

    def hypotheses_in_turn(selections: tuple[frozenset[Any], ...]) -> list[Hypothesis[Any]]:
        """Before each step, and after the last."""

        def publish_next(h: Hypothesis[Any], selected: frozenset[Any]) -> Hypothesis[Any]:
            return naming.after(h, selected) if selected else h

        return list(accumulate(selections, publish_next, initial=start))

    def keys_of_mistakes(states: list[Hypothesis[Any]]) -> tuple[Any, ...]:
        steps = zip(records, keys, states, strict=False)
        return tuple(None if key is None or h(r[0]) == r[1] else key for r, key, h in steps)

    # Which records are mistakes depends on what was selected before.  So streams of keys are tried, and
    # only selections that lead back to the same stream count.
    law: Law = {}
    waiting, looked = [keys_of_mistakes([start] * len(records))], set[Any]()
    while waiting:
        stream = waiting.pop()
        looked.add(stream)
        for selections, mass in learner.mechanism.distribution(stream).items():
            states = hypotheses_in_turn(selections)
            if (agreeing := keys_of_mistakes(states)) == stream:
                output = tuple(state.words() for state in states[1:])
                law[output] = law.get(output, Fraction(0)) + mass
            elif mass and agreeing not in looked and agreeing not in waiting:
                waiting.append(agreeing)
    return law


def of_teachers(stream: Any, records: Records, before: Published = ()) -> Law:
    """The law by the stream's own code between the draws."""
    learner, now = stream._learner, view_of_stream(stream)
    law, left, gaps = dict[Any, Fraction](), Fraction(1), list[int]()
    state, counted = fork(stream), 0
    for t in range(len(before), len(records)):
        state._steps = t + 1
        if records[t] is not VOID:
            x, y = records[t]
            wrong = state.predict(x) != y
            counted += wrong
            state._hold(t + 1, x, y, wrong=wrong)
        gaps.append(state.threshold - counted)
        mass = learner.counter._first_hit(gaps)
        left -= mass
        lists = learner.lists(state._holdings.parts(), state.hypothesis)
        for drawn, p in learner.sampling.distribution(lists).items():
            later = fork(state)
            later._apply_draw(None if drawn is None else drawn.to_json(), state._epoch)
            later._show()
            published = (*before, *(now,) * (t - len(before)), view_of_stream(later))
            add_law(law, mass * p, of_teachers(later, records, published))
    return add_law(law, left, {(*before, *(now,) * (len(records) - len(before))): Fraction(1)})


def add_law(law: Law, mass: Fraction, other: Law) -> Law:
    """The law with another one added, times ``mass``."""
    for output, p in other.items():
        law[output] = law.get(output, Fraction(0)) + mass * p
    return law


def no_hit(first_hit: Callable[[Sequence[int]], Fraction], gaps: Sequence[int]) -> Fraction:
    """The probability that none of these tests hits; ``first_hit`` is that of a hit at the last."""
    return 1 - sum((first_hit(gaps[:u]) for u in range(1, len(gaps) + 1)), Fraction(0))


def twin(stream: Any) -> Any:
    """A second run from the same state, whose parts are the same objects."""
    made = object.__new__(type(stream))
    vars(made).update(vars(stream))
    return made


def fork(stream: Any) -> Any:
    """A copy that continues independently."""
    made = twin(stream)
    made._holdings = deepcopy(stream._holdings)
    return made


@subject("online-key-learner", id="Streams", epsilon=5)
def keys(epsilon: Fraction, delta: Fraction) -> Subject[Records]:
    """The online learner of sets: all sets that it publishes; needs a delta.

    code: learn.stream.KeyLearner
    proof: proofs/continual-key-selection.md#theorem-1-privacy
    """
    learner = KeyLearner(Subsets(Integers(), 2), Budget(epsilon, delta), horizon=LONG)
    return subject_of_stream(
        learner, lambda data: of_keys(learner, data), ((0, 0), VOID, (0, 1), (1, 0), (1, 1))
    )


@subject("online-function-learner")
def functions(epsilon: Fraction, delta: Fraction) -> Subject[Records]:
    """The online learner of dimension 1, of three thresholds: all it publishes; needs a delta."""
    learner = KeyLearner(Thresholds.on(0, 1), Budget(epsilon, delta), horizon=LONG)
    return subject_of_stream(
        learner, lambda data: of_keys(learner, data), ((0, 0), VOID, (0, 1), (1, 1))
    )


@subject("online-teacher-learner", id="Streams", epsilon=5, drawn_at=20, steps=1)
def teachers(epsilon: Fraction, delta: Fraction) -> Subject[Records]:
    """The online learner of teachers, of single points: all it publishes; needs a delta.

    code: learn.stream.TeacherLearner
    proof: proofs/online-teachers.md#theorem-2-the-whole-process
    """
    learner = TeacherLearner(
        Points(Integers()), Budget(epsilon, delta), horizon=LONG, threshold=1, teachers=2
    )

    def law_of_stream(data: Records) -> Law:
        begun = [0, [], [KEY, 0, learner.horizon + 1]]
        return of_teachers(learner.resume([begun], Tape(random.Random(0))), data)

    def begin_epoch(receipt: Receipt) -> PrivateStream[Any]:
        stream: Any = learner.begin(receipt)
        stream._begin_epoch(KEY, stream._epoch)
        begun: PrivateStream[Any] = stream
        return begun

    return subject_of_stream(
        learner, law_of_stream, ((0, 0), VOID, (0, 1), (1, 1)), steps=2, begin=begin_epoch
    )


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

    def log_chance_of_miss(score: int) -> float:
        chance = float(min(terms.weight(score), _HALF))  # never reached, and 1 has no logarithm
        return mechanism.horizon * log1p(-chance)

    def chance_of_selection(records: int) -> float:
        weights = ((1 - skip) * skip**z for z in range(records))
        return sum(
            weight * -expm1(log_chance_of_miss(records - z)) for z, weight in enumerate(weights)
        )

    return least(lambda records: chance_of_selection(records) >= _SEEN)


@subject("online-key-learner-long")
def long_keys(epsilon: Fraction, delta: Fraction) -> Subject[Any]:
    """The online learner of sets over 200,000 steps, on a key nearly published; needs a delta."""
    learner = KeyLearner(Subsets(Integers(), 2), Budget(epsilon, delta), horizon=HORIZON)
    named = nearly_published(learner.mechanism)
    rest = (*((0, 1),) * (named - 1), HORIZON - named)
    large = ((0, 1), *rest), ((0, 0), *rest)
    return subject_of_stream(
        learner, lambda data: of_keys(learner, data), ((0, 0), (0, 1)), steps=2, large=large
    )


def of_blocks(learner: BlockwiseLearner, records: Records) -> Law:
    """The law of what is published: at the end of each block a draw from its records, or from all."""
    domain, start = learner.hypotheses.domain, 0
    void = domain.canonical(None), 0
    law: Law = {(always_0(domain).words(),): Fraction(1)}  # what is published before each step
    for size in learner.sizes():
        if len(records) < start + size:
            break
        first = 0 if learner.remembers else start
        block = [void if record is VOID else record for record in records[first : start + size]]
        drawn = learner.learner.distribution(Sample.from_examples(domain, block))
        longer: Law = {}
        for told, p in law.items():
            for h, q in drawn.items():
                add_law(longer, p * q, {(*told, *told[-1:] * (size - 1), h.words()): Fraction(1)})
        law, start = longer, start + size
    left = len(records) - start
    return {(*told[1:], *told[-1:] * left): p for told, p in law.items()}


@subject("online-block-learner", id="Streams", drawn_at=4, steps=2)
def blocks(epsilon: Fraction, delta: Fraction) -> Subject[Records]:
    """A rule at the end of each block of a stream, of 1 and then 2 records; spends no delta.

    code: learn.stream.BlockLearner
    proof: proofs/blocks.md#theorem-1-privacy
    """
    learner = BlockLearner(Thresholds.on(0, 1), Budget(epsilon), horizon=LONG, first=1)
    return subject_of_stream(learner, partial(of_blocks, learner), ((0, 0), (0, 1), (1, 1), VOID))


@subject("online-hedge-learner", id="Streams", drawn_at=4, steps=2)
def hedge(epsilon: Fraction, delta: Fraction) -> Subject[Records]:
    """A rule after each record of a stream, drawn by the errors on all records so far.

    code: learn.stream.HedgeLearner
    proof: proofs/hedge.md#theorem-1-privacy
    """
    learner = HedgeLearner(Thresholds.on(0, 1), Budget(epsilon, delta), horizon=2, block=1)
    records = ((0, 0), (0, 1), (1, 1), VOID)
    return subject_of_stream(learner, partial(of_blocks, learner), records, steps=2)
