"""From a table (CSV, Parquet, a data frame, arrays) to a `Sample`, by public declarations alone."""

from littlestone.data.labels import Label
from littlestone.data.reading import read_points, read_sample, sample_from_arrays
from littlestone.data.tables import Table, open_table

__all__ = ["Label", "Table", "open_table", "read_points", "read_sample", "sample_from_arrays"]
