"""The same table gives the same sample, whatever kind of source it comes from."""

from __future__ import annotations

import random
from collections.abc import Callable
from decimal import Decimal
from fractions import Fraction
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pytest
from sources import FILES, FRAMES, Columns, csv_file, pandas_inferred, parquet_file, plain, read

from each import each
from littlestone.data import Label, open_table, read_mapped, sample_from_arrays
from littlestone.data.sample import Sample
from littlestone.points import Domain, Grid, Integers, Names, Reals, Strings

Source = Callable[[Columns, Path], Any]

COLUMNS: dict[str, list[Any]] = {
    "whole": [3, -7, None, 3, 250, 0, 3, None],
    "price": [0.25, -1.5, None, 1e6, 0.29, 1234.56, 0.25, 7.0],
    "city": ["Bonn", "", None, "Köln", "Bonn", "a,b", 'say "hi"', "two\rparts"],
    "flag": [True, False, None, True, True, False, False, True],
    "late": ["yes", "no", "yes", None, "no", "yes", "no", "yes"],
}
LATE = Label.parse("late", "yes")
CENTS = Decimal("0.01")

DOMAINS: list[Domain[Any]] = [
    Grid(-5, 100, "whole"),
    Integers("whole"),
    Strings("whole"),
    Names(("0", "3", "-7"), "whole", other="0"),
    Grid(-100, 100_000, "price", CENTS),
    Integers("price"),
    Reals("price"),
    Strings("price"),
    Grid(-5, 5, "city"),
    Strings("city"),
    Names(("Bonn", "Köln", "?"), "city", other="?"),
    Grid(0, 1, "flag"),
    Names(("False", "True"), "flag"),
    Strings("flag"),
    Strings("late"),
]


def expected(domain: Domain[Any], label: Label) -> dict[Any, tuple[int, int]]:
    """One record after the other, from its Python values."""
    counts: dict[Any, list[int]] = {}
    for x, y in zip(COLUMNS[domain.name], COLUMNS[label.column], strict=True):
        counts.setdefault(domain.encode(x), [0, 0])[label(y)] += 1
    return {x: (zeros, ones) for x, (zeros, ones) in counts.items()}


@each("source", [*FILES, *FRAMES], ids=lambda source: source.__name__)
@each("domain", DOMAINS, ids=lambda d: f"{type(d).__name__}-{d.name}")
def test_every_source_gives_the_same_sample(
    source: Source, domain: Domain[Any], tmp_path: Path
) -> None:
    found = read(source(COLUMNS, tmp_path), domain, LATE)
    if source in FILES and isinstance(domain, Strings) and domain.name == "price":
        # A CSV file holds the text 7.0, a column of floats the number 7.
        whole = {x: x.removesuffix(".0") for x in found.points}
        found = Sample.from_counts(
            domain,
            {whole[x]: [int(zeros), int(ones)] for x, (zeros, ones) in plain(found).items()},
        )
    assert plain(found) == expected(domain, LATE)
    assert found.n == 8


@each("source", [*FILES, *FRAMES], ids=lambda source: source.__name__)
@each(
    "label",
    [
        Label.parse("whole", ">= 3"),
        Label.parse("price", "< 0.29"),
        Label.parse("flag", True),
        Label.parse("flag", 1),
        Label.parse("late", "!= yes"),
    ],
    ids=str,
)
def test_every_source_gives_the_same_labels(source: Source, label: Label, tmp_path: Path) -> None:
    domain = Grid(-5, 100, "whole")
    assert plain(read(source(COLUMNS, tmp_path), domain, label)) == expected(domain, label)


@pytest.mark.parametrize("source", [*FILES, *FRAMES], ids=lambda source: source.__name__)
def test_the_target_may_be_the_feature(source: Source, tmp_path: Path) -> None:
    label = Label.parse("price", "> 1")
    domain = Grid(-5, 5, "price")
    assert plain(read(source(COLUMNS, tmp_path), domain, label)) == expected(domain, label)


@pytest.mark.parametrize("source", [*FILES, *FRAMES], ids=lambda source: source.__name__)
def test_points_to_predict_come_in_the_order_of_the_records(source: Source, tmp_path: Path) -> None:
    domain = Grid(-5, 100, "price")
    table = open_table(source(COLUMNS, tmp_path))
    assert list(read_mapped(table, domain, list)) == [domain.encode(x) for x in COLUMNS["price"]]


@each("domain", DOMAINS[4:], ids=lambda d: f"{type(d).__name__}-{d.name}")
@each(
    "array",
    [
        list,
        tuple,
        lambda v: np.array(v, dtype=object),
        lambda v: pd.Series(v, dtype=object),
        pl.Series,
        pa.array,
        lambda v: pa.chunked_array([pa.array(v)]),
        iter,
    ],
    ids=["list", "tuple", "numpy", "pandas", "polars", "arrow", "chunked", "iterator"],
)
def test_arrays_give_the_same_sample(array: Callable[[Any], Any], domain: Domain[Any]) -> None:
    x, y = array(COLUMNS[domain.name]), array(COLUMNS["late"])
    assert plain(sample_from_arrays(x, y, domain, positive="yes")) == expected(domain, LATE)


@pytest.mark.parametrize("array", [np.array, pd.Series, pl.Series, pa.array, list])
@pytest.mark.parametrize("positive", [1, True, "1", "True", ">= 1"])
def test_arrays_of_labels(array: Callable[[Any], Any], positive: object) -> None:
    x, y = array([4, 2, 9]), array([True, False, True])
    sample = sample_from_arrays(x, y, Grid(0, 5), positive=positive)
    assert plain(sample) == {4: (0, 1), 2: (1, 0), 5: (0, 1)}


def test_float_arrays_with_missing_values() -> None:
    x = np.array([1.5, np.nan, np.inf, -np.inf, -0.0])
    found = plain(sample_from_arrays(x, np.array([1, 1, 1, 0, 0]), Grid(-3, 3)))
    assert found == {1: (0, 1), -3: (1, 1), 3: (0, 1), 0: (1, 0)}


@pytest.mark.parametrize("dtype", ["float32", "float16"])
def test_narrow_floats_stand_for_their_shortest_decimal(dtype: str, tmp_path: Path) -> None:
    """0.29 kept in 32 bits is 0.28999999166; it is still 29 cents, as it is in a CSV file."""
    prices = np.array([0.29, 0.57, 0.01], dtype=dtype)
    cents = Grid(0, 99, "price", CENTS)
    late = np.array([1, 1, 1])
    paid = Label.parse("late", 1)
    table: Any = {"price": prices, "late": late}
    expected = {29: (0, 1), 57: (0, 1), 1: (0, 1)}
    frames = [pd.DataFrame(table), pl.DataFrame(table), pa.table(table)]
    for source in [*frames, parquet_file(table, tmp_path)]:
        assert plain(read(source, cents, paid)) == expected
    for array in (prices, pd.Series(prices), pl.Series(prices), pa.array(prices)):
        assert plain(sample_from_arrays(array, late, cents)) == expected


def test_narrow_floats_may_be_missing() -> None:
    array = pd.array([0.29, None], dtype="Float32")
    frame = pd.DataFrame({"price": array, "late": [1, 1]})
    expected = {29: (0, 1), 0: (0, 1)}
    cents = Grid(0, 99, "price", CENTS)
    assert plain(read(frame, cents, Label.parse("late", 1))) == expected
    assert plain(sample_from_arrays(array, [1, 1], cents)) == expected


WIDE = [2**53 + 1, 2**53 + 2, 2**62 + 1, -(2**53) - 1, 2**63 - 1, -(2**63)]


@each("source", [*FILES, *FRAMES], ids=lambda source: source.__name__)
@each(
    ("domain", "points"),
    [
        (Grid(-(2**63), 2**63 - 1, "id"), WIDE),
        (Integers("id"), WIDE),
        (Strings("id"), [str(i) for i in WIDE]),
    ],
    ids=["Grid", "Integers", "Strings"],
)
def test_whole_numbers_beyond_doubles_stay_exact(
    source: Source, domain: Domain[Any], points: list[Any], tmp_path: Path
) -> None:
    columns: Columns = {"id": WIDE, "y": [1] * len(WIDE)}
    found = read(source(columns, tmp_path), domain, Label.parse("y", 1))
    assert plain(found) == dict.fromkeys(points, (0, 1))


def test_wide_whole_numbers_stay_exact_beside_missing_ones(tmp_path: Path) -> None:
    columns: Columns = {"id": [2**53 + 1, None, 2**62 + 1], "y": [1, 1, None]}
    expected = {str(2**53 + 1): (0, 1), "": (0, 1), str(2**62 + 1): (1, 0)}
    nullable = pd.DataFrame({name: pd.array(v, dtype="Int64") for name, v in columns.items()})
    sources = [csv_file(columns, tmp_path), parquet_file(columns, tmp_path), nullable]
    for source in [*sources, pl.DataFrame(dict(columns)), pa.table(dict(columns))]:
        assert plain(read(source, Strings("id"), Label.parse("y", 1))) == expected


def test_unsigned_whole_numbers_stay_exact() -> None:
    values = np.array([2**64 - 1, 2**63], dtype=np.uint64)
    expected = {2**64 - 1: (0, 1), 2**63: (0, 1)}
    for source in (pd.DataFrame, pl.DataFrame, pa.table):
        table = source({"id": values, "y": np.array([1, 1])})
        assert plain(read(table, Integers("id"), Label.parse("y", 1))) == expected


@pytest.mark.parametrize(
    ("dtype", "least"), [(pl.Int8, -128), (pl.UInt8, 0), (pl.Int64, -(2**63)), (pl.UInt64, 2**64 - 256)]
)  # fmt: skip
def test_many_whole_numbers_of_a_short_range(dtype: Any, least: int) -> None:
    """They are coded by their distance from the least, which a narrow type does not hold."""
    numbers = range(least, least + 256)
    frame = pl.DataFrame({"id": pl.Series([*numbers] * 16, dtype=dtype), "y": 1})
    found = plain(read(frame, Integers("id"), Label.parse("y", 1)))
    assert found == dict.fromkeys(numbers, (0, 16))


@pytest.mark.parametrize("unit", [CENTS, Decimal("0.1"), Decimal("0.25"), Decimal(3)])
def test_a_grid_takes_the_exact_floor(unit: Decimal, tmp_path: Path) -> None:
    rng = random.Random(7)
    cents = Grid(-5000, 5000, "v", unit)
    step = Fraction(unit)
    texts = [f"{rng.randint(-9999, 9999)}.{rng.randrange(10**k):0{k}d}" for k in (1, 2, 3, 9, 40)]
    texts += [str(k * unit) for k in range(-40, 40)]
    texts += [str(rng.uniform(-60, 60)) for _ in range(100)]
    texts += [f"{rng.randint(-999, 999)}e{rng.randint(-30, 3)}" for _ in range(100)]
    for text in texts:
        floor = min(max(Fraction(text) // step, -5000), 5000)
        assert cents.encode(text) == floor
        if repr(float(text)) == text:
            assert cents.encode(float(text)) == floor
            assert cents.encode(np.float64(text)) == floor
        # Thresholds lose nothing: v >= t * unit iff the point of v is at least t.
        for t in {min(max(floor + shift, -4999), 5000) for shift in (-1, 0, 1)}:
            assert (Fraction(text) >= t * step) == (cents.encode(text) >= t)


def test_frames_as_their_own_writers_save_them(tmp_path: Path) -> None:
    """A frame and the CSV file that its library makes of it agree, also on truth values."""
    domain, label = Grid(-100, 100_000, "price", CENTS), Label.parse("flag", True)
    for written in ("pandas.csv", "polars.csv"):
        path = tmp_path / written
        if written == "pandas.csv":
            pandas_inferred(COLUMNS, tmp_path).to_csv(path, index=False)
        else:
            pl.DataFrame(COLUMNS).write_csv(path)
        assert plain(read(path, domain, label)) == expected(domain, label)
