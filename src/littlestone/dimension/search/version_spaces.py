"""Littlestone dimensions of many version spaces of one table, with shared results."""

from __future__ import annotations

from collections import OrderedDict
from collections.abc import Iterable
from threading import Event, RLock, Thread
from typing import Any

import numpy as np
from numpy.typing import NDArray

from littlestone.base.work import count_search, searchable
from littlestone.dimension.littlestone import GIB, POLL, room_for_bounds
from littlestone.dimension.search.engine import Engine
from littlestone.dimension.search.splits import WORK, BoundedSolver, TooHardError
from littlestone.dimension.tables import PackedTable, functions, pack

_RECENT = 128  # version spaces that a new one is compared with
_TURN = 1 << 8  # version spaces searched before it is the other side's turn
_UNLIMITED = 1 << 60
_ASKED = 50  # steps of a question to the engine, which waits for a thread
_NODE = 3  # steps of a version space that the engine searches, of 10 microseconds or more
_WORK = 1 << 11  # units of its work in a step: version spaces of many functions take longer


class VersionSpaces:
    """Dimensions of version spaces of one table of 0s and 1s; results are kept for later questions.

    ``columns[j]`` is a mask over functions: bit i is the value of function i at point j.  A version
    space is a mask of surviving functions; equal functions are legal.

    Plain recursion searches small version spaces.  The compiled engine takes over for good after one
    question has read ``work`` columns, or at once if there are more than ``work`` entries.  Its table
    of bounds is kept too and identifies a version space by its content, however it was reached.  Both
    searches first try the known bounds of the same mask, LDim(V) <= log2 |V|, and
    V <= W => LDim(V) <= LDim(W) with the latest masks.

    Threads may share one object, which answers one question at a time.  Ctrl+C ends a question but
    keeps the results so far.  A copy or a pickle holds only the columns, because the other results
    reveal the records that asked for them.

    >>> spaces = VersionSpaces([0b0001, 0b0011, 0b0111])  # thresholds on 3 points
    >>> spaces.dimension(0b1111), spaces.at_least(0b1100, 1), spaces.keeps(0b1111, 0b0111)
    (2, True, False)
    """

    def __init__(
        self, columns: Iterable[int], *, work: int = WORK, memory_limit: int = 8 * GIB
    ) -> None:
        self._columns = tuple(columns)
        self._work, self._memory_limit = work, memory_limit
        # The functions from here on are 0 at every point, so one stands for all.
        self._width = max((column.bit_length() for column in self._columns), default=0)
        self._prepare()

    def _prepare(self) -> None:
        # What is known of masks: low <= LDim < fails.
        self._low: dict[int, int] = {}
        self._fails: dict[int, int] = {}
        self._lock = RLock()
        self._recent: OrderedDict[int, None] = OrderedDict()
        self._solver: BoundedSolver | None = BoundedSolver(self._columns, self._work)
        self._engine: Engine | None = None
        self._resting = Event()  # set while no question is with the engine
        self._resting.set()
        self._root = 0  # the mask that the engine has gone over to
        self._rows: NDArray[np.uint64]
        self._first: NDArray[np.int64] | None  # of the functions equal to function i; None if alone

    def __getstate__(self) -> dict[str, Any]:
        kept = ("_columns", "_work", "_memory_limit", "_width")
        return {name: self.__dict__[name] for name in kept}

    def __setstate__(self, state: dict[str, Any]) -> None:
        self.__dict__.update(state)
        self._prepare()

    def dimension(self, alive: int) -> int:
        """LDim of the version space ``alive``; -1 when it is empty."""
        with self._lock:
            alive = self._trim(alive)
            low, fails = self._bounds(alive)
            k = max(low + 1, (fails - 1) // 2)  # below, a refutation is rare
            while low + 1 < fails:
                if self._ask(alive, k):
                    low = k
                else:
                    fails = k
                k = low + 1
            return low

    def at_least(self, alive: int, k: int) -> bool:
        """Whether LDim(alive) >= k."""
        with self._lock:
            return bool(self._ask(self._trim(alive), k))

    def keeps(self, alive: int, side: int) -> bool:
        """Whether LDim(side) = LDim(alive), for a side of a point that splits ``alive``.

        One side at most keeps the dimension, or a point splits ``alive`` into two of LDim(alive).
        So the two sides are searched by turns: often it is easier to see that the other one does.
        """
        with self._lock:
            alive, side = self._trim(alive), self._trim(side)
            k = self.dimension(alive)
            other = alive & ~side
            turn = _TURN
            while True:
                answer = self._ask(side, k, turn if other else _UNLIMITED)
                # One side keeps the dimension, so the other one does not.
                if answer and other:
                    self._fails[other] = min(k, self._fails.get(other, k))
                if answer is not None:
                    return answer
                if self._ask(other, k, turn):
                    self._fails[side] = min(k, self._fails.get(side, k))
                    return False
                turn *= 4

    def _trim(self, alive: int) -> int:
        rest = alive >> self._width
        return alive if rest < 2 else alive & ((1 << self._width) - 1) | 1 << self._width

    def _bounds(self, alive: int) -> tuple[int, int]:
        """Known low and fails, low <= LDim(alive) < fails."""
        if alive == 0:
            return -1, 0
        low, fails = self._low.get(alive, 0), self._fails.get(alive, alive.bit_length())
        fails = min(fails, alive.bit_count().bit_length())
        if alive in self._recent:
            self._recent.move_to_end(alive)
        if low + 1 == fails:
            return low, fails
        for other in self._recent:
            common = alive & other
            # alive lies inside other: LDim(alive) <= LDim(other).
            if common == alive:
                fails = min(fails, self._fails.get(other, fails))
            # other lies inside alive: LDim(alive) >= LDim(other).
            if common == other:
                low = max(low, self._low.get(other, 0))
        self._low[alive], self._fails[alive] = low, fails
        self._recent[alive] = None
        if len(self._recent) > _RECENT:
            self._recent.popitem(last=False)
        return low, fails

    def _ask(self, alive: int, k: int, nodes: int = _UNLIMITED) -> bool | None:
        """Whether LDim(alive) >= k; None if the engine needs more than ``nodes`` nodes."""
        low, fails = self._bounds(alive)
        if k <= low or k >= fails:
            return k <= low
        answer = self._search(alive, k, nodes)
        if answer is not None:
            known = self._low if answer else self._fails
            known[alive] = k
        return answer

    def _search(self, alive: int, k: int, nodes: int) -> bool | None:
        if self._solver is not None:
            if alive.bit_count() * len(self._columns) <= self._work:
                self._solver.budget = self._work
                try:
                    return self._solver.at_least(alive, k)
                except TooHardError:
                    pass
            self._solver = None  # its memory is better used by the engine
        engine, allowed = self._engine_of(alive), searchable()
        work = _UNLIMITED
        if allowed is not None:
            nodes, work = min(nodes, allowed // _NODE + 1), (allowed + 1) * _WORK
        before, worked = engine.nodes, engine.work
        answer = self._ask_in_thread(engine, k, nodes, work)
        count_search(_ASKED + max(_NODE * (engine.nodes - before), (engine.work - worked) // _WORK))
        return answer

    def _engine_of(self, alive: int) -> Engine:
        """The engine, gone over to ``alive``."""
        self._halt()
        if self._engine is None:
            everything = np.arange(self._width + 1)
            self._rows = pack(self._columns, everything)
            places: dict[bytes, int] = {}
            first = [places.setdefault(row.tobytes(), i) for i, row in enumerate(self._rows)]
            self._first = None
            if len(places) <= self._width:
                self._first = np.array(first, np.int64)
            whole = PackedTable(self._rows, len(self._columns), everything)
            room = room_for_bounds(whole, self._memory_limit)
            self._engine = Engine(self._table(alive), room, rows=len(self._rows))
            self._root = alive
        elif self._root != alive:
            self._root = 0  # until it is done; Ctrl+C may come between
            self._engine.move(self._table(alive))
            self._root = alive
        return self._engine

    def _table(self, alive: int) -> PackedTable:
        chosen = functions(alive)
        if self._first is not None:
            chosen = np.unique(self._first[chosen])
        return PackedTable(self._rows[chosen], len(self._columns), chosen)

    def _ask_in_thread(self, engine: Engine, k: int, nodes: int, work: int) -> bool | None:
        """Ask the engine in a thread of its own, so that Ctrl+C is heard."""
        answers: list[bool | None] = []
        failures: list[BaseException] = []

        def ask() -> None:
            try:
                answers.append(engine.at_least(k, nodes, work=work))
            except BaseException as failure:
                failures.append(failure)
            finally:
                resting.set()

        resting = self._resting
        engine.resume()
        # Not join(): when Ctrl+C interrupts that, Python 3.11 takes a running thread for an ended one.
        worker = Thread(target=ask, daemon=True)
        try:
            resting.clear()
            worker.start()
            while not resting.wait(POLL):
                pass
        finally:
            if worker.ident is None:  # interrupted before it began
                resting.set()
            self._halt()
        if failures:
            raise failures[0]
        return answers[0]

    def _halt(self) -> None:
        """End what an interrupted question may have left running."""
        while self._engine is not None and not self._resting.is_set():
            self._engine.stop()
            self._resting.wait(POLL)
