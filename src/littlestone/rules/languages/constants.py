"""What cell values are compared with, type by type, and patterns of texts that show numbers."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from decimal import Context, Decimal
from fractions import Fraction
from math import ceil, inf
from typing import Any

import numpy as np

from littlestone.base.errors import DeclarationError, did_you_mean, show_value
from littlestone.points import text
from littlestone.rules.languages.form import Days, OneOf, Outcome, Within, cells

NUMBER = r"[-+]?(\d+\.?\d*|\.\d+)"
"""A number in digits."""
MOST_CHARACTERS = 15
SHORT_NUMBER = rf"[-+]?[\d.]{{1,{MOST_CHARACTERS}}}"
"""A number of so few digits that a float compares like it; or points that no cast takes for one."""
LETTERS = "[a-zA-Z]+"
WORDS = ("false", "true")
"""The words for 0 and 1, in any case."""


def alone(core: str) -> str:
    r"""Texts of the pattern ``core`` and white space around it; the first group is the core.

    >>> print(alone("[0-9]+"))
    ^\s*([0-9]+)\s*$
    """
    return rf"^\s*({core})\s*$"


_LIKE_NUMBERS = r"([^ -~]|[-+. \d_efilnrstuy]|fa)*"
"""What ``1e5``, ``1_000``, ``infinity``, ``true`` and ``false`` are made of, and all beyond ASCII.

An ``a`` may only follow an ``f``, so that few other words match.
"""


def unsure(digits: int) -> str:
    """Lines of text that may be numbers written in other ways than SQL reads, in any case.

    They have an exponent, an infinity, ``digits`` digits, an underscore, or a character beyond
    printable ASCII and the white space that SQL knows; and nothing that is never part of a number.
    """
    strange = rf"[^\s!-^`-~]|\d\.?e[-+]?\d|inf|[\d.]{{{digits}}}"
    return f"(?im)^{_LIKE_NUMBERS}({strange}){_LIKE_NUMBERS}$"


_MONTHS = (
    r"\d{4}-(0[13578]|1[02])-(0[1-9]|[12]\d|3[01])",
    r"\d{4}-(0[469]|11)-(0[1-9]|[12]\d|30)",
    r"\d{4}-02-(0[1-9]|1\d|2[0-8])",
    r"(\d\d(0[48]|[2468][048]|[13579][26])|([02468][048]|[13579][26])00)-02-29",
)
"""The days of the calendar, as ISO 8601 writes them; of the year 0 too."""
_BLANKS = (
    (0x9, 0xD), (0x1C, 0x20), (0x85, 0x85), (0xA0, 0xA0), (0x1680, 0x1680), (0x2000, 0x200A),
    (0x2028, 0x2029), (0x202F, 0x202F), (0x205F, 0x205F), (0x3000, 0x3000),
)  # fmt: skip
"""White space, as Python's `str.strip` takes it: the first and the last character of each run."""
BLANKS = tuple(code for first, last in _BLANKS for code in range(first, last + 1))


def day(code: str) -> str:
    r"""Texts that `domains.day` reads; the first group is the day.

    ``code`` is how a pattern writes a character by its number, such as ``\u{:04x}``.
    """
    blank = "".join(
        code.format(first) + (f"-{code.format(last)}" if last > first else "")
        for first, last in _BLANKS
    )
    return f"^[{blank}]*({'|'.join(_MONTHS)})([T ]|[{blank}]*$)"


# The same for SQLite, which has no regular expressions.
SPACES = "090A0B0C0D20"
"""The white space that it knows, in bytes."""
NEVER = "[!-*,/:-^`-dghjkmo-qv-xz{-~]"
"""What is never part of a number, where the text is in lower case and without ``fa``."""
STRANGE = "[^ -^`-~]"


TYPES = ("text", "integer", "decimal", "double", "real", "boolean", "date")
"""What a column may be said to hold: a double has 64 bits, a real 32.

A date may be a time without a zone too.
"""

EXACT = Context(prec=2000)
"""Numbers of conditions have fewer digits."""
_FLOAT_DIGITS = 15
"""A decimal of at most this many digits is the shortest form of the 64-bit float nearest to it."""


def require_types(types: Mapping[str, str], columns: Sequence[str]) -> None:
    """Raise `DeclarationError` unless ``types`` gives some of these columns one of `TYPES`.

    >>> require_types({"age": "integer"}, ["age", "sex"])
    """
    for column, kind in types.items():
        if kind not in TYPES:
            found = f"{show_value(kind)} is not a type"
            fix = did_you_mean(str(kind), TYPES, f"use one of: {', '.join(TYPES)}")
        elif column not in columns:
            found = "the rule is not about this column"
            fix = did_you_mean(str(column), columns, "name one of its columns")
        else:
            continue
        raise DeclarationError(f"say the type of {show_value(column)}", found=found, fix=fix)


def decimal(value: Fraction) -> Decimal:
    """The number as a decimal; raises `DeclarationError` if it has no end, like 1/3.

    >>> decimal(Fraction(1, 8))
    Decimal('0.125')
    """
    found = EXACT.divide(Decimal(value.numerator), Decimal(value.denominator))
    if Fraction(found) != value:
        raise DeclarationError(
            f"write the number {value} as a decimal",
            found="it has no last digit",
            fix="predict with `littlestone predict`",
        )
    return found


def is_short(value: Fraction) -> bool:
    """Whether the number is the shortest form of the 64-bit float nearest to it.

    >>> [is_short(Fraction(text)) for text in ("0.29", "0.123456789012345", "9007199254740993")]
    [True, True, False]
    """
    digits = len(decimal(value).normalize(EXACT).as_tuple().digits)
    return digits <= _FLOAT_DIGITS and (not value or 1e-290 < abs(value) < 1e290)


def is_shortest_real(value: Fraction) -> bool:
    """Whether the number is a 32-bit float and the shortest form of it.

    >>> is_shortest_real(Fraction(1, 2)), is_shortest_real(Fraction("0.29"))
    (True, False)
    """
    if not is_short(value) or abs(value) > 10**30:
        return False
    nearest = np.float32(float(decimal(value)))
    return Fraction(float(nearest)) == value and Fraction(str(nearest)) == value


def nearest(low: Fraction) -> tuple[bool, float]:
    """The pair (strict, f) such that a 64-bit float g has a shortest form >= low iff g >= f, or > f.

    >>> nearest(Fraction("0.29")), nearest(Fraction(2**53 + 1))
    ((False, 0.29), (True, 9007199254740992.0))
    """
    number = float(decimal(low))  # a decimal beyond all floats becomes infinite
    beyond = abs(number) == inf
    below = number < 0 if beyond else Fraction(repr(number)) < low
    return below, number


def values_of(cell: OneOf, kind: str) -> list[Any]:
    """The values of a column of that type whose `text` is one of the cell's, missing values apart.

    The texts of the digits of decimals, whose own text depends on their scale.

    >>> cell = OneOf("x", ("", "1.50", "7", "True", "x"))
    >>> [values_of(cell, kind) for kind in TYPES if kind != "date"]
    [['1.50', '7', 'True', 'x'], [7], ['1.50', '7'], [7.0], [7.0], [True]]
    """
    present = [value for value in cell.values if value]
    return [v for value in present for v in _SHOWN[kind](value)]


def _integers(value: str) -> list[int]:
    return [int(value)] if re.fullmatch(r"0|-?[1-9][0-9]{0,60}", value) else []


def _floats(kind: Any, value: str) -> list[float]:
    try:
        with np.errstate(over="ignore"):
            number = kind(value)
    except ValueError:
        return []
    return [float(number)] if text(number) == value else []


def _decimals(value: str) -> list[str]:
    number = re.fullmatch(r"-?[0-9][0-9.E+-]{0,60}|-?Infinity", value) and _read(value)
    if number is None or abs(number.adjusted()) > 60:
        return []
    digits = f"{number:f}"
    return [digits] if str(Decimal(digits)) == value else []


def _read(value: str) -> Decimal | None:
    try:
        return Decimal(value)
    except ArithmeticError:
        return None


_SHOWN: dict[str, Any] = {
    "text": lambda value: [value],
    "integer": _integers,
    "decimal": _decimals,
    "double": lambda value: _floats(float, value),
    "real": lambda value: _floats(np.float32, value),
    "boolean": lambda value: [value == "True"] if value in ("True", "False") else [],
}


def truths(cell: Within) -> list[bool]:
    """The truth values that are numbers within the cell's bounds.

    >>> truths(Within("x", Fraction(1, 2))), truths(Within("x"))
    ([True], [False, True])
    """
    above = [v for v in (False, True) if cell.low is None or v >= cell.low]
    return [v for v in above if cell.high is None or v < cell.high]


def bound(value: Fraction, kind: str | None, language: str) -> tuple[bool, int | float]:
    """The pair (strict, c) such that a number in a frame is at least the value iff it is >= c, or > c.

    Raises `DeclarationError` for a constant with too many digits, whose meaning depends on the column's
    type.

    >>> bound(Fraction(1, 2), "integer", "polars"), bound(Fraction(1, 2), None, "polars")
    ((False, 1), (False, 0.5))
    """
    if abs(value) > 10**300:
        return nearest(value)
    if kind == "integer":
        return False, ceil(value)
    if not is_short(value):
        raise DeclarationError(
            f"write the rule for {language}",
            found=f"the number {decimal(value):f} has over {_FLOAT_DIGITS} digits, and floats are "
            "compared with another number than whole ones",
            fix="say that the column holds whole numbers, such as types={'id': 'integer'}",
        )
    return False, int(value) if value.denominator == 1 else float(decimal(value))


def no_days(column: str, kind: str | None, dated: Sequence[str]) -> DeclarationError:
    """The error of `require_days` about a column of this type, or of none."""
    words = " or ".join(f"{column}={one}" for one in dated)
    found, fix = "nothing says how it holds days", "say it"
    if not dated:
        found = "frames of pandas hold days in several ways, which compare otherwise"
        fix, words = "write it for polars or as SQL", f"{column}=date"
    elif kind == "date":
        found, fix = "SQLite has no dates", "if it holds texts such as 2021-03-01, say so"
    elif kind is not None:
        found = f"it is said to hold the type {kind}"
    typed = {column: dated[0] if dated else "date"}
    return DeclarationError(
        f"write a condition on the days of {show_value(column)}",
        found=found,
        fix=f"{fix}: --type {words}, or in Python types={typed}",
    )


def require_days(outcome: Outcome, types: Mapping[str, str], dated: Sequence[str]) -> None:
    """Raise `DeclarationError` unless columns of days, and no others, have one of the types ``dated``.

    Without a type, a time with a zone or a text would be compared in ways of the database's own.  A
    language without dates that compare alike has no ``dated`` type.
    """
    for cell in cells(outcome):
        kind = types.get(cell.column)
        if isinstance(cell, Days) and kind not in dated:
            raise no_days(cell.column, kind, dated)
        if kind == "date" and not isinstance(cell, Days):
            raise DeclarationError(
                f"say that {show_value(cell.column)} holds dates",
                found="the rule asks for its numbers or texts",
                fix="leave out the type",
            )


def require_numbers(outcome: Outcome, types: Mapping[str, str], language: str) -> None:
    """Raise `DeclarationError` for days without a type, and for numbers of a column of texts."""
    require_days(outcome, types, () if language == "pandas" else ("date",))
    for cell in cells(outcome):
        if isinstance(cell, Within) and types.get(cell.column) == "text":
            raise DeclarationError(
                f"write the rule for {language}, with texts in the column {show_value(cell.column)}",
                found="the rule asks for its numbers",
                fix="make numbers of the texts in the frame, and leave out the type",
            )
