"""Sheets of Excel workbooks (.xlsx, .xlsm) as tables.

The package openpyxl reads what is public: the sheets, the formats of dates and the calendar.  Cells
are read here, each by itself, because openpyxl fails or warns at some of them, and its warning quotes
the cell.
"""

from __future__ import annotations

import re
import zipfile
import zlib
from collections.abc import Iterator, Sequence
from contextlib import AbstractContextManager
from pathlib import Path
from typing import Any
from xml.etree.ElementTree import Element, ParseError, iterparse

from littlestone.base.discovery import require_package
from littlestone.base.errors import SourceError, TableError, did_you_mean
from littlestone.data.table import Row, Table, replace_damage

MOST_BYTES = 2**30
"""The most bytes of a workbook after unpacking."""

_MOST_AT_ONCE = 2**26  # bytes of a part that is read as a whole: lists of sheets and styles

_MOST_ROWS, _MOST_COLUMNS = 2**20, 2**14  # those of Excel itself

_SPACE = "{http://schemas.openxmlformats.org/spreadsheetml/2006/main}"
_ESCAPED = re.compile("_x([0-9A-Fa-f]{4})_")  # a character that XML lacks, such as _x0001_
_DAMAGE = (
    *(ArithmeticError, AttributeError, LookupError, RuntimeError, TypeError, ValueError),
    *(OSError, EOFError, ParseError, zipfile.BadZipFile, zlib.error),
)


class SheetTable(Table):
    """A sheet of a workbook, whose first row names the columns and whose further rows are the records.

    A record is a row of the sheet, up to the last row that the file states, even if it is empty.  Cells
    are numbers, texts, truth values, and days and times of the module datetime.  A formula is its
    stored value.  Errors such as #N/A are missing, and so is what cannot be read.
    """

    declared = False
    path: Path

    def __init__(self, path: Path, sheet: str | None = None) -> None:
        require_package("openpyxl", f"read {path}", "excel", SourceError)
        self.path, self.name = path, str(path) if sheet is None else f"{sheet} of {path}"
        with self._refuse_damage():
            self._require_bounded()
            sheets = self._open()
        if sheet is None and len(sheets) > 1:
            raise SourceError(
                f"read a table of {path}",
                found=f"it has {len(sheets)} sheets, and nothing says which: {', '.join(sheets)}",
                fix="name one with --table SHEET, in Python open_table(file, 'SHEET'), or save it as a "
                "workbook of its own",
            )
        name = next(iter(sheets), None) if sheet is None else sheet
        if name not in sheets:
            raise SourceError(
                f"read {self.name}",
                found="it has no such sheet" if sheets else "it has no sheet of cells",
                fix=did_you_mean(str(name), sheets, f"name one of: {', '.join(sheets)}"),
            )
        self._part = sheets[name]
        with self._refuse_damage():
            header = next(self._stated_rows(), (0, {}))
        self.columns = self._header(*header)

    def _header(self, number: int, cells: dict[int, object]) -> tuple[str, ...]:
        named = {place: str(value).strip() for place, value in cells.items() if value is not None}
        width = max((place for place, text in named.items() if text), default=0)
        if number != 1 or not width:
            raise TableError(
                f"read the table {self.name}",
                found="the first row of the sheet is empty, so nothing names the columns",
                fix="delete the rows above the names of the columns, and save the workbook",
            )
        return tuple(named.get(place, "") for place in range(1, width + 1))

    def rows(self, columns: Sequence[str]) -> Iterator[Row]:
        places = [self.columns.index(column) + 1 for column in columns]
        nothing, last = (None,) * len(places), 1
        with self._refuse_damage():
            for number, cells in self._stated_rows():
                for _ in range(last + 1, number):
                    yield nothing  # a row between others that the file leaves out is a record
                if number > 1:
                    yield tuple(map(cells.get, places))
                last = number

    def _refuse_damage(self) -> AbstractContextManager[None]:
        found = "it is damaged, has a password or is not an Excel workbook"
        fix = "save it in Excel as .xlsx without a password, or as CSV in UTF-8"
        return replace_damage(_DAMAGE, self.name, found, fix)

    def _require_bounded(self) -> None:
        with zipfile.ZipFile(self.path) as archive:
            parts = archive.infolist()
        # zipfile unpacks no more than a part declares, by these methods alone without reading ahead.
        known = {zipfile.ZIP_STORED, zipfile.ZIP_DEFLATED}
        if any(part.compress_type not in known for part in parts):
            raise ValueError("packed by another method")
        if sum(part.file_size for part in parts) > MOST_BYTES:
            raise TableError(
                f"read the table {self.path}",
                found=f"it unpacks to more than {MOST_BYTES:,} bytes",
                fix="save it as CSV in UTF-8, or as Parquet",
            )

    def _open(self) -> dict[str, str]:
        """The parts of the file that hold the sheets, by their names; keep what all sheets share."""
        import warnings

        from openpyxl.reader.excel import ExcelReader, apply_stylesheet
        from openpyxl.xml.constants import SHARED_STRINGS

        with open(self.path, "rb") as file, warnings.catch_warnings():
            warnings.simplefilter("ignore")  # they speak of styles
            reader = ExcelReader(file, read_only=True, data_only=True, keep_links=False)
            with _Archive(file) as archive:
                reader.archive = archive
                reader.read_manifest()
                reader.read_workbook()
                apply_stylesheet(archive, reader.wb)
                sheets = [(sheet.name, rel) for sheet, rel in reader.parser.find_sheets()]
                shared = reader.package.find(SHARED_STRINGS)
                self._texts = [] if shared is None else _texts(archive, shared.PartName[1:])
        book = reader.wb
        self._epoch, self._dates = book.epoch, set(book._date_formats)
        self._spans = set(book._timedelta_formats)
        return {name: rel.target for name, rel in sheets if rel.Type.endswith("/worksheet")}

    def _stated_rows(self) -> Iterator[tuple[int, dict[int, object]]]:
        """The number of each row that the file states, and its cells by the numbers of columns."""
        number, cells, place = 0, dict[int, object](), 0
        with zipfile.ZipFile(self.path) as archive, archive.open(self._part) as part:
            for row in _elements_at_end(part, "sheetData", "row", "c"):
                if row.tag == f"{_SPACE}c":
                    place = _place(row.get("r"), place)
                    if place <= _MOST_COLUMNS:
                        cells[place] = self._value(row)
                    continue
                before, number = number, int(row.get("r", number + 1))
                # Each row left out between two others counts as a record, so a number decides how
                # many there are.
                if not before < number <= _MOST_ROWS:
                    raise ValueError("rows out of order")
                yield number, cells
                cells, place = {}, 0

    def _value(self, cell: Element) -> object:
        """The value of a cell, by itself; None if it has none; never raises."""
        kind, raw = cell.get("t", "n"), cell.findtext(f"{_SPACE}v")
        if kind == "inlineStr":
            return _text_of(cell.find(f"{_SPACE}is"))
        if not raw:
            return None
        if kind == "str":
            return _unescape(raw)
        try:
            if kind == "s":
                return self._texts[int(raw)] if int(raw) >= 0 else None
            if kind == "b":
                return bool(("0", "1").index(raw))
            if kind == "n":
                return self._number(raw, int(cell.get("s", 0)))
            return _moment(raw) if kind == "d" else None  # the kind of errors is "e"
        except (ArithmeticError, LookupError, TypeError, ValueError):
            return None

    def _number(self, raw: str, style: int) -> object:
        from openpyxl.utils.datetime import from_excel

        value = float(raw) if set(raw) & set(".eE") else int(raw)
        if style not in self._dates:
            return value
        return from_excel(value, self._epoch, timedelta=style in self._spans)


class _Archive(zipfile.ZipFile):
    def read(self, name: str | zipfile.ZipInfo, pwd: bytes | None = None) -> bytes:
        info = self.getinfo(name) if isinstance(name, str) else name
        if info.file_size > _MOST_AT_ONCE:
            raise ValueError("a large part")
        return super().read(name, pwd)


def _moment(raw: str) -> object:
    from openpyxl.utils.datetime import from_ISO8601

    return from_ISO8601(raw)


def _place(reference: str | None, before: int) -> int:
    """The number of the column of a cell such as C7; without a reference it stands after the last."""
    letters = re.match("[A-Z]{1,3}(?=[0-9])", reference or "")
    if letters is None:
        return before + 1
    place = 0
    for letter in letters[0]:
        place = 26 * place + ord(letter) - ord("A") + 1
    return place


def _elements_at_end(part: Any, within: str, *tags: str) -> Iterator[Element]:
    """The elements of these ``tags`` in the element ``within``, at their ends.

    An element is dropped when it has ended, unless it is in one of the last of the tags.
    """
    outer, wanted = f"{_SPACE}{within}", [f"{_SPACE}{tag}" for tag in tags]
    above, kept = list[Element](), 0
    for event, element in iterparse(part, ("start", "end")):
        if event == "start":
            above.append(element)
            kept += element.tag == wanted[-1]
            continue
        above.pop()
        kept -= element.tag == wanted[-1]
        if element.tag == outer:
            return
        if element.tag in wanted:
            yield element
        # What is read is dropped at once, so a sheet need not fit in memory.
        if above and not kept:
            above[-1].remove(element)


def _texts(archive: zipfile.ZipFile, part: str) -> list[str | None]:
    """The texts that the cells of all sheets refer to by their numbers."""
    with archive.open(part) as stream:
        return list(map(_text_of, _elements_at_end(stream, "sst", "si")))


def _text_of(element: Element | None) -> str | None:
    """A text, whose parts may have fonts; its pronunciation (rPh) is not part of it."""
    if element is None:
        return None
    own = element.findtext(f"{_SPACE}t", "")
    runs = (run.findtext(f"{_SPACE}t", "") for run in element.findall(f"{_SPACE}r"))
    return _unescape("".join((own, *runs)))


def _unescape(raw: str) -> str:
    return _ESCAPED.sub(lambda found: chr(int(found[1], 16)), raw)
