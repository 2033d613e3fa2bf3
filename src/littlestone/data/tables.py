"""Tables of any kind behind one small interface: a schema, which is public, and counted rows.

Reading is total.  A ragged line, an undecodable byte or an unreadable number is data, so it becomes
a missing value and never an exception; only the schema (names and declared types of columns) and
the file as a whole can be refused.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Iterator, Sequence
from difflib import get_close_matches
from itertools import islice
from operator import itemgetter
from typing import ClassVar

from littlestone.data.coding import Coded, coded
from littlestone.errors import TableError

Row = tuple[object, ...]

# Records that are looked at at a time: tuples of Python's own values, which caches should hold.
_ROWS = 2**10


class Table(ABC):
    """A table: ``name`` says which, ``columns`` is its public schema.

    ``declared`` says whether its columns have names for sure.
    """

    name: str
    columns: tuple[str, ...]
    declared: ClassVar[bool] = True

    @abstractmethod
    def rows(self, columns: Sequence[str]) -> Iterator[Row]:
        """The values of ``columns``, one tuple a record, in the order of the table."""

    def batches(self, columns: Sequence[str]) -> Iterator[list[Coded]]:
        """The values of ``columns``, so many records at a time that a file need not fit in memory."""
        rows = self.rows(columns)
        while batch := list(islice(rows, _ROWS)):
            # zip(*batch) would make an iterator a record.
            yield [coded(list(map(itemgetter(j), batch))) for j in range(len(columns))]

    def __repr__(self) -> str:
        # Where there is no header, its place is a record's.
        columns = f", columns {', '.join(self.columns)}" if self.declared else ""
        return f"table {self.name}{columns}"

    def require(self, column: str) -> None:
        """Raise `TableError` unless the schema has exactly one usable column of that name."""
        found = self.columns.count(column)
        if found != 1:
            # Where there is no header, its place is a record's; so nothing of it is shown.
            known = map(str, self.columns) if self.declared else ()
            close = get_close_matches(column, known, n=1)
            fix = "name one of its columns, exactly as its header does"
            if close and not found:
                fix = f"did you mean {close[0]!r}? Otherwise {fix}"
            if len(self.columns) == 1 and any(mark in self.columns[0] for mark in ";\t|"):
                fix = "save the file with commas between its columns"
            raise TableError(
                f"read column {column!r} of {self.name}",
                # Not the names: the first line of a file without a header is a record.
                found=f"{found or 'none'} of its {len(self.columns)} columns "
                + ("have" if found else "has")
                + " that name",
                fix=fix,
            )
