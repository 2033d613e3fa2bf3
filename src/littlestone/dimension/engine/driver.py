"""One table, its working memory, and the questions that can be asked of them."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager

import numpy as np
from numpy.typing import NDArray

from littlestone.dimension.engine.helping import NO_POINTS, Helper
from littlestone.dimension.engine.packing import load
from littlestone.dimension.engine.planting import descend
from littlestone.dimension.engine.search import decide
from littlestone.dimension.engine.state import (
    NODE_LIMIT,
    NODES,
    ROWS,
    STOP,
    SYMMETRIC,
    WORK,
    WORK_LIMIT,
    allocate,
)
from littlestone.dimension.refutation import Refutation
from littlestone.dimension.symmetry.learning import NEVER, Symmetry
from littlestone.dimension.table import PackedTable, Restrictions
from littlestone.dimension.tree import MistakeTree


class Engine:
    """Decides LDim >= k for one table; what is learnt stays for later questions."""

    def __init__(self, table: PackedTable, table_bytes: int, *, rows: int = 0) -> None:
        self._state = allocate(max(rows, table.size), table.points, table_bytes)
        self._helper: Helper | None = None
        self._stopped = False
        self.move(table)

    def move(self, table: PackedTable) -> None:
        """Go over to another table on the same points, with no more than ``rows`` rows.

        Rows are to be in one order in all of them: a version space is known by its content.
        """
        self._table, state = table, self._state
        load(state, table.rows, table.points)
        # What is learnt about the sets of restrictions of one table is not true of another.
        state.path[0] = state.key[0]
        state.shared[SYMMETRIC] = state.place[0] = 0
        self._symmetry = Symmetry(table, self.work)

    @property
    def nodes(self) -> int:
        """Version spaces searched so far."""
        helped = 0 if self._helper is None else self._helper.nodes
        return int(self._state.control[NODES]) + helped

    @contextmanager
    def helped(self) -> Iterator[None]:
        """Have a second thread search beside this one, where a block of questions takes long."""
        self._helper = Helper(self._state)
        try:
            yield
        finally:
            self._helper.close()

    def stop(self) -> None:
        """Make the question that is being asked return None, soon, and those that follow."""
        self._stopped = True
        self._state.control[STOP] = 1

    def resume(self) -> None:
        """Allow questions again, of any length."""
        self._stopped = False
        self._state.control[STOP] = 0
        self._state.control[NODE_LIMIT] = 1 << 62

    @property
    def work(self) -> int:
        """Units of work done so far by this search; one takes about 4 nanoseconds."""
        return int(self._state.control[WORK])

    def at_least(
        self, k: int, nodes: int = 1 << 60, *, work: int = NEVER, alone: bool = True
    ) -> bool | None:
        """Whether LDim >= k; None if stopped, or if it takes more version spaces or units of work.

        A helper, if there is one, is told of the question unless it is to be answered ``alone``.
        """
        rows = self._table.size
        if rows < 1 << k:
            return False
        if k < 2:
            return True
        if k == 2:
            return bool(self._state.frame[0, 3])
        if self._stopped:
            return None
        control, helper = self._state.control, None if alone else self._helper
        control[NODE_LIMIT], until = control[NODES] + nodes, self.work + work
        while True:
            control[WORK_LIMIT] = due = min(until, self._symmetry.due)
            if helper is not None:
                helper.begin(k, int(control[NODE_LIMIT] - control[NODES]))
            answer = int(decide(self._state, 0, -1, 0, k, -1, NO_POINTS))
            if helper is not None:
                other = helper.end()
                answer = other if answer < 0 else answer
                control[STOP] = self._stopped  # the helper may have set it
            control[WORK_LIMIT] = NEVER
            if answer >= 0 or self._stopped or self.work < due or due == until:
                return None if answer < 0 else bool(answer)
            if self._symmetry.learn(self._state.orbits, self.work, lambda: self._stopped):
                self._state.shared[SYMMETRIC] = 1

    def tree(self, depth: int) -> MistakeTree:
        """A shattered tree, where LDim >= depth is known."""
        leaves = 1 << depth
        points = np.full(leaves - 1, -1, np.int64)
        if depth >= 2 and decide(self._state, 0, -1, 0, depth, 0, points) != 1:
            raise RuntimeError("the search did not find the tree again")
        index, ends = np.arange(self._table.size), np.empty(leaves + 1, np.int64)
        descend(self._table.rows, points, index, ends)
        return MistakeTree(
            tuple(points.tolist()), tuple(self._table.names[index[ends[:-1]]].tolist())
        )

    def refutation(self, k: int) -> Refutation | None:
        """Claims that prove LDim < k, where that is known; None if stopped."""
        claims: list[tuple[Restrictions, int]] = [((), k)]
        if self._table.size >= 1 << k and k >= 2:
            self._claim(claims, set(), set(), (), k)
        if self._stopped:
            return None
        return Refutation(tuple(claims), self._table.digest)

    def _claim(
        self,
        claims: list[tuple[Restrictions, int]],
        named: set[frozenset[int]],
        seen: set[tuple[int, int, int]],
        path: Restrictions,
        k: int,
    ) -> None:
        """Append what the claim LDim < k about the frame of a path rests on.

        ``named`` are the paths, in any order, of sides whose claims are there; ``seen`` are their keys.
        """
        # Imported here, because its kernels are for certificates alone.
        from littlestone.dimension.sides import Sides

        state, depth = self._state, len(path)
        sides = Sides(self._columns(depth), int(state.frame[depth, ROWS]), k)
        for j in sides.open:
            if sides.inside(j):
                continue
            for side in sides.smaller_first(j):
                if self._stopped:
                    return
                below = (*path, int(state.origin[depth, j]) ^ side)
                if frozenset(below) in named or sides.counts_out(j, side):
                    sides.bury(j, side)
                    break
                if decide(state, depth, j, side, k - 1, -1, NO_POINTS) == 0:
                    sides.bury(j, side)
                    named.add(frozenset(below))
                    key = (int(state.key[depth + 1, 0]), int(state.key[depth + 1, 1]), k - 1)
                    if key not in seen:
                        seen.add(key)
                        claims.append((below, k - 1))
                        self._claim(claims, named, seen, below, k - 1)
                    break

    def _columns(self, depth: int) -> NDArray[np.uint64]:
        """The columns of a frame: reduced, in the order of the frame."""
        offset, _, words, columns = map(int, self._state.frame[depth])
        return self._state.arena[offset : offset + columns * words].reshape(columns, words)
