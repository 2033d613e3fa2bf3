"""Data frames of any library, and Parquet files, as tables."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from datetime import date
from pathlib import Path
from typing import Any

import narwhals as nw
import numpy as np
from narwhals.exceptions import DuplicateError

from littlestone.base.discovery import replace_errors
from littlestone.base.errors import TableError
from littlestone.base.work import stage
from littlestone.data.coding import CodedColumn, LazyValues, code_column, from_arrow
from littlestone.data.table import NAMED, READABLE, Kind, Row, Table, replace_damage

# Types that Arrow stores the same way in every library; other types depend on the library.
_NUMBERS = (
    *(nw.Int8, nw.Int16, nw.Int32, nw.Int64, nw.UInt8, nw.UInt16, nw.UInt32, nw.UInt64),
    *(nw.Boolean, nw.Float32, nw.Float64),
)

_BATCH = 2**18  # records per batch: bounded memory and few partial groups


def shortest(value: Any, width: int) -> Any:
    """A float of ``width`` bits in its shortest decimal form: 0.29, not 0.28999999165534973.

    Any other value, such as a missing one, is returned as it is.
    """
    if not isinstance(value, float | np.floating):
        return value
    return float(str(np.float16(value) if width == 16 else np.float32(value)))


class FrameTable(Table):
    """A pandas, polars or pyarrow frame, or any other frame that narwhals reads."""

    def __init__(self, frame: object, *, name: str = "the data frame") -> None:
        self.name = name
        try:
            self._frame: nw.DataFrame[Any] = nw.from_native(frame, eager_only=True)
        except TypeError:
            raise TableError(
                f"read a table from an object of type {type(frame).__name__}",
                found="it is neither a file name nor a data frame",
                fix="give a path, or a pandas, polars or pyarrow frame",
            ) from None
        except DuplicateError as error:
            raise TableError(
                f"read {name}",
                found="of its columns, two have one name: " + " ".join(str(error).split()),
                fix="give every column a name of its own",
            ) from None
        self._arrow = self._frame.implementation.is_pyarrow()
        for column in self._frame.columns if self._arrow else ():
            # narwhals calls the values of any Arrow dictionary categories, and it cannot group a
            # column whose chunks have different dictionaries.
            stored = self._frame[column].to_native()
            if hasattr(stored.type, "index_type"):
                plain = nw.from_native(stored.cast(stored.type.value_type), series_only=True)
                self._frame = self._frame.with_columns(plain.alias(column))
        self.columns = tuple(self._frame.columns)

    def require(self, column: str, fix: str = NAMED, *, days: bool = False) -> None:
        super().require(column, fix)
        native, dtype = self._frame[column].to_native(), self._dtype(column)
        if not days or not _is_day(dtype):
            require_scalar(self, column, dtype, getattr(native, "dtype", None))

    def holds_numbers(self, column: str) -> bool:
        """Whether the declared type of a column holds numbers or truth values."""
        dtype = self._dtype(column)
        return dtype.is_numeric() or dtype == nw.Boolean

    def kind(self, column: str) -> Kind | None:
        # The categories of pandas may be numbers, and other libraries' are texts.
        return kind_of(self._dtype(column), (nw.String,))

    def rows(self, columns: Sequence[str]) -> Iterator[Row]:
        return zip(*map(self._values, columns), strict=True)

    def _values(self, column: str) -> list[Any]:
        series = self._frame[column]
        if self._in_arrow(column):
            return self._texts(column).to_list()
        dtype = self._dtype(column)
        if _is_day(dtype):
            return self._days(column).to_list()
        values = series.to_list()
        if dtype in (nw.Float16, nw.Float32):
            width = 16 if dtype == nw.Float16 else 32
            return [shortest(value, width) for value in values]
        return values

    def _texts(self, column: str) -> CodedColumn:
        # Arrow does not check in advance that texts are UTF-8, and fails when it decodes a bad one.
        from pyarrow import large_binary, large_string

        stored = self._whole(column, large_string()).cast(large_binary()).dictionary_encode()
        texts = LazyValues(stored.dictionary, _decode, "utf-8", [None], lambda raw: raw)
        # A missing value has the code of the None at the end.
        return CodedColumn(texts, from_arrow(stored.indices, len(texts.raw)))

    def _days(self, column: str) -> CodedColumn:
        """The days of a column of dates or times; one outside the calendar counts as missing."""
        from pyarrow import int32, int64

        stored = self._whole(column)
        kind = str(stored.type)
        # Dates are stored as days since 1970, and times in the unit of their type.
        numbers = (stored.cast(int32()) if kind == "date32[day]" else stored).cast(int64())
        known = from_arrow(numbers.is_valid().cast(int32()))
        # Rounding down, so that times before 1970 stand on their own day too.
        counts = from_arrow(numbers) // _PER_DAY[kind]
        found, codes = np.unique(counts, return_inverse=True)
        values = [_day_of(number) for number in found.tolist()]
        return CodedColumn([*values, None], np.where(known, codes, len(values)).astype(np.int64))

    def _whole(self, column: str, kind: Any = None) -> Any:
        """The column as one Arrow array."""
        from pyarrow import chunked_array

        stored = self._frame[column].to_native() if self._arrow else self._frame[column].to_arrow()
        stored = stored if kind is None else stored.cast(kind)
        whole = stored if hasattr(stored, "chunks") else chunked_array([stored])
        return whole.chunk(0) if whole.num_chunks == 1 else whole.combine_chunks()

    def _code(self, column: str) -> CodedColumn:
        if self._in_arrow(column):
            return self._texts(column)
        dtype = self._dtype(column)
        # Objects may be unhashable, or equal but with different texts, such as 1 and True.
        if _is_day(dtype):
            return self._days(column)
        if dtype not in _NUMBERS:
            return code_column(self._values(column))
        stored = self._whole(column)
        # A code is then a difference of two numbers, and no value is looked up.
        if dtype.is_integer() and (found := _in_range(stored)) is not None:
            return found
        stored = stored.dictionary_encode()
        values = stored.dictionary.to_pylist()
        if dtype == nw.Float32:
            values = [shortest(value, 32) for value in values]
        return CodedColumn([*values, None], from_arrow(stored.indices, len(values)))

    def _kind(self, column: str) -> str:
        """The library's own name for the type of a column."""
        native = self._frame[column].to_native()
        return str(getattr(native, "dtype", getattr(native, "type", "")))

    def _dtype(self, column: str) -> nw.dtypes.DType:
        """The declared type of a column.

        An object column of pandas has none: narwhals would inspect its values, which may raise or lie.
        """
        return nw.Object() if self._kind(column) == "object" else self._frame[column].dtype

    def _in_arrow(self, column: str) -> bool:
        """Whether Arrow stores the texts of the column; pandas may store Python texts instead.

        Python texts may have halves of surrogate pairs, which Arrow refuses.
        """
        native = getattr(self._frame[column].to_native(), "dtype", None)
        stored = getattr(native, "storage", "pyarrow") == "pyarrow"
        return stored and self._dtype(column) == nw.String

    def batches(self, columns: Sequence[str]) -> Iterator[list[CodedColumn]]:
        # A column that is named twice is coded once.
        for start in range(0, len(self._frame), _BATCH):
            part = FrameTable(self._frame[start : start + _BATCH].to_native(), name=self.name)
            found = {column: part._code(column) for column in columns}
            yield [found[column] for column in columns]


_PER_DAY = {"date32[day]": 1} | {
    f"timestamp[{unit}]": 86_400 * each
    for unit, each in (("s", 1), ("ms", 10**3), ("us", 10**6), ("ns", 10**9))
}
"""How many of the numbers that Arrow stores are a day."""


def _is_day(dtype: nw.dtypes.DType) -> bool:
    """Whether a type holds dates, or times without a zone: a time with one is on two days."""
    return dtype == nw.Date or (isinstance(dtype, nw.Datetime) and dtype.time_zone is None)


def _day_of(number: int) -> date | None:
    """The day ``number`` days after 1 January 1970; None outside the calendar."""
    ordinal = _FIRST_OF_1970 + number
    return date.fromordinal(ordinal) if 1 <= ordinal <= _LAST_DAY else None


_FIRST_OF_1970, _LAST_DAY = date(1970, 1, 1).toordinal(), date.max.toordinal()


def _decode(texts: Sequence[bytes]) -> list[str]:
    return [raw.decode("utf-8", "replace") for raw in texts]


def kind_of(dtype: nw.dtypes.DType, texts: Sequence[type[nw.dtypes.DType]]) -> Kind | None:
    """What a type of narwhals holds; the values of ``texts`` are texts.

    >>> found = [kind_of(dtype, (nw.String,)) for dtype in (nw.Int64(), nw.Decimal(), nw.Date())]
    >>> found
    ['integer', 'number', 'date']
    """
    if _is_day(dtype):
        return "date" if dtype == nw.Date else "datetime"
    if dtype == nw.Boolean:
        return "boolean"
    if dtype.is_numeric():
        return "integer" if dtype.is_integer() else "number"
    return "text" if dtype in texts else None


def _in_range(stored: Any) -> CodedColumn | None:
    """An Arrow array of whole numbers as a column, if none is missing and their range is short.

    Every number of the range is then encoded, whether it occurs or not.
    """
    from pyarrow.compute import min_max

    ends = min_max(stored).as_py()
    if stored.null_count or ends["max"] - ends["min"] > len(stored) // 16:
        return None
    numbers = np.from_dlpack(stored)
    # Modulo 2^64, differences of unsigned numbers are correct too.
    least = numbers.dtype.type(ends["min"])
    codes = np.subtract(numbers, least, dtype=np.int64, casting="unsafe")
    return CodedColumn(range(ends["min"], ends["max"] + 1), codes)


def column_table(values: object) -> FrameTable | None:
    """A pandas, polars or pyarrow column as a table of one column; None for any other object.

    Raises `TableError` for a declared type other than numbers or texts.
    """
    if str(getattr(values, "dtype", "")) == "object":
        return None
    if hasattr(values, "categories") and type(values).__module__.startswith("pandas"):
        from pandas import Series

        values = Series(values)  # an array or index of categories, which is not a column yet
    if type(values).__module__.startswith("pyarrow") and not hasattr(values, "chunks"):
        from pyarrow import chunked_array

        values = chunked_array([values])
    try:
        series = nw.from_native(values, series_only=True)  # type: ignore[call-overload]
    except TypeError:
        return None
    table = FrameTable(series.alias("values").to_frame().to_native(), name="the array")
    # The null type is inferred from an array without values.  All other types are declared, and
    # refusing them must not depend on whether there is a value.
    if table._kind("values").lower() not in ("null", "null[pyarrow]"):
        table.require("values")
    return table


class ParquetTable(Table):
    """A Parquet file, read in batches of the needed columns, so that it need not fit in memory."""

    def __init__(self, path: Path, opened: Any = None) -> None:
        # ``opened`` is the file, if it is not on a disk of this machine.
        from pyarrow import ArrowException, large_binary, parquet
        from pyarrow import Table as Arrow

        self.path = None if opened else path  # only a path names a data set by itself
        self.name = str(path)
        kinds = (OSError, UnicodeDecodeError, ArrowException)
        with replace_damage(kinds, self.name, "it is not a Parquet file", READABLE):
            # As large binary, texts are read without dictionaries.  Arrow refuses to read a dictionary
            # if one of its texts is not UTF-8.
            self._file = parquet.ParquetFile(opened or path, binary_type=large_binary())
        # empty_table() is avoided, because pyarrow imports all of pandas for it if it is installed.
        nothing = Arrow.from_batches([], schema=self._file.schema_arrow)
        self._schema = FrameTable(nothing, name=self.name)
        self.columns = self._schema.columns

    def require(self, column: str, fix: str = NAMED, *, days: bool = False) -> None:
        self._schema.require(column, fix, days=days)

    def kind(self, column: str) -> Kind | None:
        return self._schema.kind(column)

    def _batches(self, columns: Sequence[str]) -> Iterator[FrameTable]:
        from pyarrow import ArrowException
        from pyarrow import Table as ArrowTable

        wanted, done = list(dict.fromkeys(columns)), 0

        def ours(_: BaseException) -> TableError:
            asked = f"read the table {self.name}"
            return TableError(asked, found="the file is damaged", fix=READABLE)

        with replace_errors((OSError, ArrowException), ours), stage("reading the table") as tell:
            for batch in self._file.iter_batches(batch_size=_BATCH, columns=wanted):
                tell(done, self._file.metadata.num_rows)
                yield FrameTable(ArrowTable.from_batches([batch]), name=self.name)
                done += len(batch)

    def rows(self, columns: Sequence[str]) -> Iterator[Row]:
        for batch in self._batches(columns):
            yield from batch.rows(columns)

    def batches(self, columns: Sequence[str]) -> Iterator[list[CodedColumn]]:
        for batch in self._batches(columns):
            yield from batch.batches(columns)


def require_scalar(table: Table, column: str, dtype: nw.dtypes.DType, native: Any = None) -> None:
    """Refuse a column whose type, here or in its own library, is not numbers or texts."""
    # In pandas the categories are part of the type, and equal values of several types are merged into
    # the one that came first.  A record would be read as the 1, 1.0 or True of another record.
    categories: Any = getattr(native, "categories", None)
    objects = getattr(categories, "dtype", None) == "object"
    fix = "name a column of numbers or texts, or convert this one first"
    if isinstance(dtype, nw.Unknown):
        found = "its declared type is null (the column is empty), or no type of numbers or texts"
    elif dtype.is_nested() or dtype.is_temporal() or isinstance(dtype, nw.Binary):
        # A date is stored as a number, and a date outside the calendar cannot be read.
        found = f"its declared type is {dtype}, not a number or a text"
        if _is_day(dtype):
            fix = f"declare a range of days, such as {column}: 2021-01-01..2021-12-01 step 1 month"
        elif isinstance(dtype, nw.Datetime):
            fix = "take the zone away, because a time with one is on two days"
    elif objects and categories.inferred_type not in ("string", "empty"):
        found = (
            "its categories are of mixed types, and pandas merges equal ones, such as 1 and True"
        )
        fix = "make a text of every value, and categories of the texts"
    else:
        return
    raise TableError(
        f"read column {column!r} of {table.name}",
        found=found,
        fix=fix,
    )
