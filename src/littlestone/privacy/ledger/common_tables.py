"""The tables of a ledger, where SQLite and PostgreSQL agree: nothing else keeps what was spent.

Format 1 had no parts.  Format 3 adds other names of one data set, the tables that were seen, and the
rules that a row must keep.  Format 4 adds costs about one unit replaced.  Format 5 keeps a limit for
each neighbouring relation, and declared numbers of records per unit.  A new ledger is made in format 2
and then updated like an old one.
"""

from __future__ import annotations

from littlestone.points.units import MOST_RECORDS
from littlestone.privacy.cost import DIGITS, NeighboringRelation
from littlestone.privacy.ledger.accepted import MOST, MOST_WORDS

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
