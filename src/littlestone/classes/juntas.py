"""Functions that depend on few of many columns of 0s and 1s."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import combinations
from math import comb
from typing import Self

import numpy as np

from littlestone.classes.spec import Spec, quoted
from littlestone.classes.tabled import LIMIT, Tabled, bits, distinct, require_table
from littlestone.errors import DeclarationError


@dataclass(frozen=True)
class Juntas(Tabled):
    """The functions that depend on at most k of n columns of 0s and 1s.

    LDim >= 2^k, because the class contains all functions of k columns.  It is a table, so k <= 4.

    >>> H = Juntas.of(["a", "b", "c", "d"], k=1)
    >>> H.size, H.littlestone_dimension()
    (10, 3)
    """

    keyword = "juntas"
    group = "columns of bits"

    @classmethod
    def of(cls, columns: Sequence[str], k: int) -> Self:
        """The functions of at most ``k`` of the columns of these names."""
        domain, n = bits(columns), len(columns)
        declared = f"juntas({', '.join(map(quoted, columns))}; k {k})"
        if not 0 <= k <= n:
            raise DeclarationError(
                f"declare functions of {k} of {n} columns",
                found=f"k must be in 0..{n}",
                fix="give the number of columns that a function may depend on",
            )
        require_table(declared, comb(n, k) << min(2**k, LIMIT.bit_length()), 2**n)
        x, tables = np.arange(2**n), np.arange(2**2**k)
        rows = []
        for chosen in combinations(range(n), k):
            # The values of a point in the chosen columns, as a number below 2^k.
            shown = sum(((x >> n - 1 - j & 1) << i for i, j in enumerate(chosen)), 0 * x)
            rows.append((tables[:, None] >> shown & 1).astype(bool))
        found = np.concatenate(rows)
        return cls.of_rows(domain, found[distinct(found)], declared)

    @classmethod
    def parse(cls, spec: Spec) -> Self:
        spec.expect_columns("juntas(COLUMN, COLUMN, ...; k NUMBER)", options=("k",))
        return cls.of(spec.arguments, spec.whole("k"))

    @classmethod
    def examples(cls) -> list[Self]:
        return [
            cls.of(names, k)
            for names, k in [("a", 0), ("ab", 1), ("ab", 2), ("abcd", 1), ("abc", 2)]
        ]
