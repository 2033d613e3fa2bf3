"""Searches for a dimension that may take too long: what is known of it at any time."""

from __future__ import annotations

import time
from collections.abc import Iterable, Iterator
from contextlib import contextmanager, suppress
from contextvars import ContextVar
from dataclasses import dataclass
from typing import Generic, TypeVar

from littlestone.base.errors import DeclarationError, shown

Witness = TypeVar("Witness")

_deadline: ContextVar[float | None] = ContextVar("when a search stops", default=None)


@dataclass(frozen=True)
class Bracket(Generic[Witness]):
    """lower <= dimension <= upper; ``witness`` proves lower, and ``above`` says what proves upper."""

    lower: int
    upper: int
    witness: Witness
    above: str

    @property
    def settled(self) -> bool:
        """Whether the dimension is known."""
        return self.lower == self.upper


class OutOfTimeError(Exception):
    """The time limit of a search is over; its last bracket is what is known."""


@contextmanager
def time_limit(seconds: float | None) -> Iterator[None]:
    """Make `look` raise `OutOfTimeError` in the block after ``seconds`` seconds; None sets no limit."""
    if seconds is not None and not (isinstance(seconds, int | float) and seconds >= 0):
        raise DeclarationError(
            f"search for {shown(seconds)} seconds",
            found="the time limit is not a number of seconds, 0 or more",
            fix="give a number such as 60, or None for no limit",
        )
    token = _deadline.set(None if seconds is None else time.monotonic() + seconds)
    try:
        yield
    finally:
        _deadline.reset(token)


def look() -> None:
    """Stop the search if its time is over.  Long searches call this again and again."""
    deadline = _deadline.get()
    if deadline is not None and time.monotonic() > deadline:
        raise OutOfTimeError


def last(brackets: Iterable[Bracket[Witness]], seconds: float | None) -> Bracket[Witness]:
    """The last bracket of a search that ends by itself or after ``seconds`` seconds.

    The first one must come before the search looks at the clock.

    >>> last([Bracket(0, 2, "none", "columns"), Bracket(1, 1, "x0", "search")], 60).settled
    True
    """
    known: list[Bracket[Witness]] = []
    with time_limit(seconds), suppress(OutOfTimeError):
        for bracket in brackets:
            known = [bracket]
    return known[0]
