"""Make a `Sample` from a table (CSV, Parquet, frame, arrays), using only public declarations."""

from littlestone.data.labels import Condition, Label, label_names
from littlestone.data.opening import TABLE_SUFFIXES, open_table
from littlestone.data.reading import (
    plain_values,
    read_mapped,
    read_sample,
    sample_from_arrays,
)
from littlestone.data.streams import CsvStream
from littlestone.data.tables import Table

__all__ = [
    "TABLE_SUFFIXES",
    "Condition",
    "CsvStream",
    "Label",
    "Table",
    "label_names",
    "open_table",
    "plain_values",
    "read_mapped",
    "read_sample",
    "sample_from_arrays",
]
