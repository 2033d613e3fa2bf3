"""A labelled sample, stored as distinct points with label counts."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any, Generic, Protocol, Self

import numpy as np
from numpy.typing import NDArray

from littlestone.domains import Domain, Point, truth


class Counted(Protocol):
    """A sample of any number of labels: ``counts[j, y]`` examples (points[j], y)."""

    @property
    def points(self) -> Sequence[Any]:
        """Distinct points of the domain."""

    @property
    def counts(self) -> NDArray[np.int64]:
        """The counts, a row a point and a column a label."""

    def of(self, points: Sequence[Any], counts: NDArray[np.int64]) -> Self:
        """A sample over the same domain with these points and counts."""


@dataclass(frozen=True, eq=False)
class Sample(Generic[Point]):
    """The multiset {(x_i, y_i)} of n labelled examples, as distinct points x label counts.

    ``points`` are distinct points of ``domain``; ``negatives[j]`` and ``positives[j]`` count the
    examples (points[j], 0) and (points[j], 1).  The order of the points means nothing.  The constructor
    takes the points as they are; `from_examples` makes some of records.

    >>> from littlestone.domains import Strings
    >>> sample = Sample.from_examples(Strings(), [("a", 1), ("b", 0), ("a", 1)])
    >>> sample.n, sample.points, sample.positives.tolist()
    (3, ('a', 'b'), [2, 0])
    """

    domain: Domain[Point]
    points: Sequence[Point]
    negatives: NDArray[np.int64]
    positives: NDArray[np.int64]

    @property
    def n(self) -> int:
        """Number of examples, counted with multiplicity; public under replace-one neighbours."""
        return int(self.negatives.sum() + self.positives.sum())

    @property
    def counts(self) -> NDArray[np.int64]:
        """``negatives`` and ``positives`` as the two columns of a table."""
        return np.stack([self.negatives, self.positives], axis=1)

    def of(self, points: Sequence[Point], counts: NDArray[np.int64]) -> Self:
        """The sample over the same domain with these points and counts."""
        return type(self)(self.domain, points, counts[:, 0], counts[:, 1])

    @cached_property
    def gains(self) -> dict[Point, int]:
        """Positives - negatives of each point, the largest first."""
        gains = self.positives - self.negatives
        order = np.argsort(-gains, kind="stable").tolist()
        return {self.points[j]: int(gains[j]) for j in order}

    @cached_property
    def rows_of(self) -> list[dict[Any, NDArray[np.int64]]]:
        """Of points that are records: for each column, the rows of each of its values."""
        found: list[dict[Any, NDArray[np.int64]]] = []
        for column in zip(*self.points, strict=True):
            rows: dict[Any, list[int]] = {}
            for j, value in enumerate(column):
                rows.setdefault(value, []).append(j)
            found.append({value: np.array(js, dtype=np.int64) for value, js in rows.items()})
        return found

    @classmethod
    def from_examples(
        cls, domain: Domain[Any], examples: Iterable[tuple[Any, object]]
    ) -> Sample[Any]:
        """The sample of pairs (x, y): any x is a point, by `Domain.canonical`; any y a label, `truth`.

        >>> from littlestone.domains import Integers
        >>> Sample.from_examples(Integers(), [(1, 1), (True, True), (1.0, "1")]).points
        (1,)
        """
        counts: dict[Any, list[int]] = {}
        for x, y in examples:
            counts.setdefault(domain.canonical(x), [0, 0])[truth(y)] += 1
        return cls.from_counts(domain, counts)

    @classmethod
    def from_counts(cls, domain: Domain[Point], counts: dict[Point, list[int]]) -> Sample[Point]:
        """The sample of a map from points of the domain to [number of 0s, number of 1s]."""
        table = np.array(list(counts.values()), dtype=np.int64).reshape(len(counts), 2)
        return cls(domain, tuple(counts), table[:, 0], table[:, 1])
