"""What the ledger asks of the place that keeps it: transactions that are alone and durable."""

from __future__ import annotations

import os
import sys
import threading
from collections.abc import Iterator, Mapping, Sequence
from contextlib import AbstractContextManager
from typing import Any, Protocol

FORMAT = 2  # of the tables below; format 1 had no parts

COLUMNS = (
    "dataset TEXT NOT NULL, what TEXT NOT NULL, mechanism TEXT NOT NULL, epsilon TEXT NOT NULL,"
    " delta TEXT NOT NULL, neighboring TEXT NOT NULL, at TEXT NOT NULL"
)
# A spend on the whole data set has partition '', which no partition can be named.
PART_COLUMNS = (
    "partition TEXT NOT NULL DEFAULT ''",
    "part INTEGER NOT NULL DEFAULT 0",
    "parts INTEGER NOT NULL DEFAULT 0",
)
LIMITS = (
    "CREATE TABLE limits (dataset TEXT PRIMARY KEY, epsilon TEXT NOT NULL, delta TEXT NOT NULL,"
    " neighboring TEXT NOT NULL)"
)

PATIENCE = 60.0  # seconds that a transaction waits for its turn

# Held during every transaction and every fork.  A child forked inside a transaction would find this
# lock taken for ever; from a file of SQLite it would, on closing what it inherited, also delete the
# journal that its parent relies on.
QUIET = threading.RLock()
if sys.platform != "win32":
    os.register_at_fork(
        before=QUIET.acquire, after_in_parent=QUIET.release, after_in_child=QUIET.release
    )


class Rows(Protocol):
    """The rows that a statement returned."""

    def fetchone(self) -> Any:
        """The next row, None when there is none."""

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
        """Where, in words without a password; None in memory."""

    def transaction(self, asked: str) -> AbstractContextManager[Connection]:
        """Run the body alone, all or nothing; what it wrote is durable when the block is left.

        Every failure of the database becomes a `LedgerError`, whose message begins with ``asked``.
        """

    def close(self) -> None:
        """Close; closing twice is harmless."""
