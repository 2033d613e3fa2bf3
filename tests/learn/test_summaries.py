"""A file of batches does not grow: what they come to takes their place, and the run goes on alike."""

from __future__ import annotations

import os
import random
from collections.abc import Iterator
from itertools import combinations, pairwise
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

import pytest
from test_tape import BOLD, STEPS, TABLE

from littlestone.base.errors import ModelError, OutputError
from littlestone.classes import FiniteClass, Intervals, Thresholds
from littlestone.learn.stream import (
    BlockLearner,
    ConfirmedLearner,
    HedgeLearner,
    TalliedLearner,
    durable_run,
    run,
)
from littlestone.learn.stream.blockwise import always_0
from littlestone.learn.stream.known_ends import Points as KnownPoints
from littlestone.learn.stream.state_file import state_file
from littlestone.points import Grid, Product
from littlestone.points.units import Unit
from littlestone.privacy import Budget
from littlestone.privacy.ledger import Ledger
from littlestone.privacy.randomness import seeded_generator
from littlestone.privacy.tape import Tape
from planting import Fault, turns_red

LEARNERS: dict[str, Any] = {
    "points": ConfirmedLearner(TABLE, **BOLD, doubt="0.9", warm=5),
    "cuts": ConfirmedLearner(Thresholds.on(0, 9), **BOLD, doubt="0.9", warm=5),
    "ends": ConfirmedLearner(Intervals.on(0, 1999), **BOLD, doubt="0.9", warm=5),
    "tallied": TalliedLearner(TABLE, **BOLD, threshold=2),
    "blocks": BlockLearner(TABLE, **BOLD, first=7),
    "hedge": HedgeLearner(TABLE, **BOLD | {"budget": Budget(2)}, block=7),
}
SHORT = 900


@pytest.fixture
def ledger() -> Iterator[Ledger]:
    with Ledger() as book:
        yield book


def rows_of(learner: Any) -> list[tuple[Any, int]]:
    rng = random.Random(7)
    points = learner.hypotheses.domain.examples(4)
    return [(rng.choice(points), rng.randrange(2)) for _ in range(STEPS)]


def opened(learner: Any, ledger: Ledger, state: Path, rng: random.Random) -> Any:
    asked: dict[str, Any] = {
        "dataset": "d",
        "label": "y",
        "offsets": "'o'",
        "unit": Unit("person", 16),
    }
    return durable_run(learner, ledger=ledger, state=state, rng=rng, batches=True, **asked)


def seen(learner: Any, state: Path, size: int = 6) -> tuple[list[Any], list[int]]:
    """All that is published by a run that resumes for each batch, and the lengths of its file."""
    rng, rows, published, lengths = seeded_generator(3), rows_of(learner), list[Any](), list[int]()
    with Ledger() as ledger:
        for begin in range(0, STEPS, size):
            part = range(max(0, begin - 4), begin + size)  # some are delivered again
            with opened(learner, ledger, state, rng) as begun:
                assert begun.stream.steps == begin
                places, units = [("0", t) for t in part], [t % 3 for t in part]
                new, taken = begun.take([rows[t] for t in part], places, units)
                assert sum(new) == size
                published += taken.published
                assert begun.stream.hypothesis == (published or begun.stream.publications)[-1][1]
            lengths.append(state.stat().st_size)
    return published, lengths


def test_a_run_that_is_summed_up_goes_on_alike() -> None:
    """All kinds, with offsets and units, whose process ends after each batch."""
    for learner in LEARNERS.values():
        with TemporaryDirectory() as folder, pytest.MonkeyPatch.context() as patched:
            whole, lengths = seen(learner, Path(folder, "whole"))
            patched.setattr(run, "LONG", SHORT)
            short, fewer = seen(learner, Path(folder, "short"))
        assert whole
        assert short == whole
        assert fewer[-1] < lengths[-1]
        assert fewer != sorted(set(fewer))  # its file does not grow by every batch


FAULTS = [
    Fault("littlestone.learn.stream.run:_Keeper.__call__", "offsets.numbers,", "{},",
          "the summary forgets which offsets were taken"),
    Fault("littlestone.learn.stream.run:_Keeper.__call__", '"units": units.numbers', '"units": {}',
          "the summary forgets how often each unit came"),
    Fault("littlestone.privacy.mechanisms.confirmation:Confirmations.restore",
          "_KeyState(skips, records, due)", "_KeyState(skips, 0, due)",
          "the summary forgets the records of keys"),
    Fault("littlestone.privacy.mechanisms.confirmation:Confirmations.restore",
          "due <= self._mechanism.horizon", "records < 0", "the summary forgets what is due"),
    Fault("littlestone.privacy.mechanisms.tallies:Tallies.restore",
          "Counter(dict(kept[\"counts\"]))", "Counter()", "the summary forgets the counts"),
]  # fmt: skip


@pytest.mark.parametrize("fault", FAULTS, ids=lambda fault: fault.mistake)
def test_a_summary_that_forgets_is_seen(fault: Fault, monkeypatch: pytest.MonkeyPatch) -> None:
    turns_red(fault, test_a_run_that_is_summed_up_goes_on_alike, monkeypatch)


def test_a_crash_leaves_the_old_file_or_the_new_one(
    ledger: Ledger, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    learner, state = LEARNERS["cuts"], tmp_path / "run.state"
    rows, rename = rows_of(learner), os.replace
    monkeypatch.setattr(run, "LONG", 1)

    def take(begin: int) -> None:
        part = range(begin, begin + 20)
        with opened(learner, ledger, state, seeded_generator(begin)) as begun:
            assert begun.stream.steps == begin
            begun.take([rows[t] for t in part], [("0", t) for t in part], [0] * 20)

    def fail(before: bool) -> Any:
        def renamed(old: Any, new: Any) -> None:
            if not before:
                rename(old, new)
            raise OSError(5, "ended")

        return renamed

    for begin, before in ((0, True), (0, False), (20, True)):
        monkeypatch.setattr(os, "replace", fail(before))
        with pytest.raises(OutputError, match="ended"):
            take(begin)
        monkeypatch.setattr(os, "replace", rename)
    take(20)
    assert sorted(path.name for path in tmp_path.iterdir()) == ["run.state", "run.state.lock"]


def test_a_file_of_somebody_else_is_left_alone(ledger: Ledger, tmp_path: Path) -> None:
    (tmp_path / "run.state.next").write_text("mine", encoding="utf-8")
    with pytest.raises(OutputError, match="left as it is"):
        opened(LEARNERS["cuts"], ledger, tmp_path / "run.state", seeded_generator(1)).__enter__()
    assert (tmp_path / "run.state.next").read_text(encoding="utf-8") == "mine"
    assert ledger.entries("d") == []


@pytest.mark.parametrize(
    "line", [{}, {"step": 3}, {"step": 3, "published": 0, "counts": []}], ids=str
)
def test_what_is_no_summary_is_refused(line: Any, ledger: Ledger, tmp_path: Path) -> None:
    state = tmp_path / "run.state"
    with opened(LEARNERS["cuts"], ledger, state, seeded_generator(1)):
        pass
    with state_file(state) as file:
        header = file.value(file.read()[0])
        file.replace([header, {"offsets": {}, "lines": [line]}])
    with pytest.raises(ModelError) as error:
        opened(LEARNERS["cuts"], ledger, state, seeded_generator(1)).__enter__()
    assert error.value.__context__ is None  # it may quote the line, which is private


@pytest.mark.parametrize(
    "wrong",
    [
        {"step": 10**18},
        {"step": 2},
        {"step": float("inf")},
        {"published": 16},
        {"counts": [[0, -1, 3]]},
        {"counts": [[99, 1, 1]]},
        {"rule": None},
        {"rule": always_0(Product((Grid(0, 9, "x"), Grid(0, 9, "z")))).to_json()},
    ],
    ids=str,
)
def test_another_block_is_refused(wrong: Any) -> None:
    learner = BlockLearner(Thresholds.on(0, 9), Budget(1), horizon=40, first=10, growth=1)
    stream: Any = learner.resume([], Tape(seeded_generator(1)))
    stream.take([(t % 10, t % 2) for t in range(15)])
    kept = stream.summary()
    again: Any = learner.resume([kept], Tape(seeded_generator(1)))
    assert again.summary() == kept
    assert again._due == stream._due == 20
    with pytest.raises(ModelError):
        learner.resume([{**kept, **wrong}], Tape(seeded_generator(1)))


def test_a_block_goes_on_from_any_step(monkeypatch: pytest.MonkeyPatch) -> None:
    """Also at its end, and with many different records."""
    learner = BlockLearner(Thresholds.on(0, 99), Budget(1), horizon=240, first=80, growth=1)

    def goes_on() -> None:
        stream: Any = learner.resume([], Tape(seeded_generator(1)))
        for t in range(200):
            stream.take([(t % 97, t % 2)])
            again: Any = learner.resume([stream.summary()], Tape(seeded_generator(2)))
            assert again.hypothesis == stream.hypothesis
            assert (again._counts, again._due) == (stream._counts, stream._due)

    for fault in (
        Fault(
            "littlestone.learn.stream.blockwise:BlockStream._restore",
            "self._end <= self._steps",
            "self._end < self._steps",
            "a run that resumes at the end of a block draws from it again",
        ),
        Fault(
            "littlestone.learn.stream.blockwise:BlockStream._to_json",
            "self._counts.items()",
            "[*self._counts.items()][:50]",
            "the summary forgets all but 50 different records",
        ),
    ):
        turns_red(fault, goes_on, monkeypatch)


SUBSETS = [c for d in range(3) for c in combinations(range(6), d)]


def test_a_rule_is_published_once_in_a_row() -> None:
    """Where a tenth of the labels is wrong, some keys are confirmed that change nothing."""
    rng, hits = random.Random(1), list[int]()
    table = FiniteClass.from_array([[int(x in c) for x in range(6)] for c in SUBSETS])
    learner = ConfirmedLearner(table, Budget(8), horizon=2000)
    stream = learner.resume([], Tape(seeded_generator(5)))
    with pytest.MonkeyPatch.context() as patched:
        confirm = KnownPoints.confirm

        def note(known: KnownPoints, keys: Any, step: int) -> bool:
            hits.append(step)
            return confirm(known, keys, step)

        patched.setattr(KnownPoints, "confirm", note)
        target, points = table.hypothesis(9), list(table.domain)
        drawn = [rng.choice(points) for _ in range(2000)]
        stream.take([(x, target(x) ^ (rng.random() < 0.1)) for x in drawn])
    rules = [rule for _, rule in stream.publications]
    assert all(one != other for one, other in pairwise(rules))
    assert len(hits) >= len(rules) > 9


def test_a_rule_that_is_published_again_is_seen(monkeypatch: pytest.MonkeyPatch) -> None:
    fault = Fault(
        "littlestone.learn.stream.confirmed:ConfirmedStream._hit",
        "!= self._published",
        "is not None",
        "what changes nothing is published",
    )
    turns_red(fault, test_a_rule_is_published_once_in_a_row, monkeypatch)
