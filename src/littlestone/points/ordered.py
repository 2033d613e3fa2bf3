"""Domains of single values: ordered grids, the real line, all whole numbers, all texts."""

from __future__ import annotations

import random
import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from decimal import Decimal
from fractions import Fraction
from itertools import count
from typing import Any, cast

from littlestone.base.errors import DeclarationError
from littlestone.points.base import (
    DECIMAL,
    Domain,
    are_of,
    are_readable_texts,
    number,
    plain,
    text,
    whole_number,
)


@dataclass(frozen=True)
class Grid(Domain[int]):
    """The ordered domain {low, low + 1, ..., high} of whole numbers of ``unit``; up to 2^64 points.

    A point k stands for the value k * unit.  A value v is encoded as floor(v / unit), clipped to
    [low, high]; a missing or unreadable value is encoded as ``low``.  The floor does not affect
    thresholds: v >= t * unit iff floor(v / unit) >= t.  In `canonical`, a number that equals a point is
    that point.  If the unit is not 1, only numbers of a whole-number type are, and 12.0 is a value.

    >>> cents = Grid(0, 9999, name="price", unit=Decimal("0.01"))
    >>> cents.encode(12.34), cents.encode("1e9"), cents.encode(None), cents.words(1234)
    (1234, 9999, 0, '12.34')
    """

    low: int
    high: int
    name: str = "x"
    unit: Decimal = Decimal(1)

    def __post_init__(self) -> None:
        asked, found = f"declare the range {self.low}..{self.high}", ""
        if not (isinstance(self.low, int) and isinstance(self.high, int)):
            found = "its ends are not whole numbers of units"
            fix = "give whole numbers; for decimals also a unit, such as Decimal('0.01')"
        elif self.low > self.high:
            found = "it is empty: the low end is above the high end"
            fix = f"write the smaller number first: {self.high}..{self.low}"
        elif self.high - self.low >= 2**64 or max(abs(self.low), abs(self.high)) > 2**64:
            found = "it has more than 2^64 points or ends beyond 2^64"
            fix = "declare a coarser unit or a shorter range"
        if found:
            raise DeclarationError(asked, found=found, fix=fix)
        for end in ("low", "high"):  # they are points too
            object.__setattr__(self, end, int(plain(getattr(self, end))))
        usual = isinstance(self.unit, Decimal) and self.unit.is_finite() and self.unit > 0
        if not usual or len(self.unit.as_tuple().digits) > 30 or abs(self.unit.adjusted()) > 30:
            raise DeclarationError(
                f"declare a range in steps of {self.unit}",
                found="the step must be a positive decimal number of at most 30 digits",
                fix="give a step such as 1 or 0.01; in Python, Decimal('0.01')",
            )

    @property
    def size(self) -> int:
        return self.high - self.low + 1

    def encode(self, value: object) -> int:
        if type(value) is int and self.unit == 1:  # most are, and decimals take five times as long
            return min(max(value, self.low), self.high)
        v = number(value)
        if v is None:
            return self.low
        scaled = DECIMAL.divide(v, self.unit)
        # Compared before the conversion: int(Decimal("1e999999")) would take the machine down.
        if scaled <= self.low:
            return self.low
        if scaled >= self.high:
            return self.high
        return int(scaled.to_integral_value(context=DECIMAL))

    def own(self, x: object) -> int | None:
        k = whole_number(x, typed=self.unit != 1)
        return k if k in self else None

    def reads(self, value: object) -> bool:
        return number(value) is not None

    def __contains__(self, x: object) -> bool:
        return type(x) is int and self.low <= x <= self.high

    def __iter__(self) -> Iterator[int]:
        return iter(range(self.low, self.high + 1))

    def holds_all(self, values: Sequence[object]) -> bool:
        if not are_of(int, values):
            return False
        whole = cast(Sequence[int], values)
        return not whole or (self.low <= min(whole) and max(whole) <= self.high)

    def index(self, x: int) -> int:
        return x - self.low

    def indices(self, points: Sequence[int]) -> Sequence[int]:
        return points if self.low == 0 else [x - self.low for x in points]

    def random_point(self, rng: random.Random) -> int:
        return rng.randint(self.low, self.high)

    def words(self, x: int) -> str:
        return str(x) if self.unit == 1 else f"{DECIMAL.multiply(Decimal(x), self.unit):f}"

    def __str__(self) -> str:
        step = "" if self.unit == 1 else f" step {self.unit}"
        return f"{self.name} in {self.words(self.low)}..{self.words(self.high)}{step}"


_MOST = 10**401


@dataclass(frozen=True)
class Reals(Domain[Fraction]):
    """The real line, with exact rationals as its points; an unreadable value is 0.

    A number that is too large, or a fraction with more than 400 digits above or below, is also 0.

    >>> Reals().encode("0.25")
    Fraction(1, 4)
    """

    name: str = "x"

    size = None

    def encode(self, value: object) -> Fraction:
        v = number(value)
        # A finite number has a finite text, and an exponent of millions is not a measurement.
        readable = v is not None and v.is_finite() and abs(v.adjusted()) <= 400
        return (self.own(Fraction(v)) if readable and v is not None else None) or Fraction(0)

    def own(self, x: object) -> Fraction | None:
        value = plain(x)
        kind = type(value)
        if not (kind is Fraction or kind is int or kind is bool):
            return None
        point = Fraction(value)
        return point if max(abs(point.numerator), point.denominator) < _MOST else None

    def point_to_json(self, x: Fraction) -> str:
        return str(x)

    def point_from_json(self, data: Any) -> Fraction | None:
        if type(data) is int:  # written by hand
            return self.own(data)
        # Longer numbers and exponents could take too long to read.
        written = type(data) is str and re.fullmatch(r"(-?\d{1,401})(?:/(\d{1,401}))?", data)
        if not written or not (bottom := int(written[2] or 1)):
            return None
        return self.own(Fraction(int(written[1]), bottom))

    def reads(self, value: object) -> bool:
        return number(value) is not None

    def __contains__(self, x: object) -> bool:
        if type(x) is int:  # a whole number written by hand stands for its point
            return abs(x) < _MOST
        # Even a true Fraction may have parts of another library's types.
        return type(x) is Fraction and self.own(x) is not None and type(x.numerator) is int

    def __iter__(self) -> Iterator[Fraction]:
        return (Fraction((k + 1) // 2 * (-1) ** k) for k in count())

    def random_point(self, rng: random.Random) -> Fraction:
        return Fraction(rng.getrandbits(53), 2**53)

    def __str__(self) -> str:
        return f"{self.name} in the real numbers"


@dataclass(frozen=True)
class Strings(Domain[str]):
    """The open vocabulary of all texts, which is never listed.  A missing value is the empty text.

    >>> Strings("tailnum").encode("N14228")
    'N14228'
    """

    name: str = "x"

    size = None

    def encode(self, value: object) -> str:
        return text(value)

    def canonical(self, x: object) -> str:
        return text(x)  # also of each point

    def holds_all(self, values: Sequence[object]) -> bool:
        return are_readable_texts(values)

    def __contains__(self, x: object) -> bool:
        # An equal text of another type is not a point, because a release would reveal it.  A text that
        # cannot be written is not a point either, because a file would bring back another text.
        return type(x) is str and text(x) is x

    def __iter__(self) -> Iterator[str]:
        return (f"v{k}" for k in count())

    def random_point(self, rng: random.Random) -> str:
        return f"v{rng.randrange(100)}"

    def __str__(self) -> str:
        return f"{self.name} in all texts"


@dataclass(frozen=True)
class Integers(Domain[int]):
    """All whole numbers, an infinite domain.  A value is rounded down; an unreadable one is 0.

    Numbers of more than 400 digits count as unreadable.

    >>> Integers("id").encode("12.9"), Integers("id").encode("none")
    (12, 0)
    """

    name: str = "x"

    size = None

    def encode(self, value: object) -> int:
        v = number(value)
        if v is None or not v.is_finite() or v.adjusted() > 400:
            return 0
        return int(v.to_integral_value(context=DECIMAL))

    def own(self, x: object) -> int | None:
        k = whole_number(x)
        return k if k in self else None

    def reads(self, value: object) -> bool:
        return number(value) is not None

    def holds_all(self, values: Sequence[object]) -> bool:
        if not are_of(int, values):
            return False
        whole = cast(Sequence[int], values)
        return not whole or (min(whole) > -_MOST and max(whole) < _MOST)

    def __contains__(self, x: object) -> bool:
        # A truth value equals a whole number, but is not read or written like one.
        return type(x) is int and abs(x) < _MOST

    def __iter__(self) -> Iterator[int]:
        return count()

    def random_point(self, rng: random.Random) -> int:
        return rng.randrange(100)

    def __str__(self) -> str:
        return f"{self.name} in all whole numbers"
