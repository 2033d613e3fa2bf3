"""Classes whose hypotheses are unions of few elements, and few elements cover each point."""

from __future__ import annotations

import math
from abc import abstractmethod
from collections.abc import Iterable
from fractions import Fraction
from itertools import islice
from typing import Any

import numpy as np

from littlestone.classes.base import BinaryClass
from littlestone.classes.promises.proper_approximation import ProperApproximation
from littlestone.classes.text.declared import Declared
from littlestone.data.sample import Sample
from littlestone.points import Point
from littlestone.privacy.scores import Elements
from littlestone.rules import FiniteSet, Hypothesis


class Covering(BinaryClass[Point]):
    """Unions of at most ``parts`` elements; at most ``elements_per_point`` elements cover a point.

    One positive record then touches at most ``elements_per_point`` elements, out of infinitely many
    that nobody has to list.  This is the bounded growth of BNS13, which lets a private learner take its
    candidates from the data.
    """

    @property
    @abstractmethod
    def parts(self) -> int:
        """The most elements in a hypothesis."""

    @property
    @abstractmethod
    def elements_per_point(self) -> int:
        """The most elements that cover one point."""

    def most_candidates(self, n: int) -> int:
        """A public bound on the runs of elements that cover any of ``n`` records."""
        return n * self.elements_per_point

    def require_countable(self, n: int) -> None:
        """Raise `TooLargeError` if counting the elements of ``n`` records may take too long."""
        return

    @property
    def everything(self) -> Hypothesis[Point] | None:
        """The constant 1, if it is not an element; None if it is one."""
        return None

    @abstractmethod
    def elements(self, sample: Sample[Point]) -> Elements:
        """All elements that cover a positive example."""

    @abstractmethod
    def union(self, elements: Iterable[Hypothesis[Point]]) -> Hypothesis[Point]:
        """The function that is 1 wherever one of the ``elements`` is; without elements, constant 0."""


class PointCovering(Covering[Any], ProperApproximation[Any], Declared):
    """A class of finite sets: the elements are single points."""

    excluded: frozenset[Any]

    @property
    @abstractmethod
    def fewest(self) -> int:
        """The fewest points in a set of the class."""

    @property
    def elements_per_point(self) -> int:
        return 1

    def elements(self, sample: Sample[Any]) -> Elements:
        rows = np.flatnonzero(sample.positives)
        if self.excluded:
            rows = rows[[sample.points[j] not in self.excluded for j in rows.tolist()]]

        def element(i: int) -> FiniteSet:
            return FiniteSet(self.domain, frozenset([sample.points[rows[i]]]))

        return Elements(
            sample.positives[rows], sample.negatives[rows], element, lambda i: rows[i : i + 1]
        )

    @property
    def everything(self) -> FiniteSet:
        return FiniteSet(self.domain, frozenset(), 1)

    def union(self, elements: Iterable[Hypothesis[Any]]) -> FiniteSet:
        sets = [h for h in elements if isinstance(h, FiniteSet)]
        if self.everything in sets:
            return self.everything
        return FiniteSet(self.domain, frozenset(x for h in sets for x in h.members))

    def mixture(self, f: Hypothesis[Any], alpha: Fraction) -> list[Hypothesis[Any]]:
        """The set itself; if it is too small, its unions with ceil(1 / alpha) blocks of new points."""
        members = f.members if isinstance(f, FiniteSet) else frozenset()
        lacking, blocks = self.fewest - len(members), math.ceil(1 / alpha)
        if lacking <= 0:
            return [f]
        # Disjoint blocks of new points: some block has little weight under any distribution
        # (docs/proofs/proper.md, Theorem 3).
        free = (x for x in self.domain if x not in members and x not in self.excluded)
        return [FiniteSet(self.domain, members.union(islice(free, lacking))) for _ in range(blocks)]

    def most_mixed(self, alpha: Fraction) -> int:
        return math.ceil(1 / alpha) if self.fewest else 1


def fewest_errors(
    sample: Sample[Any], members: frozenset[Any], excluded: frozenset[Any], left: int
) -> int:
    """The fewest errors of a set of ``members`` and at most ``left`` points not in ``excluded``.

    If the set must be larger, points that occur in no example fill it up.
    """
    gains = sample.gains
    errors = int(sample.positives.sum()) - sum(gains.get(x, 0) for x in members)
    for x, gain in gains.items():  # the largest first
        if left == 0 or gain <= 0:
            break
        if x not in members and x not in excluded:
            errors, left = errors - gain, left - 1
    return errors
