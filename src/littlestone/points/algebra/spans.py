"""Linear subspaces in canonical form; monomials as functions on a vector space."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from functools import cached_property
from math import comb

from littlestone.base.errors import DeclarationError
from littlestone.points.algebra.fields import Field, field_of_order

Vector = tuple[int, ...]


@dataclass(frozen=True)
class Span:
    """A linear subspace U of GF(q)^n, as its reduced row echelon basis; equal iff equal as sets.

    ``order`` is q, and ``width`` is n.  The first nonzero entry of every row is 1.  It is further right
    than that of the row before, and the only nonzero entry in its column.

    >>> Span.from_vectors(5, 3, [(2, 4, 1), (1, 2, 0)]).rows
    ((1, 2, 0), (0, 0, 1))
    """

    order: int
    width: int
    rows: tuple[Vector, ...] = ()

    @classmethod
    def from_vectors(cls, order: int, width: int, vectors: Iterable[Vector]) -> Span:
        """The subspace of GF(order)^width spanned by the ``vectors``."""
        if order == 2:
            return cls(2, width, _reduced_bits(width, vectors))
        span = cls(order, width)
        for v in vectors:
            span = span.plus(v)
        return span

    @property
    def rank(self) -> int:
        """The dimension of the subspace."""
        return len(self.rows)

    @property
    def codirections(self) -> int:
        """The number of nonzero directions of the whole space modulo U."""
        return int((self.order ** (self.width - self.rank) - 1) // (self.order - 1))

    @cached_property
    def field(self) -> Field:
        """The field GF(q)."""
        return field_of_order(self.order)

    @cached_property
    def pivots(self) -> tuple[int, ...]:
        """The column of the first nonzero entry of each row."""
        return tuple(next(j for j, a in enumerate(row) if a) for row in self.rows)

    def reduce(self, v: Vector) -> Vector:
        """The only vector of v + U that is 0 in the pivot columns; it is 0 iff v is in U."""
        for pivot, row in zip(self.pivots, self.rows, strict=True):
            if v[pivot]:
                v = self.field.combine(v, self.field.negative(v[pivot]), row)
        return v

    def direction(self, v: Vector) -> Vector:
        """The vector modulo U and up to scalars: `reduce`, with 1 as its last nonzero entry, or 0."""
        v = self.reduce(v)
        last = next((a for a in reversed(v) if a), 1)
        return v if last == 1 else self.field.scale(self.field.inverse(last), v)

    def __contains__(self, v: Vector) -> bool:
        return not any(self.reduce(v))

    def plus(self, v: Vector) -> Span:
        """The subspace U + <v>."""
        v = self.reduce(v)
        pivot = next((j for j, a in enumerate(v) if a), None)
        if pivot is None:
            return self
        field = self.field
        v = field.scale(field.inverse(v[pivot]), v)
        rows = [
            field.combine(row, field.negative(row[pivot]), v) if row[pivot] else row
            for row in self.rows
        ]
        place = sum(other < pivot for other in self.pivots)
        return Span(self.order, self.width, (*rows[:place], v, *rows[place:]))

    def annihilator(self) -> Span:
        """The subspace {a : <a, u> = 0 for all u in U} of dimension n - dim U."""
        free = [j for j in range(self.width) if j not in set(self.pivots)]
        vectors = []
        for j in free:
            v = [0] * self.width
            v[j] = 1
            for pivot, row in zip(self.pivots, self.rows, strict=True):
                v[pivot] = self.field.negative(row[j])
            vectors.append(tuple(v))
        return Span.from_vectors(self.order, self.width, vectors)

    def intersection(self, other: Span) -> Span:
        """The intersection with another subspace of the same space."""
        equations = self.annihilator()
        for a in other.annihilator().rows:
            equations = equations.plus(a)
        return equations.annihilator()


def _reduced_bits(width: int, vectors: Iterable[Vector]) -> tuple[Vector, ...]:
    """The reduced row echelon basis over GF(2), computed with each row as one integer."""
    rows: dict[int, int] = {}  # by the position of the leading bit
    for v in vectors:
        bits = int("".join(map(str, v)) or "0", 2)
        while bits and bits.bit_length() in rows:
            bits ^= rows[bits.bit_length()]
        if bits:
            rows[bits.bit_length()] = bits
    for lead in sorted(rows):
        for other in rows:
            if other > lead and rows[other] >> (lead - 1) & 1:
                rows[other] ^= rows[lead]
    return tuple(tuple(map(int, f"{rows[lead]:0{width}b}")) for lead in sorted(rows, reverse=True))


MOST_MONOMIALS = 2**7  # a flat of full rank costs the cube of their number


@dataclass(frozen=True)
class Monomials:
    """The monomials of degree at most ``degree`` in n variables that differ as functions on GF(q)^n.

    Because a^q = a, these are the monomials without an exponent above q - 1.  They are linearly
    independent.  The degree falls along the list, so it ends with the variables and 1.  There may be at
    most 128 of them.

    >>> quadratic = Monomials(101, 2, 2)
    >>> quadratic.exponents
    ((2, 0), (1, 1), (0, 2), (1, 0), (0, 1), (0, 0))
    >>> quadratic.at((3, 10))
    (9, 30, 100, 3, 10, 1)
    """

    order: int
    variables: int
    degree: int

    def __post_init__(self) -> None:
        # Two upper bounds on their number come first, because the list may be far too long.  One
        # ignores the limit on exponents, the other the limit on the degree.
        n, d = self.variables, min(self.degree, self.variables * (self.order - 1))
        cubes = self.order**n if n < 64 and self.order < 64 else 2**64
        if min(comb(n + d, min(n, d)), cubes) > 64 * MOST_MONOMIALS or (
            len(self.exponents) > MOST_MONOMIALS
        ):
            raise DeclarationError(
                f"use the polynomials of degree {self.degree} in {n} variables",
                found=f"they have more than {MOST_MONOMIALS} coefficients",
                fix="give a smaller degree or fewer columns",
            )

    @cached_property
    def field(self) -> Field:
        """The field GF(q)."""
        return field_of_order(self.order)

    @cached_property
    def exponents(self) -> tuple[Vector, ...]:
        """The exponents of each monomial, one per variable."""
        found: list[list[int]] = [[]]
        for _ in range(self.variables):
            found = [
                [*e, a] for e in found for a in range(min(self.order - 1, self.degree - sum(e)) + 1)
            ]
        return tuple(sorted(map(tuple, found), key=lambda e: (sum(e), e), reverse=True))

    def __len__(self) -> int:
        return len(self.exponents)

    @cached_property
    def _factors(self) -> tuple[tuple[int, int], ...]:
        """Each monomial but 1, from the last to the first, as a monomial times a variable."""
        place = {e: i for i, e in enumerate(self.exponents)}
        factors = []
        for e in reversed(self.exponents[:-1]):
            j = next(j for j, a in enumerate(e) if a)
            factors.append((place[(*e[:j], e[j] - 1, *e[j + 1 :])], j))
        return tuple(factors)

    def at(self, x: Sequence[int]) -> Vector:
        """The values of all monomials at the point x."""
        values = [1] * len(self.exponents)
        multiply = self.field.multiply
        for i, (other, j) in enumerate(self._factors):
            values[-2 - i] = multiply(values[other], x[j])
        return tuple(values)

    def point(self, values: Vector) -> Vector:
        """The point at which the monomials have these values, for a degree of at least 1."""
        return values[-1 - self.variables : -1]

    def most_zeros(self, rank: int) -> int:
        """The largest number of points whose vectors of monomials span at most ``rank`` dimensions.

        It is the largest number of common zeros of len(self) - ``rank`` independent polynomials.  The
        generalized Hamming weights of Reed-Muller codes give it (HP98): number the exponents in
        lexicographic order, from 0 on, and read those of number ``rank`` as digits to the base q.
        """
        q = self.order
        if rank == len(self):
            return int(q**self.variables)
        total = 0
        for a in self._in_order[rank]:
            total = q * total + a
        return total

    @cached_property
    def _in_order(self) -> list[Vector]:
        return sorted(self.exponents)
