"""The Littlestone dimension of a finite table, by memoised recursion over version spaces."""

from __future__ import annotations

from collections.abc import Iterator, Sequence


class LittlestoneSolver:
    """Littlestone dimensions of the version spaces of one table of N functions on m points.

    ``columns[j]`` is a mask over functions: bit i is the value of function i at point j.  A version
    space is a mask of surviving functions.  The dimension satisfies

        LDim(V) >= k  iff  |V| >= 1 (k = 0), or some point splits V into V0, V1, both LDim >= k - 1,

    with LDim(empty) = -1; so LDim(V) <= log2 |V| (lecture 5, Definition 5 and Example 1).
    Answers are kept, and shared between the version spaces of one table.  Exponential in the worst
    case; fast for tables of tens of functions and for structured ones.

    >>> LittlestoneSolver([0b0001, 0b0011, 0b0111]).dimension(0b1111)  # thresholds on 3 points
    2
    """

    def __init__(self, columns: Sequence[int]) -> None:
        self._columns = tuple(dict.fromkeys(columns))
        self._at_least: dict[tuple[int, int], bool] = {}
        self._dimension: dict[int, int] = {}

    def dimension(self, alive: int) -> int:
        """LDim of the version space ``alive``; -1 when it is empty."""
        known = self._dimension.get(alive)
        if known is None:
            known = -1
            while self.at_least(alive, known + 1):
                known += 1
            self._dimension[alive] = known
        return known

    def at_least(self, alive: int, k: int) -> bool:
        """Whether LDim(alive) >= k."""
        if alive.bit_count() < 1 << k:
            return False
        if k == 0:
            return True
        known = self._at_least.get((alive, k))
        if known is None:
            known = any(
                self.at_least(small, k - 1) and self.at_least(large, k - 1)
                for small, large in self._splits(alive, 1 << (k - 1))
            )
            self._at_least[alive, k] = known
        return known

    def _splits(self, alive: int, least: int) -> Iterator[tuple[int, int]]:
        """Distinct splits of ``alive`` with both sides at least ``least``, most balanced first."""
        size = alive.bit_count()
        splits = set()
        for column in self._columns:
            ones = alive & column
            count = ones.bit_count()
            if least <= count <= size - least:
                zeros = alive ^ ones
                splits.add(
                    (ones, zeros) if (count, ones) <= (size - count, zeros) else (zeros, ones)
                )
        return iter(sorted(splits, key=lambda split: -split[0].bit_count()))
