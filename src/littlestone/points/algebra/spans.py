"""Linear subspaces in canonical form."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from functools import cached_property

from littlestone.points.algebra.fields import Field, field_of_order

Vector = tuple[int, ...]


@dataclass(frozen=True)
class Span:
    """A linear subspace U of GF(q)^n, as its reduced row echelon basis; equal iff equal as sets.

    ``order`` is q, and ``width`` is n.  The first nonzero entry of every row is 1.  It is further right
    than that of the row before, and the only nonzero entry in its column.

    >>> Span.of(5, 3, [(2, 4, 1), (1, 2, 0)]).rows
    ((1, 2, 0), (0, 0, 1))
    """

    order: int
    width: int
    rows: tuple[Vector, ...] = ()

    @classmethod
    def of(cls, order: int, width: int, vectors: Iterable[Vector]) -> Span:
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
        return Span.of(self.order, self.width, vectors)

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
