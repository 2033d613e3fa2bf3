"""The ledger of a team: tables in a PostgreSQL database, with the same promises as the file.

Each transaction first takes one advisory lock, so transactions run one after the other.  A lock on
the table would need the right to change entries, which nobody should have.  SERIALIZABLE would make
transactions fail at their end and start again.  Isolation is READ COMMITTED on purpose: each
statement sees everything committed before it, so what is read under the lock is the newest.  Under
REPEATABLE READ the statement that waits for the lock would fix the view from before the wait.

A commit waits until the server has it on disk (`synchronous_commit`), and on its standbys too if that
is configured.  A server that runs with `fsync` off cannot promise that and is refused.

No wait is endless.  The server is told how long a statement may take.  A server that no longer
answers cannot be told anything, so the connection is then cut from this side: a frozen server, or a
network that swallows everything, sends neither an answer nor an error.
"""

from __future__ import annotations

import os
import re
import socket
import threading
from collections.abc import Iterator, Mapping
from contextlib import AbstractContextManager, contextmanager, suppress
from typing import TYPE_CHECKING, Any, Protocol

from littlestone.base.addresses import PASSWORDS, conninfo, options, redact_error, show_address
from littlestone.base.discovery import replace_errors, require_package
from littlestone.base.errors import LedgerError
from littlestone.privacy.ledger.common_tables import (
    ALIASES,
    COLUMNS,
    DENOMINATOR,
    FORMAT,
    LIMITS,
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
from littlestone.privacy.ledger.store import PATIENCE, Turn
from littlestone.privacy.ledger.store import Connection as Transaction

if TYPE_CHECKING:
    from psycopg import Connection

SCHEMA = "littlestone_ledger"

_NUMBER = f"{{}} ~ '^[0-9]{{{{1,{NUMERATOR}}}}}/[1-9][0-9]{{{{0,{DENOMINATOR - 1}}}}}$'"

_TEXT = r"{} !~ '[\u0001-\u001F\u007F-\u009F\u2028\u2029]'"  # what ends a line for some program


def _never(table: str) -> str:
    return (
        f"CREATE TRIGGER never BEFORE UPDATE OR DELETE OR TRUNCATE ON {table}"
        " FOR EACH STATEMENT EXECUTE FUNCTION refuse()"
    )


# By the format that each step starts from; the first format on a server was 2.
_STEPS = {
    0: (
        f"CREATE SCHEMA {SCHEMA}",
        "CREATE TABLE format (version INTEGER NOT NULL)",
        "INSERT INTO format VALUES (0)",
        LIMITS,
        f"CREATE TABLE entries (number BIGINT GENERATED ALWAYS AS IDENTITY PRIMARY KEY, {COLUMNS},"
        f" {', '.join(PART_COLUMNS)})",
        # A tree index would refuse long names.
        "CREATE INDEX datasets ON entries USING hash (dataset)",
        "CREATE FUNCTION refuse() RETURNS trigger LANGUAGE plpgsql AS"
        " 'BEGIN RAISE ''an entry of the ledger is never changed or deleted''; END'",
        _never("entries"),
    ),
    2: (
        ALIASES,
        SEEN,
        _never("aliases"),
        # Whoever may use the schema may read and add here, so no member needs further rights.
        "GRANT SELECT ON aliases TO PUBLIC",
        "GRANT SELECT, INSERT ON seen TO PUBLIC",
        # NOT VALID: the rule holds for new rows only.
        *(
            f"ALTER TABLE {table} ADD CONSTRAINT sound CHECK ({rule}) NOT VALID"
            for table, rule in (("aliases", sound_alias(_TEXT)), ("seen", sound_seen(_TEXT)))
        ),
    ),
    3: tuple(
        statement
        for table, rule in (
            ("limits", sound_limit(_NUMBER, _TEXT)),
            ("entries", sound_entry(_NUMBER, _TEXT)),
        )
        for statement in (
            # Format 3 had these rules for costs about one record replaced alone.
            f"ALTER TABLE {table} DROP CONSTRAINT IF EXISTS sound",
            f"ALTER TABLE {table} ADD CONSTRAINT sound CHECK ({rule}) NOT VALID",
        )
    ),
    4: (
        "ALTER TABLE limits DROP CONSTRAINT limits_pkey",
        "ALTER TABLE limits ALTER COLUMN dataset SET NOT NULL",
        "CREATE INDEX limits_of ON limits USING hash (dataset)",
        UNITS,
        f"ALTER TABLE units ADD CONSTRAINT sound CHECK ({sound_units(_TEXT)})",
        _never("units"),
        "GRANT SELECT ON units TO PUBLIC",
    ),
}


def prepare(transaction: Transaction, asked: str, *, create: bool) -> bool:
    """Make missing tables, update old ones, and refuse other formats; whether all were missing."""
    (exists, encoding) = transaction.execute(
        f"SELECT to_regnamespace('{SCHEMA}') IS NOT NULL, current_setting('server_encoding')"
    ).fetchone()
    if not exists:
        if not create:
            raise LedgerError(asked, found="there is no ledger", fix="check the address")
        if encoding != "UTF8":
            raise LedgerError(
                asked,
                found=f"the database is written in {encoding}, which cannot hold every name",
                fix="use a database that was made WITH ENCODING 'UTF8'",
            )
    version = _version(transaction) if exists else 0
    if exists and not 2 <= version <= FORMAT:
        raise LedgerError(
            asked,
            found=f"it has format {version} and this version of littlestone reads {FORMAT}",
            fix="use the version of littlestone that wrote it",
        )
    # All steps are in the caller's transaction, under its lock: another process sees none or all.
    for step in range(version, FORMAT):
        for statement in _STEPS.get(step, ()):
            transaction.execute(statement)
    if version != FORMAT:
        transaction.execute("UPDATE format SET version = :version", {"version": FORMAT})
    return not exists


def _version(transaction: Transaction) -> int:
    (version,) = transaction.execute(f"SELECT version FROM {SCHEMA}.format").fetchone()
    return int(version)


class SocketConnection(Protocol):
    """A connection that returns its socket, or raises once it is closed."""

    def fileno(self) -> int:
        """The socket's descriptor."""


class Watch:
    """Cut ``connection`` if a wait on it takes too long; ``cut`` says whether that happened.

    >>> here, there = socket.socketpair()
    >>> with here, there, Watch(here).during(0.01):
    ...     here.recv(1)      # nothing ever comes
    b''
    """

    def __init__(self, connection: SocketConnection) -> None:
        self._connection, self.cut = connection, False
        self._guard, self._waiting = threading.Lock(), False

    @contextmanager
    def during(self, seconds: float) -> Iterator[None]:
        """Watch the body, which waits for the connection."""
        timer = threading.Timer(seconds, self._cut)
        timer.daemon = True
        self._waiting = True
        timer.start()
        try:
            yield
        finally:
            timer.cancel()
            with self._guard:
                self._waiting = False

    def _cut(self) -> None:
        with self._guard, suppress(Exception):  # it may have been closed in between
            if self._waiting:
                self.cut = True
                its = socket.socket(fileno=self._connection.fileno())
                try:
                    its.shutdown(socket.SHUT_RDWR)
                finally:
                    its.detach()


ANSWER = 15.0  # seconds in which a server must answer that it is there
_CONNECT: dict[str, object] = {  # an address may override these; see libpq's manual
    "connect_timeout": 10,
    "keepalives_idle": 10,
    "keepalives_interval": 5,
    "keepalives_count": 3,
    "tcp_user_timeout": 30_000,
}
_LOCK = int.from_bytes(b"LsDP", "big")  # the advisory lock, one for each database
# The settings of one transaction, which override the server's and the user's, and what it must not be.
# A program that stops halfway is cut off, so that it does not lock out all others.
_SETTINGS = f"""
    SELECT set_config('search_path', '{SCHEMA}', true),
        set_config('synchronous_commit', CASE current_setting('synchronous_commit')
            WHEN 'remote_apply' THEN 'remote_apply' ELSE 'on' END, true),
        set_config('lock_timeout', :patience, true),
        set_config('statement_timeout', :longer, true),
        set_config('idle_in_transaction_session_timeout', :patience, true),
        current_setting('fsync') = 'on' AND current_setting('transaction_read_only') = 'off'
"""
# By SQLSTATE.
_FIXES = {
    "42501": "ask the ledger's owner for the rights of a member (GRANT SELECT, INSERT); only an owner "
    "makes the tables, brings them up to date, sets limits and joins names",
    "22P05": "move the ledger to a database that was made WITH ENCODING 'UTF8'",
    "55P03": "try again; see in pg_locks who holds the ledger's lock",
    "57014": "try again; see in pg_stat_activity what keeps the server busy",
}


class LedgerServer:
    """The tables of a ledger in the PostgreSQL database at ``address``.

    Raises `LedgerError` at once if the database cannot be reached or written, if it has no ledger and
    ``create`` is false, or if its ledger has another format.  One connection serves all threads in
    turn.
    """

    def __init__(self, address: str, *, create: bool) -> None:
        self._open: Connection[Any] | None = None
        self._turn, self._closed, self._process = Turn(fork_waits=False), False, os.getpid()
        self._conninfo, self._address = conninfo(address), address
        self.path = show_address(address)
        asked = f"open the ledger {self.path}"
        try:
            with self.transaction(asked) as transaction:
                self.made = prepare(transaction, asked, create=create)
        except BaseException:
            self.close()
            raise

    @property
    def connection(self) -> str:
        """Who could read along on the connection as it is now, in words."""
        opened = self._open
        if opened is None or opened.closed:
            return "none"
        if opened.info.host.startswith("/"):
            return "a socket of this machine"
        if not opened.pgconn.ssl_in_use:
            return "not encrypted: add ?sslmode=verify-full to the address"
        mode = opened.info.get_parameters().get("sslmode", "prefer")
        if mode == "verify-full":
            return "TLS, and the server is verified (sslmode=verify-full)"
        return f"TLS, but who the server is was not verified (sslmode={mode}): add ?sslmode=verify-full"

    @contextmanager
    def transaction(self, asked: str) -> Iterator[Transaction]:
        """Run the body alone, all or nothing; what it wrote is durable when the block ends.

        ``asked`` begins the message of the `LedgerError` that replaces any failure of the server.
        """
        with self._turn.hold(asked), self._errors(asked):
            transaction = self._begin(asked)
            try:
                # The lock before the first read: what is read under it is the newest there is.
                transaction.lock()
                yield transaction
                # An error of the commit itself leaves open whether the entry stands; then there is
                # no receipt.
                with self._doubt(asked):
                    transaction.end()
            except BaseException:  # Ctrl+C included: an abandoned lock would stop everyone else
                transaction.undo()
                raise

    def close(self) -> None:
        """Close the connection; closing twice is harmless."""
        with self._turn.lock:
            opened, self._open, self._closed = self._open, None, True
            self._leave(opened)

    def __del__(self) -> None:
        # As for a file, a ledger that is dropped unclosed has lost nothing.
        if getattr(self, "_open", None) is not None:
            self.close()

    def _begin(self, asked: str) -> _Transaction:
        if self._closed:
            raise LedgerError(asked, found="the ledger is closed", fix="open it again")
        kept = self._reuse_connection()
        if kept is not None:
            transaction = _Transaction(kept)
            try:
                transaction.settle(asked)
            except _psycopg().OperationalError:
                # The server may have been restarted since; a silent one is not asked again.
                if transaction.watch.cut:
                    raise
            else:
                return transaction
        self._open = self._connect()
        transaction = _Transaction(self._open)
        transaction.settle(asked)
        return transaction

    def _reuse_connection(self) -> Connection[Any] | None:
        if self._process != os.getpid():
            # The parent keeps using the inherited connection, so it is left alone and not closed.
            self._leave(self._open)
            self._open, self._process = None, os.getpid()
        return None if self._open is None or self._open.closed else self._open

    def _leave(self, opened: Connection[Any] | None) -> None:
        if opened is not None and self._process == os.getpid():
            opened.close()
        elif opened is not None:
            _INHERITED.append(opened)

    def _connect(self) -> Connection[Any]:
        psycopg = _psycopg()
        given = {
            name: value for name, value in _CONNECT.items() if name not in options(self._address)
        }
        given |= {"client_encoding": "utf8", "prepare_threshold": None}
        opened: Connection[Any] = psycopg.connect(self._conninfo, **given)
        opened.isolation_level = psycopg.IsolationLevel.READ_COMMITTED
        return opened

    def _errors(self, asked: str) -> AbstractContextManager[None]:
        def ours(error: Exception) -> LedgerError:
            return LedgerError(
                asked,
                found=f"PostgreSQL says: {redact_error(error, self._address)}",
                fix=_FIXES.get(
                    getattr(error, "sqlstate", None) or "",
                    f"check the address, that the server can be reached and answers, and {PASSWORDS}",
                ),
            )

        return replace_errors((_psycopg().Error, UnicodeError), ours)  # it may quote the address

    def _doubt(self, asked: str) -> AbstractContextManager[None]:
        def ours(error: Exception) -> LedgerError:
            return LedgerError(
                asked,
                found="the connection broke while the commit was under way, so it may stand or not "
                f"({redact_error(error, self._address)})",
                fix="nothing was drawn; look at `littlestone ledger history` before you try again, "
                "for an entry that stands is spent",
            )

        return replace_errors(_psycopg().Error, ours)


_INHERITED: list[Connection[Any]] = []


class _Transaction:
    """psycopg's connection behind the interface `store.Connection`; it never waits without end."""

    def __init__(self, connection: Connection[Any]) -> None:
        self._connection, self.watch = connection, Watch(connection)

    def execute(self, statement: str, values: Mapping[str, Any] = {}, /) -> Any:
        return self.ask(statement, values, within=PATIENCE + ANSWER)

    def ask(self, statement: str, values: Mapping[str, Any], *, within: float) -> Any:
        """`execute`, cut off after ``within`` seconds."""
        written = re.sub(r"(?<![:\w]):([a-z_]+)", r"%(\1)s", statement).encode()
        with self.watch.during(within):
            return self._connection.execute(written, values or None)

    def settle(self, asked: str) -> None:
        """Begin, with the settings of every transaction; refuse a server that cannot keep them."""
        values = {"patience": PATIENCE, "longer": PATIENCE + ANSWER}
        milliseconds = {name: str(int(seconds * 1000)) for name, seconds in values.items()}
        try:
            # The server must keep what it confirms: fsync on, and no read-only copy.
            (*_, sound) = self.ask(_SETTINGS, milliseconds, within=ANSWER).fetchone()
            if not sound:
                raise LedgerError(
                    asked,
                    found="the server cannot keep an entry: it is read-only, or runs with fsync off",
                    fix="use a primary server, with fsync on",
                )
        except BaseException:
            self.undo()
            raise

    def lock(self) -> None:
        """Wait until no other transaction is under way, on any machine."""
        self.execute("SELECT pg_advisory_xact_lock(:lock)", {"lock": _LOCK})

    def end(self) -> None:
        """Commit."""
        with self.watch.during(PATIENCE + ANSWER):
            self._connection.commit()

    def undo(self) -> None:
        """Roll back; if that fails too, the server does it when the connection is gone."""
        with suppress(_psycopg().Error), self.watch.during(ANSWER):
            self._connection.rollback()


def _psycopg() -> Any:
    require_package("psycopg", "open a ledger on a server", "postgresql", LedgerError)
    import psycopg

    return psycopg
