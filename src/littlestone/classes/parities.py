"""Parities: sums of some of n bits, modulo 2."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from itertools import chain
from typing import Self

import numpy as np

from littlestone.base.errors import DeclarationError
from littlestone.base.work import count_steps as count_steps
from littlestone.classes.base import BinaryClass, Enumerable, require_example, require_few
from littlestone.classes.text.declared import DeclaredClass
from littlestone.classes.text.spec import Spec, quote_argument
from littlestone.data.sample import Sample
from littlestone.points import Product, Span, Vector, vector_space
from littlestone.privacy.scores import ErrorRuns
from littlestone.rules import FlatComplement

MOST_SCORED = 24  # the base-2 logarithm of the most parities that are scored at once


@dataclass(frozen=True)
class Parities(Enumerable[Vector], BinaryClass[Vector], DeclaredClass):
    """The functions h_a(x) = <a, x> mod 2 on GF(2)^n, or all <a, x> + b with ``affine``.

    An example is a linear equation for the coefficients, and a version space is the solution space of
    a system: an affine space of dimension k, or -1 if there is no solution.  ``rows`` is that system in
    reduced row echelon form.  A row holds, from the highest bit down, the n coefficients, the
    coefficient of b if ``affine``, and the label.  Then

        LDim = k,    SOA(x) = the label that the equations imply at x, and 1 where they imply none.

    For the label of such an x halves the 2^k solutions either way, so that LDim is k - 1 after it;
    and LDim <= log2 of their number.  `restrict` costs O(n) operations on rows of n bits; thousands
    of columns are fine.

    >>> H = Parities.over(["a", "b", "c"])
    >>> V = H.restrict((1, 1, 0), 1).restrict((0, 1, 0), 0)
    >>> H.littlestone_dimension(), V.littlestone_dimension(), V.soa()((1, 0, 0)), V.soa()((0, 1, 0))
    (3, 1, 1, 0)
    """

    keyword = "parities"
    group = "columns of bits"
    typical = "parities(a, b, c; affine)"

    domain: Product
    affine: bool = False
    rows: tuple[int, ...] = ()
    contradicted: bool = False

    @classmethod
    def over(cls, columns: Sequence[str], *, affine: bool = False) -> Self:
        """The parities of the named ``columns``, with a constant b if ``affine``."""
        return cls(vector_space(columns, 2), affine)

    @property
    def _width(self) -> int:
        """The number of coefficients of a parity."""
        return len(self.domain.columns) + self.affine

    def _equation(self, x: Vector, y: int) -> int:
        """The equation h(x) = y reduced by the known ones: 0 if implied, 1 if contradicted (0 = 1)."""
        row = int("".join(map(str, (*x, 1, y) if self.affine else (*x, y))), 2)
        for known in self.rows:
            if row >> (known.bit_length() - 1) & 1:
                row ^= known
        return row

    def restrict(self, x: Vector, y: int) -> Self:
        require_example(self, x, y)
        count_steps(self._width // 4)
        row = self._equation(x, int(y))
        if self.contradicted or not row:
            return self
        # 0 = 1: no parity agrees with all examples.
        if row == 1:
            return replace(self, rows=(), contradicted=True)
        lead = row.bit_length() - 1
        # Keep the system reduced: each lead occurs in one row only.
        rows = [known ^ row if known >> lead & 1 else known for known in self.rows]
        return replace(self, rows=tuple(sorted([*rows, row], reverse=True)))

    def is_empty(self) -> bool:
        return self.contradicted

    @property
    def size(self) -> int:
        return 0 if self.contradicted else 2 ** self.littlestone_dimension()

    def littlestone_dimension(self) -> int:
        return -1 if self.contradicted else self._width - len(self.rows)

    def soa_label(self, x: Vector) -> int:
        self.domain.require(x)
        self.require_learnable()
        return int(self._equation(x, 0) != 0)

    def soa(self) -> FlatComplement:
        self.require_learnable()
        # The points of implied label 0 are the combinations of rows whose labels add up to 0.
        odd = [row for row in self.rows if row & 1]
        zeros = [row for row in self.rows if not row & 1] + [row ^ odd[0] for row in odd[1:]]
        known = Span.from_vectors(2, self._width, [_bits(row >> 1, self._width) for row in zeros])
        return self._complement(known.annihilator().rows)

    def _complement(self, functionals: Sequence[Vector]) -> FlatComplement:
        """The function that is 0 where all ``functionals`` (a, b) have <a, x> + b = 0."""
        constant = () if self.affine else (0,)
        return FlatComplement(self.domain, tuple((*a, *constant) for a in functionals))

    def mistake_point(self) -> Vector | None:
        if self.littlestone_dimension() < 1:
            return None
        # Unless the label of 0 is free, that of a unit vector is.
        n = len(self.domain.columns)
        leads = {self._width - row.bit_length() + 1 for row in self.rows}
        free = (j for j in range(n) if j not in leads)
        units = (tuple(int(i == j) for i in range(n)) for j in free)
        tried = chain([(0,) * n], units)
        return next(x for x in tried if self._equation(x, 0) > 1)

    def reducing_points(self, k: int) -> list[Vector] | None:
        self.require_learnable()
        x = self.mistake_point()  # either label lowers LDim
        return None if x is None or k < 1 else [x]

    @cached_property
    def _free(self) -> list[int]:
        """The places of the coefficients that the system leaves free, as bits of its rows."""
        leads = {row.bit_length() - 1 for row in self.rows}
        return [bit for bit in range(1, self._width + 1) if bit not in leads]

    def hypothesis(self, index: int) -> FlatComplement:
        """The solution whose free coefficients are the bits of ``index``, the last one first."""
        if not 0 <= index < self.size:
            raise IndexError(f"{self} has no hypothesis number {index}")
        solution = sum(1 << bit for i, bit in enumerate(self._free) if index >> i & 1)
        for row in self.rows:
            if (row & (solution | 1)).bit_count() & 1:
                solution |= 1 << (row.bit_length() - 1)
        return self._complement([_bits(solution >> 1, self._width)])

    def require_scorable(self) -> None:
        k = self.littlestone_dimension()
        if k > MOST_SCORED:
            raise DeclarationError(
                f"score all of {self}",
                found=f"there are 2^{k} of them, more than 2^{MOST_SCORED}",
                fix="declare fewer columns, or use a learner that does not score every hypothesis",
            )

    def error_runs(self, sample: Sample[Vector]) -> ErrorRuns:
        """See `Enumerable.error_runs`: one Walsh-Hadamard transform, for at most 2^24 parities.

        With W(u) the sum of (-1)^s (negatives - positives) over the points whose label is
        s + <u, t> for the free coefficients t, parity t errs (n - sum_u W(u) (-1)^<u,t>) / 2 times.
        """
        self.require_scorable()
        k = self.littlestone_dimension()
        narrow = sample.counts.sum() < 2**31  # then no sum leaves 32 bits
        weights = np.zeros(2**k if k >= 0 else 0, dtype=np.int32 if narrow else np.int64)
        if k < 0:
            return ErrorRuns(weights.astype(np.int64))
        for x, weight in zip(sample.points, sample.negatives - sample.positives, strict=True):
            row = self._equation(x, 0)
            place = sum(1 << i for i, bit in enumerate(self._free) if row >> bit & 1)
            weights[place] += -weight if row & 1 else weight
        for i in range(k):
            halves = weights.reshape(-1, 2, 2**i)
            # One butterfly of the Walsh-Hadamard transform, in place.
            difference = halves[:, 0] - halves[:, 1]
            halves[:, 0] += halves[:, 1]
            halves[:, 1] = difference
        return ErrorRuns((sample.n - weights.astype(np.int64)) // 2)

    def error_ball(
        self, sample: Sample[Vector], max_errors: int, *, most: int | None = None
    ) -> list[tuple[Self, int]]:
        """See `HypothesisClass.error_ball`; scores all patterns if they are at most 2^24."""
        rest, basis, others = self, [], self
        for x in sample.points:
            if rest._equation(x, 0) > 1:
                basis.append(x)
                rest = rest.restrict(x, 0)
        if self.contradicted or len(basis) > MOST_SCORED:
            return super().error_ball(sample, max_errors, most=most)
        # One parity for each way to label the sample: 0 on points that complete the basis.
        while (free := rest.mistake_point()) is not None:
            rest, others = rest.restrict(free, 0), others.restrict(free, 0)
        errors = others.error_runs(sample).errors
        inside = np.flatnonzero(errors <= max_errors).tolist()
        require_few(len(inside), most)
        ball = []
        for i in inside:
            h, V = others.hypothesis(i), self
            for x in basis:
                V = V.restrict(x, h(x))
            ball.append((V, int(errors[i])))
        return ball

    @classmethod
    def parse(cls, spec: Spec) -> Self:
        form = "parities(COLUMN, COLUMN, ...; affine), the option free"
        spec.expect(form, len(spec.arguments) or 1, options=("affine",))
        if spec.option("affine"):
            raise spec.form_error("the option takes no value", form)
        return cls.over(spec.arguments, affine=spec.option("affine") is not None)

    @classmethod
    def examples(cls) -> list[Self]:
        four = cls.over("abcd")
        return [
            cls.over("a"),
            four,
            cls.over("abc", affine=True),
            four.restrict((1, 1, 0, 0), 1).restrict((0, 1, 1, 0), 1),
            cls.over("abcdefgh", affine=True).restrict((0,) * 8, 1),
        ]

    def __str__(self) -> str:
        names = ", ".join(map(quote_argument, self.domain.column_names))
        declared = f"parities({names}{'; affine' if self.affine else ''})"
        if self.contradicted:
            return f"{declared} after a contradiction"
        return f"{declared} after {len(self.rows)} equations" if self.rows else declared


def _bits(number: int, width: int) -> Vector:
    """The ``width`` bits of a number, the highest first."""
    return tuple(map(int, f"{number:0{width}b}"))
