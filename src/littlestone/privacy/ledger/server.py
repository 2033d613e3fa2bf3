"""The ledger of a team: tables in a PostgreSQL database, under the promises of the file.

Each transaction takes one advisory lock first, so transactions run one after the other.  A lock on
the table would need the right to change entries, which nobody should have; SERIALIZABLE would let
transactions fail when they end and start anew.  Isolation is READ COMMITTED on purpose: each
statement sees all that was committed before it, so what is read under the lock is the newest.  Under
REPEATABLE READ the statement that waits for the lock would fix the view from before the wait.

A commit waits until the server has it on disk (`synchronous_commit`), on its standbys too where it is
set up so; a server that runs with `fsync` off cannot promise that and is refused.
"""

from __future__ import annotations

import os
import re
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from typing import TYPE_CHECKING, Any

from littlestone.errors import LedgerError
from littlestone.privacy.ledger.store import COLUMNS, FORMAT, LIMITS, PART_COLUMNS, PATIENCE, QUIET
from littlestone.privacy.ledger.store import Connection as Transaction

if TYPE_CHECKING:
    from sqlalchemy import URL, Connection, CursorResult, Engine

_SCHEMA = "littlestone_ledger"
_LOCK = int.from_bytes(b"LsDP", "big")  # the advisory lock, one for each database
_TABLES = (
    f"CREATE SCHEMA {_SCHEMA}",
    "CREATE TABLE format (version INTEGER NOT NULL)",
    f"INSERT INTO format VALUES ({FORMAT})",
    LIMITS,
    f"CREATE TABLE entries (number BIGINT GENERATED ALWAYS AS IDENTITY PRIMARY KEY, {COLUMNS},"
    f" {', '.join(PART_COLUMNS)})",
    # A tree would refuse long names.
    "CREATE INDEX datasets ON entries USING hash (dataset)",
    "CREATE FUNCTION refuse() RETURNS trigger LANGUAGE plpgsql AS"
    " 'BEGIN RAISE ''an entry of the ledger is never changed or deleted''; END'",
    "CREATE TRIGGER never BEFORE UPDATE OR DELETE OR TRUNCATE ON entries"
    " FOR EACH STATEMENT EXECUTE FUNCTION refuse()",
)
# Settings of one transaction, whatever the server's or the user's own are; and what it must not be.
# A program that stops in the middle is cut off, so that it does not lock out all others.
_SETTINGS = f"""
    SELECT set_config('search_path', '{_SCHEMA}', true),
        set_config('synchronous_commit', CASE current_setting('synchronous_commit')
            WHEN 'remote_apply' THEN 'remote_apply' ELSE 'on' END, true),
        set_config('lock_timeout', :patience, true),
        set_config('idle_in_transaction_session_timeout', :patience, true),
        current_setting('fsync') = 'on' AND current_setting('transaction_read_only') = 'off'
"""


def is_address(text: str) -> bool:
    """Whether ``text`` is the address of a server, and not the path of a file.

    >>> is_address("postgresql://ada@db.example/ledgers"), is_address("budget.ledger")
    (True, False)
    """
    return re.match(r"[A-Za-z][A-Za-z0-9+.-]*://", text) is not None


class LedgerServer:
    """The tables of a ledger in the PostgreSQL database at ``address``.

    Raises `LedgerError` at once when the database cannot be reached or written, has no ledger and
    ``create`` is false, or one of another format.  One connection serves all threads in turn.
    """

    def __init__(self, address: str, *, create: bool) -> None:
        self._engine: Engine | None = None
        self._busy = False
        self._url = _read(address)
        self.path = _shown(self._url)
        self._engine = self._connect()
        asked = f"open the ledger {self.path}"
        try:
            with self.transaction(asked) as transaction:
                _prepare(transaction, asked, create=create)
        except BaseException:
            self.close()
            raise

    @contextmanager
    def transaction(self, asked: str) -> Iterator[Transaction]:
        """Run the body alone, all or nothing; what it wrote is durable when the block is left.

        ``asked`` begins the message of the `LedgerError` that any failure of the server becomes.
        """
        with QUIET, self._errors(asked):
            engine = self._engine_of_this_process(asked)
            if self._busy:
                raise LedgerError(
                    asked,
                    found="this thread is in the middle of another use of the ledger",
                    fix="do not use a ledger inside a signal handler",
                )
            self._busy = True
            try:
                # Whatever ends the block early, Ctrl+C included, rolls back.
                with engine.connect() as connection:
                    transaction = _Transaction(connection)
                    _begin(transaction, asked)
                    yield transaction
                    with self._doubt(asked):
                        connection.commit()
            finally:
                self._busy = False

    def close(self) -> None:
        """Close the connection; closing twice is harmless."""
        with QUIET:
            engine, self._engine = self._engine, None
            if engine is not None:
                engine.dispose(close=self._process == os.getpid())

    def __del__(self) -> None:
        # As for a file: a ledger that is merely dropped has lost nothing.
        if self._engine is not None:
            self.close()

    def _connect(self) -> Engine:
        self._process, self._busy = os.getpid(), False
        engine: Engine = _sqlalchemy().create_engine(
            self._url,
            isolation_level="READ COMMITTED",
            pool_size=1,
            max_overflow=0,
            pool_pre_ping=True,  # the server may have been restarted since
        )
        return engine

    def _engine_of_this_process(self, asked: str) -> Engine:
        if self._engine is None:
            raise LedgerError(asked, found="the ledger is closed", fix="open it again")
        if self._process != os.getpid():
            # The parent goes on using the inherited connection, so it is left alone and not closed.
            self._engine.dispose(close=False)
            self._engine = self._connect()
        return self._engine

    @contextmanager
    def _errors(self, asked: str) -> Iterator[None]:
        try:
            yield
        except _sqlalchemy().exc.SQLAlchemyError as error:
            raise LedgerError(
                asked,
                found=f"PostgreSQL says: {self._words(error)}",
                fix="check the address, that the server can be reached, and that this user may "
                f"read and add to the tables of schema {_SCHEMA}, or make it",
            ) from None  # the cause may quote the password

    @contextmanager
    def _doubt(self, asked: str) -> Iterator[None]:
        try:
            yield
        except _sqlalchemy().exc.SQLAlchemyError as error:
            raise LedgerError(
                asked,
                found="the connection broke while the commit was under way, so it may stand or not "
                f"({self._words(error)})",
                fix="nothing was drawn; look at `littlestone ledger history` before you try again, "
                "for an entry that stands is spent",
            ) from None

    def _words(self, error: Exception) -> str:
        words = " ".join(str(getattr(error, "orig", None) or error).split())
        secrets = [self._url.password, *map(str, _secret(self._url).values())]
        for secret in filter(None, secrets):
            words = words.replace(str(secret), "***")
        return words


class _Transaction:
    """SQLAlchemy's connection in the words of `store.Connection`."""

    def __init__(self, connection: Connection) -> None:
        self._connection = connection

    def execute(self, statement: str, values: Mapping[str, Any] = {}, /) -> CursorResult[Any]:
        return self._connection.execute(_sqlalchemy().text(statement), values)


def _begin(transaction: Transaction, asked: str) -> None:
    patience = {"patience": str(int(PATIENCE * 1000))}  # milliseconds
    (*_, sound) = transaction.execute(_SETTINGS, patience).fetchone()
    if not sound:
        raise LedgerError(
            asked,
            found="the server cannot keep an entry: it is read-only, or runs with fsync off",
            fix="use a primary server, with fsync on",
        )
    transaction.execute("SELECT pg_advisory_xact_lock(:lock)", {"lock": _LOCK})


def _prepare(transaction: Transaction, asked: str, *, create: bool) -> None:
    (exists,) = transaction.execute(f"SELECT to_regnamespace('{_SCHEMA}') IS NOT NULL").fetchone()
    if not exists:
        if not create:
            raise LedgerError(asked, found="there is no ledger", fix="check the address")
        for statement in _TABLES:
            transaction.execute(statement)
    (version,) = transaction.execute("SELECT version FROM format").fetchone()
    if version != FORMAT:
        raise LedgerError(
            asked,
            found=f"it has format {version} and this version of littlestone reads {FORMAT}",
            fix="use the version of littlestone that wrote it",
        )


def _read(address: str) -> URL:
    # No error quotes the address, not even a part: a password may stand anywhere in a wrong one.
    sqlalchemy = _sqlalchemy()
    try:
        url: URL = sqlalchemy.make_url(address)
        if url.drivername not in ("postgresql", "postgresql+psycopg", "postgres"):
            raise ValueError
        if "@" in (url.host or "") or "@" in (url.database or ""):
            raise ValueError
        return url.set(drivername="postgresql+psycopg")
    except (sqlalchemy.exc.SQLAlchemyError, ValueError):
        raise LedgerError(
            "open a ledger on a server",
            found="its address cannot be read",
            fix="write postgresql://USER@HOST/DATABASE, in a password %40 for @, and so on; or leave "
            "the password to PGPASSWORD or ~/.pgpass",
        ) from None


def _secret(url: URL) -> dict[str, object]:
    return {name: value for name, value in url.query.items() if name not in ("host", "port")}


def _shown(url: URL) -> str:
    return url.set(drivername="postgresql").difference_update_query(_secret(url)).render_as_string()


def _sqlalchemy() -> Any:
    try:
        import psycopg  # noqa: F401  (SQLAlchemy imports it by name)
        import sqlalchemy
    except ImportError:
        raise LedgerError(
            "open a ledger on a server",
            found="the packages for PostgreSQL are not installed",
            fix='run: pip install "littlestone[postgresql]"',
        ) from None
    return sqlalchemy
