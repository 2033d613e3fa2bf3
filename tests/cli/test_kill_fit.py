"""``kill -9`` at any moment of `fit`: no release without its ledger entry, no half-written file."""

from __future__ import annotations

import random
import sqlite3
import subprocess
import sys
import time
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

import pytest
from running import TABLE, command, fit_arguments

from littlestone.base.errors import ModelError
from littlestone.learn import Release
from littlestone.privacy.ledger import Ledger

pytestmark = pytest.mark.deep

# Draws, writes and prints first, and spends later; what `fit` must never do.  It waits as long as all
# before it took, so that a kill falls there on a slow machine, too.
PLANT = """
import json, sys, time
begun = time.monotonic()
from dataclasses import replace
from pathlib import Path
from littlestone.cli import main
from littlestone.learn import ExponentialLearner
from littlestone.privacy.ledger import Ledger

honest = ExponentialLearner.fit

def fit(self, sample, *, ledger, dataset, **options):
    with Ledger() as aside:
        release = honest(self, sample, ledger=aside, dataset=dataset, **options)
    if MODEL:
        Path("model.json").write_text(json.dumps(release.to_json()))
    else:
        print(release.words(), flush=True)
    time.sleep(time.monotonic() - begun)
    receipt = ledger.spend(self.event, dataset=dataset, what="too late")
    return replace(release, receipt=receipt.number)

ExponentialLearner.fit = fit
main()
"""


@dataclass
class Harness:
    """Runs a variant of `fit` in ``folder`` again and again and kills it; keeps what is wrong."""

    folder: Path
    program: Sequence[str]
    runs: int = 0

    def __post_init__(self) -> None:
        (self.folder / "table.csv").write_text(TABLE)
        self.model = self.folder / "model.json"
        self.ledger = self.folder / "littlestone.ledger"
        self.violations: list[str] = []
        self.left = 0
        # The first run makes the ledger and shows how long one takes: until the ledger is opened,
        # right after the place for the model is reserved, and from there to the end.
        started = time.monotonic()
        process = self._start()
        self._await_ledger(process)
        opened = time.monotonic()
        process.communicate()
        assert process.returncode == 0
        self.duration, self.ending = time.monotonic() - started, time.monotonic() - opened
        self._check("", whole=True)

    def _start(self) -> subprocess.Popen[str]:
        self.runs += 1
        self.before, self.opened = self._content(), self._changed()
        # Every other run prints JSON.
        shown = {"json": True} if self.runs % 2 else {}
        arguments = fit_arguments(
            "table.csv", out="model.json", replace=True, dataset=self._dataset(), **shown
        )
        pipe = subprocess.PIPE
        return subprocess.Popen(
            [*self.program, *arguments], cwd=self.folder, stdout=pipe, stderr=pipe, text=True
        )

    def _dataset(self) -> str:
        return f"run {self.runs}"

    def _content(self) -> bytes:
        return self.model.read_bytes() if self.model.exists() else b""

    def _changed(self) -> int:
        return self.ledger.stat().st_mtime_ns if self.ledger.exists() else 0

    def _await_ledger(self, process: subprocess.Popen[str]) -> None:
        while process.poll() is None and self._changed() == self.opened:
            time.sleep(0.001)

    def kill_after(self, delay: float, *, at_end: bool = False) -> None:
        """Start a run and kill it ``delay`` seconds later, counted from its end part on demand."""
        process = self._start()
        if at_end:
            self._await_ledger(process)
        time.sleep(delay)
        process.kill()
        out, err = process.communicate()
        assert process.returncode in (0, -9), err
        self._check(out, whole=process.returncode == 0)

    def _check(self, out: str, *, whole: bool) -> None:
        left = list(self.folder.glob(".model.json.*"))
        if whole and left:
            self.violations.append(f"{self._dataset()}: a temporary file is left")
        self.left += len(left)
        if self.ledger.exists() and self.ledger.stat().st_size:
            with Ledger(self.ledger, create=False) as ledger:
                paid = [entry.number for entry in ledger.entries(self._dataset())]
            with sqlite3.connect(self.ledger) as connection:
                integrity = connection.execute("PRAGMA integrity_check").fetchall()
            connection.close()
            assert integrity == [("ok",)]
        else:
            paid = []
        if out.strip() and not paid:
            self.violations.append(f"{self._dataset()}: printed, not paid")
        if self._content() == self.before:
            return
        try:
            release = Release.load(self.model)
        except ModelError:
            self.violations.append(f"{self._dataset()}: half a model")
            return
        if release.receipt not in paid:
            self.violations.append(f"{self._dataset()}: a model, not paid")

    def entries(self) -> int:
        with Ledger(self.ledger, create=False) as ledger:
            return len(ledger.entries())


def test_killed_at_any_moment(tmp_path: Path) -> None:
    harness, rng = Harness(tmp_path, command()), random.Random(1)
    kills = 12
    for kill in range(kills):
        harness.kill_after(harness.duration * (kill + rng.random()) / kills)
    assert harness.violations == []
    assert 0 < harness.entries() < harness.runs


def test_killed_between_the_reading_and_the_end(tmp_path: Path) -> None:
    harness, rng = Harness(tmp_path, command()), random.Random(2)
    kills = 12
    for kill in range(kills):
        # Most of it is the end of the interpreter: half of the kills go to the first quarter.
        delay = 1.1 * harness.ending * ((kill + rng.random()) / kills) ** 2
        harness.kill_after(delay, at_end=True)
    assert harness.violations == []
    assert 0 < harness.entries() < harness.runs
    # A temporary file is there only while it is written, and the next run removes what is left.
    assert harness.left <= 2


def test_killed_while_the_ledger_is_made(tmp_path: Path) -> None:
    harness, rng = Harness(tmp_path, command()), random.Random(3)
    for _ in range(6):
        harness.ledger.unlink(missing_ok=True)
        Path(f"{harness.ledger}-journal").unlink(missing_ok=True)
        harness.kill_after(harness.ending * rng.random(), at_end=True)
    assert harness.violations == []


def test_the_harness_catches_a_fit_that_spends_too_late(tmp_path: Path) -> None:
    for content, words in ((True, "a model, not paid"), (False, "printed, not paid")):
        folder = tmp_path / str(content)
        folder.mkdir()
        program = [sys.executable, "-c", f"MODEL = {content}\n{PLANT}"]
        harness, rng, kills = Harness(folder, program), random.Random(4), 6
        for kill in range(kills):
            if not harness.violations:
                harness.kill_after(harness.ending * (kill + rng.random()) / kills, at_end=True)
        assert any(words in violation for violation in harness.violations)
