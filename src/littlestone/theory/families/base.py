"""What a named family is, and how all of them are found."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from inspect import signature

import numpy as np
from numpy.typing import NDArray

from littlestone.base.discovery import modules
from littlestone.base.errors import DeclarationError, TooLargeError, no_such

Table = NDArray[np.uint8]

MOST_ENTRIES = 2**29
"""The largest table that is made, in entries of a byte."""


@dataclass(frozen=True)
class Family:
    """Tables by whole numbers, such as ``kneser 5 2``; ``size`` gives their rows and points.

    ``limits`` has the least and the largest value of each number.
    """

    name: str
    make: Callable[..., Table]
    size: Callable[..., tuple[int, int]]
    limits: tuple[tuple[int, int], ...]

    @property
    def numbers(self) -> list[str]:
        """What the numbers are called."""
        return list(signature(self.make).parameters)

    @property
    def words(self) -> str:
        """What the tables are, in one line."""
        return (self.make.__doc__ or "").split("\n")[0]

    def __call__(self, *numbers: int) -> Table:
        """The table of these numbers, with distinct rows.

        Raises `DeclarationError` for other numbers than the family takes, and `TooLargeError` for a
        table of more than 2^29 entries.
        """
        usage = f"table({', '.join([repr(self.name), *self.numbers])})"
        if len(numbers) != len(self.limits):
            raise DeclarationError(
                f"make {self.name} {' '.join(map(str, numbers))}".rstrip(),
                found=f"it takes {len(self.limits)} numbers and got {len(numbers)}",
                fix=f"write {usage}",
            )
        for name, number, (low, high) in zip(self.numbers, numbers, self.limits, strict=True):
            if not low <= number <= high:
                raise DeclarationError(
                    f"make {self.name} with {name} = {number}",
                    found=f"{name} must be {low} to {high}",
                    fix=f"write {usage}, within these limits",
                )
        rows, points = self.size(*numbers)
        if rows < 1 or points < 1:
            raise DeclarationError(
                f"make {self.name} {' '.join(map(str, numbers))}",
                found="no hypothesis or no point is left",
                fix=f"write {usage}, with other numbers",
            )
        if rows * points > MOST_ENTRIES:
            raise TooLargeError(
                f"make {self.name} {' '.join(map(str, numbers))}",
                found=f"the table may have {rows:,} rows and {points:,} points",
                fix=f"stay below {MOST_ENTRIES:,} entries",
            )
        return np.ascontiguousarray(self.make(*numbers), np.uint8)


def family(
    name: str, size: Callable[..., tuple[int, int]], *limits: tuple[int, int]
) -> Callable[[Callable[..., Table]], Family]:
    """Mark a function as the family ``name``.

    ``size`` bounds the rows and points before any is made, and ``limits`` the numbers.
    """
    return lambda make: Family(name, make, size, limits)


def families() -> dict[str, Family]:
    """All families by their names.

    >>> families()["kneser"].numbers
    ['n', 'k']
    """
    found = {
        member.name: member
        for module in modules("littlestone.theory.families")
        for member in vars(module).values()
        if isinstance(member, Family)
    }
    return dict(sorted(found.items()))


def table(name: str, *numbers: int) -> Table:
    """The table of a named family: a row for each hypothesis and a column for each point.

    Raises as `Family.__call__`, and `DeclarationError` for an unknown name.

    >>> table("thresholds", 3).tolist()
    [[0, 0, 0], [1, 0, 0], [1, 1, 0], [1, 1, 1]]
    """
    known = families()
    if name not in known:
        raise no_such(f"make the family {name!r}", "family", name, known)
    return known[name](*numbers)


def unpacked(codes: set[int], points: int) -> Table:
    """The table whose rows have these numbers as bits, up to 64 of them, in increasing order."""
    words = np.array(sorted(codes), np.uint64)[:, np.newaxis]
    return (words >> np.arange(points, dtype=np.uint64) & np.uint64(1)).astype(np.uint8)
