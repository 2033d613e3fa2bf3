"""Reading and checking 0/1 tables: arrays, CSV and .npy files."""

from __future__ import annotations

import csv
from collections.abc import Sequence
from dataclasses import dataclass
from os import PathLike
from pathlib import Path

import numpy as np
from numpy.typing import ArrayLike, NDArray

from littlestone.domains import Names
from littlestone.errors import DeclarationError, TableError

_FIX = "give a rectangular table of 0s and 1s, one row a hypothesis and one column a point"


@dataclass(frozen=True, eq=False)
class BinaryTable:
    """A rectangular 0/1 table: ``values[i, j]`` is the label of hypothesis i at point j."""

    values: NDArray[np.bool_]
    domain: Names
    hypotheses: tuple[str, ...]

    @classmethod
    def checked(
        cls,
        values: ArrayLike | Sequence[Sequence[object]],
        points: Sequence[str] | None = None,
        hypotheses: Sequence[str] | None = None,
        name: str = "x",
        other: str | None = None,
    ) -> BinaryTable:
        """The table, once it is known to be rectangular, nonempty and binary.

        Entries may be numbers, booleans or texts.  Raises `DeclarationError` that names the row and
        column, counted from 1, of the first entry that is not 0 or 1.
        """
        if not isinstance(values, np.ndarray):
            rows = [list(row) for row in values]  # type: ignore[union-attr, arg-type]
            lengths = [len(row) for row in rows]
            if len(set(lengths)) > 1:
                i = next(i for i, length in enumerate(lengths) if length != lengths[0])
                raise DeclarationError(
                    "read a table of 0s and 1s",
                    found=f"row {i + 1} has {lengths[i]} entries where row 1 has {lengths[0]}",
                    fix=_FIX,
                )
            values = np.array(rows)
        if values.ndim != 2 or values.size == 0:
            raise DeclarationError(
                "read a table of 0s and 1s", found=f"its shape is {values.shape}", fix=_FIX
            )
        if values.dtype.kind in "USO":
            legal_ones = np.isin(values, ["1", "1.0", "True", "true"]) | (values == 1)
            legal_zeros = np.isin(values, ["0", "0.0", "False", "false"]) | (values == 0)
        else:
            legal_ones, legal_zeros = values == 1, values == 0
        wrong = np.argwhere(~(legal_ones | legal_zeros))
        if len(wrong):
            i, j = map(int, wrong[0])
            raise DeclarationError(
                "read a table of 0s and 1s",
                found=f"row {i + 1}, column {j + 1} is {str(values[i, j])!r}",
                fix=_FIX,
            )
        count, width = values.shape
        return cls(
            np.asarray(legal_ones, dtype=bool),
            Names(_names("points", "x", width, points), name, other),
            _names("hypotheses", "h", count, hypotheses),
        )


def _names(kind: str, letter: str, count: int, given: Sequence[str] | None) -> tuple[str, ...]:
    if given is None:
        return tuple(f"{letter}{i}" for i in range(count))
    if len(given) != count:
        raise DeclarationError(
            f"name the {kind} of a table",
            found=f"there are {count} {kind} and {len(given)} names",
            fix="give one name each, or none at all",
        )
    return tuple(map(str, given))


def read_table(
    path: str | PathLike[str], name: str = "x", *, other: str | None = None
) -> BinaryTable:
    """The 0/1 table in a .npy or CSV file; see `FiniteClass.from_file` for names in a CSV file.

    The file declares a class, so it is public and errors may quote it.  Raises `TableError` if it
    cannot be opened and `DeclarationError` if it is no table of 0s and 1s.
    """
    try:
        if Path(path).suffix == ".npy":
            return BinaryTable.checked(np.load(path, allow_pickle=False), name=name, other=other)
        with open(path, newline="", encoding="utf-8-sig", errors="replace") as file:
            rows = [[cell.strip() for cell in row] for row in csv.reader(file) if row]
    except FileNotFoundError:
        raise TableError(
            f"read the table {path}", found="there is no such file", fix="check the path"
        ) from None
    except DeclarationError as error:
        raise DeclarationError(f"read {path}", found=error.found, fix=error.fix) from None
    except (OSError, EOFError, ValueError, csv.Error) as error:
        raise TableError(
            f"read the table {path}",
            found=str(error) or "it is not readable",
            fix="give a CSV file or a .npy file without pickled objects",
        ) from None
    binary = {"0", "1"}
    points = hypotheses = None
    # A cell that is no label, beyond the first, can only name a point; the first one alone names a
    # hypothesis if other rows start with a name too.
    if rows and (not set(rows[0][1:]) <= binary or _is_corner(rows)):
        points, rows = rows[0], rows[1:]
    if rows and not {row[0] for row in rows} <= binary and all(len(row) > 1 for row in rows):
        hypotheses, rows = [row[0] for row in rows], [row[1:] for row in rows]
        points = points and points[1:]
    return BinaryTable.checked(rows, points, hypotheses, name, other)


def _is_corner(rows: list[list[str]]) -> bool:
    """Whether the first cell stands above names, or alone is no label: so it heads a line of names."""
    first, *rest = (row[0] for row in rows)
    return first == "" or (first not in ("0", "1") and all(cell in ("0", "1") for cell in rest))
