"""What a declaration or a rule reads of a table, counted for people who may see it.  NOT PRIVATE.

No value of a cell is kept or shown, only why it cannot be read.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import partial
from typing import Any

import numpy as np

from littlestone.classes.text.mixed_columns import range_of
from littlestone.data.coding import CodedColumn, Codes, Numbering
from littlestone.data.forms import CellForm, Unread, WrittenTable
from littlestone.data.label import Label
from littlestone.data.step_functions import FaultCheck
from littlestone.data.table import Kind, Table
from littlestone.learn.declared.column_types import NUMBERS
from littlestone.learn.declared.schema import Schema
from littlestone.learn.declared.schema_columns import SchemaColumn
from littlestone.learn.declared.written_forms import NumberMarks, number_shape, number_shapes
from littlestone.points import Dates, Domain, Listed, day, number, text
from littlestone.points.columns import columns_of

READ, MISSING, OTHER = "read", "missing", "another value"
"""What a cell or a label may be if nothing is wrong with it; every other word is a fault."""

UNIT, DATE, NUMBER = "a number with a unit", "a date", "no number"
OTHERWISE, DAY = "a day, written otherwise", "no day"
SPELLING, UNLISTED = "a listed value, spelled otherwise", str(Unread.UNLISTED)
SPACES = "a listed value, with other spaces"
UNDECODED = "bytes of another encoding"

_REPLACED = "\ufffd"  # what stands for bytes that are no text of the declared encoding

_DATE = re.compile(r"\d{1,2}[./]\d{1,2}[./]\d{2,4}.*|\d{4}[-/]\d{1,2}[-/]\d{1,2}.*", re.DOTALL)
OUTSIDE = str(Unread.OUTSIDE)
CODE = "outside the range, where codes for missing values are"
_NO_FAULTS = {READ, MISSING, OTHER, OUTSIDE, CODE}
_CODES = {-1, -9, -99, -999, -9999, 9, 99, 999, 9999}
_AS_IT_IS = CellForm()


def why_no_number(shown: str, written: CellForm = _AS_IT_IS) -> str:
    """Why a text is not read as a number that is ``written`` so.

    >>> [why_no_number(shown) for shown in ("4,52", "1.200,00 €", "12 mg/l", "08.05.2020", "unknown")]
    ['a decimal comma', 'a number with a unit', 'a number with a unit', 'a date', 'no number']
    """
    if _DATE.fullmatch(shown.strip()):
        return DATE
    shape = number_shape(shown)
    if shape is None:
        return NUMBER
    return UNIT if shape.unit not in ("", written.unit) else shape.marks


def cell_check(
    column: Domain[Any], declared: SchemaColumn | None = None, written: CellForm = _AS_IT_IS
) -> Callable[[object], str]:
    """The function that says of a cell of the column that it is read, missing, or why it is not read.

    The ``declared`` column of a schema says how the cell is written, or else ``written`` does.

    >>> [cell_check(Listed(("F", "M"), "sex"))(value) for value in ("F", " f", "x", None)]
    ['read', 'a listed value, with other spaces', 'not on the list', 'missing']
    """
    spelled = _spellings(column.values) if isinstance(column, Listed) else {}
    written = written if declared is None else declared.written

    outside = _outside(column)

    def check(value: object) -> str:
        shown = text(value)
        if not shown.strip() or written.is_missing(value):
            return MISSING
        if column.reads(read := written(value)):
            why = None if declared is None else declared.unread(value)
            found = str(why) if why is not None else OUTSIDE if outside(read) else READ
            return CODE if found == OUTSIDE and number(read) in _CODES else found
        if _REPLACED in shown:
            return UNDECODED
        if isinstance(column, Dates):
            return OTHERWISE if _DATE.fullmatch(shown.strip()) else DAY
        if isinstance(column, NUMBERS):
            return why_no_number(shown, written)
        return _misspelling(shown, spelled) or UNLISTED

    return check


def _outside(column: Domain[Any]) -> Callable[[object], bool]:
    """The function whether a value is read as a number or a day, and not in the column's range."""
    ends, read = range_of(column), day if isinstance(column, Dates) else number
    if ends is None:
        return lambda value: False
    low, high = map(read, ends)

    def outside(value: object) -> bool:
        found: Any = read(value)
        return found is not None and not low <= found <= high

    return outside


def label_check(
    label: Label, listed: Sequence[str] = (), written: CellForm = _AS_IT_IS
) -> Callable[[object], str]:
    """The function that says of a label that it is declared, missing, or why it is of no declared kind.

    The ``listed`` values are all that a schema declares for the column; without them, every value but
    those of the condition is `OTHER`, unless it is one of them with other letters or spaces.

    >>> check = label_check(Label.parse("late", "Ja"))
    >>> [check(value) for value in ("Ja", "ja", "Nein", "")]
    ['read', 'a listed value, spelled otherwise', 'another value', 'missing']
    """
    condition = label.condition
    named = label.names if condition is None else condition.values
    meant, spelled = _spellings(named), _spellings(listed)
    numbers = {number(value) for value in named} - {None}

    def check(cell: object) -> str:
        value, shown = written(cell), text(cell)
        if not shown.strip() or written.is_missing(cell):
            return MISSING
        if condition is not None and condition.compares_numbers:
            return READ if condition.reads(value) else why_no_number(shown, written)
        shown = text(value)
        if shown in named or (numbers and number(value) in numbers):
            return READ
        if why := _misspelling(shown, meant):  # even if it is listed: "ja" would count as not "Ja"
            return why
        if shown in listed:
            return READ
        if why := _misspelling(shown, spelled):
            return why
        return OTHER if condition is not None and not listed else UNLISTED

    return check


def count_faults(found: Iterable[str]) -> int:
    """How many of these words, of `cell_check` or `label_check`, say that something is not read.

    >>> count_faults([READ, MISSING, DATE])
    1
    """
    return sum(map(_is_fault, found))


def _is_fault(why: str) -> bool:
    return why not in _NO_FAULTS


def _key(value: str) -> str:
    return " ".join(value.split()).casefold()


def _spellings(values: Iterable[str]) -> dict[str, set[str]]:
    """The values without regard to case, by their keys."""
    found = dict[str, set[str]]()
    for value in values:
        found.setdefault(_key(value), set()).add(value.casefold())
    return found


def _misspelling(shown: str, values: Mapping[str, set[str]]) -> str:
    """In what a text differs from one of the values; empty if it is none of them."""
    alike = values.get(_key(shown), ())
    return (SPELLING if shown.casefold() in alike else SPACES) if alike else ""


@dataclass(frozen=True)
class Counts:
    """How many cells of a column are read, missing or not read, by the reason.

    ``kinds`` are, by the reason too, how many different labels of no declared value there are, and
    ``marks`` those of a column of numbers.  ``positive`` is how many labels a condition holds for.
    """

    column: str
    cells: Mapping[str, int]
    kinds: Mapping[str, int] = field(default_factory=dict)
    marks: NumberMarks | None = None
    positive: int | None = None

    @property
    def faults(self) -> dict[str, int]:
        """The cells that the declaration cannot read, by the reason, the most frequent first."""
        found = Counter({why: n for why, n in self.cells.items() if _is_fault(why)})
        return dict(found.most_common())

    @property
    def unread(self) -> int:
        """How many cells hold something that the declaration cannot read."""
        return sum(self.faults.values())

    @property
    def outside(self) -> int:
        """How many numbers and days are not in the range of the column."""
        return self.cells.get(OUTSIDE, 0) + self.cells.get(CODE, 0)

    @property
    def empty(self) -> bool:
        """Whether every cell is missing."""
        return set(self.cells) <= {MISSING}


def checks_of(
    columns: Sequence[Domain[Any]], label: Label | None, schema: Schema | None
) -> list[Callable[[object], str]]:
    """The `cell_check` of each column, and then the `label_check`, as the schema declares them."""
    known = {} if schema is None else {column.name: column for column in schema.columns}
    checks = [cell_check(column, known.get(column.name)) for column in columns]
    if label is not None:
        listed = known[label.column].values if schema is not None else ()
        checks.append(label_check(label, listed, _form(label, schema)))
    return checks


class Faults:
    """Says of each record whether a cell of it is not read, and whether its label is not.

    Its cells are those of the ``columns``, and both are as the ``schema`` declares them (`checks_of`).

    >>> from littlestone.data.coding import code_column
    >>> faults = Faults([Listed(("F", "M"), "sex")], Label.parse("late", "Ja"))
    >>> cells = [code_column(texts) for texts in (["F", "x", "x"], ["Ja", "Ja", "ja"])]
    >>> [kind.tolist() for kind in faults(cells)]
    [[0, 1, 1], [0, 0, 1]]
    """

    def __init__(
        self, columns: Sequence[Domain[Any]], label: Label, schema: Schema | None = None
    ) -> None:
        self._columns, self._label, self._schema = columns, label, schema
        checks = checks_of(columns, label, schema)
        self._functions = [partial(_fault, check) for check in checks]
        self._checks = [Numbering(function) for function in self._functions]

    def __call__(self, batch: Sequence[CodedColumn]) -> list[Codes]:
        """For each record of raw cells, 1 if any of them is not read, and 1 if the label is not."""
        found = []
        for check, column in zip(self._checks, batch, strict=True):
            numbers = check(column)
            found.append(np.array(check.values, np.int64)[numbers])
        *cells, label = found
        # A record is counted once, however many of its cells are not read.
        return [np.maximum.reduce(cells), label]

    def checks_of_types(self, kind_of: Callable[[str], Kind | None]) -> list[FaultCheck] | None:
        """The functions and the values that each tells apart, for columns of these declared types.

        None if one of them also tells apart whole numbers and others, or texts of one number.
        """
        known = {} if self._schema is None else {c.name: c for c in self._schema.columns}
        read = (one.name for one in self._columns if one.name in known)
        whole = [name for name in read if known[name].kind == "integer"]
        label, told = self._label, self._label.condition
        listed = known[label.column].values if known else ()
        texts = told is None or not told.compares_numbers
        if any(
            kind_of(name) == "number" for name in whole + [label.column] * bool(listed and texts)
        ):
            return None
        # Truth values are 0 and 1; of other columns only a list tells its values apart.
        declared = [one.values if isinstance(one, Listed) else ("0", "1") for one in self._columns]
        named = (*(label.names if told is None else told.values), *listed)
        declared.append((*named, *map(str.casefold, named)))
        functions = zip(self._functions, declared, strict=True)
        *cells, last = (FaultCheck(*pair) for pair in functions)
        return [*cells, last._replace(open=told is not None and texts and not listed)]


def _fault(check: Callable[[object], str], cell: object) -> int:
    return count_faults([check(cell)])


def count_cells(
    table: Table, columns: Sequence[Domain[Any]], label: Label | None, schema: Schema | None
) -> tuple[int, list[Counts]]:
    """The number of records, and counts of what is read in each column and then in the label.

    The table has the cells as they stand in its files.  Each distinct value of a batch is looked at
    once.
    """
    checks = list(map(Numbering, checks_of(columns, label, schema)))
    names = [column.name for column in columns] + ([] if label is None else [label.column])
    forms = _number_forms(columns, label, schema)
    shapes = [None if how is None else Numbering(number_shapes()) for how in forms]
    kinds = None if label is None else Numbering(_kinds(label, schema))
    holds = None if label is None or label.condition is None else Numbering(_holds(label, schema))
    n, positive, sums = 0, Counter[Any](), [Counter[Any]() for _ in checks]
    seen = [Counter[Any]() for _ in checks]
    for batch in table.batches(names):
        n += len(batch[0].codes)
        for column, check, total in zip(batch, checks, sums, strict=True):
            _add(check, column, total)
        for column, shape, total in zip(batch, shapes, seen, strict=True):
            if shape is not None:
                _add(shape, column, total)
        if kinds is not None:
            kinds(batch[-1])
        if holds is not None:
            _add(holds, batch[-1], positive)
    found = [
        Counts(
            name,
            {why: count for why, count in total.items() if count},
            marks=None if how is None else NumberMarks.choose(marks, *how),
        )
        for name, total, marks, how in zip(names, sums, seen, forms, strict=True)
    ]
    if kinds is not None:
        strange = Counter(why for why, _ in kinds.values if why not in (READ, MISSING))
        many = None if holds is None else positive[1]
        found[-1] = replace(found[-1], kinds=strange, positive=many)
    return n, found


def _add(function: Numbering[Any], column: CodedColumn, total: Counter[Any]) -> None:
    numbers = np.bincount(function(column), minlength=len(function))
    total.update(dict(zip(function.values, numbers.tolist(), strict=True)))


def _number_forms(
    columns: Sequence[Domain[Any]], label: Label | None, schema: Schema | None
) -> list[tuple[CellForm, bool] | None]:
    """How the numbers of each column and label are declared to be written; None for other columns.

    The truth value is whether the schema declares a column of numbers.
    """
    known = {} if schema is None else {column.name: column for column in schema.columns}
    names = [
        column.name if isinstance(column, NUMBERS) and not isinstance(column, Dates) else None
        for column in columns
    ]
    if label is not None:
        ordered = label.condition is not None and label.condition.compares_numbers
        names.append(label.column if ordered else None)
    found = list[tuple[CellForm, bool] | None]()
    for name in names:
        one = known.get(name or "")
        typed = one is not None and one.kind in ("integer", "number")
        form = _AS_IT_IS if one is None else one.written
        found.append(None if name is None else (form, typed))
    return found


def _kinds(label: Label, schema: Schema | None) -> Callable[[object], tuple[str, object]]:
    """The function from a label to how it is read, and to what it shows: labels of a kind are equal."""
    (check,), written = checks_of((), label, schema), _form(label, schema)

    def kind(cell: object) -> tuple[str, object]:
        value = written(cell)
        v = number(value)
        return check(cell), text(value).strip() if v is None else v

    return kind


def _holds(label: Label, schema: Schema | None) -> Callable[[object], int]:
    """The function from a label as it stands in the file to its number."""
    written = _form(label, schema)
    return lambda cell: label(written(cell))


def _form(label: Label, schema: Schema | None) -> CellForm:
    forms = {} if schema is None else schema.reading(label).columns
    return forms.get(label.column, _AS_IT_IS)


class UnreadCells(WrittenTable):
    """A table whose cells that a domain does not read are counted while it is read in batches.

    ``forms`` say how they are written.  NOT PRIVATE: the counts are those of its records.
    """

    def __init__(self, table: Table, domain: Domain[Any], forms: Mapping[str, CellForm]) -> None:
        super().__init__(table, {})
        self._forms = forms
        self._known = {
            column.name: column
            for column in columns_of(domain)
            if isinstance(column, (*NUMBERS, Listed))
        }
        self._checks = {
            name: Numbering(cell_check(column, written=forms.get(name, CellForm())))
            for name, column in self._known.items()
        }
        self._n, self._counts = 0, {name: Counter[str]() for name in self._checks}

    def batches(self, columns: Sequence[str]) -> Iterator[list[CodedColumn]]:
        for batch in self._table.raw.batches(columns):
            self._n += len(batch[0].codes)
            for name, cells in zip(columns, batch, strict=True):
                if (check := self._checks.get(name)) is not None:
                    _add(check, cells, self._counts[name])
            yield self._table.decode(columns, batch)

    def words(self) -> Iterator[str]:
        """A line for each column with cells that are not read; no value of a cell is among them."""
        for name, found in self._counts.items():
            unread = sum(n for why, n in found.items() if count_faults([why]))
            listed = isinstance(self._known[name], Listed)
            how = "are not read and count as missing"
            how = "are not on its list and count as other" if listed else how
            commas = name in self._forms and self._forms[name].decimal == ","
            why = "; the model reads a decimal comma" if commas else ""
            if unread:
                yield f"{unread:,} of {self._n:,} cells of {name!r} {how}{why}; see `littlestone check`"
            if UNDECODED in found:
                yield (
                    f"{found[UNDECODED]:,} of them are bytes of another encoding than the model reads: "
                    "write the file in that one, such as iconv -f latin1 -t utf-8 OLD > NEW"
                )
