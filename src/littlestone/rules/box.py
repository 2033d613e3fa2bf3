"""Indicators of boxes: one interval for each of several ranges."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, Self

from littlestone.points import Domain, Grid, Product
from littlestone.rules.base import BinaryHypothesis
from littlestone.rules.boxes import cover_words
from littlestone.rules.languages.form import Outcome, both, case
from littlestone.rules.languages.regions import interval

Record = tuple[int, ...]


@dataclass(frozen=True)
class Box(BinaryHypothesis[Record]):
    """The function 1[a_j <= x_j <= b_j for all columns j], or the constant 0 if ``sides`` is None.

    Its form does not grow with the number of points.  Canonical: no side is empty or leaves its range.

    >>> hours = Product((Grid(0, 23, "hour"), Grid(0, 6, "day")))
    >>> Box(hours, ((8, 23), (1, 1))).words(), Box(hours, None).words()
    ('hour >= 8 and day = 1', 'always 0')
    """

    domain: Domain[Record]  # a Product of grids
    sides: tuple[tuple[int, int], ...] | None

    def __call__(self, x: Record) -> int:
        if self.sides is None:
            return 0
        return int(all(a <= v <= b for (a, b), v in zip(self.sides, x, strict=True)))

    def words(self) -> str:
        if self.sides is None:
            return "always 0"
        columns: Any = self.domain.columns  # type: ignore[attr-defined]
        places = tuple(
            range(a - column.low, b - column.low + 1)
            for column, (a, b) in zip(columns, self.sides, strict=True)
            if column.size > 1
        )
        return cover_words([places], [c for c in columns if c.size > 1]) or "always 1"

    def outcome(self) -> Outcome:
        if self.sides is None:
            return 0
        columns: Any = self.domain.columns  # type: ignore[attr-defined]
        sides = zip(columns, self.sides, strict=True)
        return case([(both(*(interval(column, a, b + 1) for column, (a, b) in sides)), 1)], 0)

    def witness(self, other: Self) -> Record | None:
        if self.sides is None or other.sides is None:
            sides = self.sides or other.sides
            return None if sides is None else tuple(a for a, _ in sides)
        for inside, outside in ((self.sides, other.sides), (other.sides, self.sides)):
            x = [a for a, _ in inside]
            for j, ((a, b), (c, d)) in enumerate(zip(inside, outside, strict=True)):
                if a < c or b > d:
                    x[j] = a if a < c else b
                    return tuple(x)
        return None

    def form(self) -> dict[str, object]:
        return {"sides": None if self.sides is None else [list(side) for side in self.sides]}

    @classmethod
    def from_form(cls, domain: Domain[Any], form: Mapping[str, Any]) -> Self:
        sides = form["sides"]
        columns = domain.columns if isinstance(domain, Product) else ()
        if not columns or not all(isinstance(column, Grid) for column in columns):
            raise ValueError
        if sides is None:
            return cls(domain, None)
        legal = isinstance(sides, list) and len(sides) == len(columns)
        if not legal or not all(_is_side(*pair) for pair in zip(sides, columns, strict=True)):
            raise ValueError
        return cls(domain, tuple((a, b) for a, b in sides))


def _is_side(side: object, column: Any) -> bool:
    return (
        isinstance(side, list)
        and len(side) == 2
        and all(type(end) is int for end in side)
        and column.low <= side[0] <= side[1] <= column.high
    )
