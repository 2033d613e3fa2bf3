"""How a table is written: its separator, its encoding and the forms of its columns."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any, Self

from littlestone.data.alike import Function
from littlestone.data.coding import CodedColumn, LazyValues, RowGroups
from littlestone.data.csv_files import (
    UTF_8,
    parse_encoding,
    parse_separator,
    require_multiline,
)
from littlestone.data.tables import NAMED, Kind, Row, Table
from littlestone.data.written import CellForm


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

    def require(self, column: str, fix: str = NAMED) -> None:
        self._table.require(column, fix)

    def require_days(self, column: str, fix: str = NAMED) -> None:
        self._table.require_days(column, fix)

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
