"""One small interface to tables of any kind: a public schema, batches of rows, and counts of rows.

Reading never fails because of a record.  A ragged line, an undecodable byte or an unreadable number
is data, so it becomes a missing value and not an exception.  Only the schema (names and declared
types of columns) and the file as a whole can be refused.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Collection, Iterable, Iterator, Sequence
from contextlib import AbstractContextManager
from itertools import islice
from operator import itemgetter
from pathlib import Path
from typing import TYPE_CHECKING, Literal

from littlestone.base.discovery import replace_errors
from littlestone.base.errors import TableError, did_you_mean
from littlestone.data.coding import CodedColumn, Function, RowGroups, code_column, group_rows

if TYPE_CHECKING:
    from littlestone.data.stored import Snapshot

Row = tuple[object, ...]

SPANNING = "a record of a CSV file, which may span several lines"
"""What a record is, if it is not one line."""

Kind = Literal["boolean", "date", "datetime", "integer", "number", "text"]
"""What a declared type holds."""

DAYS = ("date", "datetime")
"""The types whose values read as days."""

# Records per batch: tuples of Python values that should fit in the processor's caches.
_ROWS = 2**10


def suggest_separator(mark: str) -> str:
    r"""What to do with a file that has another separator between its columns.

    >>> suggest_separator("\t")
    "say what is between its columns, which is --separator tab on the command line, and ..."
    """
    option = "tab" if mark == "\t" else f"'{mark}'"
    return (
        f"say what is between its columns, which is --separator {option} on the command line, and in "
        f"Python open_table(file, separator={mark!r}); a schema can say so too, and that numbers have "
        "decimal commas"
    )


def no_rows(table: Table) -> TableError:
    """The error about a table without records."""
    return TableError(
        f"learn from {table.name}",
        found="it has no rows",
        fix="give a table with at least one record",
    )


READABLE = "give a CSV or Parquet file that can be read"
"""What to do with a file that cannot be read."""


def replace_damage(
    kinds: tuple[type[BaseException], ...], name: str, found: str, fix: str
) -> AbstractContextManager[None]:
    """Raise a `TableError` about the table ``name`` in place of a reader's errors of these ``kinds``.

    The system says why itself, such as of a missing right.  A parser's own words are left out, because
    they quote where it stopped; so ``found`` stands for them.

    >>> with replace_damage((ValueError,), "a.csv", "it is damaged", READABLE):
    ...     int("secret")
    Traceback (most recent call last):
    littlestone.base.errors.TableError: cannot read the table a.csv: it is damaged
    to fix it: give a CSV or Parquet file that can be read
    """

    def ours(error: BaseException) -> TableError:
        reason = error.strerror if isinstance(error, OSError) else None
        return TableError(f"read the table {name}", found=reason or found, fix=fix)

    return replace_errors(kinds, ours)


NAMED = "name one of its columns, exactly as its header does"


MARKS = {";": "semicolons", "\t": "tabs", "|": "bars", ",": "commas"}


def _key(name: object) -> str:
    return "".join(str(name).split()).casefold()


class Table(ABC):
    """A table with a ``name`` and its public schema ``columns``.

    ``declared`` says whether its columns certainly have names, ``ordered`` whether its rows come in the
    same order each time, and ``spanning`` whether a record may span several lines of a file.  ``path``
    is that of the file, if there is one, and ``separator`` is between its cells.
    """

    name: str
    columns: tuple[str, ...]
    declared: bool = True
    ordered: bool = True
    spanning: bool = False
    separator: str = ","
    path: Path | None = None

    @property
    def raw(self) -> Table:
        """The table of the cells as they stand, before a declared form reads them."""
        return self

    def decode(self, columns: Sequence[str], batch: Sequence[CodedColumn]) -> list[CodedColumn]:
        """What the cells of a batch of `raw` show."""
        return list(batch)

    @abstractmethod
    def rows(self, columns: Sequence[str]) -> Iterator[Row]:
        """The values of ``columns``, one tuple per record, in the order of the table."""

    def arrivals(self, columns: Sequence[str]) -> Iterator[list[Row]]:
        """`rows` in lists of records that are there at the same time; a list may be empty."""
        rows = self.rows(columns)
        while batch := list(islice(rows, _ROWS)):
            yield batch

    def batches(self, columns: Sequence[str]) -> Iterator[list[CodedColumn]]:
        """The values of ``columns`` in batches, so that a file need not fit in memory."""
        for batch in Table.arrivals(self, columns):
            # zip(*batch) would make one iterator per record.
            yield [code_column(list(map(itemgetter(j), batch))) for j in range(len(columns))]

    def groups(self, columns: Sequence[str], alike: Function | None = None) -> Iterator[RowGroups]:
        """Rows of raw values of ``columns`` with their counts, which add up to the number of records.

        An engine counts equal rows itself.  It must not merge rows that any domain or label tells
        apart, so the sample is that of `batches` (docs/proofs/engines.md).  Values of the last column
        that ``alike`` maps to the same thing may stand for one another.
        """
        return map(group_rows, self.batches(columns))

    def snapshot(self) -> AbstractContextManager[Snapshot] | None:
        """One state of the table, which answers by sums; None if its records must be read."""
        return None

    def kind(self, column: str) -> Kind | None:
        """What the declared type of a column holds; None if no type is declared, as in a CSV file."""
        return None

    def likely_separator(self, column: str = "") -> str:
        """The character between all names, if they form one column because it does not separate.

        A comma stands in names too, so it is one only if it would cut off the ``column``.  Without a
        column, it is one if another ``separator`` is declared.
        """
        only = str(self.columns[0]) if len(self.columns) == 1 else ""
        cut_off = {name.strip(' "') for name in only.split(",")} - {""}
        comma = column in cut_off if column else self.separator != ","
        marks = ";\t|," if comma else ";\t|"
        return next((mark for mark in marks if mark in only), "")

    def require_all(
        self, columns: Iterable[str], days: Collection[str] = (), fix: str = NAMED
    ) -> None:
        """`require` each of the columns, and those of ``days`` as columns of days."""
        for column in columns:
            self.require(column, fix, days=column in days)

    def __repr__(self) -> str:
        # Without a header, a record would stand in its place.
        columns = f", columns {', '.join(map(str, self.columns))}" if self.declared else ""
        return f"table {self.name}{columns}"

    def require(self, column: str, fix: str = NAMED, *, days: bool = False) -> None:
        """Raise `TableError` unless the schema has exactly one usable column of that name.

        With ``days`` it is read as days, and a frame may declare it as such.
        """
        found = self.columns.count(column)
        if found != 1:
            # Without a header, a record would stand in its place, so nothing of it is shown.
            # A name that differs in case or spaces alone is the one that was given.
            alike = [name for name in map(str, self.columns) if _key(name) == _key(column)]
            if not found and fix == NAMED and not self.declared:
                fix += "; its first line is the header, so delete what stands above the names"
            if not found:
                fix = did_you_mean(column, map(str, self.columns) if self.declared else alike, fix)
            else:
                fix = "rename one of these columns, so that each is called by a name of its own"
            if any(not isinstance(name, str) and str(name) == column for name in self.columns):
                fix = "names must be texts: frame.columns = frame.columns.astype(str)"
            # The names are left out: without a header, the first line of a file is a record.
            why = f"{found or 'none'} of its {len(self.columns)} columns "
            why += "have that name" if found else "has that name"
            if len(self.columns) == 1:
                why = "its only column has another name"
            if mark := self.likely_separator(column):
                why = f"its header is one name, with {MARKS[mark]} in it"
                fix = suggest_separator(mark)
            raise TableError(f"read column {column!r} of {self.name}", found=why, fix=fix)


class ColumnarTable(Table):
    """A table that is read column by column, in batches."""

    @abstractmethod
    def batches(self, columns: Sequence[str]) -> Iterator[list[CodedColumn]]: ...

    def rows(self, columns: Sequence[str]) -> Iterator[Row]:
        for batch in self.batches(columns):
            yield from zip(*(column.to_list() for column in batch), strict=True)
