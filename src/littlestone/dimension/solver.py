"""The Littlestone dimension of a finite table, exactly, with proofs of both of its bounds."""

from __future__ import annotations

import time
from collections.abc import Callable
from threading import Event, Thread, Timer
from typing import Literal, TypeAlias, overload

from littlestone.dimension.bounds import Bounds, InterruptedSolve
from littlestone.dimension.small import solve_small
from littlestone.dimension.table import PackedTable, TableOrClass
from littlestone.errors import DeclarationError, shown

Progress: TypeAlias = Callable[[int, int, int, float], object]

GIB = 1 << 30
POLL = 0.05  # seconds between two looks at the clock


@overload
def littlestone_dimension(
    table_or_class: TableOrClass,
    *,
    certificate: Literal[False] = False,
    progress: Progress | None = None,
    time_limit: None = None,
    memory_limit: int = 8 * GIB,
) -> int: ...


@overload
def littlestone_dimension(
    table_or_class: TableOrClass,
    *,
    certificate: bool = False,
    progress: Progress | None = None,
    time_limit: float | None = None,
    memory_limit: int = 8 * GIB,
) -> int | Bounds: ...


def littlestone_dimension(
    table_or_class: TableOrClass,
    *,
    certificate: bool = False,
    progress: Progress | None = None,
    time_limit: float | None = None,
    memory_limit: int = 8 * GIB,
) -> int | Bounds:
    """LDim(H) = max over points x of 1 + min(LDim(H[x = 0]), LDim(H[x = 1])); 0 for one function.

    A plain question has a plain answer, the dimension as an int; a question with ``certificate`` or
    ``time_limit`` is answered by `Bounds`, as by `littlestone_bounds`, which see.  Ctrl+C raises
    `InterruptedSolve`, a KeyboardInterrupt that carries the bounds known by then.

    >>> littlestone_dimension([[0, 0, 0], [0, 0, 1], [0, 1, 1], [1, 1, 1]])
    2
    """
    if certificate or time_limit is not None:
        return littlestone_bounds(
            table_or_class,
            certificate=certificate,
            progress=progress,
            time_limit=time_limit,
            memory_limit=memory_limit,
        )
    table = PackedTable.read(table_or_class)
    small = solve_small(table, certificate=False)
    if small is not None:
        return small.lower
    solve = _Solve(table, progress, None, memory_limit)
    solve.search()
    if solve.interrupted:
        raise InterruptedSolve(solve.bounds())
    return solve.lower  # nobody asked for the tree


def littlestone_bounds(
    table_or_class: TableOrClass,
    *,
    certificate: bool = False,
    progress: Progress | None = None,
    time_limit: float | None = None,
    memory_limit: int = 8 * GIB,
) -> Bounds:
    """The Littlestone dimension with a shattered tree, and bounds of it after an interruption.

    Args:
        table_or_class: 0/1 table, rows being functions and columns points (equal ones are legal),
            or a finite class with ``columns`` and ``alive`` masks.
        certificate: whether to add a refutation of dimension + 1 (`refutes`).
        progress: called some times a second with (lower, upper, version spaces, seconds).
        time_limit: seconds after which the bounds known by then are returned; if they are equal
            and the refutation was being written, without it.
        memory_limit: bytes of working memory that may be reserved.

    Ctrl+C too ends the solve with the bounds known by then and ``interrupted`` set.  Raises
    `DeclarationError` for what is not a 0/1 table or needs more than ``memory_limit``.

    Exponential in the worst case; small tables need no compilation, and the first large one of an
    installation waits some 20 seconds for it.

    >>> bounds = littlestone_bounds([[0, 0, 0], [0, 0, 1], [0, 1, 1], [1, 1, 1]])
    >>> bounds.dimension, bounds.tree.points
    (2, (1, 2, 0))
    """
    if time_limit is not None and not (isinstance(time_limit, int | float) and time_limit >= 0):
        raise DeclarationError(
            f"solve within {shown(time_limit)} seconds",
            found="the time limit is no number of seconds, 0 or more",
            fix="give a number such as 60, or None for no limit",
        )
    table = PackedTable.read(table_or_class)
    small = solve_small(table, certificate=certificate)
    if small is not None:
        return small
    solve = _Solve(table, progress, time_limit, memory_limit)
    solve.search()
    return solve.bounds(certificate=certificate)


class _Solve:
    """The engine in a thread of its own, while this one watches the clock and the keyboard."""

    def __init__(
        self,
        table: PackedTable,
        progress: Progress | None,
        time_limit: float | None,
        memory_limit: int,
    ) -> None:
        self._began = time.monotonic()
        self._progress, self._limit = progress, time_limit
        self.lower, self.upper = 0, table.size.bit_length() - 1
        self.interrupted = self.timed_out = False
        self._done = Event()
        self._failure: BaseException | None = None
        room = room_for_bounds(table, memory_limit)
        # Only here is the compiler needed.
        from littlestone.dimension.engine.driver import Engine

        self._engine = Engine(table, room)

    def search(self) -> None:
        """Raise the lower bound until it meets the upper one, or until interrupted."""
        # Not join(): when Ctrl+C interrupts that, Python 3.11 takes a running thread for an ended one.
        Thread(target=self._guarded, daemon=True).start()
        while not self._done.is_set():
            try:
                self._done.wait(POLL)
                seconds = time.monotonic() - self._began
                if self._limit is not None and seconds > self._limit and not self.interrupted:
                    self.interrupted = self.timed_out = True
                if self._progress is not None:
                    self._progress(self.lower, self.upper, self._engine.nodes, seconds)
            except KeyboardInterrupt:
                self.interrupted = True
            except BaseException:
                self._engine.stop()
                self._done.wait()
                raise
            if self.interrupted:
                self._engine.stop()
        if self._failure is not None:
            raise self._failure
        self.interrupted = self.lower < self.upper

    def bounds(self, *, certificate: bool = False) -> Bounds:
        """What is known, with a tree, and with a refutation if the search came to its end."""
        self._engine.resume()
        tree, proof, pressed = None, None, False
        while tree is None:  # soon done; a second Ctrl+C must not lose the bounds
            try:
                tree = self._engine.tree(self.lower)
            except KeyboardInterrupt:
                pressed = True
        if pressed and (certificate or self.interrupted):
            self.interrupted, self.timed_out = True, False
        if certificate and not self.interrupted:
            timer = None
            if self._limit is not None:
                left = max(0.0, self._limit - (time.monotonic() - self._began))
                timer = Timer(left, self._engine.stop)
                timer.daemon = True
                timer.start()
            try:
                proof = self._engine.refutation(self.upper + 1)
                self.interrupted = self.timed_out = proof is None
            except KeyboardInterrupt:
                self.interrupted, self.timed_out = True, False
            finally:
                if timer is not None:
                    timer.cancel()
        timed_out = self.interrupted and self.timed_out
        return Bounds(self.lower, self.upper, tree, proof, self.interrupted, timed_out)

    def _deepen(self) -> None:
        k = max(1, self.upper // 2)  # below, a refutation is rare; and cheap, if it comes to it
        step = 1
        while self.lower < self.upper:
            answer = self._engine.at_least(k)
            if answer is None:
                return
            if answer:
                self.lower = k
                step *= 2  # questions far from the dimension are easy, but there may be many
            else:
                self.upper = k - 1
                step = 1
            k = min(self.lower + step, self.upper)

    def _guarded(self) -> None:
        try:
            self._deepen()
        except BaseException as failure:
            self._failure = failure
        finally:
            self._done.set()


def room_for_bounds(table: PackedTable, memory_limit: int) -> int:
    """Bytes for the table of bounds; `DeclarationError` if the frames alone are too many."""
    depth = table.size.bit_length() + 1
    points = table.points + 256
    frames = depth * (table.size // 8 * 2 * points + 4 * points**2 + 100 * points)
    room = memory_limit - frames
    if room < 1 << 24:
        raise DeclarationError(
            f"solve a table of {table.size} functions on {table.points} points",
            found=f"it may take {frames / GIB:.1f} GiB, the limit is {memory_limit / GIB:.1f}",
            fix="raise memory_limit, or leave out points that agree with others",
        )
    return min(room, GIB)
