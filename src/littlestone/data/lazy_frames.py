"""Lazy frames of polars, DuckDB and Spark: the engine counts equal rows, and nothing else.

The engine groups by the bytes of a text and never by what a collation takes for equal.  Decimals and
whole numbers of 128 bits are grouped as texts.  For all other types an engine merges equal numbers, and
every domain and every label reads equal numbers alike (docs/proofs/engines.md).
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from contextlib import AbstractContextManager
from decimal import Decimal
from functools import partial
from typing import TYPE_CHECKING, Any

import narwhals as nw
import numpy as np

from littlestone.base.discovery import replace_errors
from littlestone.base.errors import TableError
from littlestone.data.coding import Alike, CodedColumn, Codes, Function, RowGroups
from littlestone.data.frames import FrameTable, kind_of, require_scalar
from littlestone.data.table import DAYS, NAMED, ColumnarTable, Kind

if TYPE_CHECKING:
    from littlestone.data.stored import Snapshot


class DaskTable(ColumnarTable):
    """A data frame of Dask.

    A partition is a frame of pandas, and `FrameTable` counts its rows.  So no rows are grouped by
    Dask, whose partitions may have other types than it declares.  All partitions are computed at once.
    """

    def __init__(self, frame: Any, *, name: str = "the data frame") -> None:
        self.name, self._frame = name, frame
        with engine_errors("Dask", name):
            self._schema = FrameTable(frame._meta, name=name)
        self.columns = self._schema.columns

    def require(self, column: str, fix: str = NAMED, *, days: bool = False) -> None:
        self._schema.require(column, fix, days=days)
        declared = self._frame._meta[column].dtype
        # One missing value makes a partition one of floats, which rounds the others' numbers.
        if not days and str(declared) in ("int64", "uint64"):
            nullable = str(declared).replace("i", "I", 1).replace("u", "U", 1)
            raise TableError(
                f"read column {column!r} of {self.name}",
                found=f"its type is {declared}, and Dask rounds such numbers beside a missing value",
                fix=f"declare a type that may be missing where you read it: dtype={{{column!r}: "
                f"{nullable!r}}}, or frame.astype() if none is missing",
            )

    def kind(self, column: str) -> Kind | None:
        return self._schema.kind(column)

    def _compute(self, function: Any, columns: Sequence[str]) -> Iterator[Any]:
        """What the function returns for each partition, in their order."""
        with engine_errors("Dask", self.name):
            import dask

            wanted = self._frame[list(dict.fromkeys(columns))]
            # Each partition is coded where it is, and only the columns that are asked for are read.
            tasks = [dask.delayed(function)(part, columns) for part in wanted.to_delayed()]
            found = dask.compute(*tasks)
        for part in found:
            yield from part

    def groups(self, columns: Sequence[str], alike: Function | None = None) -> Iterator[RowGroups]:
        return self._compute(_groups, columns)

    def batches(self, columns: Sequence[str]) -> Iterator[list[CodedColumn]]:
        return self._compute(_batches, columns)


def _groups(part: Any, columns: Sequence[str]) -> list[RowGroups]:
    return list(FrameTable(part).groups(columns))


def _batches(part: Any, columns: Sequence[str]) -> list[list[CodedColumn]]:
    return list(FrameTable(part).batches(columns))


TEXTS = (nw.String, nw.Categorical, nw.Enum)
"""Types whose values are texts."""

_EXACT = (nw.Decimal, nw.Int128, nw.UInt128)  # engines hand these over in other ways, or rounded
_BATCH = 2**17  # rows that DuckDB hands over at once
_LISTED = 2**26  # records whose labels DuckDB may hold in memory


class LazyTable(ColumnarTable):
    """A lazy frame of polars or Spark, or a table of DuckDB.

    Its records are the rows of the frame, however it was made.  The engine runs the frame once, in one
    statement, so all counts are of one state of the data.
    """

    def __init__(self, frame: Any, *, name: str = "the data frame") -> None:
        self.name, self._native = name, frame
        self._frame = nw.from_native(frame)
        self._engine = {"POLARS": "polars", "DUCKDB": "DuckDB"}.get(
            self._frame.implementation.name, "Spark"
        )
        self.ordered = self._engine != "Spark"
        # A record must be a row (docs/proofs/engines.md, "What else must hold").
        if self._engine == "DuckDB" and frame.type != "TABLE_RELATION":
            raise TableError(
                f"read {name}",
                found="it is a view or a query of DuckDB: one record of a table may become "
                "several rows there, or change other rows",
                fix="give a table: connection.table('visits'); a query can be stored in one by "
                "CREATE TABLE visits AS ...",
            )
        with engine_errors(self._engine, name):
            self._computed: set[str] = set()
            if self._engine == "DuckDB":
                _require_own_functions(frame, name)
                self._computed = _computed_columns(frame)
            self._types = dict(self._frame.collect_schema())
        self.columns = tuple(self._types)

    def require(self, column: str, fix: str = NAMED, *, days: bool = False) -> None:
        super().require(column, fix)
        if column in self._computed:
            raise TableError(
                f"read column {column!r} of {self.name}",
                found="it is computed when it is read, and a record can make that fail",
                fix="name a column that is stored, or store this one: CREATE TABLE ... AS SELECT ...",
            )
        dtype = self._types[column]
        # Spark has calendars and zones of its own.
        if not days or self.kind(column) not in DAYS or self._engine == "Spark":
            require_scalar(self, column, nw.Unknown() if dtype == nw.Object else dtype)

    def kind(self, column: str) -> Kind | None:
        dtype = self._types.get(column)
        return None if dtype is None else kind_of(dtype, TEXTS)

    def snapshot(self) -> AbstractContextManager[Snapshot] | None:
        from littlestone.data.snapshots import DuckDbSnapshot, SparkSnapshot

        open_one = {"DuckDB": DuckDbSnapshot.open, "Spark": SparkSnapshot.open}.get(self._engine)
        errors = partial(engine_errors, self._engine, self.name)
        return None if open_one is None else open_one(self._native, errors)

    def groups(self, columns: Sequence[str], alike: Function | None = None) -> Iterator[RowGroups]:
        with engine_errors(self._engine, self.name):
            # The three ways give the same sample (docs/proofs/engines.md, "Labels that are alike").
            if alike is not None and self._engine == "polars":
                yield from self._groups_by_number(columns, Alike(alike))
            elif alike is not None and self._lists(columns[-1]):
                yield from self._groups_with_lists(columns, Alike(alike))
            else:
                counted = nw.from_native(self._keys(columns)).group_by(*_names(columns))
                found = counted.agg(nw.len().alias("n")).collect("pyarrow").to_native()
                for *rows, counts in self._code_batches(found, columns, "n"):
                    yield RowGroups(rows, _whole(counts))

    def _groups_by_number(self, columns: Sequence[str], alike: Alike) -> Iterator[RowGroups]:
        """Groups of polars, which asks for the numbers of the last column while it computes."""
        import polars as pl
        from pyarrow import table

        *points, label = _names(columns)

        def numbers(values: pl.Series) -> pl.Series:
            batches = self._code_batches(table({"0": values.to_arrow()}), columns[-1:])
            found = [np.zeros(0, np.int64), *(alike(batch) for (batch,) in batches)]
            return pl.Series(np.concatenate(found))

        number = pl.col(label).map_batches(numbers, return_dtype=pl.Int64, is_elementwise=True)
        counted = self._keys(columns).with_columns(number).group_by(*points, label).agg(n=pl.len())
        found = counted.collect(engine="streaming").to_arrow()
        for *rows, codes, counts in self._code_batches(found, columns[:-1], label, "n"):
            yield RowGroups(
                [*rows, CodedColumn(alike.representatives, _whole(codes))], _whole(counts)
            )

    def _lists(self, column: str) -> bool:
        """Whether DuckDB is asked for lists of the values of a column, which it makes in memory."""
        few = self._engine == "DuckDB" and self.kind(column) != "text"
        return few and len(self._native) <= _LISTED

    def _groups_with_lists(self, columns: Sequence[str], alike: Alike) -> Iterator[RowGroups]:
        """Groups of DuckDB by the points alone, each with a list of the values of the last column.

        Where most rows are different, a group-by of fewer columns takes a fifth of the time.
        """
        from duckdb import ColumnExpression, FunctionExpression
        from pyarrow import Table as Arrow
        from pyarrow import table

        *points, label = _names(columns)
        together = FunctionExpression("list", ColumnExpression(label)).alias(label)
        by = ", ".join(f'"{name}"' for name in points)
        found = self._keys(columns).aggregate([*map(ColumnExpression, points), together], by)
        for batch in found.to_arrow_reader(_BATCH):
            (rows,) = self._code_batches(Arrow.from_batches([batch.select(points)]), columns[:-1])
            ends = np.cumsum(batch.column(label).value_lengths().to_numpy())
            listed, start = table({"0": batch.column(label).flatten()}), 0
            for (values,) in self._code_batches(listed, columns[-1:]):
                numbers = alike(values)
                stop = start + len(numbers)
                # How many values of each group this batch holds: a group may go on in the next.
                lengths = np.diff(np.clip(ends, start, stop), prepend=start)
                size = len(alike.representatives)
                counts = np.bincount(np.repeat(np.arange(len(ends)), lengths) * size + numbers)
                (found_at,) = np.nonzero(counts)
                row, codes = np.divmod(found_at, size)
                pairs = [CodedColumn(column.values, column.codes[row]) for column in rows]
                yield RowGroups(
                    [*pairs, CodedColumn(alike.representatives, codes)], counts[found_at]
                )
                start = stop

    def batches(self, columns: Sequence[str]) -> Iterator[list[CodedColumn]]:
        keys = self._keys(columns)
        if self._engine != "DuckDB":
            with engine_errors(self._engine, self.name):
                found = nw.from_native(keys).lazy().collect("pyarrow").to_native()
            yield from self._code_batches(found, columns)
            return
        from pyarrow import Table as Arrow

        with engine_errors(self._engine, self.name):
            for batch in keys.to_arrow_reader(_BATCH):
                yield from self._code_batches(Arrow.from_batches([batch]), columns)

    def _keys(self, columns: Sequence[str]) -> Any:
        """The native frame of these columns under the names 0, 1, ..., texts as bytes."""
        if self._engine == "polars":
            # A text of polars is its bytes.
            texts = (*TEXTS, *_EXACT)
            cast = {c: nw.col(c).cast(nw.String) for c in columns if self._types[c] in texts}
            named = (cast.get(c, nw.col(c)).alias(str(i)) for i, c in enumerate(columns))
            return self._frame.select(*named).to_native()
        with engine_errors(self._engine, self.name):
            key = _duckdb_key if self._engine == "DuckDB" else _spark_key
            typed = ((column, self._types[column]) for column in columns)
            return self._native.select(*(key(c, t).alias(str(i)) for i, (c, t) in enumerate(typed)))

    def _code_batches(
        self, found: Any, columns: Sequence[str], *more: str
    ) -> Iterator[list[CodedColumn]]:
        """What the engine found for the columns, and ``more`` of what it found, in batches."""
        from pyarrow import large_string
        from pyarrow.compute import cast

        for i, column in enumerate(columns):
            if self._types[column] in TEXTS:
                texts = cast(found[str(i)], large_string(), safe=False)  # it need not be UTF-8
                found = found.set_column(i, str(i), texts)
        exact = [i for i, column in enumerate(columns) if self._types[column] in _EXACT]
        for batch in FrameTable(found, name=self.name).batches([*_names(columns), *more]):
            for i in exact:
                batch[i] = decimals(batch[i])
            yield batch


def decimals(column: CodedColumn) -> CodedColumn:
    """A column of decimal texts as one of decimals, which have the same text whoever wrote them.

    >>> str(decimals(CodedColumn(["0.0000000", None], np.array([0, 1]))).values[0])
    '0E-7'
    """
    # Every value is a text that an engine wrote for a number of its own.
    values = [None if value is None else Decimal(str(value)) for value in column.values]
    return CodedColumn(values, column.codes)


def _whole(numbers: CodedColumn) -> Codes:
    """A column of whole numbers as an array."""
    values = (n if isinstance(n, int) else 0 for n in numbers.values)  # the last may be None
    return np.fromiter(values, np.int64, len(numbers.values))[numbers.codes]


def _names(columns: Sequence[str]) -> list[str]:
    return [str(i) for i in range(len(columns))]


def _require_own_functions(table: Any, name: str) -> None:
    """Raise `TableError` if the connection has macros that take the place of DuckDB's functions."""
    macros = table.query(
        "_",
        "SELECT function_name FROM duckdb_functions() WHERE NOT internal "
        "AND database_name IN (current_database(), 'temp') "
        "INTERSECT SELECT function_name FROM duckdb_functions() WHERE internal",
    )
    if macros.fetchall():
        raise TableError(
            f"read {name}",
            found="the connection has a macro with the name of a DuckDB function, so how a "
            "record is read may depend on other records",
            fix="drop the macro, or give the file: open_table('visits.duckdb', 'main.visits')",
        )


def _computed_columns(table: Any) -> set[str]:
    """The columns that DuckDB computes when it reads them, in any table of that name."""
    named = table.alias.replace("'", "''")
    found = table.query(
        "_",
        "SELECT column_name FROM information_schema.columns "
        f"WHERE is_generated = 'ALWAYS' AND table_name = '{named}'",
    )
    return {name for (name,) in found.fetchall()}


def _duckdb_key(column: str, dtype: nw.dtypes.DType) -> Any:
    from duckdb import ColumnExpression, SQLExpression

    if dtype in TEXTS:
        # In place of the column's own collation, or that of the connection, which may ignore case.
        quoted = column.replace('"', '""')
        return SQLExpression(f'CAST("{quoted}" AS VARCHAR) COLLATE "C"')
    key = ColumnExpression(column)
    return key.cast("VARCHAR") if dtype in _EXACT else key


def _spark_key(column: str, dtype: nw.dtypes.DType) -> Any:
    from pyspark.sql.functions import col

    key = col("`" + column.replace("`", "``") + "`")
    if dtype in TEXTS:
        return key.cast("binary")
    return key.cast("string") if dtype in _EXACT else key


def engine_errors(engine: str, name: str) -> AbstractContextManager[None]:
    """Replace whatever an engine raises: its words may quote a record.

    >>> with engine_errors("polars", "the data frame"):
    ...     1 / 0
    Traceback (most recent call last):
    littlestone.base.errors.TableError: cannot read the data frame: polars could not compute it
    to fix it: ...
    """

    def ours(_: BaseException) -> TableError:
        return TableError(
            f"read {name}",
            found=f"{engine} could not compute it",
            fix=(
                "compute it yourself to see why: a file may be missing, or a value may not fit "
                "its type"
            ),
        )

    return replace_errors(BaseException, ours)  # a panic in a Rust library is not an Exception
