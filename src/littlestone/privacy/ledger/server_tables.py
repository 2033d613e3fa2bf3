"""The tables of a ledger in PostgreSQL, and the steps that bring them from each format to the next."""

from __future__ import annotations

from littlestone.base.errors import LedgerError
from littlestone.privacy.ledger.common_tables import (
    ALIASES,
    COLUMNS,
    DENOMINATOR,
    FORMAT,
    LIMITS,
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
from littlestone.privacy.ledger.store import Connection

SCHEMA = "littlestone_ledger"

_NUMBER = f"{{}} ~ '^[0-9]{{{{1,{NUMERATOR}}}}}/[1-9][0-9]{{{{0,{DENOMINATOR - 1}}}}}$'"

_TEXT = r"{} !~ '[\u0001-\u001F\u007F-\u009F\u2028\u2029]'"  # what ends a line for some program


def _never(table: str) -> str:
    return (
        f"CREATE TRIGGER never BEFORE UPDATE OR DELETE OR TRUNCATE ON {table}"
        " FOR EACH STATEMENT EXECUTE FUNCTION refuse()"
    )


# By the format that each step starts from; the first format on a server was 2.
_STEPS = {
    0: (
        f"CREATE SCHEMA {SCHEMA}",
        "CREATE TABLE format (version INTEGER NOT NULL)",
        "INSERT INTO format VALUES (0)",
        LIMITS,
        f"CREATE TABLE entries (number BIGINT GENERATED ALWAYS AS IDENTITY PRIMARY KEY, {COLUMNS},"
        f" {', '.join(PART_COLUMNS)})",
        # A tree index would refuse long names.
        "CREATE INDEX datasets ON entries USING hash (dataset)",
        "CREATE FUNCTION refuse() RETURNS trigger LANGUAGE plpgsql AS"
        " 'BEGIN RAISE ''an entry of the ledger is never changed or deleted''; END'",
        _never("entries"),
    ),
    2: (
        ALIASES,
        SEEN,
        _never("aliases"),
        # Whoever may use the schema may read and add here, so no member needs further rights.
        "GRANT SELECT ON aliases TO PUBLIC",
        "GRANT SELECT, INSERT ON seen TO PUBLIC",
        # NOT VALID: the rule holds for new rows only.
        *(
            f"ALTER TABLE {table} ADD CONSTRAINT sound CHECK ({rule}) NOT VALID"
            for table, rule in (("aliases", sound_alias(_TEXT)), ("seen", sound_seen(_TEXT)))
        ),
    ),
    3: tuple(
        statement
        for table, rule in (
            ("limits", sound_limit(_NUMBER, _TEXT)),
            ("entries", sound_entry(_NUMBER, _TEXT)),
        )
        for statement in (
            # Format 3 had these rules for costs about one record replaced alone.
            f"ALTER TABLE {table} DROP CONSTRAINT IF EXISTS sound",
            f"ALTER TABLE {table} ADD CONSTRAINT sound CHECK ({rule}) NOT VALID",
        )
    ),
    4: (
        "ALTER TABLE limits DROP CONSTRAINT limits_pkey",
        "ALTER TABLE limits ALTER COLUMN dataset SET NOT NULL",
        "CREATE INDEX limits_of ON limits USING hash (dataset)",
        UNITS,
        f"ALTER TABLE units ADD CONSTRAINT sound CHECK ({sound_units(_TEXT)})",
        _never("units"),
        "GRANT SELECT ON units TO PUBLIC",
    ),
}


def prepare(transaction: Connection, asked: str, *, create: bool) -> bool:
    """Make missing tables, update old ones, and refuse other formats; whether all were missing."""
    (exists, encoding) = transaction.execute(
        f"SELECT to_regnamespace('{SCHEMA}') IS NOT NULL, current_setting('server_encoding')"
    ).fetchone()
    if not exists:
        if not create:
            raise LedgerError(asked, found="there is no ledger", fix="check the address")
        if encoding != "UTF8":
            raise LedgerError(
                asked,
                found=f"the database is written in {encoding}, which cannot hold every name",
                fix="use a database that was made WITH ENCODING 'UTF8'",
            )
    version = _version(transaction) if exists else 0
    if exists and not 2 <= version <= FORMAT:
        raise LedgerError(
            asked,
            found=f"it has format {version} and this version of littlestone reads {FORMAT}",
            fix="use the version of littlestone that wrote it",
        )
    for step in range(version, FORMAT):
        for statement in _STEPS.get(step, ()):
            transaction.execute(statement)
    if version != FORMAT:
        transaction.execute("UPDATE format SET version = :version", {"version": FORMAT})
    return not exists


def _version(transaction: Connection) -> int:
    (version,) = transaction.execute(f"SELECT version FROM {SCHEMA}.format").fetchone()
    return int(version)
