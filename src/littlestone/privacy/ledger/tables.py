"""The tables of a ledger, as far as SQLite and PostgreSQL agree on them.

Format 1 had no parts.  Format 3 adds other names of one data set, what tables were seen, and the
rules that a row must keep.  A new ledger is made in format 2 and brought up to date as an old one is.
"""

from __future__ import annotations

from littlestone.privacy.cost import DIGITS, NeighboringRelation
from littlestone.privacy.ledger.declared import MOST, MOST_WORDS

FORMAT = 3

COLUMNS = (
    "dataset TEXT NOT NULL, what TEXT NOT NULL, mechanism TEXT NOT NULL, epsilon TEXT NOT NULL,"
    " delta TEXT NOT NULL, neighboring TEXT NOT NULL, at TEXT NOT NULL"
)
# A spend on the whole data set has partition '', which no partition can be named.
PART_COLUMNS = (
    "partition TEXT NOT NULL DEFAULT ''",
    "part INTEGER NOT NULL DEFAULT 0",
    "parts INTEGER NOT NULL DEFAULT 0",
)
LIMITS = (
    "CREATE TABLE limits (dataset TEXT PRIMARY KEY, epsilon TEXT NOT NULL, delta TEXT NOT NULL,"
    " neighboring TEXT NOT NULL)"
)
ALIASES = "CREATE TABLE aliases (name TEXT NOT NULL, same_as TEXT NOT NULL, at TEXT NOT NULL)"
SEEN = (
    "CREATE TABLE seen (dataset TEXT NOT NULL, table_schema TEXT NOT NULL, n BIGINT NOT NULL,"
    " PRIMARY KEY (dataset, table_schema, n))"
)

# A charge below 10^100 that is rounded to a multiple of 10^-100 has at most so many digits.
NUMERATOR, DENOMINATOR = 2 * DIGITS + 1, DIGITS + 1


def sound_limit(number: str, row: str = "") -> str:
    """The rule of a limit as SQL; ``number`` is that of a fraction, where ``{}`` is the column.

    >>> sound_limit("{} <> ''", "NEW.").partition(" AND ")[0]
    "NEW.epsilon <> ''"
    """
    known = ", ".join(f"'{relation.value}'" for relation in NeighboringRelation)
    rules = [
        number.format(f"{row}epsilon"),
        number.format(f"{row}delta"),
        f"{row}neighboring IN ({known})",
        f"length({row}dataset) BETWEEN 1 AND {MOST}",
    ]
    return " AND ".join(rules)


def sound_entry(number: str, row: str = "") -> str:
    """The rule of an entry as SQL, in the same terms."""
    rules = [
        sound_limit(number, row),
        f"length({row}what) BETWEEN 1 AND {MOST_WORDS}",
        f"length({row}mechanism) BETWEEN 1 AND {MOST_WORDS}",
        f"length({row}partition) <= {MOST}",
        f"(({row}partition = '' AND {row}part = 0 AND {row}parts = 0) OR"
        f" ({row}partition <> '' AND {row}part BETWEEN 1 AND {row}parts))",
    ]
    return " AND ".join(rules)
