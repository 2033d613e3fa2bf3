"""Functions of few columns of 0s and 1s, counted by their errors."""

from __future__ import annotations

from functools import cache
from itertools import combinations
from math import comb
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from littlestone import core
from littlestone.classes.counting.blocks import Blocks, Tally, tallied
from littlestone.classes.counting.cell_counts import Coded

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

    def __init__(self, coded: Coded, k: int) -> None:
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
        return tallied(found, self._positives + low)

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
