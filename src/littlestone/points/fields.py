"""Finite fields whose elements are the numbers 0, ..., q - 1, and vectors over them as points."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from functools import cached_property, lru_cache
from math import comb
from typing import Any

import numpy as np
from numpy.typing import NDArray

from littlestone.base.errors import DeclarationError, install_command
from littlestone.points import Domain, Grid, Product

Table = NDArray[np.uint16]

LARGEST_EXTENSION = 2**16  # a field of prime power order keeps a table of its powers
_WITNESSES = (2, 3, 5, 7, 11, 13, 17, 19, 23, 29, 31, 37)  # decide primality below 3.3e24


class Field(ABC):
    """The field GF(q) of ``order`` q, whose elements 0 and 1 are the numbers 0 and 1."""

    order: int

    @abstractmethod
    def __str__(self) -> str:
        """The field in words that follow an equation, such as mod 101 or in GF(4)."""

    @abstractmethod
    def add(self, a: int, b: int) -> int:
        """The sum a + b."""

    @abstractmethod
    def multiply(self, a: int, b: int) -> int:
        """The product ab."""

    @abstractmethod
    def negative(self, a: int) -> int:
        """The element -a."""

    @abstractmethod
    def inverse(self, a: int) -> int:
        """The element 1/a, for a != 0."""

    @abstractmethod
    def tables(self) -> tuple[Table, Table]:
        """The products [a, b] = ab and the differences [a, b] = a - b, for an order up to 2^16.

        >>> product, minus = field_of_order(4).tables()
        >>> product[2].tolist(), minus[1].tolist()
        ([0, 2, 3, 1], [1, 0, 3, 2])
        """

    def dot(self, u: Sequence[int], v: Sequence[int]) -> int:
        """The inner product u_1 v_1 + u_2 v_2 + ... of two vectors of one length."""
        total = 0
        for a, b in zip(u, v, strict=True):
            if a and b:
                total = self.add(total, self.multiply(a, b))
        return total

    def combine(self, u: Sequence[int], c: int, v: Sequence[int]) -> tuple[int, ...]:
        """The vector u + c v."""
        add, multiply = self.add, self.multiply
        return tuple(add(a, multiply(c, b)) for a, b in zip(u, v, strict=True))

    def scale(self, c: int, v: Sequence[int]) -> tuple[int, ...]:
        """The vector c v."""
        return tuple(self.multiply(c, b) for b in v)


class PrimeField(Field):
    """GF(p) for a prime p: the integers modulo p."""

    def __init__(self, order: int) -> None:
        self.order = order

    def __str__(self) -> str:
        return f"mod {self.order}"

    def add(self, a: int, b: int) -> int:
        return (a + b) % self.order

    def multiply(self, a: int, b: int) -> int:
        return a * b % self.order

    def negative(self, a: int) -> int:
        return -a % self.order

    def inverse(self, a: int) -> int:
        return pow(a, -1, self.order)

    def tables(self) -> tuple[Table, Table]:
        a, b = np.ix_(*2 * [np.arange(self.order)])
        return (a * b % self.order).astype(np.uint16), ((a - b) % self.order).astype(np.uint16)

    def dot(self, u: Sequence[int], v: Sequence[int]) -> int:
        return sum(a * b for a, b in zip(u, v, strict=True)) % self.order

    def combine(self, u: Sequence[int], c: int, v: Sequence[int]) -> tuple[int, ...]:
        p = self.order
        return tuple([(a + c * b) % p for a, b in zip(u, v, strict=True)])


class ExtensionField(Field):
    """GF(p^k) for k >= 2, with elements numbered as in the library galois.

    An element is a polynomial over GF(p).  Its coefficients are the digits of its number to the base p.
    Products use a table of the powers of a primitive element, which galois computes.  Raises
    `DeclarationError` if that is not installed.
    """

    def __init__(self, order: int, characteristic: int) -> None:
        try:
            import galois  # slow to import, and needed for prime powers only
        except ImportError:
            raise DeclarationError(
                f"compute in GF({order})",
                found="a field of prime power order needs galois, which is not installed",
                fix=f"run: {install_command('algebra')}, or take a prime q",
            ) from None
        self.order = order
        self.characteristic = characteristic
        field = galois.GF(order, compile="python-calculate")
        self._powers = [int(a) for a in field.primitive_element ** np.arange(order - 1)]
        self._logarithm = {a: i for i, a in enumerate(self._powers)}

    def __str__(self) -> str:
        return f"in GF({self.order})"

    def add(self, a: int, b: int) -> int:
        p = self.characteristic
        if p == 2:
            return a ^ b
        total, place = 0, 1
        while a or b:
            total += (a + b) % p * place
            a, b, place = a // p, b // p, place * p
        return total

    def multiply(self, a: int, b: int) -> int:
        if not a or not b:
            return 0
        return self._powers[(self._logarithm[a] + self._logarithm[b]) % (self.order - 1)]

    def negative(self, a: int) -> int:
        return self.multiply(self.characteristic - 1, a)  # the number p - 1 is the element -1

    def inverse(self, a: int) -> int:
        return self._powers[-self._logarithm[a] % (self.order - 1)]

    def tables(self) -> tuple[Table, Table]:
        q, p = self.order, self.characteristic
        powers, logarithms = np.array(self._powers), np.zeros(q, dtype=np.int64)
        logarithms[powers] = np.arange(q - 1)
        product = np.zeros((q, q), dtype=np.uint16)
        exponents = logarithms[1:, None] + logarithms[1:]
        product[1:, 1:] = powers[exponents % (q - 1)]
        a, b = np.ix_(*2 * [np.arange(q)])
        minus, place = np.zeros((q, q), dtype=np.int64), 1
        while place < q:  # digit by digit, to the base p
            minus += (a // place - b // place) % p * place
            place *= p
        return product, minus.astype(np.uint16)


@lru_cache(maxsize=64)
def field_of_order(q: int) -> Field:
    """The field with ``q`` elements, for a prime q up to 2^64 or a prime power q up to 2^16.

    Raises `DeclarationError` for any other number.

    >>> field_of_order(2**61 - 1).inverse(2), field_of_order(4).multiply(2, 2)
    (1152921504606846976, 3)
    """
    if 2 <= q <= 2**64:
        for k in range(1, q.bit_length()):
            p = _root(q, k)
            if p**k == q and _is_prime(p) and (k == 1 or q <= LARGEST_EXTENSION):
                return PrimeField(p) if k == 1 else ExtensionField(q, p)
    raise DeclarationError(
        f"calculate in a field with {q} elements",
        found=f"{q} is not a prime up to 2^64, nor a prime power up to 2^16",
        fix="give a prime such as 2, 101 or 2305843009213693951, or a power such as 4, 9 or 256",
    )


def _root(q: int, k: int) -> int:
    """The k-th root of q < 2^65, rounded down, found by bisection."""
    low, high = 1, q
    while low < high:
        middle = (low + high + 1) // 2
        low, high = (middle, high) if middle**k <= q else (low, middle - 1)
    return low


def _is_prime(n: int) -> bool:
    """Whether n < 3.3e24 is prime, by a Miller-Rabin test whose witnesses are enough to decide."""
    if n < 2 or any(n % p == 0 for p in _WITNESSES):
        return n in _WITNESSES
    twos = ((n - 1) & (1 - n)).bit_length() - 1
    for a in _WITNESSES:
        x = pow(a, (n - 1) >> twos, n)
        if x != 1 and all(pow(x, 2**i, n) != n - 1 for i in range(twos)):
            return False
    return True


def vector_space(columns: Sequence[str], q: int) -> Product:
    """The domain GF(q)^n of vectors with one coordinate per column, each a number 0, ..., q - 1.

    >>> (100, 7) in vector_space(["x", "y"], 101)
    True
    """
    field_of_order(q)  # raises unless q is the order of a field
    return Product(tuple(Grid(0, q - 1, name) for name in columns))


def field_of(domain: Domain[Any]) -> Field:
    """The field over which ``domain`` is a `vector_space`; `DeclarationError` if there is none."""
    if isinstance(domain, Product) and isinstance(domain.columns[0], Grid):
        q = domain.columns[0].size
        if domain == vector_space(domain.column_names, q):
            return field_of_order(q)
    raise DeclarationError(
        f"use {domain} as a vector space",
        found="its columns are not the numbers 0, ..., q - 1 of one finite field",
        fix="declare it with littlestone.points.vector_space(columns, q)",
    )


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
