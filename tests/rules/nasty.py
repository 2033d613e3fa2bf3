"""One table of nasty values, several columns of each type, and what `predict` makes of its records."""

from __future__ import annotations

import random
import sqlite3
from collections.abc import Mapping, Sequence
from decimal import Decimal
from typing import Any

import numpy as np

from littlestone.rules import Hypothesis

SURE = [
    None, "", " ", "a", "A", "a ", " a", "v0", "v1", "v2", "0", "1", "2", "3", "4", "5", "01", "1.0",
    " 3 ", "3\n", "-1", "+2", ".5", "5.", "-0", "-.5", "0.5", "F", "M", "(other)",
    "true", "FALSE", "True", " true\n", "info", "finite", "\t", "\r\n", "nan",
    "NaN", "None", "NULL", "it's", 'say "hi"',
    "a,b", "1,5", "5 6", "$5", "-", ".", "+", "...", "e", "x1", "100%", "%s", ":x", "?", "\\", ";--",
    "'; DROP TABLE t; --", "`", "@x", "#", "e\u0301a", "\u00e9a", "💩x",
]  # fmt: skip
"""Texts that SQL reads as numbers, or as none, for certain."""

UNSURE = [
    "--3",
    "+-3",
    "1.2.3",
    "ä1",
    "1e2",
    "1E-1",
    "-1.5e+3",
    "1_0",
    "inf",
    "-Infinity",
    "in_f",
    "\x1c4",
    "\u00a0true",
    "FALSE\u2003",
    "00000000000000004",
    "٣",
    "\u00a04",
    "2020-01-01",
    "12345678901234567",
    "_",
    "💩",
]
"""Texts of which SQL may say that it cannot tell which number they show."""

VALUES: dict[str, list[Any]] = {
    "text": SURE + UNSURE,
    "integer": [None, *range(-4, 13), 100, 2**31, 2**53, 2**53 + 1, 2**63 - 1, -(2**63)],
    "decimal": [None, *map(Decimal, ("-1.50", "0.00", "0.50", "0.29", "0.30", "1.00", "1.50", "2.00",
        "3.00", "3.99", "4.00", "5.00", "7.00", "99999999.99", "-0.01"))],
    "double": [None, float("nan"), float("inf"), float("-inf"), 0.0, -0.0, 5e-324, 1e300, -1e300, 0.29,
        0.5, 0.1 + 0.2, 0.3, -1.0, 1.0, 1.5, 2.0, 2.9999999999999996, 3.0, 4.0, 5.0, 7.0, 2.0**53,
        1e16],
    "real": [None, *map(np.float32, ("nan", "inf", "-inf", "0", "-0", "0.29", "0.3", "0.5", "-1", "1",
        "1.5", "2", "3", "4", "5", "7", "16777216", "0.1", "1e30"))],
    "boolean": [None, True, False],
}  # fmt: skip
TYPES = tuple(VALUES)
SLOTS = 4
RECORDS = 110


def table(seed: int = 0) -> dict[str, list[Any]]:
    """The columns, such as ``text_0``; each value stands in each column, in another order."""
    rng = random.Random(seed)
    columns = {}
    for kind, values in VALUES.items():
        for slot in range(SLOTS):
            column = [*values, *rng.choices(values, k=RECORDS - len(values))]
            rng.shuffle(column)
            columns[f"{kind}_{slot}"] = column
    return columns


TABLE = table()

SQL_TYPES = {
    "duckdb": dict(
        zip(TYPES, ("VARCHAR COLLATE NOCASE", "BIGINT", "DECIMAL(12, 2)", "DOUBLE", "FLOAT", "BOOLEAN"),
            strict=True)
    ),
    "postgres": dict(
        zip(TYPES, ("text COLLATE loose", "bigint", "numeric", "double precision", "real", "boolean"),
            strict=True)
    ),
    "sqlite": dict(zip(TYPES, ("TEXT COLLATE NOCASE", "INTEGER", "NUMERIC", "REAL", "REAL", "INTEGER"),
            strict=True)),
}  # fmt: skip


def created(dialect: str) -> str:
    """The statement that makes the table ``t`` with its columns, and ``place``."""
    columns = (f"{name} {SQL_TYPES[dialect][name.split('_')[0]]}" for name in TABLE)
    return f"CREATE TABLE t (place INTEGER, {', '.join(columns)})"


def rows(columns: Mapping[str, Sequence[Any]] = TABLE) -> list[tuple[Any, ...]]:
    """The records for a driver, their place first."""

    def plain(value: Any) -> Any:
        return float(value) if isinstance(value, np.float32) else value

    records = zip(*columns.values(), strict=True)
    return [(i, *map(plain, record)) for i, record in enumerate(records)]


def selected(expressions: Sequence[str], names: Mapping[str, str]) -> str:
    """Each expression of each record; ``names`` are the columns of the table by those of the rules."""
    renamed = ", ".join(
        '{} AS "{}"'.format(held, name.replace('"', '""')) for name, held in names.items()
    )
    values = ", ".join(f"{e} AS e{i}" for i, e in enumerate(expressions))
    return f"SELECT {values} FROM (SELECT place, {renamed} FROM t) AS s ORDER BY place"


def assigned(h: Hypothesis[Any], kind: str) -> dict[str, str]:
    """A column of that type for each column of the rule's domain, in turn."""
    return {name: f"{kind}_{i % SLOTS}" for i, name in enumerate(h.domain.column_names)}


def predicted(
    h: Hypothesis[Any], names: Mapping[str, str], columns: Mapping[str, Sequence[Any]] = TABLE
) -> list[int]:
    """The label of each record."""
    records = zip(*(columns[names[name]] for name in h.domain.column_names), strict=True)
    return [h(h.domain.encode_record(record)) for record in records]


def told(h: Hypothesis[Any], kind: str) -> dict[str, str]:
    """The types to export a rule by, if its columns are of that type."""
    return dict.fromkeys(h.tested_columns, kind)


def sqlite() -> sqlite3.Connection:
    """The table in SQLite."""
    connection = sqlite3.connect(":memory:")
    connection.execute(created("sqlite"))
    marks = ", ".join("?" * (len(TABLE) + 1))
    plain = [[str(v) if isinstance(v, Decimal) else v for v in row] for row in rows()]
    connection.executemany(f"INSERT INTO t VALUES ({marks})", plain)
    return connection
