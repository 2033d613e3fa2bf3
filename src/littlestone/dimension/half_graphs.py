"""The largest half-graph and the largest star in a 0/1 table: threshold dimension and star number."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from littlestone import core
from littlestone.base.errors import TooLargeError
from littlestone.dimension.search.splits import Bracket, last, look
from littlestone.dimension.tables import binary, pack_rows, row_masks

REFUTED, FOUND, UNFINISHED = 0, 1, -1


class HalfGraphSearch:
    """The question whether a table of 0s and 1s has a half-graph of a given number of pairs.

    >>> question = HalfGraphSearch(np.array([[1, 1], [0, 1]]), 2)
    >>> question.go_on(100) == FOUND, question.pairs()
    (True, [(0, 0), (1, 1)])
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
        self._search = core.HalfGraphSearch(pack_rows(values), pack_rows(values.T), length)

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

    1. A half-graph is a triangular matrix with ones on its diagonal, so t <= rank over GF(2).
    2. The search looks by turns for one pair more and for as many pairs as the upper bound.
    3. In a half-graph of t, point x_j has j ones and t - j zeros, and h_i has t - i + 1 ones:
       counts that fall short of this staircase refuse at once.
    4. Only the hypotheses with inclusion-maximal {z in P : h(z) = 1} are tried, and for each of them
       only the points with inclusion-maximal {g in V : g(x) = 0}: T is monotone in V and P.

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
    [0, 1, 3]
    """
    longest = -1
    for bracket in threshold_brackets(table):
        if bracket.lower > longest:
            longest = bracket.lower
            yield bracket.witness


def threshold_brackets(table: Any) -> Iterator[Bracket[HalfGraph]]:
    """Ever closer bounds of the threshold dimension; the last ones are equal."""
    H = binary(table, "take the threshold dimension")
    values = H.values[H.distinct]
    best: list[tuple[int, int]] = []
    upper, above = _rank(values), "its rank over GF(2)"
    asked: dict[int, HalfGraphSearch] = {}

    def bracket() -> Bracket[HalfGraph]:
        graph = HalfGraph(tuple(x for x, _ in best), tuple(H.distinct[h] for _, h in best))
        return Bracket(len(best), upper, graph, above)

    def ask(length: int) -> int:
        look()
        if length not in asked:
            asked[length] = HalfGraphSearch(values, length)
        return asked[length].go_on(_SLICE)

    yield bracket()
    while (lower := len(best)) < upper:
        longer = lower + 1
        need = HalfGraphSearch.bytes_for(values.shape, longer)
        if need > _MOST_BYTES:
            raise TooLargeError(
                "find the threshold dimension",
                found=f"it is between {lower} and {upper}, and a search for {longer} takes "
                f"{need / 2**30:.1f} GiB, more than {_MOST_BYTES >> 30}",
                fix="leave out points or hypotheses, or use these bounds",
            )
        if (answer := ask(longer)) == FOUND:
            best = asked.pop(longer).pairs()
            yield bracket()
        elif answer == REFUTED:
            upper, above = lower, _SEARCHED
            yield bracket()
        # The next upper bound follows at once where one is refuted at once.
        while upper > longer and HalfGraphSearch.bytes_for(values.shape, upper) <= _MOST_BYTES:
            answer = ask(upper)
            if answer == FOUND:  # take it now: a question that goes on looks for another one
                best = asked.pop(upper).pairs()
                yield bracket()
            if answer != REFUTED:
                break
            del asked[upper]
            upper, above = upper - 1, _SEARCHED
            yield bracket()


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


def _rank(values: NDArray[np.integer]) -> int:
    """The rank over GF(2)."""
    basis: list[int] = []
    for rest in row_masks(values):
        for pivot in basis:
            rest = min(rest, rest ^ pivot)
        basis += [rest] if rest else []
    return len(basis)


@dataclass(frozen=True)
class Star:
    """A center h_0, points x_1, ..., x_s and hypotheses h_1, ..., h_s, all by their numbers.

    On these points, h_i differs from h_0 only at x_i.
    """

    center: int
    points: tuple[int, ...]
    hypotheses: tuple[int, ...]


def star_number(table: Any) -> int:
    """The largest s for which H has a star of s points; see `Star`.

    ``table`` is an N x m table of 0s and 1s; see `LabelTable.of`.  Raises `DeclarationError` for
    anything else.  Exponential in the worst case; see `largest_star`.  Source: Hanneke and Yang,
    Minimax analysis of active learning (HY15), Definition 2.

    >>> star_number([[0, 0, 0], [1, 0, 0], [0, 1, 0], [0, 0, 1]])
    3
    """
    return len(largest_star(table).points)


def largest_star(table: Any) -> Star:
    """A largest star, by branch and bound over the points of each center.

    For a center h_0, a set S of points is a star iff each x in S has some h with {z in S : h(z) !=
    h_0(z)} = {x}.  A subset of such a set is one too, so points are added one by one.

    >>> largest_star([[0, 0], [1, 0], [0, 1]])
    Star(center=0, points=(0, 1), hypotheses=(1, 2))
    """
    *_, exact = star_brackets(table)
    return exact.witness


def star_bounds(table: Any, *, time_limit: float | None = 10) -> Bracket[Star]:
    """The star number, or what is known of it after ``time_limit`` seconds; ``witness`` is a star.

    >>> star_bounds([[0, 0], [1, 0], [0, 1]]).lower
    2
    """
    return last(star_brackets(table), time_limit)


def star_brackets(table: Any) -> Iterator[Bracket[Star]]:
    """Ever closer bounds of the star number; the last ones are equal."""
    H = binary(table, "find a largest star")
    rows = H.distinct
    masks = row_masks(H.values)
    sets = {h: masks[h] for h in rows}
    best, size = Star(rows[0], (), ()), [0]
    most = min(len(H.points), len(rows) - 1)
    yield Bracket(0, most, best, "the number of hypotheses and points")
    for center in rows:
        # Around a center, a star is a set of points each of which some difference has alone.
        differences = {sets[h] ^ sets[center]: h for h in rows if h != center}
        points = [x for x in range(len(H.points)) if any(d >> x & 1 for d in differences)]
        for found in _larger([], points, list(differences), size):
            mask = sum(1 << x for x in found)
            alone = {(d & mask).bit_length() - 1: h for d, h in differences.items()
                     if (d & mask).bit_count() == 1}  # fmt: skip
            best = Star(center, tuple(found), tuple(alone[x] for x in found))
            yield Bracket(len(found), most, best, "the number of hypotheses and points")
    yield Bracket(len(best.points), len(best.points), best, "a search around every hypothesis")


def _larger(
    chosen: list[int], left: Sequence[int], differences: list[int], size: list[int]
) -> Iterator[list[int]]:
    """Ever larger stars that add points of ``left`` to the chosen ones, each of more than size[0].

    ``size`` holds the size of the largest star so far.  ``differences`` are those with at most one of
    the chosen points.
    """
    look()
    if len(chosen) > size[0]:
        size[0] = len(chosen)
        yield chosen
    for i, x in enumerate(left):
        if len(chosen) + len(left) - i <= size[0]:
            break
        mask = sum(1 << z for z in (*chosen, x))
        # A difference with two chosen points can isolate none of them, now or later.
        kept = [d for d in differences if (d & mask).bit_count() <= 1]
        seen = 0
        for d in kept:
            seen |= d & mask
        # Every chosen point is isolated by some difference.
        if seen == mask:
            yield from _larger([*chosen, x], left[i + 1 :], kept, size)


def is_star(table: Any, found: Star) -> bool:
    """Whether each hypothesis differs from the center, among the points, only at its own point.

    >>> is_star([[0, 0], [1, 0], [0, 1]], Star(0, (0, 1), (1, 2)))
    True
    """
    H = binary(table, "check a star")
    height, width = H.values.shape
    numbers: Iterable[int] = (found.center, *found.hypotheses)
    if not all(0 <= h < height for h in numbers) or not all(0 <= x < width for x in found.points):
        return False
    if len(found.points) != len(found.hypotheses) or len({*found.points}) != len(found.points):
        return False
    here = H.values[:, list(found.points)]
    return all(
        (here[h] != here[found.center]).nonzero()[0].tolist() == [i]
        for i, h in enumerate(found.hypotheses)
    )
