"""Batches are kept as a whole, and a record that is delivered again is not taken again."""

from __future__ import annotations

import json
import random
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from test_tape import LEARNERS, STEPS, records

from littlestone.base.errors import DeclarationError, ModelError, OutputError
from littlestone.classes import Subsets
from littlestone.learn.stream import KeyLearner, durable_run, private_stream
from littlestone.learn.stream.offsets import MOST_OFFSET, Offsets
from littlestone.learn.stream.private_stream import Record, TakeResult
from littlestone.learn.stream.state_file import state_file
from littlestone.points import Integers, truth
from littlestone.privacy import Budget
from littlestone.privacy.ledger import Ledger
from littlestone.privacy.randomness import seeded_generator
from littlestone.privacy.tape import Tape

HORIZON = 3000
LEARNER = KeyLearner(Subsets(Integers(), 2), Budget(1, "1e-6"), horizon=HORIZON)


@pytest.fixture
def ledger() -> Iterator[Ledger]:
    with Ledger() as book:
        yield book


def run(ledger: Ledger, state: Path | None, seed: int = 1, **changed: Any) -> Any:
    goal: dict[str, Any] = {"dataset": "d", "label": "y", "batches": True, "offsets": "'o'"}
    rng = seeded_generator(seed)
    return durable_run(LEARNER, ledger=ledger, state=state, rng=rng, **goal | changed)


def kept(state: Path) -> list[Any]:
    """The batches of a state."""
    _, _, *lines = state.read_text().splitlines()
    return [json.loads(line.rpartition(" ")[0]) for line in lines]


@pytest.mark.parametrize("name", LEARNERS)
def test_a_batch_is_its_records_one_after_another(name: str) -> None:
    """Also if it resumes after each batch, and whatever its size."""
    learner: Any = LEARNERS[name]
    rows, drawn, shown = records(learner, 3), list[Any](), list[Any]()
    single = learner.resume([], Tape(seeded_generator(3), drawn.append))
    for x, y in rows:
        before = single.hypothesis
        single.update(x, y)
        if single.hypothesis is not before:
            shown.append((single.published_at, single.hypothesis))
    drawn = [values for _, _, values in drawn if values]
    for size in (1, 7, STEPS + 9):
        rng, batches, published = seeded_generator(3), list[Any](), list[Any]()
        for begin in range(0, len(rows), size):
            lines = [line for batch in batches for line in batch["lines"]]
            stream = learner.resume(lines, Tape(rng, batches.append, together=True))
            assert stream.steps == min(begin, STEPS)
            published += stream.take(rows[begin : begin + size]).published
        assert published == shown
        lines = [line for batch in batches for line in batch["lines"]]
        assert [values for _, _, values in lines if values] == drawn


def go_singly(self: Any, rows: Any) -> TakeResult:
    """What `PrivateStream._go` is to do, one record after another."""
    taken, looks, due = TakeResult([], []), not self.is_over, self._due
    for record in rows:
        if self._steps == self._horizon:
            break
        self._steps = step = self._steps + 1
        if looks and record is not None:
            x, y = self._domain.canonical(record[0]), truth(record[1])
            if self._published(x) == y:
                self._right(x, y)
            else:
                self._mistaken(x, y)
                self._line(Record(step, x, y))
                due = self._due
        if due <= step:
            before, draws = self._published, self.secret_draws
            self._to(step)
            taken.drawn.extend([step] * (self.secret_draws - draws))
            if self._published is not before:
                taken.published.append((step, self._published))
            looks, due = not self.is_over, self._due
    return taken


@pytest.mark.parametrize("name", LEARNERS)
def test_blocks_are_records_one_by_one(name: str, monkeypatch: pytest.MonkeyPatch) -> None:
    """Whatever values are in a block, and however long it is: the same draws, rules and lines."""
    learner: Any = LEARNERS[name]
    rng, rows = random.Random(4), list[Any]()
    for x, y in records(learner, 3):
        odd = rng.choice([(x, y), (x, y), (x, str(y)), (str(x), bool(y)), (x, float(y)), None])
        rows.append(rng.choice([(x, y), (x, y), odd]))

    def play(sizes: int) -> tuple[Any, ...]:
        lines = list[Any]()
        stream = learner.resume([], Tape(seeded_generator(3), lines.append, together=True))
        taken = [stream.take(iter(rows[i : i + sizes])) for i in range(0, len(rows), sizes)]
        return lines, taken, stream.publications, stream.steps

    for size in (1, 9, len(rows)):
        with monkeypatch.context() as patched:
            patched.setattr(private_stream.PrivateStream, "_go", go_singly)
            singly = play(size)
        assert singly[2]
        for block in (1, 4, 50):
            monkeypatch.setattr(private_stream, "BLOCK", block)
            assert play(size) == singly


def test_draws_have_their_steps() -> None:
    learner: Any = LEARNERS["teachers"]
    stream = learner.resume([], Tape(seeded_generator(3)))
    taken = stream.take(records(learner, 3))
    assert {step for step, _ in taken.published} <= set(taken.drawn)
    assert len(taken.drawn) == stream.secret_draws > 1


def test_a_batch_that_is_not_kept_is_not_shown() -> None:
    def full(line: object) -> None:
        raise OutputError("keep a run", found="full", fix="free")

    stream = LEARNER.resume([], Tape(seeded_generator(3), full, together=True))
    with pytest.raises(OutputError, match="full"):
        stream.take([(1, 1)] * 300)
    assert (stream.hypothesis.words(), stream.published_at) == ("always 0", 0)
    with pytest.raises(OutputError, match="the last one was not taken to its end"):
        stream.take([(1, 1)])


def test_nothing_is_taken_beside_the_batches(ledger: Ledger, tmp_path: Path) -> None:
    with run(ledger, tmp_path / "run.state") as begun:
        for call in (lambda: begun.stream.update(1, 1), begun.stream.skip):
            with pytest.raises(DeclarationError, match="kept in batches"):
                call()
        for places in (None, [], [("0", 1), ("0", 2)]):
            with pytest.raises(DeclarationError, match="not one place for each record"):
                begun.take([(1, 1)], places)
        assert begun.stream.steps == 0
    with run(ledger, None, offsets=None) as begun:
        with pytest.raises(DeclarationError, match="does not keep"):
            begun.take([(1, 1)], [("0", 1)])
        assert begun.take([(1, 1)]).new == [True]


def test_offsets_without_batches_are_refused_before_the_spend(ledger: Ledger) -> None:
    with pytest.raises(DeclarationError, match="one by one"):
        run(ledger, None, batches=False).__enter__()
    assert ledger.entries("d") == []


def test_what_was_taken_is_not_taken_again(ledger: Ledger, tmp_path: Path) -> None:
    """Whatever is delivered again, by this process or to the next one."""
    state, rng = tmp_path / "run.state", random.Random(5)
    rows = [((str(t % 3), t // 3), (1000 + t, 1)) for t in range(300)]
    begin = taken = 0
    for seed in range(4):
        with run(ledger, state, seed) as begun:
            assert begun.stream.steps == taken
            for _ in range(9):
                begin = rng.randrange(max(1, taken - 20), taken + 1) if taken else 0
                batch = rows[begin : begin + rng.randrange(40)]
                new = begun.take([r for _, r in batch], [p for p, _ in batch]).new
                assert new == [begin + i >= taken for i in range(len(batch))]
                taken += sum(new)
    assert taken > 150
    mistaken = [x for batch in kept(state) for _, told, _ in batch["lines"] for _, x, *_ in told]
    assert sorted(mistaken) == [1000 + t for t in range(taken)]
    assert len(ledger.entries("d")) == 1


def test_another_source_is_refused(ledger: Ledger, tmp_path: Path) -> None:
    """Its offsets would say nothing of what was taken."""
    state = tmp_path / "run.state"
    with run(ledger, state):
        pass
    for changed in ({"offsets": "'p'"}, {"offsets": None}, {"offsets": None, "batches": False}):
        with pytest.raises(ModelError, match="another way to take records"):
            run(ledger, state, **changed).__enter__()


@pytest.mark.parametrize(
    "line",
    [
        [0, [], []],
        {"offsets": {}},
        {"offsets": {"0": "1"}, "lines": []},
        {"offsets": [], "lines": []},
        {"offsets": {}, "lines": [[5, [], [5]]]},
    ],
    ids=str,
)
def test_a_batch_that_no_run_wrote_is_refused(line: Any, ledger: Ledger, tmp_path: Path) -> None:
    state = tmp_path / "run.state"
    with run(ledger, state):
        pass
    with state_file(state) as file:
        file.read()
        file.append(line)
    with pytest.raises(ModelError):
        run(ledger, state).__enter__()


def test_what_is_new_is_decided_by_offsets_alone() -> None:
    """No record is taken twice, and none is left out unless a higher offset came before."""
    rng, offsets, highest = random.Random(2), Offsets(), dict[str, int]()
    for _ in range(2000):
        partition, offset = rng.choice("ab"), rng.randrange(300)
        assert offsets.is_new(partition, str(offset)) == (offset > highest.get(partition, -1))
        highest[partition] = max(offset, highest.get(partition, -1))
    assert offsets.take_changes() == highest
    assert offsets.take_changes() == {}


def test_bad_offsets_are_never_new() -> None:
    bad = ["", " ", "-1", "+1", "1.5", "1e3", "0x1", "\u0661", "1_0", "nan", None, float("nan"), 1.5,
           True, [1], MOST_OFFSET + 1, str(MOST_OFFSET + 1), "9" * 5000, 10**5000]  # fmt: skip
    offsets = Offsets()
    assert not any(offsets.is_new("0", offset) for offset in bad)
    assert (offsets.unusable, offsets.take_changes()) == (len(bad), {})


def test_the_largest_offset_ends_its_partition_alone() -> None:
    offsets = Offsets()
    assert offsets.is_new("0", MOST_OFFSET)
    assert not offsets.is_new("0", 7)
    assert offsets.is_new("1", 7)
    assert not offsets.is_new("", 8)
    assert not offsets.is_new(None, 9)
