"""Searches that can be stopped, and the solver on splits of bit masks.

It finds binary, multiclass and Psi-Littlestone dimensions.  The splits of a finite 0/1 table are its
columns.  `BoundedSolver` has a budget of work, for many small version spaces of one table.
"""

from __future__ import annotations

import time
from collections.abc import Iterable, Iterator, Sequence
from contextlib import contextmanager, suppress
from contextvars import ContextVar
from dataclasses import dataclass
from typing import Generic, TypeVar

from littlestone.base.errors import DeclarationError, show_value
from littlestone.base.work import count_search

Witness = TypeVar("Witness")

_deadline: ContextVar[float | None] = ContextVar("when a search stops", default=None)


@dataclass(frozen=True)
class Bracket(Generic[Witness]):
    """lower <= dimension <= upper; ``witness`` proves lower, and ``above`` says what proves upper."""

    lower: int
    upper: int
    witness: Witness
    above: str

    @property
    def is_settled(self) -> bool:
        """Whether the dimension is known."""
        return self.lower == self.upper


class OutOfTimeError(Exception):
    """The time limit of a search is over; its last bracket is what is known."""


@contextmanager
def time_limit(seconds: float | None) -> Iterator[None]:
    """Make `look` raise `OutOfTimeError` in the block after ``seconds`` seconds; None sets no limit."""
    if seconds is not None and not (isinstance(seconds, int | float) and seconds >= 0):
        raise DeclarationError(
            f"search for {show_value(seconds)} seconds",
            found="the time limit is not a number of seconds, 0 or more",
            fix="give a number such as 60, or None for no limit",
        )
    token = _deadline.set(None if seconds is None else time.monotonic() + seconds)
    try:
        yield
    finally:
        _deadline.reset(token)


def look() -> None:
    """Stop the search if its time is over.  Long searches call this again and again."""
    deadline = _deadline.get()
    if deadline is not None and time.monotonic() > deadline:
        raise OutOfTimeError


def last(brackets: Iterable[Bracket[Witness]], seconds: float | None) -> Bracket[Witness]:
    """The last bracket of a search that ends by itself or after ``seconds`` seconds.

    The first one must come before the search looks at the clock.

    >>> last([Bracket(0, 2, "none", "columns"), Bracket(1, 1, "x0", "search")], 60).is_settled
    True
    """
    known: list[Bracket[Witness]] = []
    with time_limit(seconds), suppress(OutOfTimeError):
        for bracket in brackets:
            known = [bracket]
    return known[0]


Split = tuple[int, int]
"""Two disjoint masks of hypotheses: those that answer 0 and those that answer 1."""


class SplitSolver:
    """The Littlestone dimension of every version space of one list of splits.

    A version space is a mask V of the hypotheses that are left.  A split (m0, m1) is a pair of disjoint
    masks.  The dimension is

        LD(V) = max over the splits of 1 + min(LD(V & m0), LD(V & m1)),

    over the splits for which V & m0 and V & m1 are not empty.  LD(V) = 0 if no split separates V, and
    LD(empty) = -1.  Hypotheses outside both masks are lost.  A binary class has one split per point: a
    column and its complement.  A Psi-Littlestone dimension (BGS21, Definition 4.4) has one split per
    point and map.

    The solver asks whether LD(V) >= k for k = 1, 2, ..., by these rules.

    1. The leaves of a shattered tree are distinct hypotheses.  So V has at least 2^k hypotheses, and
       each side of a useful split has at least 2^(k-1).
    2. The most balanced splits are tried first, and of each split the smaller side.
    3. If a side fails, every subset of it fails too, because LD is monotone.
    4. A split that does not separate V is dropped for all descendants of V.  If several splits are
       equal on V, one is kept.

    The solver keeps bounds and shares them between version spaces.  A copy or a pickle leaves them out,
    because they reveal the records that led to the questions.  The time is exponential in the worst
    case.  Tables with tens of hypotheses and structured tables are fast.

    >>> SplitSolver([(0b1110, 0b0001), (0b1100, 0b0011), (0b1000, 0b0111)]).dimension(0b1111)
    2
    """

    def __init__(self, splits: Iterable[Split]) -> None:
        self._splits = tuple(splits)
        self._distinct = tuple(dict.fromkeys(self._splits))
        # Known bounds: low[V] <= LD(V) < fails[V].
        self._low: dict[int, int] = {}
        self._fails: dict[int, int] = {}
        # The split of V that proved low[V].
        self._proof: dict[int, Split] = {}

    def __reduce__(self) -> tuple[object, ...]:
        return SplitSolver, (self._splits,)

    def dimension(self, alive: int) -> int:
        """LD of the version space ``alive``; -1 if it is empty."""
        known = self._low.get(alive, -1)
        while self.at_least(alive, known + 1):
            known += 1
        return known

    def at_least(self, alive: int, k: int) -> bool:
        """Whether LD(alive) >= k."""
        return self._at_least(alive, k, self._distinct)

    def _at_least(self, alive: int, k: int, splits: Sequence[Split]) -> bool:
        """Whether LD(alive) >= k.  Splits outside ``splits`` cannot help to show it."""
        # Rule 1: fewer than 2^k hypotheses cannot be the leaves of a tree of depth k.
        if alive.bit_count() < 1 << max(k, 0):
            return k < 0
        if k <= self._low.get(alive, 0):
            return True
        if k >= self._fails.get(alive, k + 1):
            return False
        proof = self._search(alive, k, splits)
        if proof is None:
            self._fails[alive] = k
            return False
        self._low[alive], self._proof[alive] = k, proof
        return True

    def _search(self, alive: int, k: int, splits: Sequence[Split]) -> Split | None:
        """A split of ``alive`` into two sides with LD >= k - 1 >= 0; None if there is none."""
        look()
        count_search(1 + len(splits) // 32)
        # Any split with two nonempty sides has LD >= 0 on both.
        if k == 1:
            pairs = ((zero & alive, one & alive) for zero, one in splits)
            return next((split for split in pairs if split[0] and split[1]), None)
        least = 1 << (k - 1)
        candidates: dict[Split, int] = {}
        for zero, one in splits:
            one &= alive
            ones = one.bit_count()
            if ones >= least:
                zero &= alive
                zeros = zero.bit_count()
                if zeros >= least:
                    # Rule 2: the smaller side fails more often, so it is asked first.
                    small_first = zeros < ones or (zeros == ones and zero < one)
                    split = (zero, one) if small_first else (one, zero)
                    candidates[split] = min(zeros, ones)
        if candidates and k > 3:  # near the leaves this costs more than it saves
            restricted = ((zero & alive, one & alive) for zero, one in splits)
            splits = list(dict.fromkeys(split for split in restricted if split[0] and split[1]))
        failed: list[int] = []
        for split in sorted(candidates, key=candidates.__getitem__, reverse=True):
            first, second = split
            # Rule 3: a side inside one that failed fails as well.
            if any(first | fails == fails or second | fails == fails for fails in failed):
                continue
            for side in split:
                if not self._at_least(side, k - 1, splits):
                    failed.append(side)
                    break
            else:
                return split
        return None

    def tree(self, alive: int, depth: int | None = None) -> SplitTree:
        """A shattered tree of ``depth`` <= LD(alive), by default LD(alive) >= 0: 2^depth leaves."""
        depth = self.dimension(alive) if depth is None else depth
        spaces, chosen = [alive], []
        for k in range(depth, 0, -1):
            below = []
            for space in spaces:
                self.at_least(space, k)
                proof = self._proof[space]
                number = next(
                    i
                    for i, (zero, one) in enumerate(self._splits)
                    if (zero & space, one & space) in (proof, proof[::-1])
                )
                chosen.append(number)
                below += [side & space for side in self._splits[number]]
            spaces = below
        return SplitTree(tuple(chosen), tuple(map(_lowest, spaces)))


@dataclass(frozen=True)
class SplitTree:
    """A complete binary tree of splits, stored as a heap.

    The answer 0 at node i leads to node 2i + 1, and the answer 1 to node 2i + 2.  ``splits`` are
    the numbers of the splits at the 2^d - 1 inner nodes, with the root first.  ``leaves`` are the
    hypotheses at the 2^d leaves, from left to right.
    """

    splits: tuple[int, ...]
    leaves: tuple[int, ...]

    @property
    def depth(self) -> int:
        """The number d of answers on every path from the root to a leaf."""
        return len(self.leaves).bit_length() - 1


def paths(leaves: int) -> Iterable[list[tuple[int, int]]]:
    """The path of each leaf of a heap, as pairs (inner node, answer) from the leaf up to the root.

    >>> list(paths(2))
    [[(0, 0)], [(0, 1)]]
    """
    for leaf in range(leaves - 1, 2 * leaves - 1):
        path, node = [], leaf
        while node:
            path.append(((node - 1) // 2, 1 - node % 2))
            node = (node - 1) // 2
        yield path


def _lowest(mask: int) -> int:
    """The smallest number of a hypothesis in a nonempty mask."""
    return (mask & -mask).bit_length() - 1


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
