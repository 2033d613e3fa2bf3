"""Counts of packed rows are those of the rows, however many words they take."""

from __future__ import annotations

import random
import tracemalloc
from collections import Counter
from collections.abc import Iterator, Sequence

import numpy as np
import pyarrow as pa
import pytest

from each import each
from littlestone.data import Label, coding, read_sample
from littlestone.data.coding import CodedColumn, LazyValues, Numbering, Tally, tuples
from littlestone.data.csv_lines import code_block, code_blocks
from littlestone.data.table import ColumnarTable
from littlestone.points import Integers, Product


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
        raw = pa.array([text.encode() for text in texts], pa.large_binary())
        column = CodedColumn(
            LazyValues(raw, read, "utf-8", rest), np.arange(len(texts) + len(rest))
        )
        numbers = numbering(column).tolist()
        assert [numbering.values[k] for k in numbers] == list(map(str, [*texts, *rest]))


def test_blocks_that_are_handed_over_together_are_those_one_by_one() -> None:
    """Two blocks with a missing cell and a line that is read by itself, each of another text."""
    blocks = [b"a,b\n" * 40_000 + b"%d\n" % k + b'x"y,"%d"z"\n' % k for k in (7, 8, 9)]
    alone = [code_block(block, ",", [0, 1]) for block in blocks]
    (found,) = code_blocks(blocks, ",", [0, 1])
    for j, column in enumerate(found):
        assert column.to_list() == [text for block in alone for text in block[j].to_list()]
