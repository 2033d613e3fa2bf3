"""Rows of small numbers and how often each occurs, without a Python object for a row."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence

import numpy as np
import numpy.typing as npt

from littlestone.data.coding import Codes, table_size
from littlestone.data.sample import Places

_WORD = 63  # the bits of a word: those of an int64 without its sign
_FEW = 2**18  # fewer rows than this are not worth merging


class Tally:
    """Counts of rows of codes.

    A row is packed into one word of 63 bits, or into several if its columns are wider, and its count
    takes 8 bytes.  Parts are sorted, so that a stable sort merges them in one pass.  At its peak,
    merging D distinct rows of one word takes about 50 D bytes.

    >>> tally = Tally(2)
    >>> tally.add([np.array([1, 0, 1]), np.array([2, 2, 2])], [2, 3], np.array([1, 1, 5]))
    >>> columns, counts = tally.take_rows()
    >>> [column.tolist() for column in columns], counts.tolist()
    ([[0, 1], [2, 2]], [1, 6])
    """

    def __init__(self, columns: int) -> None:
        self._widths = [0] * columns
        # Parts of distinct rows: how wide the columns were, and the words and the counts.
        self._parts: list[tuple[list[int], list[Codes]]] = []
        self._listed = self._distinct = 0  # rows in all parts, and after they were last merged

    def __bool__(self) -> bool:
        return bool(self._parts)

    def add(self, columns: Sequence[Places], sizes: Sequence[int], counts: Codes) -> None:
        """Count rows; the codes of column j lie in 0, ..., ``sizes[j]`` - 1, below 2^31."""
        if not len(counts):
            return
        known = zip(self._widths, sizes, strict=True)
        self._widths = [max(width, (size - 1).bit_length()) for width, size in known]
        rows = [*_pack(columns, self._widths), counts]
        self._keep(_merge_rows(rows, sum(self._widths)))
        # Merged once the rows grew by half, so all merging costs a constant times one sort.
        if self._listed > self._distinct * 3 // 2 + _FEW:
            self._merge()

    def take_rows(self) -> tuple[list[Places], Codes]:
        """Hand over the distinct rows by column, and their counts; at least one was added.

        They are in lexicographic order from the last column, which comes first, to the first.  The
        tally is empty afterwards.
        """
        if len(self._parts) > 1:
            self._merge()
        _, (*words, counts) = self._parts.pop()
        return list(_unpack(words, self._widths)), counts

    def _keep(self, rows: list[Codes]) -> None:
        self._parts.append((self._widths, rows))
        self._listed += len(rows[-1])

    def _merge(self) -> None:
        """Merge equal rows of all parts."""
        parts = [
            rows if widths == self._widths else self._widen(rows, widths)
            for widths, rows in self._parts
        ]
        self._parts, self._listed = [], 0
        # What was taken out is given back before the next is put together.
        rows = [np.concatenate([part.pop(0) for part in parts]) for _ in range(len(parts[0]))]
        self._keep(_merge_rows(rows, sum(self._widths)))
        self._distinct = self._listed

    def _widen(self, rows: Sequence[Codes], widths: Sequence[int]) -> list[Codes]:
        *words, counts = rows
        return [*_pack(_unpack(words, widths), self._widths), counts]


def _merge_rows(rows: list[Codes], bits: int) -> list[Codes]:
    """The distinct rows of words in order, and the sums of their counts, the last of ``rows``.

    The list is emptied on the way, so that its arrays are given back early.
    """
    # The rows come in the same order from both: by the words, the last one first.
    if bits < _WORD and 2**bits <= table_size(len(rows[-1])):
        word, counts = rows
        table = np.zeros(2**bits, np.int64)
        np.add.at(table, word, counts)
        distinct = np.flatnonzero(table)
        return [distinct, table[distinct]]
    order = np.lexsort(rows[:-1])
    *words, counts = (rows.pop(0)[order] for _ in range(len(rows)))
    del order
    starts = np.flatnonzero(first_of_equals(words))
    return [*(word[starts] for word in words), np.add.reduceat(counts, starts)]


def first_of_equals(columns: Sequence[Places]) -> npt.NDArray[np.bool_]:
    """Whether each row is the first, or differs from the one before it; there is at least one."""
    first = np.ones(len(columns[0]), bool)
    first[1:] = np.logical_or.reduce([codes[1:] != codes[:-1] for codes in columns])
    return first


def _fields(widths: Sequence[int]) -> Iterator[tuple[int, int]]:
    """The word and the place in it of each column, from the least to the most significant."""
    word = place = 0
    for width in widths:
        # No column is cut in two: it goes to the next word.
        if place + width > _WORD:
            word, place = word + 1, 0
        yield word, place
        place += width


def _pack(columns: Iterable[Places], widths: Sequence[int]) -> list[Codes]:
    words: list[Codes] = []
    for column, (word, place) in zip(columns, _fields(widths), strict=True):
        field = column.astype(np.int64) << place
        if word == len(words):
            words.append(field)
        else:
            words[word] |= field
    return words


def _unpack(words: Sequence[Codes], widths: Sequence[int]) -> Iterator[Places]:
    for (word, place), width in zip(_fields(widths), widths, strict=True):
        field = words[word] >> place
        field &= 2**width - 1
        yield field.astype(np.int32)
