"""A durable record of privacy costs, written before the draws that they pay for.

The rule is that the ledger records first.  `Ledger.spend` returns a `Receipt` only once its entry
is on disk, and a mechanism draws only against a receipt that it redeems, so any draw that ever left
the process has its entry; a crash between the two only wastes budget, it never hides a draw.

A power cut counts as a crash.  The file is a SQLite database with a rollback journal, where deleting
the journal is what commits.  ``synchronous = EXTRA`` also flushes the directory after the deletion;
with ``FULL`` the journal could come back after a power cut and undo an entry already drawn against.

What the ledger cannot see: a file restored from an older copy has forgotten the spends since, and
a network drive whose locks do not work cannot keep two machines apart.  Keep it on a local disk.
"""

from __future__ import annotations

import os
import sqlite3
import sys
import threading
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from dataclasses import InitVar, dataclass, field
from datetime import UTC, datetime
from fractions import Fraction
from numbers import Rational
from pathlib import Path
from types import TracebackType
from typing import NoReturn, Self

from littlestone.errors import BudgetExceededError, DeclarationError, LedgerError
from littlestone.privacy.cost import Event, NeighboringRelation, PrivacyCost

_APPLICATION = int.from_bytes(b"LsDP", "big")  # SQLite's application_id: this file is a ledger
_VERSION = 1  # SQLite's user_version: the tables below
_TABLES = (
    "CREATE TABLE limits (dataset TEXT PRIMARY KEY, epsilon TEXT NOT NULL, delta TEXT NOT NULL,"
    " neighboring TEXT NOT NULL)",
    "CREATE TABLE entries (number INTEGER PRIMARY KEY AUTOINCREMENT, dataset TEXT NOT NULL,"
    " what TEXT NOT NULL, mechanism TEXT NOT NULL, epsilon TEXT NOT NULL, delta TEXT NOT NULL,"
    " neighboring TEXT NOT NULL, at TEXT NOT NULL)",
    "CREATE INDEX costs ON entries (dataset, epsilon, delta, neighboring)",
    "CREATE TRIGGER no_update BEFORE UPDATE ON entries"
    " BEGIN SELECT RAISE(ABORT, 'an entry of the ledger is never changed'); END",
    "CREATE TRIGGER no_delete BEFORE DELETE ON entries"
    " BEGIN SELECT RAISE(ABORT, 'an entry of the ledger is never deleted'); END",
)
_COST = "epsilon, delta, neighboring"

# A lock held by another process is waited for in slices, so that Ctrl+C is heard in between.
_SLICE = 1.0  # seconds
_SLICES = 60

# Held during every transaction and every fork.  A child that inherited an open transaction would
# believe it holds file locks that only its parent has, and could spend past a limit.
_QUIET = threading.RLock()
if sys.platform != "win32":
    os.register_at_fork(
        before=_QUIET.acquire, after_in_parent=_QUIET.release, after_in_child=_QUIET.release
    )
_INHERITED: list[sqlite3.Connection] = []  # SQLite asks that a forked child never close these
_SEAL = object()


@dataclass(frozen=True)
class Entry:
    """One line of the ledger: spend ``number`` paid ``cost`` for ``what`` on ``dataset``.

    ``mechanism`` is the event's text and ``at`` the time in UTC, ISO 8601 to the second.
    """

    number: int
    dataset: str
    what: str
    mechanism: str
    cost: PrivacyCost
    at: str


@dataclass(frozen=True, eq=False)
class Receipt:
    """Proof that the cost of ``event`` is durably recorded; it pays for one draw.

    Only `Ledger.spend` makes one.  A receipt cannot be copied, pickled or used in another process:
    a second copy would pay for a second draw.
    """

    event: Event
    entry: Entry
    seal: InitVar[object] = None
    _process: int = field(default_factory=os.getpid, init=False, repr=False)
    # Taken once and never given back, so that of two threads exactly one draws.
    _unused: threading.Lock = field(default_factory=threading.Lock, init=False, repr=False)

    def __post_init__(self, seal: object) -> None:
        if seal is not _SEAL:
            self._refuse("make a receipt", "only a recorded spend makes one", "call Ledger.spend")

    @property
    def number(self) -> int:
        """The number of the ledger's entry."""
        return self.entry.number

    @property
    def dataset(self) -> str:
        """The data set whose budget paid."""
        return self.entry.dataset

    def redeem(self, event: Event) -> None:
        """Use the receipt up; a mechanism calls this immediately before it draws.

        Raises `LedgerError`, and then nothing may be drawn, when ``event`` is not the one paid for
        (as recorded, should the event have changed since), when the receipt was redeemed before,
        and in any process but the one that spent.
        """
        asked = f"draw from {event} on receipt {self.number}"
        paid = self.entry
        if event != self.event or (str(event), event.cost()) != (paid.mechanism, paid.cost):
            self._refuse(asked, f"it pays for {paid.mechanism}, {paid.cost}", "spend for this draw")
        if os.getpid() != self._process:
            self._refuse(asked, "another process spent for it", "spend in the process that draws")
        if not self._unused.acquire(blocking=False):
            self._refuse(asked, "it has paid for a draw already", "spend once for every draw")

    def __reduce__(self) -> NoReturn:
        self._refuse("copy a receipt", "it pays for one draw", "spend once for every draw")

    @staticmethod
    def _refuse(asked: str, found: str, fix: str) -> NoReturn:
        raise LedgerError(asked, found=found, fix=fix)


class Ledger:
    """The privacy budget of every data set: limits, and spends added up by basic composition.

    ``path`` is the ledger's file, made if it is missing unless ``create`` is false; ``None`` keeps
    the ledger in memory, for tests and simulations.  Costs are exact rationals throughout.

    Any number of processes, and of threads on one ledger, may spend at once: each spend is a
    transaction of its own that no other can interleave.  After a fork the child opens the file
    anew; a ledger in memory stays with the process that made it.

    Raises `LedgerError` at once when the file cannot be opened or written, or is not a ledger.
    Cost: one durable write a spend, a few milliseconds on a local disk, and one pass over the
    data set's entries in the index.

    >>> from dataclasses import dataclass
    >>> @dataclass(frozen=True)
    ... class Answer(Event):
    ...     epsilon: Fraction
    ...     def cost(self) -> PrivacyCost:
    ...         return PrivacyCost(self.epsilon)
    ...     def __str__(self) -> str:
    ...         return f"answer({self.epsilon})"
    >>> event = Answer(Fraction(1, 10))
    >>> with Ledger() as ledger:
    ...     ledger.set_limit("census", PrivacyCost(Fraction(1)))
    ...     receipt = ledger.spend(event, dataset="census", what="a first look")
    ...     receipt.redeem(event)
    ...     ledger.total("census").epsilon
    Fraction(1, 10)
    """

    def __init__(self, path: str | os.PathLike[str] | None = None, *, create: bool = True) -> None:
        self.path = None if path is None else os.path.abspath(path)
        self._connection: sqlite3.Connection | None = None
        self._connection = self._open(create=create)
        self._process = os.getpid()

    def spend(self, event: Event, *, dataset: str, what: str) -> Receipt:
        """Record the cost of ``event`` against ``dataset`` and return the receipt, durable by then.

        ``what`` says in a few public words what the draw is for.  Raises `BudgetExceededError` when
        the total would pass the data set's limit, `DeclarationError` for a negative or inexact
        cost or an illegal name, and `LedgerError` when the file cannot be written.  After any
        error there is no receipt, hence no draw; after the first two nothing is recorded either.
        """
        # The event's own code runs before the file is locked, and only once.
        cost, mechanism = _checked(event.cost()), _name(str(event), "the event's text")
        dataset, what = _name(dataset, "a data set"), _name(what, "a purpose")
        asked = f"spend {cost} on data set {dataset!r}"
        with self._transaction(asked) as connection:
            after = sum(_paid(connection, dataset), start=cost)
            limit = _limit(connection, dataset)
            if limit is not None and not (
                after.neighboring is limit.neighboring and after.within(limit)
            ):
                raise BudgetExceededError(
                    asked,
                    found=f"the total would be {after} and the limit is {limit}",
                    fix="spend less, or raise the limit if the promise made to people allows it",
                )
            entry = _insert(connection, dataset, what, mechanism, cost)
        return Receipt(event, entry, seal=_SEAL)

    def set_limit(self, dataset: str, limit: PrivacyCost) -> None:
        """Declare the most that ``dataset`` may ever cost, in place of any earlier limit.

        A limit below what is already spent is accepted: nothing can be unspent, and every further
        spend that costs anything is refused.  Raises `DeclarationError` when epsilon or delta is
        negative.
        """
        row = (_name(dataset, "a data set"), *_texts(_checked(limit)))
        with self._transaction(f"set the limit of data set {dataset!r}") as connection:
            connection.execute("INSERT OR REPLACE INTO limits VALUES (?, ?, ?, ?)", row)

    def limit(self, dataset: str) -> PrivacyCost | None:
        """The limit declared for ``dataset``, or ``None`` when there is none."""
        with self._transaction("read a limit") as connection:
            return _limit(connection, dataset)

    def total(self, dataset: str) -> PrivacyCost:
        """The sum of all costs of ``dataset`` (basic composition), zero when it has no entries."""
        with self._transaction("read a total") as connection:
            paid = _paid(connection, dataset)
        return sum(paid[1:], start=paid[0]) if paid else PrivacyCost(Fraction(0))

    def entries(self, dataset: str | None = None) -> list[Entry]:
        """The entries of ``dataset``, or of all data sets, in the order they were spent."""
        with self._transaction("read the entries") as connection:
            rows = connection.execute(
                f"SELECT number, dataset, what, mechanism, at, {_COST} FROM entries"
                " WHERE ?1 IS NULL OR dataset = ?1 ORDER BY number",
                (dataset,),
            ).fetchall()
            return [Entry(*row[:4], _cost(*row[5:]), row[4]) for row in rows]

    def datasets(self) -> list[str]:
        """The names of all data sets with an entry or a limit, sorted."""
        with self._transaction("read the data sets") as connection:
            rows = connection.execute(
                "SELECT dataset FROM entries UNION SELECT dataset FROM limits"
            )
            return sorted(name for (name,) in rows)

    def close(self) -> None:
        """Close the file.  A closed ledger answers nothing more; closing twice is harmless."""
        with _QUIET:
            connection, self._connection = self._connection, None
            if connection is not None:
                if self._process == os.getpid():
                    connection.close()
                else:
                    _INHERITED.append(connection)

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        traceback: TracebackType | None,
    ) -> None:
        self.close()

    def _open(self, *, create: bool) -> sqlite3.Connection:
        asked = f"open the ledger {self.path or 'in memory'}"
        target = ":memory:"
        if self.path is not None:
            folder = os.path.dirname(self.path)
            if not os.path.isdir(folder):
                raise LedgerError(asked, found=f"there is no directory {folder}", fix="make it")
            if not create and not os.path.exists(self.path):
                raise LedgerError(asked, found="there is no such file", fix="check the path")
            target = f"{Path(self.path).as_uri()}?mode={'rwc' if create else 'rw'}"
        with _errors(asked):
            connection = sqlite3.connect(
                target, timeout=_SLICE, isolation_level=None, check_same_thread=False, uri=True
            )
        try:
            with _QUIET, _errors(asked), _atomically(connection):
                _prepare(connection, asked, create=create)
            with _errors(asked):
                connection.execute("PRAGMA synchronous = EXTRA")
                # On macOS a plain fsync leaves the data in the drive's cache; elsewhere no effect.
                connection.execute("PRAGMA fullfsync = ON")
        except BaseException:
            connection.close()
            raise
        return connection

    @contextmanager
    def _transaction(self, asked: str) -> Iterator[sqlite3.Connection]:
        with _QUIET, _errors(asked):
            if self._connection is None:
                raise LedgerError(asked, found="the ledger is closed", fix="open it again")
            if self._process != os.getpid():
                if self.path is None:
                    raise LedgerError(
                        asked,
                        found="a ledger in memory belongs to the process that made it",
                        fix="give the ledger a file to share it among processes",
                    )
                connection = self._open(create=False)
                _INHERITED.append(self._connection)
                self._connection, self._process = connection, os.getpid()
            if self._connection.in_transaction:
                raise LedgerError(
                    asked,
                    found="this thread is in the middle of another use of the ledger",
                    fix="do not use a ledger inside a signal handler",
                )
            with _atomically(self._connection):
                yield self._connection


@contextmanager
def _errors(asked: str) -> Iterator[None]:
    try:
        yield
    except sqlite3.Error as error:
        raise LedgerError(
            asked,
            found=f"SQLite says: {error}",
            fix="check that the path is a ledger of this package, that the file and its directory "
            "can be written and have space, and that no other program holds the file",
        ) from error


@contextmanager
def _atomically(connection: sqlite3.Connection) -> Iterator[None]:
    """All or nothing.  Readers too take the write lock: it is the one lock that waits its turn."""
    try:
        _patiently(connection, "BEGIN IMMEDIATE")
        yield
        _patiently(connection, "COMMIT")
    except BaseException:  # Ctrl+C included: an abandoned lock would stop every other process
        with suppress(sqlite3.Error):
            connection.rollback()
        raise


def _patiently(connection: sqlite3.Connection, statement: str) -> None:
    for slices_left in reversed(range(_SLICES)):
        try:
            connection.execute(statement)
            return
        except sqlite3.OperationalError as error:
            # The low byte of an error code is its kind, the rest says more about it.
            if error.sqlite_errorcode & 0xFF != sqlite3.SQLITE_BUSY or not slices_left:
                raise


def _prepare(connection: sqlite3.Connection, asked: str, *, create: bool) -> None:
    """Make the tables in an empty file; refuse every other file that is not a ledger."""
    (application,) = connection.execute("PRAGMA application_id").fetchone()
    (version,) = connection.execute("PRAGMA user_version").fetchone()
    (tables,) = connection.execute("SELECT COUNT(*) FROM sqlite_master").fetchone()
    # A process that was killed while making the file leaves it empty.
    if create and (application, version, tables) == (0, 0, 0):
        for statement in (*_TABLES, f"PRAGMA application_id = {_APPLICATION}"):
            connection.execute(statement)
    elif application != _APPLICATION:
        raise LedgerError(asked, found="the file is not a ledger", fix="check the path")
    elif version != _VERSION:
        raise LedgerError(
            asked,
            found=f"the file has format {version}, this version of the package knows {_VERSION}",
            fix="use the version of littlestone that wrote it",
        )
    # Written at every opening, so that a read-only file or directory is found out here and not
    # when the first spend fails.
    connection.execute(f"PRAGMA user_version = {_VERSION}")


def _paid(connection: sqlite3.Connection, dataset: str) -> list[PrivacyCost]:
    """What was spent on ``dataset``, equal costs already multiplied out."""
    rows = connection.execute(
        f"SELECT {_COST}, COUNT(*) FROM entries WHERE dataset = ? GROUP BY {_COST}", (dataset,)
    )
    return [_cost(*row) for row in rows]


def _limit(connection: sqlite3.Connection, dataset: str) -> PrivacyCost | None:
    row = connection.execute(f"SELECT {_COST} FROM limits WHERE dataset = ?", (dataset,)).fetchone()
    return None if row is None else _cost(*row)


def _insert(
    connection: sqlite3.Connection, dataset: str, what: str, mechanism: str, cost: PrivacyCost
) -> Entry:
    at = datetime.now(UTC).isoformat(timespec="seconds")
    (number,) = connection.execute(
        f"INSERT INTO entries (dataset, what, mechanism, at, {_COST})"
        " VALUES (?, ?, ?, ?, ?, ?, ?) RETURNING number",
        (dataset, what, mechanism, at, *_texts(cost)),
    ).fetchone()
    return Entry(number, dataset, what, mechanism, cost, at)


def _texts(cost: PrivacyCost) -> tuple[str, str, str]:
    epsilon, delta = (
        f"{value.numerator}/{value.denominator}" for value in (cost.epsilon, cost.delta)
    )
    return epsilon, delta, cost.neighboring.value


def _cost(epsilon: str, delta: str, neighboring: str, times: int = 1) -> PrivacyCost:
    try:
        return PrivacyCost(
            Fraction(epsilon) * times, Fraction(delta) * times, NeighboringRelation(neighboring)
        )
    except (TypeError, ValueError, ZeroDivisionError) as error:
        raise LedgerError(
            "read the ledger",
            found="it holds a cost that this package did not write",
            fix="restore the file, and add the spends made since the copy was taken",
        ) from error


def _checked(cost: PrivacyCost) -> PrivacyCost:
    for name, value in (("epsilon", cost.epsilon), ("delta", cost.delta)):
        if not isinstance(value, Rational) or value < 0:
            raise DeclarationError(
                f"use {name} = {value} in the ledger",
                found="it is not an exact rational number of at least 0",
                fix="give a Fraction; littlestone.privacy.cost.exact reads 0.1 as 1/10",
            )
    return cost


def _name(text: str, what: str) -> str:
    # Line breaks and invisible characters could pass one data set off as another.
    if not text or text != text.strip() or not text.isprintable():
        raise DeclarationError(
            f"use {text!r} as the name of {what}",
            found="it is empty, has spaces around it or characters that cannot be printed",
            fix="use plain words on one line",
        )
    return text
