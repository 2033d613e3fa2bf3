"""What a library reads only when it must: no record decides between an error and a release."""

from collections.abc import Callable
from itertools import product
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pytest
from pyarrow import parquet

from littlestone.base.errors import TableError
from littlestone.data import Label, csv_lines, open_table, read_sample, sample_from_arrays
from littlestone.data.sample import Sample
from littlestone.points import Disjoint, Grid, Names, Strings
from littlestone.prove.laws.domains import OUTSIDE, hostile

LATE = Label.parse("y", 1)


def texts(*raw: bytes) -> pa.Array:
    """An Arrow array of texts that need not be UTF-8, as a careless program writes it."""
    return pa.Array.from_buffers(pa.string(), len(raw), pa.array(raw, pa.binary()).buffers())


def categories(*raw: bytes) -> pa.Array:
    return pa.DictionaryArray.from_arrays(pa.array(range(len(raw)), pa.int8()), texts(*raw))


def points(frame: object) -> set[Any]:
    return set(read_sample(open_table(frame), Strings("x"), LATE).points)


def as_parquet(table: pa.Table, folder: Path) -> Path:
    path = folder / "table.parquet"
    parquet.write_table(table, path)
    return path


MAKERS: dict[str, Callable[[pa.Array, Path], object]] = {
    "arrow": lambda x, _: pa.table({"x": x, "y": [1, 0]}),
    "parquet": lambda x, folder: as_parquet(pa.table({"x": x, "y": [1, 0]}), folder),
    "pandas": lambda x, _: pd.DataFrame({"x": pd.array(x, "string[pyarrow]"), "y": [1, 0]}),
}


@pytest.mark.parametrize("maker", MAKERS)
def test_a_text_that_is_not_utf8_is_data(maker: str, tmp_path: Path) -> None:
    assert points(MAKERS[maker](texts(b"ok", b"\xff"), tmp_path)) == {"ok", "\ufffd"}


PYTHON = [pd.StringDtype("python"), pd.StringDtype("python", na_value=np.nan), object]


@pytest.mark.parametrize("kind", PYTHON, ids=["NA", "nan", "object"])
def test_half_of_a_surrogate_pair_is_data_in_texts_of_python(kind: Any) -> None:
    x = pd.Series(["ok", "a\ud800", None], dtype=kind)
    assert points(pd.DataFrame({"x": x, "y": [1, 0, 1]})) == {"ok", "a\ufffd", ""}
    sample = sample_from_arrays(["a", "b", "b"], x, Strings(), positive="ok")
    assert (sample.points, sample.positives.tolist()) == (("a", "b"), [1, 0])


@pytest.mark.parametrize("domain", [Strings("x"), Disjoint((Strings("x"), Strings("z")))], ids=str)
def test_objects_of_a_frame_are_data(domain: Any) -> None:
    """None of them is asked what it is, not for the declared type of the column either."""
    for value in [None, *hostile(), *OUTSIDE]:
        x = pd.Series([value, "a"], dtype=object)
        sample = read_sample(open_table(pd.DataFrame({"x": x, "z": x, "y": [1, 0]})), domain, LATE)
        assert sample.n == 2
        records = ([v] * len(domain.column_names) for v in (value, "a"))
        assert set(sample.points) == set(map(domain.encode_record, records))


@pytest.mark.parametrize("maker", ["arrow", "parquet"])
def test_a_category_that_is_not_utf8_is_data(maker: str, tmp_path: Path) -> None:
    assert points(MAKERS[maker](categories(b"ok", b"\xff"), tmp_path)) == {"ok", "\ufffd"}


def test_chunks_with_other_dictionaries_are_one_column() -> None:
    x = pa.chunked_array([categories(b"1", b"2"), categories(b"1", b"3")])
    assert points(pa.table({"x": x, "y": [1, 0, 1, 0]})) == {"1", "2", "3"}


@pytest.mark.parametrize("date", [0, 2**62])
@pytest.mark.parametrize("kind", ["plain", "dictionary", "array"])
def test_dates_are_refused_by_their_type_not_by_their_values(date: int, kind: str) -> None:
    x = pa.array([0, date], pa.timestamp("s"))
    if kind == "dictionary":
        x = pa.DictionaryArray.from_arrays(pa.array([0, 1], pa.int8()), x)
    with pytest.raises(TableError, match="its declared type is"):
        sample_from_arrays(x, [1, 0], Grid(0, 9)) if kind == "array" else points(
            pa.table({"x": x, "y": [1, 0]})
        )


@pytest.mark.parametrize("other", [None, 2.5, 3])
def test_a_missing_or_fractional_record_changes_no_other_one(other: float | None) -> None:
    """pandas and numpy make floats of the whole column; the others keep their points."""
    domain = Names(("other", "1", "2", "3"), "x")
    frame = pd.DataFrame({"x": [1, 2, other], "y": [1, 1, 1]})
    from_frame = read_sample(open_table(frame), domain, LATE)
    array = np.array([1, 2, np.nan if other is None else other])
    from_array = sample_from_arrays(array, [1, 1, 1], domain)
    for sample in (from_frame, from_array):
        assert {"1", "2"} <= set(sample.points)


def test_an_array_without_values_is_all_missing() -> None:
    sample: Sample[int]
    for x in (pa.array([None, None]), pl.Series([None, None]), [None, None]):
        sample = sample_from_arrays(x, [1, 0], Grid(0, 9))
        assert (sample.points, sample.n) == ((0,), 2)


def test_an_empty_line_of_a_single_column_is_a_missing_record(tmp_path: Path) -> None:
    path = tmp_path / "one.csv"
    path.write_text("y\n1\n\n5\n")
    assert read_sample(open_table(path), Grid(0, 9, "y"), LATE).n == 3


@pytest.mark.parametrize(
    "content",
    [
        b"\x80\x04\x95SECRET\x94.",
        "Größe,SECRET\n1,2\n".encode("utf-16"),
        b'x,"y\n1,0\nSECRET,1\n',
        b"",
    ],
)
def test_a_first_line_that_is_no_header_is_not_shown(content: bytes, tmp_path: Path) -> None:
    path = tmp_path / "table.csv"
    path.write_bytes(content)
    with pytest.raises(TableError) as error:
        read_sample(open_table(path), Grid(0, 9, "x"), LATE)
    assert "SECRET" not in str(error.value)


def test_a_missing_header_is_not_shown(tmp_path: Path) -> None:
    path = tmp_path / "table.csv"
    path.write_text("Alice,SECRET,1\nBob,x,0\n")
    with pytest.raises(TableError) as error:
        read_sample(open_table(path), Grid(0, 9, "x"), LATE)
    assert "SECRET" not in str(error.value)
    assert "Alice" not in str(error.value)


@pytest.mark.parametrize("end", [b",", b"\n", b"\r\n", b""])
def test_pieces_decoded_together_are_those_decoded_alone(end: bytes) -> None:
    """Sequences of UTF-8 that are cut short, go on wrongly or are none; empty ends are mixed marks."""
    odd = [b"", b"a", b"\r", b"\xc3", b"\xe2\x82", b"\xf0\x9f\x98", b"\xed\xa0", b"\x80", b"\xff"]
    pieces = [one + two + (end or b",\n"[len(one) % 2 :][:1]) for one, two in product(odd, odd)]
    alone = [csv_lines._cell(piece, ",") for piece in pieces]
    assert csv_lines._cells(pieces, ",") == alone
    quoted = [*pieces, b'"a,b"' + (end or b",")]
    assert csv_lines._cells(quoted, ",") == [*alone, "a,b"]


def test_bytes_that_come_again_keep_their_number(tmp_path: Path) -> None:
    """Two files of one folder: what a piece of a line means depends on the separator, too."""
    (tmp_path / "a.csv").write_bytes(b"t,y\n" + b"u;v,1\n" * 30_000 + b'"u",0\n' * 30_000)
    (tmp_path / "b.tsv").write_bytes(b"t\ty\n" + b"u,v\t1\n" * 30_000 + b"u\t0\n\n" * 30_000)
    sample = read_sample(open_table(tmp_path), Strings("t"), LATE)
    found = dict(zip(sample.points, sample.counts.tolist(), strict=True))
    assert found == {
        "u;v": [0, 30_000],
        "u,v": [0, 30_000],
        "u": [60_000, 0],
        "": [30_000, 0],
    }
