"""One column fitted to noisy counts of labels in its cells: log odds under a prior of unknown width.

The leaves of a drawn tree are such a column too.

All of this is post-processing: it sees released sums and public declarations alone.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import lru_cache

import numpy as np
from numpy.typing import NDArray

from littlestone.rules.trees import DecisionTree

Floats = NDArray[np.float64]
Ints = NDArray[np.int64]

MOST_GROUPS = 24
"""The most groups of cells in which a column is fitted."""

WIDTHS = (0.1, 0.25, 0.6, 1.2, 2.5)
"""The standard deviations of log odds that are tried for each shape of a prior."""

WIDEST = 9.0
"""The most that log odds are away from 0."""


@dataclass(frozen=True)
class Column:
    """What noisy counts say about one column.

    ``odds`` are the log odds of label 1 in each group of cells, beyond those of all records.
    ``evidence`` is the ln of the Bayes factor of "the column matters" against "it does not".  ``prior``
    is the covariance of the log odds before the counts, and ``records`` are the numbers of records in
    the groups, which are not negative and add up to n.
    """

    odds: Floats
    evidence: float
    prior: Floats
    records: Floats

    @property
    def shares(self) -> Floats:
        """The share of the records in each group."""
        found: Floats = self.records / max(self.records.sum(), 1e-9)
        return found


def logistic(z: Floats) -> Floats:
    """1 / (1 + e^-z), without overflow."""
    found: Floats = 1 / (1 + np.exp(-np.clip(z, -30, 30)))
    return found


def fit_base(positives: float, variance: float, n: int) -> float:
    """The log odds of label 1 among n records, by a noisy number of positive ones.

    They are the mode under the prior N(0, 1.5^2).

    >>> round(fit_base(250, 100, 1000), 2)
    -1.09
    """
    odds = 0.0
    for _ in range(40):  # steps of Gauss and Newton, none longer than one
        p = float(logistic(np.array(odds)))
        curve = n * p * (1 - p)
        weight = curve / (variance + curve + 1e-9)
        step = (weight * (positives - n * p) - odds / 2.25) / (weight * curve + 1 / 2.25)
        odds = max(-WIDEST, min(WIDEST, odds + max(-1.0, min(1.0, step))))
    return odds


def share_records(noisy: Floats, n: int) -> Floats:
    """The nearest numbers of records to noisy ones that are not negative and add up to n.

    >>> share_records(np.array([-3.0, 5.0, 7.0]), 10).tolist()
    [0.0, 4.0, 6.0]
    """
    ordered = np.sort(noisy)[::-1]
    excess = (np.cumsum(ordered) - n) / np.arange(1, len(noisy) + 1)
    kept = int(np.flatnonzero(ordered > excess)[-1]) if (ordered > excess).any() else 0
    found: Floats = np.maximum(noisy - excess[kept], 0.0)
    return found


def group_cells(noisy: Floats, *, numbers: bool) -> Ints:
    """The group of each cell, out of at most `MOST_GROUPS`, by the noisy numbers of records.

    Cells of numbers are grouped with their neighbours, in groups of about equally many records; the
    first cell, of missing values, stays alone.  Of a list the largest cells stay alone, and the others
    are one group.

    >>> int(group_cells(np.ones(31), numbers=True).max())
    23
    """
    size = len(noisy)
    if size <= MOST_GROUPS:
        return np.arange(size)
    known = np.maximum(noisy, 0.0)
    if not numbers:
        found = np.full(size, MOST_GROUPS - 1)
        largest = np.argsort(-known, kind="stable")[: MOST_GROUPS - 1]
        found[largest] = np.arange(MOST_GROUPS - 1)
        return found
    # A tenth is spread evenly, so that no run of empty cells is one group only by chance.
    even = known[1:] + max(known[1:].sum(), 1.0) / (9 * (size - 1))
    before = (np.cumsum(even) - even / 2) / even.sum()
    groups = np.concatenate([[0], 1 + np.minimum(before * (MOST_GROUPS - 1), MOST_GROUPS - 2)])
    return np.unique(groups.astype(np.int64), return_inverse=True)[1]


@lru_cache(maxsize=256)
def _shapes(size: int, numbers: bool) -> Floats:
    """The covariances that are tried, [shape and width, cell, cell]."""
    shapes = [np.eye(size)]
    if numbers and size > 2:
        x = np.linspace(-1, 1, size - 1)
        far = np.abs(x[:, None] - x) / 2
        # A line, a smooth curve and a rough one; a missing value's odds are on their own.
        for own in (np.outer(x, x), np.exp(-((far / 0.3) ** 2) / 2), np.exp(-far / 0.5)):
            shape = np.zeros((size, size))
            shape[0, 0] = 1.0
            shape[1:, 1:] = own + 0.02 * np.eye(size - 1)
            shapes.append(shape)
    found: Floats = np.array([width**2 * shape for shape in shapes for width in WIDTHS])
    return found


def fit_column(
    ones: Floats, zeros: Floats, variance: Floats, n: int, base: float, *, numbers: bool
) -> Column:
    """The column by the noisy numbers of records of label 1 and 0 in each group of its cells.

    ``variance`` is that of the noise of both numbers of each group.  In a group of N records whose log
    odds are base + f, the number (1 - p) ones - p zeros is p (1 - p) N f + noise about f = 0.  Given a
    covariance of f this is linear regression, repeated about the f that it finds.  The result is the
    mean over `_shapes`, weighted by how likely each makes the counts.
    """
    records = share_records(ones + zeros, n)
    priors = _shapes(len(ones), numbers)
    diagonal = np.arange(len(ones))

    def likely(odds: Floats) -> tuple[Floats, Floats, Floats, Floats, Floats]:
        p = logistic(base + odds)
        curve = records * np.maximum(p * (1 - p), 1e-4)
        rest = (1 - p) * ones - p * zeros
        spread = variance * ((1 - p) ** 2 + p**2) + curve + 1e-6
        both = curve[..., :, None] * priors * curve[..., None, :]
        both[:, diagonal, diagonal] += spread
        solved = np.linalg.solve(both, (rest + curve * odds)[..., None])[..., 0]
        return rest, curve, np.asarray(spread), both, np.asarray(solved, np.float64)

    odds = np.zeros((len(priors), len(ones)))
    for _ in range(3):
        _, curve, _, _, solved = likely(odds)
        odds = np.clip(np.einsum("mij,mj->mi", priors, curve * solved), -6, 6)
    rest, _, spread, both, solved = likely(np.zeros_like(odds))
    null = (rest[0] ** 2 / spread[0] + np.log(spread[0])).sum()
    given = (rest * solved).sum(axis=1) + np.linalg.slogdet(both)[1]
    factors = (null - given) / 2
    weights = np.exp(factors - factors.max())
    evidence = float(np.log(weights.mean()) + factors.max())
    weights = weights / weights.sum()
    return Column(weights @ odds, evidence, np.tensordot(weights, priors, 1), records)


SHARES = (np.arange(200) + 0.5) / 200
"""Shares of positive records in a leaf, equally likely before its label is known."""

MIDDLES = np.linspace(-3, 3, 13)
"""Log odds about which those of leaves lie that alone have points; N(0, 1) before, measured."""

SPREADS = np.array([0.3, 0.7, 1.5, 3.0])
"""The deviations of log odds from their middle that are tried for such leaves."""

APART = 0.1
"""How far the log odds of a leaf stay on the side of its label, if labels are kept."""


@dataclass(frozen=True)
class DrawnTree:
    """A ``tree`` that was drawn with ``epsilon`` by the costs of its mistakes."""

    tree: DecisionTree
    epsilon: float

    @property
    def leaf_labels(self) -> list[int]:
        """The label of each leaf."""
        return [place.label for place in self.tree.places]

    def combine_counts(
        self, table: tuple[Floats, Floats], variance: float, n: int, weights: tuple[int, int]
    ) -> LeafTable:
        """The noisy numbers of records of label 1 and 0 in the leaves, with what the labels say.

        ``weights`` are the costs of a mistake on a record of label 0 and of label 1.  A label is one
        more noisy number of positive records.
        """
        records = share_records(table[0] + table[1], n)
        likely = self._likely_labels(records, weights)
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

    def fit_alone(
        self, table: tuple[Floats, Floats], variance: float, n: int, weights: tuple[int, int]
    ) -> Floats:
        """The log odds of the leaves by their labels and noisy numbers of records, without columns.

        Before, they are normal about one middle, with one deviation; neither is known.  Where noise
        hides the records of a leaf, it is thought to have as many as others.
        """
        ones, zeros = table
        usual = n / len(ones)
        trust = usual**2 / (usual**2 + 2 * variance)
        records = share_records(usual + trust * (ones + zeros - usual), n)
        inside = SHARES * records[:, None]
        away = (ones[:, None] - inside) ** 2 + (zeros[:, None] - records[:, None] + inside) ** 2
        seen = np.log(self._likely_labels(records, weights)) - away / (2 * variance)
        likely = np.exp(seen - seen.max(axis=1, keepdims=True))  # [leaf, share]
        odds = np.log(SHARES / (1 - SHARES))
        scaled = (odds - MIDDLES[:, None, None]) / SPREADS[:, None]
        prior = np.exp(-(scaled**2) / 2) / (SHARES * (1 - SHARES))
        prior /= prior.sum(axis=-1, keepdims=True)  # [middle, spread, share]
        given = prior @ likely.T + 1e-300
        factors = np.log(given).sum(axis=-1) - MIDDLES[:, None] ** 2 / 2
        factors = np.exp(factors - factors.max())
        share = np.tensordot(factors / factors.sum(), prior @ (likely * SHARES).T / given, 2)
        return np.asarray(np.log(share / (1 - share)), np.float64)

    def _likely_labels(self, records: Floats, weights: tuple[int, int]) -> Floats:
        """How likely the draw makes the label of each leaf with so many records, by each of `SHARES`.

        Given its tests, it took label 1 in a leaf with the odds e^(epsilon / 2 for each record by which
        it is better).
        """
        zero, one = weights
        better = (one * SHARES - zero * (1 - SHARES)) / max(one, zero)
        sign = 2 * np.array(self.leaf_labels) - 1
        return logistic(sign[:, None] * records[:, None] * self.epsilon / 2 * better)

    def keep_labels(self, odds: Floats, start: float, most: int) -> tuple[Ints, float]:
        """Points of at most ``most`` for log ``odds``, and one point's log odds.

        A leaf has points above 0 if its label is 1, else below; 0 points are the log odds ``start``.
        """
        sign = 2 * np.array(self.leaf_labels) - 1
        away = np.maximum(sign * (odds - start), APART)
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
