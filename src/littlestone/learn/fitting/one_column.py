"""One column fitted to noisy counts of labels in its cells: log odds under a prior of unknown width.

All of this is post-processing: it sees released sums and public declarations alone.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import lru_cache

import numpy as np
from numpy.typing import NDArray

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
