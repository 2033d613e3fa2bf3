"""Read and check 0/1 tables and tables of labels from arrays, CSV files and .npy files."""

from __future__ import annotations

import csv
import os
import stat
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from itertools import chain
from os import PathLike
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from littlestone.base.errors import DeclarationError, TableError
from littlestone.dimension.tables import LabelTable, fill_names, rectangle
from littlestone.points import Names

MOST_BYTES = 1 << 30
"""The most bytes of a file that holds a table."""

Cells = list[list[str]]

_ONES = ("1", "1.0", "True", "true")
_ZEROS = ("0", "0.0", "False", "false")
_FIX = "give a rectangular table of 0s and 1s, one row a hypothesis and one column a point"


@dataclass(frozen=True, eq=False)
class BinaryTable:
    """A rectangular 0/1 table: ``values[i, j]`` is the label of hypothesis i at point j."""

    values: NDArray[np.bool_]
    domain: Names
    hypotheses: tuple[str, ...]

    @classmethod
    def from_values(
        cls,
        values: ArrayLike | Sequence[Sequence[object]],
        points: Sequence[str] | None = None,
        hypotheses: Sequence[str] | None = None,
        name: str = "x",
        other: str | None = None,
    ) -> BinaryTable:
        """The table, checked to be rectangular, nonempty and binary.

        Entries may be numbers, booleans or texts.  Raises `DeclarationError` that names the row and
        column, counted from 1, of the first entry that is not 0 or 1.  The entry is not quoted: a
        table of records may have been given by mistake.
        """
        values = rectangle(values, "read a table of 0s and 1s", _FIX)
        if values.dtype.kind in "USO":
            legal_ones = np.isin(values, _ONES) | (values == 1)
            legal_zeros = np.isin(values, _ZEROS) | (values == 0)
        else:
            legal_ones, legal_zeros = values == 1, values == 0
        wrong = np.argwhere(~(legal_ones | legal_zeros))
        if len(wrong):
            i, j = map(int, wrong[0])
            raise DeclarationError(
                "read a table of 0s and 1s",
                found=f"row {i + 1}, column {j + 1} is neither 0 nor 1",
                fix=_FIX,
            )
        count, width = values.shape
        return cls(
            np.asarray(legal_ones, dtype=bool),
            Names(fill_names("points", "x", width, points), name, other),
            fill_names("hypotheses", "h", count, hypotheses),
        )


def read_table(
    path: str | PathLike[str], name: str = "x", *, other: str | None = None
) -> BinaryTable:
    """The 0/1 table in a .npy or CSV file; see `FiniteClass.from_file` for names in a CSV file.

    No error quotes a cell, because a table of records may be given by mistake.  Raises `TableError` if
    it cannot be opened and `DeclarationError` if it is not a table of 0s and 1s.
    """
    rows = _read_cells(path)
    with _naming(path):
        if isinstance(rows, np.ndarray):
            return BinaryTable.from_values(rows, name=name, other=other)
        try:
            points, hypotheses, body = _split_names(rows, lambda cell: cell in _ONES + _ZEROS)
            return BinaryTable.from_values(body, points, hypotheses, name, other)
        except DeclarationError:
            _refuse_labels(rows)
            raise


def _refuse_labels(rows: Cells) -> None:
    """Raise `DeclarationError` if the cells are a table of more labels than 0 and 1."""
    try:
        body = _split_names(rows, str.isdecimal)[2]
    except DeclarationError:
        return
    others = [
        (i, j)
        for i, row in enumerate(body, start=1)
        for j, cell in enumerate(row, start=1)
        if cell not in _ONES + _ZEROS
    ]
    if others and len(set(map(len, body))) == 1 and all(map(str.isdecimal, chain(*body))):
        i, j = others[0]
        raise DeclarationError(
            "read a table of 0s and 1s",
            found=f"row {i}, column {j} holds another number, as a table of more labels does",
            fix="use `littlestone theory dims`, or name the labels where the command takes --labels",
        )


def read_labels(path: str | PathLike[str], *, labels: int | None = None) -> LabelTable:
    """The table of labels 0..k in a .npy or CSV file; rows are hypotheses.

    A first row or column of a CSV file holds names if it holds anything but whole numbers or, if
    ``labels`` = k + 1 is given, anything but labels.  Raises `TableError` if the file cannot be opened,
    and `DeclarationError` if it is not a table of labels.  Raises it also if numbers in a first row or
    column could be names, because some exceed 1 and all the others in the table are 0 and 1.
    """
    rows = _read_cells(path)
    if isinstance(rows, np.ndarray):
        with _naming(path):
            return LabelTable.of(rows, labels=labels)

    def is_label(cell: str) -> bool:
        digits = _digits(cell)
        # Python refuses to read a number with thousands of digits.
        return digits.isdecimal() and (
            labels is None or (len(digits) < 20 and int(digits) < labels)
        )

    with _naming(path):
        points, hypotheses, rows = _split_names(rows, is_label)
    rows = [list(map(_digits, row)) for row in rows]
    if labels is None:
        parts = {
            "row": (points, rows[:1], rows[1:]),
            "column": (hypotheses, [row[:1] for row in rows], [row[1:] for row in rows]),
        }
        for kind, (names, first, rest) in parts.items():
            cells, others = ({cell for row in part for cell in row} for part in (first, rest))
            if names is None and others and others <= {"0", "1"} and not cells <= {"0", "1"}:
                raise DeclarationError(
                    f"tell names from labels in the table {path}",
                    found=f"the first {kind} holds other numbers, and all the rest is 0 and 1",
                    fix="declare the number of labels: 2 if these numbers are names",
                )
    with _naming(path):
        return LabelTable.of(rows, labels=labels, points=points, hypotheses=hypotheses)


def _digits(cell: str) -> str:
    """A label in whole digits, such as 1 for 1.0 and True; any other text is unchanged."""
    if cell in _ONES + _ZEROS:
        return "1" if cell in _ONES else "0"
    whole, _, fraction = cell.partition(".")
    return whole if fraction and not fraction.strip("0") else cell


def _split_names(
    rows: Cells, is_label: Callable[[str], bool]
) -> tuple[list[str] | None, list[str] | None, Cells]:
    """The names of points and of hypotheses, if there are any, and the labels.

    A first row holds names if any of its cells is not a label.  If only its first cell is empty or not
    a label, that cell stands above a column of labels or in the corner of both.  A first row also holds
    names if it has digits above floats or truth values.  Raises `DeclarationError` if the numbers of a
    first row or column look like labels and one of them is wrong.
    """
    points = hypotheses = None
    first = [row[0] for row in rows]
    empty_corner = bool(first) and first[0] == ""
    corner = empty_corner or (
        len(first) > 1 and not is_label(first[0]) and all(map(is_label, first[1:]))
    )
    digits_above = len(rows) > 1 and all(map(str.isdecimal, rows[0]))
    above = digits_above and not any(map(str.isdecimal, chain(*rows[1:])))
    if rows and (corner or above or not all(map(is_label, rows[0][1:]))):
        points, rows = rows[0], rows[1:]
    if rows and not all(is_label(row[0]) for row in rows) and all(len(row) > 1 for row in rows):
        hypotheses, rows = [row[0] for row in rows], [row[1:] for row in rows]
        points = points and points[1:]
    elif rows and points and empty_corner and len(rows[0]) == len(points) > 1:
        # An empty corner means that the first column holds names, even if these are 0 and 1.
        hypotheses, rows = [row[0] for row in rows], [row[1:] for row in rows]
        points = points[1:]
    for kind, names in (("row", points), ("column", hypotheses)):
        if names and "" in names:
            raise DeclarationError(
                "tell names from labels",
                found=f"the first {kind} holds names, and name {names.index('') + 1} is empty",
                fix="write a name or a label there",
            )
    if not empty_corner:
        _require_names("row", points, is_label)
        _require_names("column", hypotheses, is_label)
    return points, hypotheses, rows


def _require_names(kind: str, names: list[str] | None, is_label: Callable[[str], bool]) -> None:
    """Refuse numbers as names if some of them are labels, unless they count 0, 1, ... or 1, 2, ..."""
    if not names or not any(map(is_label, names)) or not all(map(_is_number, names)):
        return
    if any(names == list(map(str, range(low, low + len(names)))) for low in (0, 1)):
        return
    i = next(i for i, name in enumerate(names) if not is_label(name))
    raise DeclarationError(
        "tell names from labels",
        found=f"the first {kind} holds labels, and entry {i + 1} is another number",
        fix="correct the number; names that are numbers count 0, 1, 2, ..., or have an empty corner",
    )


def _is_number(cell: str) -> bool:
    try:
        float(cell)
    except ValueError:
        return False
    return True


@contextmanager
def _naming(path: str | PathLike[str]) -> Iterator[None]:
    """Make errors about a table name its file."""
    try:
        yield
    except DeclarationError as error:
        asked = f"read the table {path}"
        raise DeclarationError(asked, found=error.found, fix=error.fix) from None


def _refusal(path: str | PathLike[str], found: str, fix: str) -> TableError:
    return TableError(f"read the table {path}", found=found, fix=fix)


def _read_cells(path: str | PathLike[str]) -> list[list[str]] | NDArray[Any]:
    """The array in a .npy file or the cells of a CSV file.  Raises `TableError` if there are none.

    Only a regular file of at most `MOST_BYTES` is read, because a device such as /dev/zero has no end.
    """
    try:
        found = os.stat(path)
    except (OSError, ValueError):
        found = None  # the attempt to open it says why
    if found is not None and not stat.S_ISREG(found.st_mode):
        raise _refusal(
            path, "it is a folder or a device, not a file", "give a CSV file or a .npy file"
        )
    if found is not None and found.st_size > MOST_BYTES:
        raise _refusal(
            path,
            f"it has {found.st_size:,} bytes, at most {MOST_BYTES:,} are read",
            "give fewer hypotheses or points, or a .npy file of truth values",
        )
    try:
        if Path(path).suffix == ".npy":
            array: NDArray[Any] = np.load(path, allow_pickle=False)
            return array
        with open(path, newline="", encoding="utf-8-sig", errors="replace") as file:
            cells = [[cell.strip() for cell in row] for row in csv.reader(file) if row]
    except FileNotFoundError:
        raise _refusal(path, "there is no such file", "check the path") from None
    except Exception as error:  # a header of a .npy file is Python text, and may fail in any way
        raise _refusal(
            path,
            str(error) or "it is not readable",
            "give a CSV file or a .npy file without pickled objects",
        ) from None
    if cells and any("\0" in cell for cell in cells[0]):
        raise _refusal(
            path, "it is not text", "give a CSV file, or an array of numpy in a .npy file"
        )
    if cells and all(len(row) == 1 for row in cells) and set(cells[-1][0]) & set("; \t"):
        raise _refusal(
            path,
            "no commas are between its cells",
            "write one comma between two cells, as in 0,1,1",
        )
    return cells
