"""Linear and affine subspaces of a vector space over a finite field."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Any, ClassVar, Self

import numpy as np
from numpy.typing import NDArray

from littlestone.base.errors import DeclarationError, TooLargeError
from littlestone.classes.base import ScoredClass
from littlestone.classes.counting.blocks import MOST_ERRORS
from littlestone.classes.counting.flat_counts import (
    MOST_ORDER,
    MOST_STEPS,
    FlatCounts,
    is_countable,
)
from littlestone.classes.promises.flats import Flats, Vectors
from littlestone.data.sample import Sample
from littlestone.points import Span, Vector, avoiding_subspace, point_basis, vector_space
from littlestone.points.matroids import fewest_blocking, known_blocking
from littlestone.privacy.scores import ErrorRuns, Scores, either
from littlestone.rules import Flat

MOST_COLUMNS = 64


@dataclass(frozen=True)
class Subspaces(Flats, ScoredClass[Vector]):
    """The common base of linear and affine subspaces: flats of all points of GF(q)^n.

    `avoiding_subspace` decides exactly whether a flat of some rank avoids the negatives.  The domain is
    never listed.  The declared class is scored by counting: for each of its D direction spaces, the
    cosets with a point of the sample are added up and the others are counted at once, in O(D n) for
    n records.  `require_scorable` refuses more than 2^18 steps a record, about a millisecond.
    """

    dimension: int = field(kw_only=True)

    option = "dimension"
    _lists_points = False
    affine: ClassVar[bool]

    @classmethod
    def over(cls, columns: Sequence[str], q: int, dimension: int) -> Self:
        """The subspaces of dimension at most ``dimension`` of the vectors of the named ``columns``.

        The coordinates are elements 0, ..., q - 1 of GF(q).  Raises `DeclarationError` unless q is
        the order of a field, there are at most 64 columns, and 0 <= dimension <= their number.
        """
        if len(columns) > MOST_COLUMNS:
            raise TooLargeError(
                f"declare subspaces of a space of {len(columns)} columns",
                found=f"there may be {MOST_COLUMNS}: a subspace takes the cube of their number",
                fix="declare fewer columns; `parities` takes 1,000",
            )
        domain = vector_space(columns, q)
        if not 0 <= dimension <= len(columns):
            raise DeclarationError(
                f"declare subspaces of dimension at most {dimension}",
                found=f"the space has dimension {len(columns)}",
                fix=f"give a dimension from 0 to {len(columns)}",
            )
        return cls(domain, Span(q, len(columns) + cls.affine), dimension=dimension)

    def embed(self, x: Vector) -> Vector:
        return (*x, 1) if self.affine else x

    def point(self, v: Vector) -> Vector:
        return v[:-1] if self.affine else v

    @property
    def size(self) -> int:
        """The number of subspaces; the cost grows with the number of flats that the negatives span."""
        return 0 if self.contradicted else self._count(self.inside, sorted(self.negatives))

    def _count(self, inside: Span, negatives: Sequence[Vector]) -> int:
        """Count all subspaces, minus those whose first negative vector is the i-th, for each i."""
        q, top = inside.order, self.most - inside.rank
        if self.affine and not inside.rank:
            n = inside.width - 1
            total = 1 + sum(int(q ** (n - k)) * _gauss(n, k, q) for k in range(top))
        else:
            total = sum(_gauss(inside.width - inside.rank, k, q) for k in range(top + 1))
        for i, v in enumerate(negatives if top else ()):
            larger = inside.plus(v)
            total -= self._count(larger, sorted(set(map(larger.direction, negatives[:i]))))
        return total

    @property
    def forms(self) -> int:
        return self.size if self._is_initial else 0  # version spaces are not scored

    most_errors = MOST_ERRORS

    def require_scorable(self) -> None:
        q, width = self.inside.order, self.inside.width
        if not is_countable(q, width, self.most, affine=self.affine):
            raise TooLargeError(
                f"count the errors of {self}",
                found=f"a record may take {MOST_STEPS:,} steps, one for each direction of a subspace "
                f"and one for each product of its equations, over at most {MOST_ORDER:,} elements",
                fix="declare fewer columns, a smaller dimension or a smaller field",
            )

    def scores(self, sample: Sample[Vector]) -> Scores:
        vectors = [(1, *x) if self.affine else x for x in sample.points]
        weights, positives = sample.negatives - sample.positives, int(sample.positives.sum())
        lowest = ErrorRuns(_lowest(sample, self.affine), named=lambda _: None)
        if not self.most:
            return lowest
        counts = FlatCounts(
            self.inside.order,
            self.inside.width,
            self.most,
            vectors,
            weights,
            positives,
            affine=self.affine,
        )
        return either([lowest, counts.runs()])

    def hypothesis_of_item(self, item: Any) -> Flat:
        n, negative = len(self.domain.columns), self.inside.field.negative
        if item is None:  # the flat of rank 0
            unit = [tuple(int(i == j) for j in range(n + 1)) for i in range(n)]
            return Flat(self.domain, ((*(0,) * n, 1),) if self.affine else tuple(unit))
        if self.affine:
            return Flat(self.domain, tuple((*a[1:], negative(a[0])) for a in item))
        return Flat(self.domain, tuple((*a, 0) for a in item))

    def soa(self) -> Flat:
        self.require_learnable()
        self._find(core=True)
        n = len(self.domain.columns)
        # A functional that vanishes on the core is one of its equations.
        negative = self.inside.field.negative
        equations = (
            (*a[:n], negative(a[n]) if self.affine else 0)
            for a in self._core_span.annihilator().rows
        )
        return Flat(self.domain, tuple(equations))

    def _avoiding(self, negatives: frozenset[Vector], rank: int) -> Vectors | None:
        U = avoiding_subspace(self.inside, sorted(negatives), rank, affine=self.affine)
        return None if U is None else self._new_points(U)

    def _new_points(self, U: Span) -> Vectors:
        """Vectors of points of U outside of ``inside`` that span U modulo ``inside``."""
        return self._spanning(point_basis(U, affine=self.affine))

    def _points_in(self, U: Span, among: Vectors | None = None) -> Vectors:
        return self._new_points(U if among is None else self._intersection(self._span(among), U))

    def _common(self, U: Vectors, W: Vectors) -> Vectors:
        return self._new_points(self._intersection(self._span(U), self._span(W)))

    def _intersection(self, U: Span, W: Span) -> Span:
        common = U.intersection(W)
        # At infinity there are no points.
        at_infinity = self.affine and not any(row[-1] for row in common.rows)
        return Span(common.order, common.width) if at_infinity else common

    def _few(self, count: int) -> bool:
        return count < self._fewest_blocking()

    def _fewest_blocking(self) -> int:
        return fewest_blocking(self.inside, self._rank, affine=self.affine)

    def _known_blocking(self, k: int) -> frozenset[Vector] | None:
        return known_blocking(self.inside, self.negatives, self._rank, k, affine=self.affine)

    def _point_of(self, direction: Vector) -> Vector:
        F, v = self.inside.field, direction
        if self.affine and v[-1] != 1:
            first = point_basis(self.inside, affine=True)[0]
            v = F.combine(v, F.add(1, F.negative(v[-1])), first)
        return self.point(v)

    @classmethod
    def examples(cls) -> list[Self]:
        lines, planes = cls.over("xy", 2, 1), cls.over("xyz", 3, 2)
        return [
            lines,
            cls.over("x", 3, 1),
            cls.over("xy", 4, 1),
            cls.over("xyz", 2, 3),
            planes.restrict((0, 1, 2), 0).restrict((1, 0, 0), 1),
            cls.over("wxyz", 2**61 - 1, 2),
        ]


@dataclass(frozen=True)
class LinearSubspaces(Subspaces):
    """The linear subspaces of dimension at most d of GF(q)^n; the zero vector is in all of them.

    LDim = d: a mistake on a positive raises the rank of the known points, and d independent vectors
    are shattered by the spans of their subsets.

    >>> H = LinearSubspaces.over(["x", "y", "z"], 101, 2)
    >>> V = H.restrict((1, 2, 3), 1).restrict((7, 7, 7), 0)
    >>> H.littlestone_dimension(), V.littlestone_dimension(), V.soa().words()
    (2, 1, 'x + 67 z = 0 and y + 33 z = 0 (mod 101)')
    """

    keyword = "linear"
    group = "algebraic"
    typical = "linear(x, y, z; q 5, dimension 2)"
    affine = False

    @property
    def most(self) -> int:
        return self.dimension


@dataclass(frozen=True)
class AffineSubspaces(Subspaces):
    """The affine subspaces of GF(q)^n of dimension at most d, including the empty one (dimension -1).

    LDim = d + 1 (BLM20, section 1, says d): d + 1 affinely independent points are shattered by the
    affine hulls of their subsets.  A point x is the vector (x, 1), so that affine hulls are spans.

    >>> H = AffineSubspaces.over(["x", "y", "z"], 101, 2)
    >>> V = H.restrict((1, 2, 3), 1).restrict((1, 2, 4), 1)
    >>> H.littlestone_dimension(), V.littlestone_dimension(), V.soa().words()
    (3, 1, 'x = 1 and y = 2 (mod 101)')
    """

    keyword = "affine"
    group = "algebraic"
    typical = "affine(x, y, z; q 5, dimension 1)"
    affine = True

    @property
    def most(self) -> int:
        return self.dimension + 1


def _lowest(sample: Sample[Vector], affine: bool) -> NDArray[np.int64]:
    """The errors of the flat of rank 0: the empty set, or the vector 0 alone."""
    errors = int(sample.positives.sum())
    for x, weight in zip(
        sample.points, (sample.negatives - sample.positives).tolist(), strict=True
    ):
        if not affine and not any(x):
            errors += weight
    return np.array([errors])


def _gauss(n: int, k: int, q: int) -> int:
    """The number of k-dimensional subspaces of GF(q)^n."""
    top = bottom = 1
    for i in range(k):
        top *= q ** (n - i) - 1
        bottom *= q ** (i + 1) - 1
    return top // bottom
