"""The compiled search for a half-graph of a given length, in slices."""

from __future__ import annotations

import numpy as np
from numba import boolean, int32, int64, uint64
from numpy.typing import NDArray

from littlestone.dimension.engine.compiling import (
    Index,
    compiled,
    part,
    popcount,
    trailing_zeros,
)

Bits = NDArray[np.uint64]
Numbers = NDArray[np.int32]
_ONE = np.uint64(1)
_MOST_COMPARED = 1 << 10
"""The most rows or columns of a node that are compared with each other."""

REFUTED, FOUND, UNFINISHED = 0, 1, 2


@part(int64(uint64[::1], uint64[::1]), inline=True)
def _common(a: Bits, b: Bits) -> Index:
    """The number of ones that two sets have in common."""
    ones = np.uint64(0)
    for w in range(len(a)):
        ones += popcount(a[w] & b[w])
    return np.int64(ones)


@part(boolean(int32[::1], int64, int64))
def _staircase(having: Numbers, need: Index, total: Index) -> bool:
    """Whether enough items have enough ones, and enough zeros, for ``need`` steps.

    ``having[k]`` items have k ones among ``total``.  Of the items of a half-graph, need - k + 1 have k
    ones or more, and need - z have z zeros or more, for all k >= 1 and z < need.
    """
    if total < need:
        return False
    items = 0
    for k in range(total, 0, -1):
        items += having[k]
        if k <= need and items < need - k + 1:
            return False
    items = 0
    for ones in range(1, total + 1):
        items += having[ones]
        if total - ones < need and items < need - (total - ones):
            return False
    return True


@part(int64(uint64[:, ::1], uint64[::1], uint64[::1], int64, int64, int32[::1], int32[::1]))
def _listed(
    rows: Bits, among: Bits, on: Bits, least: Index, most: Index, out: Numbers, having: Numbers
) -> Index:
    """Write the numbers of the rows ``among`` these with least..most ones ``on`` a set; count them.

    ``having`` becomes the number of the rows with each number of ones.
    """
    found = 0
    having[:] = 0
    for w in range(len(among)):
        word = among[w]
        while word:
            i = (w << 6) + np.int64(trailing_zeros(word))
            word &= word - _ONE
            ones = _common(rows[i], on)
            having[ones] += 1
            if least <= ones <= most:
                out[found] = i
                found += 1
    return found


@part(int64(uint64[:, ::1], uint64[::1], boolean, int32[::1], int64))
def _maximal(rows: Bits, on: Bits, of_zeros: bool, listed: Numbers, count: Index) -> Index:
    """Keep the rows whose ones, or zeros, on a set are inclusion-maximal, one of equal ones; count."""
    if count > _MOST_COMPARED:
        return count
    for i in range(count):
        for j in range(count):
            a, b = listed[i], listed[j]
            b = b if b >= 0 else -1 - b
            inside, equal = i != j, True
            for w in range(len(on)):
                mine, others = rows[a, w] & on[w], rows[b, w] & on[w]
                if mine != others:
                    equal = False
                if (others & ~mine if of_zeros else mine & ~others) != 0:
                    inside = False
                    break
            if inside and (not equal or j < i):
                listed[i] = -1 - a
                break
    kept = 0
    for i in range(count):
        if listed[i] >= 0:
            listed[kept] = listed[i]
            kept += 1
    return kept


@compiled(
    int64(
        uint64[:, ::1], uint64[:, ::1], uint64[:, ::1], uint64[:, ::1], uint64[:, ::1],
        int32[:, ::1], int32[:, ::1], int32[:, ::1], int32[::1], int64[::1], int64, int64,
    ),
    bare=True,
)  # fmt: skip
def search(
    rows: Bits,
    columns: Bits,
    V: Bits,
    P: Bits,
    Q: Bits,
    hypotheses: Numbers,
    points: Numbers,
    at: Numbers,
    having: Numbers,
    depth: NDArray[np.int64],
    length: Index,
    budget: Index,
) -> Index:
    """Go on with the depth-first search for a half-graph of ``length`` pairs, for ``budget`` nodes.

    At level i, V[i] and P[i] are the hypotheses and points that are left.  at[i] = [entered, next
    hypothesis, of so many, next point, of so many]; the candidates are listed in hypotheses[i] and
    points[i].  Q[i] is the part of P[i] where the current hypothesis is 1.  ``depth[0]`` is the level.
    Returns REFUTED, FOUND or UNFINISHED; the pair of level i is the last one that was taken.
    """
    level = depth[0]
    while budget > 0:
        need = length - level
        here = at[level]
        if here[0] == 0:  # a new node: list its first hypotheses
            budget -= 1
            here[0], here[1], here[2], here[3], here[4] = 1, 0, 0, 0, 0
            total, alive = _common(P[level], P[level]), _common(V[level], V[level])
            _listed(columns, P[level], V[level], 1, 0, points[level], having)
            if _staircase(having, need, alive):
                found = _listed(rows, V[level], P[level], need, total, hypotheses[level], having)
                if _staircase(having, need, total):
                    here[2] = _maximal(rows, P[level], False, hypotheses[level], found)
        if here[3] < here[4]:  # the next point of the current hypothesis
            x = points[level, here[3]]
            here[3] += 1
            if need == 1:
                depth[0] = level
                return FOUND
            for w in range(V.shape[1]):
                V[level + 1, w] = V[level, w] & ~columns[x, w]
            for w in range(P.shape[1]):
                P[level + 1, w] = Q[level, w]
            P[level + 1, x >> 6] &= ~(_ONE << np.uint64(x & 63))
            level += 1
            at[level, 0] = 0
        elif here[1] < here[2]:  # the next hypothesis
            budget -= 1
            h = hypotheses[level, here[1]]
            here[1] += 1
            for w in range(P.shape[1]):
                Q[level, w] = P[level, w] & rows[h, w]
            total, alive = _common(Q[level], Q[level]), _common(V[level], V[level])
            _listed(rows, V[level], Q[level], 1, 0, points[level], having)
            here[3], here[4] = 0, 0
            if _staircase(having, need, total):
                found = _listed(
                    columns, Q[level], V[level], 1, alive - need + 1, points[level], having
                )
                here[4] = _maximal(columns, V[level], True, points[level], found)
        elif level == 0:
            return REFUTED
        else:
            level -= 1
    depth[0] = level
    return UNFINISHED


class HalfGraphSearch:
    """The question whether a table of 0s and 1s has a half-graph of so many pairs; see `search`.

    >>> question = HalfGraphSearch(np.array([[1, 1], [0, 1]]), 2)
    >>> question.go_on(100), question.pairs()
    (1, [(0, 0), (1, 1)])
    """

    def __init__(self, values: NDArray[np.integer], length: int) -> None:
        # The hypotheses of a node are tried first, so the fewer points they have the better.  Turned
        # by half a turn, a half-graph of the transposed table is one of the table.
        self.turned = values.shape[1] > values.shape[0]
        values = values.T if self.turned else values
        # Rows with many ones and columns with few come first: they begin long half-graphs.
        self.row = np.argsort(-values.sum(axis=1), kind="stable")
        self.column = np.argsort(values.sum(axis=0), kind="stable")
        values = values[self.row][:, self.column]
        (N, m), self.length, levels = values.shape, length, length + 1
        self.rows, self.columns = _packed(values), _packed(values.T)
        self.V = np.zeros((levels, self.columns.shape[1]), np.uint64)
        self.P = np.zeros((levels, self.rows.shape[1]), np.uint64)
        self.Q = np.zeros_like(self.P)
        self.V[0], self.P[0] = _packed(np.ones((1, N), int))[0], _packed(np.ones((1, m), int))[0]
        self.hypotheses = np.zeros((levels, N), np.int32)
        self.points = np.zeros((levels, m), np.int32)
        self.at = np.zeros((levels, 5), np.int32)
        self.having = np.zeros(max(N, m) + 1, np.int32)
        self.depth = np.zeros(1, np.int64)

    @staticmethod
    def bytes_for(shape: tuple[int, ...], length: int) -> int:
        """About as many bytes as the question takes."""
        return (length + 1) * (5 * sum(shape) + 64)

    def go_on(self, budget: int) -> int:
        """REFUTED, FOUND or, after ``budget`` nodes, UNFINISHED."""
        answer = search(
            self.rows,
            self.columns,
            self.V,
            self.P,
            self.Q,
            self.hypotheses,
            self.points,
            self.at,
            self.having,
            self.depth,
            self.length,
            budget,
        )
        return int(answer)

    def pairs(self) -> list[tuple[int, int]]:
        """The pairs (x_i, h_i) that were FOUND, by their numbers in the table."""
        found = [
            (self.points[i, self.at[i, 3] - 1], self.hypotheses[i, self.at[i, 1] - 1])
            for i in range(self.length)
        ]
        pairs = [(int(self.column[x]), int(self.row[h])) for x, h in found]
        return [(h, x) for x, h in reversed(pairs)] if self.turned else pairs


def _packed(values: NDArray[np.integer]) -> Bits:
    """The rows as sets, 64 columns to a word."""
    packed = np.zeros((len(values), -(-values.shape[1] // 64) * 8), np.uint8)
    bits = np.packbits(values.astype(bool), axis=1, bitorder="little")
    packed[:, : bits.shape[1]] = bits
    return packed.view("<u8").astype(np.uint64)
