"""Classes whose hypotheses are counted by their errors, block by block."""

from __future__ import annotations

from abc import ABC, abstractmethod
from bisect import bisect_right
from collections.abc import Iterable
from itertools import accumulate
from typing import Any

import numpy as np
from numpy.typing import NDArray

from littlestone.privacy.scores import ErrorRuns

MOST_ERRORS = 1 << 25
"""The most errors that a table of counts by errors has room for; each takes 8 bytes."""

_GROUPS = 256  # of blocks whose tallies are kept

Tally = tuple[NDArray[np.int64], list[int]]
"""Distinct errors, in order, and the number of hypotheses of each."""


class Blocks(ABC):
    """All items of a class in numbered blocks, each small enough to be looked through at once.

    `runs` keeps the tallies alone.  An item is found again by one more look at its block.
    """

    @property
    @abstractmethod
    def blocks(self) -> int:
        """The number of blocks."""

    @abstractmethod
    def tally(self, block: int) -> Tally:
        """How many items of the block have how many errors."""

    @abstractmethod
    def item(self, block: int, errors: int, index: int) -> Any:
        """The ``index``-th of the items of the block with these errors, in an order of its own."""

    def runs(self) -> ErrorRuns:
        """All items with equal errors as one run."""
        # Where an item is, is known up to a group of blocks.
        each = -(-self.blocks // _GROUPS)
        groups = [
            range(first, min(self.blocks, first + each)) for first in range(0, self.blocks, each)
        ]
        tallies = [self._totals(group) for group in groups]
        totals = _added(tallies)
        order = sorted(totals)
        stops = list(accumulate(totals[errors] for errors in order))

        def named(number: int) -> Any:
            run = bisect_right(stops, number)
            errors, index = order[run], number - stops[run] + totals[order[run]]
            # First the group that holds the item, then its block: only that group is counted again.
            for group, found in zip(groups, tallies, strict=True):
                if index < found.get(errors, 0):
                    return self._found(group, errors, index)
                index -= found.get(errors, 0)
            raise AssertionError  # number < stops[-1]

        lengths = [totals[errors] for errors in order]
        return ErrorRuns(np.array(order, dtype=np.int64), lengths, named)

    def _found(self, blocks: Iterable[int], errors: int, index: int) -> Any:
        """The index-th item with these errors of some blocks."""
        for block in blocks:
            count = self._totals([block]).get(errors, 0)
            if index < count:
                return self.item(block, errors, index)
            index -= count
        raise AssertionError  # the blocks have more such items

    def _totals(self, blocks: Iterable[int]) -> dict[int, int]:
        tallies = (self.tally(block) for block in blocks)
        return _added(dict(zip(found.tolist(), counts, strict=True)) for found, counts in tallies)


def _added(tallies: Iterable[dict[int, int]]) -> dict[int, int]:
    totals: dict[int, int] = {}
    for tally in tallies:
        for errors, count in tally.items():
            totals[errors] = totals.get(errors, 0) + count
    return totals


def tallied(counts: NDArray[np.int64], low: int = 0) -> Tally:
    """The tally of a table whose entry i counts the items of low + i errors."""
    found = np.flatnonzero(counts)
    return found + low, counts[found].tolist()
