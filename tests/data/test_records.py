"""Records of several open columns: every source gives one sample, and a record is one example."""

from __future__ import annotations

import random
from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import Any

import pandas as pd
import polars as pl
import pyarrow as pa
import pytest
from sources import csv_file, examples, parquet_file, plain, read

from littlestone.classes import EqualityRules
from littlestone.data import Condition, Label, open_table, read_sample, sample_from_arrays
from littlestone.points import Domain, Integers, Product, Strings

Source = Callable[[Mapping[str, Sequence[Any]], Path], object]
SOURCES: dict[str, Source] = {
    "csv": csv_file,
    "parquet": parquet_file,
    "pandas": lambda columns, _: pd.DataFrame(dict(columns)),
    "pandas objects": lambda columns, _: pd.DataFrame(dict(columns), dtype=object),
    "pandas nullable": lambda columns, _: pd.DataFrame(dict(columns)).convert_dtypes(),
    "polars": lambda columns, _: pl.DataFrame(dict(columns)),
    "arrow": lambda columns, _: pa.table(dict(columns)),
}
NAMES = ("origin", "dest", "hour")
DOMAIN = EqualityRules.over_columns("origin", "dest", Integers("hour"), max_literals=2).domain
LABEL = Label("late", Condition("==", "1"))

Record = tuple[Any, ...]
RECORDS: list[Record] = [
    ("JFK", "HNL", 9, 1),
    ("JFK", None, 9, 0),
    (None, "HNL", 9, 0),
    ("JFK", "HNL", None, 1),
    (None, None, None, None),
    ("", "HNL", None, 1),
    ("JFK", "HNL", 9, None),
]


def columns(records: Sequence[Record]) -> dict[str, list[Any]]:
    return {name: [x[j] for x in records] for j, name in enumerate((*NAMES, "late"))}


def sample(source: Source, records: Sequence[Record], folder: Path) -> Any:
    return read(source(columns(records), folder), DOMAIN, LABEL)


@pytest.mark.parametrize("source", SOURCES.values(), ids=SOURCES)
def test_missing_values_are_values(source: Source, tmp_path: Path) -> None:
    assert plain(sample(source, RECORDS, tmp_path)) == {
        ("JFK", "HNL", 9): (1, 1),
        ("JFK", "", 9): (1, 0),
        ("", "HNL", 9): (1, 0),
        ("JFK", "HNL", 0): (0, 1),
        ("", "", 0): (1, 0),
        ("", "HNL", 0): (0, 1),
    }


@pytest.mark.parametrize("name", SOURCES)
def test_batches_make_no_difference(name: str, tmp_path: Path) -> None:
    """A long table is read in several batches: frames 2^20 records at a time, CSV files 2^10."""
    # A long CSV file also has so many pairs in its batches that they are merged along the way.
    source, times = SOURCES[name], 400 if name == "csv" else 1100
    rng = random.Random(8)
    records = [
        (*rng.choice(RECORDS)[:2], rng.randrange(999), rng.randrange(2)) for _ in range(1000)
    ]
    once = plain(sample(source, records, tmp_path))
    assert sum(map(sum, once.values())) == 1000
    expected = {x: (zeros * times, ones * times) for x, (zeros, ones) in once.items()}
    assert plain(sample(source, records * times, tmp_path)) == expected


def test_batches_that_are_equal_are_read_one_by_one(monkeypatch: pytest.MonkeyPatch) -> None:
    """1 and True are equal, and so are the batches that hold them, but their texts differ."""
    monkeypatch.setattr("littlestone.data.frames._BATCH", 1)
    values = pd.Series([1, True, 1.0], dtype=object)
    found = read(pd.DataFrame({"x": values, "late": 1}), Strings("x"), LABEL)
    assert plain(found) == {"1": (0, 2), "True": (0, 1)}


@pytest.mark.parametrize("readable", [0, 2])
def test_one_readable_value_is_enough_in_any_batch(
    readable: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("littlestone.data.frames._BATCH", 1)
    column = [9 if i == readable else None for i in range(3)]
    table = open_table(pl.DataFrame({"hour": column, "late": column}))
    assert read_sample(table, Integers("hour"), LABEL, refuse_blank=True).n == 3


def test_records_of_so_many_columns_that_their_number_needs_more_than_64_bits() -> None:
    """Of 8 columns of 1,024 values, the first counts 2^70 times."""
    domain = Product(tuple(Strings(f"column {j}") for j in range(8)))
    same = [(str(i),) * 8 for i in range(1024)]
    others = [(first, *["0"] * 7) for first in ("1", "2", "2")]
    found = plain(sample_from_arrays([*same, *others], [1] * 1027, domain))
    assert found == {**dict.fromkeys([*same, *others], (0, 1)), others[2]: (0, 2)}


@pytest.mark.parametrize("source", SOURCES.values(), ids=SOURCES)
def test_a_replaced_record_is_a_replaced_example(source: Source, tmp_path: Path) -> None:
    rng = random.Random(7)
    # Of each column some value stays in every table, so that its type is not one of the record.
    always: list[Record] = [("JFK", "HNL", 9, 1), ("LGA", "BOS", 12, 0), (None, None, None, 0)]
    for _ in range(10):
        records = always + rng.choices(RECORDS, k=5)
        first = examples(sample(source, records, tmp_path))
        records[rng.randrange(len(always), len(records))] = rng.choice(RECORDS)
        second = examples(sample(source, records, tmp_path))
        assert (first - second).total() == (second - first).total() <= 1


def test_lists_of_records_are_the_same_sample(tmp_path: Path) -> None:
    pairs = [(x[:3], x[3]) for x in RECORDS]
    listed = sample_from_arrays([list(x) for x, _ in pairs], [y for _, y in pairs], DOMAIN)
    assert examples(listed) == examples(sample(csv_file, RECORDS, tmp_path))


def test_a_list_of_another_length_is_a_record() -> None:
    """What is missing is a missing value, and what is too much is left out."""
    listed = [["JFK", "HNL", 9, "more"], ["JFK", "HNL", 9], ["JFK", "HNL"], ["JFK"], []]
    found = plain(sample_from_arrays(listed, [1] * len(listed), DOMAIN))
    assert found[("JFK", "HNL", 9)] == (0, 2)
    assert found[("JFK", "HNL", 0)] == found[("JFK", "", 0)] == (0, 1)
    assert sum(ones for _, ones in found.values()) == len(listed)


@pytest.mark.parametrize("source", SOURCES.values(), ids=SOURCES)
def test_the_ball_of_a_table(source: Source, tmp_path: Path) -> None:
    # Of the three positives, this rule covers the two with a missing hour, and no negative.
    ((V, errors),) = EqualityRules(DOMAIN, 2).error_ball(sample(source, RECORDS, tmp_path), 1)
    assert (errors, V.soa().words()) == (1, "dest is 'HNL' and hour is 0")


class Noted(str):
    """A text that remembers what it was read with."""

    record: Record


def test_a_point_is_its_text_alone() -> None:
    noted = Noted("JFK")
    noted.record = RECORDS[0]
    cases: list[tuple[Domain[Any], Any]] = [(Strings("origin"), noted), (DOMAIN, (noted, noted, 9))]
    for domain, x in cases:
        (point,) = sample_from_arrays([x], [1], domain).points
        values = point if isinstance(point, tuple) else (point,)
        assert {type(value) for value in values} <= {str, int}


@pytest.mark.parametrize("source", SOURCES)
@pytest.mark.parametrize("varied", [0, 1, 12])
def test_a_wide_table_is_read_however_few_values_it_has(
    source: str, varied: int, tmp_path: Path
) -> None:
    """Whether records are counted in a table or sorted depends on how many values they have."""
    names = [f"c{i}" for i in range(100)]
    rng = random.Random(2)
    columns: dict[str, list[Any]] = {name: ["a"] * 40 for name in names}
    for name in names[50 : 50 + varied]:
        columns[name] = rng.choices("ab", k=40)
    columns["late"] = rng.choices([0, 1], k=40)
    domain = Product(tuple(map(Strings, names)))
    sample = read(SOURCES[source](columns, tmp_path), domain, LABEL)
    records = zip(*(columns[name] for name in names), strict=True)
    assert examples(sample) == Counter(zip(records, columns["late"], strict=True))
