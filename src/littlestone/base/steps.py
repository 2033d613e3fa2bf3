"""Limits on the steps of a task, counted independently of what earlier tasks have cached."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from contextvars import ContextVar

from littlestone.base.errors import TooLargeError

MOST_ANSWERED = 200_000
"""The most steps of an answer about declarations, such as a printed tree: about two seconds."""

_left: ContextVar[list[int] | None] = ContextVar("steps that are left", default=None)
_answering: ContextVar[list[int] | None] = ContextVar("steps of an answer", default=None)


@contextmanager
def at_most(steps: int | None) -> Iterator[None]:
    """Make `count_steps` raise `TooLargeError` after more than ``steps``; None sets no limit.

    The count must depend only on the question.  If a cached answer counted less than a new one, the
    list of one teacher would reveal what another teacher asked.

    >>> with at_most(3):
    ...     count_steps(2), count_steps(1)
    (None, None)
    """
    token = _left.set(None if steps is None else [steps])
    try:
        yield
    finally:
        _left.reset(token)


@contextmanager
def answering(steps: int | None = MOST_ANSWERED) -> Iterator[None]:
    """Limit an answer about declarations, like `at_most`; here `count_search` counts as well.

    >>> with answering(3):
    ...     count_steps(2), count_search(3)
    (None, None)
    """
    with at_most(steps), searching(steps):
        yield


@contextmanager
def searching(steps: int | None) -> Iterator[None]:
    """Limit `count_search` alone: what is asked of a declared class before a fit.

    >>> with searching(3):
    ...     count_steps(20), count_search(3)
    (None, None)
    """
    token = _answering.set(None if steps is None else [steps])
    try:
        yield
    finally:
        _answering.reset(token)


def count_search(steps: int = 1) -> None:
    """Count ``steps`` of a search whose findings are cached; `answering` and `searching` limit them.

    No teacher's list may depend on these steps, because a teacher skips a search that another made.
    """
    _take(_answering.get(), steps)


def searchable() -> int | None:
    """The steps of a search that `answering` still allows; None if nothing limits them.

    >>> with answering(3):
    ...     count_search(2), searchable()
    (None, 1)
    """
    left = _answering.get()
    return None if left is None else left[0]


@contextmanager
def measure_steps() -> Iterator[Callable[[], int]]:
    """Measure the steps counted in its block, so that a cached answer can be counted again.

    >>> with measure_steps() as taken:
    ...     count_steps(2)
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


def count_steps(steps: int = 1) -> None:
    """Count ``steps`` of the current task, if `at_most` limits it."""
    _take(_left.get(), steps)


def _take(left: list[int] | None, steps: int) -> None:
    if left is not None:
        left[0] -= steps
        if left[0] < 0:
            raise TooLargeError(
                "answer in a limited number of steps",
                found="it needs more",
                fix="declare a smaller class, or smaller numbers",
            )
