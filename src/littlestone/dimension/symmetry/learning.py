"""When symmetries are looked for: once the search has taken far longer than looking takes.

Proof that a search with symmetries answers rightly: docs/proofs/symmetry.md.
"""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
from numpy.typing import NDArray

from littlestone.core import Symmetries
from littlestone.dimension.symmetry.orbits import PathOrbits, Permutation, orbits
from littlestone.dimension.tables import PackedTable

NEVER = 1 << 62
# A unit of work is about 4 nanoseconds.
PATIENCE = 4  # work for each entry of the table before the first look
SMALL = 1 << 17  # entries; a look at a table of fewer takes no less
FAILURE = 8  # work for each entry of the table that pays for a failure
PLACE, PLACE_POINT = 100_000, 500  # work that adding a path is worth, and for each point
SHARE = 8  # one part in so many of the work is spent on paths
ENOUGH = 4  # symmetries in a row that join no orbits, after which no more are looked for
MOST = 24  # symmetries


class Symmetry:
    """What a search learns of its table's symmetries; ``due`` is the work at which it learns more.

    ``generators`` are the symmetries that it has found, and ``paths`` the orbits that they make.
    """

    def __init__(self, table: PackedTable, work: int) -> None:
        """For a search that did so much work before."""
        self._cells = table.size * table.points
        self._began, self.due = work, work + PATIENCE * max(self._cells, SMALL)
        self._table = table
        self._look: _Look | None = None
        self.generators: list[Permutation] = []
        self.paths: PathOrbits | None = None

    def learn(self, into: NDArray[np.int32], work: int, stopped: Callable[[], bool]) -> bool:
        """Write orbits into the array that the search reads; whether there are any."""
        work -= self._began
        if self._look is None:
            self._look = _Look(self._table)
        look, growing = self._look, False
        known = len(look.found)
        look.go_on(1 + work // (FAILURE * self._cells), stopped)
        if len(look.found) > known:
            self.generators = look.found.copy()
            self.paths = PathOrbits(self.generators, into)
        if self.paths is not None:
            places = 1 + work // (SHARE * (PLACE + PLACE_POINT * self._table.points))
            growing = self.paths.grow(places, stopped)
        self.due = NEVER if look.over and not growing else self._began + 2 * work + 1
        return self.paths is not None


class _Look:
    """A look for symmetries, which may be left and taken up again."""

    def __init__(self, table: PackedTable) -> None:
        self._symmetries, self._points = Symmetries(table.rows, table.points), table.points
        self._orbits, self._idle = table.points, 0
        self.found: list[Permutation] = []
        self.over = False

    def go_on(self, failures: int, stopped: Callable[[], bool]) -> None:
        """Look until there are enough symmetries, or too many failures."""
        while failures > 0 and not self.over and not stopped():
            image = np.empty(2 * self._points, np.int64)
            suggested = self._symmetries.suggest(image)
            if suggested < 0:
                self.over = True
            # Checked on the whole table before it is used: a wrong one would make answers wrong.
            elif suggested == 0 or not self._symmetries.is_symmetry(image):
                failures -= 1
            else:
                self.found.append(image)
                before = self._orbits
                self._orbits = len(np.unique(orbits(self.found, self._points)))
                self._idle = self._idle + 1 if self._orbits == before else 0
                enough = self._orbits == 1 and len(self.found) > 2
                self.over = enough or self._idle == ENOUGH or len(self.found) == MOST
