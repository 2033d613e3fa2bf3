"""Open a table from a file name or a data frame."""

from __future__ import annotations

import os
from pathlib import Path

from narwhals import dependencies

from littlestone.data.csv_files import CsvTable
from littlestone.data.dask_frames import DaskTable
from littlestone.data.frames import FrameTable, ParquetTable
from littlestone.data.lazy import LazyTable
from littlestone.data.tables import Table
from littlestone.errors import TableError

TABLE_SUFFIXES = (".csv", ".gz", ".zip", ".parquet", ".pq")


def open_table(source: object) -> Table:
    """Open the table in a CSV or Parquet file, or a data frame; only the schema is read.

    A `Table` is returned unchanged.
    Raises `TableError` if the file does not exist or is of an unknown kind.
    """
    if isinstance(source, Table):
        return source
    if not isinstance(source, str | Path):
        return _frame(source)
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
            fix="save it as CSV with commas and in UTF-8, or as Parquet, under a name that ends in one "
            "of: .csv, .csv.gz, .csv.zip, .parquet, .pq",
        )
    parquet = path.suffix.lower() in (".parquet", ".pq")
    return ParquetTable(path) if parquet else CsvTable(path)


_LAZY = (
    dependencies.is_polars_lazyframe,
    dependencies.is_duckdb_relation,
    dependencies.is_pyspark_dataframe,
    dependencies.is_pyspark_connect_dataframe,
)


def _frame(source: object) -> Table:
    """The table of a data frame: one in memory, or one that an engine computes."""
    if any(lazy(source) for lazy in _LAZY):
        return LazyTable(source)
    return DaskTable(source) if dependencies.is_dask_dataframe(source) else FrameTable(source)
