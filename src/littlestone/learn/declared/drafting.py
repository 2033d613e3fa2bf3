"""Draft the schema of a table from the names and declared types of its columns, or a data dictionary.

A data dictionary is a public CSV file that says in a line what a column of a table may hold.
"""

from __future__ import annotations

import csv
import io
import os
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from decimal import Decimal
from pathlib import Path
from typing import Any

from littlestone.base.errors import DeclarationError, TableError, did_you_mean, show_value, visible
from littlestone.data.forms import Reading
from littlestone.data.label import label_names
from littlestone.data.opening import open_table
from littlestone.data.table import MARKS, Table, suggest_separator
from littlestone.learn.declared.schema_columns import KINDS, heading, read_column, toml_text
from littlestone.points import number, text

_KEYS = ("name", "type", "low", "high", "step", "values", "unit")
_MOST_BYTES = 1 << 20
_FEW = 200  # steps of 1 that are not too many to read


def read_dictionary(path: str | os.PathLike[str]) -> dict[str, list[str]]:
    """The lines of TOML of each column that a data dictionary names, in its order.

    Its header has ``name``, and any of ``type``, ``low``, ``high``, ``step``, ``values`` and ``unit``.
    A cell of values is such as ``F|M``, or ``"F, M"`` with commas.  Without a step, a range of whole
    numbers is cut at each if they are few, and any other range in 20 steps.  Raises `DeclarationError`
    with the line and the column of what is wrong.
    """
    found: dict[str, list[str]] = {}
    for line in _lines(path):
        name = line.row["name"]
        if not name:
            raise line.wrong("name", "it is empty", "write the name of a column")
        if name in found:
            raise line.wrong("name", f"{name!r} is there twice", "keep one of the lines")
        found[name] = line.toml_lines(name)
    return found


def _lines(path: str | os.PathLike[str]) -> Iterator[_Line]:
    if not isinstance(path, str | os.PathLike):
        raise DeclarationError(
            f"read the dictionary {show_value(path)}",
            found="it is not the path of a file",
            fix="give the path of a CSV file that says what columns hold",
        )
    try:
        if os.path.getsize(path) > _MOST_BYTES or not os.path.isfile(path):
            raise ValueError
        text = Path(path).read_text(encoding="utf-8-sig")
    except (OSError, ValueError) as error:
        reason = error.strerror if isinstance(error, OSError) else None
        raise DeclarationError(
            f"read the dictionary {os.fspath(path)}",
            found=reason or "it is not UTF-8 text of at most 1 MiB",
            fix="give a CSV file whose first line is such as name,type,low,high,values",
        ) from None
    first = text.partition("\n")[0]
    lines = csv.reader(io.StringIO(text), delimiter=";" if ";" in first else ",")
    at = _Line(path, 1)
    try:
        header = [cell.strip().lower() for cell in next(lines, [])]
        for key in header:
            if key not in _KEYS or header.count(key) > 1:
                known = did_you_mean(key, _KEYS, f"use each of {', '.join(_KEYS)} at most once")
                raise at.wrong(key, "the dictionary cannot have this column", known)
        if "name" not in header:
            raise at.wrong("name", "there is no such column", "begin with name,type,low,high")
        for cells in lines:
            padded = [*map(str.strip, cells), *[""] * len(header)]
            at = _Line(path, lines.line_num, dict(zip(header, padded, strict=False)))
            if len(cells) > len(header):
                fix = "put quotes around a cell that holds the separator"
                raise at.wrong("?", "the line has too many cells", fix)
            if any(padded):
                yield at
    except csv.Error:
        at = _Line(path, lines.line_num)
        raise at.wrong("?", "the line is not CSV", "write it as a CSV file") from None


@dataclass(frozen=True)
class _Line:
    """A line of a data dictionary: the text in each of its columns."""

    path: str | os.PathLike[str]
    number: int
    row: Mapping[str, str] = field(default_factory=dict)

    def wrong(self, column: str, found: str, fix: str) -> DeclarationError:
        at = f"{os.fspath(self.path)}, line {self.number}, column {column}"
        return DeclarationError(f"read the dictionary {at}", found=found, fix=fix)

    def toml_lines(self, name: str) -> list[str]:
        """The lines of TOML that declare the column, which a schema accepts."""
        row, given = self.row, dict[str, Any]()
        if kind := row.get("type", "").lower():
            if kind not in KINDS:
                fix = did_you_mean(kind, KINDS, f"write one of: {', '.join(KINDS)}")
                raise self.wrong("type", f"{kind!r} is not a type", fix)
            given["type"] = kind
        ends = {key: row[key] for key in ("low", "high", "step") if row.get(key)}
        numbers = {key: self._end_of_range(key, end) for key, end in ends.items()}
        if ends and not {"low", "high"} <= set(ends):
            missing = "high" if "low" in ends else "low"
            raise self.wrong(missing, "one end of the range is empty", "write both, or none")
        if ends:
            given["range"] = low, high = [numbers["low"], numbers["high"]]
            if "step" in numbers:
                given["step"] = numbers["step"]
            elif high - low > _FEW or low % 1 or high % 1 or kind == "number":
                given["steps"] = 20
        if listed := row.get("values", ""):
            given["values"] = (
                [v.strip() for v in listed.split("|")] if "|" in listed else label_names(listed)
            )
        if row.get("unit"):
            given["unit"] = row["unit"]
        try:
            read_column("the dictionary", name, given)
        except DeclarationError as error:
            at = "values" if listed else "low" if ends else "name"
            raise self.wrong(at, error.found, error.fix) from None
        return [f"{key} = {_toml(value)}" for key, value in given.items()]

    def _end_of_range(self, key: str, written: str) -> Decimal:
        found = number(written)
        if found is None or not found.is_finite():
            fix = "write a number such as 0.5, with a point"
            raise self.wrong(key, f"{written!r} is not a number", fix)
        return found or Decimal(0)


def _toml(value: Any) -> str:
    if isinstance(value, list):
        return f"[{', '.join(map(_toml, value))}]"
    return toml_text(value) if isinstance(value, str) else f"{Decimal(value):f}"


_HEAD = """\
# What is public about {table}, drafted from {source}.
# No record was read. Fill in what you know without looking at the records, from a
# code book or a law, because all of it is published with the rule. Ranges and lists
# that are read off the records may tell about a single one. Delete columns that no
# rule should read, or that this file need not know.
#
# Of the file:
#   target = "COLUMN"        the column to predict, and which of its values count as 1:
#   positive = "> 15"        or "yes", or ["Yes", "yes"]; for several labels instead
#                            labels = ["on time", "late"] and default = "on time"
#   unit = "COLUMN"          whose record it is, and max_records = 3 of each
#   separator = ";"          of a CSV file; encoding = "latin-1" if it is not UTF-8
#   multiline = true         if quoted cells of it hold line breaks
#   decimal = ","            in numbers; thousands = "." between groups of digits
#   missing = ["NA", "-"]    texts that stand for a missing value, here or of one column
# Of a column:
#   type = "number"          or "integer", "boolean", "text", "date", "datetime"
#   range = [0, 120]         of numbers, with step = 5, steps = 30 or log_steps = 30; without
#                            a range they are cut at round numbers, the same for every table
#   values = ["F", "M"]      if all values are on a public list; else any text counts
#   format = "%d.%m.%Y"      of days, with range = [2021-01-01, 2021-12-01], step = "1 month"
#   unit = "€"               beside numbers; of texts ignore_case = true
"""


def draft_schema(
    table: object,
    dictionary: str | os.PathLike[str] | None = None,
    *,
    reading: Reading | None = None,
) -> str:
    """A draft of the `Schema` of a table, in TOML with a comment that says what to fill in.

    ``table`` is what `open_table` takes or opened, such as the path of a CSV file.  Only the names
    and the declared types of its columns are used, and no record is read: ranges and lists of values
    are never guessed.  A CSV file declares no types.  If it has no header, its first record is taken
    for the names.  Raises `TableError` if the table cannot be opened.

    ``reading`` says how a CSV file is written, and the draft then says it, too.

    ``dictionary`` is a CSV file that says what columns hold, as `read_dictionary` reads it.  Raises
    `DeclarationError` if it is wrong, or if the table lacks one of its columns.

    >>> import polars
    >>> draft = draft_schema(polars.DataFrame({"age": [31, 74], "sex": ["F", "M"]}))
    >>> [line for line in draft.splitlines() if line and not line.startswith("#")]
    ['[columns.age]', 'type = "integer"', '[columns.sex]', 'type = "text"']
    """
    source = open_table(table, reading=reading)
    known = {} if dictionary is None else read_dictionary(dictionary)
    for name in known:
        source.require(name, "rename the line of the dictionary, or delete it")
    if (mark := source.likely_separator()) and not source.declared:
        raise TableError(
            f"draft a schema of {source.name}",
            found=f"its first line is one name, with {MARKS[mark]} in it",
            fix=suggest_separator(mark),
        )
    kind = "the names and declared types of its columns"
    if not source.declared:
        kind = "its first line alone"
    parts = [_HEAD.format(table=visible(source.name), source=kind)]
    if not source.declared:
        parts[0] += (
            "# CHECK that the first line of the file is a header: a record would be below.\n"
        )
    often = Counter(filter(_usable, source.columns))
    names = [name for name, times in often.items() if times == 1]
    if left := len(source.columns) - len(names):
        parts[0] += f"# Left out: {left} without a name, or with a name that others have too.\n"
    if reading:
        lines = {"separator": reading.separator, "encoding": reading.encoding}
        parts.append("".join(f"{key} = {toml_text(v)}\n" for key, v in lines.items() if v))
    return "\n".join(parts + [_column(source, name, known.get(name)) for name in names])


def _usable(name: object) -> bool:
    """Whether it is a name that a file can hold; columns of a frame may be called by anything."""
    return isinstance(name, str) and bool(name.strip()) and text(name) == name


def _column(table: Table, name: str, known: Sequence[str] | None) -> str:
    """The lines of a column, those of a dictionary if it has some."""
    try:
        table.require(name)
    except TableError as error:
        how = ""
        if table.kind(name) in ("date", "datetime"):
            how = '; to use its days, write type = "date" and range = [2021-01-01, 2021-12-01]'
        return f"# {heading(name)}  left out: {error.found}{how}\n"
    kind = table.kind(name)
    lines = [f'type = "{kind}"'] if kind is not None and not known else known or []
    return "\n".join([heading(name), *lines, ""])
