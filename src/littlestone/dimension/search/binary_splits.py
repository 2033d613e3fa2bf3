"""The Littlestone dimension of a finite 0/1 table: the splits are the columns."""

from __future__ import annotations

from collections.abc import Iterable

from littlestone.dimension.search.splits import SplitSolver


class LittlestoneSolver(SplitSolver):
    """Littlestone dimensions of the version spaces of one table of N functions on m points.

    ``columns[j]`` is a mask over functions: bit i is the value of function i at point j.  A version
    space is a mask of surviving functions.  The dimension satisfies

        LDim(V) >= k  iff  |V| >= 1 (k = 0), or some point splits V into V0, V1, both LDim >= k - 1,

    with LDim(empty) = -1; so LDim(V) <= log2 |V| (lecture 5, Definition 5 and Example 1).

    >>> LittlestoneSolver([0b0001, 0b0011, 0b0111]).dimension(0b1111)  # thresholds on 3 points
    2
    """

    def __init__(self, columns: Iterable[int]) -> None:
        super().__init__((~column, column) for column in columns)
