"""The file of a ledger: a SQLite database that is checked when opened and survives a crash.

A power cut counts as a crash.  With a rollback journal, deleting the journal is what commits.
``synchronous = EXTRA`` flushes the directory after the deletion; under ``FULL`` the journal could
come back after a power cut and undo an entry that a draw had already been made against.

A file may have only one name, because the journal is named after it.  A process that opened a second
hard link would not see the journal that a crash left beside the first, and that journal would later
undo its spends.
"""

from __future__ import annotations

import os
import sqlite3
import time
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from functools import partial
from pathlib import Path

from littlestone.base.errors import LedgerError
from littlestone.privacy.ledger.common_tables import (
    ALIASES,
    COLUMNS,
    DENOMINATOR,
    FORMAT,
    LIMITS,
    NEW_LIMITS,
    NUMERATOR,
    PART_COLUMNS,
    SEEN,
    UNITS,
    sound_alias,
    sound_entry,
    sound_limit,
    sound_seen,
    sound_units,
)
from littlestone.privacy.ledger.store import PATIENCE, Turn, forks

# SQLite's application_id tells that a file is a ledger, its user_version the format.
APPLICATION = int.from_bytes(b"LsDP", "big")
_COSTS = (
    "CREATE INDEX costs ON entries (dataset, partition, part, parts, epsilon, delta, neighboring)"
)
_ENTRIES = (
    f"CREATE TABLE entries (number INTEGER PRIMARY KEY AUTOINCREMENT, {COLUMNS},"
    f" {', '.join(PART_COLUMNS)})"
)


def _guard_triggers(table: str) -> list[str]:
    return [
        f"CREATE TRIGGER no_{deed}{'' if table == 'entries' else '_' + table}"
        f" BEFORE {deed.upper()} ON {table}"
        f" BEGIN SELECT RAISE(ABORT, 'an entry of the ledger is never {deed}d'); END"
        for deed in ("update", "delete")
    ]


def _only(table: str, deed: str, rule: str, *, moment: str = "BEFORE") -> str:
    # A trigger and not a constraint, because a constraint cannot be added to an existing table.
    return (
        f"CREATE TRIGGER sound_{deed}_{table}{'' if moment == 'BEFORE' else '_number'}"
        f" {moment} {deed.upper()} ON {table} WHEN NOT ({rule})"
        " BEGIN SELECT RAISE(ABORT, 'this package would not write such a row'); END"
    )


_NUMBER = (
    "typeof({0}) = 'text' AND {0} GLOB '[0-9]*/[1-9]*' AND {0} NOT GLOB '*[^0-9/]*'"
    f" AND {{0}} NOT GLOB '*/*/*' AND instr({{0}}, '/') <= {NUMERATOR + 1}"
    f" AND length({{0}}) - instr({{0}}, '/') <= {DENOMINATOR}"
)
# What ends a line or a text for some program: the controls, and Unicode's own line ends.
_CONTROLS = "char(1) || '-' || char(31, 127) || '-' || char(159, 8232, 8233)"
_TEXT = (
    "typeof({0}) = 'text' AND instr(CAST({0} AS BLOB), x'00') = 0"
    f" AND {{0}} NOT GLOB '*[' || {_CONTROLS} || ']*'"
)
# The largest gap before an entry's number; a number near 2^63 would be the last.
_GAP = 1_000_000
# By the format that each step starts from.  A new file is 0, and its tables need no step 1.
STEPS = {
    0: (LIMITS, _ENTRIES, _COSTS, *_guard_triggers("entries")),
    1: (
        *(f"ALTER TABLE entries ADD COLUMN {column}" for column in PART_COLUMNS),
        "DROP INDEX costs",
        _COSTS,
    ),
    2: (
        ALIASES,
        SEEN,
        *_guard_triggers("aliases"),
        _only("aliases", "insert", sound_alias(_TEXT, "NEW.")),
        _only("seen", "insert", sound_seen(_TEXT, "NEW.") + " AND typeof(NEW.n) = 'integer'"),
        _only("seen", "update", sound_seen(_TEXT, "NEW.") + " AND typeof(NEW.n) = 'integer'"),
        _only(
            "entries",
            "insert",
            f"NEW.number BETWEEN 1 AND {_GAP} + (SELECT coalesce(max(number), 0) FROM entries"
            " WHERE number < NEW.number)",
            moment="AFTER",
        ),
    ),
    3: (
        # Format 3 had these rules for costs about one record replaced alone.
        *(
            f"DROP TRIGGER IF EXISTS sound_{deed}"
            for deed in ("insert_limits", "update_limits", "insert_entries")
        ),
        _only("limits", "insert", sound_limit(_NUMBER, _TEXT, "NEW.")),
        _only("limits", "update", sound_limit(_NUMBER, _TEXT, "NEW.")),
        # INSERT OR REPLACE would delete an entry, and no trigger on deletion would fire.
        # Before the insertion, -1 stands for a number that is not yet given.
        _only(
            "entries",
            "insert",
            sound_entry(_NUMBER, _TEXT, "NEW.")
            + " AND typeof(NEW.part) = 'integer' AND typeof(NEW.parts) = 'integer'"
            " AND (NEW.number = -1 OR"
            " NOT EXISTS (SELECT 1 FROM entries WHERE number = NEW.number))",
        ),
    ),
    4: (
        # SQLite cannot drop a primary key, so the limits move to a table without one.
        *(f"DROP TRIGGER sound_{deed}_limits" for deed in ("insert", "update")),
        "ALTER TABLE limits RENAME TO old_limits",
        NEW_LIMITS,
        "INSERT INTO limits SELECT dataset, epsilon, delta, neighboring FROM old_limits"
        " WHERE dataset IS NOT NULL",
        "DROP TABLE old_limits",
        "CREATE INDEX limits_of ON limits (dataset)",
        _only("limits", "insert", sound_limit(_NUMBER, _TEXT, "NEW.")),
        _only("limits", "update", sound_limit(_NUMBER, _TEXT, "NEW.")),
        UNITS,
        *_guard_triggers("units"),
        _only(
            "units",
            "insert",
            sound_units(_TEXT, "NEW.")
            + " AND typeof(NEW.most) = 'integer' AND typeof(NEW.entries) = 'integer'",
        ),
    ),
}


# SQLite looks for a free lock ever less often, up to ten times a second, and so can starve beside
# busy processes.  Asking anew after each short wait keeps it looking, and lets Ctrl+C in between.
_WAIT = 0.02  # seconds

_INHERITED: list[sqlite3.Connection] = []  # no child that was forked may close these


class LedgerFile:
    """The tables of a ledger in the file ``path``, or in memory if ``path`` is ``None``.

    Raises `LedgerError` at once if the file is missing and ``create`` is false, if it cannot be opened
    or written, or if it is not a ledger.  One connection serves all threads in turn.

    >>> with LedgerFile(None, create=True).transaction("count the entries") as connection:
    ...     connection.execute("SELECT COUNT(*) FROM entries").fetchone()
    (0,)
    """

    def __init__(self, path: str | os.PathLike[str] | None, *, create: bool) -> None:
        self._connection: sqlite3.Connection | None = None
        self._turn = Turn(fork_waits=True)
        self.connection = None  # no server
        self.made = False
        self.path = None if path is None else os.path.abspath(os.fspath(path))
        self._connection = self._open(create=create)
        self._process = os.getpid()

    @contextmanager
    def transaction(self, asked: str) -> Iterator[sqlite3.Connection]:
        """Run the body alone, all or nothing; what it wrote is on disk when the block ends.

        ``asked`` begins the message of the `LedgerError` that replaces any failure of SQLite.
        """
        with self._turn.hold(asked), _errors(asked):
            connection = self._connection_of_this_process(asked)
            with _atomically(connection):
                yield connection

    def close(self) -> None:
        """Close the file; closing twice is harmless."""
        with self._turn.lock:
            connection, self._connection = self._connection, None
            if connection is not None:
                if self._process == os.getpid():
                    connection.close()
                else:
                    _INHERITED.append(connection)

    def __del__(self) -> None:
        # Nothing is buffered, so a ledger that is dropped unclosed has lost nothing.  It may be dropped
        # in the middle of a transaction of another, for whose end a fork waits: then it stays open.
        if self._connection is not None:
            if forks.acquire(blocking=False):
                try:
                    self.close()
                finally:
                    forks.release()
            else:
                _INHERITED.append(self._connection)

    def _open(self, *, create: bool) -> sqlite3.Connection:
        asked = f"open the ledger {self.path or 'in memory'}"
        if sqlite3.sqlite_version_info < (3, 35):
            raise LedgerError(
                asked,
                found=f"SQLite {sqlite3.sqlite_version} does not know RETURNING",
                fix="use a Python that comes with SQLite 3.35 or newer",
            )
        target = ":memory:"
        if self.path is not None:
            if error := no_directory(self.path):
                raise error
            if not create and not os.path.exists(self.path):
                raise LedgerError(asked, found="there is no such file", fix="check the path")
            target = f"{Path(self.path).as_uri()}?mode={'rwc' if create else 'rw'}"
        self._require_one_name(asked)
        with self._turn.lock, _errors(asked):
            connection = sqlite3.connect(
                target, timeout=_WAIT, isolation_level=None, check_same_thread=False, uri=True
            )
            # A damaged text, which another program wrote, is an odd name but stops nothing.
            connection.text_factory = partial(str, encoding="utf-8", errors="surrogateescape")
            try:
                _patiently(connection, "PRAGMA synchronous = EXTRA")
                # On macOS a plain fsync leaves data in the drive's cache; elsewhere no effect.
                _patiently(connection, "PRAGMA fullfsync = ON")
                with _atomically(connection):
                    self.made = _prepare(connection, asked)
            except BaseException:
                connection.close()
                raise
        return connection

    def _connection_of_this_process(self, asked: str) -> sqlite3.Connection:
        if self._connection is None:
            raise LedgerError(asked, found="the ledger is closed", fix="open it again")
        if self._process != os.getpid():
            if self.path is None:
                raise LedgerError(
                    asked,
                    found="a ledger in memory belongs to the process that made it",
                    fix="give the ledger a file to share it among processes",
                )
            # A child opens the file anew and keeps, unclosed, what it inherited: closing it would
            # undo the parent's transaction.
            connection = self._open(create=False)
            _INHERITED.append(self._connection)
            self._connection, self._process = connection, os.getpid()
        self._require_one_name(asked)  # another may have been added since it was opened
        return self._connection

    def _require_one_name(self, asked: str) -> None:
        try:
            links = (
                1 if self.path is None or os.path.isdir(self.path) else os.stat(self.path).st_nlink
            )
        except FileNotFoundError:
            return  # missing or deleted: SQLite makes the one and reports the other
        except OSError as error:
            raise LedgerError(
                asked, found=f"the file cannot be looked at: {error.strerror}", fix="check the path"
            ) from error
        if links > 1:
            raise LedgerError(
                asked,
                found=f"the file has {links} names (hard links), and after a crash a spend under one "
                "could be undone under another",
                fix="remove all names but one (`find -samefile` lists them); a symbolic link may stay",
            )


def no_directory(path: str) -> LedgerError | None:
    """The error for a ledger in a directory that does not exist; None if it does."""
    path = os.path.abspath(path)
    folder = os.path.dirname(path)
    if os.path.isdir(folder):
        return None
    found = f"there is no directory {folder}"
    return LedgerError(f"open the ledger {path}", found=found, fix="make it")


@contextmanager
def _errors(asked: str) -> Iterator[None]:
    try:
        yield
    except (sqlite3.Error, UnicodeDecodeError) as error:
        raise LedgerError(
            asked,
            found=f"SQLite says: {error}",
            fix="check that the path is a ledger of this package, that the file and its directory "
            "can be written and have space, and that no other program holds the file",
        ) from error


@contextmanager
def _atomically(connection: sqlite3.Connection) -> Iterator[None]:
    # Readers take the write lock too: one can wait for a lock at the start of a transaction, but not
    # for one that is requested halfway.
    try:
        _patiently(connection, "BEGIN IMMEDIATE")
        yield
        _patiently(connection, "COMMIT")
    except BaseException:  # Ctrl+C included: an abandoned lock would stop every other process
        with suppress(sqlite3.Error):
            connection.rollback()
        raise


def _patiently(connection: sqlite3.Connection, statement: str) -> None:
    start, looks = time.monotonic(), 0
    while True:
        try:
            connection.execute(statement)
            return
        except sqlite3.OperationalError as error:
            looks, waited = looks + 1, time.monotonic() - start
            # The low byte of an error code is its kind; the rest gives details.
            busy = error.sqlite_errorcode & 0xFF == sqlite3.SQLITE_BUSY
            # Looks count, too: a process that was stopped, or starved on a busy machine, did not wait.
            if not busy or (waited > PATIENCE and looks > PATIENCE / _WAIT):
                error.add_note(f"{statement} was tried {looks} times in {waited:.1f} seconds")
                raise


def _prepare(connection: sqlite3.Connection, asked: str) -> bool:
    """Make the tables in an empty file, update those of an old one, and refuse other files.

    Whether the file was empty.
    """
    (application,) = connection.execute("PRAGMA application_id").fetchone()
    (version,) = connection.execute("PRAGMA user_version").fetchone()
    (tables,) = connection.execute("SELECT COUNT(*) FROM sqlite_master").fetchone()
    # A process that was killed while making the file leaves it empty: a ledger without entries.
    new = (application, version, tables) == (0, 0, 0)
    if not new and application != APPLICATION:
        raise LedgerError(asked, found="the file is not a ledger", fix="check the path")
    if not new and not 1 <= version <= FORMAT:
        raise LedgerError(
            asked,
            found=f"the file has format {version} and this version of littlestone reads {FORMAT}",
            fix="use the version of littlestone that wrote it",
        )
    for step in (0, 2, 3, 4) if new else range(version, FORMAT):
        for statement in STEPS[step]:
            connection.execute(statement)
    # These are written at every opening, so that a read-only file or directory is detected here and
    # not when the first spend fails.
    connection.execute(f"PRAGMA application_id = {APPLICATION}")
    connection.execute(f"PRAGMA user_version = {FORMAT}")
    return new
