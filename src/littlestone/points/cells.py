"""Finite columns: named points, numbers in cells, declared lists; and codes from an open list."""

from __future__ import annotations

import random
from abc import abstractmethod
from bisect import bisect_right
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from datetime import date
from decimal import Decimal
from functools import cached_property
from itertools import count, pairwise

from littlestone.base.errors import DeclarationError
from littlestone.points.base import DECIMAL, Domain, are_of, day, number, text


class FiniteTexts(Domain[str]):
    """A finite domain of texts."""

    @property
    @abstractmethod
    def _places(self) -> dict[str, int]:
        """The number of each point."""

    @property
    def size(self) -> int:
        return len(self._places)

    def index(self, x: str) -> int:
        return self._places[x]

    def __contains__(self, x: object) -> bool:
        return type(x) is str and x in self._places

    def holds_all(self, values: Sequence[object]) -> bool:
        return are_of(str, values) and self._places.keys() >= {*values}

    def indices(self, points: Sequence[str]) -> Sequence[int]:
        return [self._places[x] for x in points]

    def __iter__(self) -> Iterator[str]:
        return iter(self._places)

    def random_point(self, rng: random.Random) -> str:
        return rng.choice(list(self))


@dataclass(frozen=True)
class Names(FiniteTexts):
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

    @cached_property
    def _places(self) -> dict[str, int]:
        return {x: i for i, x in enumerate(self.points)}

    def encode(self, value: object) -> str:
        x = text(value)
        if x in self:
            return x
        return self.points[0] if self.other is None else self.other

    def reads(self, value: object) -> bool:
        return text(value) in self

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


MISSING = ""
"""The point of a missing value: a value of its own, not the lowest or the first one."""

OTHER = "(other)"
"""The point of a value that is not in a declared list."""


class FiniteColumn(FiniteTexts):
    """A finite column whose points are texts: declared ones, and `MISSING` as the first."""

    @property
    def points(self) -> tuple[str, ...]:
        """All points, in order."""
        return tuple(self._places)

    def words(self, x: str) -> str:
        return x or "missing"


@dataclass(frozen=True)
class Cells(FiniteColumn):
    """Numbers in cells: cell i holds the v with starts[i] <= v < starts[i + 1].

    A point is the text of a cell's start, or the empty text for a missing or unreadable value.  Numbers
    below the first start belong to the first cell; the last cell has no end.  At most 4,096 cells.

    >>> age = Cells(("0", "18", "65"), "age")
    >>> [age.encode(v) for v in (17.9, "18", 120, -1, None)]
    ['0', '18', '65', '0', '']
    """

    starts: tuple[str, ...]
    name: str = "x"

    def __post_init__(self) -> None:
        values = [number(start) for start in self.starts]
        texts = all(type(start) is str for start in self.starts)
        finite = [v for v in values if v is not None and v.is_finite()]
        if not texts or len(finite) < len(values) or not values:
            found = "there is no cut, or one is not a number"
        elif any(a >= b for a, b in pairwise(finite)):
            found = "the cuts are not in increasing order, or one is given twice"
        elif len(values) > MOST_CELLS:
            found = f"there are {len(values):,} cells, more than {MOST_CELLS:,}"
        elif not all(map(is_short, finite)):
            found = "a cut is beyond 10^30, or nearer to 0 than 10^-30"
        elif [show_number(v) for v in finite] != list(self.starts):
            found = "a cut is not in its usual form, such as 0.5"
        else:
            return
        raise DeclarationError(
            f"cut the numbers of {self.name!r} into cells",
            found=found,
            fix="write cuts in increasing order, such as age at {0, 18, 65}, or age: 0..120 step 5",
        )

    @cached_property
    def _places(self) -> dict[str, int]:
        return {x: i for i, x in enumerate((MISSING, *self.starts))}

    @cached_property
    def _starts(self) -> list[Decimal]:
        return [Decimal(start) for start in self.starts]

    def encode(self, value: object) -> str:
        v = number(value)
        if v is None:
            return MISSING
        return self.starts[max(0, bisect_right(self._starts, v) - 1)]

    def reads(self, value: object) -> bool:
        return number(value) is not None

    @property
    def positions(self) -> list[float]:
        """Where the cells start on an axis of numbers."""
        return list(map(float, self.starts))

    def __str__(self) -> str:
        return f"{self.name} in {len(self.starts)} cells from {self.starts[0]} to {self.starts[-1]}"


MOST_CELLS = 4096


@dataclass(frozen=True)
class Dates(Cells):
    """Days in cells, as `Cells` has numbers: cell i holds the days from starts[i] to starts[i + 1].

    A point is the day on which a cell starts, in the form of ISO 8601; a missing or unreadable value
    is the empty text.  A time of a day is read as that day.  Days before the first start belong to the
    first cell; the last cell has no end.

    >>> admitted = Dates(("2021-01-01", "2021-02-01"), "admitted")
    >>> [admitted.encode(v) for v in ("2021-01-31", "2021-02-01T09:30", "1999-12-31", "31.1.2021")]
    ['2021-01-01', '2021-02-01', '2021-01-01', '']
    """

    def __post_init__(self) -> None:
        if not self.starts or any(type(v) is not str or day(v) != v for v in self.starts):
            found = "there is no cut, or one is not a day such as 2021-03-01"
        elif any(a >= b for a, b in pairwise(self.starts)):
            found = "the cuts are not in increasing order, or one is given twice"
        elif len(self.starts) > MOST_CELLS:
            found = f"there are {len(self.starts):,} cells, more than {MOST_CELLS:,}"
        else:
            return
        raise DeclarationError(
            f"cut the days of {self.name!r} into cells",
            found=found,
            fix="write days in increasing order, such as admitted: 2021-01-01..2021-12-01 step 1 month",
        )

    def encode(self, value: object) -> str:
        # Days of four-digit years are in the order of their texts.
        v = day(value)
        return MISSING if v is None else self.starts[max(0, bisect_right(self.starts, v) - 1)]

    def reads(self, value: object) -> bool:
        return day(value) is not None

    @property
    def positions(self) -> list[float]:
        return [float(date.fromisoformat(start).toordinal()) for start in self.starts]


@dataclass(frozen=True)
class Listed(FiniteColumn):
    """A declared list of values.  Another value is the point ``(other)``, a missing one the empty text.

    >>> sex = Listed(("F", "M"), "sex")
    >>> [sex.encode(v) for v in ("F", "x", None)]
    ['F', '(other)', '']
    """

    values: tuple[str, ...]
    name: str = "x"

    def __post_init__(self) -> None:
        texts = all(type(value) is str and text(value) == value for value in self.values)
        if not texts:
            found = "a value is not readable text"
        elif len(set(self.values)) < len(self.values):
            found = "the list has a value twice"
        elif {MISSING, OTHER} & set(self.values):
            found = f"the empty text and {OTHER!r} stand for missing and for other values"
        elif len(self.values) > MOST_CELLS:
            found = f"there are {len(self.values):,} values, more than {MOST_CELLS:,}"
        else:
            return
        raise DeclarationError(
            f"declare a list of values of {self.name!r}",
            found=found,
            fix="write each value once, such as sex in {F, M}",
        )

    @cached_property
    def _places(self) -> dict[str, int]:
        return {x: i for i, x in enumerate((MISSING, OTHER, *self.values))}

    def encode(self, value: object) -> str:
        x = text(value)
        return x if x in self._places else OTHER

    def reads(self, value: object) -> bool:
        return text(value) in self.values

    def __str__(self) -> str:
        return f"{self.name} in {{{', '.join(self.values)}}}"


@dataclass(frozen=True)
class Codes(Domain[str]):
    """Whole numbers from an open list, written as texts; a missing or unreadable value is empty.

    A number is rounded down.

    >>> Codes("code").encode("12.0"), Codes("code").encode(7), Codes("code").encode("n/a")
    ('12', '7', '')
    """

    name: str = "x"

    size = None

    def encode(self, value: object) -> str:
        v = number(value)
        if v is None or not v.is_finite() or v.adjusted() > 400:
            return MISSING
        return str(int(v.to_integral_value(context=DECIMAL)))

    def reads(self, value: object) -> bool:
        return number(value) is not None

    def __contains__(self, x: object) -> bool:
        return type(x) is str and self.encode(x) == x

    def __iter__(self) -> Iterator[str]:
        yield MISSING
        yield from map(str, count())

    def random_point(self, rng: random.Random) -> str:
        return str(rng.randrange(100))

    def words(self, x: str) -> str:
        return x or "missing"

    def __str__(self) -> str:
        return f"{self.name} in all whole numbers, or missing"


def is_short(value: Decimal) -> bool:
    """Whether the number can be written with few zeros, as `show_number` does.

    >>> is_short(Decimal("1e30")), is_short(Decimal("1e999999999"))
    (True, False)
    """
    return value.is_finite() and abs(value.adjusted()) <= 30


def show_number(value: Decimal) -> str:
    """A number in its one form without an exponent or needless zeros.

    >>> show_number(Decimal("5.00")), show_number(Decimal("1e3"))
    ('5', '1000')
    """
    whole = value == value.to_integral_value()
    return f"{value.to_integral_value():f}" if whole else f"{value.normalize(DECIMAL):f}"
