"""PostgreSQL and SQLite: which values each takes for equal, and how to have it compare bytes."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING, Any, ClassVar, NamedTuple

from littlestone.base.errors import SourceError, did_you_mean
from littlestone.data.table import DAYS, Kind

if TYPE_CHECKING:
    from sqlalchemy import Connection


class Column(NamedTuple):
    """How the values of a column are selected, and how they are compared."""

    value: str
    keys: tuple[str, ...]
    kind: Kind | None = None
    exact: bool = False
    """Whether the values are texts of decimals."""
    refused: str = ""
    """Why no values of the column can be read, or nothing."""
    element: str = ""
    """The type of an array whose elements the database compares as ``keys``, or nothing."""
    name: str = ""
    """Its quoted name."""


class TableInfo(NamedTuple):
    """A table as the database knows it."""

    name: str
    """Its quoted name."""
    columns: dict[str, Column]


class Dialect(ABC):
    """What one kind of database needs."""

    title: ClassVar[str]

    def __init__(self, quote: Callable[[str], str]) -> None:
        self.quote = quote

    @abstractmethod
    def begin_transaction(self, connection: Connection) -> None:
        """Begin a transaction that sees one state of the database."""

    @abstractmethod
    def tables(self, connection: Connection) -> list[tuple[str, str, str]]:
        """The schema, the name and the kind of all tables and views; a base table is a ``table``."""

    @abstractmethod
    def columns(self, connection: Connection, schema: str, name: str) -> dict[str, Column]:
        """The columns of a base table; raises `SourceError` if it cannot be read record by record."""

    def find_table(self, connection: Connection, table: str, asked: str) -> TableInfo:
        """The base table of that name, with or without its schema; raises `SourceError` for another."""
        schema, name = base_table(self.tables(connection), table, asked)
        quoted = f"{self.quote(schema)}.{self.quote(name)}"
        return TableInfo(quoted, self.columns(connection, schema, name))


def base_table(known: Sequence[tuple[str, str, str]], table: str, asked: str) -> tuple[str, str]:
    """The schema and the name of the only base table that is called ``table``.

    Raises `SourceError` unless exactly one base table has this name.  A view is refused, because one
    record of a table can change many of its rows.

    >>> base_table([("main", "visits", "table"), ("old", "visits", "view")], "main.visits", "read")
    ('main', 'visits')
    """
    named = [(s, n, kind) for s, n, kind in known if table in (n, f"{s}.{n}")]
    if len(named) != 1:
        names = (f"{s}.{n}" if "." in table else n for s, n, kind in known if kind == "table")
        raise SourceError(
            asked,
            found="several tables have that name" if named else "there is no such table",
            fix=f"name it with its schema, such as {named[0][0]}.{named[0][1]}"
            if named
            else did_you_mean(table, names, "name one of its tables"),
        )
    ((schema, name, kind),) = named
    if kind != "table":
        raise SourceError(
            asked,
            found=f"it is a {kind}: one record of a table may become several rows there, or "
            "change other rows",
            fix="name the table itself",
        )
    return schema, name


_KINDS: dict[str, Kind] = {
    "bool": "boolean",
    "int2": "integer",
    "int4": "integer",
    "int8": "integer",
    "float4": "number",
    "float8": "number",
    "numeric": "number",
    "date": "date",
    "timestamp": "datetime",
    **dict.fromkeys(("text", "varchar", "bpchar", "name", "uuid", "citext"), "text"),
}


class PostgreSql(Dialect):
    """PostgreSQL: a text is grouped by its bytes, a ``numeric`` by its digits.

    Collations may be nondeterministic, ``citext`` ignores case, ``char(n)`` ignores spaces at the end,
    and 1.0 equals 1.00.  The collation "C" ignores nothing.
    """

    title = "PostgreSQL"

    def begin_transaction(self, connection: Connection) -> None:
        connection.execution_options(isolation_level="REPEATABLE READ", postgresql_readonly=True)
        # A policy may show a record because of another record, so reading fails where one applies.
        # With fewer digits, two floats would be read as one.  In another search path, count(*) and the
        # operators could be somebody's own.
        for setting in (
            "search_path = pg_catalog, pg_temp",
            "row_security = off",
            "extra_float_digits = 1",
            "client_encoding = 'UTF8'",
            "datestyle = 'ISO'",
            "standard_conforming_strings = on",
        ):
            connection.exec_driver_sql(f"SET LOCAL {setting}")

    def tables(self, connection: Connection) -> list[tuple[str, str, str]]:
        rows = connection.exec_driver_sql(
            """
            SELECT n.nspname, c.relname, CASE c.relkind WHEN 'v' THEN 'view'
                WHEN 'm' THEN 'materialized view' WHEN 'f' THEN 'foreign table' ELSE 'table' END
            FROM pg_catalog.pg_class c JOIN pg_catalog.pg_namespace n ON n.oid = c.relnamespace
            WHERE c.relkind IN ('r', 'p', 'v', 'm', 'f')
                AND n.nspname NOT IN ('pg_catalog', 'information_schema', 'pg_toast')
            ORDER BY n.nspname, c.relname
            """
        )
        return [(schema, name, kind) for schema, name, kind in rows]

    def columns(self, connection: Connection, schema: str, name: str) -> dict[str, Column]:
        (encoding, hidden, foreign), *_ = connection.exec_driver_sql(
            """
            WITH RECURSIVE parts AS (
                SELECT c.oid, c.relkind
                FROM pg_catalog.pg_class c JOIN pg_catalog.pg_namespace n ON n.oid = c.relnamespace
                WHERE n.nspname = %s AND c.relname = %s
                UNION SELECT c.oid, c.relkind
                FROM pg_catalog.pg_class c JOIN pg_catalog.pg_inherits i ON i.inhrelid = c.oid
                    JOIN parts p ON p.oid = i.inhparent
            )
            SELECT pg_catalog.current_setting('server_encoding'),
                pg_catalog.bool_or(pg_catalog.row_security_active(oid)),
                pg_catalog.bool_or(relkind = 'f')
            FROM parts
            """,
            (schema, name),
        )
        _refuse_if(
            encoding != "UTF8",
            name,
            f"the database keeps texts in {encoding}, and not all of them can be read as UTF-8",
            "copy the table to a database that was made WITH ENCODING 'UTF8'",
        )
        _refuse_if(
            bool(hidden),
            name,
            "row-level security chooses which of its records you see, and its choice may depend "
            "on other records",
            "ask for a role with BYPASSRLS, or for a copy of the table",
        )
        _refuse_if(
            bool(foreign),
            name,
            "one of its partitions is a foreign table, which may be a view elsewhere",
            "copy it to a table without that partition",
        )
        rows = connection.exec_driver_sql(
            """
            SELECT a.attname, t.typname, coalesce(b.typtype, t.typtype), b.typname,
                m.nspname = 'pg_catalog', EXISTS (
                    SELECT FROM pg_catalog.pg_depend d JOIN pg_catalog.pg_extension e
                        ON d.refclassid = 'pg_catalog.pg_extension'::pg_catalog.regclass
                        AND d.refobjid = e.oid
                    WHERE d.classid = 'pg_catalog.pg_type'::pg_catalog.regclass
                        AND d.objid = coalesce(b.oid, t.oid) AND e.extname = 'citext'
                ), EXISTS (
                    SELECT FROM pg_catalog.pg_cast k JOIN pg_catalog.pg_proc p ON p.oid = k.castfunc
                        JOIN pg_catalog.pg_namespace o ON o.oid = p.pronamespace
                    WHERE k.castsource = coalesce(b.oid, t.oid)
                        AND k.casttarget = 'pg_catalog.text'::pg_catalog.regtype
                        AND o.nspname <> 'pg_catalog'
                ), pg_catalog.has_column_privilege(c.oid, a.attnum, 'SELECT'),
                coalesce(pg_catalog.to_jsonb(a) OPERATOR(pg_catalog.->>) 'attgenerated', '') = 'v'
            FROM pg_catalog.pg_attribute a JOIN pg_catalog.pg_class c ON c.oid = a.attrelid
                JOIN pg_catalog.pg_namespace n ON n.oid = c.relnamespace
                JOIN pg_catalog.pg_type t ON t.oid = a.atttypid
                LEFT JOIN pg_catalog.pg_type b ON b.oid = t.typbasetype AND t.typtype = 'd'
                JOIN pg_catalog.pg_namespace m ON m.oid = coalesce(b.typnamespace, t.typnamespace)
            WHERE n.nspname = %s AND c.relname = %s AND a.attnum > 0 AND NOT a.attisdropped
            ORDER BY a.attnum
            """,
            (schema, name),
        )
        return {column: self._column(column, *types) for column, *types in rows}

    def _column(
        self,
        name: str,
        own: str,
        sort: str,
        base: str | None,
        builtin: bool,
        citext: bool,
        cast: bool,
        allowed: bool,
        virtual: bool,
    ) -> Column:
        type_name, value = base or own, self.quote(name)
        kind: Kind | None = "text" if sort == "e" else _KINDS.get(type_name)
        if not builtin and not (sort == "e" or (citext and type_name == "citext")):
            kind = None
        refused = "" if kind else f"its declared type is {own}, not a number or a text"
        if cast:  # a function of the owner's own may look at other records
            refused = f"a user-defined function turns its type {own} into text"
        if virtual:  # version 18 may fail to compute one for some record
            refused = "the server computes it from other columns when it is read"
        if not allowed:
            refused = "you do not have the right to read it: there is no GRANT SELECT"
        element = f"pg_catalog.{type_name}"
        if kind == "text" or type_name == "numeric":
            value = f'CAST({value} AS pg_catalog.text) COLLATE pg_catalog."C"'
            element = "pg_catalog.text"
        if kind in DAYS:  # Python has no days before the year 1 or after 9999, and no infinite ones
            known = f"{value} >= '0001-01-01' AND {value} < '10000-01-01'"
            day = f"CAST(CAST({value} AS pg_catalog.date) AS pg_catalog.text)"
            value = f'CASE WHEN {known} THEN {day} COLLATE pg_catalog."C" END'
            element = ""
        return Column(
            value, (value,), kind, type_name == "numeric", refused, element, self.quote(name)
        )


class Sqlite(Dialect):
    """SQLite, where each value has a type of its own: it is grouped by its type, then by its bytes."""

    title = "SQLite"

    def begin_transaction(self, connection: Connection) -> None:
        raw: Any = connection.connection.dbapi_connection
        # A text need not be UTF-8, and the default would raise and quote it.
        raw.text_factory = lambda text: text.decode("utf-8", "replace")
        connection.exec_driver_sql("BEGIN")

    def tables(self, connection: Connection) -> list[tuple[str, str, str]]:
        rows = connection.exec_driver_sql(
            "SELECT schema, name, CASE type WHEN 'virtual' THEN 'virtual table' ELSE type END "
            "FROM pragma_table_list WHERE name NOT LIKE 'sqlite@_%' ESCAPE '@' ORDER BY 1, 2"
        )
        return [(schema, name, kind) for schema, name, kind in rows]

    def columns(self, connection: Connection, schema: str, name: str) -> dict[str, Column]:
        rows = connection.exec_driver_sql(
            "SELECT name, hidden FROM pragma_table_xinfo(?, ?)", (name, schema)
        )
        return {column: self._column(self.quote(column), hidden) for column, hidden in rows}

    @staticmethod
    def _column(value: str, hidden: int) -> Column:
        keys = f"typeof({value})", f"{value} COLLATE BINARY"
        computed = hidden == 2  # SQLite's number for it
        refused = (
            "it is computed when it is read, and a record can make that fail" if computed else ""
        )
        return Column(value, keys, refused=refused)


DIALECTS: dict[str, type[Dialect]] = {
    "postgresql+psycopg": PostgreSql,
    "sqlite+pysqlite": Sqlite,
}
"""By SQLAlchemy's names of a database and its driver."""


def _refuse_if(wrong: bool, name: str, found: str, fix: str) -> None:
    if wrong:
        raise SourceError(f"read the table {name}", found=found, fix=fix)
