"""The names and costs that a ledger accepts: public, exact and unmistakable."""

from __future__ import annotations

import unicodedata
from fractions import Fraction
from numbers import Rational

from littlestone.base.errors import DeclarationError, show_value
from littlestone.privacy.cost import DIGITS, PrivacyCost, is_short

# Characters that Python calls printable although people cannot see them.
# They are Unicode's Default_Ignorable_Code_Points among the printable ones, and blanks of Braille
# and of music.
_BLANKS = frozenset(
    "\U0001d159\u034f\u115f\u1160\u17b4\u17b5\u180b\u180c\u180d\u180f\u2800\u3164\uffa0"
) | {
    chr(c) for first, last in ((0xFE00, 0xFE0F), (0xE0100, 0xE01EF)) for c in range(first, last + 1)
}


MOST = 500  # characters of a data set's or a partition's name
MOST_WORDS = 100_000  # characters of a purpose or of an event's text


def check_cost(cost: PrivacyCost) -> PrivacyCost:
    """``cost`` itself; raises `DeclarationError` if a number is negative, inexact or too long.

    The column of its unit, if any, must be a name as `check_name` asks for.

    >>> from fractions import Fraction
    >>> check_cost(PrivacyCost(Fraction(1, 2))).epsilon
    Fraction(1, 2)
    """
    for name, number in (("epsilon", cost.epsilon), ("delta", cost.delta)):
        if not isinstance(number, Rational) or number < 0 or not is_short(Fraction(number)):
            raise DeclarationError(
                f"use {name} = {show_value(number)} in the ledger",
                found="it is not an exact rational number of at least 0 whose numerator and "
                f"denominator are at most 10^{DIGITS}",
                fix="give a Fraction, rounded up to fewer digits where it has more; "
                "littlestone.privacy.cost.exact reads 0.1 as 1/10",
            )
    if cost.neighboring.unit is not None:
        check_name(cost.neighboring.unit, "a unit", most=MOST)
    return cost


def check_name(text: str, what: str, *, most: int | None = None) -> str:
    """``text`` itself; raises `DeclarationError` unless it is one line of visible characters.

    A text to be written has at most ``most`` characters; a text that is read may be longer.

    >>> check_name("census 2020", "a data set")
    'census 2020'
    """
    # Line breaks and invisible characters could pass one data set off as another.
    plain = isinstance(text, str) and bool(text) and text == text.strip() and text.isprintable()
    if not plain or not unicodedata.is_normalized("NFC", text) or _BLANKS & set(text):
        raise DeclarationError(
            f"use {show_value(text)} as the name of {what}",
            found="it is not text, is empty, has spaces around it, or has invisible or easily "
            "confused characters",
            fix="use plain words on one line",
        )
    if most is not None and len(text) > most:
        raise DeclarationError(
            f"use {text:.50}... as the name of {what}",
            found=f"it has {len(text):,} characters, and {most:,} are allowed",
            fix="use a shorter one; the command line takes a data set's from --dataset",
        )
    return text
