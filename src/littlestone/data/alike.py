"""Values that may stand for one another, because a function maps them to the same thing."""

from __future__ import annotations

from collections.abc import Callable, Hashable
from threading import Lock
from typing import Any

from littlestone.data.coding import CodedColumn, Codes, Numbering

Function = Callable[[Any], Hashable]


class Alike:
    """Numbers the values of a column; those that ``function`` maps to the same thing have one number.

    >>> from littlestone.data.coding import code_column
    >>> alike = Alike(abs)
    >>> alike(code_column([3, 4, -3, -4])).tolist(), alike.representatives
    ([0, 1, 0, 1], [3, 4])
    """

    def __init__(self, function: Function) -> None:
        self._function = function
        self._first: dict[Hashable, object] = {}
        self._numbering, self._lock = Numbering(self._meet), Lock()

    def _meet(self, value: object) -> Hashable:
        found = self._function(value)
        self._first.setdefault(found, value)
        return found

    def __call__(self, column: CodedColumn) -> Codes:
        with self._lock:  # an engine may ask from several threads
            return self._numbering(column)

    @property
    def representatives(self) -> list[object]:
        """A value for each number, which may stand for all others with that number."""
        return list(self._first.values())
