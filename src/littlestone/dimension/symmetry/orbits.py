"""Orbits of points: which questions are equal, at first and after other questions.

The symmetries that leave the literals of a path where they are make questions equal in the version
space of that path.  They are found for the paths that the search takes: after a question at x, only
paths through the least point of each orbit.

Source: Seress, "Permutation Group Algorithms" (2003), sections 2.2 (random elements), 4.1 (Schreier).
"""

from __future__ import annotations

import random
from collections import deque
from collections.abc import Callable, Iterable, Sequence
from typing import NamedTuple

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

    def _made(self, image: Permutation, *word: int) -> Element:
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
        new = self._made(old.image[factor], 2 * n + inverted, 2 * old.number)
        self._pool[i] = new
        self._last = self._made(last.image[new.image], 2 * new.number, 2 * last.number)
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
                found.append(self._made(image, *word))
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

    def words(self, places: Iterable[int]) -> tuple[list[Word], list[list[int]]]:
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
