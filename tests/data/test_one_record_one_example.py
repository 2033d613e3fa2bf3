"""Reading is total, and a record's encoding depends on that record alone, whatever it holds.

For every kind of source: the sample of a table is the sum of the samples of its records, each read
as a table of its own; and replacing one record removes one example and adds one, and no more.
"""

from __future__ import annotations

import csv
import gzip
import io
import random
from collections import Counter
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from decimal import Decimal
from itertools import product
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pytest
from pyarrow import parquet
from sources import examples, plain, read

from each import each, in_turn
from littlestone.data import Condition, Label, Table, frames, open_table, sample_from_arrays
from littlestone.data.sample import Sample
from littlestone.points import Disjoint, Domain, Grid, Integers, Names, Product, Reals, Strings
from planting import Fault, turns_red

Records = Sequence[tuple[Any, Any]]

DOMAINS: list[Domain[Any]] = [
    Grid(-9, 9, "x", Decimal("0.01")),
    Strings("x"),
    Integers("x"),
    Reals("x"),
    Names(("?", "1", "1.0", "True", "ab"), "x"),
]
LABELS = [
    Label("y", Condition("==", "1")),
    Label("y", Condition(">", "0.5")),
    Label("y", Condition("!=", "True")),
]

TEXTS = [
    "", " ", "1", "1.0", "-0", "0", "True", "true", "nan", "inf", "-inf", "1e999999999",
    "-1e999999999", "1e-999999999", "9" * 5000, "1" + "0" * 100, "NA", "None", "<NA>", "sNaN",
    "１２", "1_0", "ab", 'a"b', '"', "a,b", "a\nb", "\r", "\x00", "\ufeff1", "é", "💩", "0x10",
]  # fmt: skip


class Awkward:
    """An object of which nothing works."""

    def __str__(self) -> str:
        raise RuntimeError("secret")

    __repr__ = __str__

    def __eq__(self, other: object) -> bool:
        raise RuntimeError("secret")

    __hash__ = None  # type: ignore[assignment]


def _deep() -> list[Any]:
    deep: list[Any] = []
    for _ in range(20_000):
        deep = [deep]
    return deep


OBJECTS: list[Any] = [
    *TEXTS, 1, 1.0, True, False, 0, -0.0, 0.0, None, [1], [True], (1,), (True,), (1.0,), {"a": 1},
    float("nan"), float("inf"), float("-inf"), pd.NA, pd.NaT, 10**5000, -(10**5000), 2**63, 1e308,
    Decimal("1.0"), Decimal("1.00"), Decimal("sNaN"), Decimal("Infinity"), np.float64("nan"),
    np.float32(0.29), np.int64(1), np.bool_(True), b"\xff", "\ud800", 1 + 2j, _deep(), Awkward(),
    np.datetime64("NaT"), pd.Timestamp("2020-01-01"), object, frozenset({1}), np.array([1, 2]),
]  # fmt: skip
FLOATS: list[Any] = [0.0, -0.0, 1.0, 0.29, 1e-38, 1e38, float("nan"), float("inf"), -float("inf")]
WHOLE: list[Any] = [0, 1, -1, 2**53 + 1, 2**63 - 1, -(2**63)]
TRUTHS: list[Any] = [True, False]
BYTES = [b"", b"1", b"ab", b"\xff", b"\xc3", b"a\xffb", b"\xed\xa0\x80", b"1.0", b"\x00"]


@dataclass(frozen=True)
class Kind:
    """A kind of source: values that its records may hold, and how a table is made of records."""

    name: str
    values: Sequence[Any]
    make: Callable[[Records, Path], object]


def _columns(records: Records) -> tuple[list[Any], list[Any]]:
    return [x for x, _ in records], [y for _, y in records]


def _csv(records: Records, folder: Path) -> Path:
    text = io.StringIO(newline="")
    csv.writer(text, quoting=csv.QUOTE_ALL).writerows([("x", "y"), *records])
    path = folder / "table.csv"
    path.write_bytes(text.getvalue().encode())
    return path


def _spanning(records: Records, folder: Path) -> Table:
    return open_table(_csv(records, folder), multiline=True)


def _raw_csv(records: Records, folder: Path) -> Path:
    """Lines as they are: a record is the bytes of a line."""
    path = folder / "table.csv.gz"
    lines = [b"x,y", *(x + y for x, y in records)]
    path.write_bytes(gzip.compress(b"\r\n".join([*lines, b""]), compresslevel=0))
    return path


def _pandas(dtype: Any) -> Callable[[Records, Path], object]:
    def make(records: Records, folder: Path) -> object:
        x, y = (pd.Series(values, dtype=dtype) for values in _columns(records))
        return pd.DataFrame({"x": x, "y": y})

    return make


def _polars(dtype: Any) -> Callable[[Records, Path], object]:
    def make(records: Records, folder: Path) -> object:
        x, y = _columns(records)
        return pl.DataFrame([pl.Series("x", x, dtype=dtype), pl.Series("y", y, dtype=dtype)])

    return make


def _arrow(dtype: Any) -> Callable[[Records, Path], Any]:
    def make(records: Records, folder: Path) -> Any:
        arrays = [_unchecked(column, dtype) for column in _columns(records)]
        return pa.table(dict(zip(("x", "y"), arrays, strict=True)))

    return make


def _unchecked(values: list[Any], dtype: Any) -> Any:
    """An array; bytes become texts as they are, whether they are UTF-8 or not."""
    if not any(isinstance(value, bytes) for value in values):
        return pa.array(values, type=dtype)
    binary = pa.array(values, pa.binary())
    return pa.Array.from_buffers(pa.string(), len(values), binary.buffers())


def _parquet(dtype: Any) -> Callable[[Records, Path], Path]:
    def make(records: Records, folder: Path) -> Path:
        path = folder / "table.parquet"
        parquet.write_table(_arrow(dtype)(records, folder), path, row_group_size=2)
        return path

    return make


def _pandas_over_arrow(records: Records, folder: Path) -> object:
    return _arrow(pa.string())(records, folder).to_pandas(types_mapper=pd.ArrowDtype)


MISSING = [None]
RAW = [b"1", b"", b"ab", b'a"b', b"\xff", b"\x00", b"1e999999999", b'"q"z', b" ", b"nan", b'""',
       b"", b'"', b'"a', b'a"', b'"a""', b'"\r', b'"a"b"', b"\r", b'""a"']  # fmt: skip
DECIMALS = [Decimal("1.00"), Decimal("-3.25"), None]
CATEGORIES = [
    pd.CategoricalDtype(pd.Index(["1", "1.0", "ab", "True"], dtype=object)),
    pd.CategoricalDtype(["1", "1.0", "ab", "True"]),
    pd.CategoricalDtype([1, 0, -7]),
    pd.CategoricalDtype([1.0, 2.5]),
]

KINDS = [
    Kind("csv", [text for text in TEXTS if "\n" not in text], _csv),
    Kind("csv of several lines", TEXTS, _spanning),
    Kind("raw csv", [b"".join(p) for p in product(RAW, [b",", b"", b'"'])], _raw_csv),
    Kind("pandas objects", OBJECTS, _pandas(object)),
    Kind("pandas float64", FLOATS, _pandas("float64")),
    Kind("pandas float32", FLOATS, _pandas("float32")),
    Kind("pandas Float64", [*FLOATS, pd.NA], _pandas("Float64")),
    Kind("pandas Int64", [*WHOLE, pd.NA], _pandas("Int64")),
    Kind("pandas boolean", [*TRUTHS, pd.NA], _pandas("boolean")),
    Kind("pandas bool", TRUTHS, _pandas("bool")),
    Kind("pandas str", TEXTS + MISSING, _pandas("str")),
    Kind("pandas string", TEXTS + MISSING, _pandas("string")),
    *(
        Kind(f"pandas {kind.categories.dtype} categories", [*kind.categories, None], _pandas(kind))
        for kind in CATEGORIES
    ),
    Kind("pandas arrow", [*FLOATS, pd.NA], _pandas("double[pyarrow]")),
    Kind("polars floats", FLOATS + MISSING, _polars(pl.Float64)),
    Kind("polars Float32", FLOATS + MISSING, _polars(pl.Float32)),
    Kind("polars whole", WHOLE + MISSING, _polars(pl.Int64)),
    Kind("polars texts", TEXTS + MISSING, _polars(pl.String)),
    Kind("polars categories", TEXTS + MISSING, _polars(pl.Categorical)),
    Kind("polars bool", TRUTHS + MISSING, _polars(pl.Boolean)),
    Kind("polars decimals", DECIMALS, _polars(pl.Decimal(10, 2))),
    Kind("polars objects", OBJECTS, _polars(pl.Object)),
    Kind("arrow floats", FLOATS + MISSING, _arrow(pa.float64())),
    Kind("arrow float32", FLOATS + MISSING, _arrow(pa.float32())),
    Kind("arrow texts", TEXTS + MISSING, _arrow(pa.string())),
    Kind("arrow views", TEXTS + MISSING, _arrow(pa.string_view())),
    Kind("arrow bad texts", BYTES + MISSING, _arrow(pa.string())),
    Kind("pandas bad texts", BYTES + MISSING, _pandas_over_arrow),
    Kind("arrow categories", TEXTS + MISSING, _arrow(pa.dictionary(pa.int32(), pa.string()))),
    Kind("arrow decimals", DECIMALS, _arrow(pa.decimal128(10, 2))),
    Kind("parquet floats", FLOATS + MISSING, _parquet(pa.float64())),
    Kind("parquet whole", WHOLE + MISSING, _parquet(pa.int64())),
    Kind("parquet texts", TEXTS + MISSING, _parquet(pa.string())),
    Kind("parquet bad texts", BYTES + MISSING, _parquet(pa.string())),
    Kind("parquet bool", TRUTHS + MISSING, _parquet(pa.bool_())),
]


def _differences(first: Counter[Any], second: Counter[Any]) -> tuple[int, int]:
    return (first - second).total(), (second - first).total()


@pytest.mark.parametrize("kind", in_turn(KINDS, 3), ids=lambda kind: kind.name)
def test_a_record_is_encoded_by_itself(kind: Kind, tmp_path: Path) -> None:
    rng = random.Random(3)
    alone: dict[tuple[int, int, int], tuple[Any, int]] = {}

    def record_alone(record: tuple[int, int], chosen: int) -> tuple[Any, int]:
        if (*record, chosen) not in alone:
            values = (kind.values[record[0]], kind.values[record[1]])
            domain, label = DOMAINS[chosen], LABELS[chosen % len(LABELS)]
            (only,) = examples(read(kind.make([values], tmp_path), domain, label)).elements()
            alone[*record, chosen] = only
        return alone[*record, chosen]

    for trial in range(15):
        chosen = trial % len(DOMAINS)
        domain, label = DOMAINS[chosen], LABELS[chosen % len(LABELS)]
        few = rng.sample(range(len(kind.values)), min(5, len(kind.values)))
        places = [(rng.choice(few), rng.choice(few)) for _ in range(rng.randint(1, 9))]
        records = [(kind.values[i], kind.values[j]) for i, j in places]
        sample = read(kind.make(records, tmp_path), domain, label)
        assert sample.n == len(records)
        assert all(x in domain for x in sample.points)
        assert examples(sample) == Counter(record_alone(place, chosen) for place in places)
        for _ in range(3):
            neighbor = list(records)
            neighbor[rng.randrange(len(records))] = tuple(rng.choices(kind.values, k=2))
            other = read(kind.make(neighbor, tmp_path), domain, label)
            removed, added = _differences(examples(sample), examples(other))
            assert removed == added <= 1


@pytest.mark.deep
@pytest.mark.parametrize("kind", KINDS, ids=lambda kind: kind.name)
def test_thousands_of_records_are_the_sum_of_each(
    kind: Kind, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Some of them thousands of times, in batches of any size; texts have 3,000 values more."""
    monkeypatch.setattr(frames, "_BATCH", 5_000)
    rng, domain, label = random.Random(5), Strings("x"), LABELS[0]
    values = [value for value in kind.values if not isinstance(value, list | np.ndarray)]
    records = [(x, y) for x, y in product(rng.sample(values, min(4, len(values))), values[:3])]
    times = [rng.choice([1, 127, 300, 1_001, 4_000]) for _ in records]
    expected = Counter[Any]()
    for record, often in zip(records, times, strict=True):
        (only,) = examples(read(kind.make([record], tmp_path), domain, label)).elements()
        expected[only] += often
    many = [record for record, often in zip(records, times, strict=True) for _ in range(often)]
    if kind.name == "csv" or "texts" in kind.name:
        further = [(f"word {i}", "1") for i in range(3_000)]
        many, expected = many + further, expected + Counter((word, 1) for word, _ in further)
    rng.shuffle(many)
    assert examples(read(kind.make(many, tmp_path), domain, label)) == expected


FAULTS = [
    Fault(
        "littlestone.data.coding:group_rows",
        "counts = np.bincount(key, minlength=size)",
        "counts = np.minimum(np.bincount(key, minlength=size), 1000)",
        "of over 1,000 equal records in a batch 1,000 count",
    ),
    Fault(
        "littlestone.data.coding:TextNumbering._number_bytes",
        "return found",
        "return found - (found > 1000)",
        "after 1,000 values the numbers of further ones are one less",
    ),
]


@pytest.mark.deep
@pytest.mark.parametrize("fault", FAULTS, ids=lambda fault: fault.mistake)
def test_faults_among_thousands_of_records_are_found(
    fault: Fault, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (texts,) = (kind for kind in KINDS if kind.name == "arrow texts")
    turns_red(fault, lambda: summed(texts, tmp_path), monkeypatch)


def summed(kind: Kind, folder: Path) -> None:
    with pytest.MonkeyPatch.context() as patch:
        test_thousands_of_records_are_the_sum_of_each(kind, folder, patch)


@each("domain", DOMAINS, ids=lambda d: type(d).__name__)
@each(
    ("values", "array"),
    [
        (OBJECTS, list),
        (OBJECTS, lambda v: pd.Series(v, dtype=object)),
        (FLOATS, np.array),
        (FLOATS + MISSING, pl.Series),
        (FLOATS + MISSING, pa.array),
        (FLOATS, lambda v: np.array(v, dtype=np.float32)),
    ],
    ids=["list", "pandas", "numpy", "polars", "arrow", "float32"],
)
def test_an_entry_of_an_array_is_encoded_by_itself(
    values: list[Any], array: Callable[[list[Any]], Any], domain: Domain[Any]
) -> None:
    rng = random.Random(4)
    for _ in range(12):
        x, y = rng.choices(values, k=7), rng.choices(values, k=7)
        sample = examples(sample_from_arrays(array(x), array(y), domain))
        single: Counter[Any] = Counter()
        for a, b in zip(x, y, strict=True):
            single += examples(sample_from_arrays(array([a]), array([b]), domain))
        assert sample == single


@each("domain", DOMAINS, ids=lambda d: type(d).__name__)
@each("place", range(len(OBJECTS)))
def test_every_value_has_a_point_and_a_label(place: int, domain: Domain[Any]) -> None:
    value = OBJECTS[place]
    assert domain.encode(value) in domain
    assert domain.reads(value) in (True, False)
    for label in LABELS:
        assert label(value) in (0, 1)
        assert label.reads(value) in (True, False)


def test_late_objects_do_not_change_early_ones() -> None:
    """What a pandas column holds is not told by its first hundred values."""
    values: list[Any] = ["x"] * 150 + [1, True, 1.0, [1], pd.NA, 10**5000]
    frame = pd.DataFrame({"x": pd.Series(values, dtype=object), "y": 1})
    found = plain(read(frame, Strings("x"), LABELS[0]))
    assert found == {
        "x": (0, 150), "1": (0, 2), "True": (0, 1), "[1]": (0, 1), "": (0, 2),
    }  # fmt: skip


def test_ragged_blank_and_broken_lines(tmp_path: Path) -> None:
    path = tmp_path / "table.csv"
    path.write_bytes(
        b'\xef\xbb\xbfx,y,z\n3,1,0\n4\n\n5,1\n6,1,0,9,9,9\r\n,\n"7,1"\n8\xff,1\nab"c,1\n"a"b,1\n'
    )
    assert plain(read(path, Strings("x"), LABELS[0])) == {
        "3": (0, 1), "4": (1, 0), "5": (0, 1), "6": (0, 1), "": (2, 0), "7,1": (1, 0),
        "8\ufffd": (0, 1), 'ab"c': (0, 1), "ab": (0, 1),
    }  # fmt: skip


def test_a_quote_that_never_ends_is_no_error(tmp_path: Path) -> None:
    path = tmp_path / "table.csv"
    path.write_bytes(b'x,y\n3,1\n"4,1\n5,1\n')
    found = plain(read(path, Strings("x"), LABELS[0]))
    assert found == {"3": (0, 1), "4,1": (1, 0), "5": (0, 1)}
    found = plain(read(path, Strings("x"), LABELS[0], multiline=True))
    assert found == {"3": (0, 1), "4,1\n5,1\n": (1, 0)}


def test_values_far_longer_than_a_csv_reader_allows(tmp_path: Path) -> None:
    path = tmp_path / "table.csv"
    path.write_bytes(b"x,y\n" + b"9" * 300_000 + b",1\n2,1\n")
    assert plain(read(path, Grid(0, 5, "x"), LABELS[0])) == {5: (0, 1), 2: (0, 1)}


class Text(str):
    """A text that carries more than its characters."""

    patient = "Jane Doe"


class Row(tuple[Any, ...]):
    """A record that carries more than its values."""


ODD: list[tuple[Domain[Any], Any]] = [
    (Strings("x"), Text("ab")),
    (Strings("x"), np.str_("ab")),
    (Names(("?", "ab"), "x"), Text("ab")),
    (Integers("x"), True),
    (Integers("x"), np.int64(1)),
    (Reals("x"), True),
    (Grid(0, 9, "x"), np.int64(1)),
    (Grid(0, 9, "x"), True),
    (Product((Strings("x"), Strings("y"))), Row(("ab", "c"))),
    (Product((Strings("x"), Strings("y"))), (Text("ab"), "c")),
    (Disjoint((Strings("x"), Strings("y"))), Row((0, "ab"))),
    (Disjoint((Strings("x"), Strings("y"))), (False, "ab")),
]


@each(("domain", "x"), ODD, ids=lambda v: f"{v}:{type(v).__name__}")
def test_a_point_is_no_object_of_a_record(domain: Domain[Any], x: Any) -> None:
    """A release would show its type and whatever it carries, which equal points need not share."""
    assert x not in domain
    for sample in (
        Sample.from_examples(domain, [(x, 1)]),
        Sample.from_examples(domain, [(x, "v")], labels=["u", "v"]),
    ):
        (point,) = sample.points
        assert point in domain
        assert point is not x
