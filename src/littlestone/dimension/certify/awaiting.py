"""Compiled work in a thread of its own, so that Ctrl+C and a time limit can stop it."""

from __future__ import annotations

import time
from collections.abc import Callable
from threading import Thread
from typing import Protocol, TypeVar

Result = TypeVar("Result")
_POLL = 0.1  # seconds between two looks at Ctrl+C


class Stoppable(Protocol):
    """Work that another thread can stop."""

    def stop(self) -> None:
        """Make the work end soon."""


def awaited(
    worker: Stoppable, task: Callable[[], Result], time_limit: float | None = None
) -> Result:
    """The result of a task; the worker is told to stop after the time limit, and by Ctrl+C."""
    results: list[Result] = []
    failures: list[BaseException] = []

    def run() -> None:
        try:
            results.append(task())
        except BaseException as failure:
            failures.append(failure)

    thread = Thread(target=run, daemon=True)
    end = None if time_limit is None else time.monotonic() + time_limit
    thread.start()
    try:
        while not results and not failures:
            if end is not None and time.monotonic() >= end:
                worker.stop()
            thread.join(_POLL if thread.is_alive() else 0)
    except BaseException:
        worker.stop()
        raise
    if failures:
        raise failures[0]
    return results[0]
