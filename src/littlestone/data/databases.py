"""Tables of databases by the database's address or file, and the name of the table.

Those of PostgreSQL and SQLite come through SQLAlchemy, and the database counts equal rows.  The
statement groups by values that the database compares byte by byte, so no collation, padding or
scale merges two values that a domain tells apart.  Everything is read by one statement, in one
transaction that sees one state of the database and cannot write.
"""

from __future__ import annotations

import os
import sqlite3
from collections.abc import Callable, Iterator, Sequence
from contextlib import AbstractContextManager, contextmanager
from datetime import date
from typing import TYPE_CHECKING, Any
from urllib.parse import quote

import numpy as np

from littlestone.base.addresses import (
    ADDRESSES,
    flaw,
    for_libpq,
    kind_of_file,
    options,
    public,
    redact_error,
)
from littlestone.base.discovery import replace_errors, require_package
from littlestone.base.errors import SourceError
from littlestone.data.coding import Alike, CodedColumn, Function, RowGroups, code_column
from littlestone.data.lazy_frames import LazyTable, decimals
from littlestone.data.sql_dialects import DIALECTS, Column, PostgreSql, TableInfo, base_table
from littlestone.data.table import DAYS, NAMED, ColumnarTable, Kind, Table

if TYPE_CHECKING:
    from sqlalchemy import Connection, Engine

    from littlestone.data.stored import Snapshot

_CONNECT = {  # an address may override these; see libpq's manual
    "connect_timeout": 10,
    "keepalives_idle": 30,
    "keepalives_interval": 10,
    "keepalives_count": 3,
    "client_encoding": "utf8",
}


def open_server(address: str, table: str | None) -> Table:
    """The base table of a PostgreSQL server at an address without a password."""
    found = flaw(address)
    if found is not None:
        raise SourceError("read the database", found=found, fix=ADDRESSES)
    shown = public(address)
    _require_table(table, shown)
    require_package("sqlalchemy", f"read {shown}", "postgresql", SourceError)
    require_package("psycopg", f"read {shown}", "postgresql", SourceError)
    import psycopg
    from sqlalchemy import create_engine
    from sqlalchemy.pool import NullPool

    given: dict[str, Any] = {n: v for n, v in _CONNECT.items() if n not in options(address)}

    def connect() -> Any:
        return psycopg.connect(for_libpq(address), **given)

    engine = create_engine(
        "postgresql+psycopg://", creator=connect, poolclass=NullPool, hide_parameters=True
    )
    return SqlTable(engine, str(table), name=shown, told=lambda error: redact_error(error, address))


def open_database_file(path: str, table: str | None) -> Table:
    """The base table of a SQLite or DuckDB file, which is not changed."""
    _require_table(table, path)
    if kind_of_file(path) == "DuckDB":
        return _open_duckdb(path, str(table))
    require_package("sqlalchemy", f"read {path}", "sqlite", SourceError)
    from sqlalchemy import create_engine
    from sqlalchemy.pool import NullPool

    uri = f"file:{quote(os.path.abspath(path))}?mode=ro"

    def connect() -> Any:
        return sqlite3.connect(uri, uri=True, check_same_thread=False)

    engine = create_engine("sqlite+pysqlite://", creator=connect, poolclass=NullPool)
    return SqlTable(engine, str(table), name=path, told=lambda error: " ".join(str(error).split()))


def open_engine(engine: Any, table: str | None) -> Table:
    """The base table of a database that an SQLAlchemy engine connects to."""
    shown = f"the {engine.dialect.name} database"
    _require_table(table, shown)
    return SqlTable(engine, str(table), name=shown, told=lambda error: type(error).__name__)


def _open_duckdb(path: str, table: str) -> Table:
    require_package("duckdb", f"read {path}", "duckdb", SourceError)
    import duckdb

    asked = f"read {table} of {path}"

    def ours(_: Exception) -> SourceError:
        return SourceError(
            asked,
            found="DuckDB cannot open it: another program writes to it, it is damaged, or of a newer "
            "version",
            fix="close the other program, or update the package duckdb",
        )

    with replace_errors(duckdb.Error, ours):
        # In a database of its own: macros that the file holds would take the place of DuckDB's own
        # functions, and could look at other records.
        connection = duckdb.connect()
        connection.execute(f"ATTACH {_quote(path)} AS read (TYPE duckdb, READ_ONLY)")
        rows = connection.execute(
            "SELECT schema_name, table_name, 'table' FROM duckdb_tables() "
            "WHERE NOT internal AND database_name = 'read' UNION ALL "
            "SELECT schema_name, view_name, 'view' FROM duckdb_views() "
            "WHERE NOT internal AND database_name = 'read'"
        ).fetchall()
    parts = ("read", *base_table(rows, table, asked))
    name = ".".join('"' + part.replace('"', '""') + '"' for part in parts)
    return LazyTable(connection.table(name), name=f"{table} of {path}")


def _quote(value: str) -> str:
    """A text as DuckDB writes it."""
    return "'" + value.replace("'", "''") + "'"


def _require_table(table: str | None, database: str) -> None:
    if not table:
        raise SourceError(
            f"read a table of {database}",
            found="nothing says which of its tables",
            fix="name it: --table visits, or with its schema public.visits; in Python "
            "open_table(database, 'visits')",
        )


_BATCH = 2**14  # rows that are fetched at once
_LISTED, _CHARACTERS = 2**12, 2**20  # of a column's values, sent back as parameters


class SqlTable(ColumnarTable):
    """A base table of a database that SQLAlchemy connects to.

    ``engine`` is one of PostgreSQL, through psycopg, or of SQLite.  Raises `SourceError` if the
    database cannot be reached, for a table that does not exist, and for a view.
    """

    ordered = False

    def __init__(
        self, engine: Engine, table: str, *, name: str, told: Callable[[Exception], str]
    ) -> None:
        dialect = DIALECTS.get(f"{engine.dialect.name}+{engine.dialect.driver}")
        if dialect is None:
            raise SourceError(
                f"read a table of {engine.dialect.name} through {engine.dialect.driver}",
                found="nothing is known about when that database treats two values as equal",
                fix="use PostgreSQL through psycopg (postgresql+psycopg://), SQLite or DuckDB, or save "
                "the table as a Parquet file",
            )
        self.name, self._engine, self._table, self._told = f"{table} of {name}", engine, table, told
        self._dialect = dialect(engine.dialect.identifier_preparer.quote_identifier)
        with self._snapshot() as (_, found):
            self._found = found
        self.columns = tuple(found.columns)

    def require(self, column: str, fix: str = NAMED, *, days: bool = False) -> None:
        super().require(column, fix)
        kind, refused = self._found.columns[column].kind, self._found.columns[column].refused
        if kind in DAYS and not days:
            refused = f"its declared type is a {kind}, not a number or a text"
        if refused:
            raise SourceError(
                f"read column {column!r} of {self.name}",
                found=refused,
                fix="name a column of numbers or texts that you may read; declare days by their range",
            )

    def kind(self, column: str) -> Kind | None:
        return self._found.columns[column].kind

    def groups(self, columns: Sequence[str], alike: Function | None = None) -> Iterator[RowGroups]:
        read = [self._found.columns[column] for column in columns]
        given: list[Any] = []
        # Values are sent to the database only if no log of SQLAlchemy shows them.
        if alike is not None and read[-1].element and self._engine.hide_parameters:
            read[-1], given = self._merge_alike(read[-1], len(read), Alike(alike))
        keys = dict.fromkeys(key for column in read for key in column.keys)
        grouped = f" GROUP BY {', '.join(keys)}"
        for *rows, counts in self._fetch(read, "count(*)", grouped, given):
            yield RowGroups(_columns(read, rows), np.array(counts, np.int64))

    def _merge_alike(self, column: Column, place: int, alike: Alike) -> tuple[Column, list[Any]]:
        """The column with one value in place of those that are alike, and the statement's parameters.

        Its values are asked for by a statement of their own.  What comes of a value does not depend on
        which others there were, so the database may change in between.
        """
        by = f" GROUP BY {', '.join(column.keys)} LIMIT {_LISTED + 1}"
        values = [value for (batch,) in self._fetch([column], grouped=by) for value in batch]
        size = sum(len(value) for value in values if isinstance(value, str))
        # Then the database groups by the raw values; the sample is the same
        # (docs/proofs/engines.md, "Labels that are alike").
        if not 2 < len(values) <= _LISTED or size > _CHARACTERS:
            return column, []
        (found,) = _columns([column], [tuple(values)])
        numbers, cases, given = alike(found).tolist(), "", list[Any]()
        for number in range(len(alike.representatives)):
            same = [v for v, n in zip(values, numbers, strict=True) if n == number]
            texts = [str(v) for v in same if v is not None]
            if len(same) > 1:
                missing = f" OR {column.value} IS NULL" if None in same else ""
                cases += f" WHEN {column.value} = ANY (%s::{column.element}[]){missing}"
                cases += f" THEN %s::{column.element}"
                given += [texts, texts[0]]
        value = f"CASE{cases} ELSE {column.value} END" if cases else column.value
        return column._replace(value=value, keys=(str(place),)), given

    def batches(self, columns: Sequence[str]) -> Iterator[list[CodedColumn]]:
        read = [self._found.columns[column] for column in columns]
        for rows in self._fetch(read):
            yield _columns(read, rows)

    def _fetch(
        self,
        read: Sequence[Column],
        more: str = "",
        grouped: str = "",
        given: Sequence[Any] = (),
    ) -> Iterator[list[tuple[Any, ...]]]:
        """What one statement selects, column by column, in batches."""
        selected = [column.value for column in read] + ([more] if more else [])
        statement = f"SELECT {', '.join(selected)} FROM {self._found.name}{grouped}"
        with self._opened_table() as connection:
            streamed = connection.execution_options(stream_results=True, max_row_buffer=_BATCH)
            result = streamed.exec_driver_sql(statement, tuple(given))
            while batch := result.fetchmany(_BATCH):
                yield list(zip(*batch, strict=True))

    def snapshot(self) -> AbstractContextManager[Snapshot] | None:
        # A column of SQLite holds values of several types, which have no one order.
        return self._postgresql() if isinstance(self._dialect, PostgreSql) else None

    @contextmanager
    def _postgresql(self) -> Iterator[Snapshot]:
        from littlestone.data.snapshots import PostgreSqlSnapshot

        with self._opened_table() as connection:
            yield PostgreSqlSnapshot(connection, self._found, self._errors)

    @contextmanager
    def _opened_table(self) -> Iterator[Connection]:
        """A transaction that sees one state of the database, where the table is as it was opened."""
        with self._snapshot() as (connection, found):
            # Read in the same transaction as the records, so no change of the table comes between.
            if found != self._found:
                raise SourceError(
                    f"read {self.name}",
                    found="its columns were changed since it was opened",
                    fix="try again",
                )
            yield connection

    @contextmanager
    def _snapshot(self) -> Iterator[tuple[Connection, TableInfo]]:
        """A transaction that sees one state of the database, and the table as it is there."""
        with self._errors(connected=False):
            connection = self._engine.connect()
        with self._errors(), connection:
            self._dialect.begin_transaction(connection)
            yield (
                connection,
                self._dialect.find_table(connection, self._table, f"read {self.name}"),
            )
            # Nothing was written.
            connection.rollback()

    def _errors(self, *, connected: bool = True) -> AbstractContextManager[None]:
        """Replace the errors of the database."""
        return replace_errors(Exception, lambda error: self._error_of_database(error, connected))

    def _error_of_database(self, raised: Any, connected: bool) -> SourceError:
        """The error that replaces one of the database, whose words may quote a record."""
        error = getattr(raised, "orig", None) or raised
        code = getattr(error, "sqlstate", None) or getattr(error, "sqlite_errorname", None)
        found = f"{self._dialect.title} stopped with an error {code or ''}".rstrip()
        if not connected:  # there was no record yet
            found = f"{self._dialect.title} says: {self._told(error)}"
        fix = "check the address, and that the database can be reached and answers"
        found, fix = _STOPPED.get(str(code), (found, fix))
        return SourceError(f"read {self.name}", found=found, fix=fix)


# By SQLSTATE, or by SQLite's name of an error: what is said of it, and what to do.
_STOPPED = {
    "42501": (
        "you do not have the right to read it",
        "ask its owner for GRANT SELECT on these columns",
    ),
    "57014": ("the server stopped the statement", "ask for a larger statement_timeout"),
    "55P03": ("another program has locked it", "try again"),
    "SQLITE_BUSY": ("another program has locked it", "try again"),
    "SQLITE_NOTADB": ("it is encrypted, or not a SQLite database", "decrypt it first"),
}


def _columns(read: Sequence[Column], rows: Sequence[tuple[Any, ...]]) -> list[CodedColumn]:
    columns = map(code_column, rows)
    return [_decode(r, c) for r, c in zip(read, columns, strict=True)]


def _decode(column: Column, found: CodedColumn) -> CodedColumn:
    if column.kind in DAYS:
        days = [None if day is None else date.fromisoformat(str(day)) for day in found.values]
        return CodedColumn(days, found.codes)
    return decimals(found) if column.exact else found
