"""How the lines and numbers of a file are written, and what would read them.  NOT PRIVATE."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, replace
from typing import NamedTuple

from littlestone.base.errors import DeclarationError
from littlestone.data.csv import CsvTable
from littlestone.data.forms import CellForm
from littlestone.points import plain

_SEPARATORS = ",;\t|"


@dataclass(frozen=True)
class Lines:
    """A CSV file line by line: a line ends in LF, and the header does not count.

    ``open`` lines end within quotes, ``ragged`` ones have more or fewer cells than the header, and
    ``undecoded`` ones are not of the ``encoding``.  ``separator`` is the character that cuts the header
    into the most names, and ``spanning`` how many records there are if quoted values may hold line
    breaks, unless that leaves more of them ragged.
    """

    declared: str
    encoding: str
    separator: str
    lines: int
    open: int
    ragged: int
    undecoded: int
    spanning: int | None
    unclosed: bool = False
    """Whether quotes stay open beyond the cells that they begin."""

    @property
    def has_broken_cells(self) -> bool:
        """Whether quoted cells hold line breaks, although the table is not read that way."""
        return self.spanning not in (None, self.lines)


def reopen(table: CsvTable, *, separator: str | None = None, multiline: bool = False) -> CsvTable:
    """The same file, read with this separator if it is given, or so that records may span lines."""
    return CsvTable(
        table.path,
        separator=separator or table.separator,
        multiline=multiline or table.spanning,
        encoding=table.encoding,
    )


def count_lines(table: CsvTable) -> Lines:
    """Read the lines of a CSV file once, whatever its separator is declared to be."""
    mark, width = table.separator.encode(), len(table.columns)
    header = table.separator.join(table.columns)  # the names are public
    cuts = {one: header.count(one) for one in _SEPARATORS}
    best = max(cuts, key=lambda one: (cuts[one], one == table.separator))
    found: Counter[str] = Counter()
    with table._records() as stream:
        for line in stream:
            found["lines"] += 1
            if b'"' in line:
                found["open"] += line.count(b'"') % 2
            else:
                found["ragged"] += line.count(mark) + 1 != width
            if not line.isascii():
                try:
                    line.decode(table.encoding)
                except UnicodeDecodeError:
                    found["undecoded"] += 1
    spanning, unclosed = None, False
    if found["open"] and not table.spanning and isinstance(table, CsvTable):
        again, most = reopen(table, multiline=True), len(table.columns) + 1
        with again._records() as stream:
            widths = Counter(map(len, again._cells(stream, most)))
        # A quote that nobody closed joins lines to a record of many cells, or of few.
        unclosed = widths.total() - widths[width] > found["ragged"]
        spanning = None if unclosed else widths.total()
    ragged = 0 if found["open"] and (table.spanning or spanning is not None) else found["ragged"]
    return Lines(
        table.separator,
        table.encoding,
        best,
        found["lines"],
        found["open"],
        ragged,
        found["undecoded"],
        spanning,
        unclosed,
    )


def read_lines(table: CsvTable) -> tuple[CsvTable, Lines]:
    """The lines of a file, and the way to read the table that they suggest."""
    lines = count_lines(table)
    if lines.separator != lines.declared:
        table = reopen(table, separator=lines.separator)
        lines = replace(count_lines(table), declared=lines.declared)
    if lines.has_broken_cells:
        table = reopen(table, multiline=True)
    return table, lines


Marks = tuple[str, str]
"""What stands before decimals, and between thousands."""

MARKS: tuple[Marks, ...] = tuple((d, t) for d in ".," for t in ("", *".,", " ", "'") if d != t)
_FORMS = [CellForm(decimal, thousands) for decimal, thousands in MARKS]

_PARTS = re.compile(
    r"(?P<before>[^\w\s.,'<>=~+-]?)\s*(?P<size>[-+\u2212]?[.,]?\d[\d.,'\s]*)(?P<after>.*)",
    re.DOTALL,
)
_LONGEST = 100
# A 0 alone before a mark begins no thousands, so it stays.
_DIGITS = re.compile(r"(?!(?<![0-9])0[.,])[0-9]")
_GROUPED = re.compile(r"[-+\u2212]?1{1,3}(\.111)+")

_DECIMAL = {",": "a decimal comma", ".": "a decimal point"}
_THOUSANDS = {
    mark: f"{name} between thousands"
    for mark, name in ((",", "commas"), (".", "points"), (" ", "spaces"), ("'", "apostrophes"))
}
_EITHER = {
    mark: f"a {name}, decimal or between thousands"
    for mark, name in ((",", "comma"), (".", "point"))
}
IN_WORDS = frozenset([*_DECIMAL.values(), *_THOUSANDS.values(), *_EITHER.values()])
"""All that `NumberShape.marks` says."""


class NumberShape(NamedTuple):
    """How a text shows a number: the marks in it, and what stands beside it.

    ``readings`` has an entry for each of `MARKS`, 0 if they do not read it.  Those with equal entries
    read the same number.
    """

    size: str
    readings: tuple[int, ...]
    unit: str

    @property
    def marks(self) -> str:
        """Its marks in words.

        >>> [number_shape(text).marks for text in ("4,52", "1,255.1", "1 000", "1,234")]
        ['a decimal comma', 'commas between thousands', 'spaces between thousands', 'a comma, ...']
        """
        mark = "," if "," in self.size else "."
        if max(self.readings) > 1:
            return _EITHER[mark]
        decimal, thousands = MARKS[self.readings.index(1)]
        if decimal == mark in self.size:
            return _DECIMAL[mark]
        return _THOUSANDS.get(thousands, "another number")


def number_shape(text: str) -> NumberShape | None:
    """The shape of a number that a text shows, perhaps beside a unit that a schema can declare.

    Every digit is a 1 in it, but for a 0 alone before a mark.

    >>> number_shape("12,5 mg/l"), number_shape("12/30")
    (NumberShape(size='11,1', readings=(0, 0, 0, 0, 1, 1, 1, 1), unit='mg/l'), None)
    """
    found = _PARTS.fullmatch(text.strip()) if len(text) <= _LONGEST else None
    if found is None or (found["before"] and found["after"].strip()):
        return None
    unit = found["before"] or found["after"].strip()
    size = _DIGITS.sub("1", found["size"].strip())
    numbers: dict[object, int] = {None: 0}
    readings = tuple([numbers.setdefault(form(size), len(numbers)) for form in _FORMS])
    try:
        CellForm(unit=unit)
    except DeclarationError:
        return None
    return NumberShape(size, readings, unit) if any(readings) else None


def number_shapes() -> Callable[[object], NumberShape | None]:
    """The `number_shape` of cells; it is looked for once for all that differ in digits alone."""
    known = dict[str, NumberShape | None]()

    def shape(cell: object) -> NumberShape | None:
        value = plain(cell)
        if type(value) is not str or len(value) > _LONGEST:
            return None
        key = _DIGITS.sub("1", value)
        if key not in known:
            known[key] = number_shape(key)
        return known[key]

    return shape


@dataclass(frozen=True)
class NumberMarks:
    """The ``marks`` that read the most numbers of a column; two if they read other numbers.

    ``now`` are those that are declared, if ``typed`` for a column of numbers.  Of the numbers that
    marks read, the first do not read ``left``, and read ``changed`` otherwise than now.  ``units`` are
    how many kinds of units stand beside numbers and are not declared.  ``grouped`` says that no mark is
    declared and each point has three digits behind it and 1 to 999 before it, as between thousands.
    """

    marks: tuple[Marks, ...]
    now: Marks
    typed: bool
    left: int
    changed: int
    units: int
    grouped: bool

    @classmethod
    def choose(
        cls, shapes: Mapping[NumberShape | None, int], declared: CellForm, typed: bool
    ) -> NumberMarks | None:
        """What the shapes of a column's cells say, with the number of cells of each."""
        found = {shape: n for shape, n in shapes.items() if shape is not None and n}
        if not found:
            return None
        now = (declared.decimal or ".", declared.thousands)
        reads = [sum(n for s, n in found.items() if s.readings[i]) for i in range(len(MARKS))]
        best = [i for i in range(len(MARKS)) if reads[i] == max(reads)]
        best.sort(key=lambda i: (MARKS[i] != now, i not in (0, 4)))
        first = best[0]

        def differs(i: int, shape: NumberShape) -> bool:
            return 0 != shape.readings[i] != shape.readings[first] != 0

        others = [i for i in best if MARKS[first] != now and any(differs(i, s) for s in found)]
        at, bare = MARKS.index(now), ("", declared.unit)
        return cls(
            tuple(MARKS[i] for i in (first, *others[:1])),
            now,
            typed,
            sum(n for s, n in found.items() if not s.readings[first]),
            sum(n for s, n in found.items() if s.unit in bare and differs(at, s)),
            len({s.unit for s in found} - {*bare}),
            not (declared.decimal or declared.thousands) and _seem_grouped(s.size for s in found),
        )


def _seem_grouped(sizes: Iterable[str]) -> bool:
    pointed = [size for size in sizes if "." in size]
    return bool(pointed) and all(map(_GROUPED.fullmatch, pointed))
