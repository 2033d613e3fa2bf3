"""Trees of conditions on the columns of a mixed table, with a label at each leaf."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from functools import cached_property
from typing import Any, Self

import numpy as np
from numpy.typing import NDArray

from littlestone.base.errors import DeclarationError
from littlestone.classes.base import ScoredClass
from littlestone.classes.counting.blocks import joint_counts, joint_of_fewer
from littlestone.classes.promises.by_table import ByTable
from littlestone.classes.text.mixed_columns import (
    parse_columns,
    require_candidates,
    require_conditions,
    require_declared,
    split_count,
    splits_on,
)
from littlestone.classes.text.scales import MOST_CUTS
from littlestone.classes.text.spec import Spec
from littlestone.data.sample import Sample
from littlestone.points import Cells, Listed, Product
from littlestone.privacy.scores import ErrorRuns, ErrorSums, StumpPairs, stump_errors
from littlestone.rules.nodes import ColumnTest, Node, prune, split
from littlestone.rules.trees import DecisionTree

MOST_SCORES = 1 << 28
"""The most scores at depth 1 and 2, twice the square of conditions times labels.

They are worked out from the counts of two conditions, a few at a time.  The counts take 4 bytes for
each two conditions and label, a quarter of a gigabyte at most, and 8 from 2^31 records on.
"""

MOST_KEPT = 1 << 26
"""The most scores at depth 3, the third power of conditions times the square of labels."""

MOST_PAIRS = 1 << 17
"""The most pairs of columns, about those of 512 columns."""

FORM = "trees(COLUMN, ...; depth 1, 2 or 3), or depth 1 to 3"

Counts = NDArray[np.int64]


@dataclass(frozen=True)
class Trees(ByTable, ScoredClass[Any]):
    """The decision trees of depth 1, 2 or 3: a condition at each node, a label at each leaf.

    A condition is x >= t for a cut t of a declared grid, x = v for a value v of a declared list, or "x
    is missing"; where it does not hold, the other branch is taken.  With C conditions and L labels,
    N_1 = C L^2 trees of depth 1 are written, and N_d = C N_{d-1}^2 of depth d.  Several may be one
    function, so the class is not numbered.

    The errors of a tree are those of its two halves, and given the root, these are independent.  So
    trees of depth d are scored by the counts of labels where d conditions hold.  Time: O(n m^d) for n
    records and m columns, and O(C^d L^2) for the scores.  The Littlestone dimension is exact for a
    table of at most 2^20 entries, and bounded otherwise (docs/proofs/conditions.md).  Raises
    `TooLargeError` for more than 2^28 scores at depth 2, which are 5,792 conditions, or 2^26 at depth
    3, about 256; and `DeclarationError` for open columns.

    >>> H = Trees.parse(Spec.parse("trees(age: 0..80 step 20, sex in {F, M}; depth 2)"))
    >>> H.forms, H.hypothesis_of_item((2, 21, 29)).words()
    (8192, '...')

    "depth 1 to 3" has a prior: each depth has a third of it, so a tree of depth d counts as N_3 / N_d
    items.  A shallow tree that is good is found with fewer records than among trees of depth 3.

    >>> Trees.parse(Spec.parse("trees(age: 0..80 step 20; depth 1 to 3)")).forms == 3 * 5 * 2000**2
    True
    """

    keyword = "trees"
    typical = "trees(age: 0..120 step 5, income: 1..200000 in 30 log steps, sex in {F, M}; depth 2)"
    group = "ordinary tables"
    several = True

    depth: int = 2
    labels: int = 2
    shared: bool = False
    """Whether each depth from 1 to ``depth`` has an equal share of the prior."""

    def __post_init__(self) -> None:
        require_declared(self.domain, "trees")
        if self.depth not in (1, 2, 3) or type(self.depth) is not int:
            raise DeclarationError(
                f"declare trees of depth {self.depth!r}",
                found="a tree is scored by the counts of at most three conditions",
                fix="ask for depth 1, 2 or 3, or for depth 1 to 3",
            )
        if self.shared and self.depth == 1:
            raise DeclarationError(
                "declare trees of depth 1 to 1",
                found="that is a single depth",
                fix="write depth 1, or depth 1 to 3",
            )
        require_conditions(self.domain, "trees")
        pairs = len(self.domain.columns) ** 2 // 2
        require_candidates(pairs, MOST_PAIRS, self.domain, "trees over so many pairs of columns")
        # The cells of all pairs are no more: a column has one cell more than it has conditions.
        count = split_count(self.domain)
        scores, most = 2 * (count * self.labels) ** 2, MOST_SCORES
        if self.depth == 3:
            scores, most = count**3 * self.labels**2, MOST_KEPT
        require_candidates(scores, most, self.domain, "trees with so many scores")

    @cached_property
    def splits(self) -> list[ColumnTest]:
        """The C conditions, column by column."""
        return [test for column in self._splits for test in column]

    @cached_property
    def _splits(self) -> list[list[ColumnTest]]:
        return [splits_on(self.domain, j) for j in range(len(self.domain.columns))]

    @property
    def forms(self) -> int:
        if self.space is not None:
            return self.space.size
        return self._count_trees(self.depth) * (self.depth if self.shared else 1)

    @property
    def joint(self) -> int:
        return self.depth if self.space is None else 0

    def _count_trees(self, depth: int) -> int:
        """The number N_d of ways to write a tree of depth d."""
        if depth == 0:
            return self.labels
        return split_count(self.domain) * self._count_trees(depth - 1) ** 2

    def hypothesis_of_item(self, item: Any) -> DecisionTree:
        if self.space is not None:
            h = self.space.hypothesis(item)
            return DecisionTree.of_labels(self.domain, h, self.labels)
        return DecisionTree(self.domain, prune(self._node(item), self.domain), self.labels)

    def _node(self, item: Any) -> Node:
        """The node of an item of `scores`: the number of a stump, or a root and its two halves."""
        if isinstance(item, tuple):
            root, yes, no = item
            return split(self.splits[root], self._node(yes), self._node(no))
        condition, ends = divmod(item, self.labels**2)
        return split(self.splits[condition], *divmod(ends, self.labels))

    def scores(self, sample: Sample[Any]) -> ErrorRuns | ErrorSums:
        if self.space is not None:
            return self.space.error_runs(sample)
        joint = joint_counts(sample, self._splits, self.depth)
        totals = sample.counts.sum(axis=0)
        scores = _scores(joint, totals)
        if not isinstance(scores, ErrorSums) or not self.shared:
            return scores
        below = [
            [self._copies(d), _scores(joint_of_fewer(joint, d), totals)]
            for d in range(1, self.depth)
        ]

        def name_item(place: tuple[Any, ...]) -> Any:
            g, *places = place
            return places[1] if g < len(below) else (g - len(below), *places)

        return ErrorSums([*below, *scores.groups], name_item)

    def _copies(self, depth: int) -> ErrorRuns:
        """How often each tree of this depth is an item, as a part without errors.

        So all trees of a depth are as many items as those of any other (docs/proofs/
        exponential-mechanism.md, Theorem 6).
        """
        copies = self._count_trees(self.depth) // self._count_trees(depth)
        return ErrorRuns(np.zeros(1, np.int64), [copies])

    def labels_of_forms(self, points: list[Any]) -> NDArray[Any]:
        truth = np.array([[x[t.column] in t.accepted for x in points] for t in self.splits], bool)
        truth = truth.reshape(len(self.splits), len(points))
        y = np.arange(self.labels, dtype=bool if self.labels == 2 else np.int64)
        found = np.repeat(y[:, None], len(points), axis=1)
        for _ in range(self.depth):
            halves = np.where(truth[:, None, None], found[:, None], found)
            found = halves.reshape(-1, len(points))  # [(condition, yes, no), point]
        return found

    def _bounds(self) -> tuple[int, int]:
        """See docs/proofs/conditions.md: stumps in the two halves below, log2 of the forms above."""
        cuts = [len(c.starts) - 1 if isinstance(c, Cells) else 0 for c in self.domain.columns]
        # The columns of the fewest cuts stand in the levels above the stumps.
        left = [sum(sorted(cuts)[above:]) for above in range(min(self.depth, 1 + len(cuts)))]
        lower = max(
            2**above * ((2 + 2 * count).bit_length() - 1) for above, count in enumerate(left)
        )
        return lower, self._count_trees(self.depth).bit_length() - 1

    @classmethod
    def parse(cls, spec: Spec) -> Any:
        spec.expect_columns(FORM, options=("depth",))
        words = (spec.option("depth") or "").split()
        shared = words[:2] == ["1", "to"] and len(words) == 3
        if shared and words[2].isdecimal() and len(words[2]) < 10:
            depth = int(words[2])
        else:
            depth = spec.whole("depth") if spec.options else 2
        # Far below the limits, because lists of values bring conditions too.
        cuts = (150 if depth > 2 else MOST_CUTS) * 2 // spec.labels
        fields = (depth, spec.labels, shared)
        return cls.over_domain(parse_columns(spec, cuts), *fields, labels=spec.labels)

    @classmethod
    def examples(cls) -> list[Self]:
        x, y = Cells(("0", "5", "10"), "x"), Cells(("-1", "0.5"), "y")
        sex = Listed(("F", "M"), "sex")
        found = [cls(Product((x,)), None, 2), cls(Product((y, sex)), None, 1)]
        found += [
            cls(Product((y,)), None, 2, 3),
            cls(Product((y, Cells(("7", "8"), "z"))), None, 2),
            cls(Product((y,)), None, 3),
            cls(Product((y,)), None, 2, 2, True),
        ]
        return [*found, found[0].restrict(("5",), 1), cls(Product((x, sex)), None, 2)]

    @property
    def options(self) -> str:
        return f"depth {'1 to ' if self.shared else ''}{self.depth}"


def _scores(joint: Counts, totals: Counts) -> ErrorRuns | ErrorSums:
    """The errors of all trees on some examples.

    ``totals[y]`` examples have the label y, and ``joint[y, a, b, ...]`` also obey the conditions a,
    b, .... There are as many conditions as the trees have levels.
    """
    if joint.ndim == 2:
        return ErrorRuns(stump_errors(joint[:, None], (totals[:, None] - joint)[:, None])[0])
    if joint.ndim == 3:
        return ErrorSums(StumpPairs(joint, totals))
    # Given the root, the two halves are independent: a sum of two parts for each root condition.
    return ErrorSums([[_scores(*half) for half in halves] for halves in _halves(joint, totals)])


def _halves(joint: Counts, totals: Counts) -> Iterator[list[tuple[Counts, Counts]]]:
    """For each root, the counts of `_scores` on the examples that obey it, and on the others."""
    pairs = joint_of_fewer(joint, 2)
    for inside, own in zip(np.moveaxis(joint, 1, 0), np.einsum("yaaa->ay", joint), strict=True):
        yield [(inside, own), (pairs - inside, totals - own)]
