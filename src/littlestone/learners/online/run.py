"""A private run that survives a crash: paid for once, and with nothing drawn twice."""

from __future__ import annotations

import random
from collections.abc import Callable, Iterator
from contextlib import contextmanager, nullcontext
from dataclasses import dataclass
from itertools import pairwise
from pathlib import Path
from typing import Any

from littlestone.learners.online.base import PrivateOnlineLearner, PrivateStream
from littlestone.learners.online.state import StateFile, damaged, refused, state_file
from littlestone.privacy.ledger import Ledger
from littlestone.privacy.randomness import chosen_generator, is_cryptographic

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
    stays.  **The file tells of single records**: keep it as safe as the table.  Never copy it to go
    on twice, and never go on from an older copy: it would draw again.  About a millisecond for each
    step that draws.

    A file that is absent or empty begins a run.  Nothing is written to any other before all of it
    is proved to be the state of this very run: its first line, its seals, what was declared, and
    the ledger's entry.  Raises `ModelError` if it is not, `OutputError` if it cannot be written or
    another process uses it, and what `PrivateOnlineLearner.start` raises.
    """
    rng = chosen_generator(rng)
    with nullcontext() if state is None else state_file(state) as file:
        lines = [] if file is None else file.read()
        if file is None or not lines:
            run = _begun(learner, ledger, dataset, label, rng, file)
        else:
            declared = _declared(learner, dataset, label, rng)
            run = _resumed(learner, ledger, declared, rng, file, lines)
        del lines  # they are many, and this frame lives as long as the run
        yield run


def _begun(
    learner: PrivateOnlineLearner[Any],
    ledger: Ledger,
    dataset: str,
    label: str,
    rng: random.Random,
    file: StateFile | None,
) -> Run:
    if file is not None:
        file.settle()  # what cannot be written is found out before the spend
    # A crash from here to the next line costs the budget, and publishes nothing.
    receipt = learner.pay(ledger, dataset, label, rng)
    entry = {"receipt": receipt.number, "at": receipt.entry.at, "steps": 0}
    if file is None:
        return Run(learner.begin(receipt, None), receipt.number, False, [0], lambda data: None)
    file.add({**_declared(learner, dataset, label, rng), **entry})
    return Run(learner.begin(receipt, file.add), receipt.number, False, [0], file.add)


def _resumed(
    learner: PrivateOnlineLearner[Any],
    ledger: Ledger,
    declared: dict[str, object],
    rng: random.Random,
    file: StateFile,
    lines: list[Any],
) -> Run:
    header = lines[0]
    if not isinstance(header, dict):
        raise damaged(file.path)
    other = [words for name, words in _DECLARED.items() if header.get(name) != declared[name]]
    if other:
        raise refused(file.path, f"that run has another {' and another '.join(other)}")
    number: Any = header.get("receipt")
    paid = number, header.get("at"), learner.event.cost(), str(learner.event)
    if all(
        (entry.number, entry.at, entry.cost, entry.mechanism) != paid
        for entry in ledger.entries(str(declared["dataset"]))
    ):
        raise refused(file.path, f"entry {number} of the ledger is none that paid for it")
    noted: list[Any] = [line.get("steps") for line in lines if isinstance(line, dict)]
    if any(type(steps) is not int for steps in noted) or not _rising(noted, learner.horizon):
        raise damaged(file.path)
    entries = [line for line in lines if not isinstance(line, dict)]
    stream = learner.resume(entries, rng, file.add)
    stream.go_to(noted[-1])
    file.settle()
    return Run(stream, number, True, noted, file.add)


def _declared(
    learner: PrivateOnlineLearner[Any], dataset: str, label: str, rng: random.Random
) -> dict[str, object]:
    return {
        "class": str(learner.hypotheses),
        "mechanism": learner.declared,
        "label": label,
        "dataset": dataset,
        "private": is_cryptographic(rng),
    }


def _rising(noted: list[int], horizon: int) -> bool:
    return all(a <= b for a, b in pairwise([0, *noted, horizon]))
