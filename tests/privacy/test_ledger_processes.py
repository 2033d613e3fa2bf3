"""The ledger among processes that spend at once, are killed, or are forked in the middle.

Everything runs twice: on a file, and on a PostgreSQL server where one is installed.

Each property has one checker that returns what it found wrong.  The same checker must find nothing
in `Ledger` and something in a ledger with the matching bug.
"""

from __future__ import annotations

import os
import random
import signal
import sqlite3
import threading
import time
from collections.abc import Callable
from contextlib import closing, suppress
from functools import partial
from multiprocessing import get_context
from multiprocessing.synchronize import Barrier
from pathlib import Path
from typing import Any, NoReturn

import pytest
from spending import CENT, Answer, fork, status_of

from littlestone.base.errors import BudgetExceededError, LedgerError
from littlestone.privacy.cost import PrivacyCost
from littlestone.privacy.event import Event
from littlestone.privacy.ledger import Ledger, Part, Receipt, is_address, rows, server, store
from littlestone.privacy.ledger import file as ledger_file
from littlestone.privacy.ledger.receipt import SEAL, lines
from littlestone.privacy.randomness import system_generator
from planting import Fault, plant

pytestmark = [
    pytest.mark.skipif(not hasattr(os, "fork"), reason="needs fork"),
    pytest.mark.filterwarnings("ignore:.*fork:DeprecationWarning"),
]

PROCESSES = 8
KILLS = 60


# Eight processes, one limit


def faults_in_a_race(open_ledger: Callable[[str], Ledger], path: str) -> list[str]:
    """Let eight processes spend cents of one limit of 1 until each is refused."""
    with Ledger(path) as ledger:
        ledger.set_limit("people", PrivacyCost(100 * CENT))
    start = get_context("fork").Barrier(PROCESSES)

    def spender() -> int:
        receipts = 0
        with open_ledger(path) as ledger:
            start.wait(timeout=60)
            while True:
                try:
                    ledger.spend(Answer(), dataset="people", what="a look").redeem(Answer())
                except BudgetExceededError:
                    return receipts
                receipts += 1

    statuses = [status_of(child) for child in [fork(spender) for _ in range(PROCESSES)]]
    with Ledger(path, create=False) as ledger:
        entries, total = ledger.entries("people"), ledger.total("people")
    faults = []
    if sum(statuses) != 100 or not all(0 <= status <= 100 for status in statuses):
        faults.append(f"the processes ended with {statuses}")
    if [entry.number for entry in entries] != list(range(1, 101)):
        faults.append(f"there are {len(entries)} entries")
    if total != PrivacyCost(100 * CENT):
        faults.append(f"the total is {total}")
    return faults


class CheckThenInsert(Ledger):
    """Planted bug: looks at the limit in one transaction and records in the next."""

    def __init__(self, path: str, gate: Barrier) -> None:
        super().__init__(path)
        self.gate = gate

    def spend(  # type: ignore[override]
        self, event: Event, *, dataset: str, what: str, part: Part | None = None
    ) -> Receipt:
        limit, after = self.limit(dataset), self.total(dataset) + event.cost()
        if limit is not None and not after.within(limit):
            self.gate.abort()
            raise BudgetExceededError("spend", found="too much", fix="stop")
        # While all eight are still spending, all eight look before any of them records.
        with suppress(threading.BrokenBarrierError):
            self.gate.wait(timeout=60)
        with self._store.transaction("spend") as connection:
            entry = rows.insert(connection, dataset, what, str(event), event.cost(), part)
        pays_for = lines(event, str(event), event.cost())
        return Receipt(event, entry, after, limit, system_generator(), pays_for, [], SEAL)


@pytest.mark.deep
def test_processes_that_spend_at_once_never_pass_the_limit(address: str) -> None:
    assert faults_in_a_race(Ledger, address) == []


@pytest.mark.deep
def test_a_view_from_before_the_wait_would_be_caught(
    address: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Planted bug: under REPEATABLE READ the totals are those from before the lock was granted."""
    if not is_address(address):
        pytest.skip("SQLite has one isolation level")
    import psycopg

    Ledger(address).close()
    connect = psycopg.connect

    def stale(*address: Any, **options: Any) -> Any:
        opened = connect(*address, **options)
        execute = opened.execute

        def executed(query: Any, *values: Any) -> Any:
            if b"set_config" in query:  # the first statement of a transaction fixes the view
                execute("SET TRANSACTION ISOLATION LEVEL REPEATABLE READ")
            return execute(query, *values)

        monkeypatch.setattr(opened, "execute", executed)
        return opened

    monkeypatch.setattr(psycopg, "connect", stale)
    assert faults_in_a_race(Ledger, address) != []


@pytest.mark.deep
def test_a_limit_checked_outside_the_transaction_would_be_caught(address: str) -> None:
    gate = get_context("fork").Barrier(PROCESSES)
    faults = faults_in_a_race(lambda where: CheckThenInsert(where, gate), address)
    assert len(faults) == 3, faults


# Killed at any moment


def faults_after_kills(loop: Callable[[str, int], NoReturn], path: str) -> list[str]:
    """Kill a process that runs ``loop`` at sixty moments; every number it let out needs its entry.

    ``loop`` writes lines to a file descriptor, which stands for the draw leaving the process.
    """
    moments = random.Random(7)
    got_out = 0
    for kill in range(KILLS):
        reader, writer = os.pipe()
        child = fork(partial(loop, path, writer))
        os.close(writer)
        with open(reader) as stream:
            # A few kills fall into the making of the file, most into the middle of spends: those
            # wait for a first draw, so that a busy machine does not kill too soon.
            first = [stream.readline()] if kill >= 10 else []
            time.sleep(moments.uniform(0, 0.005 if kill < 10 else 0.02))
            os.kill(child, signal.SIGKILL)
            assert status_of(child) == -signal.SIGKILL
            numbers = [int(line) for line in [*first, *stream]]
        got_out += len(numbers)
        with Ledger(path) as ledger:
            recorded = {entry.number for entry in ledger.entries("people")}
            total = ledger.total("people")
        health = "ok" if is_address(path) else health_of(path)
        if not recorded.issuperset(numbers):
            return [f"kill {kill}: drawn but not recorded: {set(numbers) - recorded}"]
        if health != "ok" or total != PrivacyCost(len(recorded) * CENT):
            return [f"kill {kill}: the file says {health}, the total is {total}"]
    return (
        [] if got_out >= KILLS - 10 else [f"only {got_out} draws got out: the test shows nothing"]
    )


def health_of(path: str) -> str:
    with closing(sqlite3.connect(path)) as connection:
        (health,) = connection.execute("PRAGMA integrity_check").fetchone()
    return str(health)


def spend_then_draw(path: str, out: int) -> NoReturn:
    ledger = Ledger(path)
    while True:
        receipt = ledger.spend(Answer(), dataset="people", what="a look")
        receipt.redeem(Answer())
        os.write(out, b"%d\n" % receipt.number)


def draw_then_spend(path: str, out: int) -> NoReturn:
    """Planted bug: the draw leaves first, under the number that its entry is going to have."""
    ledger = Ledger(path)
    number = len(ledger.entries())
    while True:
        number += 1
        os.write(out, b"%d\n" % number)
        ledger.spend(Answer(), dataset="people", what="a look").redeem(Answer())


def commit_later(path: str, out: int) -> NoReturn:
    """Planted bug: two entries to a transaction, and the first draw does not wait for its end."""
    ledger = Ledger(path)
    while True:
        with ledger._store.transaction("spend twice") as connection:
            for _ in range(2):
                entry = rows.insert(connection, "people", "a look", "x", Answer().cost(), None)
                os.write(out, b"%d\n" % entry.number)


@pytest.mark.deep
def test_no_draw_that_got_out_lacks_its_entry_after_a_kill(address: str) -> None:
    assert faults_after_kills(spend_then_draw, address) == []


@pytest.mark.deep
@pytest.mark.parametrize("bug", [draw_then_spend, commit_later])
def test_a_draw_before_its_entry_would_be_caught(
    bug: Callable[[str, int], NoReturn], address: str
) -> None:
    (fault,) = faults_after_kills(bug, address)
    assert "drawn but not recorded" in fault


# Forked with a ledger open


def faults_of_forks(path: str, patience: float) -> list[str]:
    """Fork again and again while two threads spend; each child spends on the ledger it inherits."""
    ledger, stop = Ledger(path), threading.Event()

    def spend() -> int:
        return ledger.spend(Answer(), dataset="people", what="a look").number

    spent: list[int] = []
    failures: list[LedgerError] = []

    def keep_spending() -> None:
        while not stop.is_set():
            try:
                spent.append(spend())
            except LedgerError as error:
                failures.append(error)
            time.sleep(0.002)  # neither SQLite's lock nor Python's is fair

    def child() -> int:
        signal.setitimer(signal.ITIMER_REAL, patience)  # ends a child that waits for ever
        number = spend()
        ledger_file._INHERITED.clear()  # as the end of an interpreter does
        return 0 if number in {entry.number for entry in ledger.entries()} else 1

    threads = [threading.Thread(target=keep_spending) for _ in range(2)]
    for thread in threads:
        thread.start()
    try:
        for attempt in range(40):
            status = status_of(fork(child))
            if status:
                return [f"child {attempt} ended with {status}"]
    finally:
        stop.set()
        for thread in threads:
            thread.join()
    entries = ledger.entries()
    lost = set(spent) - {entry.number for entry in entries}
    if lost or ledger.total("people") != PrivacyCost(len(entries) * CENT) or len(entries) < 40:
        return [f"entries were lost: {lost}"]
    return [str(error) for error in failures]


@pytest.mark.deep
def test_a_fork_in_the_middle_of_spends_is_safe(address: str) -> None:
    assert faults_of_forks(address, patience=60) == []


@pytest.mark.deep
def test_a_fork_that_knows_no_turns_would_be_caught(
    address: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Planted bug: the child finds the turn of a thread that it does not have."""
    for module in (ledger_file, server):
        monkeypatch.setattr(module, "Turn", lambda *, fork_waits: store.Turn(fork_waits=False))
    monkeypatch.setattr(store.Turn, "begin_anew", lambda turn: None)
    assert faults_of_forks(address, patience=3) != []


def test_a_fork_in_the_middle_of_a_transaction_on_a_file_would_be_caught(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Planted bug: no wait, as for a server; the child, when it ends, undoes its parent's work."""
    monkeypatch.setattr(ledger_file, "Turn", lambda *, fork_waits: store.Turn(fork_waits=False))
    assert faults_of_forks(str(tmp_path / "budget.ledger"), patience=3) != []


def drop_while_a_fork_waits(folder: Path, patience: float = 60) -> int:
    """Drop ledgers in the middle of a transaction of another, as a garbage collector may; then fork."""
    signal.setitimer(signal.ITIMER_REAL, patience)  # ends the process if it waits for ever
    spent, *dropped = [Ledger(folder / str(i), create=True) for i in range(4)]
    turns = [ledger._store._turn for ledger in (*dropped, spent)]  # type: ignore[attr-defined]
    store._turns.clear()
    store._turns = turns  # type: ignore[assignment]  # a fork takes them in this order
    begun = threading.Event()

    def spend() -> None:
        with spent._store.transaction("spend"):
            begun.set()
            while turns[-2].lock.acquire(blocking=False):
                turns[-2].lock.release()  # the fork has not come this far
            dropped.clear()

    thread = threading.Thread(target=spend)
    thread.start()
    begun.wait()
    status = status_of(fork(lambda: 0))
    thread.join()
    spent.spend(Answer(), dataset="people", what="a look")
    return status


def test_a_ledger_may_be_dropped_while_a_fork_waits_for_another(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    assert status_of(fork(partial(drop_while_a_fork_waits, tmp_path))) == 0
    waits = Fault("littlestone.privacy.ledger.file:LedgerFile.__del__",
                  "blocking=False", "blocking=True",
                  "whoever drops a ledger waits for a fork, which waits for it")  # fmt: skip
    plant(waits, monkeypatch)
    assert status_of(fork(partial(drop_while_a_fork_waits, tmp_path, 3))) == -signal.SIGALRM


def test_a_receipt_and_a_ledger_in_memory_are_no_use_to_a_child() -> None:
    ledger = Ledger()
    receipt = ledger.spend(Answer(), dataset="people", what="a look")

    def child() -> int:
        refusals = 0
        for use in (
            lambda: receipt.redeem(Answer()),
            lambda: ledger.spend(Answer(), dataset="people", what="a look"),
        ):
            try:
                use()
            except LedgerError:
                refusals += 1
        return refusals

    assert status_of(fork(child)) == 2
    receipt.redeem(Answer())
    assert len(ledger.entries()) == 1
