"""Orbits of points: which questions are equal, at first and after other questions.

The symmetries that leave the literals of a path where they are make questions equal in the version
space of that path.  They are found for the paths that the search takes: after a question at x, only
paths through the least point of each orbit.

Source: Seress, "Permutation Group Algorithms" (2003), sections 2.2 (random elements), 4.1 (Schreier).
"""

from __future__ import annotations

from collections import deque
from collections.abc import Callable, Sequence

import numpy as np
from numpy.typing import NDArray

Permutation = NDArray[np.int64]

ELEMENTS = 6  # random ones, which mostly make the whole group
_SHUFFLES = 40  # products before the first element that counts as random


def orbits(group: Sequence[Permutation], points: int) -> NDArray[np.int64]:
    """The least point of each point's orbit under permutations of literals.

    >>> orbits([np.array([2, 3, 1, 0, 4, 5])], 3).tolist()  # 0 to 1, and 1 to 0 with the other label
    [0, 0, 2]
    """
    least, images = np.arange(points), [image[::2] >> 1 for image in group]
    while True:
        before = least
        for image in images:
            least = np.minimum(least, least[image])
        least = least[least]
        if np.array_equal(least, before):
            return least


def _inverse(image: Permutation) -> Permutation:
    back = np.empty_like(image)
    back[image] = np.arange(len(image))
    return back


class _Group:
    """The group that some permutations make: random elements, and those that fix a literal."""

    def __init__(self, generators: Sequence[Permutation], rng: np.random.Generator) -> None:
        self._rng = rng
        size = max(ELEMENTS, len(generators))
        self._pool = [generators[i % len(generators)] for i in range(size)]
        self._last = generators[0]
        for _ in range(_SHUFFLES):
            self._random()
        self._steps = [*generators, *(self._random() for _ in range(ELEMENTS))]
        self._back = [_inverse(step) for step in self._steps]

    def _random(self) -> Permutation:
        """A random element, by product replacement."""
        i, j = self._rng.choice(len(self._pool), 2, replace=False).tolist()
        factor = self._pool[j]
        if self._rng.random() < 0.5:
            factor = _inverse(factor)
        self._pool[i] = self._pool[i][factor]
        self._last = self._last[self._pool[i]]
        return self._last

    def fixing(self, literal: int) -> list[Permutation]:
        """Random elements other than the identity that fix a literal."""
        size = len(self._last)
        via = np.full(size, -1)  # the step by which a literal of the orbit is reached
        via[literal] = 0
        front = np.array([literal])
        while len(front):
            reached = []
            for j, step in enumerate(self._steps):
                images = step[front]
                images = images[via[images] < 0]
                via[images] = j
                reached.append(images)
            front = np.concatenate(reached)
        found = []
        for _ in range(ELEMENTS):
            element = self._random()
            while (at := element[literal]) != literal:
                element = self._back[via[at]][element]
            if (element != np.arange(size)).any():
                found.append(element)
        return found


class PathOrbits:
    """The orbits after each path of questions, written to an array that the search reads.

    In ``table[place, x]`` are the least point of x's orbit, and the place of the path that goes on with
    x; 0 if nothing is known of that.  Place 1 is the path without a question.
    """

    def __init__(
        self, generators: Sequence[Permutation], table: NDArray[np.int32], rng: np.random.Generator
    ) -> None:
        self._table, self._rng = table, rng
        self._last = 0
        self._waiting: deque[tuple[int, list[Permutation]]] = deque()
        self._next: list[int] = []
        self._group: _Group | None = None
        self._put(list(generators))

    def _put(self, group: list[Permutation]) -> int:
        self._last += 1
        self._table[self._last, :, 0] = orbits(group, self._table.shape[1])
        self._table[self._last, :, 1] = 0
        self._waiting.append((self._last, group))
        return self._last

    def grow(self, places: int, stopped: Callable[[], bool] = lambda: False) -> bool:
        """Add so many paths, the shortest first; whether there is any left to add."""
        for _ in range(places):
            if stopped():
                break
            while not self._next:
                if self._group is not None:
                    self._waiting.popleft()
                    self._group = None
                if not self._waiting:
                    return False
                self._start(*self._waiting[0])
            if self._last + 1 == len(self._table):
                return False
            place, x = self._waiting[0][0], self._next.pop()
            if self._group is not None and (group := self._group.fixing(2 * x)):
                self._table[place, x, 1] = self._put(group)
        return True

    def _start(self, place: int, group: list[Permutation]) -> None:
        """Take up the paths that go on from a place."""
        self._group = _Group(group, self._rng)
        least = self._table[place, :, 0]
        first = np.flatnonzero(least == np.arange(len(least)))
        # What fixes this path fixes the literals of such a point, too.
        fixed = np.all([image[2 * first] == 2 * first for image in group], axis=0)
        self._table[place, first[fixed], 1] = place
        self._next = first[~fixed].tolist()[::-1]
