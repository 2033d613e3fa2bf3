"""The online learner of teachers: private as a whole process, and right in the end."""

from __future__ import annotations

import random
from collections.abc import Iterable
from fractions import Fraction
from itertools import product
from pathlib import Path
from typing import Any, ClassVar

import pytest

from littlestone.base.errors import DeclarationError, ModelError
from littlestone.classes import Subsets, Thresholds, parse_class
from littlestone.learn.stream import TeacherLearner, choose_online_learner, durable_run, teachers
from littlestone.learn.stream.teachers import KEPT, Examples, HeldRecord, Holdings
from littlestone.points import Integers
from littlestone.privacy import Budget
from littlestone.privacy.cost import PrivacyCost
from littlestone.privacy.ledger import Ledger
from littlestone.privacy.mechanisms.selection_from_lists import SparseSampling
from littlestone.privacy.mechanisms.threshold_tests import OneSidedThreshold
from littlestone.privacy.randomness import seeded_generator
from littlestone.privacy.tape import Tape
from littlestone.prove.audit.claims import hockey_stick, neighbours
from littlestone.prove.audit.subjects.online import of_teachers
from littlestone.rules import FiniteSet, Hypothesis

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
        super().__init__(H, Budget(2, "0.1"), horizon=3, draws=draws, teachers=2)
        self.counter = Counter(epsilon=Fraction(1), threshold=1, horizon=3)
        self.sampling = Sampling(Budget(1, Fraction(1, 10)), 1)
        self.known: dict[Any, Any] = {}

    def lists(self, parts: Iterable[tuple[Examples, Examples]], published: Any) -> Any:
        asked = tuple(parts), published
        if asked not in self.known:
            self.known[asked] = super().lists(*asked)
        return self.known[asked]


class KnownForms:
    """Hypotheses by their forms, each read once."""

    known: ClassVar[dict[str, Any]] = {}

    @classmethod
    def from_json(cls, form: dict[str, Any]) -> Any:
        if str(form) not in cls.known:
            cls.known[str(form)] = Hypothesis.from_json(form)
        return cls.known[str(form)]


def excess(learner: Tiny, key: int, steps: int = 3) -> Fraction:
    """By how much the claim of ln 2 + 2 D ln 2 and D delta0 is exceeded, over all neighbours."""
    pairs = list(neighbours([(0, 0), (0, 1), (1, 1)], steps))
    begin = [0, [], [key, 0, learner.horizon + 1]]

    def law(records: tuple[Record, ...]) -> Law:
        return of_teachers(learner.resume([begin], Tape(random.Random(0))), records)

    with pytest.MonkeyPatch.context() as patch:  # reading a hypothesis takes most of the time
        patch.setattr(teachers, "Hypothesis", KnownForms)
        known = {records: law(records) for pair in pairs for records in pair}
    assert all(sum(law.values()) == 1 for law in known.values())
    delta = learner.sampling.delta0 * learner.draws
    both = [*pairs, *((b, a) for a, b in pairs)]
    ratio = Fraction(2 ** (1 + 2 * learner.draws))
    return max(hockey_stick(known[a], known[b], ratio) for a, b in both) - delta


@pytest.mark.parametrize(("draws", "key"), [(1, 0), (1, 1), (2, 1)])
def test_the_whole_process_is_private_however_steps_are_dealt(draws: int, key: int) -> None:
    assert excess(Tiny(draws), key) <= 0


class KeptByAll(Holdings):
    """Planted bug: so many records are kept in all, so that one of a teacher drives out another's."""

    def take(self, held: HeldRecord, *, wrong: bool) -> None:
        super().take(held, wrong=wrong)
        kept = [part for part in self._teachers.values() if part.right]
        if sum(len(part.right) for part in kept) > 1:
            del kept[0].right[next(iter(kept[0].right))]


def holdings(
    key: int, rows: Iterable[tuple[Record, bool]], kind: type[Holdings] = Holdings
) -> dict[int, Any]:
    held = kind(3, key)
    for step, ((x, y), wrong) in enumerate(rows, start=1):
        held.take(HeldRecord(step, x, y, 0), wrong=wrong)
    return {i: (part.wrong, part.right) for i, part in held._teachers.items()}


def concerned(kind: type[Holdings]) -> int:
    """The most teachers whose holdings one replaced record changes."""
    kinds = list(product([(0, 1), (1, 1)], (True, False)))
    most = 0
    for key in range(4):
        for one, other in neighbours(kinds, 4):
            a, b = holdings(key, one, kind), holdings(key, other, kind)
            most = max(most, sum(a.get(i) != b.get(i) for i in range(3)))
    return most


@pytest.mark.parametrize("kept", [1, KEPT])
def test_a_record_is_the_affair_of_one_teacher_mistaken_or_not(
    kept: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Also where records are dropped because there are too many."""
    monkeypatch.setattr("littlestone.learn.stream.teachers.KEPT", kept)
    assert concerned(Holdings) == 1


def test_a_limit_that_teachers_share_is_caught() -> None:
    assert concerned(KeptByAll) > 1


def test_each_teacher_has_one_of_as_many_steps() -> None:
    held = Holdings(5, 3)
    for block in range(20):
        assert {held.teacher(5 * block + i) for i in range(1, 6)} == set(range(5))


def test_the_last_different_right_records_are_kept(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("littlestone.learn.stream.teachers.KEPT", 3)
    held = Holdings(1, 0)
    held.take(HeldRecord(1, "m", 1, 0), wrong=True)
    for step, x in enumerate("abcab", start=2):
        held.take(HeldRecord(step, x, 0, step // 4), wrong=False)
    assert held.parts() == [((("m", 1),), (("c", 0), ("a", 0), ("b", 0)))]
    held.take(HeldRecord(7, "d", 0, 1), wrong=False)
    assert held.parts()[0][1] == (("a", 0), ("b", 0), ("d", 0))
    assert [h.step for h in held.right_since(5)] == [6, 7]
    held.forget(1)
    assert held.parts() == []


def test_records_that_were_right_tell_of_the_other_side() -> None:
    H = Thresholds.on(0, 99)
    made = TeacherLearner(H, Budget(1, "1e-6"), horizon=99)
    (listed,) = made.lists([(((30, 1),), ((20, 0),))], H.soa())
    assert {h.words() for h in listed} == {f"x >= {t}" for t in range(21, 31)}
    (listed,) = made.lists([(((30, 1),), ((40, 0),))], H.soa())  # no threshold agrees with both
    assert listed
    assert all(h(30) for h in listed)


def learner(d: int, horizon: int = 3000, **sizes: int) -> TeacherLearner:
    return TeacherLearner(Subsets(Integers(), d), Budget(1, "1e-6"), horizon=horizon, **sizes)


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
    made, state, rows = learner(1), tmp_path / "run.state", records(1, 2500)

    def follow(ledger: Ledger, path: Path, seed: int, stop: int) -> tuple[Any, int, str]:
        rng = seeded_generator(seed)
        with durable_run(
            made, ledger=ledger, dataset=path.name, label="y", state=path, rng=rng
        ) as run:
            begin = run.stream.steps
            for x, y in rows[begin:stop]:
                run.stream.update(x, y)
            stream: Any = run.stream
            return (stream._epoch, stream._holdings._teachers), begin, stream.hypothesis.words()

    with Ledger() as ledger:
        for stop in (1, 100, 150, 900, 1002, 2100):
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
    stream = made.resume([[0, [], [5, 0, 1]]], Tape(seeded_generator(1)))
    assert (stream.steps, stream.secret_draws) == (0, 0)
    lines = [[0, [], [5, 0, 3001]], [7, [[7, 5, 1, 1]], [7]]]
    stream = made.resume(lines, Tape(seeded_generator(1)))
    assert (stream.steps, stream.secret_draws, stream.hypothesis.words()) == (7, 1, "always 0")


@pytest.mark.parametrize(
    "line",
    [
        [0, [], [5, 0, 5]],
        [0, [[0, 5, 1, 1]], [9]],
        [2, [[2, "a", 1, 1]], [9]],
        [2, [[2, 5, 2, 1]], [9]],
        [2, [[2, 5, None, 1]], [9]],
        [3, [[2, 3, 0, 1], [2, 5, 1, 1]], [9]],
        [2, [[3, 5, 1, 1]], [9]],
        [3, [[2, "a", 0, 1], [3, 5, 1, 1]], [9]],
        [2, [[2, 5, 1, 1]], [1]],
        [2, [[2, 5, 1, 1]], [None]],
        [2, [[2, 5, 1, 1]], []],
        [2, [[2, 5, 1, 1]], [9, 9]],
        [9, [], [None, -1, 10]],
        [9, [], ["x is 1", 0, 10]],
        [3, 5, 0, 1, None],
    ],
    ids=str,
)
def test_lines_of_other_runs_are_refused(line: list[Any]) -> None:
    with pytest.raises(ModelError, match="did not write that line"):
        learner(1).resume(
            [[0, [], [5, 0, 5]], [1, [[1, 4, 1, 1]], [9]], line], Tape(random.Random(0))
        )


def test_a_run_begins_once() -> None:
    begin = [0, [], [5, 0, 9]]
    for lines in ([begin, begin], [[1, [[1, 4, 1, 1]], [9]]]):
        with pytest.raises(ModelError, match="did not write that line"):
            learner(1).resume(lines, Tape(random.Random(0)))


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
            Budget(3, "0.1"),
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
    lines: list[Any] = [[0, [], [5, 0, 3001]], [1, [[1, 4, 1, 1]], [2]]]
    for step in range(2, 5):
        stream: Any = made.stream(Tape(random.Random(0)))
        stream._go_on = lambda: None
        stream.begin_from(lines)
        assert stream._holdings.parts() == [(((4, 1),), ())]
        lines.append([step, [], [None, 0, step + 1]])
    lines[-1:] = [[4, [], [None, 0, 3001]]]
    stream = made.resume(lines, Tape(random.Random(0)))
    assert stream._holdings.parts() == []


def test_the_threshold_is_a_function_of_what_was_published() -> None:
    made = learner(1)
    base = made.counter.threshold
    lines: list[Any] = [[0, [], [5, 0, 3]], [3, [], [None, 0, 9]]]
    stream: Any = made.resume(lines, Tape(random.Random(0)))
    assert (made.threshold(0), stream.threshold) == (base, 2 * base)
    form = FiniteSet(Integers(), frozenset({4})).to_json()
    stream = made.resume([*lines, [9, [], [form, 0, 3001]]], Tape(random.Random(0)))
    assert stream.threshold == base


def test_what_is_refused_and_chosen() -> None:
    for wrong in ({"draws": 0}, {"teachers": 0}, {"list_size": 0}, {"threshold": 0}, {"most": 0}):
        with pytest.raises(DeclarationError, match=next(iter(wrong))):
            learner(1, **wrong)
    with pytest.raises(DeclarationError, match="delta"):
        TeacherLearner(H, Budget(1), horizon=5)
    goal: dict[str, Any] = {"budget": Budget(1, "1e-6"), "horizon": 50}
    assert choose_online_learner(Thresholds.on(0, 9), **goal).method == "confirmed"
    assert choose_online_learner(H, **goal).method == "keys"
    assert learner(1).mistake_bound(0.05) is None
