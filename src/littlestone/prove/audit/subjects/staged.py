"""The staged online learner as a whole, by the stream's own code."""

from __future__ import annotations

import random
from collections.abc import Mapping
from dataclasses import replace
from fractions import Fraction
from math import prod
from typing import Any

from littlestone.classes import Subsets
from littlestone.learn.stream import StagedOnlineLearner
from littlestone.learn.stream.staged import StagedStream
from littlestone.points import Integers
from littlestone.privacy.cost import Budget
from littlestone.privacy.mechanisms.streams.competition import Epoch
from littlestone.privacy.mechanisms.thresholds.threshold_tests import probability
from littlestone.privacy.tape import Tape
from littlestone.prove.audit.choices import Choices
from littlestone.prove.audit.subject import Subject, subject
from littlestone.prove.audit.subjects.exponential_learner import Records
from littlestone.prove.audit.subjects.online import (
    LONG,
    Law,
    subject_of_stream,
    view_of_stream,
)

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
        stream.begin([[0, [], []]])
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

        def mass(gaps: list[int], *, hit: bool) -> Fraction:
            if hit:
                return first(gaps)
            hits = (first(gaps[:u]) for u in range(1, len(gaps) + 1))
            return 1 - sum(hits, Fraction(0))

        return prod((mass(gaps, hit=hit) for gaps, hit in segments), start=Fraction(1))

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
