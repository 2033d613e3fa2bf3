"""The exact Littlestone dimension of a finite table, with proofs of its bounds; mistake trees."""

from __future__ import annotations

import os
import time
from collections.abc import Callable
from math import ceil
from threading import Event, Thread
from typing import TypeAlias

import numpy as np

from littlestone.base.errors import DeclarationError, TooLargeError, show_value
from littlestone.dimension.search.engine import Engine
from littlestone.dimension.tables import PackedTable, TableOrClass
from littlestone.dimension.tree import Bounds, InterruptedSolve, MistakeTree

Progress: TypeAlias = Callable[[int, int, int, float], object]

GIB = 1 << 30
POLL = 0.05  # seconds between two looks at the clock
BRIEF = 1 << 21  # work done before there is a clock to look at: some milliseconds
FIRST_BUDGET = 1 << 10  # version spaces of a question with which the other bound is not yet known
UNLIMITED = 1 << 60


def littlestone_dimension(
    table_or_class: TableOrClass,
    *,
    progress: Progress | None = None,
    jobs: int | None = None,
    memory_limit: int = 8 * GIB,
) -> int:
    """The Littlestone dimension of a 0/1 table, as an int.

        LDim(H) = max over points x of 1 + min(LDim(H[x = 0]), LDim(H[x = 1])),

    and 0 for a single function.  See `littlestone_bounds` for the arguments, and for bounds within a
    time limit.  Ctrl+C raises `InterruptedSolve`, a KeyboardInterrupt with the bounds known so far.

    >>> littlestone_dimension([[0, 0, 0], [0, 0, 1], [0, 1, 1], [1, 1, 1]])
    2
    """
    table = PackedTable.pack(table_or_class)
    solve = _Solve(table, progress, None, memory_limit, jobs)
    solve.search()
    if solve.interrupted:
        raise InterruptedSolve(solve.bounds())
    return solve.lower  # the tree is not needed


def littlestone_bounds(
    table_or_class: TableOrClass,
    *,
    progress: Progress | None = None,
    jobs: int | None = None,
    time_limit: float | None = None,
    memory_limit: int = 8 * GIB,
) -> Bounds:
    """The Littlestone dimension with a shattered tree, or bounds of it if the search is interrupted.

    Args:
        table_or_class: a 0/1 table, in which each row is a function and each column a point, or a
            finite class with ``columns`` and ``alive`` masks.  Rows and columns may repeat.
        progress: called several times a second with (lower, upper, version spaces, seconds).
        jobs: with 1 a single thread searches.  With more, or with None on a machine with several
            cores, a second thread helps after a tenth of a second.  The dimension is the same; the tree
            may be another one.
        time_limit: seconds after which the bounds known so far are returned.
        memory_limit: the most bytes of working memory.

    `Certificate.of` proves the bounds.  Ctrl+C also returns those known so far, with ``interrupted``
    set.  Raises
    `DeclarationError` for anything but a 0/1 table or class, and if more than ``memory_limit`` is
    needed.

    The time is exponential in the worst case.

    >>> bounds = littlestone_bounds([[0, 0, 0], [0, 0, 1], [0, 1, 1], [1, 1, 1]])
    >>> bounds.dimension, bounds.tree.points
    (2, (1, 2, 0))
    """
    if time_limit is not None and not (isinstance(time_limit, int | float) and time_limit >= 0):
        raise DeclarationError(
            f"solve within {show_value(time_limit)} seconds",
            found="the time limit is not a number of seconds, 0 or more",
            fix="give a number such as 60, or None for no limit",
        )
    table = PackedTable.pack(table_or_class)
    solve = _Solve(table, progress, time_limit, memory_limit, jobs)
    solve.search()
    return solve.bounds()


class _Solve:
    """A solve: the engine runs in its own thread, and this thread watches the clock and Ctrl+C."""

    def __init__(
        self,
        table: PackedTable,
        progress: Progress | None,
        time_limit: float | None,
        memory_limit: int,
        jobs: int | None = None,
    ) -> None:
        self._began = time.monotonic()
        self._progress, self._limit = progress, time_limit
        self.lower = 0
        self.upper = self._counted = table.size.bit_length() - 1
        self.interrupted = self.timed_out = False
        self._k, self._budget = 0, FIRST_BUDGET
        self._done = Event()
        self._failure: BaseException | None = None
        room = room_for_bounds(table, memory_limit)
        # A second search has frames of its own.
        helped = memory_limit - room >= 2 * bytes_of_frames(table)
        self._jobs = (cores() if jobs is None else jobs) if helped else 1
        self._engine = Engine(table, room)

    def search(self) -> None:
        """Search until the bounds meet or the search is interrupted."""
        try:
            # What a look at the whole table refutes is counting, too.
            while self.lower < self.upper and self._ask(self.upper, 1, BRIEF) is False:
                self._counted = self.upper
            self._deepen(BRIEF)
        except KeyboardInterrupt:
            self.interrupted = True
        if self.interrupted or self.lower == self.upper:
            return
        # Not join(): if Ctrl+C interrupts it, Python 3.11 believes that the running thread has ended.
        Thread(target=self._deepen_in_thread, daemon=True).start()
        pressed = False
        while not self._done.is_set():
            try:
                self._done.wait(POLL)
                seconds = time.monotonic() - self._began
                if self._limit is not None and seconds > self._limit and not self.interrupted:
                    self.interrupted = self.timed_out = True
                if self._progress is not None:
                    self._progress(self.lower, self.upper, self._engine.nodes, seconds)
            except KeyboardInterrupt:
                self.interrupted = pressed = True
            except BaseException:
                self.interrupted = True
                self._engine.stop()
                self._done.wait()
                raise
            if self.interrupted:
                self._engine.stop()
        if self._failure is not None:
            raise self._failure
        # A press that came as the bounds met is not forgotten: what follows may be long.
        self.interrupted = pressed or self.lower < self.upper

    def bounds(self) -> Bounds:
        """The bounds known so far, with a tree."""
        self._engine.resume()
        tree, pressed = None, False
        while tree is None:  # this is quick, and a Ctrl+C must not lose the bounds
            try:
                tree = self._engine.tree(self.lower)
            except KeyboardInterrupt:
                self.interrupted = pressed = True
        timed_out = self.interrupted and self.timed_out and not pressed
        return Bounds(self.lower, self.upper, tree, self.interrupted, timed_out)

    def _deepen(self, work: int = UNLIMITED) -> None:
        """Raise the lower bound; where that stalls, lower the upper one.

        Until a search refutes a question, a yes is followed by the question about the upper bound,
        which is often the dimension.  After that, the gap is halved.
        Only the last question, whether LDim >= lower + 1 = upper, has no budget of version spaces.
        What a question that ran out of budget has learnt stays in the table, so asking it again costs
        little.  It returns after that much work, and can be called again to continue.
        """
        while self.lower < self.upper and not self.interrupted:
            k = self._k or max(
                1, self.upper // 2
            )  # smaller k are rarely refuted, and then it is quick
            enough = max(self._budget, (1 << k) // 4)  # a tree alone has 2^k leaves
            answer = self._ask(k, enough if self.lower + 1 < self.upper else UNLIMITED, work)
            if answer is None and self._engine.work >= work:
                return
            # If not, it was too far, or is hard to tell.
            step = self.upper - k if answer else max(1, (k - self.lower) // 2)
            if answer is None and step == 1:
                while self.lower + 1 < self.upper:
                    if self._ask(self.upper, self._budget // 8, work) is not False:
                        break
                self._budget *= 4
            half = (self.lower + self.upper + 1) // 2
            most = half if self.upper < self._counted else self.upper
            self._k = min(self.lower + step, most)

    def _ask(self, k: int, nodes: int, work: int) -> bool | None:
        """Whether LDim >= k, noted in the bounds; None if it needs more nodes or work."""
        # A question far below the dimension mostly finds a tree, which two find no faster than one.  So
        # the second search first goes ahead to a later question, unless this is about the upper bound.
        ahead = k if k == self.upper else max(k + 1, self.upper - 1)
        # Both answers are exact, so each moves one bound; None moves neither.
        answer = self._engine.at_least(k, nodes, work=work - self._engine.work, ahead=ahead)
        if answer:
            self.lower = k
        elif answer is False:
            self.upper = k - 1
        return answer

    def _deepen_in_thread(self) -> None:
        try:
            if self._jobs > 1:
                self._engine.help()
            self._deepen()
        except BaseException as failure:
            self._failure = failure
        finally:
            self._done.set()


def cores() -> int:
    """The processors that this process may use."""
    if hasattr(os, "sched_getaffinity"):
        return len(os.sched_getaffinity(0))
    return os.cpu_count() or 1


def bytes_of_frames(table: PackedTable) -> int:
    """The most bytes that the frames of a search take."""
    depth = table.size.bit_length() + 1
    points = table.points + 256
    return depth * (table.size // 8 * 2 * points + 4 * points**2 + 100 * points)


def room_for_bounds(table: PackedTable, memory_limit: int) -> int:
    """The bytes left for the table of bounds; `TooLargeError` if the frames leave too few."""
    frames = bytes_of_frames(table)
    room = memory_limit - frames
    if room < 1 << 24:
        enough = ceil((frames + (1 << 24)) / GIB)
        raise TooLargeError(
            f"solve a table of {table.size:,} hypotheses on {table.points:,} points",
            found=f"it may take {frames / GIB:.2g} GiB, the limit is {memory_limit / GIB:.2g}; by "
            f"counting hypotheses, the dimension is between 1 and {table.size.bit_length() - 1}",
            fix=f"allow {enough} GiB (--memory-limit {enough}, or memory_limit={enough} << 30), or "
            "leave out points that agree with others",
        )
    return min(room, GIB)


def mistake_tree(table_or_class: TableOrClass) -> MistakeTree:
    """A shattered tree of the largest depth, which is the Littlestone dimension.

    >>> table = [[0, 0, 0], [0, 0, 1], [0, 1, 1], [1, 1, 1]]
    >>> tree = mistake_tree(table)
    >>> tree.points, tree.leaves, is_shattered_by(table, tree)
    ((1, 2, 0), (0, 1, 2, 3), True)
    """
    return littlestone_bounds(table_or_class).tree


def is_shattered_by(table_or_class: TableOrClass, tree: MistakeTree) -> bool:
    """Whether every leaf of the tree answers as the path to it says; O(d 2^d), no search.

    ``tree.leaves`` are rows of the given table, the first of equal ones; ``tree.points`` are
    its columns.
    """
    table = PackedTable.pack(table_or_class)
    limit = 1 << 62  # what numpy's integers hold
    if not all(type(i) is int and abs(i) < limit for i in (*tree.points, *tree.leaves)):
        return False
    points, leaves = np.asarray(tree.points, int), np.asarray(tree.leaves, int)
    if points.size and not (points.min() >= 0 and points.max() < table.points):
        return False
    # The rows that are kept stand for all: names are the first of equal rows.
    row = np.searchsorted(table.names, leaves).clip(max=table.size - 1)
    if not np.array_equal(table.names[row], leaves):
        return False
    # Level by level, all leaves at once: at the node above a leaf on this level, its answer must be
    # the leaf's bit.
    for level in range(tree.depth):
        path = np.arange(len(leaves)) >> (tree.depth - level)
        answer = np.arange(len(leaves)) >> (tree.depth - level - 1) & 1
        x = points[(1 << level) - 1 + path]
        given = table.rows[row, x >> 6] >> (x & 63).astype(np.uint64) & np.uint64(1)
        if not np.array_equal(given.astype(int), answer):
            return False
    return True
