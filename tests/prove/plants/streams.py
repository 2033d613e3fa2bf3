"""Mistakes in learning from a stream by teachers: the staged online learner, by its own code.

Of three or four records, along every outcome; the ratios are powers of 2, and claims are those of
the parts that a check is about: the counter of mistakes, or the draws.
"""

from __future__ import annotations

import random
from fractions import Fraction
from functools import cache
from typing import Any

from littlestone.learn.stream.staged import StagedStream
from littlestone.privacy.mechanisms.competition import Epoch
from littlestone.privacy.rational import log_above
from littlestone.privacy.tape import Tape
from littlestone.prove.audit import Subject, neighbours
from littlestone.prove.audit.subjects.streams import Segment
from plants.harness import Claim, Plant, drawn_by, is_private
from staged_process import HALF, Process, averaged, one_by_one

RECORDS = [(0, 0), (0, 1), (1, 1)]
THREE = tuple(neighbours(RECORDS, 3))
FIVE = (((0, 1), (1, 1), (0, 1), (1, 1), (0, 1)), ((0, 1), (1, 1), (0, 0), (1, 1), (0, 1)))
TWO = tuple(neighbours([(0, 0), *((x, 1) for x in range(4))], 2))


class Dealt(StagedStream):
    def _deal(self, x: Any, y: int, teacher: int) -> None:
        dealt = sum(map(len, self._buffer.values())) % self._learner.sizes.teachers
        super()._deal(x, y, dealt)


class EqualSplit(Process):
    """The mistakes are dealt out in their order: one of them more moves all later ones."""

    stream = Dealt


class Assigned(StagedStream):
    def _deal(self, x: Any, y: int, teacher: int) -> None:
        super()._deal(x, y, x % self._learner.sizes.teachers)


class TeacherOfTheRecord(Process):
    """Equal records go to one teacher, so that it agrees with itself."""

    stream = Assigned


class OneCallTooMany(Process):
    """Two calls, and one is paid for."""

    paid_calls = 1


class OneThresholdForAllEpochs(Process):
    """Z is drawn once."""

    def likelihood_of_hits(self, segments: list[Segment]) -> Fraction:
        def given(z: int) -> Fraction:
            return one_by_one(lambda gap: HALF ** max(0, gap + z), segments)

        most = 6
        found = sum((HALF ** (z + 1) * given(z) for z in range(most)), Fraction(0))
        return found + HALF**most * given(most)


class WaitsMarginally(Process):
    """Each step hits with a probability that is averaged over Z."""

    def likelihood_of_hits(self, segments: list[Segment]) -> Fraction:
        return one_by_one(averaged, segments)


class DrawsAgain(Process):
    """A crash comes before the call is on the tape, but after it was published."""

    lost = True

    def later(self, stream: StagedStream, lines: list[Any]) -> list[str]:
        calls = [step for step, records, values in lines if values and not records]
        again = self.stream(stream._learner, Tape(stream._tape._rng))
        again.begin_from([[0, [], []]])
        for line in lines:
            step, records, values = line
            if not records and (self.lost or not values):
                continue  # the call, and the mark of a publication
            if step in calls and not records:
                again._epoch = Epoch(0, 0, step)
            with again._tape.again(values):
                again._replay(*again._read(line)[:2])
        if again.calls < stream.calls:
            again._epoch = Epoch(0, 0, stream.steps)
            again.skip_to(stream.steps)
        again._show()
        return [again.hypothesis.words()]


class GoesOn(DrawsAgain):
    """The tape has the call."""

    lost = False


def _subject(process: Process, pairs: tuple[Any, ...]) -> Subject[Any]:
    claim = Claim(log_above(process.ratio) + Fraction(1, 10**15), process.delta)
    known = cache(process.law)

    def run(data: Any, rng: random.Random) -> Any:
        masses = known(data)
        return rng.choices(list(masses), [float(mass) for mass in masses.values()])[0]

    return Subject(claim, known, pairs, drawn_by(run), pairs[0])


def _stream(
    name: str, mistake: str, honest: Process, broken: Process, pairs: tuple[Any, ...] = THREE
) -> Plant:
    made = [_subject(process, pairs) for process in (honest, broken)]
    return Plant(f"stream_{name}", mistake, is_private, *made)


def at(*hits: int) -> dict[str, Any]:
    """Calls at these steps, in the last stage: all that is private are the draws."""
    return {"tested": False, "hits": hits}


HITS: dict[str, Any] = {"tested": False, "drawn": False}

PLANTS = [
    _stream("dealt_in_order", "Mistakes are dealt to teachers in their order, in equal parts.",
            Process(**at(5)), EqualSplit(**at(5)), (FIVE,)),
    _stream("teacher_of_the_record", "A record's teacher is chosen when the record is known.",
            Process(**at(2)), TeacherOfTheRecord(**at(2)), TWO),
    _stream("one_call_too_many", "There is one call more than was paid for.",
            Process(**at(2, 3)), OneCallTooMany(2, **at(2, 3))),
    _stream("one_threshold", "The counter's threshold has one noise for all epochs.",
            Process(3, **HITS), OneThresholdForAllEpochs(3, **HITS)),
    _stream("waits_marginally", "Waits have a probability that is averaged over the threshold's noise.",
            Process(3, **HITS), WaitsMarginally(3, **HITS)),
    _stream("draws_again", "A run that resumes draws again what was published before the crash.",
            GoesOn(**at(3)), DrawsAgain(**at(3))),
]  # fmt: skip
