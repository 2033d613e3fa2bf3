"""CSV files, plain or compressed, as tables."""

from __future__ import annotations

import csv
import gzip
import io
import lzma
import struct
import zipfile
import zlib
from collections.abc import Iterable, Iterator, Sequence
from contextlib import contextmanager
from operator import itemgetter
from pathlib import Path
from typing import Any

from littlestone.data.tables import COMMAS, Row, Table
from littlestone.errors import TableError

# Errors of damaged files; an archive with a password or an unknown method raises RuntimeError.
_DAMAGE = (
    OSError,
    EOFError,
    RuntimeError,
    csv.Error,
    zipfile.BadZipFile,
    zlib.error,
    lzma.LZMAError,
)


class CsvTable(Table):
    """A CSV file (plain, .gz, or a .zip of one file), with a header; every value is read as text.

    A short line is padded with missing values, and a long line is cut.  An empty line is skipped, but
    in a table with one column it is a missing value.  A line ends in LF or CRLF; any other carriage
    return is text.  As in any CSV file, a record spans several lines if a quoted value contains line
    breaks.
    """

    declared = False

    def __init__(self, path: Path) -> None:
        self.path = path
        self.name = str(path)
        self.columns = self._header()

    def _header(self) -> tuple[str, ...]:
        with self._open() as lines:
            cells = next(filter(None, lines), [])
        columns = tuple(cell.strip() for cell in cells)
        # A first line that is not a header may be anything, so it is refused without being shown.  If
        # lines end in carriage returns alone, it continues into the records.
        if any(columns) and all(map(_is_name, columns)) and "\r" not in "".join(cells):
            return columns
        if len(cells) == 1 and "\t" in cells[0].strip():
            raise TableError(
                f"read the table {self.name}", found="tabs are between its columns", fix=COMMAS
            )
        raise TableError(
            f"read the table {self.name}",
            found="its first line is no header: it is empty, or not readable UTF-8 text, or has a "
            "carriage return that ends no line",
            fix="give a CSV file in UTF-8 whose first line names its columns, and whose lines end in "
            "LF or CRLF",
        )

    @contextmanager
    def _open(self) -> Iterator[Iterator[list[str]]]:
        # The default limit would turn one long value into an exception; this one is a C long's.
        csv.field_size_limit(2 ** (8 * struct.calcsize("l") - 1) - 1)
        try:
            with self._text() as text:
                yield _records(text)
        except _DAMAGE as error:
            # The error's own text is left out, because a parser quotes the line where it stopped.
            reason = error.strerror if isinstance(error, OSError) else None
            raise TableError(
                f"read the table {self.name}",
                found=reason or "the file is damaged or not of the kind its name says",
                fix="give a CSV or Parquet file that can be read",
            ) from None

    @contextmanager
    def _text(self) -> Iterator[Iterator[str]]:
        with _byte_stream(self.path) as stream:
            yield readable(stream)

    @contextmanager
    def _records(self) -> Iterator[Iterator[list[str]]]:
        with self._open() as lines:
            next(filter(None, lines))
            yield lines

    def rows(self, columns: Sequence[str]) -> Iterator[Row]:
        places = [self.columns.index(column) for column in columns]
        last = max(places)
        # Twice as fast as a comprehension, but it returns no tuple for a single place.
        pick = itemgetter(*places) if len(places) > 1 else None
        with self._records() as lines:
            for line in lines:
                if pick is not None and last < len(line):
                    yield pick(line)
                elif line or last == 0 == len(self.columns) - 1:
                    yield tuple([line[i] if i < len(line) else "" for i in places])


def readable(stream: Any) -> io.TextIOWrapper:
    """Bytes as lines of text; bytes that are not UTF-8 are replaced, so reading never fails."""
    return io.TextIOWrapper(stream, "utf-8-sig", errors="replace", newline="\n")


# The csv module ends a line at any carriage return.  A carriage return that is text is therefore
# replaced by half of a surrogate pair, which no decoded bytes contain.
_DISGUISE = "\udc0d"


def _records(text: Iterable[str]) -> Iterator[list[str]]:
    """The cells of each record of a CSV text."""
    disguised = False

    def lines() -> Iterator[str]:
        nonlocal disguised
        for line in text:
            # The last line may lack a line end.
            if line.find("\r", 0, -2) >= 0 or line[-1] != "\n":
                end = "\r\n" if line.endswith("\r\n") else ""
                disguised = True
                yield line.removesuffix(end).replace("\r", _DISGUISE) + end
            else:
                yield line

    for cells in csv.reader(lines()):
        yield [cell.replace(_DISGUISE, "\r") for cell in cells] if disguised else cells


def _is_name(column: str) -> bool:
    return len(column) <= 1000 and all(c.isprintable() and c != "\ufffd" for c in column)


@contextmanager
def _byte_stream(path: Path) -> Iterator[Any]:
    if path.suffix.lower() == ".gz":
        with gzip.open(path, "rb") as stream:
            yield stream
    elif path.suffix.lower() == ".zip":
        with zipfile.ZipFile(path) as archive:
            members = [name for name in archive.namelist() if not name.endswith("/")]
            if len(members) != 1:
                raise TableError(
                    f"read the table {path}",
                    found=f"the archive has {len(members)} files",
                    fix="give an archive of one CSV file, or the CSV file itself",
                )
            with archive.open(members[0]) as stream:
                yield stream
    else:
        with path.open("rb") as stream:
            yield stream
