"""Few points that meet all flats of the largest rank, for a class of `Flats`."""

from __future__ import annotations

from collections.abc import Callable, Iterator

from littlestone.base.steps import count as count_steps
from littlestone.points.algebra import Span, Vector

Vectors = tuple[Vector, ...]

_FEW = 128
"""The most points of a flat that are tried one by one."""


class BlockingSearch:
    """The search for at most k points of which every flat has one; exact, whatever the field.

    It knows the flats by two functions.  ``avoiding(points)`` is a flat with none of the points, or
    None.  ``points_in(U, among)`` are points that span those of U; with
    ``among``, an earlier result, they span the points that U has in common with its flat.  They are all
    of these points if ``all_points`` is true.

    A_1, ..., A_j are sets of points, where A_i holds all that is known of point i.

    1. Take a point of each.  If no flat avoids them all, they are the answer.
    2. Otherwise some flat U contains no A_i as a whole.  One of the k points is in U.  So A_i becomes
       its intersection with U for some i, or U is A_(j+1), or, if U has few points, one of them is.
       A branch ends when an A_i has no points.
    3. The flats are kept, so that most questions are answered by one of them.  Sets that led to nothing
    are kept as well.
    """

    def __init__(
        self,
        k: int,
        avoiding: Callable[[Vectors], Span | None],
        points_in: Callable[[Span, Vectors | None], Vectors],
        *,
        all_points: bool,
    ) -> None:
        self.k, self.avoiding, self.points_in = k, avoiding, points_in
        self.all_points = all_points
        self.flats: list[tuple[Span, Vectors]] = []  # each with its points
        self.missing: dict[Vector, tuple[int, int]] = {}
        self.failed: set[frozenset[Vectors]] = set()

    def points(self) -> Vectors | None:
        """The points, or None.  Depth first, with a stack of its own, as it may be deep."""
        states: list[tuple[Vectors, ...]] = [()]
        levels: list[Iterator[tuple[Vectors, ...]]] = []
        while states:
            if len(levels) < len(states):
                flat = self._flat_without(states[-1])
                if flat is None:
                    return tuple(A[0] for A in states[-1])
                levels.append(self._shrunk(states[-1], *flat))
            below = next(levels[-1], None)
            if below is None:
                self.failed.add(frozenset(states.pop()))
                levels.pop()
            elif frozenset(below) not in self.failed:
                states.append(below)
        return None

    def _shrunk(
        self, sets: tuple[Vectors, ...], U: Span, points: Vectors
    ) -> Iterator[tuple[Vectors, ...]]:
        """The ways to put one of the k points into U."""
        for i, A in enumerate(sets):
            if common := self.points_in(U, A):
                yield (*sets[:i], common, *sets[i + 1 :])
        if len(sets) < self.k:
            few = self.all_points and len(points) <= _FEW
            yield from ((*sets, A) for A in (((v,) for v in points) if few else (points,)))

    def _flat_without(self, sets: tuple[Vectors, ...]) -> tuple[Span, Vectors] | None:
        """A flat that contains none of the sets as a whole, with its points.

        None if each flat has the first point of one of them.
        """
        count_steps()
        fits = (1 << len(self.flats)) - 1
        for A in sets:
            fits &= self._not_containing(A)
        if fits:
            # The flat with the fewest of their points leaves the smallest sets.
            masks = [self.missing[v][0] for A in sets for v in A]
            numbers = (i for i in range(fits.bit_length()) if fits >> i & 1)
            return self.flats[max(numbers, key=lambda i: sum(mask >> i & 1 for mask in masks))]
        U = self.avoiding(tuple(A[0] for A in sets))
        if U is None:
            return None
        self.flats.append((U, self.points_in(U, None)))
        return self.flats[-1]

    def _not_containing(self, A: Vectors) -> int:
        """The flats, as a mask, that do not contain all points of A."""
        found = 0
        for v in A:
            mask, seen = self.missing.get(v, (0, 0))
            for i in range(seen, len(self.flats)):
                mask |= (v not in self.flats[i][0]) << i
            self.missing[v] = mask, len(self.flats)
            found |= mask
        return found
