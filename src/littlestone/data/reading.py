"""Turn records into a `Sample`: the declared domain and label encode each raw value once."""

from __future__ import annotations

import random
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import replace
from functools import partial
from itertools import chain
from typing import Any, TypeVar

import numpy as np

from littlestone.base.errors import DeclarationError, TableError, shorten
from littlestone.data.coding import (
    CodedColumn,
    Codes,
    Function,
    Numbering,
    RowGroups,
    Tally,
    TextNumbering,
    code_column,
    first_of_equals,
    group_rows,
    tuples,
)
from littlestone.data.label import Label
from littlestone.data.sample import Places, Records, Sample
from littlestone.data.table import Table, no_rows
from littlestone.points import Domain, Point, Product, Strings, entries, text
from littlestone.points.columns import days_of
from littlestone.points.units import Unit

_FEW = 2**18  # fewer records than this are not worth merging


class Reservoir:
    """Keeps at most k = ``unit.most`` records of each unit, each set of k with the same probability.

    A record is one code for each column.  The j-th record of a unit, j > k, takes one of the places
    1, ..., j at random, and replaces the record there if that is one of the k places; otherwise it is
    left out (Vitter's algorithm R).  So what is kept of a unit depends on the records of that unit
    alone, on their order and on draws of its own: not on other units, and not on what any record says
    (docs/proofs/units.md, Theorem 1).  Memory grows with the records that are kept, and a void place
    takes none.  Time: O(1) a record, and one whole number of ``rng`` for each record of a unit beyond
    its first k.

    >>> from littlestone.data.coding import code_column
    >>> kept = Reservoir(Unit("name", 1), random.Random(0))
    >>> kept.add(code_column(["ann", "bob", "ann"]), [np.array([5, 6, 5])])
    >>> kept.units, [column.tolist() for column in kept.columns()]
    (2, [[5, 6]])
    """

    def __init__(self, unit: Unit, rng: random.Random) -> None:
        self.unit, self._most, self._rng = unit, unit.most, rng
        self._number = TextNumbering()
        self._seen = np.zeros(0, np.int64)  # records of each unit so far
        # Places, and the records that were put there; the last record of a place is the one kept.
        self._put: list[tuple[Codes, Codes]] = []
        self._listed = self._filled = 0  # records put, and places that are filled

    @property
    def units(self) -> int:
        """The number of units so far, which is public."""
        return len(self._number)

    def add(self, unit: CodedColumn, columns: Sequence[Codes]) -> None:
        """Look at the records of a batch, in their order; ``unit`` says whose each is."""
        # A column may list values that belong to no record; they are no units.
        occurring, codes = np.unique(unit.codes, return_inverse=True)
        values = list(unit.values)
        units = self._number(CodedColumn([values[i] for i in occurring.tolist()], codes))
        self._grow()
        # The place of each record among those of its unit: 0 for the first one ever seen.
        order = np.argsort(units, kind="stable")
        grouped = units[order]
        starts = np.flatnonzero(np.diff(grouped, prepend=-1))
        inside = np.arange(len(grouped)) - np.repeat(starts, np.diff(starts, append=len(grouped)))
        place = np.empty(len(units), np.int64)
        place[order] = self._seen[grouped] + inside
        self._seen += np.bincount(units, minlength=len(self._seen))
        late = np.flatnonzero(place >= self._most)
        # Vitter's algorithm R: record j takes a place with probability k / (j + 1).  What is drawn
        # depends on the records of its unit alone (docs/proofs/units.md, Theorem 1).
        place[late] = [self._rng.randrange(j + 1) for j in place[late].tolist()]
        kept = np.flatnonzero(place < self._most)
        self._put.append((units[kept] * self._most + place[kept], np.stack(columns, axis=1)[kept]))
        self._listed += len(kept)
        if self._listed > 2 * self._filled + _FEW:
            self._merge()

    def _grow(self) -> None:
        missing = self.units - len(self._seen)
        if missing > 0:
            room = max(missing, len(self._seen))  # twice as much, so that all growing is O(units)
            self._seen = np.concatenate([self._seen, np.zeros(room, np.int64)])

    def _merge(self) -> None:
        """Leave one record in each place, the last that was put there, in the order of the places."""
        places, records = (np.concatenate(parts) for parts in zip(*self._put, strict=True))
        # From the end, because `np.unique` returns the first of equals.
        filled, last = np.unique(places[::-1], return_index=True)
        self._put = [(filled, records[len(places) - 1 - last])]
        self._listed = self._filled = len(filled)

    def columns(self) -> list[Codes]:
        """The codes of the records that are kept, by column; at least one was added."""
        self._merge()
        return list(self._put[0][1].T)


Value = TypeVar("Value")

Faults = Callable[[Sequence[CodedColumn]], list[Codes]]
"""For each record of raw cells, 1 if any of them is not read, and 1 if the label is not."""


def read_sample(
    table: Table,
    domain: Domain[Point],
    label: Label,
    *,
    refuse_blank: bool = False,
    keep: Reservoir | None = None,
    faults: Faults | None = None,
) -> Sample[Point]:
    """The sample of a table: points from ``domain.column_names``, labels from ``label``.

    Every row counts: the domain encodes a missing or undeclared value, and no row is dropped.  Raises
    `TableError` for a missing or untyped column or a table without rows; all of these are public.
    ``refuse_blank`` also refuses a column without readable values.  That answer depends on the data,
    so it is NOT PRIVATE and for evaluation only.  One pass; memory grows with the distinct pairs.

    ``keep`` is for one table, and chooses the records of each unit.  The sample then declares the unit,
    and memory grows with the records that are kept.

    ``faults`` looks at the cells as they stand.  The sample then has the number of records with a cell
    that is not read, and of those with such a label; engines group by all values of the labels.
    """
    columns = (*domain.column_names, label.column)
    read = columns if keep is None else (*columns, keep.unit.column)
    table.require_all(read, days_of(domain))
    sample = _Sampling(domain, label, keep)
    readable = [not refuse_blank, not refuse_blank]
    source = table
    if faults is not None:  # the sampling gets the cells as they stand, and reads them itself
        sample.faults, sample.show, source = faults, partial(table.decode, columns), table.raw
    batches: Iterable[Sequence[CodedColumn]]
    if keep is None:
        alike: Function = (lambda y: (label(y), label.reads(y))) if refuse_blank else label
        batches = map(sample.count_rows, source.groups(columns, alike if faults is None else None))
    else:  # a unit's records are chosen one by one
        batches = map(partial(sample.choose, keep), source.batches(read))
    # This only decides whether a column without any readable value is refused below.
    for *points, labels in batches:
        readable[0] = readable[0] or any(map(domain.reads_record, _rows(points)[0]))
        readable[1] = readable[1] or any(map(label.reads, labels.to_list()))
    if sample.empty:
        raise no_rows(table)
    for name, has_values in zip((domain.name, label.column), readable, strict=True):
        if not has_values:
            raise TableError(
                f"learn from {name!r} of {table.name}",
                found="none of its values can be read: all are missing or of another kind",
                fix="name a column with values, or declare a domain that fits this one",
            )
    return replace(sample.build_sample(), spanning=table.spanning)


def sample_from_arrays(
    x: Iterable[Any], y: Iterable[Any], domain: Domain[Point], *, positive: object = 1
) -> Sample[Point]:
    """The sample of two equally long arrays or lists; a label is 1 if y is ``positive``.

    ``positive`` is a value or a comparison, as in `Label.parse`.  Raises `DeclarationError` for
    arrays with other shapes.

    >>> from littlestone.points import Grid
    >>> sample_from_arrays([1, 99, float("nan")], [0, 1, 1], Grid(0, 9)).points
    (1, 9, 0)
    """
    xs, ys = plain_values(x), plain_values(y)
    if len(xs) != len(ys) or not xs:
        raise DeclarationError(
            "make a sample of two arrays",
            found=f"they have {len(xs)} and {len(ys)} entries",
            fix="give two arrays of one length, at least 1",
        )
    *columns, labels = zip(
        *((*_record(x, domain), y) for x, y in zip(xs, ys, strict=True)), strict=True
    )
    sample = _Sampling(domain, Label.parse("label", positive))
    sample.count_rows(group_rows([*map(code_column, columns), code_column(labels)]))
    return sample.build_sample()


def _record(x: Any, domain: Domain[Any]) -> tuple[object, ...]:
    """One value per column of a record that is a list, a tuple or a single value.

    Missing values become None and extra values are cut, so an odd record is still a record.
    """
    width = len(domain.column_names)
    values = entries(x) if width > 1 else (x,)
    return (*values, *[None] * width)[:width]


def plain_values(values: Iterable[Any]) -> list[Any]:
    """The values of a one-dimensional array, column or list as Python values.

    Raises `DeclarationError` for an array with another shape.
    """
    from littlestone.data.frames import column_table, shortest

    shape = getattr(values, "shape", None)
    if shape is not None and len(shape) != 1:
        raise DeclarationError(
            "make a sample of two arrays",
            found=f"one has shape {tuple(shape)}",
            fix="give one-dimensional arrays: one point and one label a record",
        )
    if isinstance(values, np.ndarray):
        # tolist() gives the same Python values for every dtype.
        width = {np.float16: 16, np.float32: 32}.get(values.dtype.type)
        listed: list[Any] = values.tolist()
        return listed if width is None else [shortest(value, width) for value in listed]
    table = column_table(values)
    return list(values) if table is None else [value for (value,) in table.rows(table.columns)]


class _Sampling:
    """Builds a sample: takes raw batches and keeps distinct encoded pairs with their counts.

    With a reservoir it first takes encoded records apart, and counts those that are left at the end.
    """

    def __init__(self, domain: Domain[Any], label: Label, keep: Reservoir | None = None) -> None:
        self.keep = keep
        self.domain, self.label, self.labels = domain, Numbering(label), label.labels
        self.points: list[Numbering[Any] | TextNumbering]
        if isinstance(domain, Product):
            self.points = [_numbering(column, column.encode) for column in domain.columns]
        elif len(domain.column_names) == 1:
            self.points = [_numbering(domain, lambda value: domain.encode_record((value,)))]
        else:
            self.points = [Numbering(domain.encode_record)]
        self.tally = Tally(1 + len(self.points))
        self.faults: Faults | None = None
        self.show: Callable[[Sequence[CodedColumn]], list[CodedColumn]] = list
        self.unread = np.zeros(2, np.int64)

    def count_rows(self, groups: RowGroups) -> list[CodedColumn]:
        """Count rows of raw values of the domain's columns, then of the label's; return the columns."""
        shown = self.show(groups.columns)
        self._count(self._encode(groups.columns, shown), groups.counts)
        return shown

    def choose(self, keep: Reservoir, batch: Sequence[CodedColumn]) -> Sequence[CodedColumn]:
        """Give records to the reservoir; the last column says whose each is.  Return the others."""
        *cells, unit = batch
        shown = self.show(cells)
        keep.add(unit, self._encode(cells, shown))
        return shown

    def _encode(self, cells: Sequence[CodedColumn], shown: Sequence[CodedColumn]) -> list[Codes]:
        """The labels, the numbers of the points' columns, and what the faults say of the cells."""
        *columns, labels = shown
        # A domain that is no product encodes its columns together, so their rows are numbered
        # first.
        if len(columns) > len(self.points):
            columns = [CodedColumn(*_rows(columns))]
        numbers = self.label(labels)
        points = [number(column) for number, column in zip(self.points, columns, strict=True)]
        found = [] if self.faults is None else self.faults(cells)
        return [np.array(self.label.values, np.int64)[numbers], *points, *found]

    def _count(self, codes: Sequence[Codes], counts: Codes) -> None:
        sizes = [self.labels, *map(len, self.points)]
        self.tally.add(codes[: len(sizes)], sizes, counts)
        if self.faults is not None:
            self.unread += [int(fault @ counts) for fault in codes[len(sizes) :]]

    @property
    def empty(self) -> bool:
        """Whether no record was added."""
        return not (self.tally if self.keep is None else self.keep.units)

    def build_sample(self) -> Sample[Any]:
        """The sample of all added records; at least one must have been added."""
        if self.keep is not None:
            # Only the records that the reservoir kept are counted (docs/proofs/units.md, Theorem
            # 1).
            kept = self.keep.columns()
            self._count(kept, np.ones_like(kept[0]))
        (labels, *columns), counts = self.tally.take_rows()
        # The rows of a point are neighbours, because the label is the least significant column.
        first = first_of_equals(columns)
        tally = np.zeros((self.labels, np.count_nonzero(first)), np.int64)
        place = np.cumsum(first) - 1
        place += labels.astype(np.int64) * tally.shape[1]
        tally.put(place, counts)
        del place, labels, counts
        distinct: list[Places] = [columns.pop(0)[first] for _ in self.points]
        alone = self.points[0]
        bare = not isinstance(self.domain, Product)  # a product of one column has tuples
        if bare and self.keep is None and isinstance(alone, TextNumbering):
            points: Sequence[Any] = alone.values.pick(distinct[0])
            return Sample(self.domain, points, tally.T, unread=self._unread())
        values = [list(numbering.values) for numbering in self.points]
        if self.keep is not None:
            # Nothing is left of records that were not kept, not even a value that they alone had.
            values, distinct = _occurring(values, distinct)
        points = Records(list(zip(values, distinct, strict=True)))
        if not isinstance(self.domain, Product):
            points = tuple(CodedColumn(values[0], distinct[0].astype(np.int64)).to_list())
        if self.keep is None:
            return Sample(self.domain, points, tally.T, unread=self._unread())
        unit, units = self.keep.unit, self.keep.units
        return Sample(self.domain, points, tally.T, unit, units, unread=self._unread())

    def _unread(self) -> tuple[int, int] | None:
        cells, labels = self.unread.tolist()
        return None if self.faults is None else (cells, labels)


def _numbering(
    domain: Domain[Any], encode: Callable[[object], Any]
) -> Numbering[Any] | TextNumbering:
    return TextNumbering() if type(domain) is Strings else Numbering(encode)


def _occurring(
    values: Sequence[Sequence[Any]], columns: Sequence[Places]
) -> tuple[list[list[Any]], list[Places]]:
    """The columns coded anew, by those values that occur."""
    found = [np.unique(codes, return_inverse=True) for codes in columns]
    occurring = [
        [listed[i] for i in used.tolist()] for listed, (used, _) in zip(values, found, strict=True)
    ]
    return occurring, [codes for _, codes in found]


def _rows(columns: Sequence[CodedColumn]) -> tuple[list[tuple[Any, ...]], Codes]:
    """The distinct rows, and the number of each record's row."""
    codes, number = tuples([c.codes for c in columns], [len(c.values) for c in columns])
    listed = (CodedColumn(c.values, kept).to_list() for c, kept in zip(columns, codes, strict=True))
    return list(zip(*listed, strict=True)), number


def read_mapped(
    table: Table,
    domain: Domain[Point],
    function: Callable[..., Iterable[Value]],
    columns: Sequence[str] | None = None,
    keep: Sequence[str] = (),
) -> Iterator[Value]:
    """The values that ``function`` gives the encoded points of all records, in the order of the table.

    It is given the points of the distinct records of a batch.  Only ``columns`` are read, by default
    all columns of the domain; the others count as missing.  If columns to ``keep`` are named, it is
    also given the texts of these for each record.  Raises `TableError` for a missing or untyped column.
    """
    tested = domain.column_names if columns is None else columns
    named = shorten(", ".join(tested))
    table.require_all(
        tested, days_of(domain), f"give a table with the columns of the rule: {named}"
    )
    table.require_all(keep)
    read = list(dict.fromkeys([*tested, *keep]))
    # The answers are told apart by their place alone.
    if not table.ordered:
        raise TableError(
            f"label the records of {table.name} one by one",
            found="its engine hands them over in any order",
            fix="order them: save them with the columns that identify them as a Parquet file",
        )
    places = [read.index(name) if name in tested else None for name in domain.column_names]
    kept = [read.index(name) for name in keep]

    def map_rows(batch: Sequence[CodedColumn]) -> list[Value]:
        codes, number = tuples([c.codes for c in batch], [len(c.values) for c in batch])
        nothing = CodedColumn([None], np.zeros(len(codes[0]), np.int64))
        distinct = [CodedColumn(c.values, kept) for c, kept in zip(batch, codes, strict=True)]
        cells = [nothing if i is None else distinct[i] for i in places]
        shown = [CodedColumn([*map(text, distinct[i].values)], distinct[i].codes) for i in kept]
        more = [[*zip(*(column.to_list() for column in shown), strict=True)]] if keep else []
        return CodedColumn([*function(_encode_cells(domain, cells), *more)], number).to_list()

    return chain.from_iterable(map(map_rows, table.batches(read)))


def _encode_cells(domain: Domain[Any], cells: Sequence[CodedColumn]) -> Sequence[Any]:
    """The points of records, whose cells are encoded once for each value of a column."""
    if isinstance(domain, Product):
        pairs = zip(domain.columns, cells, strict=True)
        return Records([([*map(column.encode, c.values)], c.codes) for column, c in pairs])
    return [*map(domain.encode_record, zip(*(c.to_list() for c in cells), strict=True))]
