"""The time of one spend: on disk, beside a bare insert into SQLite with the same promises."""

from __future__ import annotations

import sqlite3
import tempfile
from collections.abc import Iterator
from contextlib import closing
from fractions import Fraction
from pathlib import Path

from benchmarks.harness import Case, Contender, require
from littlestone.privacy.ledger import Ledger, Receipt
from littlestone.privacy.mechanisms.exponential import ExponentialMechanism

EPSILON = Fraction(1, 1000)
OLD_ENTRIES = 5000


def cases() -> Iterator[Case]:
    """A new ledger, and one that already has thousands of entries."""
    with (
        tempfile.TemporaryDirectory(prefix="littlestone-benchmark-") as folder,
        Ledger(Path(folder, "ours.ledger")) as ledger,
        closing(connect(Path(folder, "bare.sqlite"))) as bare,
    ):
        yield Case(
            "one durable spend",
            spender("littlestone, file", ledger),
            [
                inserter("sqlite3 insert + commit, same pragmas", bare),
                spender("littlestone, in memory", Ledger()),
            ],
            repeats=200,
        )
    old = Ledger()
    filler = spender(f"littlestone, {OLD_ENTRIES:,} entries before", old)
    for _ in range(OLD_ENTRIES):
        filler.run()
    new = spender("littlestone, new ledger", Ledger())
    yield Case("one spend in memory", new, [filler], repeats=200)


def spender(name: str, ledger: Ledger) -> Contender:
    """Spend once; the total is then that of as many spends as the receipt's number says."""
    mechanism = ExponentialMechanism(EPSILON)

    def check(receipt: Receipt) -> None:
        total = ledger.total("data").epsilon
        require(total == EPSILON * receipt.number, f"{total} after {receipt.number} spends")

    return Contender(name, lambda: ledger.spend(mechanism, dataset="data", what="a draw"), check)


def connect(path: Path) -> sqlite3.Connection:
    """A database with the ledger's columns and durability, and none of its checks."""
    connection = sqlite3.connect(path, isolation_level=None)
    connection.execute("PRAGMA synchronous = EXTRA")
    connection.execute("PRAGMA fullfsync = ON")
    connection.execute(
        "CREATE TABLE entries (number INTEGER PRIMARY KEY AUTOINCREMENT, dataset TEXT, what TEXT,"
        " mechanism TEXT, epsilon TEXT, delta TEXT, neighboring TEXT, at TEXT)"
    )
    return connection


def inserter(name: str, connection: sqlite3.Connection) -> Contender:
    """Insert one row and commit."""
    row = ("data", "a draw", "a mechanism", "1/1000", "0/1", "replace-one", "2000-01-01T00:00:00")

    def run() -> int | None:
        connection.execute("BEGIN IMMEDIATE")
        number = connection.execute(
            "INSERT INTO entries (dataset, what, mechanism, epsilon, delta, neighboring, at)"
            " VALUES (?, ?, ?, ?, ?, ?, ?)",
            row,
        ).lastrowid
        connection.execute("COMMIT")
        return number

    def check(number: int | None) -> None:
        (count,) = connection.execute("SELECT COUNT(*) FROM entries").fetchone()
        require(count == number, f"{count} rows after {number} inserts")

    return Contender(name, run, check)
