"""Streams of units: whose records count, what does not count, and what a run costs."""

from __future__ import annotations

import random
from collections import Counter
from fractions import Fraction
from functools import cache, partial
from pathlib import Path
from typing import Any

import pytest
from test_tape import LEARNERS, STEPS, records

from littlestone.base.discovery import concrete
from littlestone.base.errors import DeclarationError, ModelError
from littlestone.classes import Subsets
from littlestone.learn.stream import (
    DurableStream,
    KeyLearner,
    PrivateOnlineLearner,
    PrivateStream,
    durable_run,
)
from littlestone.learn.stream.keys import KeyStream, naming_of
from littlestone.learn.stream.offsets import FirstRecords
from littlestone.points import Integers, text
from littlestone.points.units import Unit
from littlestone.privacy import Budget
from littlestone.privacy.accounting.groups import record_budget
from littlestone.privacy.ledger import Ledger
from littlestone.privacy.randomness import seeded_generator
from littlestone.privacy.tape import Tape
from littlestone.prove.audit.claims import hockey_stick
from littlestone.prove.audit.subjects.units import Steps, unit_neighbours
from one_epoch import RATIO, Short
from planting import Fault, turns_red
from scripted import Script

UNIT = Unit("door", 3)
LEARNER = KeyLearner(Subsets(Integers(), 2), record_budget(Budget(6, "1e-3"), UNIT), horizon=2000)


def run(ledger: Ledger, state: Path | None = None, **changed: Any) -> Any:
    goal: dict[str, Any] = {"dataset": "d", "label": "y", "batches": True, "unit": UNIT}
    return durable_run(
        LEARNER, ledger=ledger, state=state, rng=seeded_generator(1), **goal | changed
    )


def test_the_first_records_of_a_unit_count() -> None:
    """Whatever the others are; a unit is told by its text, and no value is one unit."""
    rng, first, seen = random.Random(4), FirstRecords(UNIT), Counter[str]()
    values = [7, 7.0, "7", None, float("nan"), "", "NaN", "ann", [1], b"\xff", "\ud83d", 10**5000]
    for _ in range(300):
        value = rng.choice(values)
        seen[text(value)] += 1
        assert first.counts(value) == (seen[text(value)] <= 3)
    assert set(first.take_changes().values()) == {3}
    assert (seen["7"], first.take_changes(), first.counts("new")) == (seen[text(7.0)], {}, True)


@pytest.mark.parametrize("name", LEARNERS)
def test_a_void_record_takes_a_step_and_nothing_else(name: str) -> None:
    """It is what a step is whose record is gone; also in a run that resumes after each batch."""
    learner: Any = LEARNERS[name]
    rng = random.Random(8)
    rows = [None if rng.random() < 0.4 else row for row in records(learner, 3)]
    single, shown = learner.resume([], Tape(seeded_generator(3))), list[Any]()
    for row in rows:
        before = single.hypothesis
        if row is None:
            single.skip_to(single.steps + 1)
        else:
            single.update(*row)
        if single.hypothesis is not before:
            shown.append((single.published_at, single.hypothesis))
    rng, batches, published = seeded_generator(3), list[Any](), list[Any]()
    for begin in range(0, len(rows), 7):
        lines = [line for batch in batches for line in batch["lines"]]
        stream = learner.resume(lines, Tape(rng, batches.append, together=True))
        assert stream.steps == min(begin, STEPS)
        published += stream.take(rows[begin : begin + 7]).published
    assert published == shown


def test_only_teachers_blocks_and_hedge_read_what_is_predicted_correctly() -> None:
    """For all others a void record is like one that is predicted correctly."""
    streams = {name: type(LEARNERS[name].stream(Tape(random.Random(0)))) for name in LEARNERS}
    reads = {name for name, kind in streams.items() if kind._right is not PrivateStream._right}
    assert reads == {"blocks", "hedge", "teachers"}
    learners = concrete(PrivateOnlineLearner, "littlestone.learn.stream")  # type: ignore[type-abstract]
    assert {type(LEARNERS[name]) for name in LEARNERS} == set(learners)


def test_what_is_taken_of_units_resumes(tmp_path: Path) -> None:
    """Cut anywhere, a run counts what it would have, and the ledger has one entry for units."""
    rows = [(f"door {t % 5}" if t % 3 else None, (t, 1)) for t in range(200)]
    whole, rng, state = FirstRecords(UNIT), random.Random(2), tmp_path / "run.state"
    expected = [x for whose, (x, _) in rows if whole.counts(whose)]
    with Ledger() as ledger:
        begin = 0
        while begin < len(rows):
            batch = rows[begin : begin + rng.randrange(1, 40)]
            with run(ledger, state) as begun:
                assert begun.stream.steps == begin
                begun.take([r for _, r in batch], units=[whose for whose, _ in batch])
            begin += len(batch)
        (entry,) = ledger.entries("d")
    assert len(expected) == 3 * 6
    told = [line for line in state.read_text().splitlines() if '"lines"' in line]
    assert sum(line.count(", 1, 1]") for line in told) == len(expected)
    assert str(entry.cost.neighboring) == "replace-one-unit: door"
    assert Fraction("5.99") < entry.cost.epsilon <= 6


def test_after_the_horizon_no_unit_is_remembered() -> None:
    with Ledger() as ledger, run(ledger) as begun:
        for begin in range(0, 4000, 500):
            units = [f"door {t}" for t in range(begin, begin + 500)]
            begun.take([(1, 1)] * 500, units=units)
        assert len(begun.units._numbers) == LEARNER.horizon


def test_a_budget_that_protects_no_unit_is_refused() -> None:
    with Ledger() as ledger:
        with pytest.raises(DeclarationError, match="which protects nothing"):
            run(ledger, unit=Unit("door", 30)).__enter__()
        assert ledger.entries("d") == []


def test_each_record_has_its_unit(tmp_path: Path) -> None:
    with Ledger() as ledger:
        with pytest.raises(DeclarationError, match="one by one"):
            run(ledger, batches=False).__enter__()
        assert ledger.entries("d") == []
        with run(ledger, tmp_path / "run.state") as begun:
            for units in (None, [], ["a", "b"]):
                with pytest.raises(DeclarationError, match="not one unit for each record"):
                    begun.take([(1, 1)], units=units)
        with (
            run(ledger, unit=None, dataset="e") as begun,
            pytest.raises(DeclarationError, match="does not keep"),
        ):
            begun.take([(1, 1)], units=["a"])
        for other in (None, Unit("door", 2), Unit("house", 3)):
            with pytest.raises(ModelError, match="another unit, or another maximum"):
                run(ledger, tmp_path / "run.state", unit=other).__enter__()


NAMING: Any = naming_of(Subsets(Integers(), 2))


def drawn(steps: int, most: int, data: Steps) -> dict[Any, Fraction]:
    """The exact law of all that a run shows, by its own code; no sampler goes beyond its steps."""
    script, unit = Script(), Unit("name", most)
    ones: dict[str, Any] = {"skip_epsilon": Fraction(1), "test_epsilon": Fraction(1)}
    mechanism = Short(**ones, delta=DELTA, horizon=steps)

    def run() -> tuple[str, ...]:
        stream: Any = KeyStream(NAMING, mechanism, Tape(script.generator(), together=True))
        stream.begin_from()
        of_units = DurableStream(stream, 1, False, None, FirstRecords(unit))
        shown = []
        for whose, x, y in data:
            of_units.take([(x, y)], units=[whose])
            shown.append(stream.hypothesis.words())
        return tuple(shown)

    with pytest.MonkeyPatch.context() as patch:
        script.take_over(patch)
        return script.explore(run)


DELTA = Fraction(3, 200)


@pytest.mark.parametrize(
    ("steps", "most"),
    [
        (2, 1),
        pytest.param(3, 2, marks=pytest.mark.deep),
    ],
)
def test_what_is_drawn_protects_units(steps: int, most: int) -> None:
    """On all streams of so many steps that differ in one unit; within 2% of delta for one record."""
    law = cache(partial(drawn, steps, most))
    delta = DELTA * sum(RATIO**i for i in range(most))
    pairs = [(one, other) for pair in unit_neighbours(steps) for one, other in (pair, pair[::-1])]
    worst = max(hockey_stick(law(one), law(other), RATIO**most) for one, other in pairs)
    assert Fraction(1, 2) * delta < worst <= delta
    assert most > 1 or worst > Fraction(98, 100) * delta


TAKE = "littlestone.learn.stream.run:DurableStream.take"
COUNTS = "littlestone.learn.stream.offsets:FirstRecords.counts"


@pytest.mark.deep
@pytest.mark.parametrize(
    "fault",
    [
        Fault(COUNTS, "before >= self._most", "before > self._most", "one record more counts"),
        Fault(COUNTS, "self._note(name, before + 1)", "pass", "no record is counted"),
        Fault(COUNTS, "name = text(value)", "name = text(value) or str(len(self._numbers))",
              "each record without a value is a unit of its own"),
        Fault(TAKE, "if self.units.counts(whose) else None", "if self.units.counts(whose) or "
              "record[1] else None", "positive records count always"),
    ],
    ids=lambda fault: fault.mistake,
)  # fmt: skip
def test_what_protects_no_units_is_seen(fault: Fault, monkeypatch: pytest.MonkeyPatch) -> None:
    turns_red(fault, test_what_is_drawn_protects_units, monkeypatch, 2, 1)


def test_a_void_record_that_takes_no_step_is_seen(monkeypatch: pytest.MonkeyPatch) -> None:
    fault = Fault(
        "littlestone.learn.stream.private_stream:PrivateStream._go",
        "while block := list(islice(left, min(BLOCK, self._horizon - self._steps))):",
        "while block := list(filter(None, islice(left, min(BLOCK, self._horizon - self._steps)))):",
        "a void record takes no step",
    )
    turns_red(fault, test_a_void_record_takes_a_step_and_nothing_else, monkeypatch, "points")
