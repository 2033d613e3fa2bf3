"""The leaves of a drawn tree as one more column of a score sheet.

All of this is post-processing: it sees released trees and sums, and public declarations alone.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from math import log

import numpy as np

from littlestone.learn.fitting.one_column import Floats, Ints, logistic, share_records
from littlestone.rules.trees import DecisionTree

SHARES = (np.arange(200) + 0.5) / 200
"""Shares of positive records in a leaf.

Before its label is known they are equally likely if columns have points too.
"""

OF_LEAVES_ALONE = np.exp(-((np.log(SHARES / (1 - SHARES)) / 3) ** 2) / 2) / (SHARES * (1 - SHARES))
"""How likely they are, up to a factor, if leaves alone have points: log odds are N(0, 9); measured."""

APART = 0.1
"""How far the log odds of a leaf stay on the side of its label, if labels are kept."""


@dataclass(frozen=True)
class DrawnTree:
    """A ``tree`` that was drawn with ``epsilon`` by the costs of its mistakes.

    ``weights`` are the costs of a mistake on a record of label 0 and of label 1.
    """

    tree: DecisionTree
    epsilon: float
    weights: tuple[int, int]

    @property
    def leaf_labels(self) -> list[int]:
        """The label of each leaf."""
        return [place.label for place in self.tree.places]

    def combine_counts(
        self, table: tuple[Floats, Floats], variance: float, n: int, *, alone: bool
    ) -> LeafTable:
        """The noisy numbers of records of label 1 and 0 in the leaves, with what the labels say.

        ``alone`` says that no column has points.

        Given its tests, the draw took label 1 in a leaf with the odds e^(epsilon / 2 for each record by
        which it is better).  So a label is one more noisy number of positive records.
        """
        records = share_records(table[0] + table[1], n)
        zero, one = self.weights
        better = (one * SHARES - zero * (1 - SHARES)) / max(one, zero)
        sign = 2 * np.array(self.leaf_labels) - 1
        likely = logistic(sign[:, None] * records[:, None] * self.epsilon / 2 * better)
        likely *= OF_LEAVES_ALONE if alone else 1
        likely /= likely.sum(axis=1, keepdims=True)
        share = likely @ SHARES
        spread = (likely * (SHARES - share[:, None]) ** 2).sum(axis=1) * records**2 + 1
        # Two noisy numbers of one thing: their mean, weighted by 1 / variance.
        part = spread / (spread + variance)
        ones, zeros = (
            part * own + (1 - part) * said * records
            for own, said in zip(table, (share, 1 - share), strict=True)
        )
        return LeafTable(ones, zeros, part * variance)

    def keep_labels(self, odds: Floats, most: int) -> tuple[Ints, float]:
        """Points of at most ``most`` for log ``odds``, and one point's log odds.

        A leaf has points above 0 if its label is 1, else below; at 0 points both labels cost the same.
        """
        sign = 2 * np.array(self.leaf_labels) - 1
        away = np.maximum(sign * (odds - log(self.weights[0] / self.weights[1])), APART)
        unit = float(away.max()) / most
        return sign * np.maximum(np.rint(away / unit), 1).astype(np.int64), unit

    def part_leaves(self, own: Ints, columns: Sequence[Ints]) -> tuple[Ints, int]:
        """Points of the leaves, and the least total of label 1, so that all records keep its labels.

        They are near ``own``; the points of ``columns`` rank the records in a leaf.
        """
        ones = np.array(self.leaf_labels) == 1
        low, high = (sum(int(end(points)) for points in columns) for end in (np.min, np.max))
        if ones.all() or not ones.any():
            return own, low + int(own.min()) if ones.all() else high + int(own.max()) + 1

        def apart(least: int) -> Ints:
            return np.where(ones, np.maximum(own, least - low), np.minimum(own, least - 1 - high))

        least = min(
            range(own.min(), own.max() + 2), key=lambda t: int(np.abs(apart(t) - own).sum())
        )
        return apart(least), least


@dataclass(frozen=True)
class LeafTable:
    """Noisy numbers of records of each label in each leaf, and the variance of their noise."""

    ones: Floats
    zeros: Floats
    variance: Floats


def leaves_of(tree: DecisionTree, size: int, cells_of: Callable[[int], Ints]) -> Ints:
    """The leaf of each of ``size`` artificial records, by their cells in the columns that it tests."""
    columns: tuple[object, ...] = tree.domain.columns
    tested = sorted({test.column for test in tree.tests})
    named = {j: np.array(columns[j].points)[cells_of(j)] for j in tested}  # type: ignore[attr-defined]
    return np.array([tree.place({j: own[i] for j, own in named.items()}) for i in range(size)])


def likely_cells(found: Ints, groups: Ints, records: Floats, *, seed: int) -> Ints:
    """A cell for each artificial record whose group was ``found``, as often as it has ``records``.

    ``groups`` are those of the cells.

    >>> likely_cells(np.zeros(4, int), np.zeros(2, int), np.array([3.0, 1.0]), seed=0).tolist()
    [0, 0, 0, 1]
    """
    order, cells = np.random.default_rng(seed), np.zeros(len(found), np.int64)
    for group in np.unique(found):
        inside, own = np.flatnonzero(found == group), np.flatnonzero(groups == group)
        below = np.cumsum(records[own] + 1e-9)
        ranks = (order.permutation(len(inside)) + 0.5) / len(inside)
        cells[inside] = own[np.minimum(np.searchsorted(below / below[-1], ranks), len(own) - 1)]
    return cells


def match_leaves(groups: Ints, leaves: Ints, records: Floats) -> Ints:
    """The artificial records and their leaves, repeated so that the leaves have these records."""
    held = np.bincount(leaves, minlength=len(records))
    weights = (records / np.maximum(held, 1) + 1e-9)[leaves]
    order = np.argsort(leaves, kind="stable")
    below = np.cumsum(weights[order])
    ranks = (np.arange(len(leaves)) + 0.5) / len(leaves)
    chosen = order[np.minimum(np.searchsorted(below / below[-1], ranks), len(leaves) - 1)]
    return np.vstack([groups, leaves])[:, chosen]
