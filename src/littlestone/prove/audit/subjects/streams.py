"""Streams: continual selection and tallies, and the learners of rules, tables and stages."""

from __future__ import annotations

import random
from collections.abc import Iterable, Mapping
from copy import copy
from dataclasses import replace
from fractions import Fraction
from itertools import combinations
from math import prod
from typing import Any

from littlestone.classes import EqualityRules, Subsets
from littlestone.learn.stream import RuleLearner, StagedOnlineLearner
from littlestone.learn.stream.staged import StagedStream
from littlestone.points import Integers
from littlestone.privacy.cost import Budget
from littlestone.privacy.mechanisms.competition import Epoch, Terms
from littlestone.privacy.mechanisms.continual_selection import (
    ContinualKeySelection,
    ContinualSelection,
    first,
)
from littlestone.privacy.mechanisms.threshold_tests import OneSidedThreshold, probability
from littlestone.privacy.tape import Tape
from littlestone.prove.audit.choices import Choices
from littlestone.prove.audit.claims import neighbours
from littlestone.prove.audit.subject import Subject, mechanism_subject, subject
from littlestone.prove.audit.subjects.online import (
    LONG,
    Law,
    Published,
    add_law,
    no_hit,
    subject_of_stream,
    twin,
    view_of_stream,
)
from littlestone.prove.audit.subjects.whole_learners import Records

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

    code: privacy.mechanisms.continual_selection.ContinualKeySelection
    proof: proofs/continual-key-selection.md#theorem-1-privacy
    """
    mechanism = ContinualKeySelection[str].within(Budget(epsilon, delta), horizon=HORIZON)
    busy: Keys = ("a",) * 5
    return mechanism_subject(
        mechanism,
        pairs=[*neighbours((None, "a", "b"), 3), quiet("a"), ((*busy, "a"), (*busy, "b"))],
        large=(("a",) * HORIZON, (None, *("a",) * (HORIZON - 1))),
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

    code: privacy.mechanisms.continual_selection.ContinualSelection
    proof: proofs/continual-selection.md#theorem-1-privacy
    """
    return selection(epsilon, delta, shared=False)


@subject("continual-selection-shared", id="Streams", epsilon=5)
def shared_skips(epsilon: Fraction, delta: Fraction) -> Subject[Named]:
    """Candidates of a stream, one after another, with shared skips; needs a delta.

    code: privacy.mechanisms.continual_selection.ContinualSelection
    proof: proofs/continual-selection.md#theorem-1-privacy
    """
    return selection(epsilon, delta, shared=True)


@subject("one-sided-threshold", id="Streams", drawn_at=3, steps=1)
def one_sided_threshold(epsilon: Fraction, delta: Fraction) -> Subject[Counted]:
    """Noisy counts of a stream with noise on one side, over all epochs; spends no delta.

    code: privacy.mechanisms.threshold_tests.OneSidedThreshold
    proof: proofs/online-teachers.md#theorem-1-the-counter
    """
    still = (False,) * 9
    return mechanism_subject(
        OneSidedThreshold(epsilon=epsilon, threshold=1, horizon=HORIZON),
        pairs=neighbours((False, True), 3),
        large=((True, *still), (False, *still)),
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


Segment = tuple[list[int], bool]
"""The gaps of one epoch's tests, and whether the last of them hit."""


class StageLaw:
    """The exact law of everything that a run publishes.

    The stream's code runs along every outcome of its choices.  Whether a step hits, and whether a
    stage goes on, are choices too.  Their joint likelihood is computed at the end of a run, from the
    closed forms of the counter and of the tests.  If ``hits`` are given, they are the steps of the
    hits.  Without ``tested`` there are no tests, and all calls are in the last stage.  Without
    ``drawn`` no draw finds anything.
    """

    stream: type[StagedStream] = StagedStream

    def __init__(
        self,
        learner: StagedOnlineLearner,
        *,
        hits: tuple[int, ...] | None = None,
        tested: bool = True,
        drawn: bool = True,
    ) -> None:
        self.learner, self.hits, self.tested, self.drawn = learner, hits, tested, drawn
        self._found: dict[Any, tuple[list[Any], list[Fraction]]] = {}
        self._tests: dict[Any, Fraction] = {}
        self._lists: dict[Any, Any] = {}

    def law(self, records: Records) -> Law:
        """The probability of each sequence of what is seen after the steps of these records."""
        choices = Choices()
        return choices.explore(lambda: self.run(choices, records))

    def run(self, choices: Choices, records: Records) -> Any:
        """The sequence that is seen of one run."""
        learner, lines = _LearnerOfChoices(self, choices), list[Any]()
        made: Any = learner
        stream = self.stream(made, Tape(choices.generator(), lines.append))
        stream.begin_from([[0, [], []]])
        segments: list[Segment] = [([], False)]
        shown = []
        for t, (x, y) in enumerate(records, start=1):
            stream.update(x, y)
            if stream.calls < learner.sizes.calls:
                gaps, _ = segments[-1]
                gaps.append(learner.threshold - stream._epoch.count)
                if choices.either() if self.hits is None else t in self.hits:
                    segments[-1:] = [(gaps, True), ([], False)]
                    stream._epoch = replace(stream._epoch, due=t)
                    stream.skip_to(t)
            shown.append(view_of_stream(stream))
        shown += self.later(stream, lines)
        if self.hits is None:
            choices.weigh(self.likelihood_of_hits(segments))
        if self.tested:
            choices.weigh(self.likelihood_of_answers(tuple(learner.tests_made)))
        return tuple(shown)

    def likelihood_of_hits(self, segments: list[Segment]) -> Fraction:
        """The likelihood of these hits of the counter."""
        first = self.learner.counter._first_hit

        masses = (first(gaps) if hit else no_hit(first, gaps) for gaps, hit in segments)
        return prod(masses, start=Fraction(1))

    def likelihood_of_answers(self, tests: tuple[tuple[int, bool], ...]) -> Fraction:
        """The likelihood of these answers to all tests of a run, by their gaps."""
        if tests not in self._tests:
            gaps, answers = [gap for gap, _ in tests], [answer for _, answer in tests]
            self._tests[tests] = probability(gaps, answers, *self.learner.tests.noises())
        return self._tests[tests]

    def later(self, stream: StagedStream, lines: list[Any]) -> list[str]:
        """The view after the last record; a planted bug may show more."""
        return []

    def lists(self, parts: Any, stage: int) -> Any:
        """The lists of the teachers, each computed once."""
        asked = str(parts), stage
        if asked not in self._lists:
            self._lists[asked] = self.learner.lists(parts, stage)
        return self._lists[asked]

    def drawable(self, scores: Mapping[Any, int]) -> tuple[list[Any], list[Fraction]]:
        """The possible results of a draw, with their likelihoods."""
        asked = tuple(scores.items())
        if asked not in self._found:
            chances = self.learner.sampling.chances(dict(scores))
            self._found[asked] = list(chances), list(chances.values())
        return self._found[asked]


class _LearnerOfChoices:
    """A substitute for a stream's learner, whose draws are choices."""

    def __init__(self, law: StageLaw, choices: Choices) -> None:
        self._law, self._choices = law, choices
        self.counter = self.sampling = self.tests = self
        self.threshold = law.learner.counter.threshold
        self.tests_made: list[tuple[int, bool]] = []

    def __getattr__(self, name: str) -> Any:
        return getattr(self._law.learner, name)

    def begin(self, step: int, tape: Tape) -> Epoch:
        return Epoch(0, 0, self._law.learner.horizon + 1)  # no hit is due

    def count_record(self, epoch: Epoch, step: int, tape: Tape) -> Epoch:
        return replace(epoch, count=epoch.count + 1)

    def session(self, rho: int, stage: int, rng: random.Random) -> _LearnerOfChoices:
        return self

    def noises(self) -> tuple[Fraction, Fraction]:
        """Draw no noise for the threshold: the law of the tests includes it."""
        return Fraction(0), Fraction(0)

    def test(self, value: int) -> bool:
        answer = self._law.tested and self._choices.either()
        self.tests_made.append((self._law.learner.tests.threshold - value, answer))
        return answer

    def lists(self, parts: Any, stage: int) -> Any:
        return self._law.lists(parts, stage)

    def scores(self, lists: Any) -> dict[Any, int]:
        return self._law.learner.sampling.scores(lists)

    def select(self, scores: Mapping[Any, int], rng: random.Random) -> Any:
        if not self._law.drawn:
            return None
        items, weights = self._law.drawable(scores)
        return items[self._choices.choose(weights)]


@subject(
    "online-staged-learner",
    id="Lyu25 section 6.1",
    status="mended",
    epsilon=5,
    drawn_at=40,
    steps=2,
)
def staged_learner(epsilon: Fraction, delta: Fraction) -> Subject[Records]:
    """The staged online learner, of single points: all it publishes; needs a delta.

    code: learn.stream.StagedOnlineLearner, learn.stream.staged.StagedStream
    proof: proofs/staged-stream.md#theorem-1-privacy
    """
    learner = StagedOnlineLearner(
        Subsets(Integers(), 1),
        Budget(epsilon, delta),
        horizon=LONG,
        calls=1,
        draws=1,
        teachers=2,
        threshold=1,
        cap=2,
        list_size=1,
    )
    return subject_of_stream(learner, StageLaw(learner).law, ((0, 0), (0, 1), (1, 1)), steps=2)
