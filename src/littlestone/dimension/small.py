"""Small tables, solved by plain memoised recursion: no compilation, no numba."""

from __future__ import annotations

import sys
from collections.abc import Sequence

from littlestone.dimension.bounds import Bounds
from littlestone.dimension.littlestone import LittlestoneSolver
from littlestone.dimension.refutation import Refutation
from littlestone.dimension.splits import Split
from littlestone.dimension.table import PackedTable, Restrictions
from littlestone.dimension.tree import MistakeTree

WORK = 100_000  # columns looked at before a table is given to the compiled engine: a tenth second
QUICK = 1_000  # the same where the engine is there already: a millisecond
ENGINE = "littlestone.dimension.engine.driver"


class TooHardError(Exception):
    """The budget of work is used up; what was found until then is kept."""


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


def dimension_of_small(table: PackedTable) -> int | None:
    """The dimension, unless the engine is expected to find it sooner.

    The engine is loaded in half a second, and then it is quick.  So who answers depends on what has
    been done before.  The dimension does not, but a tree or a refutation would: `solve_small` makes
    those.
    """
    work = QUICK if ENGINE in sys.modules else WORK
    if table.size * table.points > work:
        return None
    try:
        return BoundedSolver(table.masks, work).dimension((1 << table.size) - 1)
    except TooHardError:
        return None


def solve_small(table: PackedTable, *, certificate: bool, work: int = WORK) -> Bounds | None:
    """The bounds of a table within a budget of work; None if it does not suffice."""
    if table.size * table.points > work:
        return None
    solver = BoundedSolver(table.masks, work)
    alive = (1 << table.size) - 1
    try:
        dimension = solver.dimension(alive)
        tree = _tree(solver, table, alive, dimension)
        proof = _refutation(solver, table, alive, dimension + 1) if certificate else None
    except TooHardError:
        return None
    return Bounds(dimension, dimension, tree, proof)


def _tree(solver: LittlestoneSolver, table: PackedTable, alive: int, depth: int) -> MistakeTree:
    level, points = [alive], []
    for k in range(depth - 1, -1, -1):
        below = []
        for V in level:
            x = next(
                x
                for x, column in enumerate(table.masks)
                if solver.at_least(V & column, k) and solver.at_least(V & ~column, k)
            )
            points.append(x)
            below += [V & ~table.masks[x], V & table.masks[x]]
        level = below
    leaves = [int(table.names[(V & -V).bit_length() - 1]) for V in level]
    return MistakeTree(tuple(points), tuple(leaves))


def _refutation(solver: LittlestoneSolver, table: PackedTable, alive: int, k: int) -> Refutation:
    """Every side that is needed becomes a claim of its own."""
    claims: dict[tuple[int, int], tuple[Restrictions, int]] = {(alive, k): ((), k)}
    waiting = [(alive, k)]
    while waiting:
        V, j = waiting.pop()
        path = claims[V, j][0]
        if V.bit_count() < 1 << j:
            continue
        for x, column in enumerate(table.masks):
            ones = V & column
            label = int(ones.bit_count() <= V.bit_count() - ones.bit_count())
            side = ones if label else V & ~column
            if solver.at_least(side, j - 1):
                label, side = 1 - label, V ^ side
            if side.bit_count() >= 1 << (j - 1) and (side, j - 1) not in claims:
                claims[side, j - 1] = ((*path, 2 * x + label), j - 1)
                waiting.append((side, j - 1))
    return Refutation(tuple(claims.values()), table.digest)
