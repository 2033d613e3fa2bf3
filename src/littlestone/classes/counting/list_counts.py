"""Decision lists over columns of 0s and 1s, counted by their errors."""

from __future__ import annotations

from collections.abc import Iterator
from functools import cache, cached_property
from itertools import product
from math import comb

import numpy as np
from numpy.typing import NDArray

from littlestone import core
from littlestone.classes.counting.blocks import Blocks, Tally, tallied

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
    """The lists whose first block says 1, but those of one literal."""
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
    def _listed(self) -> NDArray[np.int64]:
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
        found = self._listed[:, :first].sum(axis=0)
        for _, errors in self._short():
            found[errors] += 1
        return tallied(found)

    def item(self, block: int, errors: int, index: int) -> Item:
        for item, wrong in self._short():
            if wrong == errors:
                if not index:
                    return item
                index -= 1
        ahead = int(self._listed[0, errors])
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
                    more = int(self._listed[1 - b, self._starts[part] + left])
                    if index < more:
                        break
                    index -= more
            yield literals
            cube, b, errors = part, 1 - b, left
