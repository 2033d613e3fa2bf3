"""Records to a `Sample`: every raw value is encoded once, by the declared domain and label."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from itertools import islice
from typing import Any, TypeVar

import numpy as np
from numpy.typing import NDArray

from littlestone.data.labels import Label
from littlestone.data.tables import Table, column_table, shortest
from littlestone.domains import Domain, Point, Product
from littlestone.errors import DeclarationError, TableError
from littlestone.sample import Sample

Value = TypeVar("Value")

_BATCH = 2**20  # records that are encoded at a time, so that a file need not fit in memory

# Two values of one of these types that are equal have one text.
_PLAIN = frozenset({str, int, float, bool, type(None)})


def read_sample(
    table: Table, domain: Domain[Point], label: Label, *, refuse_blank: bool = False
) -> Sample[Point]:
    """The sample of a table: points from ``domain.column_names``, labels from ``label``.

    Rows count as they are, none is dropped: a missing or undeclared value is encoded by the domain.
    Raises `TableError` for a missing or untyped column or a table without rows; all of these are
    public.  ``refuse_blank`` also refuses a column without one readable value.  That answer depends
    on the data: NOT PRIVATE, for evaluation only.  One pass; memory grows with the distinct pairs.
    """
    columns = (*domain.column_names, label.column)
    for column in columns:
        table.require(column)
    counts = list(table.counts(columns))
    if not counts:
        raise TableError(
            f"learn from {table.name}",
            found="it has no rows",
            fix="give a table with at least one record",
        )
    if refuse_blank:
        _require_values(table, domain, label, [row for row, _ in counts])
    return _encoded(counts, domain, label)


def _require_values(
    table: Table, domain: Domain[Any], label: Label, rows: list[tuple[object, ...]]
) -> None:
    readable = {
        domain.name: any(domain.reads_record(x) for *x, _ in rows),
        label.column: any(label.reads(y) for *_, y in rows),
    }
    for column, has_values in readable.items():
        if not has_values:
            raise TableError(
                f"learn from {column!r} of {table.name}",
                found="none of its values can be read: all are missing or of another kind",
                fix="name a column with values, or declare a domain that fits this one",
            )


def sample_from_arrays(
    x: Iterable[Any], y: Iterable[Any], domain: Domain[Point], *, positive: object = 1
) -> Sample[Point]:
    """The sample of two equally long arrays or lists; a label is 1 where y is ``positive``.

    ``positive`` is a value or a comparison, as in `Label.parse`.  Raises `DeclarationError` for
    arrays of other shapes.

    >>> from littlestone.domains import Grid
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
    pairs = zip(xs, ys, strict=True)
    counts = (((*_record(x, domain), y), 1) for x, y in pairs)
    return _encoded(counts, domain, Label.parse("label", positive))


def _record(x: Any, domain: Domain[Any]) -> tuple[object, ...]:
    """One value a column: a record is given as a list or tuple, a single value as itself.

    What is missing is None and what is too much is cut: an odd record is still a record.
    """
    width = len(domain.column_names)
    values = tuple(x) if width > 1 and isinstance(x, list | tuple) else (x,)
    return (*values, *[None] * width)[:width]


def plain_values(values: Iterable[Any]) -> list[Any]:
    """The values of a one-dimensional array, column or list as Python's own.

    Raises `DeclarationError` for an array of another shape.
    """
    shape = getattr(values, "shape", None)
    if shape is not None and len(shape) != 1:
        raise DeclarationError(
            "make a sample of two arrays",
            found=f"one has shape {tuple(shape)}",
            fix="give one-dimensional arrays: one point and one label a record",
        )
    if isinstance(values, np.ndarray):
        # tolist() gives Python's own values, the same ones whatever the dtype was.
        width = {np.float16: 16, np.float32: 32}.get(values.dtype.type)
        listed: list[Any] = values.tolist()
        return listed if width is None else [shortest(value, width) for value in listed]
    table = column_table(values)
    return list(values) if table is None else [value for (value,) in table.rows(table.columns)]


def _encoded(
    counts: Iterable[tuple[tuple[object, ...], int]], domain: Domain[Point], label: Label
) -> Sample[Point]:
    total: dict[Any, list[int]] = {}
    rest = iter(counts)
    while batch := list(islice(rest, _BATCH)):
        rows, times = zip(*batch, strict=True)
        *columns, labels = zip(*rows, strict=True)
        points, numbers = _points(domain, columns)
        bits, which = _mapped(label, labels)
        ones = np.array(bits)[which]
        often = np.array(times, dtype=np.int64)
        for y in (0, 1):
            tally = np.zeros(len(points), np.int64)
            np.add.at(tally, numbers[ones == y], often[ones == y])
            for j in np.flatnonzero(tally).tolist():
                total.setdefault(points[j], [0, 0])[y] += int(tally[j])
    return Sample.from_counts(domain, total)


def _points(
    domain: Domain[Any], columns: Sequence[Sequence[object]]
) -> tuple[list[Any], NDArray[np.int64]]:
    """Distinct points, and which of them each row stands for."""
    if not isinstance(domain, Product):
        return _numbered(map(_remembered(domain.encode_record), zip(*columns, strict=True)))
    # A column has far fewer values than the table has records.
    coded = [_mapped(c.encode, values) for c, values in zip(domain.columns, columns, strict=True)]
    numbers = np.zeros(len(columns[0]), np.int64)
    for values, more in coded:
        numbers = np.unique(numbers * len(values) + more, return_inverse=True)[1]
    example = np.empty(numbers.max() + 1, np.int64)
    example[numbers] = np.arange(len(numbers))
    taken = ([values[i] for i in more[example].tolist()] for values, more in coded)
    return list(zip(*taken, strict=True)), numbers


def _mapped(
    function: Callable[[Any], Value], raw: Sequence[object]
) -> tuple[list[Value], NDArray[np.int64]]:
    """The distinct values of ``function`` on ``raw``, and which of them each entry has."""
    types = set(map(type, raw))
    if not (types <= {str, type(None)} or (len(types) == 1 and types <= _PLAIN)):
        remembered = _remembered(lambda values: function(values[0]))
        return _numbered(remembered((value,)) for value in raw)
    # Here equal entries may share one value; `_remembered` says why others may not.
    place = {value: i for i, value in enumerate(dict.fromkeys(raw))}
    values, numbers = _numbered(map(function, place))
    return values, numbers[np.fromiter(map(place.__getitem__, raw), np.int64, count=len(raw))]


def _numbered(values: Iterable[Value]) -> tuple[list[Value], NDArray[np.int64]]:
    """The distinct values, and which of them each entry is."""
    known: dict[Value, int] = {}
    numbers = np.fromiter((known.setdefault(value, len(known)) for value in values), np.int64)
    return list(known), numbers


def _remembered(
    function: Callable[[tuple[object, ...]], Value],
) -> Callable[[tuple[object, ...]], Value]:
    """``function``, computed once for each tuple of raw values.

    Remembered by types and values: 1, 1.0 and True are equal but have different texts, and what one
    record is encoded to must not depend on which of them another record brought first.  Values of
    richer types are not remembered: Decimal("1.0") equals Decimal("1.00"), and (1,) equals (True,).
    """
    known: dict[object, Value] = {}

    def remembered(values: tuple[object, ...]) -> Value:
        types = tuple(map(type, values))
        if not _PLAIN.issuperset(types):
            return function(values)
        key = (types, values)
        if key not in known:
            known[key] = function(values)
        return known[key]

    return remembered


def read_mapped(
    table: Table, domain: Domain[Point], function: Callable[[Point], Value]
) -> Iterator[Value]:
    """``function`` of the encoded point of every record, in the order of the table.

    Computed once for each distinct record.  Raises `TableError` for a missing or untyped column.
    """
    for column in domain.column_names:
        table.require(column)
    mapped = _remembered(lambda values: function(domain.encode_record(values)))
    return map(mapped, table.rows(domain.column_names))
