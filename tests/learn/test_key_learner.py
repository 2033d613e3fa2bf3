"""The online learner of sets: private as a whole process, and few mistakes on every sequence."""

from __future__ import annotations

import random
from collections.abc import Iterator
from fractions import Fraction
from itertools import product
from typing import Any

import pytest

from littlestone.base.errors import BudgetExceededError, DeclarationError, EmptyClassError
from littlestone.classes import Points, Subsets, Thresholds
from littlestone.learn.stream import KeyLearner, keys
from littlestone.learn.stream.keys import KeyStream
from littlestone.points import Integers
from littlestone.privacy import Budget
from littlestone.privacy.cost import PrivacyCost
from littlestone.privacy.ledger import Ledger
from littlestone.privacy.randomness import seeded_generator
from littlestone.privacy.tape import Tape
from littlestone.prove.audit.claims import hockey_stick, neighbours
from littlestone.rules import FiniteSet
from one_epoch import Short
from scripted import Script

Record = tuple[int, int]
Published = tuple[Any, ...]
NAMING = keys.PointNaming(Subsets(Integers(), 2))


SHORT = Short(skip_epsilon=Fraction(1), test_epsilon=Fraction(1), delta=Fraction(1, 2), horizon=3)


class OfSets(KeyStream):
    @property
    def _set(self) -> FiniteSet:
        assert isinstance(self._published, FiniteSet)
        return self._published


class Told(OfSets):
    """The published set tells how many records of it are waiting."""

    def _show(self) -> None:
        waiting = frozenset([*self._set.members, -len(self._keys._epochs)])
        self._shown = FiniteSet(Integers(), waiting), self.steps


class AtOnce(OfSets):
    """A point that is often mistaken is published before its record counts."""

    def _mistaken(self, x: Any, y: int) -> None:
        if y:
            self._publish(FiniteSet(Integers(), self._set.members | {x}))


def private(monkeypatch: pytest.MonkeyPatch, stream: type[KeyStream] = KeyStream) -> bool:
    """Whether the sequence of published sets is private on all neighbouring streams of 3 records."""
    script = Script()
    script.take_over(monkeypatch)

    def law(records: tuple[Record, ...]) -> dict[Published, Fraction]:
        def run() -> Published:
            state = stream(NAMING, SHORT, Tape(random.Random(0)))
            published = []
            for x, y in records:
                state.update(x, y)
                published.append(state.hypothesis)
            return tuple(published)

        return script.explore(run)

    pairs = list(neighbours(list(product((0, 1), (0, 1))), 3))
    both = [*pairs, *((b, a) for a, b in pairs)]
    known = {records: law(records) for pair in pairs for records in pair}
    return all(hockey_stick(known[a], known[b], Fraction(3)) <= SHORT.delta for a, b in both)


def test_the_whole_process_is_private(monkeypatch: pytest.MonkeyPatch) -> None:
    assert private(monkeypatch)


@pytest.mark.deep
@pytest.mark.parametrize("plant", [Told, AtOnce])
def test_planted_bugs_are_caught(plant: type[KeyStream], monkeypatch: pytest.MonkeyPatch) -> None:
    assert not private(monkeypatch, plant)


def learner(d: int, horizon: int = 10_000) -> KeyLearner:
    return KeyLearner(Subsets(Integers(), d), Budget(1, "1e-6"), horizon=horizon)


def sequences(d: int, horizon: int, rng: random.Random) -> Iterator[list[Record]]:
    """At random, point by point, in bursts, and seldom."""
    rest = [(10 + rng.randrange(1000), 0) for _ in range(horizon)]
    every = [(t % d, 1) if t % 7 == 0 else (x, y) for t, (x, y) in enumerate(rest)]
    yield every
    yield sorted(every)
    yield [(a, 1) for a in range(d) for _ in range(horizon // d)]
    yield [(t // 50 % d, 1) if t % 50 == 0 else (x, y) for t, (x, y) in enumerate(rest)]


def mistakes(stream: KeyStream, records: list[Record]) -> int:
    found = 0
    for x, y in records:
        found += stream.predict(x) != y
        stream.update(x, y)
    return found


def test_mistakes_stay_below_the_bound() -> None:
    for d in (1, 2, 4):
        made = learner(d)
        bound, rng = made.mistake_bound(0.001).mistakes, seeded_generator(d)  # type: ignore[union-attr]
        for records in sequences(d, made.horizon, rng):
            with Ledger() as ledger:
                stream = made.start(ledger=ledger, dataset="d", rng=rng)
            assert 0 < mistakes(stream, records) <= bound  # type: ignore[arg-type]


def test_the_bound_of_one_point_is_that_of_the_mechanism() -> None:
    made = KeyLearner(Points(Integers()), Budget(1, "1e-6"), horizon=1000)
    bound = made.mistake_bound(0.05)
    assert bound is not None
    assert bound.mistakes == made.mechanism.terms.sample_size(0.05)


def test_a_wrong_point_leaves_the_set_again() -> None:
    made, rng = learner(1), seeded_generator(3)
    with Ledger() as ledger:
        stream = made.start(ledger=ledger, dataset="d", rng=rng)
    for y in (1, 0):
        for _ in range(200):
            stream.update(5, y)
        assert stream.predict(5) == y
    assert 200 < stream.published_at < 300


def test_nothing_is_published_after_the_horizon() -> None:
    made = learner(1, horizon=10)
    with Ledger() as ledger:
        stream = made.start(ledger=ledger, dataset="d", rng=seeded_generator(1))
    for _ in range(500):
        stream.update(5, 1)
    assert (stream.published_at, stream.steps) == (0, 10)


def test_a_run_is_paid_for_once_before_it_begins() -> None:
    made = learner(2)
    with Ledger() as ledger:
        ledger.set_limit("d", PrivacyCost(Fraction(1), Fraction(1, 10**6)))
        stream = made.start(ledger=ledger, dataset="d", rng=seeded_generator(1))
        for _ in range(300):
            stream.update(5, 1)
        assert ledger.total("d") == made.cost()
        with pytest.raises(BudgetExceededError):
            made.start(ledger=ledger, dataset="d")


def test_what_is_refused() -> None:
    with pytest.raises(DeclarationError, match="not a class of finite sets"):
        KeyLearner(Thresholds.on(0, 9), Budget(1, "1e-6"), horizon=9)
    with pytest.raises(DeclarationError, match="horizon"):
        learner(1, horizon=0)
    with pytest.raises(EmptyClassError):  # before the spend
        KeyLearner(Points(Integers()).restrict(1, 1).restrict(1, 0), Budget(1, "1e-6"), horizon=9)


def test_many_points_have_a_bound_without_the_law_of_their_sum() -> None:
    """It once took a convolution for each of a billion points."""
    goal: dict[str, Any] = {"budget": Budget(1, "1e-6"), "horizon": 10**6}
    few = KeyLearner(Subsets(Integers(), 30), **goal)
    each = few.mechanism.terms.sample_size(0.05 / 30)
    found = few.mistake_bound(0.05)
    assert found is not None
    assert found.mistakes < 30 * each
    d = 10**6  # as many as there are records
    for most in (999_999_999, 10**400):
        many = KeyLearner(Subsets(Integers(), most), **goal)
        found = many.mistake_bound(0.05)
        assert found is not None
        assert found.mistakes == d * many.mechanism.terms.sample_size(0.05 / d)
        assert many.measured_mistakes() == round(d * many.mechanism.terms.expected_records)
