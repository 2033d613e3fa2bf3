"""The tables of a ledger, where SQLite and PostgreSQL agree: nothing else keeps what was spent.

Format 1 had no parts.  Format 3 adds other names of one data set, the tables that were seen, and the
rules that a row must keep.  Format 4 adds costs about one unit replaced.  Format 5 keeps a limit for
each neighbouring relation, and declared numbers of records per unit.  A new ledger is made in format 2
and then updated like an old one.
"""

from __future__ import annotations

import unicodedata
from fractions import Fraction
from numbers import Rational

from littlestone.base.errors import DeclarationError, show_value
from littlestone.points.units import MOST_RECORDS
from littlestone.privacy.cost import DIGITS, NeighboringRelation, PrivacyCost, is_short

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
        if isinstance(number, Rational) and number < 0:
            raise DeclarationError(
                f"use {name} = {show_value(number)} in the ledger",
                found="it is below 0",
                fix=f"give {name} as a number of at least 0",
            )
        if not isinstance(number, Rational) or not is_short(Fraction(number)):
            raise DeclarationError(
                f"use {name} = {show_value(number)} in the ledger",
                found="it is not an exact rational number whose numerator and denominator are at most "
                f"10^{DIGITS}",
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


FORMAT = 5

COLUMNS = (
    "dataset TEXT NOT NULL, what TEXT NOT NULL, mechanism TEXT NOT NULL, epsilon TEXT NOT NULL,"
    " delta TEXT NOT NULL, neighboring TEXT NOT NULL, at TEXT NOT NULL"
)
# A spend on the whole data set has the partition '', which is no legal name of a partition.
PART_COLUMNS = (
    "partition TEXT NOT NULL DEFAULT ''",
    "part INTEGER NOT NULL DEFAULT 0",
    "parts INTEGER NOT NULL DEFAULT 0",
)
LIMITS = (
    "CREATE TABLE limits (dataset TEXT PRIMARY KEY, epsilon TEXT NOT NULL, delta TEXT NOT NULL,"
    " neighboring TEXT NOT NULL)"
)
NEW_LIMITS = (
    "CREATE TABLE limits (dataset TEXT NOT NULL, epsilon TEXT NOT NULL, delta TEXT NOT NULL,"
    " neighboring TEXT NOT NULL)"
)
UNITS = (
    "CREATE TABLE units (dataset TEXT NOT NULL, unit TEXT NOT NULL, most INTEGER NOT NULL,"
    " entries BIGINT NOT NULL, at TEXT NOT NULL)"
)
ALIASES = "CREATE TABLE aliases (name TEXT NOT NULL, same_as TEXT NOT NULL, at TEXT NOT NULL)"
SEEN = (
    "CREATE TABLE seen (dataset TEXT NOT NULL, table_schema TEXT NOT NULL, n BIGINT NOT NULL,"
    " PRIMARY KEY (dataset, table_schema, n))"
)

# A charge below 10^100 that is rounded to a multiple of 10^-100 has at most this many digits.
NUMERATOR, DENOMINATOR = 2 * DIGITS + 1, DIGITS + 1


def sound_limit(number: str, text: str, row: str = "") -> str:
    """The SQL rule of a limit, built from the rules of a fraction and of a line of text.

    In both, ``{}`` stands for the column.

    >>> sound_limit("{} <> ''", "{} <> ' '", "NEW.").partition(" AND ")[0]
    "NEW.epsilon <> ''"
    """
    relation, unit = f"{row}neighboring", NeighboringRelation.ONE_UNIT
    rules = [
        number.format(f"{row}epsilon"),
        number.format(f"{row}delta"),
        f"({relation} = '{NeighboringRelation.REPLACE_ONE}' OR"
        f" (substr({relation}, 1, {len(unit)}) = '{unit}' AND"
        f" {_line(text, relation, len(unit) + MOST, least=len(unit) + 1)}))",
        _line(text, f"{row}dataset", MOST),
    ]
    return " AND ".join(rules)


def sound_entry(number: str, text: str, row: str = "") -> str:
    """The SQL rule of an entry, built in the same way."""
    rules = [
        sound_limit(number, text, row),
        _line(text, f"{row}what", MOST_WORDS),
        _line(text, f"{row}mechanism", MOST_WORDS),
        _line(text, f"{row}at", MOST, least=0),
        _line(text, f"{row}partition", MOST, least=0),
        f"(({row}partition = '' AND {row}part = 0 AND {row}parts = 0) OR"
        f" ({row}partition <> '' AND {row}part BETWEEN 1 AND {row}parts AND"
        f" {row}neighboring = '{NeighboringRelation.REPLACE_ONE}'))",
    ]
    return " AND ".join(rules)


def sound_alias(text: str, row: str = "") -> str:
    """The SQL rule of two joined names; a name in an old ledger may have any length."""
    columns = [(f"{row}name", 1), (f"{row}same_as", 1), (f"{row}at", 0)]
    return " AND ".join(_line(text, column, None, least=least) for column, least in columns)


def sound_seen(text: str, row: str = "") -> str:
    """The SQL rule of a table that was seen."""
    columns = [f"{row}dataset", f"{row}table_schema"]
    return " AND ".join([_line(text, column, MOST) for column in columns] + [f"{row}n >= 0"])


def sound_units(text: str, row: str = "") -> str:
    """The SQL rule of a declared number of records per unit."""
    lines = [
        _line(text, f"{row}dataset", MOST),
        _line(text, f"{row}unit", MOST),
        _line(text, f"{row}at", MOST, least=0),
    ]
    return " AND ".join([*lines, f"{row}most BETWEEN 1 AND {MOST_RECORDS}", f"{row}entries >= 0"])


def _line(text: str, column: str, most: int | None, *, least: int = 1) -> str:
    bound = f"length({column}) >= {least}" + (
        "" if most is None else f" AND length({column}) <= {most}"
    )
    return f"{text.format(column)} AND {bound}"
