"""The checker of refutations, which checks each claim from the claims with smaller k."""

from __future__ import annotations

import hashlib
from functools import cached_property

from littlestone.dimension.sides import (
    Columns,
    Mask,
    Sides,
    everything,
    reduced,
    restricted,
    weights,
)
from littlestone.dimension.table import PackedTable, Restrictions

Claim = tuple[Restrictions, int]


class Checker:
    """Accepts the claims about a table that follow by the rules of `refutes`."""

    def __init__(self, table: PackedTable, claims: tuple[Claim, ...]) -> None:
        self._columns, self._all, self._claims = table.columns, everything(table.size), claims
        self._named = {(frozenset(path), k) for path, k in claims}

    @cached_property
    def _shapes(self) -> set[tuple[bytes, int]]:
        """The shapes of the classes that claims are about."""
        masks = ((self._rows(path), k) for path, k in self._claims)
        return {(_shape(self._columns, rows), k) for rows, k in masks if rows is not None}

    def _rows(self, path: Restrictions) -> Mask | None:
        """The rows that satisfy the restrictions; None if a restriction is malformed."""
        if any(not 0 <= literal < 2 * len(self._columns) for literal in path):
            return None
        rows = self._all.copy()
        for literal in path:
            column = self._columns[literal >> 1]
            rows &= column if literal & 1 else ~column
        return rows

    def accepts(self, claim: Claim) -> bool:
        """Whether this claim follows."""
        path, k = claim
        rows = self._rows(path)
        if rows is None or k < 0:
            return False
        size = int(weights(rows))
        if size.bit_length() <= k:  # fewer than 2^k; a damaged k may be too large to shift by
            return True
        if k < 2:  # distinct rows differ somewhere
            return False
        columns, names = reduced(restricted(self._columns, rows), size)
        sides = Sides(columns, size, k)
        waiting = [
            j for j in sides.open if not (sides.inside(j) or self._buries(sides, j, path, names[j]))
        ]
        return all(map(sides.inside, waiting))

    def _buries(self, sides: Sides, j: int, path: Restrictions, name: int) -> bool:
        # Counting in the larger side is the dearest: last.
        k = sides.k - 1
        return any(
            sides.bury(j, side)
            for side in sides.smaller_first(j)
            if (frozenset((*path, name ^ side)), k) in self._named
            or sides.counts_out(j, side)
            or (_shape(sides.columns, sides.rows(j, side)), k) in self._shapes
        )


def _shape(columns: Columns, rows: Mask) -> bytes:
    """A fingerprint of the rows in their order and of the set of columns up to complements."""
    size = int(weights(rows))
    kept, _ = reduced(restricted(columns, rows), size)
    return hashlib.sha256(b"%d:" % size + b"".join(sorted(map(bytes, kept)))).digest()
