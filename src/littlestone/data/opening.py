"""Open a table from a file name, an address or a data frame; the name of its data set in a ledger."""

from __future__ import annotations

import glob
import os
import shlex
import unicodedata
from collections.abc import Callable, Collection, Sequence
from functools import partial
from pathlib import Path
from typing import NamedTuple

from littlestone.base.addresses import ADDRESSES, is_postgresql, kind_of_file, looks_like_address
from littlestone.base.errors import (
    DeclarationError,
    SourceError,
    TableError,
    did_you_mean,
    show_value,
)
from littlestone.data.csv import require_multiline
from littlestone.data.forms import Reading
from littlestone.data.table import Table

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

    from littlestone.data.databases import open_engine
    from littlestone.data.frames import FrameTable
    from littlestone.data.lazy_frames import DaskTable, LazyTable

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
    from littlestone.data.csv import CsvTable

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


class Dataset(NamedTuple):
    """A table, and the name of its data set in a ledger."""

    table: Table
    name: str


def open_dataset(
    source: object,
    columns: Sequence[str],
    dataset: str | None,
    table: str | None = None,
    *,
    separator: str | None = None,
    multiline: bool = False,
    reading: Reading | None = None,
    days: Collection[str] = (),
) -> Dataset:
    """Open a table that has these ``columns``, under the name ``dataset`` or that of its file.

    ``source``, ``table``, ``separator``, ``multiline`` and ``reading`` are those of `open_table`;
    ``days`` are the columns that are read as days.

    Raises
    ------
    `TableError` for a missing column and `DeclarationError` if neither a ``dataset`` nor a file gives a
    name.  Only a file of one table gives one: an address has aliases, and a folder, a pattern and a
    database hold other names of the same records, each of which would get a budget of its own.
    """
    if dataset is None and isinstance(source, str | Path) and not is_file(source, table):
        raise DeclarationError(
            "spend on a table that is not a file",
            found="the ledger cannot tell which data set it is, because other names lead to it too",
            fix="name it, and always the same: --dataset visits; in Python dataset='visits'",
        )
    opened = open_table(source, table, separator=separator, multiline=multiline, reading=reading)
    opened.require_all(columns, days)
    if dataset is not None:
        return Dataset(opened, dataset_name(dataset))
    if opened.path is None:
        raise DeclarationError(
            "spend on a table that is not a file",
            found="the ledger cannot tell which data set it is",
            fix="name it: dataset=...",
        )
    return Dataset(opened, true_path(opened.path))


def dataset_name(text: str) -> str:
    """The name of a data set in the ledger: the full path of a file, or any other text unchanged.

    A text names a file if it has a folder separator or a suffix such as ``.csv``.  So a limit set on
    ``visits.csv`` applies to every later `fit` of that file, even if the file does not exist yet.
    Raises `DeclarationError` for anything but text.

    >>> dataset_name("census 2020"), dataset_name("visits.csv") == os.path.realpath("visits.csv")
    ('census 2020', True)
    """
    if not isinstance(text, str):
        raise DeclarationError(
            f"use {show_value(text)} as the name of a data set",
            found="it is not text",
            fix="use plain words on one line",
        )
    if "://" in text:  # it is not quoted, because a password may stand in it
        raise DeclarationError(
            "use an address as the name of a data set",
            found="several addresses lead to the same data, and each would get a budget of its own",
            fix="use plain words on one line, such as visits",
        )
    spelled = os.sep in text or text.lower().endswith(TABLE_SUFFIXES)
    return true_path(text) if spelled else text


def true_path(path: str | os.PathLike[str]) -> str:
    """The full path without links, with each name spelled as in its folder.

    On a disk where ``Visits.csv`` opens ``visits.csv``, both spellings get the same name and the same
    budget.  A path that does not exist keeps its spelling.

    >>> true_path("nowhere/Visits.csv") == os.path.realpath("nowhere/Visits.csv")
    True
    """
    whole = os.path.realpath(path)
    folder, name = os.path.split(whole)
    if not name or not os.path.lexists(whole):
        return whole
    return os.path.join(true_path(folder), _spelling(folder, name))


def _spelling(folder: str, name: str) -> str:
    try:
        names = os.listdir(folder)
        if name in names:
            return name
        own = os.lstat(os.path.join(folder, name))
        # The file itself decides, whatever letters its disk treats as equal.  A hard link with another
        # name counts as another file here.
        for other in names:
            alike = _letters(other) == _letters(name)
            if alike and os.path.samestat(own, os.lstat(os.path.join(folder, other))):
                return unicodedata.normalize("NFC", other)
    except OSError:  # a folder may be accessible but not listable
        pass
    return name


def _letters(name: str) -> str:
    return unicodedata.normalize("NFC", name).casefold()


def lookalike(name: str, others: Sequence[str]) -> str:
    """A hint, shown once, that tables with the same columns and n may be the same data.

    >>> print(lookalike("copy.csv", ["visits.csv"]))
    copy.csv has the columns and the number of records of visits.csv: if it is the same data,
    join their budgets with: littlestone ledger alias copy.csv visits.csv
    >>> lookalike("d", ["a", "b", "c"]).partition(":")[0]
    'd has the columns and the number of records of a, b and c'
    """
    commands = [shlex.join(["littlestone", "ledger", "alias", name, other]) for other in others]
    joined, (*first, last) = "\nand with: ".join(commands), others
    same = f"{', '.join(first)} and {last}" if first else last
    return (
        f"{name} has the columns and the number of records of {same}: if it is the same data,\n"
        f"join their budgets with: {joined}"
    )
