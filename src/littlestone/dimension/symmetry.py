"""Orbits of points, which questions are equal, and when symmetries are looked for.

The symmetries that leave the literals of a path where they are make questions equal in the version
space of that path.  They are found for the paths that the search takes, once it has taken far longer
than looking takes: after a question at x, only paths through the least point of each orbit.  Proof that
a search with symmetries answers rightly: docs/proofs/symmetry.md.

Source: Seress, "Permutation Group Algorithms" (2003), sections 2.2 (random elements), 4.1 (Schreier).
"""

from __future__ import annotations

import random
from collections import deque
from collections.abc import Callable, Iterable, Sequence
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from littlestone.core import Symmetries
from littlestone.dimension.tables import PackedTable

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
        # Jump ahead, so that long cycles settle in few passes.
        least = least[least]
        if np.array_equal(least, before):
            return least


def _inverse(image: Permutation) -> Permutation:
    back = np.empty_like(image)
    back[image] = np.arange(len(image))
    return back


class Element(NamedTuple):
    """A permutation of literals and its number among the words that `PathOrbits` keeps."""

    image: Permutation
    number: int


Word = tuple[int, ...]  # 2 n for element n and 2 n + 1 for its inverse, in the order of their turns


class _Group:
    """The group that some permutations make: random elements, and those that fix a literal.

    ``words`` gets the word of each element that is made here.
    """

    def __init__(
        self, generators: Sequence[Element], words: list[Word], rng: random.Random
    ) -> None:
        self._words, self._rng = words, rng
        size = max(ELEMENTS, len(generators))
        self._pool = [generators[i % len(generators)] for i in range(size)]
        self._last = generators[0]
        for _ in range(_SHUFFLES):
            self._random()
        self._steps = [*generators, *(self._random() for _ in range(ELEMENTS))]
        self._back = [_inverse(step.image) for step in self._steps]

    def _element(self, image: Permutation, *word: int) -> Element:
        self._words.append(word)
        return Element(image, len(self._words) - 1)

    def _random(self) -> Element:
        """A random element, by product replacement."""
        i = int(self._rng.random() * len(self._pool))
        j = (i + 1 + int(self._rng.random() * (len(self._pool) - 1))) % len(self._pool)
        (factor, n), old, last = self._pool[j], self._pool[i], self._last
        inverted = self._rng.random() < 0.5
        if inverted:
            factor = _inverse(factor)
        new = self._element(old.image[factor], 2 * n + inverted, 2 * old.number)
        self._pool[i] = new
        self._last = self._element(last.image[new.image], 2 * new.number, 2 * last.number)
        return self._last

    def fixing(self, literal: int) -> list[Element]:
        """Random elements other than the identity that fix a literal."""
        size = len(self._last.image)
        via = np.full(size, -1)  # the step by which a literal of the orbit is reached
        via[literal] = 0
        front = np.array([literal])
        while len(front):
            reached = []
            for j, step in enumerate(self._steps):
                images = step.image[front]
                images = images[via[images] < 0]
                via[images] = j
                reached.append(images)
            front = np.concatenate(reached)
        found = []
        for _ in range(ELEMENTS):
            image, number = self._random()
            word = [2 * number]
            # Schreier: follow the random element by the steps back to the literal; the product
            # fixes it.
            while (at := image[literal]) != literal:
                image = self._back[via[at]][image]
                word.append(2 * self._steps[via[at]].number + 1)
            if (image != np.arange(size)).any():
                found.append(self._element(image, *word))
        return found


class PathOrbits:
    """The orbits after each path of questions, written to an array that the search reads.

    In ``table[place, x]`` are the least point of x's orbit, and the place of the path that goes on with
    x; 0 if nothing is known of that.  Place 1 is the path without a question.  The words of
    the elements are kept, so that a certificate can state them.
    """

    def __init__(self, generators: Sequence[Permutation], table: NDArray[np.int32]) -> None:
        self._table, self._rng = table, random.Random(0)  # chance decides how much is found alone
        self._last = 0
        self._waiting: deque[tuple[int, list[Element]]] = deque()
        self._next: list[int] = []
        self._group: _Group | None = None
        self._words: list[Word] = [()] * len(generators)
        self._groups: list[list[int]] = [[]]  # the numbers of the elements that fix each path
        self._put([Element(image, i) for i, image in enumerate(generators)])

    def _put(self, group: list[Element]) -> int:
        self._last += 1
        images = [element.image for element in group]
        self._table[self._last, :, 0] = orbits(images, self._table.shape[1])
        self._table[self._last, :, 1] = 0
        self._waiting.append((self._last, group))
        self._groups.append([element.number for element in group])
        return self._last

    def grow(self, places: int, stopped: Callable[[], bool] = lambda: False) -> bool:
        """Add up to ``places`` paths, the shortest first; whether there is any left to add."""
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

    def words_of_paths(self, places: Iterable[int]) -> tuple[list[Word], list[list[int]]]:
        """Words for the elements that fix these paths, and the numbers of these elements.

        The first elements are the generators, which have no words.  Every other is a word in elements
        before it.
        """
        first = len(self._groups[1])
        groups = [self._groups[place] for place in places]
        needed = {number for group in groups for number in group}
        for number in range(len(self._words) - 1, first - 1, -1):
            if number in needed:
                needed.update(letter >> 1 for letter in self._words[number])
        order = [*range(first), *sorted(number for number in needed if number >= first)]
        new = {number: i for i, number in enumerate(order)}
        words = [
            tuple(2 * new[letter >> 1] + (letter & 1) for letter in self._words[number])
            for number in order[first:]
        ]
        return words, [[new[number] for number in group] for group in groups]

    def _start(self, place: int, group: list[Element]) -> None:
        """Take up the paths that go on from a place."""
        self._group = _Group(group, self._words, self._rng)
        least = self._table[place, :, 0]
        first = np.flatnonzero(least == np.arange(len(least)))
        # What fixes this path fixes the literals of such a point, too.
        fixed = np.all([image[2 * first] == 2 * first for image, _ in group], axis=0)
        self._table[place, first[fixed], 1] = place
        self._next = first[~fixed].tolist()[::-1]


NEVER = 1 << 62
# A unit of work is about 4 nanoseconds.
PATIENCE = 4  # work for each entry of the table before the first look
SMALL = 1 << 17  # entries; a look at a table of fewer takes no less
FAILURE = 8  # work for each entry of the table that pays for a failure
PLACE, PLACE_POINT = 100_000, 500  # work that adding a path is worth, and for each point
SHARE = 8  # one part in 8 of the work is spent on paths
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
    """A search for symmetries that can be interrupted and continued."""

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
