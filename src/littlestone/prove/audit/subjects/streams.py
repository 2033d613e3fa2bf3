"""Streams: continual selection and tallies, and the learners of rules and tables that use them."""

from __future__ import annotations

import random
from collections.abc import Iterable, Iterator
from copy import copy, deepcopy
from dataclasses import replace
from fractions import Fraction
from functools import partial
from itertools import combinations
from math import prod
from typing import Any

from littlestone.classes import EqualityRules, FiniteClass
from littlestone.learn.stream import RuleLearner, TalliedLearner
from littlestone.learn.stream.tallied import Scale, Weights
from littlestone.privacy.cost import Budget
from littlestone.privacy.mechanisms.streams.competition import Terms
from littlestone.privacy.mechanisms.streams.confirmation import ContinualConfirmation
from littlestone.privacy.mechanisms.streams.continual_key_selection import ContinualKeySelection
from littlestone.privacy.mechanisms.streams.continual_selection import ContinualSelection, first
from littlestone.privacy.mechanisms.streams.tallies import ContinualTallies
from littlestone.privacy.mechanisms.thresholds.one_sided_threshold import OneSidedThreshold
from littlestone.privacy.tape import Tape
from littlestone.prove.audit.claims import neighbours
from littlestone.prove.audit.subject import Subject, mechanism_subject, subject
from littlestone.prove.audit.subjects.exponential_learner import Records
from littlestone.prove.audit.subjects.online import (
    LONG,
    Law,
    Published,
    add_law,
    subject_of_stream,
    twin,
)

Keys = tuple[str | None, ...]
Named = tuple[tuple[str, ...], ...]
Counted = tuple[bool, ...]

HORIZON = 20
NAMED: Named = ((), ("a",), ("b",), ("a", "b"))


def quiet(record: str) -> tuple[Keys, Keys]:
    """Two streams: one record names a key, at the first step, or no record does."""
    rest = (None,) * (HORIZON - 1)
    return (record, *rest), (None, *rest)


@subject("continual-key-selection", id="Streams", epsilon=5)
def continual_key_selection(epsilon: Fraction, delta: Fraction) -> Subject[Keys]:
    """Keys of a stream, each selected soon after it is named often; needs a delta.

    code: privacy.mechanisms.streams.continual_key_selection.ContinualKeySelection
    proof: proofs/continual-key-selection.md#theorem-1-privacy
    """
    mechanism = ContinualKeySelection[str].within(Budget(epsilon, delta), horizon=HORIZON)
    busy: Keys = ("a",) * 5
    return mechanism_subject(
        mechanism,
        pairs=[*neighbours((None, "a", "b"), 3), quiet("a"), ((*busy, "a"), (*busy, "b"))],
        large=(("a",) * HORIZON, (None, *("a",) * (HORIZON - 1))),
        read=lambda stream: stream,
    )


def selection(epsilon: Fraction, delta: Fraction, *, shared: bool) -> Subject[Named]:
    """Two candidates a record, over streams of 3 steps, and one that is named once."""
    mechanism = ContinualSelection[str](
        budget=Budget(epsilon, delta), horizon=HORIZON, growth=2, shared=shared
    )
    one, other = ((tuple(filter(None, [x])) for x in stream) for stream in quiet("a"))
    busy: Named = (("a",),) * 5
    return mechanism_subject(
        mechanism,
        pairs=[*few(NAMED), (tuple(one), tuple(other)), ((*busy, ("a",)), (*busy, ("b",)))],
        large=((("a",),) * HORIZON, ((), *(("a",),) * (HORIZON - 1))),
        read=lambda stream: stream,
    )


def few(records: Named) -> Iterable[tuple[Named, Named]]:
    """All neighbouring streams of two steps, and those of three that differ in the first."""
    yield from neighbours(records, 2)
    for one, other in neighbours(records, 1):
        for rest in (records[1], records[3]):
            yield (*one, rest, rest), (*other, rest, rest)


@subject("continual-selection-own", id="Streams", epsilon=5)
def own(epsilon: Fraction, delta: Fraction) -> Subject[Named]:
    """Candidates of a stream, one after another, with skips of their own; needs a delta.

    code: privacy.mechanisms.streams.continual_selection.ContinualSelection
    proof: proofs/continual-selection.md#theorem-1-privacy
    """
    return selection(epsilon, delta, shared=False)


@subject("continual-selection-shared", id="Streams", epsilon=5)
def shared_skips(epsilon: Fraction, delta: Fraction) -> Subject[Named]:
    """Candidates of a stream, one after another, with shared skips; needs a delta.

    code: privacy.mechanisms.streams.continual_selection.ContinualSelection
    proof: proofs/continual-selection.md#theorem-1-privacy
    """
    return selection(epsilon, delta, shared=True)


@subject("one-sided-threshold", id="Streams", drawn_at=3, steps=1)
def one_sided_threshold(epsilon: Fraction, delta: Fraction) -> Subject[Counted]:
    """Noisy counts of a stream with noise on one side, over all epochs; spends no delta.

    code: privacy.mechanisms.thresholds.one_sided_threshold.OneSidedThreshold
    proof: proofs/online-teachers.md#theorem-1-the-counter
    """
    still = (False,) * 9
    return mechanism_subject(
        OneSidedThreshold(epsilon=epsilon, threshold=1, horizon=HORIZON),
        pairs=neighbours((False, True), 3),
        large=((True, *still), (False, *still)),
        read=lambda stream: stream,
    )


def of_rules(stream: Any, records: Records, before: Published = ()) -> Law:
    """The law by the stream's own code between the selections; ``stream`` has published ``before``."""
    start, competing, h = len(before), stream._competition, stream.hypothesis
    now, data = h.words(), [() if h(x) == y else stream.rules(x) for x, y in records[start:]]
    epoch = [tuple(dict.fromkeys(named))[: competing.terms.growth] for named in data]
    law, left = dict[Any, Fraction](), Fraction(1)
    for u in range(1, len(epoch) + 1):
        for rule in dict.fromkeys(rule for named in epoch[:u] for rule in named):
            if mass := first(competing.terms, epoch[:u], rule, competing.handicap):
                left -= mass
                later = copy_run(stream)
                later._take(rule)
                later._show()
                published = (*before, *(now,) * (u - 1), later.hypothesis.words())
                add_law(law, mass, of_changes(later, records, published, {}))
    return add_law(law, left, {(*before, *(now,) * len(epoch)): Fraction(1)})


def of_changes(
    stream: Any, records: Records, before: Published, epochs: dict[int, list[tuple[int, ...]]]
) -> Law:
    """The same while there is a rule; ``epochs`` are the records of each change since it began anew.

    A run's chance is the product over epochs of that of the selection at the end, or of none.
    """
    terms, h = stream._mechanism.terms(1), stream.hypothesis
    if len(before) == len(records):
        return {before: prod((still(terms, named) for named in epochs.values()), start=Fraction(1))}
    x, y = records[len(before)]
    key = None if h(x) == y else stream.change(stream._rule, x, y)
    # Every epoch sees each step, also one that names another change, or its hits would show which.
    told = {k: [*named, (k,) if k == key else ()] for k, named in epochs.items()}
    if key is not None and key not in told:
        told[key] = [(key,)]
    law = dict[Any, Fraction]()
    for size in range(len(told) + 1):
        for chosen in combinations(told, size):
            mass = prod((first(terms, told[k], k) for k in chosen), start=Fraction(1))
            rest = {k: named for k, named in told.items() if k not in chosen}
            if not mass:
                continue
            if not chosen:
                add_law(law, mass, of_changes(stream, records, (*before, h.words()), rest))
                continue
            later = copy_run(stream)
            later._change(frozenset(chosen))
            later._show()
            published = (*before, later.hypothesis.words())
            if later._rule is None:
                mass *= prod((still(terms, named) for named in rest.values()), start=Fraction(1))
                add_law(law, mass, of_rules(later, records, published))
            else:
                add_law(law, mass, of_changes(later, records, published, rest))
    return law


def still(terms: Terms, named: list[tuple[int, ...]]) -> Fraction:
    """The probability that a change is not selected by these records."""
    key = named[0][0]
    return 1 - sum((first(terms, named[: u + 1], key) for u in range(len(named))), Fraction(0))


def copy_run(stream: Any) -> Any:
    """A copy of the run, which may publish something else next."""
    made = twin(stream)
    made._competition, made._withdrawn = copy(stream._competition), list(stream._withdrawn)
    return made


@subject("online-rule-learner", id="Streams", epsilon=5)
def rules(epsilon: Fraction, delta: Fraction) -> Subject[Records]:
    """The online learner of equality rules, of one column: all its rules; needs a delta.

    code: learn.stream.RuleLearner
    proof: proofs/continual-selection.md#theorem-4-privacy-of-the-learner
    """
    H = EqualityRules.over_columns("a", max_literals=1)
    learner = RuleLearner(H, Budget(epsilon, delta), horizon=LONG)

    def law_of_stream(data: Records) -> Law:
        return of_rules(learner.resume([], Tape(random.Random(0))), data)

    return subject_of_stream(learner, law_of_stream, ((("u",), 0), (("u",), 1), (("w",), 1)))


Cells = tuple[int | None, ...]


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
    for published, mass in _paths(learner, learner.initial_weights(), records):
        law[published] = law.get(published, Fraction(0)) + mass
    return law


def _paths(
    learner: TalliedLearner, weights: Weights, records: Records
) -> Iterator[tuple[Published, Fraction]]:
    """All that can be published from a step on at which the counts begin."""
    mechanism, left = learner.mechanism, Fraction(1)
    rule = weights.published_rule
    cells = [None if rule(x) == y else weights.cell(x) for x, y in records]
    for u in range(1, len(records) + 1):
        left -= (mass := mechanism.chance_of_tally(cells[:u]))
        for tally, p in mechanism.tally_law(cells[:u]).items():
            later = deepcopy(weights)
            later.take(tally)
            quiet = (rule.words(),) * (u - 1)
            for published, q in _paths(learner, later, records[u:]):
                yield (*quiet, later.published_rule.words(), *published), mass * p * q
    yield (rule.words(),) * len(records), left


@subject("continual-tallies", id="Streams", drawn_at=8, steps=2)
def continual_tallies(epsilon: Fraction, delta: Fraction) -> Subject[Cells]:
    """Two cells of a stream, counted again and again; spends no delta.

    code: privacy.mechanisms.streams.tallies
    proof: proofs/tallies.md#theorem-1-privacy
    """
    mechanism = ContinualTallies(
        timer=quick_timer(epsilon, HORIZON), cell_epsilon=epsilon / 2, cells=2, least=0, most=1
    )
    return mechanism_subject(
        mechanism,
        pairs=neighbours((None, 0, 1), 2),
        large=((0, *(1,) * (HORIZON - 1)), (1,) * HORIZON),
        read=lambda stream: stream,
    )


@subject("online-tallied-learner", id="Streams", drawn_at=6, steps=2)
def points(epsilon: Fraction, delta: Fraction) -> Subject[Records]:
    """The online learner of tallies, of a table of two points; spends no delta.

    code: learn.stream.TalliedLearner
    proof: proofs/tallies.md#theorem-1-privacy
    """
    table = FiniteClass.from_array([[0, 0], [0, 1], [1, 1]], points=["a", "b"])
    learner = TalliedLearner(table, Budget(epsilon), horizon=LONG, threshold=1)
    learner.scale = Scale(Fraction(1), 1, 1)
    learner.mechanism = replace(
        learner.mechanism, timer=quick_timer(epsilon, LONG), least=-1, most=1
    )
    return subject_of_stream(
        learner, partial(of_tallied, learner), (("a", 0), ("a", 1), ("b", 1)), steps=2
    )
