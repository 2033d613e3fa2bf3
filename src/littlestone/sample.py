"""A labelled sample, stored as distinct points with label counts."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import Generic

import numpy as np
from numpy.typing import NDArray

from littlestone.domains import Point


@dataclass(frozen=True, eq=False)
class Sample(Generic[Point]):
    """The multiset {(x_i, y_i)} of n labelled examples, as distinct points x label counts.

    ``points`` are distinct; ``negatives[j]`` and ``positives[j]`` count the examples (points[j], 0)
    and (points[j], 1).  The order of the points carries no information about the order of records.

    >>> sample = Sample.from_examples([("a", 1), ("b", 0), ("a", 1)])
    >>> sample.n, sample.points, sample.positives.tolist()
    (3, ('a', 'b'), [2, 0])
    """

    points: Sequence[Point]
    negatives: NDArray[np.int64]
    positives: NDArray[np.int64]

    @property
    def n(self) -> int:
        """Number of examples, counted with multiplicity; public under replace-one neighbours."""
        return int(self.negatives.sum() + self.positives.sum())

    @classmethod
    def from_examples(cls, examples: Iterable[tuple[Point, int]]) -> Sample[Point]:
        """The sample of a sequence of pairs (x, y), y being 1 if it is truthy; O(n)."""
        counts: dict[Point, list[int]] = {}
        for x, y in examples:
            counts.setdefault(x, [0, 0])[1 if y else 0] += 1
        return cls.from_counts(counts)

    @classmethod
    def from_counts(cls, counts: dict[Point, list[int]]) -> Sample[Point]:
        """The sample of a map from each distinct point to [number of 0s, number of 1s]."""
        table = np.array(list(counts.values()), dtype=np.int64).reshape(len(counts), 2)
        return cls(tuple(counts), table[:, 0], table[:, 1])
