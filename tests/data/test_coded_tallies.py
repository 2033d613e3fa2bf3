"""Counts of packed rows are those of the rows, however many words they take."""

from __future__ import annotations

import random
import tracemalloc
from collections import Counter
from collections.abc import Iterator, Sequence
from typing import Any

import numpy as np
import pyarrow as pa
import pytest

from each import each
from littlestone import core
from littlestone.data import Label, coding, open_table, read_sample
from littlestone.data.coding import (
    CodedColumn,
    LazyValues,
    Numbering,
    Tally,
    TextNumbering,
    code_column,
    tuples,
)
from littlestone.data.csv_lines import _by_columns, code_block, code_blocks
from littlestone.data.table import ColumnarTable
from littlestone.points import Domain, Integers, Product, Strings, text
from planting import Fault, turns_red


@each("sizes", [[3, 5], [2**20, 2**20], [2**40, 2**40, 2**40]])
def test_distinct_rows_are_those_of_numpy(sizes: list[int]) -> None:
    """They are counted, sorted by one number, and numbered anew between two columns."""
    rng = np.random.default_rng(1)
    columns = [rng.integers(0, 3, 200) * (size // 3) for size in sizes]
    rows, places = tuples(columns, sizes)
    distinct, numbers = np.unique(np.array(columns), axis=1, return_inverse=True)
    assert np.array_equal(rows, distinct)
    assert np.array_equal(places, numbers)


@each("few", [4, 2**18])
@each("seed", range(25))
def test_counts_are_those_of_a_counter(
    seed: int, few: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Columns of 0 to 31 bits, which grow, so that rows take one word up to eight."""
    monkeypatch.setattr(coding, "_FEW", few)
    rng = random.Random(seed)
    columns = rng.choice([1, 2, 3, 5, 15])
    most = [rng.choice([1, 2, 3, 2**9, 2**16, 2**31]) for _ in range(columns)]
    tally, expected = Tally(columns), Counter[tuple[int, ...]]()
    known = [sorted({rng.randrange(size) for _ in range(4)} | {size - 1}) for size in most]
    for batch in range(1, 9):
        # Later batches have later codes, as values are numbered when they first appear.
        seen = [values[: 1 + batch * len(values) // 8] for values in known]
        rows = [tuple(map(rng.choice, seen)) for _ in range(rng.choice([0, 1, 30, 200]))]
        counts = [rng.choice([1, 2, 2**40]) for _ in rows]
        for row, count in zip(rows, counts, strict=True):
            expected[row] += count
        coded = np.array(rows, np.int64).reshape(len(rows), columns).T
        tally.add(list(coded), [values[-1] + 1 for values in seen], np.array(counts, np.int64))
    assert bool(tally) == bool(expected)
    if not expected:
        return
    found, totals = tally.take_rows()
    listed = list(zip(*(column.tolist() for column in found), strict=True))
    assert dict(zip(listed, totals.tolist(), strict=True)) == expected
    assert listed == sorted(expected, key=lambda row: row[::-1])
    assert not tally


class Pairs(ColumnarTable):
    """Batches of 2^15 different pairs of whole numbers, and a label."""

    name, columns = "pairs", ("a", "b", "y")
    size = 2**18

    def batches(self, columns: Sequence[str]) -> Iterator[list[CodedColumn]]:
        for start in range(0, self.size, 2**15):
            pair = (np.arange(start, start + 2**15) * 0x9E3779B1) % self.size
            places = (pair >> 9, pair & 511, pair % 3 % 2)
            yield [CodedColumn(range(2**9), codes) for codes in places]


def test_a_distinct_tuple_takes_less_than_a_hundred_bytes(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(coding, "_FEW", 2**10)
    monkeypatch.setattr(coding, "table_size", lambda records: 0)  # the pairs are as if spread out
    domain, label = Product((Integers("a"), Integers("b"))), Label.parse("y", "1")
    read_sample(Pairs(), domain, label)  # imports
    tracemalloc.start()
    try:
        sample = read_sample(Pairs(), domain, label)
        peak = tracemalloc.get_traced_memory()[1]
    finally:
        tracemalloc.stop()
    assert len(sample.points) == sample.n == Pairs.size
    assert peak < 100 * Pairs.size


def read(raw: Sequence[bytes]) -> list[str]:
    return [one.decode() for one in raw]


def test_bytes_are_numbered_as_their_texts_are() -> None:
    """Later batches have old and new bytes, and other values in between."""
    numbering = Numbering(str)
    for texts, rest in ((["b", "a"], [None]), (["c", "a", "d"], ["b"]), (["d", "e"], [])):
        # A slice, whose bytes do not begin at 0.
        raw = pa.array([b"else", *map(str.encode, texts)], pa.large_binary())[1:]
        column = CodedColumn(
            LazyValues(raw, read, "utf-8", rest), np.arange(len(texts) + len(rest))
        )
        numbers = numbering(column).tolist()
        assert [numbering.values[k] for k in numbers] == list(map(str, [*texts, *rest]))


def test_a_slice_that_is_read_from_its_beginning_is_seen(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    fault = Fault(
        "littlestone.data.coding:bytes_of",
        "[raw.offset : raw.offset + len(raw) + 1]",
        "[: len(raw) + 1]",
        "a part of an array is read from where the whole begins",
    )
    turns_red(fault, test_bytes_are_numbered_as_their_texts_are, monkeypatch)


CELLS = [
    b"a",
    b"",
    b"b\r",
    b'"a"',
    b'"c""b"',
    b"\xff",
    b"\xfe",
    "\u00e9".encode(),
    b"7",
    b"long cell",
]
OTHERS = [None, 7, 7.0, "a", "7", "\ud800", True]


def compare_numberings(encoding: str) -> None:
    """Cells of CSV with quotes, carriage returns and bytes of no character, and other values."""
    for seed in range(6):
        rng, own, named = random.Random(seed), TextNumbering(), Numbering(text)
        for _ in range(8):
            cells = rng.sample(CELLS, 3)
            lines = [(rng.choice(cells), rng.choice(cells)) for _ in range(12)]
            block = b"".join(b"%b,%b%b" % (*line, rng.choice((b"\n", b"\r\n"))) for line in lines)
            others = code_column(rng.sample(OTHERS, 3))
            for column in (*_by_columns(block, ",", [0, 1], encoding), others):
                assert own(column).tolist() == named(column).tolist()
        assert list(own.values) == list(named.values)
        assert len(own) == len(named)


ENCODINGS = ["utf-8", "latin-1"]


@each("encoding", ENCODINGS)
def test_texts_have_the_numbers_of_their_values(encoding: str) -> None:
    compare_numberings(encoding)


TRIM, TEXTS = "littlestone.data.csv_lines:_trim", "littlestone.data.coding:LazyValues.texts"
FAULTS = [
    Fault(TRIM, "(data == _QUOTE).any()", "False", "quotes are a part of the cell"),
    Fault(TRIM, "(data[last] == _LF) & ", "", "a CR before a separator is left out"),
    Fault(TEXTS, "return None", "pass", "bytes of no character are not replaced"),
    Fault(
        "littlestone.data.csv_lines:_by_columns",
        'if encoding == "utf-8" else _no_texts',
        "",
        "cells in another encoding are taken for UTF-8",
    ),
]


@pytest.mark.deep
@each("fault", FAULTS)
def test_another_text_is_noticed(fault: Fault, monkeypatch: pytest.MonkeyPatch) -> None:
    turns_red(fault, compare_both, monkeypatch)


def compare_both() -> None:
    for encoding in ENCODINGS:
        compare_numberings(encoding)


def test_texts_of_a_part_of_an_array_are_kept() -> None:
    raw = pa.array([b"else", b"b", b"a"], pa.large_binary())[1:]
    column = CodedColumn(LazyValues(raw, read, "utf-8", [], lambda raw: raw), np.arange(2))
    own = TextNumbering()
    assert [own(column).tolist(), list(own.values)] == [[0, 1], ["b", "a"]]


def numbers_of(texts: core.TextNumbers, listed: Sequence[bytes]) -> list[int]:
    ends, found = np.cumsum([0, *map(len, listed)]), np.empty(len(listed), np.int64)
    texts.number(np.frombuffer(b"".join(listed), np.uint8), ends, found)
    numbers: list[int] = found.tolist()
    return numbers


def test_bytes_have_numbers_in_the_order_in_which_they_come() -> None:
    """Of any length, with zeros at the end, and many more than the table has places at first."""
    rng, known, texts = random.Random(1), dict[bytes, int](), core.TextNumbers(7)
    for _ in range(5):
        listed = [rng.randbytes(rng.randrange(3)) + bytes(rng.randrange(12)) for _ in range(4000)]
        assert numbers_of(texts, listed) == [known.setdefault(one, len(known)) for one in listed]
    assert texts.size() == len(known) > 5000


def test_bytes_of_one_hash_are_told_apart() -> None:
    """The second words undo what the first ones did, which takes the seed; and one of one word."""
    seed, ones = 5, 2**64 - 1
    begin, other = (seed ^ length * 0xC4CEB9FE1A85EC53 & ones for length in (16, 8))
    mixed = [(begin ^ word) * 0xFF51AFD7ED558CCD & ones for word in range(9)]
    mixed = [(state ^ state >> 32) * seed & ones for state in mixed]
    states = [state ^ state >> 29 for state in mixed]
    listed = [
        word.to_bytes(8, "little") + state.to_bytes(8, "little")
        for word, state in enumerate(states)
    ]
    listed.append(other.to_bytes(8, "little"))
    assert numbers_of(core.TextNumbers(seed), listed + listed) == [*range(10), *range(10)]


def test_blocks_that_are_handed_over_together_are_those_one_by_one() -> None:
    """Two blocks with a missing cell and a line that is read by itself, each of another text."""
    blocks = [b"a,b\n" * 40_000 + b"%d\n" % k + b'x"y,"%d"z"\n' % k for k in (7, 8, 9)]
    alone = [code_block(block, ",", [0, 1]) for block in blocks]
    (found,) = code_blocks(blocks, ",", [0, 1])
    for j, column in enumerate(found):
        assert column.to_list() == [text for block in alone for text in block[j].to_list()]


def test_a_product_of_one_column_of_texts_has_tuples() -> None:
    """Rules on one open column read no bare texts: these would be in no group at all."""
    table = open_table(pa.table({"a": ["x", "y", "x"], "y": [1, 0, 1]}))
    cases: list[tuple[Domain[Any], list[Any]]] = [
        (Strings("a"), ["x", "y"]),
        (Product((Strings("a"),)), [("x",), ("y",)]),
    ]
    for domain, points in cases:
        found = read_sample(table, domain, Label.parse("y", 1))
        assert (sorted(found.points), found.counts.sum()) == (points, 3)
