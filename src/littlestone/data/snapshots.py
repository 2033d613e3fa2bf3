"""One state of a table of DuckDB, PostgreSQL or Spark, and the SQL of its columns."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from contextlib import AbstractContextManager, contextmanager, suppress
from typing import TYPE_CHECKING, Any, Self

from littlestone.data.sql_dialects import TableInfo
from littlestone.data.step_functions import (
    SPACES,
    Numerics,
    Order,
    Steps,
    TypedColumn,
    bits,
    days,
    fixed_point,
    floats,
    truths,
)
from littlestone.data.stored import Rows, Snapshot

if TYPE_CHECKING:
    from sqlalchemy import Connection

Errors = Callable[[], AbstractContextManager[None]]
"""Replaces the errors of an engine, whose words may quote a record."""


def _quote(text: str) -> str:
    return "'" + text.replace("'", "''") + "'"


_FILLED = f"[^{SPACES}]"


def _plain_column(name: str, order: Order | None, value: str = "", **texts: Any) -> TypedColumn:
    """A column of that quoted name whose values are present unless they are NULL."""
    return TypedColumn(value or name, f"{name} IS NOT NULL", order, **texts)


_DUCKDB = {
    **{f"{sign}{kind}": bits(width, f"{sign}{kind}".upper(), signed=not sign)
       for kind, width in (("tinyint", 8), ("smallint", 16), ("integer", 32), ("bigint", 64),
                           ("hugeint", 128)) for sign in ("", "u")},
    "boolean": truths(),
}  # fmt: skip


class DuckDbSnapshot(Snapshot):
    """A transaction of the connection that a table of DuckDB belongs to."""

    def __init__(self, table: Any, errors: Errors) -> None:
        self._table, self._errors = table, errors
        self._types = dict(zip(table.columns, table.types, strict=True))

    @classmethod
    @contextmanager
    def open(cls, table: Any, errors: Errors) -> Iterator[Self]:
        """A new transaction, or the one that its owner has begun."""
        from duckdb import Error as DuckDbError

        with errors():
            # Asked twice, because a BEGIN inside of a transaction would end that.
            one, other = (table.query("_", "SELECT txid_current()").fetchall() for _ in range(2))
            begun = one != other
            if begun:
                table.query("_", "BEGIN TRANSACTION")
        try:
            yield cls(table, errors)
        finally:
            if begun:  # nothing was written; after an error its owner must end it
                with suppress(DuckDbError):
                    table.query("_", "ROLLBACK")

    def column(self, name: str) -> TypedColumn | None:
        kind, name = self._types[name], '"' + name.replace('"', '""') + '"'
        if kind.id in ("varchar", "enum"):
            value = f'CAST({name} AS VARCHAR) COLLATE "C"'
            filled = f"regexp_matches({value}, '{_FILLED}')"
            return _plain_column(name, None, value, quote=_quote, text=value, filled=filled)
        if kind.id in ("float", "double"):
            value = f"CAST({name} AS DOUBLE)"
            order = floats(64 if kind.id == "double" else 32, "DOUBLE")
            return TypedColumn(value, f"NOT isnan({value})", order)
        if kind.id in ("date", "timestamp"):
            sort = kind.id.upper()
            known = f"{name} >= {sort} '0001-01-01' AND {name} < {sort} '10000-01-01'"
            return TypedColumn(name, known, days(sort))
        if kind.id == "decimal":
            return _plain_column(name, fixed_point(**dict(kind.children)))
        other = _DUCKDB.get(kind.id)
        text = "" if kind.id == "boolean" else f"CAST({name} AS VARCHAR)"
        return None if other is None else _plain_column(name, other, text=text)

    hashed = "CAST(concat('0x', substr(md5({}), 1, 15)) AS BIGINT)"

    def narrow(self, selected: Sequence[str], where: str = "") -> None:
        with self._errors():
            rows = self._table.filter(where) if where else self._table
            self._table = rows.project(", ".join(selected))

    def query(self, terms: Sequence[str], selected: str, grouped: str = "") -> Rows:
        named = ", ".join(f"{term} AS e{i}" for i, term in enumerate(terms))
        with self._errors():
            found: Rows = self._table.project(named).aggregate(selected, grouped).fetchall()
        return found


class PostgreSqlSnapshot(Snapshot):
    """A transaction that reads one state of a PostgreSQL server."""

    def __init__(self, connection: Connection, table: TableInfo, errors: Errors) -> None:
        self._connection, self._table, self._errors = connection, table, errors
        self._rows = table.name

    def column(self, name: str) -> TypedColumn | None:
        found = self._table.columns[name]
        name, kind = found.name, found.kind
        if kind == "text":
            filled = f"{found.value} ~ '{_FILLED}'"
            value = found.value
            return _plain_column(name, None, value, quote=_percent, text=value, filled=filled)
        if kind == "integer":
            text = f"CAST({name} AS pg_catalog.text)"
            return _plain_column(name, bits(64, "pg_catalog.int8"), text=text)
        if kind == "boolean":
            return _plain_column(name, truths())
        if kind in ("date", "datetime"):
            sort = "DATE" if kind == "date" else "TIMESTAMP"
            known = f"{name} >= {sort} '0001-01-01' AND {name} < {sort} '10000-01-01'"
            return TypedColumn(name, known, days(sort))
        if found.exact:
            return TypedColumn(name, f"{name} <> 'NaN'", Numerics())
        width = 32 if found.element.endswith("float4") else 64
        value = f"CAST({name} AS pg_catalog.float8)"
        return TypedColumn(value, f"{value} <> 'NaN'", floats(width, "pg_catalog.float8"))

    hashed = (
        "CAST(CAST(concat('x', substr(md5({}), 1, 15)) AS pg_catalog.bit(60)) AS pg_catalog.int8)"
    )

    def narrow(self, selected: Sequence[str], where: str = "") -> None:
        condition = f" WHERE {where}".replace("%", "%%") if where else ""
        self._rows = f"(SELECT {', '.join(selected)} FROM {self._rows}{condition}) AS t"

    def query(self, terms: Sequence[str], selected: str, grouped: str = "") -> Rows:
        named = ", ".join(f"{term} AS e{i}" for i, term in enumerate(terms))
        by = f" GROUP BY {grouped}" if grouped else ""
        statement = f"SELECT {selected} FROM (SELECT {named} FROM {self._rows}) AS t{by}"
        # An empty tuple, so that %% is one sign, as in quoted names.
        with self._errors():
            return [tuple(row) for row in self._connection.exec_driver_sql(statement, ())]


def _percent(text: str) -> str:
    return _quote(text).replace("%", "%%")


_SPARK = {
    "tinyint": bits(8, "TINYINT"),
    "smallint": bits(16, "SMALLINT"),
    "int": bits(32, "INT"),
    "bigint": bits(64, "BIGINT"),
    "boolean": truths(),
}


class SparkSnapshot(Snapshot):
    """A data frame of Spark, of which the numbers of cells and labels are computed once and kept.

    Spark would compute the frame anew for each question, from files that may have changed.  What is
    kept is cut off from them (`localCheckpoint`): if it is lost, a question fails.
    """

    def __init__(self, frame: Any, errors: Errors) -> None:
        self._frame, self._errors = frame, errors
        with errors():
            self._types = {field.name: field.dataType for field in frame.schema.fields}

    @classmethod
    @contextmanager
    def open(cls, frame: Any, errors: Errors) -> Iterator[Self]:
        """The frame, before anything of it is kept."""
        yield cls(frame, errors)

    def column(self, name: str) -> TypedColumn | None:
        own, name = self._types[name], "`" + name.replace("`", "``") + "`"
        kind = own.simpleString()
        if kind.startswith(("string", "varchar", "char")):
            value = f"CAST({name} AS BINARY)"
            filled = f"CAST({value} AS STRING) RLIKE '{_FILLED}'"
            return _plain_column(name, None, value, quote=_hex, damaged=True, filled=filled)
        if kind in ("float", "double"):
            value = f"CAST({name} AS DOUBLE)"
            order = floats(64 if kind == "double" else 32, "DOUBLE")
            return TypedColumn(value, f"{name} IS NOT NULL AND NOT isnan({value})", order)
        if kind.startswith("decimal"):
            return _plain_column(name, fixed_point(own.precision, own.scale))
        other = _SPARK.get(kind)
        text = f"CAST({name} AS STRING)" if kind.endswith("int") else ""
        return None if other is None else _plain_column(name, other, text=text)

    hashed = "CAST(conv(substr(md5({}), 1, 15), 16, 10) AS BIGINT)"
    fixed = False

    def narrow(self, selected: Sequence[str], where: str = "") -> None:
        with self._errors():
            rows = self._frame.where(where) if where else self._frame
            self._frame = rows.selectExpr(*selected)

    def settle(self, steps: Sequence[Steps], sizes: Sequence[int]) -> Sequence[Steps]:
        terms = [one.sql(range(size)) for one, size in zip(steps, sizes, strict=True)]
        self.narrow([f"CAST({term} AS SMALLINT) AS c{i}" for i, term in enumerate(terms)])
        with self._errors():
            self._frame = self._frame.localCheckpoint()
        return [Steps.of_numbers(f"c{i}", size) for i, size in enumerate(sizes)]

    def query(self, terms: Sequence[str], selected: str, grouped: str = "") -> Rows:
        named = (f"{term} AS e{i}" for i, term in enumerate(terms))
        by = f" GROUP BY {grouped}" if grouped else ""
        with self._errors():
            frame = self._frame.selectExpr(*named)
            found = frame.sparkSession.sql(f"SELECT {selected} FROM {{records}}{by}", records=frame)
            return [tuple(row) for row in found.collect()]


def _hex(text: str) -> str:
    return f"X'{text.encode().hex()}'"
