"""The table in whatever a user calls one: a file name, or a frame."""

from __future__ import annotations

import os
from pathlib import Path

from littlestone.data.csv_files import CsvTable
from littlestone.data.frames import FrameTable, ParquetTable
from littlestone.data.tables import Table
from littlestone.errors import TableError

TABLE_SUFFIXES = (".csv", ".gz", ".zip", ".parquet", ".pq")


def open_table(source: object) -> Table:
    """The table in a CSV or Parquet file, or in a data frame; only its schema is looked at.

    Raises `TableError` if there is no such file, or it is of no known kind.
    """
    if not isinstance(source, str | Path):
        return FrameTable(source)
    path = Path(source)
    if not os.path.isfile(path):  # Path.is_file() raises for a name that is too long
        raise TableError(
            f"read the table {path}",
            found="it is a folder" if os.path.isdir(path) else "there is no such file",
            fix="check the path",
        )
    if not path.name.lower().endswith(TABLE_SUFFIXES):
        # The ledger knows a table by its path, and a path by its spelling: so all must be spelled so.
        raise TableError(
            f"read the table {path}",
            found="its name does not say what kind of file it is",
            fix=f"give it a name that ends in one of: {', '.join(TABLE_SUFFIXES)}",
        )
    parquet = path.suffix.lower() in (".parquet", ".pq")
    return ParquetTable(path) if parquet else CsvTable(path)
