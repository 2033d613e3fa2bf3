"""The time of one spend: in a file or on a server, beside a bare insert with the same durability."""

from __future__ import annotations

import os
import sqlite3
import tempfile
from collections.abc import Iterator
from contextlib import closing
from fractions import Fraction
from pathlib import Path

from benchmarks.harness import Case, Contender, require
from littlestone.privacy.ledger import Ledger, Receipt
from littlestone.privacy.ledger.common_tables import COLUMNS
from littlestone.privacy.mechanisms.exponential import ExponentialMechanism

EPSILON = Fraction(1, 1000)
OLD_ENTRIES = 5000
ROW = ("data", "a draw", "a mechanism", "1/1000", "0/1", "replace-one", "2000-01-01T00:00:00")


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
    if address := os.environ.get("LEDGER_SERVER"):
        yield from on_a_server(address)
    old = Ledger()
    filler = spender(f"littlestone, {OLD_ENTRIES:,} entries before", old)
    for _ in range(OLD_ENTRIES):
        filler.run()
    new = spender("littlestone, new ledger", Ledger())
    yield Case("one spend in memory", new, [filler], repeats=200)


def on_a_server(address: str) -> Iterator[Case]:
    """On the server that LEDGER_SERVER names; its database must have no ledger yet."""
    import psycopg

    with Ledger(address) as ledger, psycopg.connect(address, autocommit=True) as bare:
        require(not ledger.entries(), f"the ledger {ledger.path} is in use")
        bare.execute(f"CREATE TABLE bare (number BIGSERIAL PRIMARY KEY, {COLUMNS})")
        names = ", ".join(column.split()[0] for column in COLUMNS.split(", "))
        insert = f"INSERT INTO bare ({names}) VALUES (%s, %s, %s, %s, %s, %s, %s) RETURNING number"

        def run() -> int:
            ((number,),) = bare.execute(insert.encode(), ROW).fetchall()
            return int(number)

        def check(number: int) -> None:
            ((count,),) = bare.execute("SELECT COUNT(*) FROM bare").fetchall()
            require(count == number, f"{count} rows after {number} inserts")

        yield Case(
            "one durable spend on a PostgreSQL server",
            spender("littlestone, server", ledger),
            [Contender("psycopg, one insert, committed at once", run, check)],
            repeats=200,
        )


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
        f"CREATE TABLE entries (number INTEGER PRIMARY KEY AUTOINCREMENT, {COLUMNS})"
    )
    return connection


def inserter(name: str, connection: sqlite3.Connection) -> Contender:
    """Insert one row and commit."""

    def run() -> int | None:
        connection.execute("BEGIN IMMEDIATE")
        number = connection.execute(
            "INSERT INTO entries (dataset, what, mechanism, epsilon, delta, neighboring, at)"
            " VALUES (?, ?, ?, ?, ?, ?, ?)",
            ROW,
        ).lastrowid
        connection.execute("COMMIT")
        return number

    def check(number: int | None) -> None:
        (count,) = connection.execute("SELECT COUNT(*) FROM entries").fetchone()
        require(count == number, f"{count} rows after {number} inserts")

    return Contender(name, run, check)
