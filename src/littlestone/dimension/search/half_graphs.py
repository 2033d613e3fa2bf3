"""One question about half-graphs, asked of the compiled search slice by slice."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from littlestone import core

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
        self._search = core.HalfGraphSearch(_packed(values), _packed(values.T), length)

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


def _packed(values: NDArray[np.integer]) -> NDArray[np.uint64]:
    """The rows as sets, 64 columns to a word."""
    packed = np.zeros((len(values), -(-values.shape[1] // 64) * 8), np.uint8)
    bits = np.packbits(values.astype(bool), axis=1, bitorder="little")
    packed[:, : bits.shape[1]] = bits
    return packed.view("<u8").astype(np.uint64)
