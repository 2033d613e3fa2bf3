"""From a file of 336,776 rows and 19 columns to a Sample, beside polars and pandas.

The alternatives read the two columns they need, count the pairs and encode them, and end with the
same Sample.  Ours also promises what theirs do not: no value, however odd, stops it.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from functools import cache
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import polars as pl

from benchmarks.flights import HIGH, LATE, LOW, ROWS, files, table
from benchmarks.harness import Case, Contender, require
from littlestone.data import Label, open_table, read_sample
from littlestone.domains import Grid
from littlestone.sample import Sample

POINT, LABEL = "dep_delay", "arr_delay"
COLUMNS = [POINT, LABEL]


def cases() -> Iterator[Case]:
    """A CSV file and a Parquet file of one table."""
    plain, columnar = files()
    for title, path, read_polars, read_pandas in (
        ("CSV file", plain, pl.read_csv, lambda: pd.read_csv(plain, usecols=COLUMNS)),
        (
            "Parquet file",
            columnar,
            pl.read_parquet,
            lambda: pd.read_parquet(columnar, columns=COLUMNS),
        ),
    ):
        yield Case(
            f"{title} to Sample",
            Contender("littlestone", ours(path), check),
            [
                Contender("polars, group_by", with_polars(path, read_polars), check),
                Contender("pandas, groupby", with_pandas(read_pandas), check),
            ],
            repeats=5,
            patience=12,
        )


def ours(path: Path) -> Callable[[], Sample[int]]:
    """Our own reader."""
    domain, label = Grid(LOW, HIGH, POINT), Label.parse(LABEL, f"> {LATE}")
    return lambda: read_sample(open_table(path), domain, label)


def with_polars(path: Path, read: Callable[..., pl.DataFrame]) -> Callable[[], Sample[int]]:
    """Encode in expressions, then count."""
    point = pl.col(POINT).fill_null(LOW).clip(LOW, HIGH)
    positive = (pl.col(LABEL) > LATE).fill_null(False)

    def run() -> Sample[int]:
        encoded = read(path, columns=COLUMNS).select(point, y=positive)
        counts = encoded.group_by(POINT).agg(n=pl.len(), ones=pl.col("y").sum())
        return assemble(counts[POINT].to_list(), counts["n"].to_numpy(), counts["ones"].to_numpy())

    return run


def with_pandas(read: Callable[[], Any]) -> Callable[[], Sample[int]]:
    """Encode in columns, then count."""

    def run() -> Sample[int]:
        frame = read()
        point = frame[POINT].fillna(LOW).clip(LOW, HIGH).astype(int)
        counts = (frame[LABEL] > LATE).groupby(point).agg(["size", "sum"])
        return assemble(counts.index.tolist(), counts["size"].to_numpy(), counts["sum"].to_numpy())

    return run


def assemble(points: list[int], total: Any, ones: Any) -> Sample[int]:
    """The Sample of the counts."""
    positives = ones.astype(np.int64)
    return Sample.of_two(
        Grid(LOW, HIGH, POINT), tuple(points), total.astype(np.int64) - positives, positives
    )


def as_counts(sample: Sample[int]) -> dict[int, tuple[int, int]]:
    """A Sample as a map from points to counts, whatever the order of its points."""
    negatives, positives = sample.negatives.tolist(), sample.positives.tolist()
    return dict(zip(sample.points, zip(negatives, positives, strict=True), strict=True))


@cache
def expected() -> dict[int, tuple[int, int]]:
    """The counts, record by record from the table that was written."""
    flights, counts = table(), dict[int, list[int]]()
    for x, delay in zip(flights[POINT].to_pylist(), flights[LABEL].to_pylist(), strict=True):
        point = LOW if x is None else min(max(x, LOW), HIGH)
        counts.setdefault(point, [0, 0])[delay is not None and delay > LATE] += 1
    return {x: (zeros, ones) for x, (zeros, ones) in counts.items()}


def check(sample: Sample[int]) -> None:
    """Every contender ends with the one right Sample."""
    require(sample.n == ROWS, f"{sample.n} examples in place of {ROWS}")
    require(as_counts(sample) == expected(), "the Sample differs from the table's")
