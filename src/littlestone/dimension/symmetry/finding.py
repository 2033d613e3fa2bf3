"""Finding symmetries of a table: colours are refined until each literal has one of its own, twice.

A literal 2 x + y is a point with a label.  A symmetry is a permutation of the literals that takes the
two of a point to the two of a point, and the set of rows to itself.  What the colours suggest must be
checked (`Entries.is_symmetry`).

Source: McKay and Piperno, "Practical graph isomorphism, II" (2014).
"""

from __future__ import annotations

from collections.abc import Iterator
from functools import cached_property

import numpy as np
from numpy.typing import NDArray

from littlestone import core
from littlestone.dimension.tables import PackedTable

Permutation = NDArray[np.int64]
Colours = NDArray[np.uint64]

TRIES = 3  # choices at one place
SHORT = 8  # literals that are chosen before it counts as a failure that there are more
_BITS = (np.arange(16)[:, np.newaxis] >> np.arange(4) & 1).astype(np.uint64)
_ODD = np.array([0x9E3779B97F4A7C15, 0xC2B2AE3D27D4EB4F, 0xD6E8FEB86659FD93], np.uint64)


class Entries:
    """The entries of a table, summed by compiled code over rows and over columns."""

    def __init__(self, table: PackedTable) -> None:
        self.points, self._rows = table.points, table.rows
        self._fours = -(-table.points // 4)  # the entries of a row are read by fours

    @cached_property
    def _by_hash(self) -> tuple[Colours, NDArray[np.int64]]:
        """Random weights of the literals, and the rows in the order of their sums."""
        weights = np.random.default_rng(7).integers(0, 2**64, 2 * self.points, np.uint64)
        return weights, np.argsort(self.rows(weights))

    def rows(self, weights: Colours) -> Colours:
        """The sum of each row's literals, modulo 2^64."""
        ones = np.zeros(4 * self._fours, np.uint64)
        ones[: self.points] = weights[1::2] - weights[::2]
        found = np.empty(len(self._rows), np.uint64)
        core.sum_rows(self._rows, (ones.reshape(-1, 4) @ _BITS.T).ravel(), found)
        found += weights[::2].sum(dtype=np.uint64)
        return found

    def literals(self, weights: Colours) -> Colours:
        """The sum of the weights of the rows that have each literal, modulo 2^64."""
        sums = np.zeros(16 * self._fours, np.uint64)
        core.sum_values(self._rows, weights, sums)
        ones = (sums.reshape(-1, 16) @ _BITS).ravel()[: self.points]
        return np.stack([weights.sum(dtype=np.uint64) - ones, ones], axis=1).ravel()

    def is_symmetry(self, image: Permutation) -> bool:
        """Whether ``image`` permutes the literals, those of a point together, and the rows.

        The time is linear in the entries.  A hash says only which row to compare the image of a row
        with.  So two rows of one hash may lead to a wrong no, but nothing leads to a wrong yes.
        """
        literals = 2 * self.points
        if not np.array_equal(np.sort(image), np.arange(literals)):
            return False
        if not np.array_equal(image[1::2], image[::2] ^ 1):
            return False
        weights, order = self._by_hash
        match = np.empty(len(self._rows), np.int64)  # row i goes to row match[i]
        match[np.argsort(self.rows(weights[image]))] = order
        return core.takes_rows(self._rows, image, match)

    def refined(self, colours: Colours, rounds: int | None = None) -> tuple[Colours, int]:
        """Colours that tell apart what these do and, again and again, what lies in other rows.

        They depend on the table and on the colours alone, not on the order of points, labels or rows.
        Also says after how many rounds nothing new was told apart; ``rounds`` asks for that many.
        """
        count, done = 0, 0
        while rounds is None or done < rounds:
            rows = _mixed(self.rows(colours))
            partner = colours.reshape(-1, 2)[:, ::-1].ravel()
            sums = self.literals(rows)
            finer = _mixed(_mixed(colours) * _ODD[0] + partner * _ODD[1] + sums * _ODD[2])
            if rounds is None:
                found = len(np.unique(finer))
                if found == count:
                    break
                count = found
            colours, done = finer, done + 1
            if count == len(colours):
                break
        return colours, done


def _mixed(words: Colours) -> Colours:
    words = (words ^ (words >> np.uint64(30))) * np.uint64(0xBF58476D1CE4E5B9)
    words = (words ^ (words >> np.uint64(27))) * np.uint64(0x94D049BB133111EB)
    return words ^ (words >> np.uint64(31))


def _marked(colours: Colours, literal: int) -> Colours:
    """The colours after a literal got one of its own."""
    marked = colours.copy()
    marked[literal] = _mixed(colours[literal : literal + 1] + np.uint64(1))[0]
    return marked


def _cell(colours: Colours) -> tuple[np.uint64, int]:
    """The colour that most literals have, and how many; the least of several."""
    values, counts = np.unique(colours, return_counts=True)
    i = int(np.argmax(counts))
    return values[i], int(counts[i])


def suggestions(entries: Entries, rng: np.random.Generator) -> Iterator[Permutation | None]:
    """Permutations that may be symmetries, at random, and None after each failure to make one.

    It ends if there are none.  The identity is left out.

    The first literal of the largest cell, the literals of one colour, is chosen until all cells are
    single.  Other choices from the same cells that lead to the same colours suggest a symmetry.
    """
    first, _ = entries.refined(np.ones(2 * entries.points, np.uint64))
    path: list[tuple[np.uint64, int, Colours]] = []  # chosen from, rounds, the colours that follow
    colours = first
    while True:
        cell, count = _cell(colours)
        if count == 1:
            break
        if len(path) >= SHORT:
            yield None
        chosen = int(np.flatnonzero(colours == cell)[0])
        colours, rounds = entries.refined(_marked(colours, chosen))
        path.append((cell, rounds, np.sort(colours)))
    if not path:
        return
    leaf = np.argsort(colours)
    hopeful = first == path[0][0]  # the literals that may be the image of the first one
    while hopeful.sum() > 1:
        colours = first
        for cell, rounds, expected in path:
            before, members = colours, np.flatnonzero(colours == cell)
            if before is first:
                members = members[hopeful[members]]
            for chosen in rng.permutation(members)[:TRIES].tolist():
                colours, _ = entries.refined(_marked(before, chosen), rounds)
                # Equal colours suggest a symmetry; only `is_symmetry` decides.
                if np.array_equal(np.sort(colours), expected):
                    break
                if before is first:
                    hopeful[chosen] = False
                yield None
            else:
                break
        else:
            image = np.empty_like(leaf)
            image[leaf] = np.argsort(colours)
            if (image != np.arange(len(image))).any():
                yield image
