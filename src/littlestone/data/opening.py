"""Open a table from a file name or a data frame."""

from __future__ import annotations

import os
from pathlib import Path

from littlestone.data.csv_files import CsvTable
from littlestone.data.frames import FrameTable, ParquetTable
from littlestone.data.tables import Table
from littlestone.errors import DeclarationError, TableError

TABLE_SUFFIXES = (".csv", ".tsv", ".gz", ".zip", ".zst", ".parquet", ".pq")


def open_table(source: object, *, separator: str | None = None, multiline: bool = False) -> Table:
    """Open the table in a CSV or Parquet file, or a data frame; only the schema is read.

    A `Table` is returned unchanged.  The ``separator`` of a CSV file is a comma, and a tab if it is
    named ``.tsv``, unless you give another character.  A record of a CSV file is one line; with
    ``multiline`` it may span several, because a quoted value may hold line breaks.

    Raises `TableError` if the file does not exist or is of an unknown kind, and `DeclarationError` if
    ``separator`` or ``multiline`` is given for what is no CSV file.
    """
    table = _opened(source, separator, multiline)
    if (separator is not None or multiline) and (table is source or table.declared):
        raise DeclarationError(
            f"read {table.name} by the rules of CSV files",
            found="it is no CSV file, or was opened before",
            fix="leave out the separator and multiline",
        )
    return table


def _opened(source: object, separator: str | None, multiline: bool) -> Table:
    if isinstance(source, Table):
        return source
    if not isinstance(source, str | Path):
        return FrameTable(source)
    path = Path(source)
    if str(path) == "-" or (os.path.exists(path) and not (path.is_file() or path.is_dir())):
        raise TableError(
            f"read the table {path}",
            found="it is a pipe or a device, and only `littlestone stream` reads a pipe",
            fix="save the records to a file first, and give its name",
        )
    if not os.path.isfile(path):  # Path.is_file() raises for a name that is too long
        raise TableError(
            f"read the table {path}",
            found="it is a folder" if os.path.isdir(path) else "there is no such file",
            fix="give the path of a file in it" if os.path.isdir(path) else "check the path",
        )
    if not path.name.lower().endswith(TABLE_SUFFIXES):
        # The ledger recognises the path of a table by its suffix, so every table must have one.
        raise TableError(
            f"read the table {path}",
            found="its name is not that of a CSV or Parquet file",
            fix="save it as CSV in UTF-8, or as Parquet, under a name that ends in one of: .csv, .tsv, "
            "the same with .gz, .zip or .zst, .parquet, .pq",
        )
    parquet = path.suffix.lower() in (".parquet", ".pq")
    if parquet:
        return ParquetTable(path)
    return CsvTable(path, separator=separator, multiline=multiline)
