"""The online learner of teachers: private as a whole process, and right in the end."""

from __future__ import annotations

import random
from collections.abc import Iterable
from copy import copy
from fractions import Fraction
from itertools import product
from pathlib import Path
from typing import Any, ClassVar

import pytest

from littlestone.audit.neighbours import neighbours
from littlestone.classes import Subsets, Thresholds, parse_class
from littlestone.domains import Integers
from littlestone.errors import DeclarationError, ModelError
from littlestone.hypotheses import FiniteSet, Hypothesis
from littlestone.learners.online import TeacherLearner, choose_online_learner, durable_run, teachers
from littlestone.learners.online.teachers import Mistake, TeacherStream
from littlestone.privacy.cost import PrivacyCost
from littlestone.privacy.divergence import hockey_stick
from littlestone.privacy.ledger import Ledger
from littlestone.privacy.mechanisms.one_sided_threshold import Epoch, OneSidedThreshold
from littlestone.privacy.mechanisms.sparse_sampling import SparseSampling
from littlestone.privacy.randomness import seeded_generator

Record = tuple[int, int]
Law = dict[Any, Fraction]
H = Subsets(Integers(), 1)


class Counter(OneSidedThreshold):
    """With r = 2."""

    shrink = Fraction(1, 2)


class Sampling(SparseSampling[Any]):
    """With r = 2."""

    base = Fraction(2)


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


class KnownForms:
    """Hypotheses by their forms, each read once."""

    known: ClassVar[dict[str, Any]] = {}

    @classmethod
    def from_json(cls, form: dict[str, Any]) -> Any:
        if str(form) not in cls.known:
            cls.known[str(form)] = Hypothesis.from_json(form)
        return cls.known[str(form)]


class Process:
    """The law of all that is seen, by the stream's own code between the draws."""

    stream = TeacherStream

    def law(self, learner: Tiny, records: tuple[Record, ...]) -> Law:
        total: Law = {}
        ways = list(product(range(2), repeat=len(records)))
        for given in ways:
            state = self.stream(learner, random.Random(0), None)
            for seen, p in self.after(state, records, given).items():
                total[seen] = total.get(seen, Fraction(0)) + p / len(ways)
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
    with pytest.MonkeyPatch.context() as patch:  # reading a hypothesis takes most of the time
        patch.setattr(teachers, "Hypothesis", KnownForms)
        known = {records: process.law(learner, records) for pair in pairs for records in pair}
    assert all(sum(law.values()) == 1 for law in known.values())
    delta = learner.sampling.delta0 * draws
    both = [*pairs, *((b, a) for a, b in pairs)]
    ratio = Fraction(2 ** (1 + 2 * draws))
    return max(hockey_stick(known[a], known[b], ratio) for a, b in both) - delta


@pytest.mark.parametrize("draws", [1, 2])
def test_the_whole_process_is_private(draws: int) -> None:
    assert excess(Process(), draws) <= 0


@pytest.mark.parametrize("plant", [OnlyAtMistakes, Remembers])
def test_planted_bugs_are_caught(plant: type[Process]) -> None:
    assert excess(plant(), 1) > 0


def moved(process: Process) -> int:
    """The most teachers whose records differ between neighbouring buffers of four mistakes."""
    pairs = neighbours([(0, 1), (1, 1), (0, 0)], 4)

    def parts(rows: tuple[Record, ...], given: tuple[int, ...]) -> list[list[Record]]:
        found: list[list[Record]] = [[], []]
        for t, row in enumerate(rows):
            if row[1]:  # of the empty set, a mistake
                found[process.teacher(given, t, row, sum(map(len, found)))].append(row)
        return found

    return max(
        sum(x != y for x, y in zip(parts(a, given), parts(b, given), strict=True))
        for a, b in pairs
        for given in product(range(2), repeat=4)
    )


def test_a_record_is_the_affair_of_one_teacher() -> None:
    assert moved(Process()) == 1


@pytest.mark.parametrize("plant", [EqualSplit, SeesTheRecord])
def test_planted_assignments_are_caught(plant: type[Process]) -> None:
    assert moved(plant()) == 2


def learner(d: int, horizon: int = 3000, **sizes: int) -> TeacherLearner:
    return TeacherLearner(Subsets(Integers(), d), epsilon=1, delta="1e-6", horizon=horizon, **sizes)


def records(d: int, horizon: int) -> list[Record]:
    return [(t // 3 % d, 1) if t % 3 == 0 else (100 + t, 0) for t in range(horizon)]


def test_points_are_learned_and_the_run_is_paid_for_once() -> None:
    made = learner(2)
    with Ledger() as ledger:
        stream = made.start(ledger=ledger, dataset="d", rng=seeded_generator(1))
        for x, y in records(2, 3000):
            stream.update(x, y)
        assert stream.hypothesis.words() == "x is one of 0, 1"
        assert len(ledger.entries("d")) == 1
        assert ledger.total("d") == made.cost()


def test_a_run_goes_on_where_its_draws_left_it(tmp_path: Path) -> None:
    made, state, rows = learner(1), tmp_path / "run.state", records(1, 1500)

    def follow(ledger: Ledger, path: Path, seed: int, stop: int) -> tuple[Any, int, str]:
        rng = seeded_generator(seed)
        with durable_run(
            made, ledger=ledger, dataset=path.name, label="y", state=path, rng=rng
        ) as run:
            begin = run.stream.steps
            for x, y in rows[begin:stop]:
                run.stream.update(x, y)
            stream: Any = run.stream
            return (stream._epoch, stream._mistakes), begin, stream.hypothesis.words()

    with Ledger() as ledger:
        for stop in (1, 100, 150, 900):
            first = follow(ledger, state, 1, stop)
            kept = state.read_bytes()
            again = follow(ledger, state, 2, stop)
            assert again[0] == first[0]
            assert again[2] == first[2]
            assert state.read_bytes() == kept
        assert first[2] == "x is 0"
        assert len(ledger.entries("run.state")) == 1


def test_a_draw_that_was_due_is_made_when_the_run_goes_on() -> None:
    made = learner(1)
    stream = made.resume([["begin", 0, 1]], seeded_generator(1), None)
    assert (stream.steps, stream.draws) == (0, 0)
    entries = [["begin", 0, None], ["mistake", 7, 5, 1, 3, 7]]
    stream = made.resume(entries, seeded_generator(1), None)
    assert (stream.steps, stream.draws, stream.hypothesis.words()) == (7, 1, "always 0")


@pytest.mark.parametrize(
    "entry",
    [
        ["begin", 0, 5],
        ["mistake", 0, 5, 1, 3, None],
        ["mistake", 2, "a", 1, 3, None],
        ["mistake", 2, 5, 2, 3, None],
        ["mistake", 2, 5, 1, 10**6, None],
        ["mistake", 2, 5, 1, 3, 1],
        ["draw", 2, None, -1, None],
        [3, 5, 0, 1, None],
    ],
    ids=str,
)
def test_entries_of_other_runs_are_refused(entry: list[Any]) -> None:
    with pytest.raises(ModelError, match="none of this learner's"):
        learner(1).resume(
            [["begin", 0, 5], ["mistake", 1, 4, 1, 0, 9], entry], random.Random(0), None
        )


def test_nothing_happens_after_the_horizon() -> None:
    made = learner(1, horizon=10)
    with Ledger() as ledger:
        stream = made.start(ledger=ledger, dataset="d", rng=seeded_generator(1))
    for _ in range(500):
        stream.update(5, 1)
    assert (stream.published_at, stream.steps) == (0, 10)


def test_every_kind_of_class_is_learned_from_any_records() -> None:
    """Nothing raises because of data, whatever the class; labels at random, draws often."""
    for text in ("thresholds(x, 0..9)", "rules(a, b; at most 2)", "affine(x, y; q 3, dimension 1)"):
        made = TeacherLearner(
            parse_class(text),
            epsilon=3,
            delta="0.1",
            horizon=150,
            threshold=8,
            teachers=5,
            most=200,
        )
        rng = seeded_generator(4)
        with Ledger() as ledger:
            stream = made.start(ledger=ledger, dataset="d", rng=rng)
        for _ in range(150):
            stream.update(made.hypotheses.domain.random_point(rng), rng.randrange(2))
        assert stream.steps == 150


def test_records_take_part_in_as_many_draws_as_were_paid_for() -> None:
    made = learner(1, draws=3)
    assert made.event.uses() == [(made.counter, 1), (made.sampling, 3)]
    assert made.cost().within(PrivacyCost(Fraction(1), Fraction(1, 10**6)))
    stream = made.resume(
        [["begin", 0, None], ["mistake", 1, 4, 1, 0, None]], random.Random(0), None
    )
    for step in range(2, 5):
        assert [m.x for m in stream._mistakes] == [4]
        stream.restore(["draw", step, None, 0, None])
    assert stream._mistakes == []


def test_the_threshold_is_a_function_of_what_was_published() -> None:
    made = learner(1)
    base = made.counter.threshold
    stream = made.resume([["begin", 0, None], ["draw", 3, None, 0, None]], random.Random(0), None)
    assert (made.threshold(0), stream._epoch.threshold) == (base, 2 * base)
    form = FiniteSet(Integers(), frozenset({4})).to_json()
    stream.restore(["draw", 9, form, 0, None])
    assert stream._epoch.threshold == base


def test_what_is_refused_and_chosen() -> None:
    for wrong in ({"draws": 0}, {"teachers": 0}, {"list_size": 0}, {"threshold": 0}, {"most": 0}):
        with pytest.raises(DeclarationError, match=next(iter(wrong))):
            learner(1, **wrong)
    with pytest.raises(DeclarationError, match="delta"):
        TeacherLearner(H, epsilon=1, delta=0, horizon=5)
    goal: dict[str, Any] = {"epsilon": 1, "delta": "1e-6", "horizon": 50}
    assert choose_online_learner(Thresholds.on(0, 9), **goal).method == "experts"
    assert choose_online_learner(H, **goal).method == "keys"
    assert learner(1).mistake_bound(0.05) is None
    with Ledger() as ledger:
        stream = learner(1).start(ledger=ledger, dataset="d")
        for record in ((1, 2), ("a", 1)):
            with pytest.raises(DeclarationError):
                stream.update(*record)
