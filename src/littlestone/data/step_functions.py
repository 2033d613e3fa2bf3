"""Declared functions of a column as SQL: the cell or the label of each value, and numbers of these.

A declared function reads a number by comparisons with declared numbers alone, so along an ordered type
it is a step function.  Its steps are found by asking the function itself for the values of the type
next to each declared number.  No meaning of a value is written a second time in SQL
(docs/proofs/engines.md, "Cells in the engine").
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from datetime import date
from decimal import Context, Decimal
from itertools import groupby
from typing import Any, NamedTuple, Self

import numpy as np
from numpy.typing import NDArray

from littlestone.data.label import Label
from littlestone.points import Cells, Dates, Domain, Listed, day, number


class Break(NamedTuple):
    """A value of an ordered type from which on a function may have another value."""

    place: Any
    """Where it is in the order."""
    reached: str
    """The condition that a value is there, or higher."""
    first: object
    """The least value there, as the engine hands it over."""


class Order(ABC):
    """The values of a type in the order in which an engine compares them, without missing ones."""

    key: Callable[[object], Any] = staticmethod(number)
    """What a declared function compares of a value, in the same order."""
    lowest: object

    @abstractmethod
    def breaks(self, value: str, declared: Sequence[str]) -> Iterator[Break] | None:
        """At and right after each declared value; ``value`` is SQL.  None if it cannot be said."""


class Ladder(Order):
    """The values number ``low`` to ``high`` of a type, in order.

    ``value`` is the value of a number as the engine hands it over, and ``literal`` its SQL.

    >>> whole = Ladder(-128, 127, int, str)
    >>> [found.reached for found in whole.breaks("x", ["0.5", "999"])]
    ['x >= 1', 'x >= 2']
    """

    def __init__(
        self,
        low: int,
        high: int,
        value: Callable[[int], object],
        literal: Callable[[int], str],
        key: Callable[[object], Any] = number,
    ) -> None:
        self.low, self.high, self.value, self.literal, self.key = low, high, value, literal, key
        self.lowest = value(low)

    def breaks(self, value: str, declared: Sequence[str]) -> Iterator[Break]:
        for text in declared:
            wanted = self.key(text)
            least = self.high + 1 if wanted is None else self._least(wanted)
            for i in (least, least + 1):
                if self.low < i <= self.high:
                    yield Break(i, f"{value} >= {self.literal(i)}", self.value(i))

    def _least(self, wanted: Any) -> int:
        """The number of the least value that is at least so large."""
        low, high = self.low, self.high + 1
        while low < high:
            middle = (low + high) // 2
            if self.key(self.value(middle)) >= wanted:
                high = middle
            else:
                low = middle + 1
        return low


class Numerics(Order):
    """Decimals of any length, as PostgreSQL's ``numeric``.

    >>> [str(found.first) for found in Numerics().breaks("x", ["0.5", "0.6"])]
    ['0.5', '0.51', '0.6', '0.61']
    """

    lowest = Decimal("-Infinity")

    def breaks(self, value: str, declared: Sequence[str]) -> Iterator[Break] | None:
        numbers = [found for text in declared if (found := number(text)) is not None]
        if not all(found.is_finite() and abs(found.adjusted()) < _DIGITS for found in numbers):
            return None
        return self._breaks(value, numbers)

    @staticmethod
    def _breaks(value: str, numbers: Sequence[Decimal]) -> Iterator[Break]:
        # Nearer to each number than any other one.
        last = min((int(found.as_tuple().exponent) for found in numbers), default=0)
        near, exact = Decimal((0, (1,), last - 1)), Context(prec=4 * _DIGITS)
        for found in numbers:
            literal = f"CAST('{found:f}' AS pg_catalog.numeric)"
            yield Break((found, 0), f"{value} >= {literal}", found)
            yield Break((found, 1), f"{value} > {literal}", exact.add(found, near))


_DIGITS = 400


def bits(width: int, kind: str, *, signed: bool = True) -> Ladder:
    """Whole numbers of so many bits; those of 128 bits are handed over as decimals."""
    high = 2 ** (width - signed) - 1
    # Written as a text, because DuckDB reads longer literals as floats.
    return Ladder(
        -high - 1 if signed else 0,
        high,
        Decimal if width > 64 else int,
        lambda i: f"CAST('{i}' AS {kind})",
    )


def fixed_point(precision: int, scale: int) -> Ladder:
    """Decimals of so many digits, of which ``scale`` are behind the point."""

    def read(i: int) -> Decimal:
        return Decimal((int(i < 0), tuple(map(int, str(abs(i)))), -scale))

    return Ladder(
        1 - 10**precision,
        10**precision - 1,
        read,
        lambda i: f"CAST('{read(i):f}' AS DECIMAL({precision}, {scale}))",
    )


def floats(width: int, kind: str) -> Ladder:
    """Floats of 32 or 64 bits; both are compared as ``kind``, which has 64."""
    from littlestone.data.frames import shortest  # only an engine needs them, and a frame's library

    of_bits, of_float = (np.uint64, np.float64) if width == 64 else (np.uint32, np.float32)
    highest = int(of_float(np.inf).view(of_bits))

    def float_of(i: int) -> Any:
        # Not -0.0, which equals 0.0 in every engine.
        return of_float(np.copysign(of_bits(abs(i)).view(of_float), i))

    def value_of(i: int) -> Any:
        if width == 64:
            return float(float_of(i))

        return shortest(float_of(i), width)

    return Ladder(
        -highest,
        highest,
        value_of,
        lambda i: f"CAST('{float(float_of(i))!r}' AS {kind})",
    )


def truths() -> Ladder:
    """Truth values."""
    return Ladder(0, 1, bool, lambda i: ("FALSE", "TRUE")[i])


def days(kind: str) -> Ladder:
    """Days of the calendar; ``kind`` is the type of dates or of times that they are compared in."""
    last = date.max.toordinal()
    return Ladder(
        1, last, date.fromordinal, lambda i: f"{kind} '{date.fromordinal(i).isoformat()}'", day
    )


class TypedColumn(NamedTuple):
    """A column of an engine: the SQL of its values, and how they are compared."""

    value: str
    present: str
    """The condition that a value is not missing."""
    order: Order | None
    """None for texts, which are compared byte by byte."""
    quote: Callable[[str], str] = repr
    """The SQL of a text."""
    damaged: bool = False
    """Whether texts may have bytes that are read as U+FFFD."""
    text: str = ""
    """The SQL of the text of a value, where the engine compares it byte by byte."""
    filled: str = ""
    """The condition that a text has a character that is no space; empty of numbers and days."""


class FaultCheck(NamedTuple):
    """Whether a cell is not read: a function into 0 and 1.

    It tells apart ``declared`` values, and blank texts.  If it is ``open``, it is also 1 for texts that
    differ from a declared one in letters' case or spaces alone, and those have no end.
    """

    function: Callable[[object], int]
    declared: tuple[str, ...]
    open: bool = False


SPACES = "".join(map(chr, (*range(9, 14), *range(28, 33), 133, 160, 5760, *range(8192, 8203), 8232,
                           8233, 8239, 8287, 12288)))  # fmt: skip
"""All characters that Python strips from a text."""


class Piece(NamedTuple):
    """A function has the value ``code`` from where ``reached`` holds on, or ``only`` if that holds."""

    reached: str
    code: int
    only: str = ""


@dataclass(frozen=True)
class Steps:
    """A function of a column into 0, 1, ...: ``missing`` without a value, ``first`` below all pieces.

    If a piece holds ``only`` somewhere, the function is ``first`` elsewhere in it.

    >>> steps = Steps("x IS NOT NULL", 0, 1, (Piece("x >= 5", 2),))
    >>> steps.sql([7, 8, 9])
    'CASE WHEN x IS NOT NULL THEN CASE WHEN x >= 5 THEN 9 ELSE 8 END ELSE 7 END'
    >>> steps.sql([7, 8, 8])
    'CASE WHEN x IS NOT NULL THEN 8 ELSE 7 END'
    """

    present: str
    missing: int
    first: int
    pieces: tuple[Piece, ...]

    @classmethod
    def any_of(cls, functions: Sequence[Steps]) -> Self:
        """1 where any of these functions into 0 and 1 is 1."""
        able = (
            one for one in functions if 1 in (one.missing, one.first, *(p.code for p in one.pieces))
        )
        return cls(" OR ".join(f"{one.sql((0, 1))} = 1" for one in able) or "1 = 0", 0, 1, ())

    @classmethod
    def of_numbers(cls, name: str, size: int) -> Self:
        """A column that holds the function's values, of which there are so many."""
        pieces = (Piece(f"{name} >= {code}", code) for code in range(1, size))
        return cls(f"{name} IS NOT NULL", 0, 0, tuple(pieces))

    def sql(self, numbers: Sequence[int] | NDArray[np.int64]) -> str:
        """The SQL of ``numbers[code]``, where code is the function's value."""
        first = int(numbers[self.first])
        kept = [("", str(first))]
        for reached, code, only in self.pieces:
            found = int(numbers[code])
            if not only:
                kept.append((reached, str(found)))
            elif found != first:
                kept.append((reached, f"CASE WHEN {only} THEN {found} ELSE {first} END"))
        merged = [next(equal) for _, equal in groupby(kept, key=lambda piece: piece[1])]
        tree = _search(merged)
        return f"CASE WHEN {self.present} THEN {tree} ELSE {int(numbers[self.missing])} END"


def _search(pieces: Sequence[tuple[str, str]]) -> str:
    """The value of the last piece that is reached, in as few comparisons as there are bits."""
    if len(pieces) == 1:
        return pieces[0][1]
    middle = len(pieces) // 2
    reached, above, below = pieces[middle][0], _search(pieces[middle:]), _search(pieces[:middle])
    return f"CASE WHEN {reached} THEN {above} ELSE {below} END"


def steps_of_column(typed: TypedColumn, column: Domain[Any]) -> Steps | None:
    """The number of each value's cell; None where SQL cannot say it."""
    if isinstance(column, Listed):
        if isinstance(typed.order, Numerics):  # their texts differ where their numbers are equal
            return None
        declared, texts = column.values, True
    elif isinstance(column, Cells):
        declared, texts = column.starts, False
        key = day if isinstance(column, Dates) else number
        if typed.order is None or typed.order.key is not key:
            return None
    else:
        return None
    return _steps(typed, lambda value: column.index(column.encode(value)), declared, texts)


def steps_of_label(typed: TypedColumn, label: Label) -> Steps | None:
    """The number of each value's label; None where SQL cannot say it."""
    told = label.condition
    declared = label.names if told is None else told.values
    # A text may show a number in many ways, such as 1, 01 and true.
    texts = (told is None or not told.compares_numbers) and not any(
        number(text) is not None for text in declared
    )
    if typed.order is not None and typed.order.key is not number:
        return None
    return _steps(typed, label, declared, texts)


def steps_of_check(typed: TypedColumn, check: FaultCheck) -> Steps | None:
    """Where the function is 1; None where SQL cannot say it."""
    if typed.order is None:
        typed = typed._replace(present=typed.filled)
    return _steps(typed, check.function, check.declared, texts=True)


def _steps(
    typed: TypedColumn, function: Callable[[object], int], declared: Sequence[str], texts: bool
) -> Steps | None:
    """The steps of a function that tells apart the declared ``texts`` and the empty one alone."""
    if typed.order is not None:
        found = typed.order.breaks(typed.value, declared)
        if found is None:
            return None
        breaks = sorted(found, key=lambda one: one.place)
        pieces = tuple(Piece(one.reached, function(one.first)) for one in breaks)
        return Steps(typed.present, function(None), function(typed.order.lowest), pieces)
    unsure = {"\0"} | ({"\ufffd"} if typed.damaged else set())
    if not texts or any(unsure & set(text) for text in declared):
        return None
    # The order of UTF-8 is that of its bytes.
    ordered = sorted({"", *declared}, key=str.encode)
    literals = map(typed.quote, ordered)
    pieces = tuple(
        Piece(f"{typed.value} >= {literal}", function(text), f"{typed.value} = {literal}")
        for text, literal in zip(ordered, literals, strict=True)
    )
    # Longer than each of them, also in small letters.
    other = "x" * (1 + max(len(text.casefold()) for text in ordered))
    return Steps(typed.present, function(None), function(other), pieces)
