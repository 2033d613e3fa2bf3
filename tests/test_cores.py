"""Shared work gives the same results for any number of processes, and leaves nothing behind."""

from __future__ import annotations

import os
import pickle
import random
import subprocess
import sys
from collections.abc import Callable
from contextlib import suppress
from dataclasses import replace
from fractions import Fraction
from typing import Any

import pytest

from littlestone.base import work
from littlestone.base.errors import DeclarationError
from littlestone.base.work import spread, stage, track_items, watching
from littlestone.privacy.randomness import generator, is_cryptographic, seeded_generator
from littlestone.prove.audit import find_subject, find_subjects


def worker(_: int) -> tuple[int, bool]:
    return os.getpid(), is_cryptographic(generator(None))


def refusing(x: int) -> int:
    if x == 2:
        raise DeclarationError("ask", found="this", fix="ask something else")
    return x


@pytest.fixture
def at_once(monkeypatch: pytest.MonkeyPatch) -> None:
    """Workers are started at once."""
    monkeypatch.setattr(work, "ALONE", 0.0)


def audits(name: str, jobs: int) -> tuple[Any, Any]:
    subject = find_subject(name).make(Fraction(1), Fraction(1, 100))
    goal: dict[str, Any] = {"trials": 520, "confidence": "0.99", "jobs": jobs}
    return subject.exact(jobs=jobs), subject.measure(**goal, rng=seeded_generator(3))


@pytest.mark.usefixtures("at_once")
@pytest.mark.parametrize("name", ["single-key-learner", "online-key-learner"])
def test_an_audit_is_the_same_for_any_number_of_processes(name: str) -> None:
    """The receipts of one have a ledger, which cannot be pickled; the other is made of closures."""
    assert audits(name, 1) == audits(name, 2)


@pytest.mark.usefixtures("at_once")
def test_workers_do_the_work_with_their_own_randomness() -> None:
    told = list[tuple[str, int, int]]()
    with watching(lambda *step: told.append(step)):
        found = dict(spread(worker, range(6), jobs=2, what="asking"))
    assert sorted(found) == list(range(6))
    assert told == [("asking", done, 6) for done in range(7)]
    assert os.getpid() not in {process for process, _ in found.values()}
    assert all(cryptographic for _, cryptographic in found.values())


def test_short_work_starts_no_worker() -> None:
    found = dict(spread(worker, range(3), jobs=2, what="asking"))
    assert {process for process, _ in found.values()} == {os.getpid()}


@pytest.mark.deep
@pytest.mark.usefixtures("at_once")
@pytest.mark.parametrize("jobs", [1, 2])
def test_an_error_is_that_of_the_task(jobs: int) -> None:
    with pytest.raises(DeclarationError, match="ask something else"):
        list(spread(refusing, range(4), jobs=jobs, what="asking"))


@pytest.mark.deep
@pytest.mark.usefixtures("at_once")
def test_what_is_left_can_be_dropped() -> None:
    shared = spread(worker, range(6), jobs=2, what="asking")
    next(shared)
    shared.close()
    assert len(dict(spread(worker, range(6), jobs=2, what="asking"))) == 6


@pytest.mark.deep
def test_every_subject_can_be_audited_by_a_worker() -> None:
    for named in find_subjects():
        subject = named.make(Fraction(1), Fraction(1, 100))
        data = subject.pairs[0][0]
        there, read = pickle.loads(pickle.dumps((subject, data)))
        assert there.recipe == subject.recipe
        law = there.distribution(read)
        assert pickle.loads(pickle.dumps(law)) == subject.distribution(data), named.name


def test_a_changed_subject_is_never_audited_as_the_named_one() -> None:
    """A worker would make the subject of that name anew."""
    honest = find_subject("randomized-response").make(Fraction(2), Fraction(0))
    claimed = find_subject("randomized-response").make(Fraction(1), Fraction(0)).event
    assert honest.recipe is not None
    changed = replace(honest, event=claimed)
    assert changed.recipe is None
    assert not changed.exact(jobs=2).holds


def test_every_run_draws_anew() -> None:
    """Two parts with one seed would make the same runs, which are then not independent."""
    honest = find_subject("randomized-response").make(Fraction(1), Fraction(0))
    outputs = list[int]()

    def runs(times: int, rng: random.Random) -> Callable[[int], int]:
        def run(data: int) -> int:
            outputs.append(rng.getrandbits(64))
            return data

        return run

    drawing = replace(honest, runs=runs)
    drawing.measure(trials=1100, confidence="0.9", rng=seeded_generator(1))
    assert len(set(outputs)) == len(outputs) == 2200
    drawing.measure(trials=2, confidence="0.9", rng=seeded_generator(1))
    drawing.measure(trials=2, confidence="0.9", rng=seeded_generator(1))
    assert outputs[2200:2204] == outputs[2204:]


def test_the_outermost_stage_is_told() -> None:
    told = list[tuple[str, int, int]]()
    with watching(lambda *step: told.append(step)):
        for _ in track_items("ab", "outer"):
            list(track_items("cde", "inner"))
        with stage("later") as tell:
            tell(1, 2)
        list(spread(abs, [1], what="last"))
    list(track_items("ab", "unseen"))
    assert told == [
        ("outer", 0, 2),
        ("outer", 1, 2),
        ("later", 1, 2),
        ("last", 0, 1),
        ("last", 1, 1),
    ]


def test_an_error_ends_a_stage_and_who_watches() -> None:
    told = list[tuple[str, int, int]]()
    with suppress(DeclarationError), watching(lambda *step: told.append(step)):
        with suppress(DeclarationError), stage("first"):
            refusing(2)
        with stage("second") as tell:
            tell(0, 1)
        refusing(2)
    list(track_items("ab", "unseen"))
    assert told == [("second", 0, 1)]


LEFT = """
from joblib.externals.loky.backend import resource_tracker
from littlestone.base import work
work.ALONE = 0.0
for _ in work.spread(abs, [1, -2], jobs=2, what="asking"):
    pass
resource_tracker.register("/a-lock-that-is-gone", "semlock")
"""


@pytest.mark.deep
def test_nothing_is_said_of_a_lock_that_is_left_half_removed() -> None:
    """Ctrl+C may do that; the tracker of locks, a process of its own, would warn of it."""
    ran = subprocess.run([sys.executable, "-c", LEFT], capture_output=True, text=True, timeout=100)
    assert (ran.returncode, ran.stderr) == (0, "")
