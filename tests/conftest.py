"""The two places that keep a ledger, for tests of what holds in both."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest

from servers import Server, server


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
