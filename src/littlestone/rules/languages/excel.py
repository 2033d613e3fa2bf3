"""Score sheets as workbooks of Excel: the points, the risks, and formulas for the records."""

from __future__ import annotations

import io
from collections.abc import Mapping, Sequence
from datetime import date
from typing import Any

from littlestone.base.discovery import require_package
from littlestone.base.errors import (
    DeclarationError,
    TooLargeError,
    show_value,
    visible,
)
from littlestone.rules.languages import form
from littlestone.rules.languages.constants import nearest
from littlestone.rules.languages.form import ColumnPoints

ASKED = "write the sheet as a workbook"

ROWS = 100
"""How many rows of records have formulas."""

DEEPEST = 60
"""The most conditions inside each other; Excel reads 64."""

MOST_CHARACTERS = 8000
"""The most characters of a formula; Excel reads 8,192."""

MOST_PARTS = 250
"""The most characters of a text in a formula, and the most parts of a condition; Excel reads 255."""

_ROW = "\0"  # in place of the number of the row, which no text of a formula contains


def write_workbook(
    parts: Sequence[ColumnPoints],
    shown: Sequence[tuple[str, Sequence[tuple[str, int | None]]]],
    risks: Mapping[int, float],
    *,
    odds: tuple[int, int],
    least: int,
    most: float,
    names: Sequence[str],
) -> bytes:
    """The workbook.  Its first sheet takes records and says points, total, risk and label of each.

    ``shown`` are the columns with their cells in words and their points, and ``risks`` those of all
    totals.  The risk at the total t is 1 / (1 + exp(-z)) to four digits, with z = (odds[0] + odds[1] t)
    / 1000 cut off beyond -``most`` and ``most``.  The label is one of the two ``names``.
    """
    columns = [part.column for part in parts]
    for text in (*names, *columns):
        _require_plain(text)
    count = len(parts)
    own = [_points_formula(part, f"{_letter(i)}{_ROW}") for i, part in enumerate(parts)]
    total = f"{_letter(2 * count)}{_ROW}"
    summed = f"SUM({_letter(count)}{_ROW}:{_letter(2 * count - 1)}{_ROW})" if count else "0"
    z = f"MAX(-{most},MIN({most},({odds[0]}+{odds[1]}*{total})/1000))"
    low, high = map(_text, names)
    own += [summed, f"ROUND(1/(1+EXP(-{z})),4)", f"IF({total}>={least},{high},{low})"]
    # Rows without a record stay empty.
    inputs = f"A{_ROW}:{_letter(max(count - 1, 0))}{_ROW}"
    formulas = [f'=IF(COUNTA({inputs})=0,"",{each})' if count else f"={each}" for each in own]

    book = _new_workbook()
    page = _Page(book.active, "Records")
    page.add([*columns, *(f"points of {name}" for name in columns), "total", "risk", "label"])
    for row in range(2, ROWS + 2 if count else 3):
        page.add([None] * count, [each.replace(_ROW, str(row)) for each in formulas])
    page = _Page(book.create_sheet(), "Points")
    page.add(["column", "cells", "points"])
    for name, cells in shown:
        for i, (words, points) in enumerate(cells):
            page.add([visible(name) if i == 0 else None, visible(words), points])
    page = _Page(book.create_sheet(), "Risks")
    page.add(["total", "risk", "label"])
    for value, said in risks.items():
        page.add([value, said, names[value >= least]])
    content = io.BytesIO()
    book.save(content)
    return content.getvalue()


def _new_workbook() -> Any:
    require_package("openpyxl", ASKED, "excel")
    from openpyxl import Workbook

    return Workbook()


class _Page:
    """A sheet of a workbook, which is written row by row."""

    def __init__(self, sheet: Any, title: str) -> None:
        self._sheet, self._rows = sheet, 0
        sheet.title, sheet.freeze_panes = title, "A2"

    def add(self, values: Sequence[Any], formulas: Sequence[str] = ()) -> None:
        """A row; texts among the ``values`` stay texts, also if they begin with an equals sign."""
        from openpyxl.styles import Font

        self._rows += 1
        for i, value in enumerate([*values, *formulas]):
            if value is None:
                continue
            cell = self._sheet.cell(self._rows, i + 1, value)
            if i < len(values) and isinstance(value, str):
                cell.data_type = "s"
                wide = self._sheet.column_dimensions[_letter(i)]
                wide.width = max(wide.width, min(60, 2 + len(value)))
            if self._rows == 1:
                cell.font = Font(bold=True)


def _letter(i: int) -> str:
    """The letters of a column, counted from 0.

    >>> [_letter(i) for i in (0, 25, 26)]
    ['A', 'Z', 'AA']
    """
    return (_letter(i // 26 - 1) if i > 25 else "") + chr(ord("A") + i % 26)


def _require_plain(text: str) -> None:
    """Raise `DeclarationError` for a text that a cell or a formula cannot hold as it is."""
    if visible(text) != text or len(text) > MOST_PARTS:
        raise DeclarationError(
            f"{ASKED} with the text {show_value(text)}",
            found="a formula holds at most 250 characters, and none that cannot be seen",
            fix="write it as SQL, or predict with `littlestone predict`",
        )


def _points_formula(part: ColumnPoints, cell: str) -> str:
    """The points of a cell: an error if it holds what the declaration reads otherwise than Excel."""
    cases = part.outcome if isinstance(part.outcome, form.Case) else form.Case((), part.outcome)
    found = str(part.points[cases.otherwise])
    for when, then in reversed(cases.branches):
        found = f"IF({_condition(when, cell)},{part.points[then]},{found})"
    # A text may show a number or a day, and a truth value a text: nobody guesses.
    if any(isinstance(each, form.OneOf) for each in form.cells(part.outcome)):
        known = f"NOT(ISLOGICAL({cell}))"
    else:
        known = f"OR(ISNUMBER({cell}),LEN(TRIM({cell}))=0)"
    found = f"IF({known},{found},NA())"
    if len(found) > MOST_CHARACTERS or len(cases.branches) > DEEPEST:
        raise TooLargeError(
            ASKED,
            found=f"the points of {show_value(part.column)} make a longer formula than Excel reads",
            fix="write it as SQL, or predict with `littlestone predict`",
        )
    return found


def _condition(condition: form.Condition, cell: str) -> str:
    match condition:
        case form.Both(parts):
            return _join("AND", [_condition(part, cell) for part in parts])
        case form.Either(parts):
            return _join("OR", [_condition(part, cell) for part in parts])
        case form.Not(part):
            return f"NOT({_condition(part, cell)})"
        case form.OneOf(_, values):
            tests = [f"EXACT({cell},{_text(v)})" if v else f"LEN({cell})=0" for v in values]
            return _join("OR", tests)
        case form.Within() | form.Days():
            return _join("AND", [f"ISNUMBER({cell})", *_bounds(condition, cell)])
    raise TypeError(type(condition))


def _bounds(within: form.Within | form.Days, cell: str) -> list[str]:
    """That a number is from the low end on, and below the high one."""
    if isinstance(within, form.Days):
        ends = [None if end is None else _day(end) for end in (within.low, within.high)]
        return [f"{cell}{sign}{end}" for sign, end in zip((">=", "<"), ends, strict=True) if end]
    found = []
    if within.low is not None:
        beyond, low = nearest(within.low)
        found.append(f"{cell}{'>' if beyond else '>='}{low!r}")
    if within.high is not None:
        beyond, high = nearest(within.high)
        found.append(f"{cell}{'<=' if beyond else '<'}{high!r}")
    return found


def _day(text: str) -> str:
    found = date.fromisoformat(text)
    if found.year < 1901:
        raise DeclarationError(
            f"{ASKED} with the day {text}",
            found="Excel has no days before 1900",
            fix="write it as SQL, or predict with `littlestone predict`",
        )
    return f"DATE({found.year},{found.month},{found.day})"


def _join(word: str, parts: Sequence[str]) -> str:
    if len(parts) > MOST_PARTS:
        raise TooLargeError(
            ASKED,
            found=f"a condition has {len(parts)} parts, and Excel reads 255",
            fix="write it as SQL, or predict with `littlestone predict`",
        )
    if not parts:
        return "TRUE" if word == "AND" else "FALSE"
    return parts[0] if len(parts) == 1 else f"{word}({','.join(parts)})"


def _text(value: str) -> str:
    _require_plain(value)
    return '"' + value.replace('"', '""') + '"'
