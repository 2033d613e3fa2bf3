"""Unions of few elements of which few cover each point; SOAs that are known or approximated."""

from __future__ import annotations

import math
from abc import abstractmethod
from collections.abc import Iterable
from fractions import Fraction
from itertools import islice
from typing import Any, TypeGuard

import numpy as np
from numpy.typing import NDArray

from littlestone.classes.base import BinaryClass, HypothesisClass
from littlestone.classes.text.declared import DeclaredClass
from littlestone.data.sample import Sample
from littlestone.points import Point
from littlestone.privacy.scores import Elements
from littlestone.rules import FiniteSet, Hypothesis


class Steady(HypothesisClass[Point]):
    """A class over infinitely many points; functions differ from a usual one at few, if it `is_steady`.

    That is: in each of its version spaces V, the label of SOA_V at a point keeps LDim(V) and SOA_V.
    Any other label that some function of V has there lowers LDim(V) by one, and changes SOA_V at this
    point alone.  So no points reduce V (docs/proofs/radii.md, Lemma 3).
    """

    def is_steady(self) -> bool:
        """Whether it is so; a class made of others may depend on them."""
        return True

    @abstractmethod
    def least_soa_errors(self, sample: Sample[Point], t: int) -> int:
        """The fewest errors of an SOA of a version space of LDim t = 0, ..., LDim(H) or above."""


class FewUnknown(Steady[Any]):
    """A class over an open vocabulary in which only few points have labels other than the default.

    LDim is the number of such points that are not known yet: a tree of that depth asks about one new
    point per level, and the SOA, which gives the default at new points, errs only there.  So what the
    SOA says never lowers LDim, and no points reduce it.
    """

    contradicted: bool

    @property
    @abstractmethod
    def _left(self) -> int:
        """The most points with another label that are still unknown."""

    def is_empty(self) -> bool:
        return self.contradicted

    @property
    def size(self) -> int | None:
        return 0 if self.contradicted else None if self._left else 1

    def littlestone_dimension(self) -> int:
        return -1 if self.contradicted else self._left

    def reducing_points(self, k: int) -> None:
        self.require_learnable()

    @abstractmethod
    def _with_fewer(self, t: int) -> HypothesisClass[Any]:
        """The class with ``t`` fewer unknown points."""

    def least_soa_errors(self, sample: Sample[Any], t: int) -> int:
        return self._with_fewer(t).least_errors(sample)


def is_steady(H: HypothesisClass[Any]) -> TypeGuard[Steady[Any]]:
    """Whether the class is known to be steady.

    >>> from littlestone.classes import Subsets, Thresholds
    >>> from littlestone.points import Integers
    >>> is_steady(Subsets(Integers(), 3)), is_steady(Thresholds.on(0, 6))
    (True, False)
    """
    return isinstance(H, Steady) and H.is_steady()


_BITS = 62  # of an integer of numpy
_COLUMNS = 4096  # so many keep all weights within these bits


class ProperApproximation(HypothesisClass[Point]):
    """A class H with mixtures of hypotheses that are close to its SOAs (GGKM21, section 6).

    An SOA need not be in H.  But if few version spaces determine it, then for every distribution some
    hypothesis is close to it.  By the minimax theorem, one mixture is then close to it at every point,
    and this mixture does not depend on the distribution (docs/proofs/proper.md).
    """

    @abstractmethod
    def mixture(self, f: Hypothesis[Point], alpha: Fraction) -> list[Hypothesis[Point]]:
        """Hypotheses of H, some repeated; at each x at most an ``alpha`` share differ from ``f``.

        Then for every distribution one of them differs from f with probability at most alpha.  ``f`` is
        an SOA of a version space of H.  If no mixture this close exists or is found, the result is the
        closest known one.  It depends only on H, f and alpha.
        """

    @abstractmethod
    def most_mixed(self, alpha: Fraction) -> int | None:
        """The most distinct hypotheses that `mixture` lists; None if they may be off by over alpha.

        They are within ``alpha`` of f at every point if any mixture is within alpha / 2.
        """

    def require_mixture(self) -> None:
        """Raise `DeclarationError` if H is too large for `mixture`; learners call it when made."""
        return


def mixture_of_rows(
    table: NDArray[np.bool_], labels: NDArray[np.bool_], alpha: Fraction
) -> list[int]:
    """The rows of a table, some repeated, whose mixture is close to ``labels`` in every column.

    By multiplicative weights, T = ceil(4 log2(c) / alpha) rounds for c distinct columns: a column
    weighs 2^(how many rows chosen so far are wrong there), and the next row is a least wrong one.  If
    some mixture is wrong by at most alpha / 2 in each column, then at most alpha T rows are wrong in
    each (docs/proofs/proper.md, Theorem 3).  One row where that is right everywhere.

    >>> singletons = np.eye(8, dtype=bool)
    >>> rows = mixture_of_rows(singletons, np.zeros(8, dtype=bool), Fraction(1, 4))
    >>> len(rows), max(rows.count(row) for row in rows)
    (48, 6)
    """
    wrong = np.unique(table != labels, axis=1).astype(np.int64)
    right = np.flatnonzero(~wrong.any(axis=1))
    if len(right):
        return [int(right[0])]
    columns = wrong.shape[1]
    most = _BITS - columns.bit_length()
    mistakes, chosen = np.zeros(columns, dtype=np.int64), list[int]()
    for _ in range(rounds(columns, alpha)):
        # Relative to the largest weight; what is 2^most times less counts for nothing.
        behind = mistakes.max() - mistakes
        weights = np.where(behind <= most, 1 << np.maximum(most - behind, 0), 0)
        chosen.append(int(np.argmin(wrong @ weights)))
        mistakes += wrong[chosen[-1]]
    return chosen


def rounds(columns: int, alpha: Fraction) -> int:
    """T = ceil(4 log2(c) / alpha), and at least one."""
    return max(1, math.ceil(4 * math.log2(columns) / alpha))


def most_mixed_rows(columns: int, alpha: Fraction) -> int | None:
    """How many rows `mixture_of_rows` may choose; None if many columns make it round weights."""
    return rounds(columns, alpha) if columns <= _COLUMNS else None


class Covering(BinaryClass[Point]):
    """Unions of at most ``parts`` elements; at most ``elements_per_point`` elements cover a point.

    One positive record then touches at most ``elements_per_point`` elements, out of infinitely many
    that nobody has to list.  This is the bounded growth of BNS13, which lets a private learner take its
    candidates from the data.
    """

    @property
    @abstractmethod
    def max_elements(self) -> int:
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


class PointCovering(FewUnknown, Covering[Any], ProperApproximation[Any], DeclaredClass):
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
