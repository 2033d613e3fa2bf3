"""A labelled sample, stored as distinct points with label counts."""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterable, Iterator, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any, Generic, Self, overload

import numpy as np
from numpy.typing import NDArray

from littlestone.base.errors import DeclarationError
from littlestone.points import Domain, Point, truth
from littlestone.points.labels import check_labels, label_number
from littlestone.points.units import Unit

Counts = NDArray[np.int64]
Places = NDArray[np.int32] | NDArray[np.int64]
"""Places in a list, which arithmetic must widen first."""


class Records(Sequence[tuple[Any, ...]]):
    """Distinct records, held column by column: record i has the value values[codes[i]] of each column.

    A million records as tuples would take a gigabyte, and most learners only count.

    >>> records = Records([(["a", "b"], np.array([1, 0])), ([7], np.array([0, 0]))])
    >>> records[0], list(records), records == [("b", 7), ("a", 7)]
    (('b', 7), [('b', 7), ('a', 7)], True)
    """

    def __init__(self, columns: Sequence[tuple[Sequence[Any], Places]]) -> None:
        self.columns = columns

    def pick(self, places: Places | slice) -> Records:
        """The records at these places."""
        return Records([(values, codes[places]) for values, codes in self.columns])

    def __len__(self) -> int:
        return len(self.columns[0][1])

    @overload
    def __getitem__(self, index: int) -> tuple[Any, ...]: ...
    @overload
    def __getitem__(self, index: slice) -> Records: ...
    def __getitem__(self, index: int | slice) -> tuple[Any, ...] | Records:
        if isinstance(index, slice):
            return self.pick(index)
        return tuple(values[codes[index]] for values, codes in self.columns)

    def __iter__(self) -> Iterator[tuple[Any, ...]]:
        return zip(*(map(v.__getitem__, codes.tolist()) for v, codes in self.columns), strict=True)

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Sequence) and list(self) == list(other)

    __hash__ = None  # type: ignore[assignment]

    def __repr__(self) -> str:
        return f"{len(self):,} distinct records"


class Texts(Sequence[str]):
    r"""Distinct texts, of which only the bytes are held: text i is that of ``codes[i]``.

    ``data`` has the bytes of text k, in UTF-8, from ``ends[k]`` to ``ends[k + 1]``.

    >>> texts = Texts(np.frombuffer(b"a\xc3\xa9b", np.uint8), np.array([0, 3, 4]), np.array([1, 0]))
    >>> list(texts), texts[0], texts.pick(np.array([1])) == ("a\xe9",)
    (['b', 'aé'], 'b', True)
    """

    def __init__(self, data: NDArray[np.uint8], ends: Places, codes: Places) -> None:
        self.data, self.ends, self.codes = data, ends, codes

    def pick(self, places: Places | slice) -> Texts:
        """The texts at these places."""
        return Texts(self.data, self.ends, self.codes[places])

    def __len__(self) -> int:
        return len(self.codes)

    @overload
    def __getitem__(self, index: int) -> str: ...
    @overload
    def __getitem__(self, index: slice) -> Texts: ...
    def __getitem__(self, index: int | slice) -> str | Texts:
        if isinstance(index, slice):
            return self.pick(index)
        code = self.codes[index]
        return bytes(self.data[self.ends[code] : self.ends[code + 1]]).decode()

    def __iter__(self) -> Iterator[str]:
        data, starts, ends = self.data.tobytes(), self.ends[self.codes], self.ends[self.codes + 1]
        return (data[i:j].decode() for i, j in zip(starts.tolist(), ends.tolist(), strict=True))

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Sequence) and list(self) == list(other)

    __hash__ = None  # type: ignore[assignment]

    def __repr__(self) -> str:
        return f"{len(self):,} distinct texts"


Step = tuple[Point, list[tuple[int, int]]]
"""A point, and pairs (y, errors that label y costs beyond the least), with the cheapest first."""


@dataclass(frozen=True, eq=False)
class Sample(Generic[Point]):
    """The multiset {(x_i, y_i)} of n examples with labels 0, ..., k, as distinct points x counts.

    ``points`` are distinct points of ``domain``; ``counts[j, y]`` is the number of examples
    (points[j], y).  The order of the points means nothing.  The constructor takes points as they are;
    `from_examples` makes points from records.

    If a ``unit`` is declared, the sample holds at most ``unit.most`` records of each of ``units``
    units.  Each unit has that many places in it, and n counts the places.  The places without a record
    are void: they have no point and no label, and how many they are is private.

    >>> from littlestone.points import Strings
    >>> sample = Sample.from_examples(Strings(), [("a", 1), ("b", 0), ("a", 1)])
    >>> sample.n, sample.points, sample.counts.tolist()
    (3, ('a', 'b'), [[0, 2], [1, 0]])
    """

    domain: Domain[Point]
    points: Sequence[Point]
    counts: Counts
    unit: Unit | None = None
    units: int = 0
    spanning: bool = False
    """Whether a record of the table may span several lines of its file."""
    unread: tuple[int, int] | None = None
    """How many records have a cell, and how many a label, that is not read; None if not counted."""

    @classmethod
    def of_two(
        cls, domain: Domain[Point], points: Sequence[Point], negatives: Counts, positives: Counts
    ) -> Self:
        """The sample with ``negatives[j]`` examples (points[j], 0), and likewise ``positives``."""
        return cls(domain, points, np.array([negatives, positives], dtype=np.int64).T)

    @property
    def labels(self) -> int:
        """The number k + 1 of labels."""
        return int(self.counts.shape[1])

    @property
    def n(self) -> int:
        """The number of examples, with multiplicity; public, because neighbours replace one record.

        If a unit is declared, it is the number of places, which is public too.
        """
        return int(self.counts.sum()) if self.unit is None else self.unit.most * self.units

    def count_ahead(self, joint: int) -> None:
        """Ask an engine for the counts of each ``joint`` columns; a sample in memory has them."""

    def close(self) -> None:
        """Give back what the sample holds of an engine; a sample in memory holds nothing."""

    def records(self) -> Sample[Point]:
        """The records alone, without void places; their number is private if a unit is declared."""
        return self if self.unit is None else self.with_counts(self.points, self.counts)

    @property
    def negatives(self) -> Counts:
        """The number of examples of each point with the label 0, if there are two labels."""
        return self._column(0)

    @property
    def positives(self) -> Counts:
        """The number of examples of each point with the label 1, if there are two labels."""
        return self._column(1)

    def _column(self, y: int) -> Counts:
        if self.labels != 2:
            raise DeclarationError(
                "ask a sample for its positive examples",
                found=f"it has {self.labels} labels",
                fix="use counts, or binary(ones) for a sample with two labels",
            )
        return self.counts[:, y]

    def with_counts(self, points: Sequence[Point], counts: Counts) -> Self:
        """The sample over the same domain with these points and counts, taken from this one."""
        return type(self)(self.domain, points, counts)

    def binary(self, ones: Collection[int]) -> Sample[Point]:
        """The sample in which the labels in ``ones`` become 1 and all other labels 0.

        >>> from littlestone.points import Integers
        >>> Sample(Integers(), (7,), np.array([[1, 2, 4]])).binary({0, 2}).counts.tolist()
        [[2, 5]]
        """
        positive = np.isin(np.arange(self.labels), list(ones))
        negatives, positives = self.counts[:, ~positive], self.counts[:, positive]
        counted = [negatives.sum(axis=1), positives.sum(axis=1)]
        return self.with_counts(self.points, np.array(counted, dtype=np.int64).T)

    def count_bins(self, rule: Any) -> Counts:
        """The counts [bin, label] of the bins of a rule's places."""
        bins = rule.bins
        found = np.zeros((int(bins[-1]) + 1, self.labels), np.int64)
        np.add.at(found, bins[rule.places_of(self.points)], self.counts)
        return found

    def split_by_label(self, rule: Callable[[Any], int]) -> tuple[NDArray[np.bool_], Counts]:
        """Where a rule of two labels says 1, and the counts [place, label] there."""
        return np.fromiter(map(rule, self.points), bool, len(self.points)), self.counts

    def split_by(self, rule: Any) -> list[Sample[Any]]:
        """The examples in each place of a rule, in their order."""
        places = rule.places_of(self.points)
        return [self.keep_where(places == i) for i in range(len(rule.places))]

    def weigh(self, weights: Sequence[int]) -> Self:
        """The sample in which an example with the label y occurs ``weights[y]`` times.

        So an error on it counts ``weights[y]`` times.  It is for scores: its n is not a number of
        records.

        >>> from littlestone.points import Integers
        >>> Sample(Integers(), (7,), np.array([[1, 2]])).weigh((3, 5)).counts.tolist()
        [[3, 10]]
        """
        return self.with_counts(self.points, self.counts * np.array(weights, dtype=np.int64))

    def steps(self) -> tuple[list[Step[Point]], int]:
        """The points with the costs of their labels, and the number of unavoidable errors.

        The points come first whose second cheapest label costs most.

        >>> from littlestone.points import Integers
        >>> Sample(Integers(), (7, 8), np.array([[1, 0, 2], [0, 5, 0]])).steps()
        ([(8, [(1, 0), (0, 5), (2, 5)]), (7, [(2, 0), (0, 1), (1, 2)])], 1)
        """
        most = self.counts.max(axis=1, initial=0)
        costs = most[:, None] - self.counts
        labels = np.argsort(costs, axis=1, kind="stable")
        costs = np.take_along_axis(costs, labels, axis=1)
        order = np.argsort(-costs[:, 1], kind="stable").tolist()
        ways = [
            list(zip(ys, cost, strict=True))
            for ys, cost in zip(labels.tolist(), costs.tolist(), strict=True)
        ]
        return [(self.points[j], ways[j]) for j in order], self.n - int(most.sum())

    @cached_property
    def gains(self) -> dict[Point, int]:
        """What the best label but 0 is right on beyond 0, at each point, with the largest first."""
        gains = self.counts[:, 1:].max(axis=1) - self.counts[:, 0]
        order = np.argsort(-gains, kind="stable").tolist()
        return {self.points[j]: int(gains[j]) for j in order}

    @cached_property
    def place_of(self) -> dict[Point, int]:
        """The place j of each point among the points."""
        return {x: j for j, x in enumerate(self.points)}

    def column(self, j: int) -> tuple[Sequence[Any], Places]:
        """The values in column j and the place among them of each point's, if points are records.

        >>> from littlestone.points import Integers, Product, Strings
        >>> domain = Product((Strings("a"), Integers("b")))
        >>> sample = Sample.from_examples(domain, [(("u", 7), 1), (("v", 7), 0), (("u", 8), 0)])
        >>> values, codes = sample.column(0)
        >>> values, codes.tolist()
        (['u', 'v'], [0, 1, 0])
        """
        if isinstance(self.points, Records):
            return self.points.columns[j]
        places: dict[Any, int] = {}
        codes = [places.setdefault(x[j], len(places)) for x in self.points]  # type: ignore[index]
        return list(places), np.array(codes, dtype=np.int64)

    def keep_where(self, which: NDArray[np.bool_]) -> Self:
        """The sample of the points where ``which`` is true, with their counts."""
        return self.with_counts(self.points_at(np.flatnonzero(which)), self.counts[which])

    def points_at(self, places: NDArray[np.int64]) -> Sequence[Point]:
        """The points at these places."""
        points: Any = self.points
        if isinstance(points, Records | Texts):
            return points.pick(places)  # type: ignore[return-value]
        return tuple(map(points.__getitem__, places.tolist()))

    @cached_property
    def of_parts(self) -> list[Sample[Any]]:
        """The examples in each domain, if the domain is a disjoint union.

        >>> from littlestone.points import Disjoint, Integers, Strings
        >>> either = Disjoint((Integers("age"), Strings("name")))
        >>> sample = Sample.from_examples(either, [((0, 7), 1), ((1, "Ada"), 0), ((0, 7), 1)])
        >>> [(part.points, part.counts.tolist()) for part in sample.of_parts]
        [((7,), [[0, 2]]), (('Ada',), [[1, 0]])]
        """
        columns: tuple[Domain[Any], ...] = self.domain.columns  # type: ignore[attr-defined]
        rows: list[list[int]] = [[] for _ in columns]
        for i, x in enumerate(self.points):
            rows[x[0]].append(i)  # type: ignore[index]
        return [
            Sample(column, tuple(self.points[i][1] for i in own), self.counts[own])  # type: ignore[index]
            for column, own in zip(columns, rows, strict=True)
        ]

    @cached_property
    def rows_of(self) -> list[dict[Any, NDArray[np.int64]]]:
        """The rows of each value in each column, if the points are records."""
        found: list[dict[Any, NDArray[np.int64]]] = []
        for column in zip(*self.points, strict=True):
            rows: dict[Any, list[int]] = {}
            for j, value in enumerate(column):
                rows.setdefault(value, []).append(j)
            found.append({value: np.array(js, dtype=np.int64) for value, js in rows.items()})
        return found

    @classmethod
    def from_examples(
        cls,
        domain: Domain[Any],
        examples: Iterable[tuple[Any, object]],
        *,
        labels: int | Iterable[str] = 2,
    ) -> Sample[Any]:
        """The sample of the pairs (x, y), where `Domain.canonical` makes any x a point.

        ``labels`` is the number of labels or their names.  For two labels, `truth` reads y.  For more,
        `label_number` reads y as a number 0, ..., k or a name, and y counts as 0 if it is neither.
        Raises `DeclarationError` for illegal labels.

        >>> from littlestone.points import Integers
        >>> Sample.from_examples(Integers(), [(1, 1), (True, True), (1.0, "1")]).points
        (1,)
        >>> examples = [(7, "late"), (7, "on time"), (8, "early")]
        >>> Sample.from_examples(Integers(), examples, labels=["on time", "late"]).counts.tolist()
        [[1, 1], [1, 0]]
        """
        number_of: Callable[[object], int] = truth
        if labels != 2:
            names = map(str, range(labels)) if isinstance(labels, int) else labels
            declared = check_labels(names)
            number_of, labels = label_number(declared), len(declared)
        counts: dict[Any, list[int]] = {}
        for x, y in examples:
            counts.setdefault(domain.canonical(x), [0] * labels)[number_of(y)] += 1
        return cls.from_counts(domain, counts, labels=labels)

    @classmethod
    def from_counts(
        cls, domain: Domain[Point], counts: dict[Point, list[int]], *, labels: int = 2
    ) -> Sample[Point]:
        """The sample for a map from points of the domain to the counts of their labels."""
        table = np.array(list(counts.values()), dtype=np.int64).reshape(len(counts), labels)
        return cls(domain, tuple(counts), table)
