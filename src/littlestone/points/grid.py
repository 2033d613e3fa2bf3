"""Ordered grids: whole numbers of a unit between two ends."""

from __future__ import annotations

import random
from collections.abc import Iterator
from dataclasses import dataclass
from decimal import Decimal

from littlestone.base.errors import DeclarationError
from littlestone.points.base import Domain
from littlestone.points.values import DECIMAL, number, plain, whole_number


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
        if not (isinstance(self.low, int) and isinstance(self.high, int)):
            raise DeclarationError(
                f"declare the range {self.low}..{self.high}",
                found="its ends are not whole numbers of units",
                fix="give whole numbers; for decimals also a unit, such as Decimal('0.01')",
            )
        for end in ("low", "high"):  # they are points too
            object.__setattr__(self, end, int(plain(getattr(self, end))))
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

    def index(self, x: int) -> int:
        return x - self.low

    def random_point(self, rng: random.Random) -> int:
        return rng.randint(self.low, self.high)

    def words(self, x: int) -> str:
        return str(x) if self.unit == 1 else f"{DECIMAL.multiply(Decimal(x), self.unit):f}"

    def __str__(self) -> str:
        step = "" if self.unit == 1 else f" step {self.unit}"
        return f"{self.name} in {self.words(self.low)}..{self.words(self.high)}{step}"
