"""How many records each rule of a sample covers, one set of columns at a time."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np
import numpy.ma  # `np.unique` loads it, and nothing is to be loaded after a spend
from numpy.typing import NDArray

from littlestone.data.sample import Places, Sample
from littlestone.rules.rules import Rule

if TYPE_CHECKING:
    from littlestone.classes.rules import EqualityRules

Numbers = NDArray[np.int64]

Runs = tuple[Numbers, Numbers, Numbers]
"""Positives, negatives, and how many rules there are with these counts."""

NO_RUNS: Runs = (np.zeros(0, np.int64), np.zeros(0, np.int64), np.zeros(0, np.int64))

FEW_RULES = 2**16  # more rules of one shape are not listed one by one
_FEW_GROUPS = 2**17  # filling a table of this many counts is at least as fast as sorting groups


class Groups:
    """The number of the rule of each shape that covers each point of a sample.

    Sets of columns in lexicographic order cost one step each: only the last one's prefixes are kept.
    """

    def __init__(self, H: EqualityRules, sample: Sample[Rule]) -> None:
        self.H, self.sample = H, sample
        self.n = len(sample.points)
        self._agreements = np.zeros(0, np.int64)
        self._columns: list[tuple[Places, int]] = []
        if H.values is not None:
            self._agreements = np.zeros(self.n, np.int64)
            for j, v in enumerate(H.values):
                if v is not None:
                    values, codes = sample.column(j)
                    same = np.array([u == v for u in values], dtype=bool)
                    self._agreements |= same[codes].astype(np.int64) << j
        elif self.n:
            self._columns = [self._column(j) for j in range(len(H.domain.columns))]
        rows = self.n + len(H.negatives) if self.n else 0
        self._last: list[tuple[tuple[int, ...], Numbers, int]] = [
            ((), np.zeros(rows, dtype=np.int64), 1)
        ]

    def _column(self, j: int) -> tuple[Places, int]:
        """The codes of the points and then of the negatives, whose rules are refuted."""
        values, codes = self.sample.column(j)
        if not self.H.negatives:
            return codes, len(values)
        places = {v: i for i, v in enumerate(values)}
        more = [places.setdefault(x[j], len(places)) for x in self.H.negatives]
        return np.append(codes.astype(np.int64), np.array(more, dtype=np.int64)), len(places)

    def of(self, i: int) -> tuple[Numbers, int]:
        """The number of shape i's rule at each point, and a size.

        Numbers are below the size; the size itself stands for a refuted rule.
        """
        if self.H.values is not None:
            mask = self.H.shapes.masks[i]
            return np.where(self._agreements & mask == mask, 0, 1), 1
        fixed = self.H.shapes.columns[i] if self.n else ()
        # Shapes come in order, so most share a prefix with the one before: keep the groups of the
        # prefix.
        while self._last[-1][0] != fixed[: len(self._last) - 1]:
            self._last.pop()
        _, group, size = self._last[-1]
        for j in fixed[len(self._last) - 1 :]:
            codes, more = self._columns[j]
            group, size = group * more + codes, size * more
            # Numbers are packed again before they outgrow the table.
            if size > max(_FEW_GROUPS, 2 * len(group)):
                distinct, group = np.unique(group, return_inverse=True)
                size = len(distinct)
            self._last.append((fixed[: len(self._last)], group, size))
        if self.H.negatives and self.n:
            refuted = np.zeros(size, dtype=bool)
            refuted[group[self.n :]] = True
            group = np.where(refuted[group[: self.n]], size, group[: self.n])
        return group, size

    def counts(self, i: int) -> tuple[Numbers, Numbers, Numbers]:
        """The rules of shape i that cover a positive, with their positives and their negatives."""
        group, size = self.of(i)
        positives = sums(group, size, self.sample.positives)
        rules = np.flatnonzero(positives)
        return rules, positives[rules], sums(group, size, self.sample.negatives)[rules]


def runs_of(positives: Numbers, negatives: Numbers) -> Runs:
    """Rules one by one, or if they are many, those with equal counts together.

    At most 3 n^(2/3) different pairs of counts add up to n.
    """
    if len(positives) <= FEW_RULES:
        return positives, negatives, np.ones(len(positives), np.int64)
    most = int(negatives.max()) + 1
    pairs, lengths = np.unique(positives * most + negatives, return_counts=True)
    return pairs // most, pairs % most, lengths


def sums(group: Numbers, size: int, weights: Numbers) -> Numbers:
    """The sum of the weights of each group; the points of group ``size`` are left out."""
    total = np.zeros(size + 1, dtype=np.int64)
    np.add.at(total, group, weights)
    return total[:size]
