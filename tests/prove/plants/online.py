"""Mistakes in the online learner of teachers: whose a record is, for how long, and when it is drawn."""

from __future__ import annotations

import random
from collections.abc import Sequence
from copy import deepcopy
from fractions import Fraction
from itertools import pairwise, product
from typing import Any

from littlestone.classes import Points
from littlestone.learn.stream import TeacherLearner
from littlestone.learn.stream.teachers import TeacherStream
from littlestone.points import Integers
from littlestone.privacy import Budget
from littlestone.privacy.mechanisms.competition import Epoch
from littlestone.privacy.mechanisms.selection_from_lists import SparseSampling
from littlestone.privacy.mechanisms.threshold_tests import OneSidedThreshold
from littlestone.privacy.rational import log_above
from littlestone.privacy.tape import Tape
from littlestone.prove.audit import neighbours
from littlestone.prove.audit.subject import Subject
from littlestone.prove.audit.subjects.online import of_teachers
from plants.harness import Masses, Plant, is_private, toy

H = Points(Integers())
RECORDS = ((0, 0), (0, 1), (1, 1))


class Counter(OneSidedThreshold):
    """With r = 2."""

    @property
    def shrink(self) -> Fraction:
        return Fraction(1, 2)


class Sampling(SparseSampling[Any]):
    """With r = 2."""

    @property
    def base(self) -> Fraction:
        return Fraction(2)


class OnlyAtMistakes(Counter):
    """A step without a mistake is no test."""

    def _first_hit(self, gaps: Sequence[int]) -> Fraction:
        moves = list(pairwise([self.threshold, *gaps]))
        if moves[-1][0] == moves[-1][1]:
            return Fraction(0)
        return super()._first_hit([after for before, after in moves if after != before])


class Learner(TeacherLearner):
    """Two teachers, one hypothesis a list; its streams are of any ``kind``."""

    def __init__(
        self, kind: type[TeacherStream] = TeacherStream, counter: type[Counter] = Counter
    ) -> None:
        super().__init__(H, Budget(2, "0.1"), horizon=3, teachers=2)
        self.counter = counter(epsilon=Fraction(1), threshold=1, horizon=3)
        self.sampling = Sampling(Budget(1, Fraction(1, 10)), 1)
        self._kind = kind

    def begun(self) -> TeacherStream:
        stream = self._kind(self, Tape(random.Random(0)))
        stream.begin_from([[0, [], [1, 0, 4]]])
        return stream


class InTurn(TeacherStream):
    """One record moves all that come after it."""

    def _hold(self, step: int, x: Any, y: int, *, wrong: bool) -> None:
        mistakes = sum(len(records) for records, _ in self._holdings.parts())
        super()._hold(1 + mistakes if wrong else step, x, y, wrong=wrong)


class SeesTheRecord(TeacherStream):
    """A mistake goes to the teacher that has one like it."""

    def _hold(self, step: int, x: Any, y: int, *, wrong: bool) -> None:
        alike = wrong and any((x, y) in records for records, _ in self._holdings.parts())
        super()._hold(1 if alike else step, x, y, wrong=wrong)


class RightElsewhere(TeacherStream):
    """Right records have an order of teachers of their own."""

    def _hold(self, step: int, x: Any, y: int, *, wrong: bool) -> None:
        super()._hold(step if wrong else step + 1, x, y, wrong=wrong)


class Forever(TeacherStream):
    def _apply_draw(self, form: Any, epoch: Epoch) -> None:
        kept = deepcopy(self._holdings)
        super()._apply_draw(form, epoch)
        self._holdings = kept


class OneLonger(TeacherStream):
    """The first draw to count is the one after the next."""

    def _hold(self, step: int, x: Any, y: int, *, wrong: bool) -> None:
        self._draws += 1
        super()._hold(step, x, y, wrong=wrong)
        self._draws -= 1


def process(learner: Learner) -> Subject[Any]:
    """All that is seen of streams of three records."""

    def law(records: Any) -> Masses:
        return of_teachers(learner.begun(), records)

    claim = log_above(Fraction(8)) + Fraction(1, 10**15)
    return toy(law, neighbours(RECORDS, 3), claim, learner.sampling.delta0)


def one_teacher_holds_it(kind: type[TeacherStream]) -> bool:
    """Whether neighbouring streams, mistaken or not, differ in what one teacher holds."""

    learner = Learner(kind)

    def held(rows: Any) -> list[Any]:
        stream = learner.begun()
        for step, (x, y) in enumerate(rows, start=1):
            stream._hold(step, x, y, wrong=y == 1)  # of the empty set
        return [stream._holdings._teachers.get(i) for i in range(2)]

    kept = {rows: held(rows) for rows in product(RECORDS, repeat=4)}
    return all(
        sum(a != b for a, b in zip(kept[one], kept[other], strict=True)) <= 1
        for one, other in neighbours(RECORDS, 4)
    )


def _held(mistake: str, kind: type[TeacherStream]) -> Plant:
    return Plant(f"online_{kind.__name__}", mistake, one_teacher_holds_it, TeacherStream, kind)


HONEST = process(Learner())

PLANTS = [
    _held("Mistakes are dealt to the teachers in turn.", InTurn),
    _held("A teacher is chosen after seeing the record.", SeesTheRecord),
    _held("Records that were predicted correctly are dealt apart from mistakes.", RightElsewhere),
    Plant("online_Forever", "A record takes part in all draws, and D of them are paid for.",
          is_private, HONEST, process(Learner(Forever))),
    Plant("online_OneLonger", "A record takes part in one draw more than was paid for.",
          is_private, HONEST, process(Learner(OneLonger))),
    Plant("online_OnlyAtMistakes", "There is a draw only at a step with a mistake.",
          is_private, HONEST, process(Learner(counter=OnlyAtMistakes))),
]  # fmt: skip
