"""Functions that depend on few of many columns of 0s and 1s."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import combinations
from math import comb
from typing import Any, Self

import numpy as np

from littlestone.base.errors import DeclarationError, TooLargeError
from littlestone.classes.counting.blocks import MOST_ERRORS
from littlestone.classes.counting.cell_counts import Coded
from littlestone.classes.counting.junta_counts import MOST_DEPENDED, Junta, JuntaCounts, juntas_of
from littlestone.classes.dimensions import closed_forms
from littlestone.classes.dimensions.searching import halving
from littlestone.classes.promises.counted import Counted
from littlestone.classes.promises.tabled import LIMIT, Tabled, bits, distinct, require_table
from littlestone.classes.text.limits import in_digits
from littlestone.classes.text.spec import Spec, quoted
from littlestone.data.sample import Sample
from littlestone.points import Product
from littlestone.privacy.scores import Scores
from littlestone.rules import FewColumns

MOST_SETS = 1 << 17
"""The most sets of columns whose cells are counted, each in about 3 ns a record."""

MOST_FUNCTIONS = 1 << 30
"""The most functions that are listed, set by set, each in some 4 ns."""


MOST_K = 16
"""The largest k of a class whose functions are counted as a number of 2^k bits."""


@dataclass(frozen=True)
class Juntas(Tabled):
    """The functions that depend on at most k of n columns of 0s and 1s.

    LDim >= 2^k, because the class contains all functions of k columns.  The class is a table of at most
    2^24 labels.  Larger ones are `CountedJuntas`, without version spaces.

    >>> H = Juntas.of(["a", "b", "c", "d"], k=1)
    >>> H.size, H.littlestone_dimension()
    (10, 3)
    """

    keyword = "juntas"
    group = "columns of bits"
    typical = "juntas(smoker, diabetic, urban, insured; k 2)"

    @classmethod
    def of(cls, columns: Sequence[str], k: int) -> Self:
        """The functions of at most ``k`` of the columns of these names."""
        domain, n = bits(columns), len(columns)
        declared = _text(columns, k)
        _require_few(k, n)
        require_table(declared, _rows(n, k), 2**n)
        x, tables = np.arange(2**n), np.arange(2**2**k)
        rows = []
        for chosen in combinations(range(n), k):
            # The values of a point in the chosen columns, as a number below 2^k.
            shown = sum(((x >> n - 1 - j & 1) << i for i, j in enumerate(chosen)), 0 * x)
            rows.append((tables[:, None] >> shown & 1).astype(bool))
        found = np.concatenate(rows)
        return cls.of_rows(domain, found[distinct(found)], declared)

    @classmethod
    def parse(cls, spec: Spec) -> Any:
        spec.expect_columns("juntas(COLUMN, COLUMN, ...; k NUMBER)", options=("k",))
        columns, k = spec.arguments, spec.whole("k")
        _require_few(k, len(columns))
        if _rows(len(columns), k) << len(columns) <= LIMIT:
            return cls.of(columns, k)
        return CountedJuntas(bits(columns), _text(columns, k), k)

    @classmethod
    def examples(cls) -> list[Self]:
        return [
            cls.of(names, k)
            for names, k in [("a", 0), ("ab", 1), ("ab", 2), ("abcd", 1), ("abc", 2)]
        ]


def _text(columns: Sequence[str], k: int) -> str:
    return f"juntas({', '.join(map(quoted, columns))}; k {k})"


def _require_few(k: int, n: int) -> None:
    if not 0 <= k <= n:
        raise DeclarationError(
            f"declare functions of {k} of {n} columns",
            found=f"k must be in 0..{n}",
            fix="give the number of columns that a function may depend on",
        )


def _rows(n: int, k: int) -> int:
    """The functions of all sets of k columns, each as often as it is found; cut off beyond a table."""
    return comb(n, k) << int(min(2**k, LIMIT.bit_length()))


@dataclass(frozen=True)
class CountedJuntas(Counted):
    """The functions of at most k of n columns of 0s and 1s, beyond the limit of a table.

    The number of columns does not limit a table of the labels in the cells of any k columns.  From
    these counts come the errors of all functions of these columns.  The scores take
    O(n^k (records + 2^(2^k))).

    docs/proofs/closed-forms.md has the lower bound of LDim.

    >>> from littlestone.classes import parse_class
    >>> H = parse_class(f"juntas({', '.join(f'c{j}' for j in range(20))}; k 3)")
    >>> H.size, H.littlestone_bounds()
    (250462, (17, 17))
    """

    domain: Product
    source: str
    k: int

    def __post_init__(self) -> None:
        if self.k > MOST_K:
            raise TooLargeError(
                f"bound the number of functions of {self}",
                found=f"there are more than 2^(2^{self.k})",
                fix=f"declare k of at most {MOST_K}",
            )

    def require_scorable(self) -> None:
        n, sets = len(self.domain.columns), comb(len(self.domain.columns), self.k)
        listed = self.k <= MOST_DEPENDED and sets << (1 << self.k) <= MOST_FUNCTIONS
        if not listed or sets > MOST_SETS:
            raise TooLargeError(
                f"count the errors of {self}",
                found=f"there are {in_digits(sets)} sets of {self.k} of {n} columns, each with "
                f"2^(2^{self.k}) functions; at most {MOST_SETS:,} sets and {MOST_FUNCTIONS:,} "
                f"functions of at most {MOST_DEPENDED} columns are counted",
                fix="declare fewer columns, or a smaller k",
            )

    @property
    def size(self) -> int:
        return juntas_of(len(self.domain.columns), self.k)

    @property
    def free_points(self) -> int:
        return max(1, (1 << self.k) - 1)  # all but one of the values of k columns

    def littlestone_bounds(self) -> tuple[int, int]:
        return closed_forms.juntas(len(self.domain.columns), self.k), halving(self.size)

    @property
    def most_errors(self) -> int:
        return MOST_ERRORS

    def scores(self, sample: Sample[Any]) -> Scores:
        return JuntaCounts(Coded.of(sample, range(len(self.domain.columns))), self.k).runs()

    def written(self, item: Junta) -> FewColumns:
        return FewColumns(self.domain, item.columns, item.labels)
