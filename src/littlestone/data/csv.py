"""CSV files, plain or compressed, and CSV text from a pipe, as tables."""

from __future__ import annotations

import csv
import gzip
import io
import lzma
import os
import re
import struct
import zipfile
import zlib
from abc import abstractmethod
from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import AbstractContextManager, contextmanager, nullcontext
from itertools import chain
from operator import itemgetter
from pathlib import Path
from typing import Any, BinaryIO

from littlestone.base.errors import DeclarationError, TableError, show_value
from littlestone.base.work import stage
from littlestone.data.coding import CodedColumn
from littlestone.data.csv_lines import block_rows, blocks, cells, code_blocks, content
from littlestone.data.table import READABLE, Row, Table, replace_damage, suggest_separator

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

_MARK = b"\xef\xbb\xbf"  # with which some programs begin a file in UTF-8
_COMPRESSED = (".gz", ".zip", ".zst")

UTF_8 = "utf-8"

ENCODINGS = (UTF_8, "latin-1", "cp1252")
"""Encodings in which a byte below 128 is that character of ASCII, and a part of no other."""


class CsvText(Table):
    """CSV text with a header.

    A line is a record, as `csv_lines` defines it.  With ``multiline`` a quoted cell may contain line
    breaks, and then a record is what the csv module of Python makes of one or more lines.  The
    ``separator`` of cells is a tab if the name is that of a .tsv file and else a comma, unless it is
    given.  The ``encoding`` of characters is one of `ENCODINGS`.
    """

    declared = False

    def __init__(self, name: str, *, separator: str | None, multiline: bool, encoding: str) -> None:
        self.name, self.encoding = name, parse_encoding(encoding)
        self.separator = _usual(Path(name)) if separator is None else parse_separator(separator)
        self.spanning = multiline
        with self._refuse_damage(), self._bytes() as stream:
            self.columns = self._header(stream)

    @abstractmethod
    def _bytes(self) -> AbstractContextManager[Any]:
        """The text as a stream of bytes; for a pipe, the rest of it."""

    @abstractmethod
    def _after_header(self, stream: Any) -> None:
        """Leave a stream of `_bytes` at the first record."""

    def _header(self, stream: Any) -> tuple[str, ...]:
        text = _first(stream, self.encoding)
        if _JSON.match(text):
            raise TableError(
                f"read the table {self.name}",
                found="its first line looks like JSON lines",
                fix="give CSV: a line with the names of the columns, then a line for each record; in "
                "Python give a frame, such as polars.read_ndjson(FILE)",
            )
        names = cells(text, self.separator)
        # One more separator makes one more cell unless it stands in an open quote.
        closed = len(cells(text + self.separator, self.separator)) > len(names)
        columns = tuple(cell.strip() for cell in names)
        # A first line that is not a header may be anything, so it is refused without being shown.  If
        # lines end in carriage returns alone, it continues into the records.
        if any(columns) and all(map(_is_name, columns)) and closed and "\r" not in text:
            return columns
        if len(names) == 1 and "\t" in text.strip():
            raise TableError(
                f"read the table {self.name}",
                found="tabs are between its columns",
                fix=suggest_separator("\t"),
            )
        if "\0" in text:
            raise TableError(
                f"read the table {self.name}",
                found="its bytes are those of UTF-16, which has two for each letter",
                fix="write it in UTF-8, such as iconv -f utf-16 -t utf-8 OLD > NEW; in Excel save as "
                "CSV UTF-8",
            )
        raise TableError(
            f"read the table {self.name}",
            found=f"its first line is no header: it is empty, or not readable {self.encoding.upper()} "
            "text, or has a quote that is not closed or a carriage return that ends no line",
            fix="give a CSV file in UTF-8 whose first line names its columns, and whose lines end in "
            "LF or CRLF; for another encoding run `schema --encoding latin-1`, or cp1252, and give "
            "that schema, or write it in UTF-8, such as iconv -f latin1 -t utf-8 OLD > NEW",
        )

    def _refuse_damage(self) -> AbstractContextManager[None]:
        found = "the file is damaged or not of the kind its name says"
        return replace_damage(_DAMAGE, self.name, found, READABLE)

    @contextmanager
    def _records(self) -> Iterator[Any]:
        """The stream of bytes after the header; that it cannot be read is a `TableError`."""
        with self._refuse_damage(), self._bytes() as stream:
            self._after_header(stream)
            yield stream

    def rows(self, columns: Sequence[str]) -> Iterator[Row]:
        places = [self.columns.index(column) for column in columns]
        most = max(places) + 1
        # Twice as fast as a comprehension, but it returns no tuple for a single place.
        pick = itemgetter(*places) if len(places) > 1 else None
        with self._records() as stream:
            for record in self._cells(stream, most):
                if pick is not None and most <= len(record):
                    yield pick(record)
                else:
                    yield tuple([record[i] if i < len(record) else "" for i in places])

    def _cells(self, lines: Iterable[bytes], most: int) -> Iterator[list[str]]:
        if self.spanning:
            return _spanning(lines, self.separator, self.encoding)
        texts = (content(line, self.encoding) for line in lines)
        return (cells(text, self.separator, most) for text in texts)


class CsvTable(CsvText):
    """A CSV file, plain or compressed (.gz, .zst, a .zip of one file)."""

    path: Path

    def __init__(
        self,
        path: Path,
        *,
        separator: str | None = None,
        multiline: bool = False,
        encoding: str = UTF_8,
    ) -> None:
        self.path = path
        super().__init__(str(path), separator=separator, multiline=multiline, encoding=encoding)

    def _bytes(self) -> AbstractContextManager[Any]:
        return _byte_stream(self.path)

    def _after_header(self, stream: Any) -> None:
        # The places of the columns come from the header, so a changed one would read other columns
        # as these.
        if self._header(stream) != self.columns:
            raise TableError(
                f"read the table {self.name}",
                found="its columns were changed since it was opened",
                fix="try again",
            )

    def batches(self, columns: Sequence[str]) -> Iterator[list[CodedColumn]]:
        if self.spanning:
            # A quoted line break joins lines, so a block of whole lines need not be one of whole
            # records.
            yield from super().batches(columns)
            return
        places = [self.columns.index(column) for column in columns]
        with self._records() as stream:
            yield from code_blocks(blocks(stream), self.separator, places, self.encoding)


def parse_separator(text: str) -> str:
    r"""The character that a declared separator stands for; ``tab`` and ``\t`` stand for a tab.

    >>> parse_separator(";"), parse_separator("tab")
    (';', '\t')
    """
    character = "\t" if text in ("tab", r"\t") else text
    if (
        isinstance(character, str)
        and len(character) == 1
        and character.isascii()
        and (character.isprintable() or character == "\t")
        and character != '"'
    ):
        return character
    raise DeclarationError(
        f"cut lines at the separator {show_value(text)}",
        found="it is not one visible ASCII character other than a double quote",
        fix="give one character, such as ';', or the word tab",
    )


def parse_encoding(name: str) -> str:
    """The encoding of that name, which is one of `ENCODINGS`.

    >>> parse_encoding("cp1252")
    'cp1252'
    """
    if name not in ENCODINGS:
        raise DeclarationError(
            f"read characters in the encoding {show_value(name)}",
            found="this encoding is not supported",
            fix=f"write one of: {', '.join(ENCODINGS)}; cp1252 is that of Windows in western Europe",
        )
    return name


def require_multiline(multiline: object) -> None:
    """Raise `DeclarationError` unless it is True or False: whether quoted cells hold line breaks."""
    if type(multiline) is not bool:
        raise DeclarationError(
            f"read a table with multiline {show_value(multiline)}",
            found="it is neither True nor False",
            fix="write True, or in a schema true, if a quoted value may hold line breaks",
        )


_JSON = re.compile(r'\s*\[?\s*\{\s*"')
"""How a line of JSON begins, and no header."""


def _usual(path: Path) -> str:
    r"""The separator of a file by its name.

    >>> _usual(Path("visits.TSV.gz")), _usual(Path("visits.csv"))
    ('\t', ',')
    """
    plain = path.stem if path.suffix.lower() in _COMPRESSED else path.name
    return "\t" if plain.lower().endswith(".tsv") else ","


def _first(stream: Any, encoding: str) -> str:
    """The first line that is not empty."""
    begin = next(stream, b"")
    lines = chain([begin.removeprefix(_MARK) if encoding == UTF_8 else begin], stream)
    return next(filter(None, (content(line, encoding) for line in lines)), "")


# The csv module ends a line at any carriage return.  A carriage return that is text is therefore
# replaced by half of a surrogate pair, which no decoded bytes contain.
_DISGUISE = "\udc0d"


def _spanning(lines: Iterable[bytes], separator: str, encoding: str) -> Iterator[list[str]]:
    """The cells of each record, if records may span several lines."""
    # The default limit would turn one long value into an exception; this one is a C long's.
    csv.field_size_limit(2 ** (8 * struct.calcsize("l") - 1) - 1)
    disguised = False

    def texts() -> Iterator[str]:
        nonlocal disguised
        for line in lines:
            text = line.decode(encoding, "replace")
            # The last line may lack a line end.
            if text.find("\r", 0, -2) >= 0 or text[-1] != "\n":
                end = "\r\n" if text.endswith("\r\n") else ""
                disguised = True
                yield text.removesuffix(end).replace("\r", _DISGUISE) + end
            else:
                yield text

    for record in csv.reader(texts(), delimiter=separator):
        yield [cell.replace(_DISGUISE, "\r") for cell in record] if disguised else record


def _is_name(column: str) -> bool:
    return len(column) <= 1000 and all(c.isprintable() and c != "\ufffd" for c in column)


class _ProgressFile(io.FileIO):
    """A file that tells which share of its bytes has been read."""

    def __init__(self, path: Path, tell: Callable[[int, int], object]) -> None:
        super().__init__(path)
        self._told, self._size = tell, os.fstat(self.fileno()).st_size

    def readinto(self, buffer: Any) -> int:
        count = super().readinto(buffer)
        self._told(self.tell(), self._size)
        return count


@contextmanager
def _byte_stream(path: Path) -> Iterator[Any]:
    with stage("reading the table") as tell, io.BufferedReader(_ProgressFile(path, tell)) as file:
        yield from _decompress(path, file)


def _decompress(path: Path, file: Any) -> Iterator[Any]:
    kind = path.suffix.lower()
    if kind == ".gz":
        with gzip.open(file, "rb") as stream:
            yield stream
    elif kind == ".zst":
        from pyarrow import CompressedInputStream

        with CompressedInputStream(file, "zstd") as stream:
            yield io.BufferedReader(stream)
    elif kind == ".zip":
        with zipfile.ZipFile(file) as archive:
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
        yield file


class CsvStream(CsvText):
    r"""CSV text from a pipe, read once and line by line as it arrives; otherwise like any CSV file.

    If all lines are ``ended``, `arrivals` leave out a last line without a line end: its writer stopped
    in the middle of it.

    >>> import io
    >>> stream = CsvStream(io.BytesIO(b"id,bad\n7,1\n"), name="standard input")
    >>> list(stream.rows(["bad", "id"])), list(stream.rows(["id"]))
    ([('1', '7')], [])
    """

    def __init__(
        self,
        stream: BinaryIO,
        *,
        name: str,
        separator: str | None = None,
        multiline: bool = False,
        ended: bool = False,
        encoding: str = UTF_8,
    ) -> None:
        self._pipe, self._ended = stream, ended
        super().__init__(name, separator=separator, multiline=multiline, encoding=encoding)

    def arrivals(self, columns: Sequence[str]) -> Iterator[list[Row]]:
        """`rows`, each list as soon as its lines can be read; it never waits for more of them."""
        if self.spanning:
            yield from ([row] for row in self.rows(columns))
            return
        places = [self.columns.index(column) for column in columns]
        with self._records() as stream:
            for block in blocks(stream, waits=False, ended=self._ended):
                yield list(block_rows(block, self.separator, places, self.encoding))

    def _bytes(self) -> AbstractContextManager[Any]:
        return nullcontext(self._pipe)

    def _after_header(self, stream: Any) -> None:
        """The header was already read from the same pipe."""
