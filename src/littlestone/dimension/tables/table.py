"""Checked 0/1 tables for the solver: distinct rows, packed 64 to a word."""

from __future__ import annotations

import hashlib
from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Protocol, TypeAlias, runtime_checkable

import numpy as np
from numpy.typing import ArrayLike, NDArray

from littlestone.base.errors import DeclarationError

_ASKED = "read a table of 0s and 1s"
_FIX = "give a rectangular table of 0s and 1s, one row a hypothesis and one column a point"
_BLOCK = 1 << 14  # rows that are checked and packed at a time


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
    def read(cls, table_or_class: TableOrClass) -> PackedTable:
        """Check and pack; raises `DeclarationError` that names the first culprit."""
        if isinstance(table_or_class, PackedTable):
            return table_or_class
        if isinstance(table_or_class, ColumnClass):
            return cls._of_class(table_or_class)
        table = _array(table_or_class)
        if table.ndim != 2 or table.size == 0:
            raise DeclarationError(_ASKED, found=f"its shape is {table.shape}", fix=_FIX)
        count, points = table.shape
        packed = np.zeros((count, -(-points // 64) * 8), np.uint8)
        for first in range(0, count, _BLOCK):
            block = table[first : first + _BLOCK]
            bits = np.packbits(_checked(block, first), axis=1, bitorder="little")
            packed[first : first + _BLOCK, : bits.shape[1]] = bits
        return cls.of_words(packed.view("<u8").astype(np.uint64, copy=False), points)

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
        packed = np.zeros((self.points, -(-self.size // 64) * 8), np.uint8)
        for first in range(0, self.size, _BLOCK):
            bits = np.packbits(
                self.values(slice(first, first + _BLOCK)).T, axis=1, bitorder="little"
            )
            packed[:, first // 8 : first // 8 + bits.shape[1]] = bits
        return packed.view("<u8").astype(np.uint64, copy=False)

    @cached_property
    def masks(self) -> tuple[int, ...]:
        """The columns as integers: bit i of masks[j] is the value of rows[i] at point j."""
        packed = np.packbits(self.values().T, axis=1, bitorder="little")
        return tuple(int.from_bytes(column.tobytes(), "little") for column in packed)

    @cached_property
    def digest(self) -> str:
        """A fingerprint of the distinct rows in their order, by which certificates know a table."""
        header = f"{self.size} x {self.points}\n".encode()
        return hashlib.sha256(header + self.rows.astype("<u8", copy=False).tobytes()).hexdigest()


def functions(mask: int) -> NDArray[np.int64]:
    """The numbers of the functions in a mask."""
    return np.flatnonzero(_unpack(mask, -(-mask.bit_length() // 8))).astype(np.int64, copy=False)


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


def _array(values: ArrayLike | Sequence[Sequence[object]]) -> NDArray[np.generic]:
    if isinstance(values, np.ndarray):
        return values
    try:
        rows = [list(row) for row in values]  # type: ignore[union-attr, arg-type]
    except TypeError as error:
        raise DeclarationError(_ASKED, found="it is not a list of rows", fix=_FIX) from error
    lengths = [len(row) for row in rows]
    if len(set(lengths)) > 1:
        i = next(i for i, length in enumerate(lengths) if length != lengths[0])
        raise DeclarationError(
            _ASKED,
            found=f"row {i + 1} has {lengths[i]} entries where row 1 has {lengths[0]}",
            fix=_FIX,
        )
    return np.array(rows)


def _checked(block: NDArray[np.generic], first: int) -> NDArray[np.bool_]:
    if block.dtype == np.bool_:
        return block.astype(np.bool_, copy=False)
    ones = np.asarray(block == 1)
    wrong = ~(ones | np.asarray(block == 0))
    if wrong.any():
        i, j = map(int, np.argwhere(wrong)[0])
        raise DeclarationError(
            _ASKED,
            found=f"row {first + i + 1}, column {j + 1} is neither 0 nor 1",
            fix=_FIX,
        )
    return ones
