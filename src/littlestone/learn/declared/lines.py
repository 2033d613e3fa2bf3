"""The lines of a CSV file, counted, and the way to read it that they suggest.  NOT PRIVATE."""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass, replace

from littlestone.data.csv import CsvTable, CsvText

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


def count_lines(table: CsvText) -> Lines:
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


def read_lines(table: CsvText) -> tuple[CsvText, Lines]:
    """The lines of a file, and the way to read the table that they suggest."""
    lines = count_lines(table)
    if isinstance(table, CsvTable) and lines.separator != lines.declared:
        table = reopen(table, separator=lines.separator)
        lines = replace(count_lines(table), declared=lines.declared)
    if isinstance(table, CsvTable) and lines.has_broken_cells:
        table = reopen(table, multiline=True)
    return table, lines
