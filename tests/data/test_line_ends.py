"""A record of a CSV file is what its line says: n never changes with what the line holds.

If records may span lines, the same holds of records as writers write them.
"""

from __future__ import annotations

import csv
import gzip
import io
import random
from collections import Counter
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any
from unittest.mock import patch

import pandas as pd
import polars as pl
import pyarrow as pa
import pytest
from sources import examples, plain, read

from each import each
from littlestone.base.errors import TableError
from littlestone.data import Condition, CsvStream, Label, csv_lines, open_table, read_sample
from littlestone.points import Product, Strings

Record = tuple[str, str, str]

DOMAIN = Product((Strings("x"), Strings("z")))
LABEL = Label("y", Condition("==", "1"))
NAMES = ("x", "y", "z")

# Everything at which something in Python ends a line, and what means something in a CSV file.
MARKS = ["\r", "\n", "\r\n", "\x0b", "\x0c", "\x1c", "\x1d", "\x1e", "\x85", "\u2028", "\u2029",
         "\x00", "\x1a", '"', ",", "\\", "'", "\ufeff", "\udc0d", "\t", ";"]  # fmt: skip
HOSTILE = [
    *MARKS,
    *(f"a{mark}b" for mark in MARKS),
    *(f"{mark}1,1,1{mark}" for mark in MARKS),
    *(2 * mark for mark in MARKS),
    "\r\r\n",
    "1\r2\n3",
    '"\r',
    '\r"',
]


def _written(end: str, quoting: Any) -> Callable[[Sequence[Record]], str]:
    def write(records: Sequence[Record]) -> str:
        text = io.StringIO(newline="")
        csv.writer(text, lineterminator=end, quoting=quoting).writerows([NAMES, *records])
        return text.getvalue()

    return write


def _by_pandas(end: str) -> Callable[[Sequence[Record]], str]:
    def write(records: Sequence[Record]) -> str:
        frame = pd.DataFrame(records, columns=list(NAMES), dtype=object)
        text: str = frame.to_csv(index=False, lineterminator=end)
        return text

    return write


def _by_polars(records: Sequence[Record]) -> str:
    # A half of a pair is no text of polars.
    clean = [[cell.encode("utf-8", "replace").decode() for cell in record] for record in records]
    return pl.DataFrame(clean, schema=list(NAMES), orient="row").write_csv()


WRITERS: dict[str, Callable[[Sequence[Record]], str]] = {
    "csv, LF": _written("\n", csv.QUOTE_MINIMAL),
    "csv, CRLF": _written("\r\n", csv.QUOTE_MINIMAL),
    "csv, all quoted": _written("\n", csv.QUOTE_ALL),
    "pandas, LF": _by_pandas("\n"),
    "pandas, CRLF": _by_pandas("\r\n"),
    "polars": _by_polars,
}


def from_file(content: bytes, folder: Path, multiline: bool) -> Counter[Any]:
    path = folder / "table.csv"
    path.write_bytes(content)
    return examples(read(path, DOMAIN, LABEL, multiline=multiline))


def from_blocks(content: bytes, folder: Path, multiline: bool) -> Counter[Any]:
    """As a large file is read."""
    with patch.multiple(csv_lines, _FEW=0, _SIZE=16):
        return from_file(content, folder, multiline)


def from_gzip(content: bytes, folder: Path, multiline: bool) -> Counter[Any]:
    path = folder / "table.csv.gz"
    path.write_bytes(gzip.compress(content, compresslevel=0))
    return examples(read(path, DOMAIN, LABEL, multiline=multiline))


def from_zstandard(content: bytes, folder: Path, multiline: bool) -> Counter[Any]:
    path = folder / "table.csv.zst"
    with pa.CompressedOutputStream(str(path), "zstd") as stream:
        stream.write(content)
    return examples(read(path, DOMAIN, LABEL, multiline=multiline))


def from_pipe(content: bytes, folder: Path, multiline: bool) -> Counter[Any]:
    stream = CsvStream(io.BytesIO(content), name="pipe", multiline=multiline)
    return examples(read_sample(stream, DOMAIN, LABEL))


SOURCES = [from_file, from_blocks, from_gzip, from_zstandard, from_pipe]


@each("multiline", [False, True])
@each("source", SOURCES, ids=lambda s: s.__name__)
@each("write", WRITERS.values(), ids=WRITERS, quick=4)
def test_a_record_as_writers_write_it_is_one_record(
    write: Callable[[Sequence[Record]], str],
    source: Callable[[bytes, Path, bool], Counter[Any]],
    multiline: bool,
    tmp_path: Path,
) -> None:
    """Replace one cell, or a whole record, by hostile content: n stays, and one example changes."""
    rng = random.Random(6)

    def encoded(records: Sequence[Record]) -> bytes:
        return write(records).encode("utf-8", "surrogatepass")

    records: list[Record] = [(f"x{i}", str(i % 2), f"z{i}") for i in range(5)]
    first = source(encoded(records), tmp_path, multiline)
    assert first.total() == 5
    for cell in HOSTILE:
        if "\n" in cell and not multiline:
            continue
        places = rng.choice([(0,), (1,), (2,), (0, 1, 2)])
        record = rng.randrange(len(records))
        changed = tuple(cell if j in places else value for j, value in enumerate(records[record]))
        neighbor = list(records)
        neighbor[record] = (changed[0], changed[1], changed[2])
        second = source(encoded(neighbor), tmp_path, multiline)
        assert second.total() == 5, repr(changed)
        assert (first - second).total() <= 1, repr(changed)


def test_a_carriage_return_is_text_where_it_ends_no_line(tmp_path: Path) -> None:
    path = tmp_path / "table.csv"
    content = b'x,y\na\rb,1\n\r,1\r\nc,1\r\n"d\re",1\n"f"\r,1\ni\r\r,1\n'
    names = ["a\rb", "\r", "c", "d\re", "f\r", "i\r\r"]
    path.write_bytes(content + b"k\r,1")
    for multiline in (False, True):
        sample = read(path, Strings("x"), LABEL, multiline=multiline)
        assert plain(sample) == dict.fromkeys([*names, "k\r"], (0, 1))
    path.write_bytes(content + b'"g\r\nh",1\n"j\n\r",1\n')
    sample = read(path, Strings("x"), LABEL, multiline=True)
    assert plain(sample) == dict.fromkeys([*names, "g\r\nh", "j\n\r"], (0, 1))
    assert sample.spanning
    path.write_bytes(b"y,x\n1,a\r\r\n1,b\r")
    assert plain(read(path, Strings("x"), LABEL)) == {"a\r": (0, 1), "b\r": (0, 1)}


@pytest.mark.parametrize("last", [b"1,\r", b"1,a\r", b"1,\rb", b'1,"\rb', b'1,"a"\rb', b"1,\r\r"])
def test_a_carriage_return_in_a_last_line_without_an_end(last: bytes, tmp_path: Path) -> None:
    """The csv module would end the line there, or raise."""
    path = tmp_path / "table.csv"
    path.write_bytes(b"y,x\n" + last)
    expected = last.decode()[2:].replace('"', "")
    for multiline in (False, True):
        sample = read(path, Strings("x"), LABEL, multiline=multiline)
        assert plain(sample) == {expected: (0, 1)}


def test_records_of_a_pipe_are_not_waited_for() -> None:
    """A block of a pipe is there only when the pipe has ended."""

    class Pipe(io.BytesIO):
        def read(self, size: int | None = -1) -> bytes:
            raise AssertionError("it waits for more than a line")

    stream = CsvStream(Pipe(b"x,y\na,1\nb,0\n"), name="pipe")
    assert plain(read_sample(stream, Strings("x"), LABEL)) == {"a": (0, 1), "b": (1, 0)}


def test_half_of_a_pair_is_no_carriage_return(tmp_path: Path) -> None:
    path = tmp_path / "table.csv"
    path.write_bytes(b"x,y\na\rb,1\n\xed\xb0\x8d,1\n\xff,1\nc\rd,1\n")
    names = {"\ufffd" * 3, "\ufffd", "a\rb", "c\rd"}
    assert set(read(path, Strings("x"), LABEL).points) == names


@pytest.mark.parametrize(
    "content", [b"x,y\r1,1\r", b"x,y\r1,1\rSECRET,1\n2,1\n", b"x,y\r\r\n1,1\r\r\n"]
)
def test_carriage_returns_alone_end_no_header(content: bytes, tmp_path: Path) -> None:
    path = tmp_path / "table.csv"
    path.write_bytes(content)
    with pytest.raises(TableError, match="carriage return") as error:
        open_table(path)
    assert "SECRET" not in str(error.value)
    assert "LF or CRLF" in str(error.value)


@pytest.mark.parametrize("reason", ["too long", "an error of Arrow"])
def test_a_block_that_arrow_does_not_take_is_read_line_by_line(
    reason: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    block = b'"a,b",1\n\nc"d,2,3\r\n"e\n'
    expected = [["a,b", "", 'c"d', "e"], ["1", "", "2", ""]]
    monkeypatch.setattr(csv_lines, "_FEW", 0)
    assert [column.to_list() for column in csv_lines.code_block(block, ",", [0, 1])] == expected

    def fail(*_: object) -> None:
        raise pa.ArrowInvalid("SECRET")

    if reason == "too long":
        monkeypatch.setattr(csv_lines, "_MOST", 0)
        monkeypatch.setattr(csv_lines, "_by_columns", None)
    else:
        monkeypatch.setattr(csv_lines, "_by_columns", fail)
    assert [column.to_list() for column in csv_lines.code_block(block, ",", [0, 1])] == expected
