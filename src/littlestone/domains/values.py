"""What a table value shows: a number, a text, or neither; total functions that never raise."""

from __future__ import annotations

from decimal import ROUND_FLOOR, Context, Decimal

# Enough digits for the floor of any quotient within 2^64 points to be exact; nothing is trapped,
# because a table value may be any text whatever.
DECIMAL = Context(prec=60, rounding=ROUND_FLOOR, traps=[])

_MOST_BITS = 1 << 15


def number(value: object) -> Decimal | None:
    """The decimal number that a table value shows, or None if it shows none; never raises.

    A float stands for its shortest decimal form, so 12.34 read from a CSV file and from Parquet are
    one number.  True and False are 1 and 0, as values and as the words that a file has for them.
    A whole number of more than 2^15 bits counts as infinite: to convert it takes the square of them.

    >>> number(12.34), number(" 7 "), number(True), number("n/a"), number(float("nan"))
    (Decimal('12.34'), Decimal('7'), Decimal('1'), None, None)
    """
    if str(type(value).__name__) in ("bool", "bool_"):  # Python's and numpy's
        return Decimal(bool(value))
    if value is None:
        return None
    if isinstance(value, int):  # as a text, one of more than 4,300 digits would be refused
        whole = int(value)
        if whole.bit_length() > _MOST_BITS:
            return Decimal("Infinity") if whole > 0 else Decimal("-Infinity")
        return Decimal(whole)
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
        # Of a type of the user's own only the text, which is all that a point may be.
        return value if type(value) is str else str.__str__(value)
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
