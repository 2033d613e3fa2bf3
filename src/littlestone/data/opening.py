"""Open a table from a file name, an address or a data frame."""

from __future__ import annotations

import glob
import os
from collections.abc import Callable
from functools import partial
from pathlib import Path

from littlestone.base.addresses import ADDRESSES, is_postgresql, kind_of_file, looks_like_address
from littlestone.base.errors import (
    DeclarationError,
    SourceError,
    TableError,
    did_you_mean,
    show_value,
)
from littlestone.data.csv_files import require_multiline
from littlestone.data.readings import Reading
from littlestone.data.tables import Table

_WORKBOOKS = (".xlsx", ".xlsm")
_OTHERS = (".xls", ".xlsb", ".ods")  # spreadsheets that are not read
TABLE_SUFFIXES = (".csv", ".tsv", ".gz", ".zip", ".zst", ".parquet", ".pq", *_WORKBOOKS)

_FILES = ("sqlite:///", "duckdb:///")
_STORES = ("file://", "s3://", "gs://", "gcs://", "hdfs://", "viewfs://", "abfs://", "abfss://")


def open_table(
    source: object,
    table: str | None = None,
    *,
    separator: str | None = None,
    multiline: bool = False,
    reading: Reading | None = None,
) -> Table:
    """Open a table; only its schema is read.

    ``source`` is the path of a CSV or Parquet file, a folder or a pattern of such files, or a frame:
    one in memory, or a lazy one of polars, DuckDB, Spark or Dask.  It may also be an Excel workbook; if
    that has several sheets, ``table`` names one.  Or it is a database, and ``table`` names one of its
    base tables: a SQLite or DuckDB file, ``postgresql://USER@HOST/DATABASE``, or an engine of
    SQLAlchemy.  An address such as ``s3://BUCKET/FOLDER`` is a folder of Parquet files.

    A `Table` is not opened again.  ``reading`` says how cells are written, as a schema or a model
    declares it; separator, encoding and multiline are of CSV files.  The ``separator`` is a comma,
    and a tab if the file is named ``.tsv``, unless ``reading`` or you give another character.  A
    record of a CSV file is one line; with ``multiline`` it may span several, because a quoted value
    may hold line breaks.

    Raises `TableError` if there is no such table, or if it is of an unknown kind, and
    `DeclarationError` if ``separator`` or ``multiline`` is given for anything but a CSV file.
    """
    require_multiline(multiline)
    if not isinstance(table, str | None):
        raise DeclarationError(
            f"read the table {show_value(table)}",
            found="it is not a name",
            fix="leave the table out, or name a table of a database, such as 'public.visits'",
        )
    read = Reading() if reading is None else reading
    if not isinstance(read, Reading):
        raise DeclarationError(
            f"read a table as {show_value(reading)} says",
            found="it does not say how a table is written",
            fix="leave it out, or take the reading of a schema or of a model",
        )
    open_file = partial(
        _open_file,
        separator=read.separator if separator is None else separator,
        multiline=multiline or read.multiline,
        encoding=read.encoding,
    )
    opened = _open(source, table, open_file)
    if (separator is not None or multiline) and (
        opened is source or opened.declared or _is_workbook(str(opened.path))
    ):
        raise DeclarationError(
            f"read {opened.name} by the rules of CSV files",
            found="it is not a CSV file, or is open already",
            fix="leave out the separator and multiline",
        )
    return read.apply(opened)


def _open(source: object, table: str | None, open_file: Callable[[Path], Table]) -> Table:
    if isinstance(source, Table):
        _require_none(table, source.name)
        return source
    if isinstance(source, str | Path):
        return _open_by_name(str(source), table, open_file)
    # Each kind of table is imported when one is opened: pandas, SQL and Excel are large.
    from narwhals import dependencies

    from littlestone.data.dask_frames import DaskTable
    from littlestone.data.databases import open_engine
    from littlestone.data.frames import FrameTable
    from littlestone.data.lazy import LazyTable

    if type(source).__module__.startswith("sqlalchemy.engine"):
        return open_engine(source, table)
    _require_none(table, "the data frame")
    lazy = (
        dependencies.is_polars_lazyframe,
        dependencies.is_duckdb_relation,
        dependencies.is_pyspark_dataframe,
        dependencies.is_pyspark_connect_dataframe,
    )
    if any(is_lazy(source) for is_lazy in lazy):
        return LazyTable(source)
    return DaskTable(source) if dependencies.is_dask_dataframe(source) else FrameTable(source)


def is_file(source: object, table: str | None = None) -> bool:
    """Whether it is a file of one table, which alone has a name that no other name leads to.

    The sheets of a workbook have the name of its file, and so one budget.

    >>> is_file("visits.csv"), is_file("visits/*.csv"), is_file("visits.db", "visits")
    (True, False, False)
    """
    if not isinstance(source, str | Path):
        return False
    text = str(source)
    if table is not None and not _is_workbook(text):
        return False
    if os.path.isdir(text) or "://" in text or kind_of_file(text):
        return False
    return os.path.isfile(text) or not glob.has_magic(text)


def refuse_database(source: str, asked: str) -> None:
    """Raise `SourceError` for a database, whose records come in no order."""
    path = file_of(source)
    if is_postgresql(source) or (path is not None and kind_of_file(path) is not None):
        raise SourceError(
            asked,
            found="the records of a database come in no order",
            fix="save the table as CSV or Parquet, and give that file",
        )


def file_of(source: str | Path) -> str | None:
    """The file, the folder or the pattern that is read; None at an address.

    >>> file_of("visits.csv"), file_of("sqlite:///visits.db"), file_of("postgresql://here/visits")
    ('visits.csv', 'visits.db', None)
    """
    text = str(source)
    for scheme in _FILES:
        text = text.removeprefix(scheme)
    return None if "://" in text else text


def _open_by_name(text: str, table: str | None, open_file: Callable[[Path], Table]) -> Table:
    if is_postgresql(text):
        from littlestone.data.databases import open_server

        return open_server(text, table)
    if text.lower().startswith(_STORES):
        from littlestone.data.folders import open_store

        _require_none(table, "files")
        return open_store(text)
    path = file_of(text)
    exists = path is not None and os.path.exists(path)
    if path is None or (not exists and looks_like_address(path)):
        raise SourceError(  # it is not quoted, because a password may stand anywhere in it
            "read a table",
            found="its name looks like an address, but of an unknown kind",
            fix=f"{ADDRESSES}; for files sqlite:///PATH, duckdb:///PATH, s3://BUCKET/FOLDER or a path",
        )
    if path == "-" or (exists and not (os.path.isfile(path) or os.path.isdir(path))):
        raise TableError(
            f"read the table {path}",
            found="it is a pipe or a device, and only `littlestone stream` reads a pipe",
            fix="save the records to a file first, and give its name",
        )
    if exists and not os.access(path, os.R_OK):
        raise TableError(
            f"read the table {path}",
            found="you do not have the right to read it",
            fix="ask its owner for the right to read it",
        )
    if kind_of_file(path) is not None:
        from littlestone.data.databases import open_database_file

        return open_database_file(path, table)
    if os.path.isfile(path):
        if _is_workbook(path):
            from littlestone.data.workbooks import SheetTable

            return SheetTable(Path(path), table)
        _require_none(table, path)
        return open_file(Path(path))
    if not os.path.isdir(path) and not glob.has_magic(path):
        tables = [name for name in _names_beside(path) if name.lower().endswith(TABLE_SUFFIXES)]
        raise TableError(
            f"read the table {path}",
            found="there is no such file",
            fix=did_you_mean(os.path.basename(path), tables, "check the path"),
        )
    from littlestone.data.folders import open_folder

    _require_none(table, path)
    return open_folder(path, open_file, TABLE_SUFFIXES)


def _names_beside(path: str) -> list[str]:
    try:
        return os.listdir(os.path.dirname(path) or ".")
    except OSError:
        return []


def _open_file(path: Path, *, separator: str | None, multiline: bool, encoding: str) -> Table:
    if path.name.lower().endswith(_OTHERS):
        raise TableError(
            f"read the table {path}",
            found=f"a file of a spreadsheet named {path.suffix} is not read",
            fix="open it there, and save it as .xlsx, or as CSV in UTF-8",
        )
    if not path.name.lower().endswith(TABLE_SUFFIXES):
        # The ledger recognises the path of a table by its suffix, so every table must have one.
        raise TableError(
            f"read the table {path}",
            found=(
                "its name is not that of a CSV or Parquet file, and it is not a SQLite or "
                "DuckDB file"
            ),
            fix="save it as CSV in UTF-8, or as Parquet, under a name that ends in one of: .csv, .tsv, "
            f"the same with .gz, .zip or .zst, .parquet, .pq, {', '.join(_WORKBOOKS)}",
        )
    if _is_workbook(path.name):
        from littlestone.data.workbooks import SheetTable

        return SheetTable(path)
    if path.suffix.lower() in (".parquet", ".pq"):
        from littlestone.data.frames import ParquetTable

        return ParquetTable(path)
    from littlestone.data.csv_files import CsvTable

    return CsvTable(path, separator=separator, multiline=multiline, encoding=encoding)


def _is_workbook(path: str) -> bool:
    return path.lower().endswith(_WORKBOOKS)


def _require_none(table: str | None, what: str) -> None:
    if table is not None:
        raise SourceError(
            f"read the table {show_value(table)} of {what}",
            found="it is neither a database nor a workbook",
            fix="leave the table's name out: without --table, and in Python open_table(source)",
        )
