"""At most k records of each unit, chosen at random, in one pass over batches of coded columns."""

from __future__ import annotations

import random
from collections.abc import Sequence

import numpy as np

from littlestone.data.coding import CodedColumn, Codes, Numbering
from littlestone.points import text
from littlestone.points.units import Unit

_FEW = 2**18  # fewer records than this are not worth merging


class Reservoir:
    """Keeps at most k = ``unit.most`` records of each unit, each set of k with the same probability.

    A record is one code for each column.  The j-th record of a unit, j > k, takes one of the places
    1, ..., j at random, and replaces the record there if that is one of the k places; otherwise it is
    left out (Vitter's algorithm R).  So what is kept of a unit depends on the records of that unit
    alone, on their order and on draws of its own: not on other units, and not on what any record says
    (docs/proofs/units.md, Theorem 1).  Memory grows with the records that are kept, and a void place
    takes none.  Time: O(1) a record, and one whole number of ``rng`` for each record of a unit beyond
    its first k.

    >>> from littlestone.data.coding import code_column
    >>> kept = Reservoir(Unit("name", 1), random.Random(0))
    >>> kept.add(code_column(["ann", "bob", "ann"]), [np.array([5, 6, 5])])
    >>> kept.units, [column.tolist() for column in kept.columns()]
    (2, [[5, 6]])
    """

    def __init__(self, unit: Unit, rng: random.Random) -> None:
        self.unit, self._most, self._rng = unit, unit.most, rng
        self._number = Numbering(text)
        self._seen = np.zeros(0, np.int64)  # records of each unit so far
        # Places, and the records that were put there; the last record of a place is the one kept.
        self._put: list[tuple[Codes, Codes]] = []
        self._listed = self._filled = 0  # records put, and places that are filled

    @property
    def units(self) -> int:
        """The number of units so far, which is public."""
        return len(self._number)

    def add(self, unit: CodedColumn, columns: Sequence[Codes]) -> None:
        """Look at the records of a batch, in their order; ``unit`` says whose each is."""
        # A column may list values that belong to no record; they are no units.
        occurring, codes = np.unique(unit.codes, return_inverse=True)
        values = list(unit.values)
        units = self._number(CodedColumn([values[i] for i in occurring.tolist()], codes))
        self._grow()
        # The place of each record among those of its unit: 0 for the first one ever seen.
        order = np.argsort(units, kind="stable")
        grouped = units[order]
        starts = np.flatnonzero(np.diff(grouped, prepend=-1))
        inside = np.arange(len(grouped)) - np.repeat(starts, np.diff(starts, append=len(grouped)))
        place = np.empty(len(units), np.int64)
        place[order] = self._seen[grouped] + inside
        self._seen += np.bincount(units, minlength=len(self._seen))
        late = np.flatnonzero(place >= self._most)
        # Vitter's algorithm R: record j takes a place with probability k / (j + 1).  What is drawn
        # depends on the records of its unit alone (docs/proofs/units.md, Theorem 1).
        place[late] = [self._rng.randrange(j + 1) for j in place[late].tolist()]
        kept = np.flatnonzero(place < self._most)
        self._put.append((units[kept] * self._most + place[kept], np.stack(columns, axis=1)[kept]))
        self._listed += len(kept)
        if self._listed > 2 * self._filled + _FEW:
            self._merge()

    def _grow(self) -> None:
        missing = self.units - len(self._seen)
        if missing > 0:
            room = max(missing, len(self._seen))  # twice as much, so that all growing is O(units)
            self._seen = np.concatenate([self._seen, np.zeros(room, np.int64)])

    def _merge(self) -> None:
        """Leave one record in each place, the last that was put there, in the order of the places."""
        places, records = (np.concatenate(parts) for parts in zip(*self._put, strict=True))
        # From the end, because `np.unique` returns the first of equals.
        filled, last = np.unique(places[::-1], return_index=True)
        self._put = [(filled, records[len(places) - 1 - last])]
        self._listed = self._filled = len(filled)

    def columns(self) -> list[Codes]:
        """The codes of the records that are kept, by column; at least one was added."""
        self._merge()
        return list(self._put[0][1].T)
