"""Classes of Littlestone dimension 1: a record names the only function that may be behind it."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from functools import cached_property
from typing import Generic

import numpy as np

from littlestone.classes.base import HypothesisClass
from littlestone.classes.promises.tabled import TableClass
from littlestone.data.sample import Sample
from littlestone.points import Point
from littlestone.privacy.scores import Elements
from littlestone.rules import Hypothesis


@dataclass(frozen=True)
class NamedFunctions(Generic[Point]):
    """A class H with LDim(H) <= 1, seen from its SOA f: where a function of H leaves f, it is alone.

    If y != f(x), then LDim(H|(x, y)) < LDim(H), so at most one function of H gives x the label y.  The
    record (x, y) names that function.  With two labels, every point is named by at most one function.
    So the functions of H are f, and f changed on disjoint sets: unions of at most one of elements that
    do not overlap, as in `Covering`.  docs/proofs/single-key-selection.md, Theorem 3.

    >>> from littlestone.classes import parse_class
    >>> lines = NamedFunctions(parse_class("linear(x, y; q 5, dimension 1)"))
    >>> lines.rest.words()
    'x = 0 and y = 0 (mod 5)'
    >>> lines.name((2, 1), 1) == lines.name((4, 2), 1), lines.name((0, 0), 0)
    (True, None)
    """

    hypotheses: HypothesisClass[Point]

    @cached_property
    def rest(self) -> Hypothesis[Point]:
        """f, the SOA of H; the function to release if none is named often enough."""
        return self.hypotheses.soa()

    def name(self, x: Point, y: int) -> Hypothesis[Point] | None:
        """The function that the record (x, y) names; None if y = f(x) or if no function has y at x."""
        # LDim <= 1: the version space of any other label has one function, which the record names.
        if self.rest(x) == y:
            return None
        V = self.hypotheses.restrict(x, y)
        return None if V.is_empty() else V.soa()

    def counts(self, sample: Sample[Point]) -> dict[Hypothesis[Point], int]:
        """The number of records that name each function.  Never released."""
        found: dict[Hypothesis[Point], int] = {}
        rows, labels = np.nonzero(sample.counts)
        often = sample.counts[rows, labels].tolist()
        for row, y, count in zip(rows.tolist(), labels.tolist(), often, strict=True):
            h = self.name(sample.points[row], y)
            if h is not None:
                found[h] = found.get(h, 0) + count
        return found

    max_elements = 1
    elements_per_point = 1
    everything = None

    def most_candidates(self, n: int) -> int:
        """A record names one function at most."""
        return n

    def require_countable(self, n: int) -> None:
        """Nothing to require; `work` says how long it takes."""

    def work(self, n: int) -> int:
        """The steps of finding the functions that ``n`` records name, point by point in a table."""
        H = self.hypotheses
        if isinstance(H, TableClass):
            return min(n, len(H.columns) * (H.labels - 1)) * len(H.columns)
        return n

    def elements(self, sample: Sample[Point]) -> Elements:
        """The named functions; a record counts for or against the one that leaves f at its point."""
        rows: dict[Hypothesis[Point], list[int]] = {}
        kept = np.array([self.rest(x) for x in sample.points], dtype=np.int64)
        every = np.arange(len(kept))
        against, records = sample.counts[every, kept], sample.counts[every, 1 - kept]
        for j, x in enumerate(sample.points):
            h = self.name(x, int(1 - kept[j]))
            if h is not None:
                rows.setdefault(h, []).append(j)
        named = [(h, np.array(of)) for h, of in rows.items() if records[of].any()]
        return Elements(
            np.array([records[of].sum() for _, of in named], dtype=np.int64),
            np.array([against[of].sum() for _, of in named], dtype=np.int64),
            lambda i: named[i][0],
            lambda i: named[i][1],
        )

    def union(self, elements: Iterable[Hypothesis[Point]]) -> Hypothesis[Point]:
        """The one element, or f without any."""
        return next(iter(elements), self.rest)
