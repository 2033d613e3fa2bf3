"""The threshold dimension of a 0/1 table: the largest half-graph inside it."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from littlestone import core
from littlestone.base.errors import TooLargeError
from littlestone.dimension.search.splits import Bracket, last, look
from littlestone.dimension.tables import LabelTable, binary

REFUTED, FOUND, UNFINISHED = 0, 1, 2


class HalfGraphSearch:
    """The question whether a table of 0s and 1s has a half-graph of a given number of pairs.

    >>> question = HalfGraphSearch(np.array([[1, 1], [0, 1]]), 2)
    >>> question.go_on(100), question.pairs()
    (1, [(0, 0), (1, 1)])
    """

    def __init__(self, values: NDArray[np.integer], length: int) -> None:
        # The hypotheses of a node are tried first, so the fewer points they have the better.  Turned
        # by half a turn, a half-graph of the transposed table is one of the table.
        self._turned = values.shape[1] > values.shape[0]
        values = values.T if self._turned else values
        # Rows with many ones and columns with few come first: they begin long half-graphs.
        self._row = np.argsort(-values.sum(axis=1), kind="stable")
        self._column = np.argsort(values.sum(axis=0), kind="stable")
        values = values[self._row][:, self._column]
        self._search = core.HalfGraphSearch(_pack(values), _pack(values.T), length)

    @staticmethod
    def bytes_for(shape: tuple[int, ...], length: int) -> int:
        """About as many bytes as the question takes."""
        return (length + 1) * (5 * sum(shape) + 256)

    def go_on(self, budget: int) -> int:
        """REFUTED, FOUND or, after ``budget`` nodes, UNFINISHED."""
        return self._search.go_on(budget)

    def pairs(self) -> list[tuple[int, int]]:
        """The pairs (x_i, h_i) that were FOUND, by their numbers in the table."""
        pairs = [(int(self._column[x]), int(self._row[h])) for x, h in self._search.pairs()]
        return [(h, x) for x, h in reversed(pairs)] if self._turned else pairs


def _pack(values: NDArray[np.integer]) -> NDArray[np.uint64]:
    """The rows as sets, 64 columns to a word."""
    packed = np.zeros((len(values), -(-values.shape[1] // 64) * 8), np.uint8)
    bits = np.packbits(values.astype(bool), axis=1, bitorder="little")
    packed[:, : bits.shape[1]] = bits
    return packed.view("<u8").astype(np.uint64)


WORK = 200_000
"""Hypotheses and points of all version spaces that are looked at before the compiled search goes on."""

_SLICE = 100_000  # nodes of the compiled search between two looks at the clock
_MOST_BYTES = 1 << 31  # of a search
_SEARCHED = "a search for more"


@dataclass(frozen=True)
class HalfGraph:
    """Points x_1, ..., x_t and hypotheses h_1, ..., h_t, by their numbers: h_i(x_j) = 1[i <= j]."""

    points: tuple[int, ...]
    hypotheses: tuple[int, ...]


def threshold_dimension(table: Any) -> int:
    """The largest t for which H has thresholds on t points: h_i(x_j) = 1 iff i <= j, i, j <= t.

    It is finite iff the Littlestone dimension is: floor(log2 t) <= LDim(H), and
    t >= floor(log2 LDim(H)) (ALMM19, Theorem 3; She78; Hod97).
    ``table`` is an N x m table of 0s and 1s; see `LabelTable.of`.  Raises `DeclarationError` for
    anything else.  Exponential in the worst case; see `half_graph`.

    >>> threshold_dimension([[1, 1, 1], [0, 1, 1], [0, 0, 1], [0, 0, 0]])
    3
    """
    return len(half_graph(table).points)


def half_graph(table: Any) -> HalfGraph:
    """A largest half-graph, by branch and bound over version spaces V and sets P of points.

        T(V, P) = max over h in V, x in P with h(x) = 1 of
                  1 + T({g in V : g(x) = 0}, {z in P : h(z) = 1}).

    1. A first descent takes the pair that leaves most; then one longer is asked for, until refused.
    2. In a half-graph of t, point x_j has j ones and t - j zeros, and h_i has t - i + 1 ones:
       counts that fall short of this staircase refuse at once.
    3. Only the hypotheses with inclusion-maximal {z in P : h(z) = 1} are tried, and for each of them
       only the points with inclusion-maximal {g in V : g(x) = 0}: T is monotone in V and P.
    4. A half-graph is a triangular matrix with ones on its diagonal, so t <= rank over GF(2).
    5. Copies, and points without ones, are dropped; what was refused is kept.
    6. A search of more than `WORK` goes on compiled, without 5 (`HalfGraphSearch`).  It looks
       for one pair more, and refutes the upper bound, in turns.

    >>> half_graph([[1, 0], [0, 0], [1, 1]])
    HalfGraph(points=(1, 0), hypotheses=(2, 0))
    """
    *_, largest = threshold_brackets(table)
    return largest.witness


def threshold_bounds(table: Any, *, time_limit: float | None = 10) -> Bracket[HalfGraph]:
    """The threshold dimension, or what is known of it after ``time_limit`` seconds.

    The half-graph ``witness`` proves ``lower``, and ``above`` says what proves ``upper``.  ``table``
    and errors as for `threshold_dimension`.

    >>> threshold_bounds([[1, 1, 1], [0, 1, 1], [0, 0, 1]]).upper
    3
    """
    return last(threshold_brackets(table), time_limit)


def half_graphs(table: Any) -> Iterator[HalfGraph]:
    """Ever larger half-graphs, from the empty one on; once there are no more, the last is a largest.

    Take them one by one to keep the best so far of a search that may be too long.

    >>> [len(found.points) for found in half_graphs([[1, 1, 1], [0, 1, 1], [0, 0, 1]])]
    [0, 3]
    """
    longest = -1
    for bracket in threshold_brackets(table):
        if bracket.lower > longest:
            longest = bracket.lower
            yield bracket.witness


def threshold_brackets(table: Any) -> Iterator[Bracket[HalfGraph]]:
    """Ever closer bounds of the threshold dimension; the last ones are equal."""
    H = binary(table, "take the threshold dimension")
    search = _Search([here.get(1, 0) for here in H.masks], H.alive)
    best: list[tuple[int, int]] = []
    upper, above = _rank(search.rows.values()), "its rank over GF(2)"

    def bracket() -> Bracket[HalfGraph]:
        graph = HalfGraph(tuple(x for x, _ in best), tuple(h for _, h in best))
        return Bracket(len(best), upper, graph, above)

    yield bracket()
    while len(best) < upper:
        longer = search.chain(len(best) + 1)
        if longer is None and search.is_done:
            break
        if longer is None:
            upper, above = len(best), _SEARCHED
        best = longer or best
        yield bracket()
    if len(best) < upper:
        for found, refuted in _by_slices(H, len(best), upper):
            best = found or best
            if refuted <= upper:
                upper, above = refuted - 1, _SEARCHED
            yield bracket()


def _by_slices(
    H: LabelTable, lower: int, upper: int
) -> Iterator[tuple[list[tuple[int, int]] | None, int]]:
    """The compiled search: each longer half-graph that it finds, and the least length it refuted."""
    rows = [h for h in range(len(H.hypotheses)) if H.alive >> h & 1]
    asked: dict[int, HalfGraphSearch] = {}

    def ask(length: int) -> int:
        look()
        if length not in asked:
            asked[length] = HalfGraphSearch(H.values[rows], length)
        return asked[length].go_on(_SLICE)

    def pairs(length: int) -> list[tuple[int, int]]:
        return [(x, rows[h]) for x, h in asked.pop(length).pairs()]

    while lower < upper:
        longer = lower + 1
        need = HalfGraphSearch.bytes_for(H.values.shape, longer)
        if need > _MOST_BYTES:
            raise TooLargeError(
                "find the threshold dimension",
                found=f"it is between {lower} and {upper}, and a search for {longer} takes "
                f"{need / 2**30:.1f} GiB, more than {_MOST_BYTES >> 30}",
                fix="leave out points or hypotheses, or use these bounds",
            )
        if (answer := ask(longer)) == FOUND:
            lower = longer
            yield pairs(longer), upper + 1
        elif answer == REFUTED:
            upper = lower
            yield None, upper + 1
        # The next upper bound follows at once where one is refuted at once.
        while upper > longer and HalfGraphSearch.bytes_for(H.values.shape, upper) <= _MOST_BYTES:
            answer = ask(upper)
            if answer == FOUND:  # take it now: a question that goes on looks for another one
                lower = upper
                yield pairs(upper), upper + 1
            if answer != REFUTED:
                break
            del asked[upper]
            upper -= 1
            yield None, upper + 1


def is_half_graph(table: Any, found: HalfGraph) -> bool:
    """Whether h_i(x_j) = 1[i <= j] throughout; O(t^2).

    >>> is_half_graph([[1, 1], [0, 1]], HalfGraph((0, 1), (0, 1)))
    True
    >>> is_half_graph([[1, 1], [1, 1]], HalfGraph((0, 1), (0, 1)))
    False
    """
    H = binary(table, "check a half-graph")
    count, width = H.values.shape
    if len(found.points) != len(found.hypotheses):
        return False
    if not all(0 <= h < count for h in found.hypotheses):
        return False
    if not all(0 <= x < width for x in found.points):
        return False
    return all(
        H.values[h, x] == int(i <= j)
        for i, h in enumerate(found.hypotheses)
        for j, x in enumerate(found.points)
    )


State = tuple[int, int]
Choice = tuple[tuple[int, int], State]


class _Search:
    """``columns[x]`` is the mask of the hypotheses h with h(x) = 1."""

    def __init__(self, columns: list[int], alive: int) -> None:
        self.columns = columns
        self.rows = {
            h: sum(1 << x for x, column in enumerate(columns) if column >> h & 1)
            for h in _members(alive)
        }
        self.start = self._reduce(alive, (1 << len(columns)) - 1)
        self.refused: dict[State, int] = {}
        self.left = WORK

    @property
    def is_done(self) -> bool:
        """Whether the work is done that is left to this search."""
        return self.left < 0

    def _reduce(self, V: int, P: int) -> State:
        """V and P without what cannot help: copies on P of other hypotheses, and constant zeros."""
        seen: set[int] = set()
        kept = union = 0
        for h in _members(V):
            ones = self.rows[h] & P
            if ones and ones not in seen:
                seen.add(ones)
                kept |= 1 << h
                union |= ones
        return kept, union

    def chain(self, length: int) -> list[tuple[int, int]] | None:
        """At least so many pairs (x_i, h_i) of a half-graph, as many as the descent yields; or None.

        None proves that there are none, unless the work is `is_done`.  Depth first, with a stack of its
        own: a half-graph may be longer than Python's.
        """
        trail: list[tuple[int, int]] = []
        levels = [(self.start, self._choices(self.start, length))]
        while levels:
            state, choices = levels[-1]
            choice = next(choices, None)
            if choice is not None:
                pair, below = choice
                trail.append(pair)
                need = max(length - len(trail), 0)
                levels.append((below, self._choices(below, max(need, 1))))
            elif len(trail) >= length:
                return trail
            elif self.is_done:
                return None
            else:
                levels.pop()
                need = length - len(trail)
                # What was refused for a length stays refused for longer ones.
                self.refused[state] = min(need, self.refused.get(state, need))
                if trail:
                    trail.pop()
        return None

    def _choices(self, state: State, need: int) -> Iterator[Choice]:
        """First pairs (x, h) of the half-graphs of length ``need`` >= 1 in (V, P), and what is left."""
        if need >= self.refused.get(state, need + 1):
            return
        V, P = state
        look()
        self.left -= V.bit_count() + P.bit_count()
        ones = {x: V & self.columns[x] for x in _members(P)}
        # A cheap necessary condition before any branching: the column sizes must climb like stairs.
        if not _staircase([column.bit_count() for column in ones.values()], V.bit_count(), need):
            return
        left = {P & self.rows[h]: h for h in _members(V)}
        # A hypothesis whose ones lie inside another's leaves no more points, so maximal ones
        # suffice.
        for Q in _maximal(Q for Q in left if Q.bit_count() >= need):
            lost = {ones[x]: x for x in _members(Q)}
            # Likewise for points: maximal sets of remaining hypotheses suffice.
            for rest in _maximal(V & ~column for column in lost if column):
                if rest.bit_count() < need - 1:
                    break
                x = lost[V & ~rest]
                yield (x, left[Q]), self._reduce(rest, Q & ~(1 << x))


def _maximal(masks: Iterable[int]) -> Iterator[int]:
    """The inclusion-maximal ones of distinct masks, the largest first."""
    kept: list[int] = []
    for mask in sorted(masks, key=int.bit_count, reverse=True):
        look()
        if not any(mask | larger == larger for larger in kept):
            kept.append(mask)
            yield mask


def _staircase(ones: list[int], total: int, t: int) -> bool:
    """Whether t points with these ``ones`` among ``total`` hypotheses can be x_1, ..., x_t.

    >>> _staircase([1, 2], 2, 2), _staircase([2, 2], 2, 2)
    (True, False)
    """
    ones = sorted(count for count in ones if count)
    zeros = total - t
    return len(ones) >= t <= total and all(
        # x_1, ..., x_(j+1) have at most so many ones, and x_(j+1), ..., x_t have at least j + 1.
        ones[j] <= zeros + j + 1 and ones[len(ones) - t + j] >= j + 1
        for j in range(t)
    )


def _rank(rows: Iterable[int]) -> int:
    """The rank over GF(2) of the matrix with these rows.

    >>> _rank([0b110, 0b011, 0b101])
    2
    """
    basis: list[int] = []
    for row in rows:
        for pivot in basis:
            row = min(row, row ^ pivot)
        if row:
            basis.append(row)
    return len(basis)


def _members(mask: int) -> Iterator[int]:
    """The numbers of the bits of a mask, in order."""
    while mask:
        lowest = mask & -mask
        yield lowest.bit_length() - 1
        mask ^= lowest
