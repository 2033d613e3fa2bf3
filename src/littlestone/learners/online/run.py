"""A private run that survives a crash: paid for once, and with nothing drawn twice."""

from __future__ import annotations

import fcntl
import json
import os
import random
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from itertools import pairwise
from pathlib import Path
from typing import IO, Any

from littlestone.errors import ModelError, OutputError
from littlestone.learners.online.base import PrivateOnlineLearner, PrivateStream
from littlestone.privacy.ledger import Ledger
from littlestone.privacy.randomness import chosen_generator, is_cryptographic

FORMAT = "littlestone run 1"
NOTED = 1000
_DECLARED = {
    "class": "class",
    "mechanism": "method, horizon or budget",
    "label": "label",
    "dataset": "data set",
    "private": "kind of randomness: one has a seed, the other none",
}


@dataclass(frozen=True)
class Run:
    """A stream, the number of the ledger's entry that paid for it, and whether an earlier one goes on.

    ``stream.steps`` of a run that goes on is that of its last draw, if this is after the last noted
    one; so it is secret.  Where the records can be read again, go on right after it.  Where they
    cannot, `skip` first, or the steps at which hypotheses are published would tell.
    """

    stream: PrivateStream[Any]
    receipt: int
    resumed: bool
    _noted: list[int]
    _write: Callable[[object], None]

    def note(self) -> None:
        """To be called after each step, and before what it published is shown.

        It keeps the step of each publication, which may draw nothing, or a later call would show
        again what was published after the last draw, and tell when that was; and every 1,000th step.
        """
        steps = self.stream.steps
        public = steps % NOTED == 0 or self.stream.published_at == steps
        if public and steps > self._noted[-1]:
            self._write({"steps": steps})
            self._noted.append(steps)

    def skip(self) -> None:
        """Pass over all steps that may have been taken before, up to a public multiple of 1,000."""
        self.stream.go_to((self._noted[-1] // NOTED + 1) * NOTED)
        self.note()  # a later call must not begin here again


@contextmanager
def durable_run(
    learner: PrivateOnlineLearner[Any],
    *,
    ledger: Ledger,
    dataset: str,
    label: str,
    state: Path | None = None,
    rng: random.Random | None = None,
) -> Iterator[Run]:
    """Begin a run, or go on with the one in the file ``state``, which one process at a time may use.

    Whatever is drawn is in the file, on the disk, before anything depends on it.  So after
    ``kill -9`` the same run goes on: nothing is spent or drawn a second time, and what was published
    stays.  **The file tells of single records**: keep it as safe as the table, and never copy it to
    go on twice.  About a millisecond for each step that draws.

    Raises `ModelError` for a file of another run or a damaged one, `OutputError` if it cannot be
    written or another process uses it, and what `PrivateOnlineLearner.start` raises.
    """
    rng = chosen_generator(rng)
    if state is None:
        receipt = learner.pay(ledger, dataset, label)
        yield Run(learner.begin(receipt, rng, None), receipt.number, False, [0], lambda data: None)
        return
    declared = {
        "format": FORMAT,
        "class": str(learner.hypotheses),
        "mechanism": learner.declared,
        "label": label,
        "dataset": dataset,
        "private": is_cryptographic(rng),
    }
    with _locked(state) as file:

        def write(data: object) -> None:
            file.write(json.dumps(data).encode() + b"\n")
            file.flush()
            os.fsync(file.fileno())

        lines = _lines(file, state)
        if not lines:
            # A crash from here to the next line costs the budget, and publishes nothing.
            receipt = learner.pay(ledger, dataset, label)
            write({**declared, "receipt": receipt.number, "steps": 0})
            yield Run(learner.begin(receipt, rng, write), receipt.number, False, [0], write)
            return
        header = lines[0] if isinstance(lines[0], dict) else {}
        if header.get("format") != FORMAT:
            raise _refused(state, "it is no state of a run")
        other = [words for name, words in _DECLARED.items() if header.get(name) != declared[name]]
        if other:
            raise _refused(state, f"that run has another {' and another '.join(other)}")
        number: Any = header.get("receipt")
        paid = learner.event.cost(), str(learner.event)
        if all(
            (entry.number, entry.cost, entry.mechanism) != (number, *paid)
            for entry in ledger.entries(dataset)
        ):
            raise _refused(state, f"entry {number} of the ledger is none that paid for it")
        noted: list[Any] = [line.get("steps") for line in lines if isinstance(line, dict)]
        if any(type(steps) is not int for steps in noted) or not _rising(noted, learner.horizon):
            raise _refused(state, "it is damaged")
        entries = [line for line in lines if not isinstance(line, dict)]
        stream = learner.resume(entries, rng, write)
        stream.go_to(noted[-1])
        yield Run(stream, number, True, noted, write)


def _rising(noted: list[int], horizon: int) -> bool:
    return all(a <= b for a, b in pairwise([0, *noted, horizon]))


@contextmanager
def _locked(path: Path) -> Iterator[IO[bytes]]:
    if path.exists() and not path.is_file():
        raise _unusable(path, "there is something else than a file")
    try:
        file = os.fdopen(os.open(path, os.O_RDWR | os.O_CREAT, 0o600), "r+b")
    except OSError as error:
        raise _unusable(path, error.strerror or "it cannot be opened") from None
    with file:
        try:
            fcntl.flock(file, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except OSError:
            raise _unusable(path, "another process goes on with that run") from None
        yield file


def _lines(file: IO[bytes], path: Path) -> list[Any]:
    """What was written; a last line that a crash cut short is cut off: nothing depended on it."""
    whole = file.read()
    kept = whole[: whole.rfind(b"\n") + 1]
    file.seek(len(kept))
    file.truncate()
    try:
        return [json.loads(line) for line in kept.splitlines()]
    except (ValueError, RecursionError):
        raise _refused(path, "it is no state of a run, or damaged") from None


def _refused(path: Path, found: str) -> ModelError:
    return ModelError(
        f"go on with the run in {path}",
        found=found,
        fix="repeat all options and the ledger of the run's first call, or begin another run in "
        "another file",
    )


def _unusable(path: Path, found: str) -> OutputError:
    return OutputError(
        f"keep a run in {path}",
        found=found,
        fix="give a file that can be written, for this run only",
    )
