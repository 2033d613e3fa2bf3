"""Linear and affine subspaces of a vector space over a finite field."""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from itertools import combinations, product
from math import comb
from typing import ClassVar, Self

from littlestone.algebra import Span, Vector, avoiding_subspace, point_basis, vector_space
from littlestone.classes.base import HypothesisClass, require_example
from littlestone.classes.spec import Spec, quoted
from littlestone.domains import Product
from littlestone.errors import DeclarationError
from littlestone.hypotheses import Flat


@dataclass(frozen=True)
class Subspaces(HypothesisClass[Vector]):
    """What linear and affine subspaces have in common: a lattice of subspaces U of one space E.

    A point x is a vector ``embed(x)`` of E, and the subspace U labels x by 1[embed(x) in U].  A
    version space is {U : ``inside`` <= U, rank U <= ``most``, U avoids ``negatives``}, where
    ``inside`` is spanned by the positive points; the negative ones are reduced modulo ``inside``
    and scaled, so that equal version spaces compare equal.

    Let r be the largest rank of a U in it.  Then

        LDim = r - rank(inside),    SOA = the intersection of all U of rank r,

    proved in docs/proofs/algebraic-classes.md.  Whether a U of some rank avoids the negatives is
    settled exactly by `avoiding_subspace`; the whole domain is never listed.
    """

    domain: Product
    dimension: int
    inside: Span
    negatives: frozenset[Vector] = frozenset()
    contradicted: bool = False

    affine: ClassVar[bool]

    @classmethod
    def over(cls, columns: Sequence[str], q: int, dimension: int) -> Self:
        """The subspaces of dimension at most ``dimension`` of the vectors of the named ``columns``.

        The coordinates are elements 0, ..., q - 1 of GF(q).  Raises `DeclarationError` unless q is
        the order of a field and 0 <= dimension <= number of columns.
        """
        domain = vector_space(columns, q)
        if not 0 <= dimension <= len(columns):
            raise DeclarationError(
                f"declare subspaces of dimension at most {dimension}",
                found=f"the space has dimension {len(columns)}",
                fix=f"give a dimension from 0 to {len(columns)}",
            )
        return cls(domain, dimension, Span(q, len(columns) + cls.affine))

    @property
    @abstractmethod
    def most(self) -> int:
        """The largest legal rank of a subspace of E."""

    def embed(self, x: Vector) -> Vector:
        """The vector of E that stands for the point ``x``."""
        return (*x, 1) if self.affine else x

    def point(self, v: Vector) -> Vector:
        """The point for which the vector ``v`` of E stands."""
        return v[:-1] if self.affine else v

    def restrict(self, x: Vector, y: int) -> Self:
        require_example(self.domain, x, y)
        v = self._direction(self.inside, self.embed(x))
        if self.contradicted or (y and not any(v)):
            return self
        inside, negatives = self.inside, self.negatives
        if y:
            inside = inside.plus(v)
            negatives = frozenset(self._direction(inside, u) for u in negatives)
        else:
            negatives |= {v}
        if (0,) * inside.width in negatives or inside.rank > self.most:
            nothing = Span(inside.order, inside.width)
            return replace(self, inside=nothing, negatives=frozenset(), contradicted=True)
        return replace(self, inside=inside, negatives=negatives)

    @staticmethod
    def _direction(inside: Span, v: Vector) -> Vector:
        """The vector modulo ``inside``, scaled so that its last nonzero entry is 1; or 0."""
        v = inside.reduce(v)
        last = next((a for a in reversed(v) if a), 1)
        return v if last == 1 else inside.field.scale(inside.field.inverse(last), v)

    def is_empty(self) -> bool:
        return self.contradicted

    @property
    def size(self) -> int:
        """Number of subspaces; its cost grows with the number of flats that the negatives span."""
        return 0 if self.contradicted else self._count(self.inside, sorted(self.negatives))

    def _count(self, inside: Span, negatives: Sequence[Vector]) -> int:
        """The subspaces that avoid none, less those whose first negative vector is the i-th."""
        q, top = inside.order, self.most - inside.rank
        if self.affine and not inside.rank:
            n = inside.width - 1
            total = 1 + sum(int(q ** (n - k)) * _gauss(n, k, q) for k in range(top))
        else:
            total = sum(_gauss(inside.width - inside.rank, k, q) for k in range(top + 1))
        for i, v in enumerate(negatives if top else ()):
            larger = inside.plus(v)
            total -= self._count(
                larger, sorted({self._direction(larger, u) for u in negatives[:i]})
            )
        return total

    def require_learnable(self) -> None:
        """See `HypothesisClass.require_learnable`; finite always, so nothing has to be counted."""
        if self.is_empty():
            super().require_learnable()

    def littlestone_dimension(self) -> int:
        return -1 if self.contradicted else self._largest.rank - self.inside.rank

    @cached_property
    def _largest(self) -> Span:
        """A subspace of the version space of the largest rank."""
        ranks = range(min(self.most, self.inside.width), self.inside.rank, -1)
        found = (self._avoiding(self.negatives, rank) for rank in ranks)
        return next((U for U in found if U is not None), self.inside)

    def _avoiding(self, negatives: frozenset[Vector], rank: int) -> Span | None:
        return avoiding_subspace(self.inside, sorted(negatives), rank, affine=self.affine)

    @cached_property
    def _core(self) -> Span:
        """The intersection of all subspaces of the largest rank in the version space.

        A spanning point of the intersection so far is in all of them, or one of them avoids it and
        makes the intersection smaller.
        """
        core, rank = self._largest, self._largest.rank
        shrinking = True
        while shrinking:
            shrinking = False
            for v in self._new_points(core):
                avoided = self.negatives | {self._direction(self.inside, v)}
                U = self._avoiding(avoided, rank)
                if U is not None:
                    core, shrinking = self._intersection(core, U), True
                    break
        return core

    def _new_points(self, U: Span) -> Iterator[Vector]:
        """Vectors of points of U outside of ``inside`` that span U modulo ``inside``."""
        basis = point_basis(U, affine=self.affine)
        return (v for v in basis if v not in self.inside)

    def _intersection(self, U: Span, W: Span) -> Span:
        common = U.intersection(W)
        # At infinity there are no points.
        at_infinity = self.affine and not any(row[-1] for row in common.rows)
        return Span(common.order, common.width) if at_infinity else common

    def soa(self) -> Flat:
        self.require_learnable()
        n = len(self.domain.columns)
        # A functional that vanishes on the core is an equation of it.
        negative = self.inside.field.negative
        equations = (
            (*a[:n], negative(a[n]) if self.affine else 0) for a in self._core.annihilator().rows
        )
        return Flat(self.domain, tuple(equations))

    def soa_label(self, x: Vector) -> int:
        self.domain.require(x)
        self.require_learnable()
        return int(self.embed(x) in self._core)

    def mistake_point(self) -> Vector | None:
        if self.littlestone_dimension() < 1:
            return None
        return self.point(next(self._new_points(self._largest)))

    def reducing_points(self, k: int) -> list[Vector] | None:
        """See `HypothesisClass.reducing_points`.

        At once while the negatives and k more are too few to meet all subspaces of the largest
        rank, at most q points being so unless the rank is that of E; exponential in k beyond.
        """
        self.require_learnable()
        if self.littlestone_dimension() < 1 or k < 1:
            return None
        inner = next(self._new_points(self._core), None)
        if inner is not None:  # every subspace of the largest rank has it: `inside` grows for free
            return [self.point(inner)]
        # Now the SOA is 0 outside of `inside`: k more negatives must meet what the others leave.
        if len(self.negatives) + k < self._fewest_blocking():
            return None
        blocking = self._known_blocking(k) or self._blocking(frozenset(), k, frozenset())
        return None if blocking is None else [self._point_of(v) for v in sorted(blocking)]

    def _fewest_blocking(self) -> int:
        """A lower bound on the number of points that meet all subspaces of the largest rank."""
        q, width, rank = self.inside.order, self.inside.width, self._largest.rank
        bose_burton = (q ** (width - rank + 1) - 1) // (q - 1)
        if not self.affine or self.inside.rank:
            return int(bose_burton)
        if rank == 1:  # all points
            return int(q ** (width - 1))
        jamison = (width - 1) * (q - 1) + 1 if rank == width - 1 else 0
        return int(max(bose_burton, jamison))

    def _known_blocking(self, k: int) -> frozenset[Vector] | None:
        """At most k points that block with the negatives as they fill a set that is known to block.

        Of codimension c, every affine subspace has a point of at most c nonzero coordinates; every
        subspace with ``inside`` meets one of rank c + 1, which is grown through the negatives.
        """
        codimension = self.inside.width - self._largest.rank
        if self.affine and not self.inside.rank:
            n, q = self.inside.width - 1, self.inside.order
            if sum(comb(n, i) * (q - 1) ** i for i in range(codimension + 1)) > k + len(
                self.negatives
            ):
                return None
            light = {
                tuple(values[places.index(j)] if j in places else 0 for j in range(n))
                for places in combinations(range(n), codimension)
                for values in product(range(q), repeat=codimension)
            }
            missing = frozenset(map(self.embed, light)) - self.negatives
            return missing if len(missing) <= k else None
        filled = self.inside
        for _ in range(codimension + 1):
            outside = [v for v in sorted(self.negatives) if v not in filled]
            grown = [filled.plus(v) for v in outside]
            if not grown:
                grown = [filled.plus(u) for u in self._units() if u not in filled]
            filled = max(grown, key=lambda U: sum(v in U for v in outside))
        if self._fewest_blocking() - sum(v in filled for v in self.negatives) > k:
            return None
        return frozenset(self._directions(filled)) - self.negatives

    def _units(self) -> list[Vector]:
        n = self.inside.width
        return [tuple(int(i == j) for i in range(n)) for j in range(n)]

    def _blocking(
        self, chosen: frozenset[Vector], k: int, useless: frozenset[Vector]
    ) -> frozenset[Vector] | None:
        """``chosen`` and at most k more, none ``useless``, that block with the negatives, or None.

        One point of every subspace that they do not meet must be chosen: each is tried.
        """
        U = self._avoiding(self.negatives | chosen, self._largest.rank)
        if U is None:
            return chosen
        if k:
            for v in self._directions(U):
                if v not in useless:
                    found = self._blocking(chosen | {v}, k - 1, useless)
                    if found is not None:
                        return found
                    useless |= {v}
        return None

    def _directions(self, U: Span) -> Iterator[Vector]:
        """The points of U outside of ``inside``, each as the `_direction` that it has in common."""
        field, q = U.field, U.order
        basis = point_basis(U, affine=self.affine)
        whole = self.affine and not self.inside.rank
        if whole:  # first + sum of c_i (b_i - first)
            minus = field.negative(1)
            basis = (basis[0], *(field.combine(b, minus, basis[0]) for b in basis[1:]))
        else:
            basis = Span.of(q, U.width, map(self.inside.reduce, basis)).rows
        for lead in range(1 if whole else len(basis)):
            for number in range(q ** (len(basis) - lead - 1)):
                v = basis[lead]
                for b in basis[lead + 1 :]:
                    number, c = divmod(number, q)
                    v = field.combine(v, c, b)
                yield self._direction(self.inside, v)

    def _point_of(self, direction: Vector) -> Vector:
        """A point with that `_direction`."""
        field, v = self.inside.field, direction
        if self.affine and v[-1] != 1:
            first = point_basis(self.inside, affine=True)[0]
            v = field.combine(v, field.add(1, field.negative(v[-1])), first)
        return self.point(v)

    @classmethod
    def parse(cls, spec: Spec) -> Self:
        form = f"{cls.keyword}(COLUMN, COLUMN, ...; q ORDER, dimension NUMBER)"
        spec.expect(form, len(spec.arguments) or 1, options=("q", "dimension"))
        numbers = [spec.option(option) or "" for option in ("q", "dimension")]
        if not all(
            number.isascii() and number.isdigit() and len(number) < 25 for number in numbers
        ):
            raise DeclarationError(
                f"read the class {spec}",
                found="the order q of the field and the dimension must be whole numbers",
                fix=f"write {form}",
            )
        return cls.over(spec.arguments, int(numbers[0]), int(numbers[1]))

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

    def __str__(self) -> str:
        names = ", ".join(map(quoted, self.domain.column_names))
        q = self.inside.order
        declared = f"{self.keyword}({names}; q {q}, dimension {self.dimension})"
        if self.contradicted:
            return f"{declared} after a contradiction"
        if not self.inside.rank and not self.negatives:
            return declared
        rank, count = self.inside.rank, len(self.negatives)
        return f"{declared} after positives of rank {rank} and {count} negatives"


@dataclass(frozen=True)
class LinearSubspaces(Subspaces):
    """The linear subspaces of dimension at most d of GF(q)^n; the zero vector is in all of them.

    LDim = d: a mistake on a positive raises the rank of what is known, and d independent vectors
    are shattered by the spans of their subsets.

    >>> H = LinearSubspaces.over(["x", "y", "z"], 101, 2)
    >>> V = H.restrict((1, 2, 3), 1).restrict((7, 7, 7), 0)
    >>> H.littlestone_dimension(), V.littlestone_dimension(), V.soa().words()
    (2, 1, 'x + 67 z = 0 and y + 33 z = 0 (mod 101)')
    """

    keyword = "linear"
    affine = False

    @property
    def most(self) -> int:
        return self.dimension


@dataclass(frozen=True)
class AffineSubspaces(Subspaces):
    """The affine subspaces of dimension at most d of GF(q)^n, the empty one of dimension -1 too.

    LDim = d + 1 (BLM20, section 1, says d): d + 1 affinely independent points are shattered by the
    affine hulls of their subsets.  A point x is the vector (x, 1), so that affine hulls are spans.

    >>> H = AffineSubspaces.over(["x", "y", "z"], 101, 2)
    >>> V = H.restrict((1, 2, 3), 1).restrict((1, 2, 4), 1)
    >>> H.littlestone_dimension(), V.littlestone_dimension(), V.soa().words()
    (3, 1, 'x = 1 and y = 2 (mod 101)')
    """

    keyword = "affine"
    affine = True

    @property
    def most(self) -> int:
        return self.dimension + 1


def _gauss(n: int, k: int, q: int) -> int:
    """The number of k-dimensional subspaces of GF(q)^n."""
    top = bottom = 1
    for i in range(k):
        top *= q ** (n - i) - 1
        bottom *= q ** (i + 1) - 1
    return top // bottom
