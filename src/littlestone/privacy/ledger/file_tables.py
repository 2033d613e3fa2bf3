"""The tables of a ledger in SQLite, and the steps that bring a file from each format to the next."""

from __future__ import annotations

from littlestone.privacy.ledger.common_tables import (
    ALIASES,
    COLUMNS,
    DENOMINATOR,
    LIMITS,
    NEW_LIMITS,
    NUMERATOR,
    PART_COLUMNS,
    SEEN,
    UNITS,
    sound_alias,
    sound_entry,
    sound_limit,
    sound_seen,
    sound_units,
)

# SQLite's application_id tells that a file is a ledger, its user_version the format.
APPLICATION = int.from_bytes(b"LsDP", "big")
_COSTS = (
    "CREATE INDEX costs ON entries (dataset, partition, part, parts, epsilon, delta, neighboring)"
)
_ENTRIES = (
    f"CREATE TABLE entries (number INTEGER PRIMARY KEY AUTOINCREMENT, {COLUMNS},"
    f" {', '.join(PART_COLUMNS)})"
)


def _guard_triggers(table: str) -> list[str]:
    return [
        f"CREATE TRIGGER no_{deed}{'' if table == 'entries' else '_' + table}"
        f" BEFORE {deed.upper()} ON {table}"
        f" BEGIN SELECT RAISE(ABORT, 'an entry of the ledger is never {deed}d'); END"
        for deed in ("update", "delete")
    ]


def _only(table: str, deed: str, rule: str, *, moment: str = "BEFORE") -> str:
    # A trigger and not a constraint, because a constraint cannot be added to an existing table.
    return (
        f"CREATE TRIGGER sound_{deed}_{table}{'' if moment == 'BEFORE' else '_number'}"
        f" {moment} {deed.upper()} ON {table} WHEN NOT ({rule})"
        " BEGIN SELECT RAISE(ABORT, 'this package would not write such a row'); END"
    )


_NUMBER = (
    "typeof({0}) = 'text' AND {0} GLOB '[0-9]*/[1-9]*' AND {0} NOT GLOB '*[^0-9/]*'"
    f" AND {{0}} NOT GLOB '*/*/*' AND instr({{0}}, '/') <= {NUMERATOR + 1}"
    f" AND length({{0}}) - instr({{0}}, '/') <= {DENOMINATOR}"
)
# What ends a line or a text for some program: the controls, and Unicode's own line ends.
_CONTROLS = "char(1) || '-' || char(31, 127) || '-' || char(159, 8232, 8233)"
_TEXT = (
    "typeof({0}) = 'text' AND instr(CAST({0} AS BLOB), x'00') = 0"
    f" AND {{0}} NOT GLOB '*[' || {_CONTROLS} || ']*'"
)
# The largest gap before an entry's number; a number near 2^63 would be the last.
_GAP = 1_000_000
# By the format that each step starts from.  A new file is 0, and its tables need no step 1.
STEPS = {
    0: (LIMITS, _ENTRIES, _COSTS, *_guard_triggers("entries")),
    1: (
        *(f"ALTER TABLE entries ADD COLUMN {column}" for column in PART_COLUMNS),
        "DROP INDEX costs",
        _COSTS,
    ),
    2: (
        ALIASES,
        SEEN,
        *_guard_triggers("aliases"),
        _only("aliases", "insert", sound_alias(_TEXT, "NEW.")),
        _only("seen", "insert", sound_seen(_TEXT, "NEW.") + " AND typeof(NEW.n) = 'integer'"),
        _only("seen", "update", sound_seen(_TEXT, "NEW.") + " AND typeof(NEW.n) = 'integer'"),
        _only(
            "entries",
            "insert",
            f"NEW.number BETWEEN 1 AND {_GAP} + (SELECT coalesce(max(number), 0) FROM entries"
            " WHERE number < NEW.number)",
            moment="AFTER",
        ),
    ),
    3: (
        # Format 3 had these rules for costs about one record replaced alone.
        *(
            f"DROP TRIGGER IF EXISTS sound_{deed}"
            for deed in ("insert_limits", "update_limits", "insert_entries")
        ),
        _only("limits", "insert", sound_limit(_NUMBER, _TEXT, "NEW.")),
        _only("limits", "update", sound_limit(_NUMBER, _TEXT, "NEW.")),
        # INSERT OR REPLACE would delete an entry, and no trigger on deletion would fire.
        # Before the insertion, -1 stands for a number that is not yet given.
        _only(
            "entries",
            "insert",
            sound_entry(_NUMBER, _TEXT, "NEW.")
            + " AND typeof(NEW.part) = 'integer' AND typeof(NEW.parts) = 'integer'"
            " AND (NEW.number = -1 OR"
            " NOT EXISTS (SELECT 1 FROM entries WHERE number = NEW.number))",
        ),
    ),
    4: (
        # SQLite cannot drop a primary key, so the limits move to a table without one.
        *(f"DROP TRIGGER sound_{deed}_limits" for deed in ("insert", "update")),
        "ALTER TABLE limits RENAME TO old_limits",
        NEW_LIMITS,
        "INSERT INTO limits SELECT dataset, epsilon, delta, neighboring FROM old_limits"
        " WHERE dataset IS NOT NULL",
        "DROP TABLE old_limits",
        "CREATE INDEX limits_of ON limits (dataset)",
        _only("limits", "insert", sound_limit(_NUMBER, _TEXT, "NEW.")),
        _only("limits", "update", sound_limit(_NUMBER, _TEXT, "NEW.")),
        UNITS,
        *_guard_triggers("units"),
        _only(
            "units",
            "insert",
            sound_units(_TEXT, "NEW.")
            + " AND typeof(NEW.most) = 'integer' AND typeof(NEW.entries) = 'integer'",
        ),
    ),
}
