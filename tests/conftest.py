"""What tests share: a Ctrl+C that is heard, files of one speed, places of a ledger, a browser."""

from __future__ import annotations

import gc
import os
import re
import shutil
import signal
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from limits import limit_memory
from servers import Server, server

# A shell has what it starts in the background ignore Ctrl+C, which tests press.
if signal.getsignal(signal.SIGINT) is signal.SIG_IGN:
    signal.signal(signal.SIGINT, signal.default_int_handler)

# Tests share the cores among themselves; idle threads of linear algebra would wait by spinning.
os.environ.setdefault("LITTLESTONE_JOBS", "1")
os.environ.setdefault("OPENBLAS_NUM_THREADS", "1")
# What tests start finds the package compiled: some environments forbid to keep that.
os.environ.pop("PYTHONDONTWRITEBYTECODE", None)
sys.dont_write_bytecode = False
# Where these are set pytest shows all of a comparison that fails, and planted faults are meant to fail:
# of two lists of 43,000 numbers the difference takes hours.
for name in ("CI", "BUILD_NUMBER"):
    os.environ.pop(name, None)
# Millions of objects are made while tests are collected, and stay: nobody need look for garbage there,
# and forks share what is frozen.
gc.disable()
# What grows without end fails, and takes no other test with it: some faults are planted right here.
# A sanitizer, which is loaded before Python, shadows all addresses.
if "LD_PRELOAD" not in os.environ:
    limit_memory(10 << 30)

DEEP_FILE = re.compile(r"^pytestmark = pytest\.mark\.deep$", re.MULTILINE)


def pytest_ignore_collect(collection_path: Path, config: pytest.Config) -> bool | None:
    """Whether a file need not even be imported: it has no test, or none of the speed that is asked."""
    if collection_path.suffix != ".py":
        return None
    text = collection_path.read_text(encoding="utf-8")
    speed = config.getoption("markexpr")
    if not collection_path.name.startswith("test_"):
        none = ">>> " not in text or speed == "deep"
    elif speed == "not deep":
        none = DEEP_FILE.search(text) is not None
    else:
        none = speed == "deep" and "pytest.mark.deep" not in text
    return True if none else None


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    """The longest tests come first, so that no core waits for another at the end."""
    items.sort(key=lambda item: "silence" not in item.path.parts)


def pytest_collection_finish() -> None:
    gc.freeze()
    gc.enable()
    # No example is late on a slow machine, or on one that others use.  Most runs need no hypothesis.
    if (hypothesis := sys.modules.get("hypothesis")) is not None:
        slow = [hypothesis.HealthCheck.too_slow]
        hypothesis.settings.register_profile("patient", deadline=None, suppress_health_check=slow)
        hypothesis.settings.load_profile("patient")


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


# Chromium asks for nothing by itself; and CI runs as root, where its sandbox does not start.
FLAGS = ["--no-sandbox", "--disable-gpu", "--disable-quic", "--no-first-run", "--disable-sync",
         "--disable-background-networking", "--disable-component-update"]  # fmt: skip


@pytest.fixture(scope="module")
def chromium() -> Iterator[Any]:
    driver = pytest.importorskip(
        "playwright.sync_api", reason="Playwright is not installed: make browser"
    )
    path = shutil.which("chromium") or shutil.which("chromium-browser")
    if path is None:
        pytest.skip("Chromium is not installed")
    with driver.sync_playwright() as playwright:
        browser = playwright.chromium.launch(executable_path=path, args=FLAGS)
        yield browser
        browser.close()
