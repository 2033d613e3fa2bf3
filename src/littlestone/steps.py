"""How many steps a task may take: counted alike, whatever was found and kept by earlier tasks."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from contextvars import ContextVar

from littlestone.errors import TooLargeError

MOST_ANSWERED = 200_000
"""Steps of an answer about declarations alone, such as a tree that is printed: about two seconds."""

_left: ContextVar[list[int] | None] = ContextVar("steps that are left", default=None)
_answering: ContextVar[list[int] | None] = ContextVar("steps of an answer", default=None)


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


@contextmanager
def answering(steps: int | None = MOST_ANSWERED) -> Iterator[None]:
    """As `at_most`, for an answer about declarations alone: `search` counts within it as well.

    >>> with answering(3):
    ...     count(2), search(3)
    (None, None)
    """
    token = _answering.set(None if steps is None else [steps])
    try:
        with at_most(steps):
            yield
    finally:
        _answering.reset(token)


def search(steps: int = 1) -> None:
    """Count ``steps`` of a search whose findings are kept, which only `answering` limits.

    No list of a teacher may depend on them: what one teacher found, another need not search for.
    """
    _take(_answering.get(), steps)


@contextmanager
def measured() -> Iterator[Callable[[], int]]:
    """How many steps are counted within it, so that an answer that is kept can be counted again.

    >>> with measured() as taken:
    ...     count(2)
    >>> taken()
    2
    """
    limited = _left.get()
    left = [1 << 62] if limited is None else limited
    before, token = left[0], _left.set(left)
    try:
        yield lambda: before - left[0]
    finally:
        _left.reset(token)


def count(steps: int = 1) -> None:
    """Count ``steps`` of the task that `at_most` limits, if any does."""
    _take(_left.get(), steps)


def _take(left: list[int] | None, steps: int) -> None:
    if left is not None:
        left[0] -= steps
        if left[0] < 0:
            raise TooLargeError(
                "answer in a limited number of steps",
                found="it takes more",
                fix="declare a smaller class, or smaller numbers",
            )
