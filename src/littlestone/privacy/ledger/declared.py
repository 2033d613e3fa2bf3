"""What a ledger accepts as a name and as a cost: public, exact, and not to be mistaken."""

from __future__ import annotations

import unicodedata
from numbers import Rational

from littlestone.errors import DeclarationError
from littlestone.privacy.cost import PrivacyCost

# Characters that are printable to Python and invisible to people.
# They are Unicode's Default_Ignorable_Code_Points among the printable ones, and blanks of Braille
# and of music.
_BLANKS = frozenset(
    "\U0001d159\u034f\u115f\u1160\u17b4\u17b5\u180b\u180c\u180d\u180f\u2800\u3164\uffa0"
) | {
    chr(c) for first, last in ((0xFE00, 0xFE0F), (0xE0100, 0xE01EF)) for c in range(first, last + 1)
}


def checked(cost: PrivacyCost) -> PrivacyCost:
    """``cost`` itself; raises `DeclarationError` when a number is negative, inexact or too long.

    >>> from fractions import Fraction
    >>> checked(PrivacyCost(Fraction(1, 2))).epsilon
    Fraction(1, 2)
    """
    for name, number in (("epsilon", cost.epsilon), ("delta", cost.delta)):
        rational = isinstance(number, Rational) and number >= 0
        # Sums of fractions without a common denominator would grow beyond what can be printed.
        if not rational or max(number.numerator, number.denominator).bit_length() > 4096:
            raise DeclarationError(
                f"use {name} = {number} in the ledger",
                found="it is not an exact rational number of at least 0 and of at most 4096 bits",
                fix="give a Fraction; littlestone.privacy.cost.exact reads 0.1 as 1/10",
            )
    return cost


def named(text: str, what: str) -> str:
    """``text`` itself; raises `DeclarationError` unless it is one line of visible characters.

    >>> named("census 2020", "a data set")
    'census 2020'
    """
    # Line breaks and invisible characters could pass one data set off as another.
    plain = isinstance(text, str) and bool(text) and text == text.strip() and text.isprintable()
    if not plain or not unicodedata.is_normalized("NFC", text) or _BLANKS & set(text):
        raise DeclarationError(
            f"use {text!r} as the name of {what}",
            found="it is no text, is empty, has spaces around it, or has characters that cannot be "
            "seen or told from others",
            fix="use plain words on one line",
        )
    return text
