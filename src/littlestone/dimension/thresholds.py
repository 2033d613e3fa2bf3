"""The threshold dimension of a 0/1 table: the largest half-graph inside it."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

from littlestone.dimension.label_table import binary


@dataclass(frozen=True)
class HalfGraph:
    """Points x_1, ..., x_t and hypotheses h_1, ..., h_t, by their numbers: h_i(x_j) = 1[i <= j]."""

    points: tuple[int, ...]
    hypotheses: tuple[int, ...]


def threshold_dimension(table: Any) -> int:
    """The largest t for which H has thresholds on t points: h_i(x_j) = 1 iff i <= j, i, j <= t.

    It is finite iff the Littlestone dimension is: floor(log2 t) <= LDim(H), and
    t >= floor(log2 LDim(H)) (Alon, Livni, Malliaris and Moran 2019, Theorem 3; Shelah 1978,
    Hodges 1997).  ``table`` is an N x m table of 0s and 1s; see `LabelTable.of`.  Raises
    `DeclarationError` for anything else.  Exponential in the worst case; see `half_graph`.

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
    3. For one x, only the hypotheses with inclusion-maximal {z : h(z) = 1} are tried.
    4. What was refused is kept.

    >>> half_graph([[1, 0], [0, 0], [1, 1]])
    HalfGraph(points=(1, 0), hypotheses=(2, 0))
    """
    H = binary(table, "take the threshold dimension")
    search = _Search([here.get(1, 0) for here in H.masks], H.alive)
    pairs: list[tuple[int, int]] = []
    while (longer := search.chain(len(pairs) + 1)) is not None:
        pairs = longer
    return HalfGraph(tuple(x for x, _ in pairs), tuple(h for _, h in pairs))


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
        self.start = alive, (1 << len(columns)) - 1
        self.refused: dict[State, int] = {}

    def chain(self, length: int) -> list[tuple[int, int]] | None:
        """At least so many pairs (x_i, h_i) of a half-graph, as many as the descent yields; or None.

        Depth first, with a stack of its own: a half-graph may be longer than Python's.
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
            else:
                levels.pop()
                need = length - len(trail)
                self.refused[state] = min(need, self.refused.get(state, need))
                if trail:
                    trail.pop()
        return None

    def _choices(self, state: State, need: int) -> Iterator[Choice]:
        """First pairs (x, h) of the half-graphs of length ``need`` >= 1 in (V, P), and what is left."""
        if need >= self.refused.get(state, need + 1):
            return
        V, P = state
        ones = {x: (V & self.columns[x]).bit_count() for x in _members(P)}
        total = V.bit_count()
        if not _staircase(ones, total, need):
            return
        for x in sorted((x for x in ones if ones[x] and total - ones[x] >= need - 1), key=ones.get):  # type: ignore[arg-type]
            left: dict[int, int] = {}
            for h in _members(V & self.columns[x]):
                left.setdefault(P & self.rows[h], h)
            kept: list[int] = []
            for Q in sorted(left, key=int.bit_count, reverse=True):
                if Q.bit_count() < need:
                    break
                if not any(Q | larger == larger for larger in kept):
                    kept.append(Q)
                    yield (x, left[Q]), (V & ~self.columns[x], Q & ~(1 << x))


def _staircase(ones: dict[int, int], total: int, t: int) -> bool:
    """Whether t points can have at least 1, 2, ..., t ones, and at least t - 1, ..., 0 zeros.

    >>> _staircase({0: 1, 1: 2}, 2, 2), _staircase({0: 2, 1: 2}, 2, 2)
    (True, False)
    """
    counts = sorted(min(count, t) for count in ones.values() if count)
    if len(counts) < t or total < t:
        return False
    zeros = sorted((min(total - count, t - 1) for count in ones.values() if count), reverse=True)
    return all(counts[-i] >= t + 1 - i and zeros[i - 1] >= t - i for i in range(1, t + 1))


def _members(mask: int) -> Iterator[int]:
    """The numbers of the bits of a mask, in order."""
    while mask:
        lowest = mask & -mask
        yield lowest.bit_length() - 1
        mask ^= lowest
