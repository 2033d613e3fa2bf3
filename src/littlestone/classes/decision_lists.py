"""Decision lists over columns of 0s and 1s, counted by their errors."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import cache, cached_property
from itertools import product
from math import comb
from typing import Any, Self

import numpy as np
from numpy.typing import NDArray

from littlestone import core
from littlestone.base.errors import DeclarationError, TooLargeError
from littlestone.classes.counting.blocks import Blocks, Tally, tally_of_counts
from littlestone.classes.dimensions import closed_forms
from littlestone.classes.dimensions.closed_forms import halving
from littlestone.classes.promises.counted import BoxFamily
from littlestone.classes.promises.tabled import TableClass, bits, distinct
from littlestone.classes.text.spec import Spec, quote_argument
from littlestone.data.sample import Sample
from littlestone.dimension.tables import PackedTable, SearchTable
from littlestone.points import Product
from littlestone.privacy.scores import Scores
from littlestone.rules import TableFunction

Block = dict[int, int]
"""The literals of a block: for each column, the value that the literal asks for."""

Item = tuple[tuple[Block, ...], int]
"""The blocks in order, and what the first one says.  The others alternate, and the rest after them."""


@cache
def lists_of(n: int) -> int:
    """The number of decision lists on n columns, as functions.

    >>> [lists_of(n) for n in range(1, 7)]
    [4, 14, 96, 1050, 15036, 260134]
    """
    for m in range(n):  # from below, so that no recursion is deep
        _lists(m)
    return 2 + 2 * n + 2 * _lists(n)


@cache
def _lists(n: int) -> int:
    """The lists whose first block says 1, without those of one literal."""
    return sum(comb(n, k) * 2**k * ((k > 1) + _lists(n - k)) for k in range(1, n + 1))


class ListCounts(Blocks):
    """All decision lists, each function once; an item has the blocks of the list.

    A list in its one form has blocks of literals that say b, 1 - b, b, ... by turns, and the last block
    has at least two literals.  It errs on the records that reach a block and not the next one, if their
    label is not what the block says.  So its errors are sums over ever smaller subcubes, where the
    literals of all blocks so far are false.  Lists are counted from the smallest subcubes on.
    ``counts[y]`` are the records of label y at each point of {0, 1}^n.
    """

    def __init__(self, counts: NDArray[np.int64]) -> None:
        self._columns = counts.ndim - 1
        cubes = counts
        for axis in range(1, counts.ndim):
            # Digit 0 stands for both values of a column, 1 and 2 for one value each: the counts of
            # all 3^n subcubes.
            cubes = np.concatenate([cubes.sum(axis=axis, keepdims=True), cubes], axis=axis)
        # The first column is the last digit of the number of a subcube.
        self._counts = np.array([own.ravel(order="F") for own in cubes])
        ends = np.cumsum(self._counts.sum(axis=0) + 1)
        self._starts = np.concatenate([ends[:1] * 0, ends])

    @cached_property
    def _counts_by_list(self) -> NDArray[np.int64]:
        found = np.zeros((2, int(self._starts[-1])), dtype=np.int64)
        core.count_lists(self._columns, self._counts, self._starts, found)
        return found

    @property
    def blocks(self) -> int:
        return 1

    def _short(self) -> Iterator[tuple[Item, int]]:
        """The lists of no literal, or of one, with their errors."""
        zeros, ones = self._counts.tolist()
        for b in range(2):
            yield ((), b), (ones, zeros)[b][0]
        for j, v in product(range(self._columns), range(2)):
            outside = (2 - v) * 3**j
            yield (({j: v},), 1), zeros[0] - zeros[outside] + ones[outside]

    def tally(self, block: int) -> Tally:
        first = int(self._starts[1])
        found = self._counts_by_list[:, :first].sum(axis=0)
        for _, errors in self._short():
            found[errors] += 1
        return tally_of_counts(found)

    def item(self, block: int, errors: int, index: int) -> Item:
        for item, wrong in self._short():
            if wrong == errors:
                if not index:
                    return item
                index -= 1
        ahead = int(self._counts_by_list[0, errors])
        b = int(index >= ahead)
        return tuple(self._blocks(b, errors, index - b * ahead)), b

    def _blocks(self, b: int, errors: int, index: int) -> Iterator[Block]:
        """The blocks of the index-th list of b first that has these errors in the whole cube."""
        cube = 0
        while True:
            free = [j for j in range(self._columns) if cube // 3**j % 3 == 0]
            for digits in product(range(3), repeat=len(free)):
                part = cube + sum(d * 3**j for d, j in zip(digits, free, strict=True))
                if part == cube:
                    continue
                literals = {j: 2 - d for d, j in zip(digits, free, strict=True) if d}
                counts = self._counts
                left = errors - int(counts[1 - b, cube] - counts[1 - b, part])
                # The list may end here: its last block has two literals or more, so that no
                # function is counted twice.
                if len(literals) > 1 and left == counts[b, part]:
                    if not index:
                        yield literals
                        return
                    index -= 1
                if 0 <= left <= counts[:, part].sum():
                    more = int(self._counts_by_list[1 - b, self._starts[part] + left])
                    if index < more:
                        break
                    index -= more
            yield literals
            cube, b, errors = part, 1 - b, left


MOST = 5
"""Columns of a table: a sixth one multiplies the number of functions by more than 14."""

MOST_COUNTED = 10
"""Columns of a class that is counted: each one more takes five times as long."""

MOST_BOUNDED = 100
"""Columns of a class whose functions are counted for the bounds of its dimension."""

MOST_KEPT = 1 << 24
"""The most records, times the subcubes that each is in; each takes 16 bytes."""


@dataclass(frozen=True)
class DecisionLists(TableClass):
    """The functions "if l_1 then b_1, else if l_2 then b_2, ..., else b" of literals l_i, labels b_i.

    These are the 1-decision lists of Riv87.  A function is a decision list iff it is constant, or some
    literal makes it constant and the literal's negation leaves a decision list on the other columns.
    The class lists its functions in this way: 4, 14, 96, 1050 and 15036 on 1, ..., 5 columns.  Up to 10
    columns are `CountedLists`, without version spaces.

    >>> H = DecisionLists.over_columns(["wet", "cold", "dark"])
    >>> H.size, H.littlestone_dimension()
    (96, 5)
    """

    keyword = "decision_lists"
    group = "columns of bits"
    typical = "decision_lists(smoker, diabetic, urban)"

    @classmethod
    def over_columns(cls, columns: Sequence[str]) -> Self:
        """The decision lists over the columns of these names."""
        if len(columns) > MOST:
            raise DeclarationError(
                f"list the decision lists over {len(columns)} columns",
                found=f"more than {MOST} columns have too many",
                fix=f"choose at most {MOST} columns",
            )
        return cls.of_rows(bits(columns), decision_list_rows(len(columns)), _declaration(columns))

    @classmethod
    def parse(cls, spec: Spec) -> Any:
        spec.expect_columns("decision_lists(COLUMN, COLUMN, ...)")
        if len(spec.arguments) <= MOST:
            return cls.over_columns(spec.arguments)
        return CountedLists(bits(spec.arguments), _declaration(spec.arguments))

    @classmethod
    def examples(cls) -> list[Self]:
        return [cls.over_columns(names) for names in ("a", "ab", "abc")]


def decision_list_rows(n: int) -> NDArray[np.bool_]:
    """One row per decision list, on the points of {0, 1}^n in their order."""
    lists = np.array([[False], [True]])
    for m in range(1, n + 1):
        rests = lists.reshape(-1, *(2,) * (m - 1))
        tables = [
            np.stack([rests, np.full_like(rests, b)][:: 1 if literal else -1], axis=1 + j)
            for j in range(m)
            for literal in (False, True)
            for b in (False, True)
        ]
        found = np.concatenate(tables).reshape(-1, 2**m)
        lists = found[distinct(found)]
    return lists


def _of_two_blocks(rows: NDArray[np.bool_]) -> NDArray[np.bool_]:
    """Whether a list is a conjunction or a disjunction of literals, or constant.

    A conjunction is 1 on a subcube: it has a 1, and the columns that all its ones share determine it.
    """
    n = rows.shape[1].bit_length() - 1
    bits = (np.arange(1 << n) >> np.arange(n)[:, None] & 1).astype(np.int64)
    found = np.zeros(len(rows), dtype=bool)
    for side in (rows, ~rows):
        ones = side.sum(axis=1)
        counts = side.astype(np.int32) @ bits.T
        shared = ((counts == 0) | (counts == ones[:, None])).sum(axis=1)
        found |= ones == 1 << (n - shared)
        found |= ones == 0
    return found


def _declaration(columns: Sequence[str]) -> str:
    return f"decision_lists({', '.join(map(quote_argument, columns))})"


@dataclass(frozen=True)
class CountedLists(BoxFamily):
    """The decision lists on 6 to 10 columns, counted by their errors.

    Each function has one form: blocks of literals that say b, 1 - b, b, ... by turns, of which the last
    one has two literals or more (docs/proofs/exponential-mechanism.md, Theorem 7).  The scores take
    O(5^n + 3^n records) steps, and memory for 2^(n + 1) counts a record.

    Below, LDim grows by two at least with each column (docs/proofs/closed-forms.md).

    >>> from littlestone.classes import parse_class
    >>> H = parse_class("decision_lists(a, b, c, d, e, f, g, h)")
    >>> H.size, H.littlestone_bounds()
    (121276466, (18, 26))
    """

    domain: Product
    source: str

    def __post_init__(self) -> None:
        if len(self.domain.columns) > MOST_BOUNDED:
            raise TooLargeError(
                f"count the decision lists over {len(self.domain.columns)} columns",
                found=f"more than {MOST_BOUNDED} columns take too long",
                fix=f"choose at most {MOST_BOUNDED} columns, or {MOST_COUNTED} to learn one",
            )

    def require_scorable(self) -> None:
        if len(self.domain.columns) > MOST_COUNTED:
            raise TooLargeError(
                f"count the decision lists over {len(self.domain.columns)} columns",
                found=f"more than {MOST_COUNTED} columns have too many",
                fix=f"choose at most {MOST_COUNTED} columns",
            )

    @property
    def size(self) -> int:
        return lists_of(len(self.domain.columns))

    @property
    def free_points(self) -> int:
        return len(self.domain.columns)  # as for conjunctions, which are lists

    def littlestone_bounds(self) -> tuple[int, int]:
        return closed_forms.decision_lists(len(self.domain.columns)), halving(self.size)

    def search_table(self) -> SearchTable:
        """All lists on 6 columns; for more columns the lists there with three blocks (Theorem 3)."""
        more = len(self.domain.columns) - MOST - 1
        rows = decision_list_rows(MOST + 1)
        if not more:
            return SearchTable(PackedTable.pack(rows), self.littlestone_bounds())
        reason = f"a search of the lists on {MOST + 1} columns, {self.proof}, Theorem 3"
        table = PackedTable.pack(rows[~_of_two_blocks(rows)])
        return SearchTable(table, self.littlestone_bounds(), 2 * more, whole=False, reason=reason)

    @property
    def most_errors(self) -> int:
        return MOST_KEPT >> len(self.domain.columns)

    def scores(self, sample: Sample[Any]) -> Scores:
        counts = np.zeros((2, self.domain.size or 0), dtype=np.int64)
        counts[:, [self.domain.index(x) for x in sample.points]] = sample.counts.T
        return ListCounts(counts.reshape(2, *(2,) * len(self.domain.columns))).runs()

    def hypothesis_of_item(self, item: Item) -> TableFunction:
        blocks, first = item

        def label(x: Sequence[int]) -> int:
            says = first
            for literals in blocks:
                if any(x[j] == v for j, v in literals.items()):
                    return says
                says = 1 - says
            return says

        points = product((0, 1), repeat=len(self.domain.columns))
        return TableFunction.from_labels(self.domain, map(label, points))
