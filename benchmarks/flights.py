"""The tables that several benchmarks read: 336,776 made-up flights in 19 columns."""

from __future__ import annotations

import atexit
import tempfile
from functools import cache
from pathlib import Path

import numpy as np
import pyarrow as pa
from numpy.typing import NDArray
from pyarrow import csv, parquet

ROWS = 336_776
LOW, HIGH = -60, 1440
LATE = 15
CLASS = f"thresholds(dep_delay, {LOW}..{HIGH})"


@cache
def files() -> tuple[Path, Path]:
    """The same table as a CSV and as a Parquet file, in a folder that is deleted at the end."""
    folder = tempfile.TemporaryDirectory(prefix="littlestone-benchmark-")
    atexit.register(folder.cleanup)
    plain, columnar = Path(folder.name, "flights.csv"), Path(folder.name, "flights.parquet")
    flights = table()
    csv.write_csv(flights, plain, csv.WriteOptions(quoting_style="none"))
    parquet.write_table(flights, columnar)
    return plain, columnar


def table() -> pa.Table:
    """Delays that a threshold predicts well but for noise, 3 % missing, among 17 other columns."""
    rng = np.random.default_rng(3)

    def numbers(low: int, high: int) -> NDArray[np.int64]:
        return rng.integers(low, high, ROWS)

    def words(*choices: str) -> NDArray[np.str_]:
        return rng.choice(choices, ROWS)

    departure = np.clip(np.rint(rng.exponential(40, ROWS) - 28), -43, 1301).astype(np.int64)
    arrival = departure + np.rint(rng.normal(-6, 17, ROWS)).astype(np.int64)
    cancelled = rng.random(ROWS) < 0.03
    places = [f"A{k:02d}" for k in range(100)]
    columns = {
        "year": np.full(ROWS, 2013),
        "month": numbers(1, 13),
        "day": numbers(1, 29),
        "dep_time": numbers(0, 2400),
        "sched_dep_time": numbers(0, 2400),
        "dep_delay": pa.array(departure, mask=cancelled),
        "arr_time": numbers(0, 2400),
        "sched_arr_time": numbers(0, 2400),
        "arr_delay": pa.array(arrival, mask=cancelled),
        "carrier": words("UA", "AA", "B6", "DL", "EV", "MQ"),
        "flight": numbers(1, 8500),
        "tailnum": words(*(f"N{k}" for k in range(10_000, 14_000))),
        "origin": words("EWR", "JFK", "LGA"),
        "dest": words(*places),
        "air_time": numbers(20, 700),
        "distance": numbers(17, 4983),
        "hour": numbers(1, 24),
        "minute": numbers(0, 60),
        "time_hour": words(
            *(f"2013-{m:02d}-01T{h:02d}:00:00Z" for m in range(1, 13) for h in range(24))
        ),
    }
    return pa.table(columns)
