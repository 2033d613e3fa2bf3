"""Numbers in texts, read by SQL as `domains.number` reads them."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING, NamedTuple

if TYPE_CHECKING:
    from sqlglot import Expression

_SPACES = " \t\n\v\f\r\x1c\x1d\x1e\x1f"
_DIGITS = "0123456789"
_SIGNS = "+-.eE"
_ASCII = "".join(map(chr, range(1, 128))).replace("_", "")
_MOST_DIGITS = 15
"""Of so many digits a float is the number itself, as far as comparisons see."""


class Number(NamedTuple):
    """The number that a text shows, or NULL; and whether it is written as SQL does not read it."""

    value: Expression
    unsure: Expression


def number_in_text(column: Expression, infinity: Callable[[bool], Expression]) -> Number:
    """How SQL reads a number in a text of up to 15 digits and a point, a word, or none.

    Unsure are exponents, more digits, underscores, and characters beyond ASCII among digits.
    Everything is made of functions that PostgreSQL, DuckDB and SQLite share.
    """
    from sqlglot import exp

    def text(value: str) -> Expression:
        return exp.Literal.string(value)

    def call(name: str, *arguments: Expression) -> Expression:
        return exp.Anonymous(this=name, expressions=list(arguments))

    def without(value: Expression, character: str) -> Expression:
        return call("REPLACE", value, text(character), text(""))

    def length(value: Expression) -> Expression:
        return call("LENGTH", value)

    def within(value: Expression, characters: str) -> Expression:
        """Whether the text has these characters alone."""
        return exp.EQ(this=trimmed(value, characters), expression=text(""))

    def trimmed(value: Expression, characters: str) -> Expression:
        return exp.Trim(this=value, expression=text(characters), position="BOTH")

    def less(more: Expression, fewer: Expression) -> Expression:
        """Whether one text is longer than the other by one character at most."""
        longer = exp.Sub(this=length(more), expression=length(fewer))
        return exp.LTE(this=longer, expression=exp.Literal.number("1"))

    shown = trimmed(column, _SPACES)
    body = call("LTRIM", shown, text("+-"))
    digits = without(body, ".")
    simple = exp.and_(
        within(digits, _DIGITS),
        exp.NEQ(this=digits, expression=text("")),
        less(shown, body),
        less(body, digits),
        exp.LTE(this=length(digits), expression=exp.Literal.number(str(_MOST_DIGITS))),
    )
    lower = call("LOWER", shown)
    infinite = without(lower, "_")
    words = {
        "true": exp.Literal.number("1"),
        "false": exp.Literal.number("0"),
        **{f"{sign}{word}": infinity(False) for sign in ("", "+") for word in ("inf", "infinity")},
        **{f"-{word}": infinity(True) for word in ("inf", "infinity")},
    }
    value = exp.case().when(simple, exp.cast(shown, "DOUBLE"))
    for word, number in words.items():
        compared = infinite if "inf" in word else lower
        value = value.when(exp.EQ(this=compared, expression=text(word)), number)
    # No number has letters other than e, except for the words; a date has, or may have, none.
    letters = without(without(shown, "e"), "E")
    lettered = exp.NEQ(this=call("LOWER", letters), expression=call("UPPER", letters))
    scientific = exp.and_(within(shown, _DIGITS + _SIGNS), exp.not_(within(shown, _SIGNS)))
    foreign = exp.not_(within(shown, _ASCII))
    unsure = exp.and_(
        exp.not_(exp.paren(simple)),
        exp.not_(exp.paren(lettered)),
        exp.or_(scientific, foreign),
    )
    return Number(value, unsure)
