"""Mistake trees: complete binary trees of points with a hypothesis at every leaf."""

from __future__ import annotations

import json
from dataclasses import dataclass
from typing import Self

from littlestone.base.errors import DeclarationError


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
            points, leaves = (tuple(map(whole, data[key])) for key in ("points", "leaves"))
        except (ValueError, TypeError, KeyError, RecursionError) as error:
            raise DeclarationError(
                "read a mistake tree", found="text that is not one", fix="export the tree again"
            ) from error
        return cls(points, leaves)


def whole(number: object) -> int:
    """``number`` itself, once it is known to be a whole number; `TypeError` if it is not."""
    if type(number) is not int:
        raise TypeError(f"{number!r} is not a whole number")
    return number
