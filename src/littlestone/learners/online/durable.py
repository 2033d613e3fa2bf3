"""A private run that survives a crash: paid for once, and nothing is drawn twice."""

from __future__ import annotations

import random
from collections.abc import Iterator
from contextlib import contextmanager, nullcontext
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Generic

from littlestone.classes.digest import digest
from littlestone.learners.online.state import StateFile, damaged, refused, state_file
from littlestone.learners.online.taped import Stream, StreamLearner
from littlestone.privacy.ledger import Ledger
from littlestone.privacy.randomness import chosen_generator, is_cryptographic
from littlestone.privacy.tape import Tape

_DECLARED = {
    "class": "class",
    "mechanism": "method, horizon, budget or size",
    "label": "label",
    "dataset": "data set",
    "private": "kind of randomness: one has a seed, the other none",
}


@dataclass(frozen=True)
class DurableStream(Generic[Stream]):
    """A stream, the number of the ledger entry that paid for it, and whether an earlier run resumes.

    ``stream.steps`` of a resumed run is the step of its last draw, if this is after the last public
    step; so it is secret.  If the records can be read again, continue right after that step.  If not,
    call ``stream.skip()`` first; otherwise later publication times would reveal it.
    """

    stream: Stream
    receipt: int
    resumed: bool


@contextmanager
def durable_run(
    learner: StreamLearner[Stream],
    *,
    ledger: Ledger,
    dataset: str,
    label: str,
    state: Path | None = None,
    rng: random.Random | None = None,
) -> Iterator[DurableStream[Stream]]:
    """Begin a run, or resume the one in the file ``state``, which one process at a time may use.

    Everything drawn is on the disk before anything depends on it.  So after ``kill -9`` the same run
    resumes: nothing is spent or drawn a second time, and what was published stays.  **The file
    contains single records**: keep it as safe as the table.  Never resume two copies of it, and never
    resume an older copy: it would draw again.  A step that draws takes about a millisecond.

    An absent or empty file begins a run.  Nothing is written to any other file before it is
    proved to be the state of this very run: by its first line, its seals, its declarations and
    the ledger's entry.  Raises `ModelError` if it is not, `OutputError` if it cannot be written or
    another process uses it, and what `StreamLearner.start` raises.
    """
    rng = chosen_generator(rng)
    with nullcontext() if state is None else state_file(state) as file:
        lines = [] if file is None else file.read()
        if file is None or not lines:
            run = _begun(learner, ledger, dataset, label, rng, file)
        else:
            declared = _declared(learner, dataset, label, rng)
            run = _resumed(learner, ledger, declared, rng, file, lines)
        del lines  # there are many, and this frame lives as long as the run
        yield run


def _begun(
    learner: StreamLearner[Stream],
    ledger: Ledger,
    dataset: str,
    label: str,
    rng: random.Random,
    file: StateFile | None,
) -> DurableStream[Stream]:
    if file is not None:
        file.settle()  # find out before the spend if the file cannot be written
    # A crash between here and the next line costs the budget, and publishes nothing.
    receipt = learner.pay(ledger, dataset, label, rng)
    if file is not None:
        paid = {"receipt": receipt.number, "at": receipt.entry.at}
        file.add({**_declared(learner, dataset, label, rng), **paid})
    stream = learner.begin(receipt, None if file is None else file.add)
    return DurableStream(stream, receipt.number, False)


def _resumed(
    learner: StreamLearner[Stream],
    ledger: Ledger,
    declared: dict[str, object],
    rng: random.Random,
    file: StateFile,
    lines: list[Any],
) -> DurableStream[Stream]:
    header, *kept = lines
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
    stream = learner.resume(kept, Tape(rng, file.add))
    file.settle()
    return DurableStream(stream, number, True)


def _declared(
    learner: StreamLearner[Any], dataset: str, label: str, rng: random.Random
) -> dict[str, object]:
    return {
        # A table file may have other content by now, and two tables have one text.
        "class": [str(learner.hypotheses), digest(learner.hypotheses)],
        "mechanism": learner.declared,
        "label": label,
        "dataset": dataset,
        "private": is_cryptographic(rng),
    }
