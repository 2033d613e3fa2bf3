"""Dask's data frames: each partition is counted where it is."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any

from littlestone.base.errors import TableError
from littlestone.data.coding import CodedColumn, Function, RowGroups
from littlestone.data.frames import FrameTable
from littlestone.data.lazy_frames import engine_errors
from littlestone.data.table import NAMED, ColumnarTable, Kind


class DaskTable(ColumnarTable):
    """A data frame of Dask.

    A partition is a frame of pandas, and `FrameTable` counts its rows.  So no rows are grouped by
    Dask, whose partitions may have other types than it declares.  All partitions are computed at once.
    """

    def __init__(self, frame: Any, *, name: str = "the data frame") -> None:
        self.name, self._frame = name, frame
        with engine_errors("Dask", name):
            self._schema = FrameTable(frame._meta, name=name)
        self.columns = self._schema.columns

    def require(self, column: str, fix: str = NAMED) -> None:
        self._schema.require(column, fix)
        declared = self._frame._meta[column].dtype
        # One missing value makes a partition one of floats, which rounds the others' numbers.
        if str(declared) in ("int64", "uint64"):
            nullable = str(declared).replace("i", "I", 1).replace("u", "U", 1)
            raise TableError(
                f"read column {column!r} of {self.name}",
                found=f"its type is {declared}, and Dask rounds such numbers beside a missing value",
                fix=f"declare a type that may be missing where you read it: dtype={{{column!r}: "
                f"{nullable!r}}}, or frame.astype() if none is missing",
            )

    def require_days(self, column: str, fix: str = NAMED) -> None:
        self._schema.require_days(column, fix)

    def kind(self, column: str) -> Kind | None:
        return self._schema.kind(column)

    def _compute(self, function: Any, columns: Sequence[str]) -> Iterator[Any]:
        """What the function returns for each partition, in their order."""
        with engine_errors("Dask", self.name):
            import dask

            wanted = self._frame[list(dict.fromkeys(columns))]
            # Each partition is coded where it is, and only the columns that are asked for are read.
            tasks = [dask.delayed(function)(part, columns) for part in wanted.to_delayed()]
            found = dask.compute(*tasks)
        for part in found:
            yield from part

    def groups(self, columns: Sequence[str], alike: Function | None = None) -> Iterator[RowGroups]:
        return self._compute(_groups, columns)

    def batches(self, columns: Sequence[str]) -> Iterator[list[CodedColumn]]:
        return self._compute(_batches, columns)


def _groups(part: Any, columns: Sequence[str]) -> list[RowGroups]:
    return list(FrameTable(part).groups(columns))


def _batches(part: Any, columns: Sequence[str]) -> list[list[CodedColumn]]:
    return list(FrameTable(part).batches(columns))
