"""The exact law of all that a run of the staged online learner publishes, by its own code.

The stream's code runs along every outcome of its choices.  Whether a step hits, and whether a stage
goes on, are choices too; how likely they were together is worked out at the end of a run, from the
closed forms of the counter and of the tests.
"""

from __future__ import annotations

import random
from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from fractions import Fraction
from functools import cache
from math import prod
from typing import Any

import pytest

from littlestone.classes import Subsets
from littlestone.domains import Integers
from littlestone.hypotheses import Hypothesis
from littlestone.learners.online import stage_stream
from littlestone.learners.online.stage_stream import StagedStream
from littlestone.learners.online.stage_trees import Part
from littlestone.learners.online.staged import StagedOnlineLearner
from littlestone.privacy.mechanisms.epoch import Epoch
from littlestone.privacy.mechanisms.one_sided_threshold import OneSidedThreshold
from littlestone.privacy.mechanisms.sparse_sampling import SparseSampling
from littlestone.privacy.mechanisms.threshold_tests import probability
from scripted import Script

Record = tuple[int, int]
Law = dict[Any, Fraction]
HALF = Fraction(1, 2)


class Counter(OneSidedThreshold):
    """With r = 2."""

    shrink = HALF


class Sampling(SparseSampling[Any]):
    """With r = 2."""

    base = Fraction(2)


class Form:
    """Hypotheses by their forms, each read once."""

    @staticmethod
    @cache
    def _read(members: tuple[int, ...]) -> Any:
        form = {"kind": "FiniteSet", "domain": Integers().to_json(), "members": list(members)}
        return Hypothesis.from_json(form)

    @classmethod
    def from_json(cls, form: Mapping[str, Any]) -> Any:
        return cls._read(tuple(form["members"]))


class Tiny(StagedOnlineLearner):
    """Two teachers and sets of at most one point, so two stages; all ratios are powers of 2."""

    def __init__(self, calls: int, draws: int, threshold: int = 1) -> None:
        sizes: dict[str, Any] = {"teachers": 2, "cap": 2, "list_size": 1, "threshold": threshold}
        H = Subsets(Integers(), 1)
        super().__init__(H, epsilon=1, delta="0.1", horizon=9, calls=calls, draws=draws, **sizes)
        self.counter = Counter(epsilon=Fraction(1), threshold=threshold, horizon=9)
        self.sampling = Sampling(Fraction(1), Fraction(1, 5), 1)
        self.tests = replace(self.tests, threshold=1)
        self.known: dict[Any, Any] = {}

    def lists(self, parts: Sequence[Part], stage: int) -> Any:
        asked = str(parts), stage
        if asked not in self.known:
            self.known[asked] = super().lists(parts, stage)
        return self.known[asked]


@cache
def tiny(calls: int, draws: int) -> Tiny:
    """One for all processes: nothing changes it."""
    return Tiny(calls, draws)


class Process:
    """One run, and what is seen of it: `law`.

    ``hits`` are the steps of the hits, None: those of the counter; ``tested`` says whether there
    are tests, without which all are in the last stage, and ``drawn`` whether draws find anything.
    """

    stream: type[StagedStream] = StagedStream

    def __init__(
        self,
        calls: int = 1,
        draws: int = 1,
        *,
        hits: tuple[int, ...] | None = None,
        tested: bool = True,
        drawn: bool = True,
    ) -> None:
        self.learner, self.hits, self.tested, self.drawn = tiny(calls, draws), hits, tested, drawn
        self.known: dict[Any, tuple[list[Any], list[Fraction]]] = {}

    @property
    def ratio(self) -> Fraction:
        """What is claimed: e^epsilon of the counter, the tests and all draws, by basic composition."""
        counted, tested = 1 if self.hits is not None else 2, 8 if self.tested else 1
        return Fraction(4) ** self.paid_draws * counted * tested

    @property
    def paid_calls(self) -> int:
        return self.learner.sizes.calls

    @property
    def paid_draws(self) -> int:
        return self.paid_calls * self.learner.sizes.draws if self.drawn else 0

    @property
    def delta(self) -> Fraction:
        return self.paid_draws * self.learner.sampling.delta0

    def drawable(self, scores: tuple[tuple[Any, int], ...]) -> tuple[list[Any], list[Fraction]]:
        """What a draw may find, and how likely."""
        if scores not in self.known:
            chances = self.learner.sampling.chances(dict(scores))
            self.known[scores] = list(chances), list(chances.values())
        return self.known[scores]

    def law(self, records: tuple[Record, ...]) -> Law:
        script = Script()
        with pytest.MonkeyPatch.context() as patch:
            patch.setattr(stage_stream, "Hypothesis", Form)
            rng = script.generator()
            return script.explore(lambda: self.run(script, rng, records))

    def run(self, script: Script, rng: random.Random, records: tuple[Record, ...]) -> Any:
        learner, told = self.learner, list[Any]()
        tests: list[tuple[int, bool]] = []
        segments: list[tuple[list[int], bool]] = [([], False)]

        def test(value: int) -> bool:
            answer = self.tested and either(script)
            tests.append((learner.tests.threshold - value, answer))
            return answer

        def select(scores: Mapping[Any, int], rng: object) -> Any:
            if not self.drawn:
                return None
            items, weights = self.drawable(tuple(scores.items()))
            return items[script.choose(weights)]

        with pytest.MonkeyPatch.context() as patch:
            patch.setattr(learner, "session", lambda *state: _Asked(test))
            patch.setattr(type(learner.sampling), "select", lambda _, *given: select(*given))
            patch.setattr(
                type(learner.counter),
                "begin",
                lambda counter, *given: Epoch(0, 0, counter.horizon + 1),
            )
            patch.setattr(
                type(learner.counter),
                "counted",
                lambda _, epoch, *given: replace(epoch, count=epoch.count + 1),
            )
            stream = self.stream(learner, rng, told.append)
            told.append(["begin", 0, 0, learner.horizon + 1])
            seen = []
            for t, (x, y) in enumerate(records, start=1):
                stream.update(x, y)
                if stream.calls == learner.sizes.calls:
                    continue
                segments[-1][0].append(learner.counter.threshold - stream._epoch.count)
                hit = (
                    t in self.hits
                    if self.hits is not None
                    else bool(script.choose([Fraction(1)] * 2))
                )
                if hit:
                    segments[-1] = segments[-1][0], True
                    segments.append(([], False))
                    stream._epoch = replace(stream._epoch, due=t)
                    stream.go_to(t)
                    seen.append((t, stream.stage, stream.hypothesis.words()))
            seen += self.later(stream, told, script)
        if self.hits is None:
            script.choose([self.counted(segments)])
        if self.tested and tests:
            gaps, answers = zip(*tests, strict=True)
            script.choose([answered(gaps, answers)])
        return tuple(seen)

    def counted(self, segments: list[tuple[list[int], bool]]) -> Fraction:
        """How likely these hits of the counter are."""

        def first(gaps: list[int]) -> Fraction:
            return first_hit(self.learner.counter, tuple(gaps))

        def none(gaps: list[int]) -> Fraction:
            return 1 - sum((first(gaps[:u]) for u in range(1, len(gaps) + 1)), Fraction(0))

        masses = (first(gaps) if hit else none(gaps) for gaps, hit in segments if gaps)
        return prod(masses, start=Fraction(1))

    def later(self, stream: Any, told: list[Any], script: Script) -> list[Any]:
        """What is seen after the last record; a plant may see more."""
        return []


@cache
def answered(gaps: tuple[int, ...], answers: tuple[bool, ...]) -> Fraction:
    """How likely these answers of all tests of a run are."""
    return probability(gaps, answers, HALF, HALF)


@cache
def first_hit(counter: Counter, gaps: tuple[int, ...]) -> Fraction:
    """How likely the last of these tests of the counter is the first to hit."""
    return counter._first_hit(gaps)


class _Asked:
    def __init__(self, test: Callable[[int], bool]) -> None:
        self.test = test


def either(script: Script) -> bool:
    """A choice whose likelihood is worked out later."""
    return bool(script.choose([Fraction(1)] * 2))


def one_by_one(
    chance: Callable[[int], Fraction], segments: list[tuple[list[int], bool]]
) -> Fraction:
    """How likely hits are if each step's is independent, with probability ``chance`` of its gap."""
    total = Fraction(1)
    for gaps, hit in segments:
        for u, gap in enumerate(gaps, start=1):
            p = chance(gap)
            total *= p if hit and u == len(gaps) else 1 - p
    return total


def averaged(gap: int) -> Fraction:
    """E[min(1, 2^-(gap + Z))], Pr[Z >= z] = 2^-z, and gap at least -3."""
    cut = max(0, -gap)
    low = sum((HALF ** (z + 1) for z in range(cut)), Fraction(0))
    return low + HALF ** (cut + 1) * HALF ** (gap + cut) * Fraction(4, 3)
