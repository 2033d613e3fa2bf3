"""Tables of databases by the database's address or file, and the name of the table."""

from __future__ import annotations

import os
import sqlite3
from importlib.util import find_spec
from typing import Any
from urllib.parse import quote

from littlestone.base.addresses import (
    ADDRESSES,
    flaw,
    for_libpq,
    kind_of_file,
    options,
    public,
    redact_error,
)
from littlestone.base.errors import SourceError, install_command
from littlestone.data.lazy_frames import LazyTable
from littlestone.data.sql import SqlTable
from littlestone.data.sql_dialects import base_table
from littlestone.data.table import Table

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
    require("sqlalchemy", "SQLAlchemy", "postgresql", shown)
    require("psycopg", "psycopg", "postgresql", shown)
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
    require("sqlalchemy", "SQLAlchemy", "sqlite", path)
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
    require("duckdb", "duckdb", "duckdb", path)
    import duckdb

    asked = f"read {table} of {path}"
    try:
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
    except duckdb.Error:
        raise SourceError(
            asked,
            found="DuckDB cannot open it: another program writes to it, it is damaged, or of a newer "
            "version",
            fix="close the other program, or update the package duckdb",
        ) from None
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
            fix="name it: --table public.visits; in Python open_table(database, 'public.visits')",
        )


def require(module: str, package: str, extra: str, what: str) -> None:
    """Raise `SourceError` unless the driver is installed; ``extra`` installs it."""
    if find_spec(module) is None:
        raise SourceError(
            f"read {what}",
            found=f"the package {package} is not installed",
            fix=f"install it: {install_command(extra)}",
        )
