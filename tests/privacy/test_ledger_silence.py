"""Servers that stay silent: a named error in finite time, and nothing else waits for them."""

from __future__ import annotations

import os
import signal
import socket
import threading
from collections.abc import Callable, Iterator
from contextlib import closing, contextmanager, nullcontext
from pathlib import Path
from typing import Any

import pytest
from spending import Answer, fork, status_of

from littlestone.base.errors import LedgerError
from littlestone.privacy.ledger import Ledger, server
from littlestone.privacy.ledger.server import Watch
from servers import Server
from servers import server as run_server

pytestmark = [
    pytest.mark.filterwarnings("ignore:.*fork:DeprecationWarning"),
]

LIMIT = 60  # seconds after which a test that waits is ended, far beyond what it should take


@pytest.fixture(autouse=True)
def finite() -> Iterator[None]:
    """End a wait without end, so that it fails its test and no more."""
    before = signal.signal(signal.SIGALRM, lambda *_: os.kill(os.getpid(), signal.SIGINT))
    signal.alarm(LIMIT)
    yield
    signal.alarm(0)
    signal.signal(signal.SIGALRM, before)


def spend(ledger: Ledger) -> int:
    return ledger.spend(Answer(), dataset="people", what="a look").number


@pytest.mark.parametrize(
    "options", ["?connect_timeout=2", pytest.param("", marks=pytest.mark.deep)]
)
def test_a_server_that_never_answers_is_named(options: str) -> None:
    pytest.importorskip("psycopg")
    with closing(socket.create_server(("127.0.0.1", 0))) as silent:
        port = silent.getsockname()[1]
        with pytest.raises(LedgerError, match="timeout"):
            Ledger(f"postgresql://ada@127.0.0.1:{port}/db{options}")


def test_a_watch_that_comes_late_cuts_nothing(monkeypatch: pytest.MonkeyPatch) -> None:
    """It may run at the very moment at which the wait is over."""
    late: list[Callable[..., object]] = []

    class LateTimer(threading.Timer):
        def start(self) -> None:
            late.append(self.function)

    here, there = socket.socketpair()
    with here, there:
        watch = Watch(here)
        with monkeypatch.context() as patch:
            patch.setattr(threading, "Timer", LateTimer)
            with watch.during(LIMIT):
                pass
        (cut,) = late
        cut()
        there.send(b"x")
        assert (here.recv(1), watch.cut) == (b"x", False)
        with watch.during(0.01):
            assert here.recv(1) == b""
        assert watch.cut


@pytest.fixture
def freezing() -> Iterator[Server]:
    with run_server() as running:
        yield running


@contextmanager
def frozen(running: Server, ledger: Ledger) -> Iterator[None]:
    """Stop the process that serves the ledger: its machine still confirms what arrives."""
    assert isinstance(ledger._store, server.LedgerServer)
    assert ledger._store._open is not None
    serving = ledger._store._open.info.backend_pid
    for process in (serving, running.process.pid):
        os.kill(process, signal.SIGSTOP)
    try:
        yield
    finally:
        for process in (serving, running.process.pid):
            os.kill(process, signal.SIGCONT)


@pytest.mark.deep
def test_a_server_that_falls_silent_is_named_and_blocks_nothing_else(
    freezing: Server, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    ledger, other = Ledger(freezing.database()), Ledger(tmp_path / "budget.ledger")
    assert spend(ledger) == 1
    monkeypatch.setattr(server, "ANSWER", 5.0)
    errors: list[LedgerError] = []

    def wait() -> None:
        try:
            spend(ledger)
        except LedgerError as error:
            errors.append(error)

    import psycopg

    honest, connected = psycopg.connect, list[str]()

    def connect(address: str, **options: Any) -> Any:
        connected.append(address)
        return honest(address, **options)

    monkeypatch.setattr(psycopg, "connect", connect)
    with frozen(freezing, ledger):
        waiting = threading.Thread(target=wait)
        waiting.start()
        # While it waits, a ledger in a file goes on, the process forks, and the child spends there.
        assert spend(other) == 1
        assert status_of(fork(lambda: spend(other))) == 2
        assert waiting.is_alive()
        waiting.join()
    (error,) = errors
    assert "PostgreSQL says" in error.found
    assert connected == []  # or it would wait once more
    assert spend(ledger) == 2  # through a new connection; what was cut off left nothing


@pytest.mark.deep
def test_a_child_of_a_process_that_waits_for_a_server_can_use_it(freezing: Server) -> None:
    ledger = Ledger(freezing.database())
    with frozen(freezing, ledger):
        waiting = threading.Thread(target=spend, args=[ledger])
        waiting.start()
        child = fork(lambda: spend(ledger))
    waiting.join()
    assert status_of(child) in (1, 2)
    assert len(ledger.entries()) == 2


@pytest.mark.deep
def test_a_wait_without_a_watch_would_be_caught(
    freezing: Server, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Planted bug: nobody cuts the connection, and settings of the connection do not end the wait."""
    ledger = Ledger(freezing.database())
    monkeypatch.setattr(server, "ANSWER", 2.0)
    monkeypatch.setattr(Watch, "during", lambda *_: nullcontext())
    heard = threading.Event()

    def wait() -> None:
        try:
            spend(ledger)
        finally:
            heard.set()

    with frozen(freezing, ledger):
        waiting = threading.Thread(target=wait)
        waiting.start()
        assert not heard.wait(timeout=6)
    waiting.join()
