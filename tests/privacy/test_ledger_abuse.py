"""Limits under abuse: eight spenders and an owner, killed again and again, while all goes wrong.

Clocks run backwards, limits rise and fall, the place becomes read-only and is full at times.  The
owner notes every limit as an entry, in the transaction that sets it; so the numbers of the entries
tell which limit was in force at every spend, and the whole run can be checked line by line.
"""

from __future__ import annotations

import os
import random
import resource
import signal
import tempfile
import time
from collections import Counter
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from datetime import UTC, datetime
from fractions import Fraction
from functools import partial
from pathlib import Path
from typing import Any, NoReturn

import pytest
from spending import Answer, fork, status_of

from littlestone.base.errors import BudgetExceededError, LedgerError
from littlestone.privacy.cost import NeighboringRelation, PrivacyCost
from littlestone.privacy.ledger import Entry, Ledger, is_address, rows
from littlestone.privacy.ledger import ledger as ledger_module
from littlestone.privacy.ledger.counts import Spending, spending
from servers import Server
from servers import server as run_server

pytestmark = [
    pytest.mark.skipif(not hasattr(os, "fork"), reason="needs fork"),
    pytest.mark.filterwarnings("ignore:.*fork:DeprecationWarning"),
]

SPENDERS = 8
ROWS = NeighboringRelation.REPLACE_ONE
KILLS = 40  # in the tests; a longer run is `faults_under_abuse(address, log, kills=2000)`


class Clock:
    """Tells any time at all."""

    @staticmethod
    def now(zone: object) -> datetime:
        return datetime.fromtimestamp(random.uniform(0, 4e9), UTC)


def spender(address: str, log: int, seed: int) -> NoReturn:
    """Spend until killed; each line of the log is a draw that left the process, or a failure."""
    own = random.Random(seed)
    rows.datetime = Clock  # type: ignore[attr-defined, assignment]
    while True:
        if not is_address(address) and seed % 3 == 0:
            fill_up(address, own)
        try:
            with Ledger(address, create=False) as book:
                while True:
                    event = Answer(Fraction(own.randint(1, 9), own.choice((100, 300, 700))))
                    what = f"costs {event.epsilon}"
                    receipt = book.spend(event, dataset="people", what=what)
                    receipt.redeem(event)
                    os.write(log, b"drawn %d %s\n" % (receipt.number, str(event.epsilon).encode()))
        except BudgetExceededError:
            os.write(log, b"refused\n")
        except LedgerError:
            os.write(log, b"failed\n")
        time.sleep(own.uniform(0, 0.01))


def fill_up(path: str, own: random.Random) -> None:
    """Now and then this process may not make the file longer, as on a disk that is full."""
    size = os.path.getsize(path) + own.randint(0, 9000) if own.random() < 0.7 else -1
    resource.setrlimit(resource.RLIMIT_FSIZE, (size, resource.RLIM_INFINITY))


def owner(address: str, log: int, seed: int) -> NoReturn:
    """Change the limit until killed."""
    own = random.Random(seed)
    while True:
        with suppress(LedgerError), Ledger(address, create=False) as book:
            while True:
                with book._store.transaction("change the limit") as connection:
                    spent = spending(rows.entry_costs(connection, ["people"]), ROWS, None)
                    assert spent is not None
                    most = spent.total.epsilon
                    most = max(Fraction(0), most + Fraction(own.randint(-30, 100), 100))
                    rows.set_limit(connection, "people", PrivacyCost(most))
                    zero = PrivacyCost(Fraction(0))
                    rows.insert(connection, "limits", f"limit {most}", "owner", zero, None)
                time.sleep(own.uniform(0, 0.02))


def faults_under_abuse(address: str, folder: Path, *, kills: int) -> list[str]:
    """What is wrong with the ledger after so many kills."""
    Ledger(address).close()
    if not is_address(address):
        os.chmod(address, 0o666)
    chance, written = random.Random(11), folder / "log"
    log = os.open(written, os.O_WRONLY | os.O_CREAT | os.O_APPEND, 0o666)
    seeds = iter(range(10**9))

    def start(place: int) -> int:
        work = owner if place == SPENDERS else spender
        return fork(partial(unprivileged, partial(work, address, log, next(seeds))))

    children = [start(place) for place in range(SPENDERS + 1)]
    try:
        for _ in range(kills):
            goes_on(written)
            time.sleep(chance.uniform(0, 0.02))
            if chance.random() < 0.2:
                with read_only(address):
                    time.sleep(0.03)
            place = chance.randrange(SPENDERS + 1)
            os.kill(children[place], signal.SIGKILL)
            assert status_of(children[place]) == -signal.SIGKILL
            children[place] = start(place)
        goes_on(written)
    finally:
        for child in children:
            with suppress(ProcessLookupError):  # a test that fails may have waited for it
                os.kill(child, signal.SIGKILL)
                status_of(child)
    os.close(log)
    with Ledger(address, create=False) as book:
        entries = book.entries()
        assert book.spend(Answer(Fraction(0)), dataset="another", what="it goes on").number > 0
    return faults_of(entries, written.read_text().splitlines())


def goes_on(log: Path) -> None:
    """Wait for a few more draws: nothing that is done here may stop the ledger for good."""
    before, deadline = log.read_bytes().count(b"drawn"), time.monotonic() + 60
    while log.read_bytes().count(b"drawn") < before + 3:
        assert time.monotonic() < deadline, "no draw for a minute"
        time.sleep(0.005)


def faults_of(entries: list[Entry], log: list[str]) -> list[str]:
    """Go through the entries with the limit that was in force, and look for what left a process."""
    found, most, spent = [], None, Fraction(0)
    costs: dict[int, Fraction] = {}
    for entry in entries:
        if entry.dataset == "limits":
            most = Fraction(entry.what.removeprefix("limit "))
        elif entry.dataset == "people":
            costs[entry.number] = entry.cost.epsilon
            spent += entry.cost.epsilon
            if entry.what != f"costs {entry.cost.epsilon}":
                found.append(f"entry {entry.number} is half written: {entry}")
            if most is not None and spent > most:
                found.append(f"entry {entry.number} passes the limit {most}: {spent}")
    drawn = [line.split()[1:] for line in log if line.startswith("drawn")]
    found += [
        f"draw {number} of {cost} has no entry"
        for number, cost in drawn
        if costs.get(int(number)) != Fraction(cost)
    ]
    happened = Counter(line.split()[0] for line in log)
    COUNTED.append({"entries": len(entries), **happened})
    return found


COUNTED: list[dict[str, int]] = []  # what happened in each run, for whoever wants figures


def unprivileged(work: Callable[[], NoReturn]) -> int:
    """Work as an ordinary user, since the superuser may write to what is marked read-only."""
    if os.geteuid() == 0:
        os.seteuid(65534)
    return work()


@contextmanager
def read_only(address: str) -> Iterator[None]:
    """The folder of a file, so that no journal can be made; or new transactions on a server."""
    if is_address(address):
        with admin(address) as execute:
            name = address.partition("?")[0].rpartition("/")[2]
            execute(f"ALTER DATABASE {name} SET default_transaction_read_only = on")
            execute(
                "SELECT pg_terminate_backend(pid) FROM pg_stat_activity"
                f" WHERE datname = '{name}' AND pid <> pg_backend_pid()"
            )
            yield
            execute(f"ALTER DATABASE {name} RESET default_transaction_read_only")
        return
    folder = os.path.dirname(address)
    os.chmod(folder, 0o555)
    yield
    os.chmod(folder, 0o777)


@contextmanager
def admin(address: str) -> Iterator[Callable[[str], Any]]:
    import psycopg

    with psycopg.connect(address, autocommit=True) as connection:
        yield lambda statement: connection.execute(statement.encode())


@pytest.fixture(params=["file", "server"])
def place(request: pytest.FixtureRequest) -> Iterator[tuple[str, Path]]:
    """A ledger that an ordinary user may write to, and a folder for the log."""
    with tempfile.TemporaryDirectory() as folder:
        os.chmod(folder, 0o777)
        inner = Path(folder, "ledger")
        inner.mkdir()
        os.chmod(inner, 0o777)
        if request.param == "file":
            yield str(inner / "budget.ledger"), Path(folder)
        else:
            running: Server = request.getfixturevalue("running_server")
            yield running.database(), Path(folder)


@pytest.mark.deep
def test_limits_hold_under_abuse(place: tuple[str, Path]) -> None:
    assert faults_under_abuse(*place, kills=KILLS) == []


@pytest.mark.deep
def test_a_limit_read_a_moment_ago_would_be_caught(
    place: tuple[str, Path], monkeypatch: pytest.MonkeyPatch
) -> None:
    """Planted bug: each spender remembers a limit for twenty spends.

    If it remembered the limit for good, all of them might refuse for good.
    """
    read, limits, seen = rows.limits, dict[str, Any](), Counter[str]()

    def remembered(connection: Any, names: list[str]) -> Any:
        if seen[names[0]] % 20 == 0:
            limits[names[0]] = read(connection, names)
        seen[names[0]] += 1
        return limits[names[0]]

    monkeypatch.setattr(rows, "limits", remembered)
    faults = faults_under_abuse(*place, kills=25)
    assert any("passes the limit" in fault for fault in faults), faults


@pytest.mark.deep
def test_a_total_that_forgets_would_be_caught(
    place: tuple[str, Path], monkeypatch: pytest.MonkeyPatch
) -> None:
    """Planted bug: a tenth of what was spent is not added up."""

    def forgetful(*what: Any) -> Spending:
        spent = spending(*what)
        assert spent is not None
        spent.total = PrivacyCost(max(Fraction(0), spent.total.epsilon - Fraction(1, 10)))
        return spent

    monkeypatch.setattr(ledger_module, "spending", forgetful)
    faults = faults_under_abuse(*place, kills=25)
    assert any("passes the limit" in fault for fault in faults), faults


@pytest.mark.deep
def test_a_server_with_a_full_disk_gives_no_receipt() -> None:
    with run_server(wal_megabytes=1, largest_file=2**20) as running:
        book, receipts, noise = Ledger(running.database()), 0, random.Random(5)
        with pytest.raises(LedgerError, match="could not extend file"):  # noqa: PT012
            while receipts < 1000:
                what = "".join(noise.choices("abcdefghijklmnopqrstuvwxyz", k=90_000))
                book.spend(Answer(), dataset="people", what=what)
                receipts += 1
        assert len(book.entries()) == receipts > 5
        running.stop()
        running.largest_file = -1
        running.start()
        after = book.spend(Answer(), dataset="people", what="a look").total
        assert after == PrivacyCost(Fraction(receipts + 1, 100))
