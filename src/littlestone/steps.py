"""How many steps a task may take: counted alike, whatever was found and kept by earlier tasks."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from contextvars import ContextVar

from littlestone.errors import TooLargeError

_left: ContextVar[list[int] | None] = ContextVar("steps that are left", default=None)


@contextmanager
def at_most(steps: int | None) -> Iterator[None]:
    """Within it `count` raises `TooLargeError` once more than ``steps`` are counted; None: never.

    What is counted must be a function of the question alone.  Were an answer that is kept counted as
    less than one that is found, the list of one teacher would tell what another one asked.

    >>> with at_most(3):
    ...     count(2), count(1)
    (None, None)
    """
    token = _left.set(None if steps is None else [steps])
    try:
        yield
    finally:
        _left.reset(token)


def count(steps: int = 1) -> None:
    """Count ``steps`` of the task that `at_most` limits, if any does."""
    left = _left.get()
    if left is not None:
        left[0] -= steps
        if left[0] < 0:
            raise TooLargeError(
                "decompose version spaces in a limited number of steps",
                found="it takes more",
                fix="declare a smaller class, or take the method auto",
            )
