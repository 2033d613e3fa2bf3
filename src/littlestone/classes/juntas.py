"""Functions that depend on few of many columns of 0s and 1s, counted by their errors."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cache
from itertools import combinations
from math import comb
from typing import Any, NamedTuple, Self

import numpy as np
from numpy.typing import NDArray

from littlestone import core
from littlestone.base.errors import DeclarationError, TooLargeError, in_digits
from littlestone.classes.counting.blocks import (
    MOST_ERRORS,
    Blocks,
    CellCodes,
    Tally,
    tally_of_counts,
)
from littlestone.classes.dimensions import closed_forms
from littlestone.classes.dimensions.closed_forms import halving
from littlestone.classes.promises.counted import BoxFamily
from littlestone.classes.promises.tabled import LIMIT, TableClass, bits, distinct, require_table
from littlestone.classes.text.spec import Spec, quote_argument
from littlestone.data.sample import Sample
from littlestone.points import Product
from littlestone.privacy.scores import Scores
from littlestone.rules import FewColumns

MOST_DEPENDED = 4
"""The most columns of a function: there are 2^(2^5) functions of five."""

_AT_ONCE = 1 << 20  # functions of a block


class Junta(NamedTuple):
    """The columns on which a function depends, and its labels at their values in order."""

    columns: tuple[int, ...]
    labels: tuple[int, ...]


@cache
def depending(k: int) -> NDArray[np.int64]:
    """The functions of k bits that depend on each of them, as numbers: bit c is the label of cell c.

    >>> [len(depending(k)) for k in range(5)]
    [2, 2, 10, 218, 64594]
    """
    tables = np.arange(1 << (1 << k), dtype=np.int64)
    kept = np.ones(len(tables), dtype=bool)
    for j in range(k):
        lower = sum(1 << c for c in range(1 << k) if not c >> j & 1)  # the cells with 0 in bit j
        # A function depends on bit j iff two cells that differ in j alone have different labels.
        kept &= (tables ^ tables >> (1 << j)) & lower != 0
    return tables[kept]


def juntas_of(n: int, k: int) -> int:
    """The number of functions of n bits that depend on at most k of them.

    >>> juntas_of(4, 1), juntas_of(10, 2)
    (10, 472)
    """
    # Those that depend on all of j bits: all but those that ignore some, by inclusion and exclusion.
    all_of = (
        sum((-1) ** (j - i) * comb(j, i) << (1 << i) for i in range(j + 1)) for j in range(k + 1)
    )
    return sum(comb(n, j) * functions for j, functions in enumerate(all_of))


class JuntaCounts(Blocks):
    """The functions that depend on at most k columns; an item is a `Junta`.

    Each function is counted at the set of all columns on which it depends.  It errs ``positives``
    times plus the weights, negatives - positives, of the cells where it is 1.
    """

    def __init__(self, coded: CellCodes, k: int) -> None:
        n, self._positives = len(coded.sizes), int(coded.counts[:, 1].sum())
        whole = self._positives - int(coded.counts[:, 0].sum())
        self._subsets = [list(combinations(range(n), j)) for j in range(k + 1)]
        self._weights = [np.array([[-whole]])]
        for j in range(1, k + 1):
            tables = coded.tables(self._subsets[j])
            self._weights.append(np.array([(zeros - ones).ravel() for zeros, ones in tables]))
        self._blocks: list[tuple[int, int, int]] = []
        for j, subsets in enumerate(self._subsets):
            each = max(1, _AT_ONCE >> (1 << j))
            self._blocks += [
                (j, first, min(len(subsets), first + each))
                for first in range(0, len(subsets), each)
            ]

    @property
    def blocks(self) -> int:
        return len(self._blocks)

    def tally(self, block: int) -> Tally:
        j, first, last = self._blocks[block]
        weights = self._weights[j][first:last]
        # No function of a set weighs less than all its negative cells together.
        low = int(np.minimum(weights, 0).sum(axis=1).min())
        high = int(np.maximum(weights, 0).sum(axis=1).max())
        found = np.zeros(high - low + 1, dtype=np.int64)
        core.count_juntas(weights, depending(j), low, found)
        return tally_of_counts(found, self._positives + low)

    def item(self, block: int, errors: int, index: int) -> Junta:
        j, first, last = self._blocks[block]
        weights = self._weights[j][first:last]
        sums = np.zeros((len(weights), 1), dtype=np.int64)
        for column in weights.T:  # the functions with 0 in the next cell, then those with 1
            sums = np.concatenate([sums, sums + column[:, None]], axis=1)
        sums = sums[:, depending(j)]
        place = int(np.flatnonzero(sums == errors - self._positives)[index])
        chosen, which = divmod(place, sums.shape[1])
        table = int(depending(j)[which])
        labels = tuple(table >> c & 1 for c in range(1 << j))
        return Junta(self._subsets[j][first + chosen], labels)


MOST_SETS = 1 << 17
"""The most sets of columns whose cells are counted, each in about 3 ns a record."""

MOST_FUNCTIONS = 1 << 30
"""The most functions that are listed, set by set, each in about 4 ns."""


MOST_K = 16
"""The largest k of a class whose functions are counted as a number of 2^k bits."""


@dataclass(frozen=True)
class Juntas(TableClass):
    """The functions that depend on at most k of n columns of 0s and 1s.

    LDim >= 2^k, because the class contains all functions of k columns.  The class is a table of at most
    2^24 labels.  Larger ones are `CountedJuntas`, without version spaces.

    >>> H = Juntas.over_columns(["a", "b", "c", "d"], k=1)
    >>> H.size, H.littlestone_dimension()
    (10, 3)
    """

    keyword = "juntas"
    group = "columns of bits"
    typical = "juntas(smoker, diabetic, urban, insured; k 2)"

    @classmethod
    def over_columns(cls, columns: Sequence[str], k: int) -> Self:
        """The functions of at most ``k`` of the columns of these names."""
        domain, n = bits(columns), len(columns)
        declared = _declaration(columns, k)
        _require_few(k, n)
        require_table(declared, _count_rows(n, k), 2**n)
        return cls.of_rows(domain, junta_rows(n, k), declared)

    @classmethod
    def parse(cls, spec: Spec) -> Any:
        spec.expect_columns("juntas(COLUMN, COLUMN, ...; k NUMBER)", options=("k",))
        columns, k = spec.arguments, spec.whole("k")
        _require_few(k, len(columns))
        if _count_rows(len(columns), k) << len(columns) <= LIMIT:
            return cls.over_columns(columns, k)
        return CountedJuntas(bits(columns), _declaration(columns, k), k)

    @classmethod
    def examples(cls) -> list[Self]:
        return [
            cls.over_columns(names, k)
            for names, k in [("a", 0), ("ab", 1), ("ab", 2), ("abcd", 1), ("abc", 2)]
        ]


def junta_rows(n: int, k: int) -> NDArray[np.bool_]:
    """The different functions of at most k of n bits, on the points of {0, 1}^n in their order."""
    x, tables = np.arange(2**n), np.arange(2**2**k)
    rows = []
    for chosen in combinations(range(n), k):
        # The values of a point in the chosen columns, as a number below 2^k.
        shown = sum(((x >> n - 1 - j & 1) << i for i, j in enumerate(chosen)), 0 * x)
        rows.append((tables[:, None] >> shown & 1).astype(bool))
    found = np.concatenate(rows)
    return found[distinct(found)]


def _declaration(columns: Sequence[str], k: int) -> str:
    return f"juntas({', '.join(map(quote_argument, columns))}; k {k})"


def _require_few(k: int, n: int) -> None:
    if not 0 <= k <= n:
        raise DeclarationError(
            f"declare functions of {k} of {n} columns",
            found=f"k must be in 0..{n}",
            fix="give the number of columns that a function may depend on",
        )


def _count_rows(n: int, k: int) -> int:
    """The functions of all sets of k columns, each as often as it is found; cut off beyond a table."""
    return comb(n, k) << int(min(2**k, LIMIT.bit_length()))


@dataclass(frozen=True)
class CountedJuntas(BoxFamily):
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

    most_errors = MOST_ERRORS

    def scores(self, sample: Sample[Any]) -> Scores:
        return JuntaCounts(
            CellCodes.from_sample(sample, range(len(self.domain.columns))), self.k
        ).runs()

    def hypothesis_of_item(self, item: Junta) -> FewColumns:
        return FewColumns(self.domain, item.columns, item.labels)
