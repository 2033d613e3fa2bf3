"""Checked tables: one row per hypothesis, one column per point; tables of 0s and 1s packed in words."""

from __future__ import annotations

import hashlib
from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any, Protocol, TypeAlias, runtime_checkable

import numpy as np
from numpy.typing import ArrayLike, NDArray

from littlestone.base.errors import DeclarationError
from littlestone.points.labels import MOST_LABELS, require_labels

_FIX = "give a rectangular table of whole numbers 0..k, one row a hypothesis and one column a point"


@runtime_checkable
class HasLabelTable(Protocol):
    """Whatever can be written as a table of labels, such as a finite class."""

    def label_table(self) -> LabelTable:
        """The table of labels of all its hypotheses at all its points."""


@dataclass(frozen=True, eq=False)
class LabelTable:
    """A class of functions from m named points to the labels {0, ..., k}, as an N x m table.

    ``values[i, j]`` is the label of hypothesis i at point j, and ``labels`` = k + 1 their declared
    number.  Equal rows are one hypothesis: ``alive``, the mask of all hypotheses, has a bit for the
    first of them only, and so have the ``masks``.

    >>> H = LabelTable.of([[0, 2], [1, 1], [0, 2]])
    >>> H.labels, bin(H.alive), H.masks[1]
    (3, '0b11', {1: 2, 2: 1})
    """

    values: NDArray[np.int64]
    labels: int
    points: tuple[str, ...]
    hypotheses: tuple[str, ...]

    @classmethod
    def of(
        cls,
        values: Any,
        *,
        labels: int | None = None,
        points: Sequence[str] | None = None,
        hypotheses: Sequence[str] | None = None,
    ) -> LabelTable:
        """The table of anything that is one: rows of labels, an array, a finite class, a LabelTable.

        ``labels`` is k + 1, by default 1 + the largest label, and at least 2.  Points and hypotheses
        without names are x0, x1, ... and h0, h1, ...  Entries may be numbers or texts of digits.
        Raises `DeclarationError` for a ragged or empty table and, naming row and column from 1, for
        an entry that is not a whole number in 0..k.  O(N m).
        """
        if isinstance(values, HasLabelTable):
            return values.label_table()
        asked = "read a table of labels"
        array = rectangle(values, asked, _FIX)
        if labels is not None:
            require_labels(labels)
        codes = _codes(array)
        most = MOST_LABELS if labels is None else labels
        count = labels or max(2, min(int(codes.max()) + 1, most))
        wrong = np.argwhere((codes < 0) | (codes >= count))
        if len(wrong):
            i, j = map(int, wrong[0])
            raise DeclarationError(
                asked,
                # The entry is not quoted: a table of records may have been given by mistake.
                found=f"row {i + 1}, column {j + 1} is not a label from 0 to {most - 1}",
                fix=_FIX,
            )
        codes.setflags(write=False)
        height, width = codes.shape
        return cls(
            codes,
            count,
            fill_names("points", "x", width, points),
            fill_names("hypotheses", "h", height, hypotheses),
        )

    @cached_property
    def distinct(self) -> list[int]:
        """The numbers of the distinct hypotheses, the first one of equal ones.

        >>> LabelTable.of([[0, 1], [1, 1], [0, 1]]).distinct
        [0, 1]
        """
        return sorted(np.unique(self.values, axis=0, return_index=True)[1].tolist())

    @cached_property
    def alive(self) -> int:
        """The mask of the distinct hypotheses."""
        return sum(1 << h for h in self.distinct)

    @cached_property
    def masks(self) -> tuple[dict[int, int], ...]:
        """For every point j and label y that occurs there, the mask {h : h(x_j) = y}."""
        found = []
        for column in self.values.T:
            labels = np.flatnonzero(np.bincount(column))
            masks = row_masks(column == labels[:, np.newaxis])
            found.append({y: m & self.alive for y, m in zip(labels.tolist(), masks, strict=True)})
        return tuple(found)

    @property
    def size(self) -> int:
        """The number of distinct hypotheses."""
        return self.alive.bit_count()

    @property
    def bits(self) -> int:
        """The number b = ceil(log2(k + 1)) of bits of a label."""
        return (self.labels - 1).bit_length()

    def bit_class(self, i: int) -> LabelTable:
        """The binary restriction H|_i = {f_i : f in H}, f_i(x) being bit i of f(x), i = 0, ..., b - 1.

        (BGS21, section 3.1, with bits counted from the least significant one.)

        >>> LabelTable.of([[0, 2, 3]]).bit_class(1).values.tolist()
        [[0, 1, 1]]
        """
        if not 0 <= i < self.bits:
            raise DeclarationError(
                f"take bit {i} of the labels 0..{self.labels - 1}",
                found=f"they have {self.bits} bits",
                fix=f"give a bit in 0..{self.bits - 1}",
            )
        return LabelTable(self.values >> i & 1, 2, self.points, self.hypotheses)

    def transpose(self) -> LabelTable:
        """The dual class: a function per point, f_x(h) = h(x), on the hypotheses."""
        return LabelTable(self.values.T, self.labels, self.hypotheses, self.points)

    def label_table(self) -> LabelTable:
        """The table itself."""
        return self


def binary(table: Any, asked: str) -> LabelTable:
    """`LabelTable.of` a table whose labels must be 0 and 1.  Raises `DeclarationError` otherwise."""
    H = LabelTable.of(table)
    if H.labels != 2:
        raise DeclarationError(
            asked,
            found="it has other labels than 0 and 1, for which alone it is defined",
            fix="take the multiclass dimension of that kind, or the bit classes of the table",
        )
    return H


def rectangle(values: Any, asked: str, fix: str) -> NDArray[Any]:
    """``values`` as a nonempty two-dimensional array; `DeclarationError` for anything else."""
    if hasattr(values, "__array__") and not isinstance(values, np.ndarray):
        values = np.asarray(values)  # a data frame
    if not isinstance(values, np.ndarray):
        try:
            rows = [list(row) for row in values]
        except TypeError:
            found = f"it is a {type(values).__name__} that does not hold rows"
            raise DeclarationError(asked, found=found, fix=fix) from None
        lengths = [len(row) for row in rows]
        if len(set(lengths)) > 1:
            i = next(i for i, length in enumerate(lengths) if length != lengths[0])
            found = f"row {i + 1} has {lengths[i]} entries where row 1 has {lengths[0]}"
            raise DeclarationError(asked, found=found, fix=fix)
        array: NDArray[Any] = np.array(rows)
    else:
        array = values
    if array.dtype.kind not in "biufUSO":
        raise DeclarationError(asked, found=f"its entries are of type {array.dtype}", fix=fix)
    if array.ndim != 2 or array.size == 0:
        raise DeclarationError(asked, found=f"its shape is {array.shape}", fix=fix)
    return array


def fill_names(kind: str, letter: str, count: int, given: Sequence[str] | None) -> tuple[str, ...]:
    """The ``count`` names of points or hypotheses: the given ones, or letter0, letter1, ..."""
    if given is None:
        return tuple(f"{letter}{i}" for i in range(count))
    if len(given) != count:
        raise DeclarationError(
            f"name the {kind} of a table",
            found=f"there are {count} {kind} and {len(given)} names",
            fix="give one name each, or none at all",
        )
    return tuple(map(str, given))


def _codes(array: NDArray[Any]) -> NDArray[np.int64]:
    """The labels as integers; -1 for an entry that is not a whole number in 0..2^31 - 1."""
    if array.dtype.kind in "bui":
        return np.where((array >= 0) & (array < 2**31), array, -1).astype(np.int64)
    if array.dtype.kind == "f":
        whole = (array >= 0) & (array < 2**31) & (np.floor(array) == array)
        return np.where(whole, array, -1).astype(np.int64)
    codes = [[_code(entry) for entry in row] for row in array.tolist()]
    return np.array(codes, dtype=np.int64)


def _code(entry: object) -> int:
    try:
        code = float(str(entry))
    except ValueError:
        return -1
    return int(code) if 0 <= code < 2**31 and code.is_integer() else -1


_ASKED = "read a table of 0s and 1s"
_FIX_BITS = "give a rectangular table of 0s and 1s, one row a hypothesis and one column a point"
_BLOCK = 1 << 14  # rows that are checked and packed at a time
_MOST = 1 << 30  # the core numbers rows, and both sides of a column, with 32 bits


def _require_numbers(rows: int, points: int) -> None:
    if max(rows, points) >= _MOST:
        raise DeclarationError(
            _ASKED,
            found=f"it has {rows:,} rows and {points:,} columns",
            fix="give fewer than 2^30 of each",
        )


@runtime_checkable
class ColumnClass(Protocol):
    """A finite class of functions on finitely many points, as masks over its functions."""

    @property
    def columns(self) -> tuple[tuple[int, ...], ...]:
        """Bit i of columns[j][y - 1] tells whether function i gives point j the label y = 1, ..., k."""

    @property
    def alive(self) -> int:
        """Bit i tells whether function i belongs to the version space."""


TableOrClass: TypeAlias = "ArrayLike | Sequence[Sequence[object]] | ColumnClass | PackedTable"


@dataclass(frozen=True, eq=False)
class PackedTable:
    """Distinct rows of a 0/1 table, in the order in which they first appear.

    Bit j of the words ``rows[i]`` is the value at point j; ``names[i]`` is the row of the original
    table (or the function of the class) that rows[i] comes from.
    """

    rows: NDArray[np.uint64]
    points: int
    names: NDArray[np.int64]

    @classmethod
    def pack(cls, table_or_class: TableOrClass) -> PackedTable:
        """Check and pack; raises `DeclarationError` that names the first culprit."""
        if isinstance(table_or_class, PackedTable):
            return table_or_class
        if isinstance(table_or_class, ColumnClass):
            return cls._of_class(table_or_class)
        table = rectangle(table_or_class, _ASKED, _FIX_BITS)
        count, points = table.shape
        _require_numbers(count, points)
        packed = np.zeros((count, -(-points // 64)), np.uint64)
        for first in range(0, count, _BLOCK):
            block = table[first : first + _BLOCK]
            packed[first : first + _BLOCK] = pack_rows(_parse_bits(block, first))
        return cls.of_words(packed, points)

    @classmethod
    def _of_class(cls, finite: ColumnClass) -> PackedTable:
        alive, points = finite.alive, len(finite.columns)
        if alive == 0 or points == 0:
            raise DeclarationError(
                _ASKED, found="the class is empty", fix="give a class with a hypothesis and a point"
            )
        if (labels := 1 + len(finite.columns[0])) > 2:
            raise DeclarationError(
                _ASKED,
                found=f"the class has {labels} labels",
                fix="ask the class itself, or for the dimension of its bit classes",
            )
        names = functions(alive)
        packed_table = cls.of_words(pack([ones for (ones,) in finite.columns], names), points)
        return cls(packed_table.rows, points, names[packed_table.names])

    @classmethod
    def of_words(cls, rows: NDArray[np.uint64], points: int) -> PackedTable:
        """The table of rows that are packed already: bit j of rows[i] is the value at point j."""
        _require_numbers(len(rows), points)
        # Sorting hashes is ten times faster than sorting rows; equal hashes are compared in full.
        keys = np.random.default_rng(0).integers(1, 2**63, rows.shape[1], np.uint64)
        mixed = (rows ^ (rows >> np.uint64(31))) * (2 * keys + np.uint64(1))
        mixed ^= mixed >> np.uint64(29)
        hashes = mixed.sum(axis=1, dtype=np.uint64)
        in_order = np.sort(hashes)
        if not (in_order[1:] == in_order[:-1]).any():
            return cls(rows, points, np.arange(len(rows)))
        _, first, which = np.unique(hashes, return_index=True, return_inverse=True)
        if not all(
            np.array_equal(rows[i : i + _BLOCK], rows[first[which[i : i + _BLOCK]]])
            for i in range(0, len(rows), _BLOCK)
        ):
            first = np.unique(rows, axis=0, return_index=True)[1]
        first = np.sort(first).astype(np.int64)
        return cls(
            np.ascontiguousarray(rows[first]) if len(first) < len(rows) else rows, points, first
        )

    @property
    def size(self) -> int:
        """Number of distinct rows."""
        return len(self.rows)

    def values(self, chosen: NDArray[np.int64] | slice = slice(None)) -> NDArray[np.uint8]:
        """The chosen rows, one byte a value."""
        octets = self.rows[chosen].astype("<u8", copy=False).view(np.uint8)
        return np.unpackbits(octets, axis=1, count=self.points, bitorder="little")

    @cached_property
    def columns(self) -> NDArray[np.uint64]:
        """The columns, 64 rows to a word: bit i of columns[j] is the value of rows[i] at point j."""
        blocks = (slice(i, i + _BLOCK) for i in range(0, self.size, _BLOCK))
        return np.hstack([pack_rows(self.values(block).T) for block in blocks])

    @cached_property
    def masks(self) -> tuple[int, ...]:
        """The columns as integers: bit i of masks[j] is the value of rows[i] at point j."""
        return tuple(row_masks(self.values().T))

    @cached_property
    def digest(self) -> str:
        """A fingerprint of the distinct rows in their order, by which certificates know a table."""
        header = f"{self.size} x {self.points}\n".encode()
        return hashlib.sha256(header + self.rows.astype("<u8", copy=False).tobytes()).hexdigest()


@dataclass(frozen=True)
class SearchTable:
    """A table to search for LDim(H), and the ``bounds`` of LDim(H) that are known without a search.

    LDim(table) + ``gain`` <= LDim(H), for the ``reason``; they are equal if the table is ``whole``.
    """

    table: PackedTable
    bounds: tuple[int, int]
    gain: int = 0
    whole: bool = True
    reason: str = "a search of its table"


def functions(mask: int) -> NDArray[np.int64]:
    """The numbers of the functions in a mask."""
    return np.flatnonzero(_unpack(mask, -(-mask.bit_length() // 8))).astype(np.int64, copy=False)


def row_masks(values: NDArray[Any]) -> list[int]:
    """The rows of a table of 0s and 1s as integers: bit j is the entry in column j."""
    packed = np.packbits(values, axis=1, bitorder="little")
    return [int.from_bytes(row.tobytes(), "little") for row in packed]


def pack_rows(values: NDArray[Any]) -> NDArray[np.uint64]:
    """The rows of a table of 0s and 1s as sets, 64 columns to a word."""
    bits = np.packbits(values, axis=1, bitorder="little")
    packed = np.zeros((len(bits), -(-values.shape[1] // 64) * 8), np.uint8)
    packed[:, : bits.shape[1]] = bits
    return packed.view("<u8").astype(np.uint64, copy=False)


def pack(columns: Sequence[int], chosen: NDArray[np.int64]) -> NDArray[np.uint64]:
    """The rows of the chosen functions, bit j being the value at point j."""
    size = -(-max(int(chosen[-1]) + 1, *(column.bit_length() for column in columns)) // 8)
    packed = np.zeros((len(chosen), -(-len(columns) // 64) * 8), np.uint8)
    for j in range(0, len(columns), 8):
        for bit, column in enumerate(columns[j : j + 8]):
            packed[:, j // 8] |= _unpack(column, size)[chosen] << bit
    return packed.view("<u8").astype(np.uint64, copy=False)


def _unpack(mask: int, size: int) -> NDArray[np.uint8]:
    octets = np.frombuffer(mask.to_bytes(size, "little"), np.uint8)
    return np.unpackbits(octets, bitorder="little")


def _parse_bits(block: NDArray[np.generic], first: int) -> NDArray[np.bool_]:
    if block.dtype == np.bool_:
        return block.astype(np.bool_, copy=False)
    ones = np.asarray(block == 1)
    wrong = ~(ones | np.asarray(block == 0))
    if wrong.any():
        i, j = map(int, np.argwhere(wrong)[0])
        raise DeclarationError(
            _ASKED, found=f"row {first + i + 1}, column {j + 1} is neither 0 nor 1", fix=_FIX_BITS
        )
    return ones
