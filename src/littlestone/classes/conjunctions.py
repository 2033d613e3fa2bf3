"""Conjunctions of 0/1 columns and their negations."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, Self

import numpy as np

from littlestone.classes.promises.counted import CountedBoxes
from littlestone.classes.promises.tabled import LIMIT, TableClass, bits, require_table
from littlestone.classes.text.spec import Spec, quote_argument


@dataclass(frozen=True)
class Conjunctions(TableClass):
    """The conjunctions of literals, h(x) = 1 iff x_j = 1 for all j in S and x_j = 0 for all j in T.

    S and T are disjoint sets of the n columns.  The empty conjunction is the constant 1, and a
    contradiction is the constant 0: 3^n + 1 functions.  ``monotone`` conjunctions have no negations and
    no contradiction: 2^n functions.

        LDim = n if monotone, else n + 1.

    Monotone: there are 2^n functions, and each of the n points with a single 0 tells independently
    whether its j is in S.  Otherwise: ask any n + 1 points one after another until the first label 1,
    say at the j-th point.  Choose j - 1 literals that are true there and exclude the j - 1 points
    before it; the other n + 1 - j literals that are true there are free.  No tree is deeper, because
    some learner errs at most n + 1 times: it says 0 until it errs, then keeps the literals of that
    point and drops some of them at each further mistake.

    The class is a table of at most 12 columns if monotone, else 9.  Up to 24 columns, or 20, are
    `CountedBoxes`, without version spaces.

    >>> Conjunctions.over_columns(["wet", "cold", "dark"]).littlestone_dimension()
    4
    >>> H = Conjunctions.over_columns(["wet", "cold", "dark"], monotone=True)
    >>> H.restrict((1, 0, 1), 1).size
    4
    """

    keyword = "conjunctions"
    group = "columns of bits"
    typical = "conjunctions(smoker, diabetic, urban; monotone)"

    @classmethod
    def over_columns(cls, columns: Sequence[str], *, monotone: bool = False) -> Self:
        """The conjunctions of the columns of these names."""
        domain, n = bits(columns), len(columns)
        declared = _declaration(columns, monotone=monotone)
        require_table(declared, 2**n if monotone else 3**n + 1, 2**n)
        # Bit j of a point, from the left, is column j, so the points are in counting order.
        x = np.arange(2**n)
        ones = np.arange(2**n)
        zeros = np.zeros_like(ones)
        if not monotone:
            ones, zeros = np.nonzero(x[:, None] & x == 0)
        rows = (ones[:, None] & ~x == 0) & (zeros[:, None] & x == 0)
        if not monotone:
            rows = np.vstack([rows, np.zeros((1, 2**n), dtype=bool)])
        return cls.of_rows(domain, rows, declared)

    @property
    def closed_form(self) -> int:
        """N for the 2^n monotone conjunctions, else n + 1."""
        n = len(self.domain.columns)
        return n + (self.count > 1 << n)

    @classmethod
    def parse(cls, spec: Spec) -> Any:
        spec.expect_columns("conjunctions(COLUMN, COLUMN, ...; monotone)", options=("monotone",))
        columns, monotone = spec.arguments, spec.flag("monotone")
        n = len(columns)
        if (2**n if monotone else 3**n + 1) * 2**n <= LIMIT:
            return cls.over_columns(columns, monotone=monotone)
        declared, domain = _declaration(columns, monotone=monotone), bits(columns)
        return CountedBoxes(domain, declared, monotone)

    @classmethod
    def examples(cls) -> list[Self]:
        names = ["a", "b", "c", "d"]
        monotone = [cls.over_columns(names[:n], monotone=True) for n in (1, 2, 3, 4)]
        return [*monotone, *(cls.over_columns(names[:n]) for n in (1, 2, 3))]


def _declaration(columns: Sequence[str], *, monotone: bool) -> str:
    return f"conjunctions({', '.join(map(quote_argument, columns))}{'; monotone' * monotone})"
