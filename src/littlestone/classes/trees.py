"""Trees of conditions on the columns of a mixed table, with a label at each leaf."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from itertools import combinations
from typing import Any, Self

import numpy as np
from numpy.typing import NDArray

from littlestone.base.errors import DeclarationError
from littlestone.classes.base import ScoredClass
from littlestone.classes.counting.blocks import CellCodes, covered_table, indicators
from littlestone.classes.promises.by_table import ByTable
from littlestone.classes.text.mixed_columns import (
    parse_columns,
    require_candidates,
    require_conditions,
    require_declared,
    split_count,
    splits_on,
)
from littlestone.classes.text.spec import Spec
from littlestone.data.sample import Sample
from littlestone.points import Cells, Listed, Product
from littlestone.privacy.scores import ErrorRuns, ErrorSums
from littlestone.rules.trees import ColumnTest, DecisionTree, Node, prune, split

MOST_SCORES = 1 << 26
"""The most scores, twice the square of conditions times labels; each takes 8 bytes."""

MOST_PAIRS = 1 << 17
"""The most pairs of columns, about those of 512 columns."""

FORM = "trees(COLUMN, ...; depth 1 or 2)"

Counts = NDArray[np.int64]


@dataclass(frozen=True)
class Trees(ByTable, ScoredClass[Any]):
    """The decision trees of depth 1 or 2: a root condition, one in each half, a label at each leaf.

    A condition is x >= t for a cut t of a declared grid, x = v for a value v of a declared list, or "x
    is missing"; where it does not hold, the other branch is taken.  With C conditions and L labels,
    (C L^2)^2 C trees of depth 2 are written.  Several may be one function, so the class is not
    numbered.

    The errors of a tree are those of its two halves.  Given the root, each half has C L^2 scores, from
    the counts of labels in the cells of each two columns.  Time: O(n m^2) for n records and m
    columns, and O(C^2 L^2) for the scores.  The Littlestone dimension is exact for a table of at most
    2^20 entries, and bounded otherwise (docs/proofs/conditions.md).  Raises `TooLargeError` for more
    than 2^26 scores, and `DeclarationError` for open columns.

    >>> H = Trees.parse(Spec.parse("trees(age: 0..80 step 20, sex in {F, M}; depth 2)"))
    >>> H.forms, H.hypothesis_of_item((2, 21, 29)).words()
    (8192, '...')
    """

    keyword = "trees"
    typical = "trees(age: 0..120 step 5, income: 1..200000 in 30 log steps, sex in {F, M}; depth 2)"
    group = "ordinary tables"
    several = True

    depth: int = 2
    labels: int = 2

    def __post_init__(self) -> None:
        require_declared(self.domain, "trees")
        if self.depth not in (1, 2) or type(self.depth) is not int:
            raise DeclarationError(
                f"declare trees of depth {self.depth!r}",
                found="a tree is scored by pairs of conditions",
                fix="ask for depth 1 or 2",
            )
        require_conditions(self.domain, "trees")
        pairs = len(self.domain.columns) ** 2 // 2
        require_candidates(pairs, MOST_PAIRS, self.domain, "trees over so many pairs of columns")
        # The cells of all pairs are no more: a column has one cell more than it has conditions.
        scores = 2 * (split_count(self.domain) * self.labels) ** 2
        require_candidates(scores, MOST_SCORES, self.domain, "trees with so many scores")

    @cached_property
    def splits(self) -> list[ColumnTest]:
        """The C conditions, column by column."""
        return [test for column in self._splits for test in column]

    @cached_property
    def _splits(self) -> list[list[ColumnTest]]:
        return [splits_on(self.domain, j) for j in range(len(self.domain.columns))]

    @property
    def _halves(self) -> int:
        """The ways to write one half of a tree of depth 2: a condition and two labels."""
        return len(self.splits) * self.labels**2

    @property
    def forms(self) -> int:
        if self.space is not None:
            return self.space.size
        return self._halves if self.depth == 1 else len(self.splits) * self._halves**2

    def hypothesis_of_item(self, item: Any) -> DecisionTree:
        if self.space is not None:
            h = self.space.hypothesis(item)
            return DecisionTree.of_labels(self.domain, h, self.labels)
        if self.depth == 1:
            return DecisionTree(self.domain, self._half(item), self.labels)
        root, yes, no = item
        node = split(self.splits[root], self._half(yes), self._half(no))
        return DecisionTree(self.domain, prune(node, self.domain), self.labels)

    def _half(self, number: int) -> Node:
        condition, ends = divmod(number, self.labels**2)
        yes, no = divmod(ends, self.labels)
        return split(self.splits[condition], yes, no)

    def scores(self, sample: Sample[Any]) -> ErrorRuns | ErrorSums:
        if self.space is not None:
            return self.space.error_runs(sample)
        m = len(self.domain.columns)
        coded = CellCodes.from_sample(sample, range(m))
        singles = coded.tables([(j,) for j in range(m)])
        total = sample.counts.sum(axis=0)
        held = np.concatenate(  # [label, condition]: the records where the condition holds
            [covered_table(t, [M]) for t, M in zip(singles, self._matrices, strict=True)], axis=1
        )
        if self.depth == 1:
            return ErrorRuns(_errors(held[:, None], total[:, None, None] - held[:, None])[0])
        pairs = list(combinations(range(m), 2))
        tables = dict(zip(pairs, coded.tables(pairs), strict=True))
        groups: list[tuple[Counts, Counts]] = []
        first = 0
        for i, own in enumerate(self._splits):
            both = np.concatenate([self._both(tables, singles, i, j) for j in range(m)], axis=2)
            inside = held[:, first : first + len(own), None]  # [label, root, 1]
            outside = total[:, None, None] - inside
            rest = held[:, None] - both  # the child's condition holds, and the root's does not
            # Given the root, the two halves are independent: a sum of two parts for each root
            # condition.
            groups += zip(_errors(both, inside - both), _errors(rest, outside - rest), strict=True)
            first += len(own)
        return ErrorSums(groups)

    def _both(
        self, tables: dict[tuple[int, int], Counts], singles: list[Counts], i: int, j: int
    ) -> Counts:
        """The counts [label, condition on column i, condition on column j] where both hold."""
        matrices = [self._matrices[i], self._matrices[j]]
        # Two conditions on one column: the cells of the pair are those on the diagonal.
        if i == j:
            own = singles[i]
            table = np.zeros((*own.shape, own.shape[1]), np.int64)
            diagonal = np.arange(own.shape[1])
            table[:, diagonal, diagonal] = own
            return covered_table(table, matrices)
        if i < j:
            return covered_table(tables[i, j], matrices)
        return covered_table(np.swapaxes(tables[j, i], 1, 2), matrices)

    @cached_property
    def _matrices(self) -> list[NDArray[np.float64]]:
        columns: Any = self.domain.columns
        return [indicators(t, column) for t, column in zip(self._splits, columns, strict=True)]

    def labels_of_forms(self, points: list[Any]) -> NDArray[Any]:
        truth = np.array([[x[t.column] in t.accepted for x in points] for t in self.splits], bool)
        truth = truth.reshape(len(self.splits), len(points))
        y = np.arange(self.labels)[:, None]
        kind = bool if self.labels == 2 else np.int64
        yes = np.where(truth[:, None, None], y[:, None], y)  # [condition, yes, no, point]
        halves = yes.reshape(-1, len(points)).astype(kind)
        if self.depth == 1:
            return halves
        found = np.where(truth[:, None, None], halves[:, None], halves)
        return found.reshape(-1, len(points))

    def _bounds(self) -> tuple[int, int]:
        """See docs/proofs/conditions.md: stumps in the two halves below, log2 of the forms above."""
        cuts = [len(c.starts) - 1 if isinstance(c, Cells) else 0 for c in self.domain.columns]
        stumps = (2 + 2 * sum(cuts)).bit_length() - 1
        halves = [
            2 * ((2 + 2 * (sum(cuts) - own)).bit_length() - 1)
            for own, column in zip(cuts, self._splits, strict=True)
            if column
        ]
        lower = stumps if self.depth == 1 else max([stumps, *halves])
        return lower, self.forms.bit_length() - 1

    @classmethod
    def parse(cls, spec: Spec) -> Any:
        spec.expect_columns(FORM, options=("depth",))
        depth = spec.whole("depth") if spec.options else 2
        return cls.over_domain(parse_columns(spec), depth, spec.labels, labels=spec.labels)

    @classmethod
    def examples(cls) -> list[Self]:
        x, y = Cells(("0", "5", "10"), "x"), Cells(("-1", "0.5"), "y")
        sex = Listed(("F", "M"), "sex")
        found = [cls(Product((x,)), None, 2), cls(Product((y, sex)), None, 1)]
        found += [
            cls(Product((y,)), None, 2, 3),
            cls(Product((y, Cells(("7", "8"), "z"))), None, 2),
        ]
        return [*found, found[0].restrict(("5",), 1), cls(Product((x, sex)), None, 2)]

    @property
    def options(self) -> str:
        return f"depth {self.depth}"


def _errors(holds: Counts, fails: Counts) -> Counts:
    """The errors [root, (condition, label, label)] of all halves.

    ``holds`` and ``fails`` are the counts [label, root, condition] where the condition holds and where
    it does not.
    """
    yes, no = holds.sum(axis=0) - holds, fails.sum(axis=0) - fails  # errors of each leaf's label
    both: Counts = np.moveaxis(yes, 0, -1)[..., :, None] + np.moveaxis(no, 0, -1)[..., None, :]
    return both.reshape(both.shape[0], -1)
