"""How a table is written: its separator, its encoding and the forms of its cells.

A declared form reads each cell by itself, and never fails: docs/proofs/lines.md, Theorem 3.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from datetime import datetime
from decimal import Decimal
from enum import StrEnum
from functools import cached_property
from typing import Any, Self
from unicodedata import category

from littlestone.base.errors import DeclarationError, show_value
from littlestone.data.coding import CodedColumn, Function, LazyValues, RowGroups
from littlestone.data.csv import UTF_8, parse_encoding, parse_separator, require_multiline
from littlestone.data.table import NAMED, Kind, Row, Table
from littlestone.points import number, plain, require_list, text


class Unread(StrEnum):
    """Why a declaration cannot read a cell."""

    EMPTY = "empty"
    NO_NUMBER = "not a number"
    NO_WHOLE_NUMBER = "not a whole number"
    NO_TRUTH = "neither true nor false"
    NO_DATE = "not a date"
    OUTSIDE = "outside the range"
    UNLISTED = "not on the list"


_DIRECTIVES = {
    "%Y": "year",
    "%m": "month",
    "%d": "day",
    "%H": "hour",
    "%M": "minute",
    "%S": "second",
}
"""The parts of a pattern of dates."""

_SPACES = " \u00a0\u202f\u2009"
"""What a space between groups of digits may be: also those that do not break or are thin."""


@dataclass(frozen=True)
class CellForm:
    """How the cells of a column are written; a total function from a cell to an ordinary value.

    ``decimal`` and ``thousands`` are the marks in a number; ``unit`` may come before or after it.
    ``date`` is a pattern such as ``%d.%m.%Y``; the value is the day as ISO 8601 writes it.
    ``spelled`` are texts: a cell that differs from one of them by case alone is read as that text, and
    any other text in lower case.  A form of numbers or days reads any other cell as missing.  So does
    every form with the texts ``missing``, without spaces around them, and with numbers equal to them.
    Numbers, truth values and days of a table with types are otherwise read as they are.

    >>> euros = CellForm(decimal=",", thousands=".", unit="€")
    >>> [str(euros(cell)) for cell in ("1.200,00 €", "-3,5", "1.20", 7)], euros("")
    (['1200', '-3.5', 'None', '7'], None)
    >>> CellForm(spelled=("Ja", "Nein"))("JA"), CellForm(date="%d.%m.%Y")("1.3.2021")
    ('Ja', '2021-03-01')
    >>> [CellForm(missing=("k.A.", "-9"))(cell) for cell in (" k.A.", "-9.0", "9")]
    [None, None, '9']
    """

    decimal: str = ""
    thousands: str = ""
    unit: str = ""
    date: str = ""
    spelled: tuple[str, ...] | None = None
    missing: tuple[str, ...] = ()

    def __post_init__(self) -> None:
        if wrong := self._flaw():
            found, fix = wrong
            raise DeclarationError("read cells as they are written", found=found, fix=fix)

    def _flaw(self) -> tuple[str, str] | None:
        texts = (self.decimal, self.thousands, self.unit, self.date, *(self.spelled or ()))
        texts += self.missing
        if not all(type(one) is str for one in texts):
            return "the written form of cells must be text", 'write decimal = ","'
        if self.decimal not in ("", ".", ","):
            return f"decimal is {show_value(self.decimal)}", 'write decimal = "," or "."'
        if self.thousands not in ("", ".", ",", " ", "'"):
            fix = 'write thousands = ".", ",", "\'" or a space'
            return f"thousands is {show_value(self.thousands)}", fix
        if self.thousands and self.thousands == (self.decimal or "."):
            found = f"decimal and thousands are both {show_value(self.thousands)}"
            return found, 'write two marks, such as decimal = "," and thousands = "."'
        if self.unit != self.unit.strip() or re.search(r"[0-9]", self.unit) or len(self.unit) > 100:
            found = (
                f"unit is {show_value(self.unit)}, which has digits or begins or ends with a space"
            )
            return found, 'write what stands beside the numbers, such as unit = "€"'
        if any(category(c) == "Pd" or c in "+\u2212" for c in self.unit):
            found = f"unit is {show_value(self.unit)}, which has a sign, so -5 could be read as 5"
            return found, 'write what stands beside the numbers without it, such as unit = "€"'
        if self.unit and not self.unit.strip(".,' "):
            fix = 'write decimal or thousands in place of it, and a unit such as unit = "€"'
            return f"unit is {show_value(self.unit)}, which has only marks of numbers", fix
        if self.date and (self.numeric or self.spelled is not None):
            return "dates are written as numbers or by spelling", "keep one of them"
        if self.date and (wrong := _date_flaw(self.date)):
            return wrong
        folded = [one.casefold() for one in self.spelled or ()]
        if len(set(folded)) < len(folded):
            return "two values differ only in case, and case is ignored", "keep one of the two"
        return None

    @property
    def numeric(self) -> bool:
        """Whether it is a form of numbers."""
        return bool(self.decimal or self.thousands or self.unit)

    @property
    def kind(self) -> Kind | None:
        """What it makes of texts, if not texts."""
        return "number" if self.numeric else None

    def __call__(self, cell: object) -> object:
        """The value that a cell shows; None if it shows none; never raises."""
        value = plain(cell)
        if self.missing and self.is_missing(cell):
            return None
        if type(value) is not str:
            return cell
        if self.numeric:
            return self._number(value)
        if self.date:
            return self._day(value)
        if self.spelled is not None:
            folded = text(value).casefold()
            return self._spellings.get(folded, folded)
        return cell

    def is_missing(self, cell: object) -> bool:
        """Whether the cell is one of the texts ``missing``, or a number equal to one; never raises."""
        value = plain(cell)
        found = number(value)
        return text(value).strip() in self.missing or (
            found is not None and found in self._missing_numbers
        )

    @cached_property
    def _missing_numbers(self) -> list[Decimal]:
        return [found for found in map(number, self.missing) if found is not None]

    @cached_property
    def _pattern(self) -> re.Pattern[str]:
        parts = re.split("(%.)", self.date)
        written = ""
        for i, part in enumerate(parts):
            if i % 2 == 0:
                written += re.escape(part)
                continue
            # Two numbers without a mark between them are cut by their length.
            alone = parts[i + 1] != "" or i == len(parts) - 2
            alone = alone and (parts[i - 1] != "" or i == 1)
            digits = "{4}" if part == "%Y" else "{1,2}" if alone else "{2}"
            written += f"(?P<{_DIRECTIVES[part]}>[0-9]{digits})"
        return re.compile(written)

    def _day(self, value: str) -> str | None:
        found = self._pattern.fullmatch(text(value).strip())
        if found is None:
            return None
        parts = {name: int(digits) for name, digits in found.groupdict().items()}
        try:
            return datetime(**parts).date().isoformat()  # type: ignore[arg-type]
        except ValueError:  # such as the 30th of February
            return None

    @cached_property
    def _spellings(self) -> dict[str, str]:
        return {one.casefold(): one for one in self.spelled or ()}

    @cached_property
    def _digits(self) -> re.Pattern[str]:
        mark = f"[{_SPACES}]" if self.thousands == " " else re.escape(self.thousands)
        grouped = rf"[0-9]{{1,3}}(?:{mark}[0-9]{{3}})+|" if self.thousands else ""
        point = re.escape(self.decimal or ".")
        whole = rf"(?P<whole>{grouped}[0-9]*)"
        return re.compile(
            rf"(?P<sign>[-+\u2212]?){whole}(?:{point}(?P<part>[0-9]*))?(?P<ten>[eE][-+]?[0-9]{{1,6}})?"
        )

    def _number(self, value: str) -> Decimal | None:
        bare = value.strip()
        if self.unit:
            bare = bare.removeprefix(self.unit).removesuffix(self.unit).strip()
        # Nothing may be left over, so that no cell is read by half.
        found = self._digits.fullmatch(bare)
        if found is None or not (found["whole"] or found["part"]):
            return None
        digits = re.sub(r"[^0-9]", "", found["whole"]) or "0"
        sign = "-" if found["sign"] in ("-", "\u2212") else ""
        part = (found["part"] or "").rstrip("0")
        # As an exact decimal: a float would round, and two texts of one number could differ.
        return number(f"{sign}{digits}{part and f'.{part}'}{found['ten'] or ''}")

    def to_json(self) -> dict[str, object]:
        """The form as plain JSON values; `from_json` reads it back."""
        given = {
            "decimal": self.decimal,
            "thousands": self.thousands,
            "unit": self.unit,
            "date": self.date,
        }
        found: dict[str, object] = {key: value for key, value in given.items() if value}
        found |= {"missing": list(self.missing)} if self.missing else {}
        return found if self.spelled is None else {**found, "spelled": list(self.spelled)}

    @classmethod
    def from_json(cls, data: Mapping[str, Any]) -> Self:
        """The form that `to_json` wrote; raises `TypeError` or `DeclarationError` if it is damaged."""
        known = dict(data)
        for key in ("spelled", "missing"):
            if key in known:
                known[key] = tuple(require_list(known[key]))
        return cls(**known)


def _date_flaw(pattern: str) -> tuple[str, str] | None:
    """What is wrong with a pattern of dates, and what to write instead."""
    used = re.findall("%.?", pattern)
    fix = 'write format = "%d.%m.%Y"; the parts are %Y, %m, %d, %H, %M and %S'
    if not used:
        guess = pattern
        for words, part in (("yyyy", "%Y"), ("YYYY", "%Y"), ("dd", "%d"), ("DD", "%d")):
            guess = guess.replace(words, part)
        guess = re.sub("mm|MM", "%m", guess, count=1)
        if "%" in guess and _date_flaw(guess) is None:
            fix = f'write format = "{guess}"'
        return f"the format {show_value(pattern)} has no parts", fix
    for part in used:
        if part == "%y":
            fix = "convert the file, so that years have four digits, and write %Y: 01.03.2021"
            return "%y is a year without its century, so 21 could be 1921 or 2021", fix
        if part not in _DIRECTIVES:
            return f"the format has an unknown part, {part!r}", fix
    if len(set(used)) < len(used):
        return "the format has a part twice", fix
    if not {"%Y", "%m", "%d"} <= set(used):
        return "the format lacks the day, the month or the year", fix
    if ("%M" in used and "%H" not in used) or ("%S" in used and "%M" not in used):
        return "the format has minutes without hours, or seconds without minutes", fix
    if re.search(r"[0-9]", pattern):
        return "the format has digits", fix
    return None


@dataclass(frozen=True)
class Reading:
    """How the files and the cells of a table are written: public declarations.

    ``separator`` and ``encoding`` are those of CSV files, and with ``multiline`` a quoted cell of them
    may hold line breaks.  ``columns`` gives the form of the cells of some columns; a column without
    one is read as it is.

    >>> Reading(";", columns={"price": CellForm(decimal=",")}).to_json()
    {'separator': ';', 'columns': {'price': {'decimal': ','}}}
    """

    separator: str | None = None
    encoding: str = UTF_8
    columns: Mapping[str, CellForm] = field(default_factory=dict)
    multiline: bool = False

    def __post_init__(self) -> None:
        if self.separator is not None:
            parse_separator(self.separator)
        parse_encoding(self.encoding)
        require_multiline(self.multiline)

    def __bool__(self) -> bool:
        return self != Reading()

    def pick_columns(self, columns: Sequence[str]) -> Reading:
        """The same with the forms of these columns alone."""
        kept = {name: form for name, form in self.columns.items() if name in columns}
        return replace(self, columns=kept)

    def apply(self, table: Table) -> Table:
        """The table whose cells are read in these forms."""
        return WrittenTable(table, self.columns) if self.columns else table

    def to_json(self) -> dict[str, object]:
        """The declarations as plain JSON values; `from_json` reads them back."""
        data: dict[str, object] = {}
        if self.separator is not None:
            data["separator"] = self.separator
        if self.encoding != UTF_8:
            data["encoding"] = self.encoding
        if self.multiline:
            data["multiline"] = True
        if self.columns:
            data["columns"] = {name: form.to_json() for name, form in self.columns.items()}
        return data

    @classmethod
    def from_json(cls, data: Mapping[str, Any]) -> Self:
        """What `to_json` wrote; raises an error if it is damaged.

        >>> Reading.from_json({"encoding": "latin-1"}).encoding
        'latin-1'
        """
        known = dict(data)
        columns = {
            str(name): CellForm.from_json(form) for name, form in known.pop("columns", {}).items()
        }
        return cls(**known, columns=columns)


class WrittenTable(Table):
    """A table in which the cells of some columns are read in a declared form, each by itself."""

    def __init__(self, table: Table, forms: Mapping[str, CellForm]) -> None:
        self._table, self._forms = table, forms
        self.name, self.columns, self.path = table.name, table.columns, table.path
        self.declared, self.ordered, self.spanning = table.declared, table.ordered, table.spanning

    def require(self, column: str, fix: str = NAMED, *, days: bool = False) -> None:
        self._table.require(column, fix, days=days)

    def kind(self, column: str) -> Kind | None:
        kind, form = self._table.kind(column), self._forms.get(column)
        return form.kind if form is not None and form.kind and kind == "text" else kind

    def rows(self, columns: Sequence[str]) -> Iterator[Row]:
        return map(self._reader(columns), self._table.rows(columns))

    def arrivals(self, columns: Sequence[str]) -> Iterator[list[Row]]:
        read = self._reader(columns)
        return (list(map(read, rows)) for rows in self._table.arrivals(columns))

    def _reader(self, columns: Sequence[str]) -> Any:
        forms = [self._forms.get(column) for column in columns]

        def read_row(row: Row) -> Row:
            pairs = zip(forms, row, strict=True)
            return tuple([cell if form is None else form(cell) for form, cell in pairs])

        return read_row

    def batches(self, columns: Sequence[str]) -> Iterator[list[CodedColumn]]:
        return (self.decode(columns, batch) for batch in self._table.batches(columns))

    def groups(self, columns: Sequence[str], alike: Function | None = None) -> Iterator[RowGroups]:
        form, same = self._forms.get(columns[-1]), alike
        if alike is not None and form is not None:
            # Cells may stand for one another if what they show may.
            same = _after(form, alike)
        for found, counts in self._table.groups(columns, same):
            yield RowGroups(self.decode(columns, found), counts)

    @property
    def raw(self) -> Table:
        return self._table

    def decode(self, columns: Sequence[str], batch: Sequence[CodedColumn]) -> list[CodedColumn]:
        forms = map(self._forms.get, columns)
        return [_column(form, cells) for form, cells in zip(forms, batch, strict=True)]


def _after(form: CellForm, alike: Function) -> Function:
    return lambda cell: alike(form(cell))


def _column(form: CellForm | None, cells: CodedColumn) -> CodedColumn:
    if form is None:
        return cells
    values = cells.values
    if isinstance(values, LazyValues):
        return CodedColumn(values.map_values(form), cells.codes)
    return CodedColumn(list(map(form, values)), cells.codes)
