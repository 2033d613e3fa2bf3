"""Domains of several columns: records of all of them, or a value of one of them."""

from __future__ import annotations

import random
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import chain, count, product, zip_longest
from math import prod
from typing import Any, cast

from littlestone.base.errors import DeclarationError
from littlestone.points.base import Domain, are_of, entries, is_of_class, whole_number
from littlestone.points.cells import Cells, Codes, Dates


@dataclass(frozen=True)
class Product(Domain[tuple[Any, ...]]):
    """The tuples (x_1, ..., x_m) with x_j in the j-th column's domain; a point is a record.

    A raw value is a sequence with one value per column, and each column encodes its own.  An absent
    value is encoded like a missing one, and extra values are ignored.

    >>> from littlestone.points import Grid, Strings
    >>> flights = Product((Strings("origin"), Grid(0, 23, "hour")))
    >>> flights.encode(["JFK", "17"]), flights.words(("JFK", 17))
    (('JFK', 17), "origin = 'JFK', hour = 17")
    """

    columns: tuple[Domain[Any], ...]

    def __post_init__(self) -> None:
        _require_names("records of", self.column_names)

    @property
    def name(self) -> str:  # type: ignore[override]
        """The names of the columns."""
        return ", ".join(self.column_names)

    @property
    def column_names(self) -> tuple[str, ...]:
        return tuple(column.name for column in self.columns)

    @property
    def size(self) -> int | None:
        sizes = [column.size for column in self.columns]
        return None if None in sizes else prod(size for size in sizes if size is not None)

    def index(self, x: tuple[Any, ...]) -> int:
        position = 0
        for column, value in zip(self.columns, x, strict=True):
            position = position * (column.size or 0) + column.index(value)
        return position

    def indices(self, points: Sequence[tuple[Any, ...]]) -> Sequence[int]:
        found: Sequence[int] = [0] * len(points)
        for column, values in zip(self.columns, zip(*points, strict=True), strict=False):
            size, own = column.size or 0, column.indices(values)
            found = [size * i + j for i, j in zip(found, own, strict=True)]
        return found

    def holds_all(self, values: Sequence[object]) -> bool:
        width = len(self.columns)
        records = cast(Sequence[tuple[Any, ...]], values)
        if not are_of(tuple, values) or not {width}.issuperset(map(len, records)):
            return False
        shares = zip(self.columns, zip(*records, strict=True), strict=False)
        return all(column.holds_all(share) for column, share in shares)

    def encode(self, value: object) -> tuple[Any, ...]:
        return self.encode_record(entries(value))

    def own(self, x: object) -> tuple[Any, ...] | None:
        values = entries(x) if is_of_class(x, tuple) else ()
        if len(values) != len(self.columns):
            return None
        point = tuple(c.own(v) for c, v in zip(self.columns, values, strict=True))
        return None if any(v is None for v in point) else point

    def canonical(self, x: object) -> tuple[Any, ...]:
        given = zip_longest(self.columns, entries(x)[: len(self.columns)])
        # Column by column, because one may be a point while another is not.
        return tuple(column.canonical(value) for column, value in given)

    def encode_record(self, values: Sequence[object]) -> tuple[Any, ...]:
        given = zip_longest(self.columns, values[: len(self.columns)])
        return tuple(column.encode(value) for column, value in given)

    def reads(self, value: object) -> bool:
        return self.reads_record(entries(value))

    def reads_record(self, values: Sequence[object]) -> bool:
        return any(c.reads(v) for c, v in zip(self.columns, values, strict=False))

    def __contains__(self, x: object) -> bool:
        return (
            type(x) is tuple
            and len(x) == len(self.columns)
            and all(v in column for column, v in zip(self.columns, x, strict=True))
        )

    def __iter__(self) -> Iterator[tuple[Any, ...]]:
        if self.size is not None:
            yield from self._iterate()
            return
        # In growing corners, so that every record comes after finitely many others.
        for n in count(1):
            firsts = [column.examples(n) for column in self.columns]
            lasts = [values[n - 1 : n] for values in firsts]
            for x in product(*firsts):
                if any(last and v == last[0] for v, last in zip(x, lasts, strict=True)):
                    yield x

    def _iterate(self) -> Iterator[tuple[Any, ...]]:
        """All records in lexicographic order, lazily: a column may have 2^64 values."""
        values = [iter(column) for column in self.columns]
        record = [next(column) for column in values]
        while True:
            yield tuple(record)
            for j in reversed(range(len(record))):
                try:
                    record[j] = next(values[j])
                    break
                except StopIteration:
                    values[j] = iter(self.columns[j])
                    record[j] = next(values[j])
            else:
                return

    def random_point(self, rng: random.Random) -> tuple[Any, ...]:
        return tuple(column.random_point(rng) for column in self.columns)

    def point_to_json(self, x: tuple[Any, ...]) -> list[object]:
        return [column.point_to_json(v) for column, v in zip(self.columns, x, strict=True)]

    def point_from_json(self, data: Any) -> tuple[Any, ...] | None:
        if type(data) is not list or len(data) != len(self.columns):
            return None
        x = tuple(c.point_from_json(v) for c, v in zip(self.columns, data, strict=True))
        return None if any(v is None for v in x) else x

    def words(self, x: tuple[Any, ...]) -> str:
        return ", ".join(map(_equation, self.columns, x))

    def __str__(self) -> str:
        return "records with " + ", ".join(map(str, self.columns))


@dataclass(frozen=True)
class Disjoint(Domain[tuple[int, Any]]):
    """The disjoint union of domains: pairs (j, x) of j = 0, 1, ... and a point x of the j-th domain.

    This suits tables in which each row fills one column.  A record stands for the first of its columns
    that shows a point itself; if there is none, for a missing value in the first domain.

    >>> from littlestone.points import Grid, Strings
    >>> either = Disjoint((Grid(0, 99, "age"), Strings("name")))
    >>> either.encode([None, "Ada"]), either.words((0, 17))
    ((1, 'Ada'), 'age = 17')
    """

    columns: tuple[Domain[Any], ...]

    def __post_init__(self) -> None:
        _require_names("a choice of", self.column_names)

    @property
    def name(self) -> str:  # type: ignore[override]
        """The names of the domains."""
        return " or ".join(column.name for column in self.columns)

    @property
    def column_names(self) -> tuple[str, ...]:
        return tuple(chain.from_iterable(column.column_names for column in self.columns))

    @property
    def size(self) -> int | None:
        sizes = [column.size for column in self.columns]
        return None if None in sizes else sum(size for size in sizes if size is not None)

    def index(self, x: tuple[int, Any]) -> int:
        before = sum(column.size or 0 for column in self.columns[: x[0]])
        return before + self.columns[x[0]].index(x[1])

    def encode(self, value: object) -> tuple[int, Any]:
        return self.encode_record(entries(value))

    def own(self, x: object) -> tuple[int, Any] | None:
        pair = entries(x) if is_of_class(x, tuple) else ()
        j = whole_number(pair[0]) if len(pair) == 2 else None
        if j is None or not 0 <= j < len(self.columns):
            return None
        point = self.columns[j].own(pair[1])
        return None if point is None else (j, point)

    def encode_record(self, values: Sequence[object]) -> tuple[int, Any]:
        shares = self._shares(values)
        showing = (j for j, (c, v) in enumerate(shares) if c.reads_record(v))
        j = next(showing, 0)
        return j, shares[j][0].encode_record(shares[j][1])

    def _shares(self, values: Sequence[object]) -> list[tuple[Domain[Any], list[object]]]:
        """Each domain with the values of its columns; missing ones are None."""
        given = iter(values)
        return [(c, [next(given, None) for _ in c.column_names]) for c in self.columns]

    def reads(self, value: object) -> bool:
        return self.reads_record(entries(value))

    def reads_record(self, values: Sequence[object]) -> bool:
        return any(c.reads_record(v) for c, v in self._shares(values))

    def __contains__(self, x: object) -> bool:
        return (
            type(x) is tuple
            and len(x) == 2
            and type(x[0]) is int
            and 0 <= x[0] < len(self.columns)
            and x[1] in self.columns[x[0]]
        )

    def __iter__(self) -> Iterator[tuple[int, Any]]:
        if self.size is not None:
            for j, column in enumerate(self.columns):
                yield from ((j, x) for x in column)
            return
        # The domains take turns, so that every point comes after finitely many others.
        missing = object()
        for turn in zip_longest(*self.columns, fillvalue=missing):
            yield from ((j, x) for j, x in enumerate(turn) if x is not missing)

    def random_point(self, rng: random.Random) -> tuple[int, Any]:
        if self.size is None:
            j = rng.randrange(len(self.columns))
        else:
            j = rng.choices(range(len(self.columns)), [c.size or 0 for c in self.columns])[0]
        return j, self.columns[j].random_point(rng)

    def point_to_json(self, x: tuple[int, Any]) -> list[object]:
        return [x[0], self.columns[x[0]].point_to_json(x[1])]

    def point_from_json(self, data: Any) -> tuple[int, Any] | None:
        match data:
            case [int(j), value] if type(j) is int and 0 <= j < len(self.columns):
                x = self.columns[j].point_from_json(value)
                return None if x is None else (j, x)
        return None

    def words(self, x: tuple[int, Any]) -> str:
        column, value = self.columns[x[0]], x[1]
        if len(column.column_names) > 1:
            return column.words(value)
        return _equation(column, value)

    def __str__(self) -> str:
        return "either " + " or ".join(map(str, self.columns))


def _equation(column: Domain[Any], x: Any) -> str:
    """A column and its value in words: a text in quotes, and a number or a day without.

    >>> _equation(Cells(("0", "20"), "age"), "20"), _equation(Codes("age"), "")
    ('age = 20', 'age = missing')
    """
    quoted = isinstance(x, str) and not isinstance(column, Cells | Codes)
    return f"{column.name} = {x!r}" if quoted else f"{column.name} = {column.words(x)}"


def _require_names(what: str, names: Sequence[str]) -> None:
    if not names or len(set(names)) < len(names):
        raise DeclarationError(
            f"declare {what} the columns {', '.join(names) or '(none)'}",
            found="a column is named twice" if names else "there is no column",
            fix="name at least one column, and each of them once",
        )


def columns_of(domain: Domain[Any]) -> Iterator[Domain[Any]]:
    """The domains of the single columns of a domain.

    >>> from littlestone.points import Grid, Reals
    >>> [column.name for column in columns_of(Product((Grid(0, 9, "age"), Reals("height"))))]
    ['age', 'height']
    """
    if isinstance(domain, Product | Disjoint):
        for column in domain.columns:
            yield from columns_of(column)
    else:
        yield domain


def days_of(domain: Domain[Any]) -> frozenset[str]:
    """The names of the columns that are read as days."""
    return frozenset(column.name for column in columns_of(domain) if isinstance(column, Dates))
