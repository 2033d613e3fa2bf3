"""The interface of the place that keeps a ledger: transactions that are isolated and durable."""

from __future__ import annotations

import os
import sys
import threading
from collections.abc import Iterator, Mapping, Sequence
from contextlib import AbstractContextManager, contextmanager
from typing import Any, Protocol
from weakref import WeakSet

from littlestone.base.errors import LedgerError

PATIENCE = 60.0  # seconds that a transaction waits for its turn


class Turn:
    """The turn to use a store: one thread has it at a time, and nobody while the process forks.

    A child has only the forking thread, so a lock that another thread holds would never be released.
    With ``fork_waits`` a fork waits until the store is at rest.  A SQLite file needs this: a child that
    inherits the middle of a transaction would, on closing what it inherited, undo it under its parent.
    An inherited server connection does no harm, and a server may be silent for long, so a fork does
    not wait for it; the child's turn begins anew.

    >>> with Turn(fork_waits=False).hold("look"):
    ...     pass
    """

    def __init__(self, *, fork_waits: bool) -> None:
        self.lock = threading.RLock()
        self._busy, self.fork_waits = False, fork_waits
        with forks:
            _turns.add(self)

    @contextmanager
    def hold(self, asked: str) -> Iterator[None]:
        """Wait for the turn and keep it; raises `LedgerError` if this thread already has it."""
        with self.lock:
            # The lock lets its own thread in again, so a signal handler could enter a transaction
            # halfway.
            if self._busy:
                raise LedgerError(
                    asked,
                    found="this thread is in the middle of another use of the ledger",
                    fix="do not use a ledger inside a signal handler",
                )
            self._busy = True
            try:
                yield
            finally:
                self._busy = False

    def begin_anew(self) -> None:
        """Begin anew in a child: nobody has the turn, whoever had it in the parent."""
        self.lock, self._busy = threading.RLock(), False


forks = threading.RLock()  # guards the set below; held while the process forks
_turns: WeakSet[Turn] = WeakSet()
_held: list[Turn] = []


def _before_fork() -> None:
    # The set of turns must not change while it is walked, and no store may be in a transaction.
    forks.acquire()
    _held.extend(turn for turn in _turns if turn.fork_waits)
    for turn in _held:
        turn.lock.acquire()


def _after_in_parent() -> None:
    while _held:
        _held.pop().lock.release()
    forks.release()


def _after_in_child() -> None:
    _after_in_parent()
    for turn in _turns:
        if not turn.fork_waits:
            turn.begin_anew()


if sys.platform != "win32":
    os.register_at_fork(
        before=_before_fork, after_in_parent=_after_in_parent, after_in_child=_after_in_child
    )


class Rows(Protocol):
    """The rows that a statement returned."""

    def fetchone(self) -> Any:
        """The next row; None if there is none."""

    def fetchall(self) -> Sequence[Any]:
        """All further rows."""

    def __iter__(self) -> Iterator[Any]:
        """Go through the rows."""


class Connection(Protocol):
    """An open transaction."""

    def execute(self, statement: str, values: Mapping[str, Any] = ..., /) -> Rows:
        """Run one statement of SQL; ``:name`` stands for ``values["name"]``."""


class Store(Protocol):
    """The tables of a ledger, somewhere."""

    @property
    def path(self) -> str | None:
        """The location, in words without a password; None in memory."""

    @property
    def connection(self) -> str | None:
        """Who could read along on the way to a server, in words; None without a server."""

    made: bool
    """Whether the tables were missing when it was opened, and were made then."""

    def transaction(self, asked: str) -> AbstractContextManager[Connection]:
        """Run the body alone, all or nothing; what it wrote is durable when the block ends.

        A `LedgerError`, whose message begins with ``asked``, replaces every failure of the database.
        """

    def close(self) -> None:
        """Close; closing twice is harmless."""
