"""Checked tables of labels: one row per hypothesis, one column per point."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any, Protocol, runtime_checkable

import numpy as np
from numpy.typing import NDArray

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
            named("points", "x", width, points),
            named("hypotheses", "h", height, hypotheses),
        )

    @cached_property
    def alive(self) -> int:
        """The mask of the distinct hypotheses, each under its first number."""
        first = np.unique(self.values, axis=0, return_index=True)[1]
        return sum(1 << int(i) for i in first)

    @cached_property
    def masks(self) -> tuple[dict[int, int], ...]:
        """For every point j and label y that occurs there, the mask {h : h(x_j) = y}."""
        found = []
        for column in self.values.T:
            here = {}
            for y in np.flatnonzero(np.bincount(column)).tolist():
                packed = np.packbits(column == y, bitorder="little").tobytes()
                here[y] = int.from_bytes(packed, "little") & self.alive
            found.append(here)
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

    def transposed(self) -> LabelTable:
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


def named(kind: str, letter: str, count: int, given: Sequence[str] | None) -> tuple[str, ...]:
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
