"""Zero sets of systems of polynomials over a finite field."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from itertools import islice
from math import comb
from typing import Any, Self

import numpy as np
from numpy.typing import NDArray

from littlestone.base.errors import DeclarationError, TooLargeError
from littlestone.base.work import count_steps as count_steps
from littlestone.classes.base import ScoredClass
from littlestone.classes.counting.zero_sets import (
    MOST_POINTS,
    ZeroSetCounts,
    leaves_of_weights,
    number_of,
    subset_scores,
    zero_sets,
)
from littlestone.classes.promises.flats import Flats, Vectors
from littlestone.classes.subspaces import AffineSubspaces
from littlestone.data.sample import Sample
from littlestone.points import (
    Monomials,
    Span,
    Vector,
    flats,
    greedy_flat,
    scatter_points,
    vector_space,
)
from littlestone.privacy.scores import ErrorRuns, Scores, either
from littlestone.rules import ZeroSet

# There is no formula for the number of sets.  They are counted one by one up to a limit, if few enough
# directions of points are left.
MOST_COUNTED = 1_000
_MOST_LEFT = 64

MOST_CHOSEN = 20
"""The most points of a set in one column that is scored, for fields of any order."""

MOST_SUMMED = 1 << 20
"""For smaller fields, the most elements times the square of the number of points of a set."""

_MOST_ORDERS = 4  # greedy orders of the points that are tried before a search through all flats


@dataclass(frozen=True)
class PolynomialZeros(Flats, ScoredClass[Vector]):
    """The sets {x : p(x) = 0 for all p in P} for systems P of polynomials of degree at most D.

    Points are vectors of GF(q)^n.  With P empty the set is everything, with 1 in P it is empty.
    The vector of a point x holds the values of all monomials of degree at most D at x.  So x is in the
    smallest such set that contains x_1, ..., x_k iff its vector is in the span of theirs.  The class is
    therefore that of all flats.  These are the polynomial equalities of BLM20 (introduction).

    LDim is the number of monomials that differ as functions: C(n + D, D) for D < q.  If there are fewer
    than q / D negatives, they lower the dimension by one, whichever they are.  With more negatives, a
    search through the flats gives the exact answer.  Proofs are in docs/proofs/algebraic-classes.md.
    `restrict` costs the square of the number of monomials.  The search may read all points and be
    exponential: 30 negatives on GF(3)^4 may be too many for it.

    The declared class is scored if its sets can be counted: for degree 1, which are the affine
    subspaces; for one column, where they are all sets of at most D points and everything; and on
    at most 25 points, whose zero sets are listed.

    >>> conics = PolynomialZeros.over(["x", "y"], 101, 2)
    >>> conics.littlestone_dimension()
    6
    >>> V = conics.restrict((0, 0), 0)
    >>> for x in [(0, 1), (1, 0), (0, 100), (100, 0), (1, 100)]:
    ...     V = V.restrict(x, 1)
    >>> V.littlestone_dimension(), V.soa().words()
    (0, 'x^2 + x y + y^2 + 100 = 0 (mod 101)')
    """

    degree: int = field(kw_only=True)

    keyword = "polynomial_zeros"
    group = "algebraic"
    typical = "polynomial_zeros(x, y; q 5, degree 2)"
    option = "degree"
    _lists_points = True

    @classmethod
    def over(cls, columns: Sequence[str], q: int, degree: int) -> Self:
        """The zero sets of polynomials of degree at most ``degree`` in the named ``columns``.

        The coordinates are elements 0, ..., q - 1 of GF(q).  Raises `DeclarationError` unless q is
        the order of a field, the degree is at least 1, and there are at most 128 monomials.
        """
        domain = vector_space(columns, q)
        if degree < 1:
            raise DeclarationError(
                f"declare zero sets of polynomials of degree at most {degree}",
                found="the only such sets are all points and none",
                fix="give a degree of at least 1",
            )
        return cls(domain, Span(q, len(Monomials(q, len(columns), degree))), degree=degree)

    @cached_property
    def _monomials(self) -> Monomials:
        return Monomials(self.inside.order, len(self.domain.columns), self.degree)

    @property
    def most(self) -> int:
        return self.inside.width

    def embed(self, x: Vector) -> Vector:
        return self._monomials.at(x)

    def point(self, v: Vector) -> Vector:
        return self._monomials.point(v)

    @cached_property
    def size(self) -> int | None:
        """The number of sets; None, at once, if there are too many to count."""
        if self._is_affine:
            return self._affine.size
        if self._is_line:
            q, most = self.inside.order, self._most_points
            return sum(comb(q, k) for k in range(most + 1)) + (most < q)
        if self._is_listed:
            return number_of(self._sets)
        dimension = self.littlestone_dimension()
        if dimension < 1:
            return dimension + 1
        if 2**dimension > MOST_COUNTED:
            return None
        alive = self._alive(self.negatives, _MOST_LEFT + 1)
        if len(alive) > _MOST_LEFT:
            return None
        found = flats(self.inside.field, alive, self.negatives)
        count = sum(1 for _ in islice(found, MOST_COUNTED + 1))
        return None if count > MOST_COUNTED else count

    @property
    def _is_affine(self) -> bool:
        return self._is_initial and self.degree == 1

    @property
    def _is_line(self) -> bool:
        return self._is_initial and len(self.domain.columns) == 1

    @property
    def _is_listed(self) -> bool:
        q, n = self.inside.order, len(self.domain.columns)
        return self._is_initial and n <= MOST_POINTS and q**n <= MOST_POINTS

    @property
    def _sets(self) -> NDArray[np.uint8]:
        return zero_sets(self.inside.order, len(self.domain.columns), self.degree)

    @property
    def _affine(self) -> AffineSubspaces:
        """All affine subspaces: the zeros of polynomials of degree 1."""
        columns = self.domain.column_names
        return AffineSubspaces.over(columns, self.inside.order, len(columns))

    @property
    def _most_points(self) -> int:
        """The most points of a set in one column that is not everything, or all points."""
        q = self.inside.order
        return q if self.degree >= q - 1 else self.degree

    @property
    def forms(self) -> int:
        scored = self._is_affine or self._is_line or self._is_listed
        return (self.size or 0) if scored else 0  # version spaces are not scored

    @property
    def most_errors(self) -> int | None:
        return self._affine.most_errors if self._is_affine else None

    def require_scorable(self) -> None:
        if self._is_affine:
            self._affine.require_scorable()
        elif self._is_line:
            q, most = self.inside.order, self._most_points
            if most > MOST_CHOSEN and q * most**2 > MOST_SUMMED:
                raise TooLargeError(
                    f"count the errors of {self}",
                    found=f"the sets have up to {most} of {q} points; at most {MOST_CHOSEN} are "
                    f"counted, or {q} * {most}^2 may be {MOST_SUMMED:,}",
                    fix="declare a smaller field or a smaller degree",
                )

    def scores(self, sample: Sample[Vector]) -> Scores:
        positives = int(sample.positives.sum())
        if self._is_affine:
            return self._affine.scores(sample)
        if self._is_line:
            q, weights = self.inside.order, (sample.negatives - sample.positives).tolist()
            leaves = leaves_of_weights([x[0] for x in sample.points], weights, q)
            parts = subset_scores(leaves, self._most_points, positives)
            if self._most_points < q:  # everything is a set, too
                negatives = np.array([int(sample.negatives.sum())])
                parts.append(ErrorRuns(negatives, named=lambda _: None))
            return either(parts)
        points = np.zeros(self.inside.order ** len(self.domain.columns), dtype=np.int64)
        places = [self.domain.index(x) for x in sample.points]
        points[places] = sample.negatives - sample.positives
        return ZeroSetCounts(self._sets, points, positives).runs()

    def hypothesis_of_item(self, item: Any) -> ZeroSet:
        if self._is_affine:
            rows = self._affine.hypothesis_of_item(item).equations
            negative = self.inside.field.negative
            return ZeroSet(self.domain, 1, tuple((*a[:-1], negative(a[-1])) for a in rows))
        if self._is_line:
            if item is None:
                return ZeroSet(self.domain, self.degree, ())
            return ZeroSet.vanishing(
                self.domain, self.degree, self._span(tuple(self.embed((x,)) for x in item))
            )
        inside = (self.embed(x) for i, x in enumerate(self.domain) if item >> i & 1)
        return ZeroSet.vanishing(self.domain, self.degree, self._span(tuple(inside)))

    def soa(self) -> ZeroSet:
        self.require_learnable()
        self._find(core=True)
        return ZeroSet.vanishing(self.domain, self.degree, self._core_span)

    def _vectors(self, first: int = 0) -> Iterator[Vector]:
        """The vectors of all points, in an order for each ``first`` one."""
        return map(self.embed, scatter_points(self.inside.order, len(self.domain.columns), first))

    def _alive(self, dead: frozenset[Vector], most: int | None = None) -> dict[Vector, Vector]:
        """All directions modulo ``inside`` that are not ``dead``, each with the vector of a point.

        Only the first ``most`` of them, if there are more.
        """
        found: dict[Vector, Vector] = {}
        every = self.inside.codirections - len(dead)
        for x in self._vectors():
            count_steps(4)
            v = self.inside.direction(x)
            if any(v) and v not in dead:
                found.setdefault(v, x)
            if len(found) in (most, every):
                break
        return found

    def _avoiding(self, negatives: frozenset[Vector], rank: int) -> Vectors | None:
        if negatives and rank == self.most:
            return None
        greedy = self._greedy(negatives, rank)
        if greedy is not None:
            return greedy
        more, alive = rank - self.inside.rank, self._alive(negatives)
        return next(flats(self.inside.field, alive, negatives, more), None)

    def _greedy(self, negatives: frozenset[Vector], rank: int) -> Vectors | None:
        """A flat of that rank without negatives, from the points in a few orders, or None."""
        orders = (self._vectors(i * rank) for i in range(_MOST_ORDERS))
        found = (greedy_flat(self.inside, points, negatives, rank) for points in orders)
        return next((U for U in found if U is not None), None)

    @cached_property
    def _core(self) -> Vectors:
        # A point more can be avoided as well.
        if self.negatives and self._few(len(self.negatives) + 1):
            return ()
        # Flats that avoid a common vector, of a point or not, may avoid a look at all points.
        common = self._span(self._largest)
        while common != self.inside:
            v = next(filter(any, map(self.inside.direction, common.rows)))
            U = self._greedy(self.negatives | {v}, self._rank)
            if U is None:
                return super()._core
            common = common.intersection(self._span(U))
        return ()

    def _few(self, count: int) -> bool:
        """Whether a flat U that avoids ``count`` points can always grow without meeting them.

        A point spoils the growth if it is in the span of U and an avoided point.  Each such span has at
        most ``most_zeros`` points, and all spans share U.
        """
        points, zeros = self.inside.order ** len(self.domain.columns), self._monomials.most_zeros
        return self._rank < self.most and all(
            count * zeros(rank + 1) - (count - 1) * rank < points
            for rank in range(self.inside.rank, self._rank)
        )

    def _common(self, U: Vectors, W: Vectors) -> Vectors:
        first = self._points_in(self._span(U))
        return self._spanning(self._points_in(self._span(W), first))

    def _points_in(self, U: Span, among: Vectors | None = None) -> Vectors:
        found = []
        for x in self._vectors() if among is None else among:
            count_steps(4)
            if x in U and x not in self.inside:
                found.append(x)
        return tuple(found)

    def _known_blocking(self, k: int) -> frozenset[Vector] | None:
        """All directions except those of a flat of rank one below the largest, if at most k."""
        smaller = self._points_in(self._span(self._largest[1:]))
        rest = set(self._alive(self.negatives)) - set(map(self.inside.direction, smaller))
        return frozenset(rest) if len(rest) <= k else None

    def _point_of(self, direction: Vector) -> Vector:
        return self.point(next(x for x in self._vectors() if self.inside.direction(x) == direction))

    @classmethod
    def examples(cls) -> list[Self]:
        conics = cls.over("xy", 101, 2)
        return [
            cls.over("xy", 2, 1),
            cls.over("x", 5, 2),
            cls.over("xy", 3, 2).restrict((0, 0), 1).restrict((0, 1), 1).restrict((1, 1), 0),
            conics.restrict((1, 2), 0).restrict((0, 0), 1),
            cls.over("xyz", 2**61 - 1, 2),
        ]
