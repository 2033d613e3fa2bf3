"""Indicators over finite fields: of affine subspaces, their complements, and common zeros."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from functools import cached_property
from typing import Any, Self

from littlestone.base.errors import DeclarationError
from littlestone.points import (
    Domain,
    Field,
    Monomials,
    Span,
    Vector,
    field_of,
    require_list,
    scatter_points,
)
from littlestone.rules.base import BinaryHypothesis


@dataclass(frozen=True)
class Flat(BinaryHypothesis[Vector]):
    """The indicator of an affine subspace {x : <a_i, x> = b_i for all i} of GF(q)^n, perhaps empty.

    ``equations`` are the vectors (a_i, b_i) of length n + 1.  Canonical: in reduced row echelon
    form, and the one equation 0 = 1 for the empty set; the constructor brings any system to it.

    >>> from littlestone.points import vector_space
    >>> plane = Flat(vector_space(["x", "y", "z"], 101), ((2, 0, 100, 6), (4, 0, 99, 12)))
    >>> plane.words(), plane((5, 77, 4)), plane((5, 77, 5))
    ('x + 50 z = 3 (mod 101)', 1, 0)
    """

    domain: Domain[Vector]
    equations: tuple[Vector, ...]

    def __post_init__(self) -> None:
        n = len(self.domain.column_names)
        system = Span.from_vectors(self.field.order, n + 1, self.equations)
        contradiction = (*(0,) * n, 1)
        rows = (contradiction,) if contradiction in system else system.rows
        object.__setattr__(self, "equations", rows)

    @cached_property
    def field(self) -> Field:
        """The field GF(q)."""
        return field_of(self.domain)

    def __call__(self, x: Vector) -> int:
        return int(self._contains(x))

    def _contains(self, x: Vector) -> bool:
        dot = self.field.dot
        return all(dot(row[:-1], x) == row[-1] for row in self.equations)

    def words(self) -> str:
        if not self.equations or not any(self.equations[0][:-1]):
            return f"always {int(not self.equations)}"
        return self._system()

    def _system(self, equal: str = "=") -> str:
        names, shown = self.domain.column_names, []
        for row in self.equations:
            terms = [
                name if a == 1 else f"{a} {name}"
                for a, name in zip(row[:-1], names, strict=True)
                if a
            ]
            shown.append(f"{' + '.join(terms)} {equal} {row[-1]}")
        return f"{' and '.join(shown)} ({self.field})"

    def witness(self, other: Self) -> Vector | None:
        # They are equal unless a spanning point of one is outside of the other.
        pairs = ((f, g) for f, g in ((self, other), (other, self)))
        outside = (x for f, g in pairs for x in f.spanning_points() if not g._contains(x))
        return next(outside, None)

    def spanning_points(self) -> list[Vector]:
        """Points whose affine hull is the set: dimension + 1 points, none if the set is empty."""
        field, n = self.field, len(self.domain.column_names)
        if self.equations and not any(self.equations[0][:-1]):
            return []
        # Each row reads x_pivot = b - (terms in the free columns); the free ones are 0 or a unit.
        pivots = Span(field.order, n + 1, self.equations).pivots
        first = [0] * n
        for pivot, row in zip(pivots, self.equations, strict=True):
            first[pivot] = row[-1]
        found = [tuple(first)]
        for free in sorted(set(range(n)) - set(pivots)):
            x = list(first)
            x[free] = 1
            for pivot, row in zip(pivots, self.equations, strict=True):
                x[pivot] = field.add(x[pivot], field.negative(row[free]))
            found.append(tuple(x))
        return found

    def form(self) -> dict[str, object]:
        return {"equations": [list(row) for row in self.equations]}

    @classmethod
    def from_form(cls, domain: Domain[Any], form: Mapping[str, Any]) -> Self:
        q, n = field_of(domain).order, len(domain.column_names)
        return cls(domain, _parse_equations(form["equations"], n + 1, q))


class FlatComplement(Flat):
    """The indicator of the complement of an affine subspace: h(x) = 0 iff <a_i, x> = b_i for all i.

    >>> from littlestone.points import vector_space
    >>> FlatComplement(vector_space(["x", "y"], 2), ((1, 1, 0),)).words()
    'x + y = 1 (mod 2)'
    """

    def __call__(self, x: Vector) -> int:
        return int(not self._contains(x))

    def words(self) -> str:
        if not self.equations or not any(self.equations[0][:-1]):
            return f"always {int(bool(self.equations))}"
        if len(self.equations) > 1:
            return f"not ({self._system()})"
        if self.field.order > 2:
            return self._system("!=")
        row = self.equations[0]
        return type(self)(self.domain, ((*row[:-1], 1 - row[-1]),))._system()


MOST_SEARCHED = 2**16  # the most points at which two functions are compared
_MOST_CHECKED = 2**12  # the most points at which the equations of a model file are checked


@dataclass(frozen=True)
class ZeroSet(BinaryHypothesis[Vector]):
    """The indicator of {x : p(x) = 0 for all p in P}, for polynomials over GF(q) of bounded degree.

    ``equations`` are the coefficients of polynomials that span P, for the monomials in the order of
    `Monomials`.  The constructor brings them to reduced row echelon form, or to the one equation 1 = 0
    if P has a constant.  P must be *all* polynomials of that degree that vanish on the set, as
    `vanishing` makes it.  Then sets of one degree are equal as functions iff they are equal.  If
    several degrees describe a set, there is one object for each degree, just as for several domains.

    >>> from littlestone.points import vector_space
    >>> hyperbola = ZeroSet(vector_space(["x", "y"], 101), 2, ((0, 2, 0, 0, 0, 99),))
    >>> hyperbola.words(), hyperbola((2, 51)), hyperbola((2, 50))
    ('x y + 100 = 0 (mod 101)', 1, 0)
    """

    domain: Domain[Vector]
    degree: int
    equations: tuple[Vector, ...]

    def __post_init__(self) -> None:
        width = len(self.monomials)
        system = Span.from_vectors(self.field.order, width, self.equations)
        one = (*(0,) * (width - 1), 1)
        object.__setattr__(self, "equations", (one,) if one in system else system.rows)

    @classmethod
    def vanishing(cls, domain: Domain[Vector], degree: int, values: Span) -> Self:
        """The zeros of all polynomials that vanish on given points, spanned by their ``values``."""
        return cls(domain, degree, values.annihilator().rows)

    @cached_property
    def field(self) -> Field:
        """The field GF(q)."""
        return field_of(self.domain)

    @cached_property
    def monomials(self) -> Monomials:
        """The monomials whose coefficients the equations are."""
        return Monomials(self.field.order, len(self.domain.column_names), self.degree)

    def __call__(self, x: Vector) -> int:
        values, dot = self.monomials.at(x), self.field.dot
        return int(not any(dot(row, values) for row in self.equations))

    def words(self) -> str:
        if not self.equations or not any(self.equations[0][:-1]):
            return f"always {int(not self.equations)}"
        names = [
            " ".join(
                name if a == 1 else f"{name}^{a}"
                for name, a in zip(self.domain.column_names, e, strict=True)
                if a
            )
            for e in self.monomials.exponents
        ]
        shown = []
        for row in self.equations:
            terms = [
                f"{'' if a == 1 and name else a} {name}".strip()
                for a, name in zip(row, names, strict=True)
                if a
            ]
            shown.append(f"{' + '.join(terms)} = 0")
        return f"{' and '.join(shown)} ({self.field})"

    def witness(self, other: Self) -> Vector | None:
        """A point where the sets differ, found by trying points one after another.

        Raises `DeclarationError` if there is none among the first 2^16, because finding the solutions
        of equations over a large field is a hard problem.
        """
        if self == other:
            return None
        points = scatter_points(self.field.order, len(self.domain.column_names))
        for count, x in enumerate(points):
            if self(x) != other(x):
                return x
            if count >= MOST_SEARCHED:
                raise DeclarationError(
                    "find a point where two sets of zeros differ",
                    found=f"none of {MOST_SEARCHED} points is one, and the domain has more",
                    fix="compare the equations",
                )
        return None

    def form(self) -> dict[str, object]:
        return {"degree": self.degree, "equations": [list(row) for row in self.equations]}

    @classmethod
    def from_form(cls, domain: Domain[Any], form: Mapping[str, Any]) -> Self:
        """See `Hypothesis.from_form`; whether P is complete is checked on small domains only."""
        degree, q = form["degree"], field_of(domain).order
        if type(degree) is not int or degree < 1:
            raise ValueError
        width = len(Monomials(q, len(domain.column_names), degree))
        zeros = cls(domain, degree, _parse_equations(form["equations"], width, q))
        if (domain.size or 0) <= _MOST_CHECKED:
            values = Span.from_vectors(
                q, width, (zeros.monomials.at(x) for x in domain if zeros(x))
            )
            if cls.vanishing(domain, degree, values) != zeros:
                raise ValueError
        return zeros


def _parse_equations(data: object, width: int, q: int) -> tuple[Vector, ...]:
    rows = [tuple(require_list(row)) for row in require_list(data)]
    if not all(len(row) == width and {*map(type, row)} <= {int} for row in rows):
        raise ValueError
    if not all(0 <= a < q for row in rows for a in row):
        raise ValueError
    return tuple(rows)
