"""A run and its file, which nothing else resumes: paid once, deliveries taken once, units counted."""

from __future__ import annotations

import hashlib
import json
import os
import random
import sys
from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import ExitStack, contextmanager, nullcontext
from dataclasses import dataclass, field
from itertools import compress, islice
from pathlib import Path
from typing import IO, Any, Generic, NamedTuple

from filelock import FileLock, Timeout

from littlestone.base.disk import sync_folder
from littlestone.base.errors import DeclarationError, ModelError, OutputError
from littlestone.classes.text.declared import digest
from littlestone.learn.stream.base import (
    PrivateOnlineLearner,
    PrivateStream,
    Stream,
    StreamLearner,
    TakeResult,
)
from littlestone.points import text
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
class DurableStream(Generic[Stream]):
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

    stream: Stream
    receipt: int
    resumed: bool
    offsets: Offsets | None = None
    units: FirstRecords | None = None
    paid: Receipt | None = field(default=None, repr=False, compare=False)

    def take(
        self: DurableStream[PrivateStream[Any]],
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
    learner: StreamLearner[Stream],
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
) -> Iterator[DurableStream[Stream]]:
    """Begin a run, or resume the one in the file ``state``, which one process at a time may use.

    Everything drawn is on the disk before anything depends on it.  So after ``kill -9`` the same run
    resumes: nothing is spent or drawn a second time, and what was published stays.  **The file
    contains single records**: keep it as safe as the table.  Never resume two copies of it, and never
    resume an older copy: it would draw again.  A step that draws takes about a millisecond.

    With ``batches`` records come through `DurableStream.take`, and a batch is taken as a whole or not
    at all.  It takes a millisecond, and about 70 bytes of the file.  Before the file has more
    than 64 KiB, the `summary` of a run that has one takes the place of all batches.  If a source may
    deliver a record again, ``offsets`` says in words what its offsets are; they are kept with each
    batch, and a record is taken once.  Only a `PrivateOnlineLearner` takes batches.

    With batches and a ``unit`` the run protects all records of a unit together, of which only the
    first ``unit.most`` count.  It then costs `StreamLearner.event_for` the unit; `record_budget`
    divides a budget for units (docs/proofs/units.md, Theorem 5).  The entry also pays for an event
    ``besides``, which a run that is kept in a file cannot have.

    An absent or empty file begins a run.  Nothing is written to any other file before it is
    proved to be the state of this very run: by its first line, its seals, its declarations and
    the ledger's entry.  Raises `ModelError` if it is not, `OutputError` if it cannot be written or
    another process uses it, and what `StreamLearner.start` raises.
    """
    rng = choose_generator(rng)
    for kept, what in ((offsets, "the offsets of records"), (unit, "how often each unit came")):
        if kept is not None and not batches:
            raise DeclarationError(
                f"keep {what}",
                found="the run takes records one by one",
                fix="declare batches=True, and give the records to take",
            )
    if batches and not isinstance(learner, PrivateOnlineLearner):
        raise DeclarationError(
            "take records in batches",
            found="the learner answers for each record before it gets the label",
            fix="leave out batches, or use a learner that publishes hypotheses",
        )
    if besides is not None and state is not None:
        raise DeclarationError(
            f"keep a run with {besides} in a file",
            found="what was counted before a crash would be lost",
            fix="leave out the file, or what the run pays for besides",
        )
    taken = f"by {offsets}" if offsets is not None else _BATCHES if batches else None
    with nullcontext() if state is None else state_file(state) as file:
        lines = [] if file is None else file.read()
        if file is None or not lines:
            run = _begin_run(learner, ledger, dataset, label, rng, file, taken, unit, besides)
        else:
            declared = _declarations_of_run(learner, dataset, label, rng, taken, unit)
            run = _resume_run(learner, ledger, declared, rng, file, lines, unit)
        del lines  # there are many, and this frame lives as long as the run
        yield run


def _begin_run(
    learner: StreamLearner[Stream],
    ledger: Ledger,
    dataset: str,
    label: str,
    rng: random.Random,
    file: StateFile | None,
    taken: str | None,
    unit: Unit | None,
    besides: Event | None,
) -> DurableStream[Stream]:
    # What may fail is found out before the spend.
    declared = _declarations_of_run(learner, dataset, label, rng, taken, unit)
    if file is not None:
        file.settle()
    # A crash between here and the next line costs the budget, and publishes nothing.
    receipt = learner.pay(ledger, dataset, label, rng, unit, besides)
    keep: _Keeper | None = None
    if file is not None:
        header = {**declared, "receipt": receipt.number, "at": receipt.entry.at}
        file.append(header)
        keep = _Keeper(file, header)
    stream = learner.begin(receipt, keep, together=taken is not None)
    run = DurableStream(stream, receipt.number, False, *_notes_of_run(taken, unit), receipt)
    if keep is not None:
        keep.run = run
    return run


def _resume_run(
    learner: StreamLearner[Stream],
    ledger: Ledger,
    declared: dict[str, object],
    rng: random.Random,
    file: StateFile,
    lines: list[bytes],
    unit: Unit | None,
) -> DurableStream[Stream]:
    header: Any = file.value(lines[0])
    kept: Iterable[Any] = map(file.value, islice(lines, 1, None))
    if not isinstance(header, dict):
        raise damage_error(file.path)
    other = [words for name, words in _DECLARED.items() if header.get(name) != declared.get(name)]
    if other:
        raise state_error(file.path, f"that run has another {' and another '.join(other)}")
    number: Any = header.get("receipt")
    event = learner.event_for(unit)
    # The entry must be that of this run: its number, time, cost and mechanism.
    paid = number, header.get("at"), event.cost(), str(event)
    if all(
        (entry.number, entry.at, entry.cost, entry.mechanism) != paid
        for entry in ledger.entries(str(declared["dataset"]))
    ):
        raise state_error(file.path, f"entry {number} of the ledger did not pay for it")
    together, highest, seen = declared["taken"] is not None, dict[str, int](), dict[str, int]()
    if together:
        kept = _single_lines(kept, highest, seen)
    keep = _Keeper(file, header)
    stream = learner.resume(kept, Tape(rng, keep, together=together))
    # Only now is the file known to be the one to resume, so only now may it be changed.
    file.settle()
    notes = _notes_of_run(declared["taken"], unit, highest, seen)
    keep.run = DurableStream(stream, number, True, *notes)
    return keep.run


LONG = 1 << 16
"""The bytes that a file of batches may have before all of them are written as what they come to."""


class _Keeper:
    """Keeps the lines of a run in its file; in place of too many batches, what they come to.

    That is a function of the batches, so it tells nothing that they do not, and the run goes on alike.
    """

    def __init__(self, file: StateFile, header: dict[str, object]) -> None:
        self._file, self._header, self._most = file, header, LONG
        self.run: DurableStream[Any] | None = None  # until it has begun

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


def _notes_of_run(
    taken: object,
    unit: Unit | None,
    highest: Mapping[str, int] = NOTHING,
    seen: Mapping[str, int] = NOTHING,
) -> tuple[Offsets | None, FirstRecords | None]:
    """The offsets and the units that a run keeps, as far as it has come."""
    offsets = None if taken is None or taken == _BATCHES else Offsets(highest)
    return offsets, None if unit is None else FirstRecords(unit, seen)


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


def _declarations_of_run(
    learner: StreamLearner[Any],
    dataset: str,
    label: str,
    rng: random.Random,
    taken: str | None,
    unit: Unit | None,
) -> dict[str, object]:
    return {
        # A table file may have other content by now, and two tables have one text.
        "class": [str(learner.hypotheses), digest(learner.hypotheses)],
        "mechanism": learner.declared_sizes,
        "label": label,
        "dataset": dataset,
        "private": is_cryptographic(rng),
        "taken": taken,
        # A state without a unit is like those of before units were known.
        **({} if unit is None else {"unit": [unit.column, unit.most]}),
    }


MOST_OFFSET = 2**63 - 1
"""The largest offset, that of Kafka."""

_OFFSET_DIGITS = 19


class NumberLog:
    """A whole number for each name; `take_changes` says which ones to keep with each batch of a run."""

    def __init__(self, numbers: Mapping[str, int] = {}) -> None:
        self._numbers = dict(numbers)
        self._changed: set[str] = set()

    def _note(self, name: str, number: int) -> None:
        self._numbers[name] = number
        self._changed.add(name)

    @property
    def numbers(self) -> dict[str, int]:
        """All numbers by their names."""
        return self._numbers

    def take_changes(self) -> dict[str, int]:
        """The numbers that changed since the last call."""
        changed = {name: self._numbers[name] for name in sorted(self._changed)}
        self._changed.clear()
        return changed


class Offsets(NumberLog):
    """The highest offset that was taken of each partition.

    A delivery is new if its offset is higher than all offsets that were taken of its partition before.
    So each record is taken once at most, however often and in whatever order it is delivered.  This
    depends on partitions and offsets alone, never on what a record holds (docs/proofs/offsets.md).

    An offset is a whole number from 0 to 2^63 - 1, and a partition any text that is not empty.  A
    delivery without both is never new.

    >>> offsets = Offsets()
    >>> [offsets.is_new("0", offset) for offset in ("7", "8", "7", "9", "-1", "", "1e3")]
    [True, True, False, True, False, False, False]
    >>> offsets.again, offsets.unusable, offsets.take_changes()
    (1, 3, {'0': 9})
    """

    def __init__(self, taken: Mapping[str, int] = {}) -> None:
        super().__init__(taken)
        self.again, self.unusable = 0, 0
        """How many deliveries were not new, and how many had no usable offset or partition."""

    def is_new(self, partition: object, offset: object) -> bool:
        """Whether a delivery is new; then its offset counts as taken.  Never raises."""
        name, number = text(partition), offset_of(offset)
        if number is None or not name:
            self.unusable += 1
            return False
        # Taken once at most, in whatever order deliveries come (docs/proofs/offsets.md, Lemma 1).
        if number <= self._numbers.get(name, -1):
            self.again += 1
            return False
        self._note(name, number)
        return True


class FirstRecords(NumberLog):
    """How many records of each unit were taken, so that only the first k = ``unit.most`` count.

    Whether a record counts depends on the records of its own unit alone: on how many there were
    before, and not on what they hold (docs/proofs/units.md, Theorem 5).  A unit is known by the text
    of its value, as `Unit` says.  Memory: a number for each unit, so no more than there are records.

    >>> first = FirstRecords(Unit("patient", 2))
    >>> [first.counts(name) for name in ("ann", "bob", "ann", "ann", None, "")]
    [True, True, True, False, True, True]
    >>> first.take_changes()
    {'': 2, 'ann': 2, 'bob': 1}
    """

    def __init__(self, unit: Unit, taken: Mapping[str, int] = {}) -> None:
        super().__init__(taken)
        self._most = unit.most

    def counts(self, value: object) -> bool:
        """Whether the next record counts, which is of the unit with this value.  Never raises."""
        name = text(value)
        before = self._numbers.get(name, 0)
        # By the records of its own unit alone, so one unit's records change no other's
        # (docs/proofs/units.md, Theorem 5).
        if before >= self._most:
            return False
        self._note(name, before + 1)
        return True


def offset_of(value: object) -> int | None:
    """The offset that a value shows; None if it shows none.  Never raises.

    >>> offset_of(" 12 "), offset_of(12), offset_of(-1), offset_of("1e3"), offset_of(None)
    (12, 12, None, None, None)
    """
    shown = (value if type(value) is str else text(value)).strip()
    if len(shown) > _OFFSET_DIGITS or not (shown.isascii() and shown.isdigit()):
        return None
    number = int(shown)
    return number if number <= MOST_OFFSET else None


MAGIC = b"littlestone run 3\n"
_OLDER = {
    b'{"format": "littlestone run 1"': "it is of littlestone 0.1, whose states have no checksums",
    b"littlestone run 2\n": "it is of an earlier version, whose states tell of draws in another form",
}
_DIGITS = 16  # of SHA-256 in hexadecimal, at the end of a line


class StateFile:
    """An open state: `read` it once, then `append` lines.

    Lines are read as they are, because the values of all of them would take far more memory.

    The first line says what the file is.  Each later line is a JSON value, a space, and 16 digits of
    the SHA-256 of all bytes of the file before that space.  So a line that was changed, removed, moved
    or doubled is found.  The digits are not secret: they detect damage, not forgery.

    A crash may cut the line that was being added.  Nothing depended on it, and `settle` removes it.
    """

    def __init__(self, path: Path, file: IO[bytes], lock: Path) -> None:
        self.path, self._file, self._lock = path, file, lock
        self._process, self._locked = os.getpid(), os.stat(lock)
        self._failed = False
        self._seal = hashlib.sha256(MAGIC)
        self._length, self._torn, self._unended = 0, 0, False

    def read(self) -> list[bytes]:
        """All lines, for `value`, or an empty list for an empty file; writes nothing.

        Raises `ModelError` if the file is not a state, or is damaged.
        """
        _require_state(self.path)
        head = self._file.read(len(MAGIC))
        content = self._file.read()
        self._length = len(head) + len(content)
        *whole, last = content.split(b"\n")
        lines = [self._unseal(line) for line in whole]
        if last and self._is_sealed(last):
            self._unended = True
            return [*lines, self._unseal(last)]
        if self._is_sealed(last[:-1]):  # a crash cuts a line, but does not overwrite its end
            raise damage_error(self.path)
        self._torn = len(last)
        return lines

    def _is_sealed(self, line: bytes) -> bool:
        return _line(line[: -_DIGITS - 1], self._seal.copy()) == line + b"\n"

    def _unseal(self, line: bytes) -> bytes:
        payload = line[: -_DIGITS - 1]
        if _line(payload, self._seal) != line + b"\n":
            raise damage_error(self.path)
        return payload

    def value(self, line: bytes) -> Any:
        """The value of a line that was read; raises `ModelError` if it has none."""
        try:
            return json.loads(line)
        except (ValueError, RecursionError):  # nothing that `append` wrote
            raise damage_error(self.path) from None

    def settle(self) -> None:
        """Remove what a crash cut short, once the file is known to be the one to resume."""
        if not self._length:
            self._put(MAGIC)
        elif self._torn:
            with self._guard():
                self._length, self._torn = self._length - self._torn, 0
                self._file.truncate(self._length)
                os.fsync(self._file.fileno())
        elif self._unended:
            self._unended = False
            self._put(b"\n")

    def append(self, data: object) -> None:
        """Add a line, which is on the disk when this returns.

        Raises `OutputError` if that fails, if the path now names another file, or if another program
        wrote to the file or removed the lock.  Nothing can be added after that.
        """
        self.settle()
        self._put(_line(json.dumps(data).encode(), self._seal))

    @property
    def length(self) -> int:
        """The bytes of the file."""
        return self._length

    def is_beyond(self, data: object, most: int) -> bool:
        """Whether the file would have more than so many bytes with this line."""
        return self._length + len(json.dumps(data)) > most

    def replace(self, values: Iterable[object]) -> None:
        """Put these lines in place of all others, at once: a crash leaves the old file or the new one.

        The new one is written beside the file and renamed.  Raises what `append` raises.
        """
        self.settle()
        seal, beside = hashlib.sha256(MAGIC), next_of(self.path)
        content = MAGIC + b"".join(_line(json.dumps(value).encode(), seal) for value in values)
        with self._guard():
            _require_own(beside)  # a crash may have left one
            with ExitStack() as failed:
                file = failed.enter_context(open(beside, "w+b", buffering=0, opener=_open))
                _write(file, content)
                os.fsync(file.fileno())
                os.replace(beside, self.path)
                sync_folder(self.path.parent)
                failed.pop_all()
            self.let_go()
            self._file, self._seal, self._length = file, seal, len(content)

    def let_go(self) -> None:
        """Close the file."""
        self._file.close()

    def _put(self, content: bytes) -> None:
        with self._guard():
            self._file.seek(self._length)
            _write(self._file, content)
            # `append` returns only when the line is on the disk: what it holds may be published then.
            os.fsync(self._file.fileno())
            if not self._length:
                sync_folder(self.path.parent)
            self._length += len(content)

    @contextmanager
    def _guard(self) -> Iterator[None]:
        """Make sure, before and after a change, that nobody else changes the file."""
        if self._failed:
            raise unusable(self.path, "an earlier line could not be kept")
        self._failed = True  # until the end
        try:
            self._require_alone()
            yield
            self._require_alone()
        except OutputError:
            raise
        except OSError as error:
            raise unusable(self.path, error.strerror or "it cannot be written") from None
        self._failed = False

    def _require_alone(self) -> None:
        if os.getpid() != self._process:
            raise unusable(self.path, "the run belongs to the process that began it")
        held = os.fstat(self._file.fileno())
        try:
            named, lock = os.stat(self.path), os.stat(self._lock)
        except FileNotFoundError as error:
            raise unusable(self.path, f"{error.filename} was removed meanwhile") from None
        # Compared before and after each write: an editor may replace a file while it is open.
        if not os.path.samestat(held, named) or not os.path.samestat(self._locked, lock):
            raise unusable(self.path, "another file took its place, or that of its lock, meanwhile")
        if held.st_size != self._length:
            raise unusable(self.path, "another program wrote to it meanwhile")


def _write(file: IO[bytes], content: bytes) -> None:
    rest = memoryview(content)
    while rest:
        rest = rest[file.write(rest) :]


def _line(payload: bytes, seal: Any) -> bytes:
    """The line of ``payload``; ``seal`` hashes all bytes before it, then all up to its end."""
    seal.update(payload)
    digits: str = seal.hexdigest()[:_DIGITS]
    end = f" {digits}\n".encode()
    seal.update(end)
    return payload + end


@contextmanager
def state_file(path: Path) -> Iterator[StateFile]:
    """Open the state in ``path`` for this process alone; nothing is written to it yet.

    The lock is on a separate file next to it, and holds even if an editor replaces the state itself.
    Raises `ModelError` for any other file and a damaged state, and `OutputError` if it cannot be
    opened or another process uses it.
    """
    with ExitStack() as held:
        try:
            state = _hold(Path(os.path.realpath(path)), held)
        except Timeout:
            raise unusable(path, "another process goes on with that run") from None
        except OutputError:
            raise
        except OSError as error:
            raise unusable(path, error.strerror or "it cannot be opened") from None
        yield state


def _hold(path: Path, held: ExitStack) -> StateFile:
    lock = lock_of(path)
    for name in (path, lock):
        if name.exists() and not name.is_file():
            raise unusable(path, f"{name} is not a file")
    if lock.exists() and lock.stat().st_size:
        raise unusable(path, f"{lock} is not empty, so it is no lock, and is left as it is")
    if path.exists():
        _require_state(path)  # before the lock, which would be left beside a file of another kind
    held.enter_context(FileLock(lock, timeout=0, mode=0o600, thread_local=False))
    # Only its owner may read it.  It is unbuffered, so a failed write is not tried again later.
    state = StateFile(path, open(path, "r+b", buffering=0, opener=_open), lock)  # noqa: SIM115
    held.callback(state.let_go)
    if path.stat().st_nlink > 1:
        raise unusable(path, "it has another name, a hard link, under which it is not locked")
    _require_own(next_of(path))
    return state


def _require_own(beside: Path) -> None:
    """Raise `OutputError` if something else has the name under which a new state is written."""
    if beside.is_symlink() or (beside.exists() and not beside.is_file()):
        raise unusable(beside, "it is not a file")
    if beside.exists():
        with beside.open("rb") as file:
            head = file.read(len(MAGIC))
        if not MAGIC.startswith(head):
            raise unusable(beside, "it is not the state of a run, so it is left as it is")


def _require_state(path: Path) -> None:
    """Raise `ModelError` unless the file is empty or begins as a state does."""
    with path.open("rb") as file:
        head = file.read(max(map(len, (MAGIC, *_OLDER))))
    if head and not head.startswith(MAGIC):
        for older, found in _OLDER.items():
            if head.startswith(older):
                raise state_error(path, found)
        raise state_error(path, "it is not the state of a run, so it is left as it is")


def _open(path: str, flags: int) -> int:
    return os.open(path, flags | os.O_CREAT, 0o600)


def lock_of(path: Path) -> Path:
    """The lock of the state in ``path``.

    >>> lock_of(Path("/here/run.state")).name
    'run.state.lock'
    """
    return Path(f"{os.path.realpath(path)}.lock")


def next_of(path: Path) -> Path:
    """The name under which a new state is written before it takes the place of the one in ``path``.

    >>> next_of(Path("/here/run.state")).name
    'run.state.next'
    """
    return Path(f"{os.path.realpath(path)}.next")


def state_error(path: Path, found: str) -> ModelError:
    """The error for a file that is not the state of this run."""
    return ModelError(
        f"go on with the run in {path}",
        found=found,
        fix="repeat all options and the ledger of the run's first call, or begin another run in "
        "another file",
    )


def damage_error(path: Path) -> ModelError:
    """The error for a state whose lines are not those that were written."""
    return ModelError(
        f"go on with the run in {path}",
        found="it is damaged: a line was changed, removed or moved",
        fix="begin another run in another file; an older copy would draw again what was published",
    )


def unusable(path: Path, found: str) -> OutputError:
    """The error for a file that cannot keep a run."""
    return OutputError(
        f"keep a run in {path}",
        found=found,
        fix="give a file that can be written, for this run only",
    )
