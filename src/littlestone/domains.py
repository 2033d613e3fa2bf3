"""Domains: the declared set of points, and the total map from any table value to one of them.

A domain is declared, never read from the data.  A value outside it (missing, unreadable, too large,
unknown) is data like any other: `Domain.encode` maps it to a declared point and never fails.
"""

from __future__ import annotations

import random
from abc import ABC, abstractmethod
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, fields
from decimal import ROUND_FLOOR, Context, Decimal
from fractions import Fraction
from itertools import count, islice
from typing import Any, Generic, TypeVar

from littlestone.errors import DeclarationError, ModelError

Point = TypeVar("Point")

# Enough digits for the floor of any quotient within 2^64 points to be exact; nothing is trapped,
# because a table value may be any text whatever.
_DECIMAL = Context(prec=60, rounding=ROUND_FLOOR, traps=[])

# What `Domain.from_json` accepts: a model file may be damaged, or made by somebody else.
_FIELD_TYPES: dict[str, type | tuple[type, ...]] = {
    "name": str,
    "low": int,
    "high": int,
    "unit": Decimal,
    "points": tuple,
    "other": (str, type(None)),
}


def number(value: object) -> Decimal | None:
    """The decimal number that a table value shows, or None if it shows none; never raises.

    A float stands for its shortest decimal form, so 12.34 read from a CSV file and from Parquet are
    one number.  True and False are 1 and 0, as values and as the words that a file has for them.

    >>> number(12.34), number(" 7 "), number(True), number("n/a"), number(float("nan"))
    (Decimal('12.34'), Decimal('7'), Decimal('1'), None, None)
    """
    if str(type(value).__name__) in ("bool", "bool_"):  # Python's and numpy's
        return Decimal(bool(value))
    if value is None:
        return None
    if isinstance(value, int):  # as a text, one of more than 4,300 digits would be refused
        return Decimal(int(value))
    shown = _shown(value).strip()
    try:
        decimal = Decimal(shown)
    except ArithmeticError:
        truth = {"true": 1, "false": 0}.get(shown.lower())
        return None if truth is None else Decimal(truth)
    return None if decimal.is_nan() else decimal


def text(value: object) -> str:
    """The text of a table value; missing values are the empty text.  Never raises.

    >>> text("N14228"), text(None), text(float("nan")), text(3)
    ('N14228', '', '', '3')
    """
    if isinstance(value, str):
        return value
    if isinstance(value, float) and value.is_integer() and abs(value) < 2**53:
        # One missing or fractional value makes floats of a whole column of whole numbers.
        return str(int(value))
    if isinstance(value, float) and value == 0:
        return "0.0"  # -0.0 equals it, and a group of equal values keeps either of the two
    shown = _shown(value)
    # Compared as text: pandas' NA refuses to be compared, and an exception would be data-dependent.
    return "" if shown in {"None", "nan", "NaN", "NaT", "<NA>"} else shown


def _shown(value: object) -> str:
    try:
        return str(value)
    except Exception:
        # A whole number of more than 4,300 digits, lists nested too deep, or an object with a text
        # of its own: whatever fails here fails because of a record.
        return ""


class Domain(ABC, Generic[Point]):
    """A set of points.  ``name`` says in words what a point is: as a rule, a column of a table."""

    name: str

    @property
    @abstractmethod
    def size(self) -> int | None:
        """Number of points; None when infinite."""

    @abstractmethod
    def encode(self, value: object) -> Point:
        """The declared point that a table value stands for.  Total: it never raises."""

    def reads(self, value: object) -> bool:
        """Whether a table value shows a point by itself, rather than being mapped to one."""
        return text(value) != ""

    @abstractmethod
    def __contains__(self, x: object) -> bool:
        """Whether ``x`` is a point."""

    @abstractmethod
    def __iter__(self) -> Iterator[Point]:
        """Distinct points in a canonical order; endless when the domain is infinite."""

    @abstractmethod
    def random_point(self, rng: random.Random) -> Point:
        """A random point, for simulations; uniform when the domain is finite."""

    def words(self, x: Point) -> str:
        """The value that point ``x`` stands for, as text."""
        return str(x)

    def to_json(self) -> dict[str, object]:
        """The domain as plain JSON values; `Domain.from_json` reads it back."""
        data: dict[str, object] = {"kind": type(self).__name__.lower()}
        for field in fields(self):  # type: ignore[arg-type]
            value = getattr(self, field.name)
            data[field.name] = str(value) if isinstance(value, Decimal) else value
        return data

    @staticmethod
    def from_json(data: Mapping[str, Any]) -> Domain[Any]:
        """The domain that `to_json` wrote.  Raises `ModelError` if it is damaged.

        >>> Domain.from_json(Grid(0, 9).to_json())
        Grid(low=0, high=9, name='x', unit=Decimal('1'))
        """
        kinds = {kind.__name__.lower(): kind for kind in Domain.__subclasses__()}
        values = {key: value for key, value in data.items() if key != "kind"}
        try:
            if "unit" in values:
                values["unit"] = Decimal(values["unit"])
            if "points" in values:
                values["points"] = tuple(values["points"])
            for key, value in values.items():
                if not isinstance(value, _FIELD_TYPES[key]):
                    raise TypeError
            return kinds[data["kind"]](**values)
        except (ArithmeticError, DeclarationError, KeyError, TypeError):
            raise ModelError(
                "read the domain of a model",
                found=f"kind {data.get('kind')!r} with the fields {sorted(values)}, not all legal",
                fix="use a model file as `littlestone fit` wrote it, unchanged",
            ) from None

    def examples(self, k: int) -> list[Point]:
        """The first ``k`` points in canonical order, or all of them if there are fewer."""
        return list(islice(self, k))

    def require(self, x: object) -> None:
        """Raise `DeclarationError` unless ``x`` is a point.  Private code encodes instead."""
        if x not in self:
            raise DeclarationError(
                f"use {x!r} as a point",
                found=f"it is not in the domain {self}",
                fix=f"give a point such as {self.examples(1)[0]!r}, or encode() a raw value",
            )


@dataclass(frozen=True)
class Grid(Domain[int]):
    """The ordered domain {low, low + 1, ..., high} of whole numbers of ``unit``; up to 2^64 points.

    A point k stands for the value k * unit.  A value v is encoded as floor(v / unit), clipped to
    [low, high]; a missing or unreadable value as ``low``.  Thresholds lose nothing by the floor:
    v >= t * unit iff floor(v / unit) >= t.

    >>> cents = Grid(0, 9999, name="price", unit=Decimal("0.01"))
    >>> cents.encode(12.34), cents.encode("1e9"), cents.encode(None), cents.words(1234)
    (1234, 9999, 0, '12.34')
    """

    low: int
    high: int
    name: str = "x"
    unit: Decimal = Decimal(1)

    def __post_init__(self) -> None:
        if not (isinstance(self.low, int) and isinstance(self.high, int)):
            raise DeclarationError(
                f"declare the range {self.low}..{self.high}",
                found="its ends are not whole numbers of units",
                fix="give whole numbers; for decimals also a unit, such as Decimal('0.01')",
            )
        if self.low > self.high:
            raise DeclarationError(
                f"declare the range {self.low}..{self.high}",
                found="it is empty: the low end is above the high end",
                fix=f"write the smaller number first: {self.high}..{self.low}",
            )
        if self.high - self.low >= 2**64 or max(abs(self.low), abs(self.high)) > 2**64:
            raise DeclarationError(
                f"declare the range {self.low}..{self.high}",
                found="it has more than 2^64 points or ends beyond 2^64",
                fix="declare a coarser unit or a shorter range",
            )
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
        v = number(value)
        if v is None:
            return self.low
        scaled = _DECIMAL.divide(v, self.unit)
        # Compared before the conversion: int(Decimal("1e999999")) would take the machine down.
        if scaled <= self.low:
            return self.low
        if scaled >= self.high:
            return self.high
        return int(scaled.to_integral_value(context=_DECIMAL))

    def reads(self, value: object) -> bool:
        return number(value) is not None

    def __contains__(self, x: object) -> bool:
        return isinstance(x, int) and self.low <= x <= self.high

    def __iter__(self) -> Iterator[int]:
        return iter(range(self.low, self.high + 1))

    def random_point(self, rng: random.Random) -> int:
        return rng.randint(self.low, self.high)

    def words(self, x: int) -> str:
        return str(x) if self.unit == 1 else f"{_DECIMAL.multiply(Decimal(x), self.unit):f}"

    def __str__(self) -> str:
        step = "" if self.unit == 1 else f" step {self.unit}"
        return f"{self.name} in {self.words(self.low)}..{self.words(self.high)}{step}"


@dataclass(frozen=True)
class Reals(Domain[Fraction]):
    """The real line, with exact rationals as its points; an unreadable value is 0.

    >>> Reals().encode("0.25")
    Fraction(1, 4)
    """

    name: str = "x"

    @property
    def size(self) -> None:
        return None

    def encode(self, value: object) -> Fraction:
        v = number(value)
        # No finite number has an infinite text, and an exponent of millions is no measurement.
        readable = v is not None and v.is_finite() and abs(v.adjusted()) <= 400
        return Fraction(v) if readable and v is not None else Fraction(0)

    def reads(self, value: object) -> bool:
        return number(value) is not None

    def __contains__(self, x: object) -> bool:
        return isinstance(x, int | Fraction)

    def __iter__(self) -> Iterator[Fraction]:
        return (Fraction((k + 1) // 2 * (-1) ** k) for k in count())

    def random_point(self, rng: random.Random) -> Fraction:
        return Fraction(rng.getrandbits(53), 2**53)

    def __str__(self) -> str:
        return f"{self.name} in the real numbers"


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
        texts = all(isinstance(x, str) for x in self.points)
        if not (self.points and texts) or len(set(self.points)) != len(self.points):
            raise DeclarationError(
                f"declare a domain of {len(self.points)} named points",
                found="the list is empty, names a point twice or holds something else than texts",
                fix="give at least one point, each under a name of its own",
            )
        if self.other is not None and self.other not in self.points:
            raise DeclarationError(
                f"send unknown values to {self.other!r}",
                found="it is not one of the declared points",
                fix="name one of the declared points",
            )
        object.__setattr__(self, "_index", {x: i for i, x in enumerate(self.points)})

    @property
    def size(self) -> int:
        return len(self.points)

    def index(self, x: str) -> int:
        """Position of point ``x`` in ``points``."""
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
        return isinstance(x, str) and x in index

    def __iter__(self) -> Iterator[str]:
        return iter(self.points)

    def random_point(self, rng: random.Random) -> str:
        return rng.choice(self.points)

    def __str__(self) -> str:
        return f"{self.name} in {len(self.points)} named points"


@dataclass(frozen=True)
class Strings(Domain[str]):
    """The open vocabulary of all texts: nobody has to list it.  A missing value is the empty text.

    >>> Strings("tailnum").encode("N14228")
    'N14228'
    """

    name: str = "x"

    @property
    def size(self) -> None:
        return None

    def encode(self, value: object) -> str:
        return text(value)

    def __contains__(self, x: object) -> bool:
        return isinstance(x, str)

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

    @property
    def size(self) -> None:
        return None

    def encode(self, value: object) -> int:
        v = number(value)
        if v is None or not v.is_finite() or v.adjusted() > 400:
            return 0
        return int(v.to_integral_value(context=_DECIMAL))

    def reads(self, value: object) -> bool:
        return number(value) is not None

    def __contains__(self, x: object) -> bool:
        return isinstance(x, int)

    def __iter__(self) -> Iterator[int]:
        return count()

    def random_point(self, rng: random.Random) -> int:
        return rng.randrange(100)

    def __str__(self) -> str:
        return f"{self.name} in all whole numbers"
