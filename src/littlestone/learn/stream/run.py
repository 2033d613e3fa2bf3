"""A run that resumes after a crash: paid once, deliveries taken once, units counted."""

from __future__ import annotations

import random
import re
import sys
from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager, nullcontext
from dataclasses import dataclass, field
from itertools import compress, islice
from pathlib import Path
from typing import Any, NamedTuple

from littlestone.base.errors import DeclarationError, shorten
from littlestone.classes.text.declared import digest
from littlestone.learn.stream.base import PrivateOnlineLearner
from littlestone.learn.stream.offsets import FirstRecords, NumberLog, Offsets
from littlestone.learn.stream.private_stream import PrivateStream, TakeResult
from littlestone.learn.stream.state_file import StateFile, damage_error, state_error, state_file
from littlestone.points.units import Unit
from littlestone.privacy.event import Event
from littlestone.privacy.ledger import Ledger, Receipt
from littlestone.privacy.randomness import choose_generator, is_cryptographic
from littlestone.privacy.tape import NOTHING, Tape, journal_mismatch

_DECLARED = {
    "class": "class",
    "mechanism": "method, horizon, budget or size",
    "label": "label",
    "dataset": "data set",
    "private": "kind of randomness: one has a seed, the other none",
    "taken": "way to take records: one by one, in batches, or by other offsets",
    "unit": "unit, or another maximum of records of each",
}

_BATCHES = "in batches"


@dataclass(frozen=True)
class DurableStream:
    """A stream, the number of the ledger entry that paid for it, and whether an earlier run resumes.

    ``stream.steps`` of a resumed run is the step of its last draw, if this is after the last public
    step; so it is secret.  If the records can be read again, continue right after that step.  If not,
    call ``stream.skip()`` first, which not every learner allows; otherwise later publication times
    would reveal it.  In batches it is the last step of a batch; it is public, and no later step was
    taken.

    ``offsets`` are those of the records taken so far, if the run keeps them, and ``units`` says how
    many were taken of each unit, if it protects units.  ``paid`` is the receipt of a run that began
    here, from which what was paid ``besides`` is drawn.
    """

    stream: PrivateStream[Any]
    receipt: int
    resumed: bool
    offsets: Offsets | None = None
    units: FirstRecords | None = None
    paid: Receipt | None = field(default=None, repr=False, compare=False)

    def take(
        self,
        records: Sequence[tuple[object, object]],
        places: Sequence[tuple[object, object]] | None = None,
        units: Sequence[object] | None = None,
    ) -> Delivery:
        """Take the records (x, y) that are new by their ``places`` (partition, offset), as one batch.

        A crash leaves the whole batch taken, or nothing taken and nothing shown.  After a crash,
        deliver the last batch again; records already taken are ignored.  Without offsets every record
        is new.

        ``units`` say whose each record is, if the run protects units.  A record of a unit beyond its
        first ``unit.most`` takes its step, and nothing is learned from it.

        Raises `DeclarationError` if the run keeps offsets or units and there is none for each record,
        or the other way round, and what `PrivateStream.take` raises.
        """
        _require_each("place", self.offsets, places, records)
        _require_each("unit", self.units, units, records)
        new = [True] * len(records)
        if self.offsets is not None and places is not None:
            # By partitions and offsets alone, never by what a record holds
            # (docs/proofs/offsets.md).
            new = [self.offsets.is_new(*place) for place in places]
        taken: Iterable[tuple[object, object] | None] = compress(records, new)
        # When it is over no record is read.  So the units in memory are no more than the horizon.
        if self.units is not None and units is not None and not self.stream.is_over:
            pairs = zip(taken, compress(units, new), strict=True)
            # A record beyond its unit's share becomes void: it takes its step and changes nothing
            # else (docs/proofs/units.md, Theorem 5).
            taken = [record if self.units.counts(whose) else None for record, whose in pairs]
        beside = _changed_numbers(self.offsets), _changed_numbers(self.units)
        return Delivery(new, self.stream.take(taken, *beside))


def _require_each(
    what: str, kept: NumberLog | None, given: Sequence[object] | None, records: Sequence[object]
) -> None:
    """Raise `DeclarationError` unless each record has one of what the run keeps."""
    if (kept is None) is (given is None) and (given is None or len(given) == len(records)):
        return
    raise DeclarationError(
        "take records of a run",
        found=f"there is not one {what} for each record"
        if kept is not None
        else f"there are {what}s, which the run does not keep",
        fix=f"declare {what}s when the run begins, and give that of each record",
    )


def _changed_numbers(kept: NumberLog | None) -> Mapping[str, int]:
    return NOTHING if kept is None else kept.take_changes()


class Delivery(NamedTuple):
    """Which records of a batch were ``new``, and what came of these."""

    new: list[bool]
    taken: TakeResult


@contextmanager
def durable_run(
    learner: PrivateOnlineLearner[Any],
    *,
    ledger: Ledger,
    dataset: str,
    label: str,
    state: Path | None = None,
    rng: random.Random | None = None,
    batches: bool = False,
    offsets: str | None = None,
    unit: Unit | None = None,
    besides: Event | None = None,
) -> Iterator[DurableStream]:
    """Begin a run, or resume the one in the file ``state``, which one process at a time may use.

    Everything drawn is on the disk before anything depends on it.  So after ``kill -9`` the same run
    resumes: nothing is spent or drawn a second time, and what was published stays.  **The file
    contains single records**: keep it as safe as the table.  Never resume two copies of it, and never
    resume an older copy: it would draw again.  A step that draws takes about a millisecond.

    With ``batches`` records come through `DurableStream.take`, and a batch is taken as a whole or not
    at all.  It takes a millisecond, and about 70 bytes of the file.  Before the file has more
    than 64 KiB, the `summary` of a run that has one takes the place of all batches.  If a source may
    deliver a record again, ``offsets`` says in words what its offsets are; they are kept with each
    batch, and a record is taken once.

    With batches and a ``unit`` the run protects all records of a unit together, of which only the
    first ``unit.most`` count.  It then costs `PrivateOnlineLearner.event_for` the unit; `record_budget`
    divides a budget for units (docs/proofs/units.md, Theorem 5).  The entry also pays for an event
    ``besides``, which a run that is kept in a file cannot have.

    An absent or empty file begins a run.  Nothing is written to any other file before it is
    proved to be the state of this very run: by its first line, its seals, its declarations and
    the ledger's entry.  Raises `ModelError` if it is not, `OutputError` if it cannot be written or
    another process uses it, and what `PrivateOnlineLearner.start` raises.
    """
    rng = choose_generator(rng)
    for kept, what in ((offsets, "the offsets of records"), (unit, "how often each unit came")):
        if kept is not None and not batches:
            raise DeclarationError(
                f"keep {what}",
                found="the run takes records one by one",
                fix="declare batches=True, and give the records to take",
            )
    if besides is not None and state is not None:
        raise DeclarationError(
            f"keep a run with {besides} in a file",
            found="what was counted before a crash would be lost",
            fix="leave out the file, or what the run pays for besides",
        )
    taken = f"by {offsets}" if offsets is not None else _BATCHES if batches else None
    asked = _RunRequest(learner, ledger, dataset, label, rng, taken, unit, besides)
    with nullcontext() if state is None else state_file(state) as file:
        lines = [] if file is None else file.read()
        run = asked.resume(file, lines) if file is not None and lines else asked.begin(file)
        del lines  # there are many, and this frame lives as long as the run
        yield run


@dataclass(frozen=True)
class _RunRequest:
    """What a run is asked to be; ``taken`` says how it takes records, if not one by one."""

    learner: PrivateOnlineLearner[Any]
    ledger: Ledger
    dataset: str
    label: str
    rng: random.Random
    taken: str | None
    unit: Unit | None
    besides: Event | None

    def declarations(self) -> dict[str, object]:
        """What the first line of a file says, and a run that resumes has to say too."""
        return {
            # A table file may have other content by now, and two tables have one text.
            "class": [str(self.learner.hypotheses), digest(self.learner.hypotheses)],
            "mechanism": self.learner.declared_sizes,
            "label": self.label,
            "dataset": self.dataset,
            "private": is_cryptographic(self.rng),
            "taken": self.taken,
            # A state without a unit is like those of before units were known.
            **({} if self.unit is None else {"unit": [self.unit.column, self.unit.most]}),
        }

    def notes(
        self, highest: Mapping[str, int] = NOTHING, seen: Mapping[str, int] = NOTHING
    ) -> tuple[Offsets | None, FirstRecords | None]:
        """The offsets and the units that the run keeps, as far as it has come."""
        offsets = None if self.taken in (None, _BATCHES) else Offsets(highest)
        return offsets, None if self.unit is None else FirstRecords(self.unit, seen)

    def begin(self, file: StateFile | None) -> DurableStream:
        """A new run, which is paid for here."""
        # What may fail is found out before the spend.
        declared, learner = self.declarations(), self.learner
        if file is not None:
            file.settle()
        # A crash between here and the next line costs the budget, and publishes nothing.
        receipt = learner.pay(
            self.ledger, self.dataset, self.label, self.rng, self.unit, self.besides
        )
        keep: _Keeper | None = None
        if file is not None:
            header = {**declared, "receipt": receipt.number, "at": receipt.entry.at}
            file.append(header)
            keep = _Keeper(file, header)
        stream = learner.begin(receipt, keep, together=self.taken is not None)
        run = DurableStream(stream, receipt.number, False, *self.notes(), receipt)
        if keep is not None:
            keep.run = run
        return run

    def resume(self, file: StateFile, lines: list[bytes]) -> DurableStream:
        """The run that wrote these lines, if it was asked to be the same."""
        header: Any = file.value(lines[0])
        kept: Iterable[Any] = map(file.value, islice(lines, 1, None))
        if not isinstance(header, dict):
            raise damage_error(file.path)
        declared = self.declarations()
        other = [
            words + _tell_apart(header.get(name), declared.get(name))
            for name, words in _DECLARED.items()
            if header.get(name) != declared.get(name)
        ]
        if other:
            raise state_error(file.path, f"that run has another {' and another '.join(other)}")
        number: Any = header.get("receipt")
        event = self.learner.event_for(self.unit)
        # The entry must be that of this run: its number, time, cost and mechanism.
        paid = number, header.get("at"), event.cost(), str(event)
        if all(
            (entry.number, entry.at, entry.cost, entry.mechanism) != paid
            for entry in self.ledger.entries(self.dataset)
        ):
            raise state_error(file.path, f"entry {number} of the ledger did not pay for it")
        together, highest, seen = self.taken is not None, dict[str, int](), dict[str, int]()
        if together:
            kept = _single_lines(kept, highest, seen)
        keep = _Keeper(file, header)
        stream = self.learner.resume(kept, Tape(self.rng, keep, together=together))
        # Only now is the file known to be the one to resume, so only now may it be changed.
        file.settle()
        keep.run = DurableStream(stream, number, True, *self.notes(highest, seen))
        return keep.run


def _tell_apart(then: object, now: object) -> str:
    """In what two declarations differ; empty if their texts do not show it.

    >>> _tell_apart("keys over 70 steps, epsilon 1", "keys over 80 steps, epsilon 1")
    ' (there keys over 70 steps; here keys over 80 steps)'
    >>> _tell_apart(["patient", 3], None), _tell_apart(["table(t.csv)", "1f"], ["table(t.csv)", "2e"])
    (' (there 3 records of each patient; here none)', '')
    """
    old, new = _parts(then), _parts(now)
    there, here = ([part for part in a if part not in b] for a, b in ((old, new), (new, old)))
    if not there or not here:
        return ""
    return f" (there {shorten(', '.join(there))}; here {shorten(', '.join(here))})"


def _parts(value: object) -> list[str]:
    match value:
        case str():
            return re.split("[,;] ", value)
        case [str(column), int(most)]:
            return [f"{most} records of each {column}"]
        case [str(text), str()]:
            return [text]  # of a class; its digest says nothing to people
    return ["none"] if value is None else []


LONG = 1 << 16
"""The bytes that a file of batches may have before all of them are written as what they come to."""


class _Keeper:
    """Keeps the lines of a run in its file; in place of too many batches, what they come to.

    That is a function of the batches, so it tells nothing that they do not, and the run goes on alike.
    """

    def __init__(self, file: StateFile, header: dict[str, object]) -> None:
        self._file, self._header, self._most = file, header, LONG
        self.run: DurableStream | None = None  # until it has begun

    def __call__(self, line: object) -> None:
        run, file = self.run, self._file
        if run is None or not isinstance(line, dict) or not file.is_beyond(line, self._most):
            file.append(line)
        elif (summary := run.stream.summary()) is None:
            self._most = sys.maxsize
            file.append(line)
        else:
            offsets, units = run.offsets, run.units
            counts = {} if units is None else {"units": units.numbers}
            whole = {"offsets": {} if offsets is None else offsets.numbers, **counts}
            # The batch of this line is in the summary, so it is kept by the same single write.
            file.replace([self._header, {**whole, "lines": [summary]}])
            self._most = max(LONG, 2 * file.length)


def _single_lines(
    batches: Iterable[Any], highest: dict[str, int], seen: dict[str, int]
) -> Iterator[Any]:
    """The lines of all batches, whose offsets are the ``highest``; ``seen`` counts records of units."""
    for batch in batches:
        match batch:
            case {"offsets": dict() as offsets, "lines": [*lines], **more}:
                for noted, numbers in ((highest, offsets), (seen, more.get("units", {}))):
                    if not isinstance(numbers, dict) or {*map(type, numbers.values())} - {int}:
                        raise journal_mismatch()
                    noted.update(numbers)
                yield from lines
            case _:
                raise journal_mismatch()
