"""Mistake trees, with a point at every node and a hypothesis at every leaf; bounds proved by one."""

from __future__ import annotations

import json
from dataclasses import dataclass
from typing import Self

from littlestone.base.errors import DeclarationError, LittlestoneError


@dataclass(frozen=True)
class MistakeTree:
    """A tree of depth d as a heap: 2^d - 1 points, and 2^d hypotheses from left to right.

    ``points[i]`` is a column of the table; the answer 0 leads to node 2 i + 1 and the answer 1 to
    node 2 i + 2.  ``leaves`` are rows of the table.  The tree is shattered if every leaf gives the
    answers of the path that leads to it (`is_shattered_by`).
    """

    points: tuple[int, ...]
    leaves: tuple[int, ...]

    def __post_init__(self) -> None:
        if len(self.leaves) != len(self.points) + 1 or len(self.leaves) & len(self.points):
            raise DeclarationError(
                "make a mistake tree",
                found=f"{len(self.points)} points and {len(self.leaves)} leaves",
                fix="give 2^d - 1 points and 2^d leaves",
            )

    @property
    def depth(self) -> int:
        """The number of mistakes that the tree forces."""
        return len(self.points).bit_length()

    def to_json(self) -> str:
        """The tree as JSON text."""
        return json.dumps({"points": self.points, "leaves": self.leaves})

    @classmethod
    def from_json(cls, text: str) -> Self:
        """The tree in a JSON text; `DeclarationError` for any other text."""
        try:
            data = json.loads(text)
            points, leaves = (tuple(map(parse_whole, data[key])) for key in ("points", "leaves"))
        except (ValueError, TypeError, KeyError, RecursionError) as error:
            raise DeclarationError(
                "read a mistake tree", found="text that is not one", fix="export the tree again"
            ) from error
        return cls(points, leaves)


def parse_whole(number: object) -> int:
    """``number`` itself, once it is known to be a whole number; `TypeError` if it is not."""
    if type(number) is not int:
        raise TypeError(f"{number!r} is not a whole number")
    return number


@dataclass(frozen=True)
class Bounds:
    """lower <= LDim <= upper; equal unless the solve was interrupted.

    ``tree`` is shattered and has depth ``lower``.  The solve was interrupted by Ctrl+C, or by the time
    limit (``timed_out``).
    """

    lower: int
    upper: int
    tree: MistakeTree
    interrupted: bool = False
    timed_out: bool = False

    @property
    def dimension(self) -> int:
        """The Littlestone dimension; `UnsettledError` if the bounds still differ."""
        if self.lower < self.upper:
            raise UnsettledError(self)
        return self.lower


class UnsettledError(LittlestoneError):
    """The dimension was asked for where only bounds are known; they are in ``bounds``."""

    def __init__(self, bounds: Bounds) -> None:
        super().__init__(
            "tell the Littlestone dimension",
            found=f"it is between {bounds.lower} and {bounds.upper}; the solve was interrupted",
            fix="allow more time, or use the bounds",
        )
        self.bounds = bounds

    def __reduce__(self) -> tuple[object, ...]:
        return (type(self), (self.bounds,))


class InterruptedSolve(KeyboardInterrupt):
    """Ctrl+C during a solve that was to return a number; ``bounds`` is what was known by then."""

    def __init__(self, bounds: Bounds) -> None:
        super().__init__(f"the Littlestone dimension is between {bounds.lower} and {bounds.upper}")
        self.bounds = bounds
