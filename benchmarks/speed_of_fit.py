"""From a table to a private rule, beside the least that anyone has to do with the same table.

Equality rules over four columns: polars groups the same columns, each alone and each pair, and counts
the positives and negatives of every group, for all that a learner has to know.  A class of 10,000
hypotheses on ten million records: pyarrow decodes the two columns and does nothing with them, or counts
the distinct pairs.
"""

from __future__ import annotations

import atexit
import tempfile
from collections.abc import Callable, Iterator
from functools import cache
from itertools import combinations
from pathlib import Path
from typing import Any

import numpy as np
import polars as pl
import pyarrow as pa
from pyarrow import parquet

from benchmarks.flights import ROWS, files
from benchmarks.harness import Case, Contender, require
from littlestone.classes import FiniteClass, HypothesisClass, parse_class
from littlestone.classes.promises.covering import Covering
from littlestone.data import Label, open_table, read_sample
from littlestone.learn import Release
from littlestone.learn.plan import choose_learner
from littlestone.privacy import Budget
from littlestone.privacy.ledger import Ledger

COLUMNS = ("origin", "dest", "tailnum", "hour")
RULES = "rules(origin, dest, tailnum, integers(hour); at most 2)"
RULE = "origin is 'JFK' and dest is 'A07'"
MANY, CUT = 10**7, 6000


def cases() -> Iterator[Case]:
    """Rules from a frame and from Parquet; thresholds and a table of hypotheses from Parquet."""
    path, flights = marked_flights()
    for title, source, read in (
        ("a polars frame", flights, lambda: flights),
        ("Parquet", path, lambda: pl.read_parquet(path, columns=[*COLUMNS, "marked"])),
    ):
        yield Case(
            f"{RULES}, {ROWS:,} records from {title}",
            Contender("littlestone", fit(parse_class(RULES), source, "marked"), finds(RULE)),
            [Contender("polars, 10 group_by", groups(read), all_records)],
            patience=20,
        )
    ten_million = many_records()
    for title, declared, column in (
        ("10,000 thresholds", parse_class("thresholds(x, 1..9999)"), "x"),
        ("a table of 10,000 hypotheses", table_of_hypotheses(), "z"),
    ):
        yield Case(
            f"{title}, {MANY:,} records from Parquet",
            Contender("littlestone", fit(declared, ten_million, "y"), near_the_cut),
            [
                Contender("pyarrow, decode alone", decode(ten_million, column), all_many),
                Contender("pyarrow, count the pairs", pairs(ten_million, column), all_many),
            ],
            patience=20,
        )


@cache
def marked_flights() -> tuple[Path, pl.DataFrame]:
    """The made-up flights with a column that one rule explains, as a file and as a frame."""
    _, columnar = files()
    rule = (pl.col("origin") == "JFK") & (pl.col("dest") == "A07")
    frame = pl.read_parquet(columnar).with_columns(marked=rule.cast(pl.Int8))
    path = columnar.with_name("marked.parquet")
    frame.write_parquet(path)
    return path, frame


@cache
def many_records() -> Path:
    """Ten million records: a number below 10,000, its tenth, and a label that is wrong in 5%."""
    folder = tempfile.TemporaryDirectory(prefix="littlestone-benchmark-")
    atexit.register(folder.cleanup)
    rng = np.random.default_rng(4)
    x = rng.integers(0, 10_000, MANY)
    y = (x >= CUT) ^ (rng.random(MANY) < 0.05)
    path = Path(folder.name, "many.parquet")
    parquet.write_table(pa.table({"x": x, "z": x // 10, "y": y.astype(np.int8)}), path)
    return path


@cache
def table_of_hypotheses() -> FiniteClass:
    """10,000 functions on the points 0, ..., 999: the thresholds, and 9,000 at random."""
    points = np.arange(1000)
    rows = np.random.default_rng(5).integers(0, 2, (10_000, 1000))
    rows[:1000] = points >= points[:, None]
    return FiniteClass.from_array(rows, points=[str(x) for x in points], name="z")


def fit(H: HypothesisClass[Any], source: object, target: str) -> Callable[[], Release]:
    """Read the table and learn privately."""
    label = Label.parse(target, "1")
    delta = "1e-6" if isinstance(H, Covering) else 0

    def run() -> Release:
        learner, _ = choose_learner(H, Budget(1, delta))
        sample = read_sample(open_table(source), H.domain, label)
        with Ledger() as ledger:
            return learner.fit(sample, ledger=ledger, dataset="records")

    return run


def groups(read: Callable[[], pl.DataFrame]) -> Callable[[], list[pl.DataFrame]]:
    """The positives and negatives of each value and each pair of values."""
    counts = pl.len().alias("n"), pl.col("marked").sum().alias("positives")

    def run() -> list[pl.DataFrame]:
        frame = read()
        chosen = [c for size in (1, 2) for c in combinations(COLUMNS, size)]
        return [frame.group_by(columns).agg(*counts) for columns in chosen]

    return run


def decode(path: Path, column: str) -> Callable[[], int]:
    """Decode both columns, batch by batch."""

    def run() -> int:
        file = parquet.ParquetFile(path)
        batches = file.iter_batches(batch_size=2**20, columns=[column, "y"])
        return sum(len(batch) for batch in batches)

    return run


def pairs(path: Path, column: str) -> Callable[[], int]:
    """Count the distinct pairs."""

    def run() -> int:
        read = parquet.read_table(path, columns=[column, "y"])
        counts = read.group_by([column, "y"]).aggregate([([], "count_all")])["count_all"]
        return sum(counts.to_pylist())

    return run


def finds(rule: str) -> Callable[[Release], None]:
    """The release is that rule."""
    return lambda release: require(
        release.hypothesis.words() == rule, f"the rule is {release.hypothesis.words()}"
    )


def near_the_cut(release: Release) -> None:
    """The rule is right at both sides of the cut."""
    rule = release.hypothesis
    cut = CUT if rule.domain.name == "x" else CUT // 10
    low, high = (rule.domain.encode(cut + move) for move in (-5, 5))
    require(not rule(low) and rule(high), f"the rule is {rule.words()}")


def all_records(grouped: list[pl.DataFrame]) -> None:
    """Every grouping counts every record."""
    require(len(grouped) == 10, "the columns and pairs are not ten")
    require(all(counts["n"].sum() == ROWS for counts in grouped), "records are missing")


def all_many(count: int) -> None:
    """All records were read."""
    require(count == MANY, f"{count} records in place of {MANY}")
