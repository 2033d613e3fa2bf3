"""The online learner of teachers: private as a whole process, and right in the end."""

from __future__ import annotations

import random
from collections.abc import Iterable
from copy import copy
from fractions import Fraction
from itertools import product
from pathlib import Path
from typing import Any

import pytest

from littlestone.audit.neighbours import neighbours
from littlestone.classes import Subsets, Thresholds
from littlestone.discovery import concrete
from littlestone.domains import Integers
from littlestone.errors import DeclarationError, ModelError
from littlestone.hypotheses import Hypothesis
from littlestone.learners.online import TeacherLearner, choose_online_learner, durable_run
from littlestone.learners.online.teachers import Mistake, TeacherStream
from littlestone.privacy.accounting.composed import Composed
from littlestone.privacy.divergence import hockey_stick
from littlestone.privacy.ledger import Ledger
from littlestone.privacy.mechanisms.one_sided_threshold import Epoch, OneSidedThreshold
from littlestone.privacy.mechanisms.sparse_sampling import SparseSampling
from littlestone.privacy.randomness import seeded_generator
from scripted import Script

Record = tuple[int, int]
Law = dict[Any, Fraction]
H = Subsets(Integers(), 1)


class Counter(OneSidedThreshold):
    """With r = 2."""

    shrink = Fraction(1, 2)  # type: ignore[assignment]


class Sampling(SparseSampling[Any]):
    """With r = 2."""

    base = Fraction(2)  # type: ignore[assignment]


class Tiny(TeacherLearner):
    """Two teachers, one hypothesis a list."""

    def __init__(self, draws: int = 1) -> None:
        super().__init__(H, epsilon=2, delta="0.1", horizon=3, draws=draws, teachers=2)
        self.counter = Counter(epsilon=Fraction(1), threshold=1, horizon=3)
        self.sampling = Sampling(Fraction(1), Fraction(1, 10), 1)
        self.known: dict[Any, Any] = {}

    def lists(self, mistakes: Iterable[Mistake], published: Hypothesis[Any]) -> Any:
        asked = tuple((m.x, m.y, m.teacher) for m in mistakes), published
        if asked not in self.known:
            self.known[asked] = super().lists(mistakes, published)
        return self.known[asked]


class Process:
    """The law of all that is seen, by the stream's own code between the draws."""

    stream = TeacherStream

    def law(self, learner: Tiny, records: tuple[Record, ...]) -> Law:
        total: Law = {}
        teachers = list(product(range(2), repeat=len(records)))
        for given in teachers:
            state = self.stream(learner, random.Random(0), None)
            for seen, p in self.after(state, records, given).items():
                total[seen] = total.get(seen, Fraction(0)) + p / len(teachers)
        return total

    def after(self, state: Any, records: tuple[Record, ...], given: tuple[int, ...]) -> Law:
        learner, found, left, gaps = state._learner, dict[Any, Fraction](), Fraction(1), []
        count = 0
        for t in range(state.steps, len(records)):
            (x, y), wrong = records[t], state.predict(records[t][0]) != records[t][1]
            state._steps = t + 1
            if wrong:
                count += 1
                place = self.teacher(given, t, records[t], len(state._mistakes))
                state._mistaken(x, y, place, state._epoch)
            gaps.append(learner.threshold(state._bottoms) - count)
            if not self.tested(wrong):
                continue
            mass = learner.counter._first_hit(gaps)
            left -= mass
            lists = learner.lists(state._mistakes, state.hypothesis)
            for u, p in learner.sampling.distribution(lists).items():
                later = copy(state)
                later._drawn(None if u is None else u.to_json(), state._epoch)
                hit = (t, later.hypothesis.words(), later.draws)
                for rest, q in self.after(later, records, given).items():
                    found[hit, *rest] = found.get((hit, *rest), Fraction(0)) + mass * p * q
            state = copy(state)
            state._mistakes = list(state._mistakes)
        return found | {(): left}

    def teacher(self, given: tuple[int, ...], t: int, record: Record, before: int) -> int:
        return given[t]

    def tested(self, wrong: bool) -> bool:
        return True


class EqualSplit(Process):
    """The buffer is split by the order of the mistakes: one record moves the others."""

    def teacher(self, given: tuple[int, ...], t: int, record: Record, before: int) -> int:
        return before % 2


class SeesTheRecord(Process):
    """All records of one teacher stay with it only if they look alike."""

    def teacher(self, given: tuple[int, ...], t: int, record: Record, before: int) -> int:
        return (given[0] + before * (record[0] == 1)) % 2


class OnlyAtMistakes(Process):
    """Steps without a mistake are no tests."""

    def tested(self, wrong: bool) -> bool:
        return wrong


class Forever(TeacherStream):
    """Records take part in one draw more than was paid for, and so on."""

    def _drawn(self, form: Any, epoch: Epoch) -> None:
        kept = self._mistakes
        super()._drawn(form, epoch)
        self._mistakes = list(kept)


class Remembers(Process):
    stream = Forever


def excess(process: Process, draws: int = 1, steps: int = 3) -> Fraction:
    """By how much the claim of ln 2 + 2 D ln 2 and D delta0 is exceeded, over all neighbours."""
    learner = Tiny(draws)
    pairs = list(neighbours([(0, 0), (0, 1), (1, 1)], steps))
    known = {records: process.law(learner, records) for pair in pairs for records in pair}
    assert all(sum(law.values()) == 1 for law in known.values())
    delta = learner.sampling.delta0 * draws
    both = [*pairs, *((b, a) for a, b in pairs)]
    ratio = Fraction(2 ** (1 + 2 * draws))
    return max(hockey_stick(known[a], known[b], ratio) for a, b in both) - delta


@pytest.mark.parametrize("draws", [1, 2])
def test_the_whole_process_is_private(draws: int) -> None:
    assert excess(Process(), draws) <= 0
