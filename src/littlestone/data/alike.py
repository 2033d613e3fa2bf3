"""Values that may stand for one another, because a function maps them to the same thing."""

from __future__ import annotations

from collections.abc import Callable, Hashable
from threading import Lock
from typing import Any

from littlestone.data.coding import Coded, Codes, Numbering

Function = Callable[[Any], Hashable]


class Alike:
    """Numbers the values of a column; those that ``function`` maps to the same thing have one number.

    >>> from littlestone.data.coding import coded
    >>> alike = Alike(abs)
    >>> alike(coded([3, 4, -3, -4])).tolist(), alike.shown
    ([0, 1, 0, 1], [3, 4])
    """

    def __init__(self, function: Function) -> None:
        self._function = function
        self._first: dict[Hashable, object] = {}
        self._numbering, self._lock = Numbering(self._met), Lock()

    def _met(self, value: object) -> Hashable:
        found = self._function(value)
        self._first.setdefault(found, value)
        return found

    def __call__(self, column: Coded) -> Codes:
        with self._lock:  # an engine may ask from several threads
            return self._numbering(column)

    @property
    def shown(self) -> list[object]:
        """A value for each number, which may stand for all others with that number."""
        return list(self._first.values())
