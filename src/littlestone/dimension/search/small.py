"""Plain memoised recursion with a budget of work, for many small version spaces of one table."""

from __future__ import annotations

from collections.abc import Sequence

from littlestone.dimension.search.binary_splits import LittlestoneSolver
from littlestone.dimension.search.splits import Split

WORK = 100_000  # columns looked at before a question is given to the engine: a tenth second


class TooHardError(Exception):
    """The budget of work is used up; the results so far are kept."""


class BoundedSolver(LittlestoneSolver):
    """The solver with a budget of columns to look at."""

    def __init__(self, columns: Sequence[int], budget: int) -> None:
        super().__init__(columns)
        self.budget = budget

    def _search(self, alive: int, k: int, splits: Sequence[Split]) -> Split | None:
        self.budget -= len(splits)
        if self.budget < 0:
            raise TooHardError
        return super()._search(alive, k, splits)
