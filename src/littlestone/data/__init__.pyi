from littlestone.data.label import (
    Condition as Condition,
    Label as Label,
    label_names as label_names,
)
from littlestone.data.opening import TABLE_SUFFIXES as TABLE_SUFFIXES, open_table as open_table
from littlestone.data.reading import (
    plain_values as plain_values,
    read_mapped as read_mapped,
    read_sample as read_sample,
    sample_from_arrays as sample_from_arrays,
)
from littlestone.data.csv import CsvStream as CsvStream
from littlestone.data.table import Table as Table
