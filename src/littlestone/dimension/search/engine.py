"""One table, its working memory in the compiled core, and the questions that can be asked of them."""

from __future__ import annotations

from collections.abc import Sequence
from functools import cached_property

import numpy as np
from numpy.typing import NDArray

from littlestone import core
from littlestone.dimension.symmetry import NEVER, Permutation, Symmetry, Word
from littlestone.dimension.tables import PackedTable
from littlestone.dimension.tree import MistakeTree

PATIENCE = 0.1  # seconds that one search has for itself: most tables need no more
PLACES = 1 << 19  # points times paths whose orbits are kept


class Engine:
    """Decides LDim >= k for one table; what it learns is kept for later questions."""

    def __init__(self, table: PackedTable, table_bytes: int, *, rows: int = 0) -> None:
        self._solver = core.Solver(max(rows, table.size), table.points, table_bytes)
        self._searcher = core.Searcher.first
        self._stopped = False
        self.move(table)

    def move(self, table: PackedTable) -> None:
        """Switch to another table on the same points, with at most ``rows`` rows.

        Rows must have the same order in all of them: a version space is known by its content.
        """
        self._table = table
        self._solver.load(table.rows)
        self._symmetry = Symmetry(table, self.work)

    @cached_property
    def _orbits(self) -> NDArray[np.int32]:
        """Where the orbits of points are, once symmetries are known; see `PathOrbits`."""
        points = self._table.points
        return np.zeros((2 + PLACES // points, points, 2), np.int32)

    @property
    def nodes(self) -> int:
        """Version spaces searched so far."""
        return self._solver.nodes

    @property
    def work(self) -> int:
        """Units of work done so far by one search; one takes about 4 nanoseconds."""
        return self._solver.work

    def help(self) -> None:
        """Let a second thread search as well, if questions take long from now on."""
        self._solver.help_after(PATIENCE)
        self._searcher = core.Searcher.both

    def stop(self) -> None:
        """Make the question that is being asked return None, soon, and those that follow."""
        self._stopped = True
        self._solver.stop()

    def resume(self) -> None:
        """Allow questions again."""
        self._stopped = False
        self._solver.resume()

    def at_least(
        self, k: int, nodes: int = NEVER, *, work: int = NEVER, ahead: int | None = None
    ) -> bool | None:
        """Whether LDim >= k; None if stopped, or if it needs more version spaces or units of work.

        The second search, if there is one, looks meanwhile whether LDim >= ``ahead``.
        """
        # Counting: LDim >= k needs 2^k different rows.
        if self._table.size < 1 << k:
            return False
        if k < 2:
            return True
        searcher = core.Searcher.first if ahead is None else self._searcher
        last_node, last_work = self._solver.own_nodes + nodes, self.work + work
        while not self._stopped:
            due = min(last_work, self._symmetry.due)
            left = last_node - self._solver.own_nodes
            answer = self._solver.ask(k, left, due - self.work, searcher, ahead)
            if answer >= 0:
                return bool(answer)
            # Stopped or out of budget; otherwise it is time to look for symmetries.
            if self.work < due or due == last_work:
                break
            if self._symmetry.learn(self._orbits, self.work, lambda: self._stopped):
                # Equal questions are asked once from now on; answers stay the same
                # (docs/proofs/symmetry.md, Lemmas 2 and 3).
                self._solver.use_orbits(self._orbits)
        return None

    def tree(self, depth: int) -> MistakeTree:
        """A shattered tree, where LDim >= depth is known."""
        points = np.zeros((1 << depth) - 1, np.int64)
        if depth >= 2 and not self._solver.find_tree(depth, points):
            raise RuntimeError("the search did not find the tree again")
        leaves = _descend(self._table.rows, points, depth)
        return MistakeTree(tuple(points.tolist()), tuple(self._table.names[leaves].tolist()))


def _descend(rows: NDArray[np.uint64], points: NDArray[np.int64], depth: int) -> NDArray[np.int64]:
    """The first row of each leaf of a tree whose lowest level is filled in here."""
    nodes = np.zeros(len(rows), np.int64)  # of a heap
    for level in range(depth):
        if level == depth - 1:  # a point where the first two rows of a node differ
            order = np.argsort(nodes, kind="stable")
            lowest = np.arange((1 << level) - 1, len(points))
            first = np.searchsorted(nodes[order], lowest)
            differing = rows[order[first]] ^ rows[order[first + 1]]
            word = (differing != 0).argmax(axis=1)
            bits = differing[np.arange(len(word)), word]
            points[lowest] = 64 * word + np.log2(bits & (~bits + np.uint64(1))).astype(np.int64)
        asked = points[nodes]
        bits = rows[np.arange(len(rows)), asked >> 6] >> (asked & 63).astype(np.uint64)
        nodes = 2 * nodes + 1 + (bits & np.uint64(1)).astype(np.int64)
    return np.unique(nodes, return_index=True)[1]


MOST = 9  # bytes of a number


def write_numbers(numbers: Sequence[int]) -> bytes:
    """The bytes of numbers below 2^63.

    >>> write_numbers([0, 127, 300]).hex()
    '007fac02'
    """
    said = np.asarray(numbers, np.uint64).reshape(-1, 1)
    shifts = np.arange(0, 7 * MOST, 7, dtype=np.uint64)
    more = said >> (shifts + np.uint64(7)) > 0
    octets = (said >> shifts).astype(np.uint8) & 127 | more.astype(np.uint8) << 7
    there = np.hstack([np.ones_like(said, np.bool_), more[:, :-1]])
    return octets[there].tobytes()


def read_numbers(data: bytes, at: int, count: int) -> tuple[list[int], int] | None:
    """``count`` numbers from the place ``at`` on, and the place after them; None if some are missing.

    >>> read_numbers(bytes.fromhex("007fac02"), 0, 3)
    ([0, 127, 300], 4)
    """
    octets = np.frombuffer(data[at : at + MOST * count], np.uint8)
    ends = np.flatnonzero(octets < 128)[:count] + 1
    sizes = np.diff(ends, prepend=0)
    if len(ends) < count or sizes.max() > MOST:
        return None
    octets = octets[: ends[-1]]
    starts = ends - sizes
    shifts = 7 * (np.arange(len(octets)) - np.repeat(starts, sizes))
    parts = (octets & 127).astype(np.uint64) << shifts.astype(np.uint64)
    return np.add.reduceat(parts, starts).tolist(), at + len(octets)


PLACES_OF_CLAIMS = 48  # paths whose symmetries are kept; few claims are left by then


class ClaimWriter:
    """Writes the claims about one table; another thread may stop it.

    It looks for symmetries of the table once that is cheap beside what it has done so far, and then
    begins anew.
    """

    def __init__(self, table: PackedTable, room: int) -> None:
        self._writer = core.Writer(table.size, table.points, room)
        self._writer.load(table.rows)
        self._symmetry = Symmetry(table, 0)
        self._orbits = np.zeros((PLACES_OF_CLAIMS + 1, table.points, 2), np.int32)

    def stop(self) -> None:
        """Make `write` return None, soon."""
        self._writer.stop()

    def write(self, k: int) -> tuple[bytes, int] | None:
        """What proves LDim < k, and how many claims; None if that is false or it was stopped."""
        writer, symmetry = self._writer, self._symmetry
        while True:
            due = symmetry.due
            answer = writer.write(k, due - writer.work)
            if answer >= 0 or writer.was_stopped or writer.work < due:
                break
            # With symmetries fewer claims are needed; each is stated in the file and checked there
            # (docs/proofs/certificates.md).
            if symmetry.learn(self._orbits, writer.work, lambda: writer.was_stopped):
                writer.use_orbits(self._orbits)
        return (self._declaration() + writer.text, writer.claims) if answer == 1 else None

    def _declaration(self) -> bytes:
        """The groups of the paths that claims name."""
        paths, used = self._symmetry.paths, self._writer.uses_place
        last = max((place for place in range(PLACES_OF_CLAIMS + 1) if used(place)), default=0)
        if paths is None or last == 0:
            return declare_symmetries([], [], [])
        words, groups = paths.words_of_paths(
            place if used(place) else 0 for place in range(2, last + 1)
        )
        return declare_symmetries(self._symmetry.generators, words, groups)


def declare_symmetries(
    generators: Sequence[Permutation], words: Sequence[Word], groups: Sequence[Sequence[int]]
) -> bytes:
    """The text that declares symmetries, before the claims.

    Words in generators make further elements, and some elements make a group; the first group, that of
    the generators, is left out.
    """
    said = [len(generators)]
    for image in generators:
        said += image[::2].tolist()
    if generators:
        for lists in (words, groups):
            said.append(len(lists))
            for numbers in lists:
                said += [len(numbers), *numbers]
    return write_numbers(said)
