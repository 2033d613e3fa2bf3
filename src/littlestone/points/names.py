"""Finite lists of named points."""

from __future__ import annotations

import random
from collections.abc import Iterator
from dataclasses import dataclass

from littlestone.base.errors import DeclarationError
from littlestone.points.base import Domain
from littlestone.points.values import text


@dataclass(frozen=True)
class Names(Domain[str]):
    """A finite list of named points; an unknown value stands for ``other``, by default the first.

    >>> Names(("JFK", "LGA"), name="origin").encode("EWR")
    'JFK'
    """

    points: tuple[str, ...]
    name: str = "x"
    other: str | None = None

    def __post_init__(self) -> None:
        wrong = _wrong(self.points)
        if wrong:
            raise DeclarationError(
                f"declare a domain of {len(self.points)} named points",
                found=wrong,
                fix="give at least one point, each under a name of its own",
            )
        if self.other is not None and self.other not in self.points:
            raise DeclarationError(
                f"send unknown values to {self.other!r}",
                found="it is not one of the declared points",
                fix="name one of the declared points",
            )
        object.__setattr__(self, "points", tuple(map(text, self.points)))
        if self.other is not None:
            object.__setattr__(self, "other", text(self.other))
        object.__setattr__(self, "_index", {x: i for i, x in enumerate(self.points)})

    @property
    def size(self) -> int:
        return len(self.points)

    def index(self, x: str) -> int:
        index: dict[str, int] = self._index  # type: ignore[attr-defined]
        return index[x]

    def encode(self, value: object) -> str:
        x = text(value)
        if x in self:
            return x
        return self.points[0] if self.other is None else self.other

    def reads(self, value: object) -> bool:
        return text(value) in self

    def __contains__(self, x: object) -> bool:
        index: dict[object, int] = self._index  # type: ignore[attr-defined]
        return type(x) is str and x in index

    def __iter__(self) -> Iterator[str]:
        return iter(self.points)

    def random_point(self, rng: random.Random) -> str:
        return rng.choice(self.points)

    def __str__(self) -> str:
        return f"{self.name} in {len(self.points)} named points"


def _wrong(points: tuple[object, ...]) -> str:
    """What is wrong with a list of names, by their places; the names may be private."""
    seen: dict[str, int] = {}
    for i, x in enumerate(points, start=1):
        if not isinstance(x, str) or text(x) != x:
            return f"name {i} is not readable text"
        if seen.setdefault(x, i) != i:
            return f"points {seen[x]} and {i} have the same name"
    return "" if points else "the list is empty"
