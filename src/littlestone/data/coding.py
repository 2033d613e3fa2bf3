"""Columns stored by their distinct values, each encoded once, and counts of rows of their numbers."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Callable, Hashable, Iterable, Iterator, Sequence
from itertools import chain
from math import prod
from os import urandom
from threading import Lock
from typing import Any, Generic, NamedTuple, TypeVar, overload

import numpy as np
from numpy.typing import NDArray

from littlestone.core import TextNumbers
from littlestone.data.sample import Places, Texts
from littlestone.points.base import are_readable_texts, text

Key = TypeVar("Key")
Value = TypeVar("Value")
Codes = NDArray[np.int64]

# Equal values of one of these types have the same text.  Types are compared by id, because a value's
# class may have a metaclass that cannot be hashed or that equals every other class.
_NOTHING = id(type(None))
PLAIN = frozenset({*map(id, (str, int, float, bool)), _NOTHING})

_WORD = 63  # the bits of a word: those of an int64 without its sign
_FEW = 2**18  # fewer rows than this are not worth merging


class CodedColumn(NamedTuple):
    """A column: record i has the raw value ``values[codes[i]]``.

    A value may be listed twice, or belong to no record.
    """

    values: Sequence[object]
    codes: Codes

    def to_list(self) -> list[Any]:
        """The value of each record."""
        listed: list[Any] = _objects(self.values)[self.codes].tolist()
        return listed


class LazyValues(Sequence[object]):
    """Values in an Arrow array of bytes, which are decoded when they are needed, and then other values.

    ``decode`` makes values of such bytes, each by itself, and ``how`` names the way it does so.
    ``trim`` makes an array of their texts in UTF-8, if the values are texts and that is known.

    >>> import pyarrow
    >>> raw = pyarrow.array([b"b", b"a"], pyarrow.large_binary())
    >>> list(LazyValues(raw, lambda raw: [one.decode() for one in raw], "utf-8", [None]))
    ['b', 'a', None]
    """

    def __init__(
        self,
        raw: Any,
        decode: Callable[[Sequence[bytes]], Sequence[object]],
        how: Hashable,
        rest: Sequence[object],
        trim: Callable[[Any], Any] = lambda raw: None,
    ) -> None:
        self.raw, self.decode, self.how, self.rest, self.trim = raw, decode, how, rest, trim

    def __len__(self) -> int:
        return len(self.raw) + len(self.rest)

    def __iter__(self) -> Iterator[object]:
        return chain(self.decode(self.raw.to_pylist()), self.rest)

    def texts(self) -> Any:
        """The values of the Arrow array as texts in UTF-8, again as bytes; None if some are not."""
        from pyarrow import ArrowInvalid, large_string

        trimmed = self.trim(self.raw)
        if trimmed is not None:
            try:
                trimmed.cast(large_string())
            except ArrowInvalid:  # some bytes are no UTF-8, and are replaced when they are decoded
                return None
        return trimmed

    def map_values(self, function: Callable[[object], object]) -> LazyValues:
        """The same with a function of each value in the place of it."""

        def decode(raw: Sequence[bytes]) -> list[object]:
            return list(map(function, self.decode(raw)))

        return LazyValues(self.raw, decode, (self.how, function), list(map(function, self.rest)))

    @overload
    def __getitem__(self, i: int) -> object: ...
    @overload
    def __getitem__(self, i: slice) -> Sequence[object]: ...
    def __getitem__(self, i: int | slice) -> object:
        return list(self)[i]


def _objects(values: Sequence[object]) -> NDArray[np.object_]:
    # One by one: numpy would read nested lists as a table and try to convert values to arrays.
    return np.fromiter(values, dtype=object, count=len(values))


def code_column(values: Sequence[object]) -> CodedColumn:
    """The column of these values; equal values share a code if they certainly have the same text.

    1, 1.0 and True are equal but have different texts.  The code of one record must not depend on
    which of these values another record had first.  Values of richer types are not compared, because
    Decimal("1.0") equals Decimal("1.00"), and (1,) equals (True,).

    >>> code_column(["b", "a", "b"])
    CodedColumn(values=['b', 'a'], codes=array([0, 1, 0]))
    """
    types = set(map(id, map(type, values)))
    # Objects of other types are not compared: that would run code of their class, which may fail,
    # or call two values equal that have different texts.
    if not types <= PLAIN:
        return CodedColumn(values, np.arange(len(values)))
    if len(types - {_NOTHING}) <= 1:
        distinct, codes = _places(values)
        return CodedColumn(distinct, codes)
    # 1, 1.0 and True are equal, but their texts are not, so the type is compared too.
    pairs, codes = _places(list(zip(map(type, values), values, strict=True)))
    return CodedColumn([value for _, value in pairs], codes)


def _places(keys: Sequence[Key]) -> tuple[list[Key], Codes]:
    """The distinct keys, and the place of each key among them; mostly in C."""
    distinct = list(dict.fromkeys(keys))
    place = dict(zip(distinct, range(len(distinct)), strict=True))
    return distinct, np.fromiter(map(place.__getitem__, keys), np.int64, len(keys))


class Numbering(Generic[Value]):
    """The distinct values of a total function, numbered 0, 1, ... in order of appearance.

    >>> lengths = Numbering(len)
    >>> [lengths(code_column(texts)).tolist() for texts in (["b", "a", "bb"], ["ab"])], lengths.values
    ([[0, 0, 1], [1]], [1, 2])
    """

    def __init__(self, function: Callable[[Any], Value]) -> None:
        self._function = function
        self._numbers: dict[Value, int] = {}
        # Separate for each type, because equal values of different types may have different texts.
        self._known: dict[int, dict[object, int]] = defaultdict(dict)
        # By how bytes are decoded: the bytes so far, and the numbers of their values.
        self._raw: dict[Hashable, tuple[TextNumbers, Codes]] = {}
        self._last: tuple[Sequence[object], Codes] = (), np.zeros(0, np.int64)

    @property
    def values(self) -> Sequence[Value]:
        """The values so far, in the order of their numbers."""
        return list(self._numbers)

    def __len__(self) -> int:
        return len(self._numbers)

    def __call__(self, column: CodedColumn) -> Codes:
        """The number of the function's value, for each record."""
        values, numbers = self._last
        # Batches of whole numbers often share a range; other values are not compared.
        if not isinstance(column.values, range) or column.values != values:
            numbers = self._of(column.values)
            self._last = column.values, numbers
        return numbers[column.codes]

    def _of(self, values: Sequence[object]) -> Codes:
        # Bytes are decoded once for all batches of a table; the rest is numbered value by value.
        if isinstance(values, LazyValues):
            return np.concatenate([self._of_bytes(values), self._of(values.rest)])
        types = set(map(id, map(type, values))) - {_NOTHING}
        if len(types) > 1 or not types <= PLAIN:
            return np.fromiter(map(self._code_of, values), np.int64, len(values))
        known = self._known[types.pop() if types else _NOTHING]  # None equals no other value
        for value in values:
            if value not in known:
                known[value] = self._new(value)
        return np.fromiter(map(known.__getitem__, values), np.int64, len(values))

    def _of_bytes(self, values: LazyValues) -> Codes:
        if values.how not in self._raw:
            self._raw[values.how] = _text_numbers(), np.zeros(0, np.int64)
        texts, numbers = self._raw[values.how]
        found, before = np.empty(len(values.raw), np.int64), texts.size() - 1
        texts.number(*bytes_of(values.raw), found)
        # Only bytes that no batch had before are decoded and encoded.
        new = _first_ones(found, before)
        if len(new):
            decoded = values.decode(values.raw.take(to_arrow(new)).to_pylist())
            more = np.fromiter(map(self._new, decoded), np.int64, len(decoded))
            numbers = np.concatenate([numbers, more])
            self._raw[values.how] = texts, numbers
        return numbers[found]

    def _code_of(self, value: object) -> int:
        if id(type(value)) not in PLAIN:
            return self._new(value)
        known = self._known[id(type(value))]
        if value not in known:
            known[value] = self._new(value)
        return known[value]

    def _new(self, value: object) -> int:
        return self._numbers.setdefault(self._function(value), len(self._numbers))


class TextNumbering:
    """`Numbering` of `text`, which keeps the bytes of the texts and no objects.

    >>> shown = TextNumbering()
    >>> [shown(code_column(values)).tolist() for values in (["b", "a", 7], ["7", "b"])]
    [[0, 1, 2], [2, 0]]
    >>> list(shown.values)
    ['b', 'a', '7']
    """

    def __init__(self) -> None:
        self._texts = _text_numbers()
        self._parts: list[tuple[NDArray[np.uint8], Codes]] = []  # of texts that no part before has

    def __len__(self) -> int:
        return self._texts.size()

    @property
    def values(self) -> Texts:
        """The texts so far, in the order of their numbers."""
        data, ends = zip(*self._parts, strict=True) if self._parts else ((), ())
        sizes = np.concatenate([np.zeros(1, np.int64), *map(np.diff, ends)])
        joined = np.concatenate([np.zeros(0, np.uint8), *data])
        return Texts(joined, np.cumsum(sizes), np.arange(len(self)))

    def __call__(self, column: CodedColumn) -> Codes:
        """The number of the text, for each record."""
        return self._of(column.values)[column.codes]

    def _of(self, values: Sequence[object]) -> Codes:
        if isinstance(values, LazyValues):
            known = values.texts()
            if known is None:
                return self._of(list(values))
            return np.concatenate([self._number_bytes(*bytes_of(known)), self._of(values.rest)])
        shown: Any = values if are_readable_texts(values) else map(text, values)
        encoded = [one.encode() for one in shown]
        ends = np.cumsum([0, *map(len, encoded)], dtype=np.int64)
        return self._number_bytes(np.frombuffer(b"".join(encoded), np.uint8), ends)

    def _number_bytes(self, data: NDArray[np.uint8], ends: Codes) -> Codes:
        found, before = np.empty(len(ends) - 1, np.int64), len(self) - 1
        self._texts.number(data, ends, found)
        new = _first_ones(found, before)
        if len(new):
            sizes, first = np.diff(ends), np.zeros(len(found), bool)
            first[new] = True
            own = np.cumsum(np.concatenate([[0], sizes[new]]))
            self._parts.append((data[ends[0] : ends[-1]][np.repeat(first, sizes)], own))
        return found


def _text_numbers() -> TextNumbers:
    # With a seed, so that nobody can choose values that take long to number.
    return TextNumbers(int.from_bytes(urandom(8), "little"))


def _first_ones(found: Codes, before: int) -> Codes:
    """The places of those that are numbered first here: where the largest number rises."""
    largest = np.maximum.accumulate(np.maximum(found, before))
    return np.flatnonzero(np.diff(largest, prepend=before))


# `pyarrow.array`, `pyarrow.scalar` and `to_numpy` import all of pandas if it is installed, which takes
# .15 CPU s.  When they are called depends on records, and that a module is loaded can be seen.


def to_arrow(codes: Codes) -> Any:
    """These whole numbers as an Arrow array.

    >>> to_arrow(np.array([7, 8])).to_pylist()
    [7, 8]
    """
    from pyarrow import Array, int64, py_buffer

    return Array.from_buffers(int64(), len(codes), [None, py_buffer(codes)])


def bytes_of(raw: Any) -> tuple[NDArray[np.uint8], Codes]:
    """The bytes of an Arrow array of large binary, and where each value ends; the first begins at 0."""
    if not len(raw):
        return np.zeros(0, np.uint8), np.zeros(1, np.int64)
    _, ends, data = raw.buffers()
    ends = np.frombuffer(ends, np.int64)[raw.offset : raw.offset + len(raw) + 1]
    return np.frombuffer(data or b"", np.uint8), ends


def from_arrow(whole: Any, missing: int = 0) -> Codes:
    """The whole numbers of an Arrow array, with ``missing`` in the place of each null.

    >>> from_arrow(to_arrow(np.array([7, 8]))[1:]).tolist()
    [8]
    """
    if whole.null_count:
        whole = whole.fill_null(to_arrow(np.array([missing])).cast(whole.type)[0])
    return np.from_dlpack(whole).astype(np.int64)


def tuples(columns: Sequence[Codes], sizes: Sequence[int]) -> tuple[list[Codes], Codes]:
    """The distinct rows of the columns, listed by column, and the number of each record's row.

    The entries of column j lie in 0, ..., ``sizes[j]`` - 1.

    >>> tuples([np.array([1, 0, 1]), np.array([2, 2, 2])], [2, 3])
    ([array([0, 1]), array([2, 2])], array([1, 0, 1]))
    """
    key, size = _key(columns, sizes)
    # Counting takes time in proportion to the table, sorting to n log n; both give the same rows in
    # the same order.
    if size <= table_size(len(key)):
        occurs = np.zeros(size, dtype=bool)
        occurs[key] = True
        distinct = np.flatnonzero(occurs)
        number = np.cumsum(occurs) - 1
        key = number[key]
    else:
        distinct, key = _rank(key)
    example = np.empty(len(distinct), np.int64)
    example[key] = np.arange(len(key))
    return [column[example] for column in columns], key


class RowGroups(NamedTuple):
    """Rows of columns, with the number of records that are equal to each row.

    A row may come twice, and a count is at least 1.
    """

    columns: list[CodedColumn]
    counts: Codes


def group_rows(columns: Sequence[CodedColumn]) -> RowGroups:
    """The rows of a batch with their counts; distinct rows only if there are few that it could have.

    >>> group_rows([code_column(["b", "a", "b"]), code_column([1, 1, 1])]).counts.tolist()
    [2, 1]
    """
    codes, sizes = [c.codes for c in columns], [len(c.values) for c in columns]
    # A table of all possible rows would cost more than it saves, so each record is a row of its own.
    if prod(sizes) > table_size(len(codes[0])):
        return RowGroups(list(columns), np.ones(len(codes[0]), np.int64))
    key, size = _key(codes, sizes)
    counts = np.bincount(key, minlength=size)
    distinct = np.flatnonzero(counts)
    counts = counts[distinct]
    found = []
    for column in reversed(columns):  # np.unravel_index takes 64 columns at most
        distinct, rest = np.divmod(distinct, len(column.values))
        found.append(CodedColumn(column.values, rest))
    return RowGroups(found[::-1], counts)


def table_size(records: int) -> int:
    """Filling a table with this many counts is at least as fast as sorting this many keys."""
    return max(2**17, 2 * records)


def _key(columns: Sequence[Codes], sizes: Sequence[int]) -> tuple[Codes, int]:
    """One number per record, equal for equal rows, and an upper bound above all of them."""
    key, above = columns[0], sizes[0]
    for column, size in zip(columns[1:], sizes[1:], strict=True):
        # The next product would not fit into 64 bits, so the keys so far are numbered anew: there
        # are at most as many as records.
        if above * size >= 2**63:
            distinct, key = _rank(key)
            above = len(distinct)
        key, above = key * size, above * size
        key += column
    return key, above


def _rank(key: Codes) -> tuple[Codes, Codes]:
    """The different numbers in order, and the place of each number among them.

    This is `np.unique`, which would load a module.  Only some records need it, and loading can be seen.
    """
    order = np.argsort(key, kind="stable")
    ranked = key[order]
    begins = np.ones(len(key), dtype=bool)
    begins[1:] = ranked[1:] != ranked[:-1]
    places = np.empty(len(key), np.int64)
    places[order] = np.cumsum(begins) - 1
    return ranked[begins], places


Function = Callable[[Any], Hashable]


class Alike:
    """Numbers the values of a column; those that ``function`` maps to the same thing have one number.

    >>> alike = Alike(abs)
    >>> alike(code_column([3, 4, -3, -4])).tolist(), alike.representatives
    ([0, 1, 0, 1], [3, 4])
    """

    def __init__(self, function: Function) -> None:
        self._function = function
        self._first: dict[Hashable, object] = {}
        self._numbering, self._lock = Numbering(self._meet), Lock()

    def _meet(self, value: object) -> Hashable:
        found = self._function(value)
        self._first.setdefault(found, value)
        return found

    def __call__(self, column: CodedColumn) -> Codes:
        with self._lock:  # an engine may ask from several threads
            return self._numbering(column)

    @property
    def representatives(self) -> list[object]:
        """A value for each number, which may stand for all others with that number."""
        return list(self._first.values())


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
    if 2**bits <= table_size(len(rows[-1])):
        word, counts = rows
        table = np.zeros(2**bits, np.int64)
        np.add.at(table, word, counts)
        distinct = np.flatnonzero(table)
        return [distinct, table[distinct]]
    if len(rows) == 2 and not (rows[1] > 1).any():
        # Numbers alone are sorted several times faster than an order of them.
        words, ones = [np.sort(rows.pop(0))], rows.pop()
        starts = np.flatnonzero(first_of_equals(words))
        return [words[0][starts], np.diff(starts, append=len(ones))]
    order = np.lexsort(rows[:-1])
    *words, counts = (rows.pop(0)[order] for _ in range(len(rows)))
    del order
    starts = np.flatnonzero(first_of_equals(words))
    return [*(word[starts] for word in words), np.add.reduceat(counts, starts)]


def first_of_equals(columns: Sequence[Places]) -> NDArray[np.bool_]:
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
