"""A run that is killed at a write publishes what it would have, and draws nothing twice."""

from __future__ import annotations

import copy
import json
import os
import pickle
import random
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from fractions import Fraction
from typing import Any

import pytest

from littlestone.base.errors import DeclarationError, ModelError, OutputError
from littlestone.classes import FiniteClass, Subsets, Thresholds, parse_class
from littlestone.learn.stream import (
    BlockLearner,
    ConfirmedLearner,
    HedgeLearner,
    KeyLearner,
    PrivateOnlineLearner,
    RuleLearner,
    StagedOnlineLearner,
    TalliedLearner,
    TeacherLearner,
    private_stream,
)
from littlestone.learn.stream.keys import KeyStream
from littlestone.points import Integers
from littlestone.privacy import Budget
from littlestone.privacy.randomness import seeded_generator
from littlestone.privacy.tape import Tape
from one_epoch import Short
from scripted import Script

STEPS = 60
SETS = Subsets(Integers(), 2)
TABLE = FiniteClass.from_array([[0, 0, 0], [0, 1, 1], [1, 0, 1], [1, 1, 0]])
BOLD: dict[str, Any] = {"budget": Budget(8, "0.1"), "horizon": STEPS}
SURE: dict[str, Any] = BOLD | {"budget": Budget(900, "0.1")}
SMALL: dict[str, Any] = {"calls": 4, "draws": 3, "teachers": 3, "threshold": 4, "cap": 3}

LEARNERS: dict[str, PrivateOnlineLearner[Any]] = {
    "points": KeyLearner(SETS, **BOLD),
    "functions": KeyLearner(Thresholds.on(0, 1), **BOLD),
    "rules": RuleLearner(parse_class("rules(a, b; at most 2)"), **BOLD),
    "confirmed": ConfirmedLearner(TABLE, **BOLD, doubt="0.9", warm=5),
    "cuts": ConfirmedLearner(Thresholds.on(0, 9), **BOLD, doubt="0.9", warm=5),
    "tallied": TalliedLearner(TABLE, **BOLD, threshold=2),
    "blocks": BlockLearner(TABLE, **BOLD, first=7, growth=1),
    "hedge": HedgeLearner(TABLE, **BOLD, block=7),
    "teachers": TeacherLearner(SETS, **SURE, threshold=4, teachers=3, draws=2),
    "staged": StagedOnlineLearner(SETS, **SURE, **SMALL, list_size=8, most=200),
}
every_learner = pytest.mark.parametrize("name", LEARNERS)


@pytest.fixture(autouse=True)
def _often(monkeypatch: pytest.MonkeyPatch) -> None:
    """Every tenth step is noted in public."""
    monkeypatch.setattr(private_stream, "PUBLIC", 10)


def records(learner: PrivateOnlineLearner[Any], seed: int) -> list[tuple[Any, int]]:
    """The first point is mostly 1, other labels are at random: there are mistakes at all times."""
    rng = random.Random(seed)
    points = learner.hypotheses.domain.examples(3)
    places = [rng.randrange(len(points)) for _ in range(STEPS + 5)]
    return [(points[i], int(i == 0 or rng.random() < 0.3)) for i in places]


class Killed(BaseException):
    """The end of a process."""


View = dict[int, Any]


def feed(stream: Any, rows: list[tuple[Any, int]], view: View) -> bool:
    """Take records; whether what is seen is what was seen of the same step before."""
    alike = True
    for x, y in rows:
        stream.update(x, y)
        alike &= told(stream, view)
    return alike


def told(stream: Any, view: View) -> bool:
    seen = stream.hypothesis.words(), stream.published_at
    return bool(view.setdefault(stream.steps, seen) == seen)


def followed(
    learner: PrivateOnlineLearner[Any], seed: int, kill: int, tape: type[Tape] = Tape
) -> tuple[View, list[Any]]:
    """All that is seen, and what was drawn; the process ends after that many writes, if it is not 0.

    The generator goes on as it is, so that only what is drawn twice, or not at all, changes anything.
    """
    rng, lines, view, rows = seeded_generator(seed), list[Any](), View(), records(learner, seed)

    def keep(line: list[Any]) -> None:
        lines.append(json.loads(json.dumps(line)))
        if len(lines) == kill:
            raise Killed

    try:
        stream = learner.resume([], tape(rng, keep))
        alike = told(stream, view) and feed(stream, rows, view)
    except Killed:
        stream = learner.resume(list(lines), tape(rng, keep))
        alike = told(stream, view) and feed(stream, rows[stream.steps :], view)
    assert alike, "what was shown before the end is shown otherwise"
    return view, [values for _, _, values in lines if values]


def survives(name: str, tape: type[Tape] = Tape, every: int = 1) -> bool:
    """Whether a run that is killed after any of its writes goes on as if it were not."""
    learner = LEARNERS[name]
    view, drawn = followed(learner, 3, 0, tape)
    kills = range(1, len(drawn), every)
    assert len(kills) > 5
    assert len(set(view.values())) > 1
    try:
        return all(followed(learner, 3, kill, tape) == (view, drawn) for kill in kills)
    except (AssertionError, ModelError):
        return False


@every_learner
def test_a_run_that_is_killed_after_any_write_goes_on(name: str) -> None:
    assert survives(name)


class Late(Tape):
    """A line is kept when the next one is due."""

    waiting: tuple[Any, ...] = ()

    def line(self, step: int, told: Callable[[], list[Any]]) -> None:
        drawn, self._drawn = self._drawn, []
        if self._again is None and self._keep is not None:
            last, self.waiting = self.waiting, (step, told(), drawn)
            if last:
                self._keep(list(last))


class SkipsOne(Tape):
    """The first value of a line is not given out again."""

    @contextmanager
    def again(self, drawn: list[Any]) -> Iterator[None]:
        with super().again(drawn[1:]):
            yield


class DrawsAgain(Tape):
    """The values of a line are drawn anew."""

    def draw(self, draw: Any, allowed: Any) -> Any:
        if self._again is None:
            return super().draw(draw, allowed)
        super().draw(draw, allowed)
        return draw(self._rng)


class GivesTwice(Tape):
    """After the lines, the last value of them is given out once more."""

    last: Any = None

    def draw(self, draw: Any, allowed: Any) -> Any:
        if self._again is None and self.last is not None and allowed(self.last):
            value, self.last = self.last, None
            self._drawn.append(value)
            return value
        found = super().draw(draw, allowed)
        if self._again is not None:
            self.last = found
        return found


@every_learner
@pytest.mark.parametrize("plant", [Late, SkipsOne, DrawsAgain, GivesTwice])
def test_a_tape_that_forgets_is_caught(plant: type[Tape], name: str) -> None:
    assert not survives(name, plant)


# The exact law, also where what was drawn is lost before it is kept.


MECHANISM = Short(
    skip_epsilon=Fraction(1), test_epsilon=Fraction(1), delta=Fraction(1, 2), horizon=4
)
ROWS = ((1, 1), (2, 1), (1, 1), (2, 0))


def law(
    monkeypatch: pytest.MonkeyPatch,
    kill: int = 0,
    *,
    before: bool = False,
    stream: type[KeyStream] = KeyStream,
) -> dict[Any, Fraction]:
    """Of all that is published; the process ends before or after that write, if there are so many."""
    script, naming = Script(), LEARNERS["points"].naming  # type: ignore[attr-defined]
    script.take_over(monkeypatch)

    def run() -> Any:
        lines, writes, view = list[Any](), 0, View()

        def keep(line: list[Any]) -> None:
            nonlocal writes
            writes += 1
            if before and writes == kill:
                raise Killed
            lines.append(line)
            if writes == kill:
                raise Killed

        def begun() -> KeyStream:
            made = stream(naming, MECHANISM, Tape(script.generator(), keep))
            made.begin_from(list(lines))
            return made

        try:
            alike = feed(begun(), list(ROWS), view)
        except Killed:
            again = begun()
            alike = told(again, view) and feed(again, list(ROWS[again.steps :]), view)
        return alike, tuple(view.get(t) for t in range(1, len(ROWS) + 1))

    return {seen: p for seen, p in script.explore(run).items() if p}


@pytest.mark.deep
@pytest.mark.parametrize("before", [True, False])
def test_a_run_that_is_killed_has_the_law_of_the_whole(
    before: bool, monkeypatch: pytest.MonkeyPatch
) -> None:
    whole = law(monkeypatch)
    assert sum(whole.values()) == 1
    assert len(whole) > 4
    for kill in range(1, 9):
        assert law(monkeypatch, kill, before=before) == whole


class ShowsAtOnce(KeyStream):
    """A set is shown before the file has the step of its publication."""

    def _publish(self, h: Any) -> None:
        super()._publish(h)
        self._show()


class NotesLater(KeyStream):
    """A publication is shown, and its step is written down with the next tenth step."""

    def _checkpoint(self) -> None:
        if self._steps % 10 == 0:
            super()._checkpoint()


def shows_before_it_is_kept(kind: type[KeyStream]) -> bool:
    """Whether the hypothesis ever changes at a step whose lines the disk does not take."""
    learner: Any = LEARNERS["points"]
    for fail in range(1, 60):
        writes, lines = 0, list[Any]()

        def keep(line: list[Any], fail: int = fail, lines: list[Any] = lines) -> None:
            nonlocal writes
            writes += 1
            if writes == fail:
                raise OutputError("keep a run", found="full", fix="free")
            lines.append(line)

        stream = kind(learner.naming, learner.mechanism, Tape(seeded_generator(3), keep))
        stream.begin_from()
        shown = stream.hypothesis, stream.published_at
        for x, y in records(learner, 3):
            try:
                stream.update(x, y)
            except OutputError:
                if (stream.hypothesis, stream.published_at) != shown:
                    return True
                with pytest.raises(OutputError, match="earlier line"):
                    stream.update(x, y)
                break
            now = stream.hypothesis, stream.published_at
            if now != shown and [stream.published_at, [], []] not in lines:
                return True
            shown = now
    return False


def test_nothing_is_shown_before_it_is_kept() -> None:
    assert not shows_before_it_is_kept(KeyStream)


@pytest.mark.parametrize("plant", [ShowsAtOnce, NotesLater])
def test_what_is_shown_too_early_is_caught(plant: type[KeyStream]) -> None:
    assert shows_before_it_is_kept(plant)


class Interrupted(random.Random):
    """A generator in whose draws Ctrl+C is pressed while it is ``pressed``."""

    pressed = False

    def getrandbits(self, k: int, /) -> int:
        if self.pressed:
            raise KeyboardInterrupt
        return super().getrandbits(k)


def test_an_update_that_was_interrupted_ends_the_run() -> None:
    """Its file lacks what it drew, or nothing counts it."""
    learner: Any = LEARNERS["points"]
    for keep in (None, list[Any]().append):
        rng = Interrupted(1)
        stream = learner.resume([], Tape(rng, keep))
        rng.pressed = True
        with pytest.raises(KeyboardInterrupt):
            stream.update(1, 1)
        rng.pressed = False
        with pytest.raises(OutputError, match="interrupted"):
            stream.update(1, 1)


@every_learner
def test_a_run_has_no_copy_and_stays_in_its_process(name: str) -> None:
    """Two that go on from one state would draw twice."""
    learner, state = LEARNERS[name], seeded_generator(1)
    stream: Any = learner.resume([], Tape(state))
    rows, drawn = records(learner, 1), state.getstate()
    for copied in (copy.copy, copy.deepcopy, pickle.dumps):
        with pytest.raises(DeclarationError, match="copy a run"):
            copied(stream)
    child = os.fork()
    if not child:
        status = 1
        try:
            feed(stream, rows, {})
        except OutputError as error:
            status = 0 if "process" in error.found and state.getstate() == drawn else 2
        finally:
            os._exit(status)
    assert os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]) == 0
    feed(stream, rows, {})


@pytest.mark.parametrize("kind", [*map(type, LEARNERS.values())])
def test_a_class_of_several_labels_is_refused(kind: type[Any]) -> None:
    """A stream has two: the label 2 of a record would be read as another."""
    H = FiniteClass.from_array([[0, 1], [2, 1]], labels=3)
    with pytest.raises(DeclarationError, match="it has 3 labels"):
        kind(H, **BOLD)


def damaged(lines: list[Any]) -> Iterator[list[Any]]:
    """Copies of the lines of a run, each with a step or a number that no run writes."""
    for i, (step, records, drawn) in enumerate(lines):
        for j, (at, x, y, times) in enumerate(records):
            for wrong in ([step + 1, x, y, times], [0, x, y, times], [at, x, 2, times],
                          [at, x, y, 0], [at, x, y, -1]):  # fmt: skip
                changed = [*records[:j], wrong, *records[j + 1 :]]
                yield [*lines[:i], [step, changed, drawn], *lines[i + 1 :]]
        if i and step > 0:
            yield [*lines[: i + 1], [step - 1, records, drawn]]


@every_learner
def test_a_line_that_no_run_writes_is_refused(name: str) -> None:
    learner, lines = LEARNERS[name], list[Any]()
    stream = learner.resume([], Tape(seeded_generator(3), lines.append))
    feed(stream, records(learner, 3), View())
    found = list(damaged(json.loads(json.dumps(lines))[:6]))
    assert found
    for wrong in found:
        with pytest.raises(ModelError):
            learner.resume(wrong, Tape(seeded_generator(3)))
