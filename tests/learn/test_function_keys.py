"""The functions that mistakes name, in classes of dimension 1: runs, their tape, and few mistakes."""

from __future__ import annotations

import random
from fractions import Fraction
from pathlib import Path
from typing import Any

import pytest

from littlestone.base.errors import DeclarationError, ModelError
from littlestone.classes import FiniteClass, Points, Thresholds
from littlestone.learn.stream import (
    KeyLearner,
    choose_online_learner,
    durable_run,
)
from littlestone.learn.stream.keys import KeyStream
from littlestone.points import Integers
from littlestone.privacy import Budget
from littlestone.privacy.cost import PrivacyCost
from littlestone.privacy.ledger import Ledger
from littlestone.privacy.randomness import seeded_generator
from littlestone.privacy.tape import Tape

TINY = FiniteClass.from_array([[0, 0], [1, 0], [1, 1]], points=["a", "b"])


def run(made: Any, target: Any, seed: int) -> list[int]:
    rng, found = seeded_generator(seed), list[int]()
    points = list(made.hypotheses.domain)
    with Ledger() as ledger:
        stream = made.start(ledger=ledger, dataset="d", rng=rng)
        assert ledger.total("d") == made.cost()
    assert made.cost().within(PrivacyCost(Fraction(1), Fraction(1, 10**6)))
    for t in range(made.horizon):
        x = rng.choice(points)
        if stream.predict(x) != target(x):
            found.append(t)
        stream.update(x, target(x))
    return found


def test_a_run_goes_on_where_its_draws_left_it(tmp_path: Path) -> None:
    H = Thresholds.on(0, 1)
    made = KeyLearner(H, Budget(5, "1e-3"), horizon=2400)
    target: Any = H.hypothesis(0)
    state = tmp_path / "run.state"
    order = random.Random(7)
    rows = [(x, target(x)) for x in (order.choice(list(H.domain)) for _ in range(2400))]

    def follow(ledger: Ledger, seed: int, stop: int) -> Any:
        rng = seeded_generator(seed)
        with durable_run(
            made, ledger=ledger, dataset="d", label="y", state=state, rng=rng
        ) as begun:
            for x, y in rows[begun.stream.steps : stop]:
                begun.stream.update(x, y)
            return begun.stream.hypothesis.words(), begun.stream.published_at

    with Ledger() as ledger:
        for stop in (0, 1, 40, 300, 999, 1000, 1001, 2200):
            first, kept = follow(ledger, 1, stop), state.read_bytes()
            assert follow(ledger, 2, stop) == first
            assert state.read_bytes() == kept
        assert len(ledger.entries("d")) == 1


@pytest.mark.parametrize(
    "line",
    [
        [0, [], [0, 0, 9]],
        [0, [[0, "a", 1, 1]], [9]],
        [2, [[2, "c", 1, 1]], [9]],
        [2, [[2, "a", 1, -1]], [9]],
        [2, [[2, "a", 1]], [9]],
        [2, [[2, "a", 1, 1]], [1]],
        [2, [], [3, 0, 9]],
        [3, [{"kind": "none"}], [0, 9]],
    ],
    ids=str,
)
def test_lines_of_other_runs_are_refused(line: list[Any]) -> None:
    with pytest.raises(ModelError, match="did not write that line"):
        KeyLearner(Points(Integers()), Budget(1, "1e-6"), horizon=9).resume(
            [line], Tape(random.Random(0))
        )


def test_a_function_that_is_named_is_published_and_nothing_else() -> None:
    """The same selections, from any records, make the same publications."""
    H = Thresholds.on(0, 1)
    names = [H.hypothesis(i) for i in range(3)]
    made = KeyLearner(H, Budget(1, "1e-6"), horizon=9)

    class Told:
        due = 2

        def count(self, step: int, key: Any) -> None:
            pass

        def select(self) -> frozenset[Any]:
            self.due = 10
            return frozenset(names)

    seen = set()
    for rows in ([(0, 0), (0, 1)], [(1, 0), (1, 1)], [(1, 1), (0, 0)]):
        stream = KeyStream(made.naming, made.mechanism, Tape(random.Random(0)))
        stream._keys = Told()  # type: ignore[assignment]
        for x, y in rows:
            stream.update(x, y)
        seen.add((stream.hypothesis, stream.published_at))
    assert len(seen) == 1


def test_one_mistake_names_the_hypothesis_and_few_are_made() -> None:
    for H in (Thresholds.on(0, 1), TINY):
        made = KeyLearner(H, Budget(1, "1e-6"), horizon=2000)
        bound = made.mistake_bound(0.001)
        assert bound is not None
        for index in range(H.size or 0):
            assert len(run(made, H.hypothesis(index), index)) <= bound.mistakes
    rng = random.Random(2)
    for _ in range(40):  # every class of dimension 1: what agrees with a mistake is one function
        table = FiniteClass.from_array([[rng.randrange(2) for _ in range(4)] for _ in range(4)])
        if table.littlestone_dimension() == 1:
            for x in table.domain:
                left = table.restrict(x, 1 - table.soa()(x))
                assert left.is_empty() or left.is_single()


def test_what_is_refused_and_chosen() -> None:
    with pytest.raises(DeclarationError, match="Littlestone dimension is 3"):
        KeyLearner(Thresholds.on(0, 9), Budget(1, "1e-6"), horizon=9)
    with pytest.raises(DeclarationError):
        KeyLearner(Thresholds.on(0, 1), Budget(1, "1e-6"), horizon=0)
    goal: dict[str, Any] = {"budget": Budget(1, "1e-6"), "horizon": 200}
    assert choose_online_learner(Points(Integers()), **goal).method == "keys"
    assert choose_online_learner(Thresholds.on(0, 1), **goal).method == "confirmed"
