"""Decision lists over columns of 0s and 1s."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import product
from typing import Any, Self

import numpy as np
from numpy.typing import NDArray

from littlestone.base.errors import DeclarationError, TooLargeError
from littlestone.classes.counting.list_counts import Item, ListCounts, lists_of
from littlestone.classes.dimensions import closed_forms
from littlestone.classes.dimensions.searching import SearchTable, halving
from littlestone.classes.promises.counted import Counted
from littlestone.classes.promises.tabled import Tabled, bits, distinct
from littlestone.classes.text.spec import Spec, quoted
from littlestone.data.sample import Sample
from littlestone.dimension.tables import PackedTable
from littlestone.points import Product
from littlestone.privacy.scores import Scores
from littlestone.rules import TableFunction

MOST = 5
"""Columns of a table: a sixth one multiplies the number of functions by more than 14."""

MOST_COUNTED = 10
"""Columns of a class that is counted: each one more takes five times as long."""

MOST_BOUNDED = 100
"""Columns of a class whose functions are counted for the bounds of its dimension."""

MOST_KEPT = 1 << 24
"""The most records, times the subcubes that each is in; each takes 16 bytes."""


@dataclass(frozen=True)
class DecisionLists(Tabled):
    """The functions "if l_1 then b_1, else if l_2 then b_2, ..., else b" of literals l_i, labels b_i.

    These are the 1-decision lists of Riv87.  A function is a decision list iff it is constant, or some
    literal makes it constant and the literal's negation leaves a decision list on the other columns.
    The class lists its functions in this way: 4, 14, 96, 1050 and 15036 on 1, ..., 5 columns.  Up to 10
    columns are `CountedLists`, without version spaces.

    >>> H = DecisionLists.of(["wet", "cold", "dark"])
    >>> H.size, H.littlestone_dimension()
    (96, 5)
    """

    keyword = "decision_lists"
    group = "columns of bits"
    typical = "decision_lists(smoker, diabetic, urban)"

    @classmethod
    def of(cls, columns: Sequence[str]) -> Self:
        """The decision lists over the columns of these names."""
        if len(columns) > MOST:
            raise DeclarationError(
                f"list the decision lists over {len(columns)} columns",
                found=f"more than {MOST} columns have too many",
                fix=f"choose at most {MOST} columns",
            )
        return cls.of_rows(bits(columns), _decision_lists(len(columns)), _text(columns))

    @classmethod
    def parse(cls, spec: Spec) -> Any:
        spec.expect_columns("decision_lists(COLUMN, COLUMN, ...)")
        if len(spec.arguments) <= MOST:
            return cls.of(spec.arguments)
        return CountedLists(bits(spec.arguments), _text(spec.arguments))

    @classmethod
    def examples(cls) -> list[Self]:
        return [cls.of(names) for names in ("a", "ab", "abc")]


def _decision_lists(n: int) -> NDArray[np.bool_]:
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


def _text(columns: Sequence[str]) -> str:
    return f"decision_lists({', '.join(map(quoted, columns))})"


@dataclass(frozen=True)
class CountedLists(Counted):
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
        rows = _decision_lists(MOST + 1)
        if not more:
            return SearchTable(PackedTable.read(rows), self.littlestone_bounds())
        reason = f"a search of the lists on {MOST + 1} columns, {self.proof}, Theorem 3"
        table = PackedTable.read(rows[~_of_two_blocks(rows)])
        return SearchTable(table, self.littlestone_bounds(), 2 * more, whole=False, reason=reason)

    @property
    def most_errors(self) -> int:
        return MOST_KEPT >> len(self.domain.columns)

    def scores(self, sample: Sample[Any]) -> Scores:
        counts = np.zeros((2, self.domain.size or 0), dtype=np.int64)
        counts[:, [self.domain.index(x) for x in sample.points]] = sample.counts.T
        return ListCounts(counts.reshape(2, *(2,) * len(self.domain.columns))).runs()

    def written(self, item: Item) -> TableFunction:
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
