"""What tests share: a Ctrl+C that is heard, and the two places that keep a ledger."""

from __future__ import annotations

import signal
from collections.abc import Iterator
from pathlib import Path

import pytest

from servers import Server, server

# A shell has what it starts in the background ignore Ctrl+C, which tests press.
if signal.getsignal(signal.SIGINT) is signal.SIG_IGN:
    signal.signal(signal.SIGINT, signal.default_int_handler)


@pytest.fixture(scope="session")
def running_server() -> Iterator[Server]:
    with server() as running:
        yield running


@pytest.fixture(params=["file", "server"])
def address(request: pytest.FixtureRequest, tmp_path: Path) -> str:
    """The path of a new ledger, or the address of a new database for one."""
    if request.param == "file":
        return str(tmp_path / "budget.ledger")
    running: Server = request.getfixturevalue("running_server")
    return running.database()
