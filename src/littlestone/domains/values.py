"""What a table value shows: a number, a text, a truth, or none; total functions that never raise.

A value may be any object, of a class of the user's own, whose methods raise or lie.  So none of them
is asked: `plain` reads the built-in value beneath by the built-in's own means.  What has no such
value has a text, ``str(value)``, or none if that fails; no other method of it is called.
"""

from __future__ import annotations

from decimal import ROUND_FLOOR, Context, Decimal
from fractions import Fraction
from typing import Any

import numpy as np

# Enough digits for the floor of any quotient within 2^64 points to be exact; nothing is trapped,
# because a table value may be any text whatever.
DECIMAL = Context(prec=60, rounding=ROUND_FLOOR, traps=[])

_MOST_DIGITS, _MOST_BITS = 400, 1 << 15


def derived(value: object, kind: type) -> bool:
    """Whether the value is of that class or a derived one, whatever it says of its ``__class__``.

    >>> derived(True, int), derived("1", int)
    (True, False)
    """
    return type.__subclasscheck__(kind, type(value))


def plain(value: Any) -> Any:
    """The value as an object of exactly bool, int, float, str, Decimal or Fraction, if it is one.

    So are numbers and texts of derived types, and numpy's.  Floats of fewer bits stand for their
    shortest decimal form.  Any other value is returned as it is.

    >>> plain(np.int64(7)), plain(np.float32(0.29)), plain(np.str_("a")), plain(None)
    (7, 0.29, 'a', None)
    """
    kind = type(value)
    if kind is str or kind is int or kind is float or kind is bool:  # most are
        return value
    if derived(value, str):
        return str.__str__(value)
    if derived(value, int):
        return int.__int__(value)
    if derived(value, float):
        return float.__float__(value)
    if derived(value, Decimal):
        return Decimal(value)
    if derived(value, Fraction):
        return _fraction(value)
    if derived(value, np.bool_) or derived(value, np.integer):
        return np.generic.item(value)
    for narrow in (np.float16, np.float32):
        if derived(value, narrow):
            return float(str(narrow(np.generic.item(value))))
    return value


def _fraction(value: Any) -> Any:
    """A fraction whose parts are Python's own integers, from where `Fraction` keeps them."""
    try:
        parts = [vars(Fraction)[name].__get__(value) for name in ("_numerator", "_denominator")]
        top, bottom = map(plain, parts)
        return Fraction(top, bottom) if type(top) is type(bottom) is int else None
    except (AttributeError, ZeroDivisionError):  # made by hand, and not to the end
        return None


def number(value: object) -> Decimal | None:
    """The decimal number that a table value shows, or None if it shows none; never raises.

    A float stands for its shortest decimal form, so 12.34 read from a CSV file and from Parquet are
    one number.  True and False are 1 and 0, as values and as the words that a file has for them.
    A whole number of more than 2^15 bits counts as infinite: to convert it takes the square of them.

    >>> number(12.34), number(" 7 "), number(True), number("n/a"), number(float("nan"))
    (Decimal('12.34'), Decimal('7'), Decimal('1'), None, None)
    """
    built_in = plain(value)
    kind = type(built_in)
    if kind is Fraction and built_in.denominator == 1:
        built_in, kind = built_in.numerator, int
    if kind is bool or kind is int:  # as a text, one of over 4,300 digits would be refused
        if built_in.bit_length() > _MOST_BITS:  # no finite range reaches so far, and it takes long
            return Decimal("Infinity") if built_in > 0 else Decimal("-Infinity")
        return Decimal(built_in)
    if kind is Fraction:
        return None
    shown = _shown(built_in).strip()
    try:
        decimal = Decimal(shown)
    except ArithmeticError:
        truth = {"true": 1, "false": 0}.get(shown.lower())
        return None if truth is None else Decimal(truth)
    return None if decimal.is_nan() else decimal


def whole_number(value: object, *, typed: bool = False) -> int | None:
    """The whole number that equals the number ``value``; None for others, and for what is no number.

    With ``typed`` the type has to be one of whole numbers, or of truths.

    >>> whole_number(True), whole_number(7.0), whole_number(7.0, typed=True), whole_number("7")
    (1, 7, None, None)
    """
    built_in = plain(value)
    kind = type(built_in)
    if kind is int or kind is bool:
        return int(built_in)
    if typed or not (kind is float or kind is Decimal or kind is Fraction):
        return None
    shown = number(built_in)
    # Asked before the conversion: int(Decimal("1e999999")) would take the machine down.
    if shown is None or not shown.is_finite() or shown.adjusted() > _MOST_DIGITS:
        return None
    whole = shown.to_integral_value(context=DECIMAL)
    return int(whole) if whole == shown else None


def text(value: object) -> str:
    """The text of a table value; missing values are the empty text.  Never raises.

    It can be written as UTF-8: halves of surrogate pairs are joined, or replaced if they are alone.

    >>> text("N14228"), text(None), text(float("nan")), text(3)
    ('N14228', '', '', '3')
    """
    built_in = plain(value)
    kind = type(built_in)
    if kind is str:
        return _written(built_in)
    if kind is float and built_in.is_integer() and abs(built_in) < 2**53:
        # One missing or fractional value makes floats of a whole column of whole numbers.  And
        # -0.0 equals 0.0: a group of equal values keeps either of the two.
        return str(int(built_in))
    shown = _shown(built_in)
    # Compared as text: pandas' NA refuses to be compared, and an exception would be data-dependent.
    return "" if shown in {"None", "nan", "NaN", "NaT", "<NA>"} else shown


def truth(value: object) -> int:
    """The label of a table value: 1 if it shows the number 1 or the word true, else 0.

    So 1, True, 1.0, "1" and numpy's ones are one label, and everything else is the other one.

    >>> [truth(value) for value in (1, True, 1.0, "1", "true", 2, "yes", None)]
    [1, 1, 1, 1, 1, 0, 0, 0]
    """
    return int(number(value) == 1)


def entries(value: Any) -> tuple[object, ...]:
    """The entries of a tuple or list; any other value is the only entry.

    >>> entries([1, "a"]), entries("a")
    ((1, 'a'), ('a',))
    """
    if derived(value, tuple):
        return tuple(tuple.__iter__(value))
    if derived(value, list):
        return tuple(list.__iter__(value))
    return (value,)


def _shown(value: object) -> str:
    try:
        # A text that a class of the user's own makes may be of a derived type, too.
        return _written(str.__str__(str(value)))
    except Exception:
        # A whole number of more than 4,300 digits, lists nested too deep, or an object with a text
        # of its own: whatever fails here fails because of a record.
        return ""


def _written(shown: str) -> str:
    """The text without halves of surrogate pairs: JSON would join two of them, UTF-8 refuses one."""
    try:
        shown.encode()
    except UnicodeEncodeError:
        return shown.encode("utf-16-le", "surrogatepass").decode("utf-16-le", "replace")
    return shown
