"""One table in every kind of source, and samples as plain values that can be compared."""

from __future__ import annotations

import csv
import gzip
import io
import zipfile
from collections import Counter
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

import pandas as pd
import polars as pl
import pyarrow as pa
from pyarrow import parquet

from littlestone.data import Label, open_table, read_sample
from littlestone.data.sample import Sample
from littlestone.points import Domain

Columns = Mapping[str, Sequence[object]]


def plain(sample: Sample[Any]) -> dict[Any, tuple[int, int]]:
    """The sample as {point: (records with label 0, records with label 1)}."""
    counts = zip(sample.negatives.tolist(), sample.positives.tolist(), strict=True)
    return dict(zip(sample.points, counts, strict=True))


def examples(sample: Sample[Any]) -> Counter[tuple[Any, int]]:
    """The sample as a multiset of examples (point, label)."""
    pairs = plain(sample).items()
    return +Counter({(x, y): count[y] for x, count in pairs for y in (0, 1)})


def read(source: object, domain: Domain[Any], label: Label, **options: Any) -> Sample[Any]:
    return read_sample(open_table(source, **options), domain, label)


def csv_bytes(columns: Columns) -> bytes:
    text = io.StringIO(newline="")
    writer = csv.writer(text)
    writer.writerow(columns)
    for row in zip(*columns.values(), strict=True):
        writer.writerow(["" if value is None else str(value) for value in row])
    return text.getvalue().encode("utf-8", "replace")


def csv_file(columns: Columns, folder: Path) -> Path:
    path = folder / "table.csv"
    path.write_bytes(csv_bytes(columns))
    return path


def gz_file(columns: Columns, folder: Path) -> Path:
    path = folder / "table.csv.gz"
    path.write_bytes(gzip.compress(csv_bytes(columns)))
    return path


def zip_file(columns: Columns, folder: Path) -> Path:
    path = folder / "table.csv.zip"
    with zipfile.ZipFile(path, "w") as archive:
        archive.writestr("table.csv", csv_bytes(columns))
    return path


def parquet_file(columns: Columns, folder: Path) -> Path:
    path = folder / "table.parquet"
    parquet.write_table(pa.table(dict(columns)), path)
    return path


def dictionary_parquet(columns: Columns, folder: Path) -> Path:
    path = folder / "dictionary.parquet"
    table = pa.table({name: pa.array(v).dictionary_encode() for name, v in columns.items()})
    parquet.write_table(table, path)
    return path


def small_batches(columns: Columns, folder: Path) -> Path:
    path = folder / "groups.parquet"
    parquet.write_table(pa.table(dict(columns)), path, row_group_size=2)
    return path


def pandas_inferred(columns: Columns, folder: Path) -> pd.DataFrame:
    return pd.DataFrame(dict(columns))


def pandas_objects(columns: Columns, folder: Path) -> pd.DataFrame:
    return pd.DataFrame({name: pd.Series(list(v), dtype=object) for name, v in columns.items()})


def pandas_nullable(columns: Columns, folder: Path) -> pd.DataFrame:
    return pandas_objects(columns, folder).convert_dtypes()


def pandas_categorical(columns: Columns, folder: Path) -> pd.DataFrame:
    return pandas_nullable(columns, folder).astype("category")


def pandas_arrow(columns: Columns, folder: Path) -> pd.DataFrame:
    return pandas_objects(columns, folder).convert_dtypes(dtype_backend="pyarrow")


def polars_frame(columns: Columns, folder: Path) -> pl.DataFrame:
    return pl.DataFrame(dict(columns))


def polars_objects(columns: Columns, folder: Path) -> pl.DataFrame:
    return pl.DataFrame([pl.Series(name, v, dtype=pl.Object) for name, v in columns.items()])


def arrow_table(columns: Columns, folder: Path) -> pa.Table:
    return pa.table(dict(columns))


FILES = [csv_file, gz_file, zip_file, parquet_file, dictionary_parquet, small_batches]
FRAMES = [
    pandas_inferred,
    pandas_objects,
    pandas_nullable,
    pandas_categorical,
    pandas_arrow,
    polars_frame,
    polars_objects,
    arrow_table,
]
