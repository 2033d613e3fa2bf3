"""Monomials as functions on a vector space over a finite field."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property
from math import comb

from littlestone.base.errors import DeclarationError
from littlestone.points.algebra.fields import Field, field_of_order
from littlestone.points.algebra.spans import Vector

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
