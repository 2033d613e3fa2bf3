"""Records of several columns: the product of one domain per column."""

from __future__ import annotations

import random
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import count, product, zip_longest
from math import prod
from typing import Any

from littlestone.base.errors import DeclarationError
from littlestone.points.base import Domain
from littlestone.points.values import derived, entries


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
        names = [column.name for column in self.columns]
        if not names or len(set(names)) < len(names):
            raise DeclarationError(
                f"declare records of the columns {', '.join(names) or '(none)'}",
                found="a column is named twice" if names else "there is no column",
                fix="name at least one column, and each of them once",
            )

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

    def encode(self, value: object) -> tuple[Any, ...]:
        return self.encode_record(entries(value))

    def own(self, x: object) -> tuple[Any, ...] | None:
        values = entries(x) if derived(x, tuple) else ()
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
            yield from self._counted()
            return
        # In growing corners, so that every record comes after finitely many others.
        for n in count(1):
            firsts = [column.examples(n) for column in self.columns]
            lasts = [values[n - 1 : n] for values in firsts]
            for x in product(*firsts):
                if any(last and v == last[0] for v, last in zip(x, lasts, strict=True)):
                    yield x

    def _counted(self) -> Iterator[tuple[Any, ...]]:
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
        shown = (
            f"{c.name} = {v!r}" if isinstance(v, str) else f"{c.name} = {c.words(v)}"
            for c, v in zip(self.columns, x, strict=True)
        )
        return ", ".join(shown)

    def __str__(self) -> str:
        return "records with " + ", ".join(map(str, self.columns))
