"""Runs a randomized function along every outcome of its choices."""

from __future__ import annotations

import random
from collections.abc import Callable, Hashable, Sequence
from fractions import Fraction
from typing import TypeVar

import pytest

from littlestone.privacy.mechanisms import epoch
from littlestone.privacy.samplers.reals import Real

Output = TypeVar("Output", bound=Hashable)


class Script:
    """Runs a randomized function along every outcome of its choices, with their exact weights."""

    def __init__(self) -> None:
        self._path: list[int] = []
        self._position = 0
        self._weight = Fraction(1)

    def choose(self, weights: Sequence[Fraction]) -> int:
        """One of the outcomes 0, 1, ... of these weights."""
        if self._position == len(self._path):
            self._path.append(0)
            self._sizes.append(len(weights))
        chosen = self._path[self._position]
        self._position += 1
        self._weight *= weights[chosen]
        return chosen

    def geometric(self, a: Fraction, rng: object, *, most: int = 3) -> int:
        """In place of the sampler's: min(X, most), Pr[X >= x] = a^x, where it is possible."""
        weights = [a**k * (1 - a) for k in range(most)] + [a**most]
        possible = [k for k, weight in enumerate(weights) if weight]
        return possible[self.choose([weights[k] for k in possible])]

    def take_over(self, patch: pytest.MonkeyPatch) -> None:
        """In place of the sampler of all that continual mechanisms skip and wait for."""
        patch.setattr(epoch, "geometric", self.geometric)
        patch.setattr(Real, "of", lambda x: x)

    def generator(self) -> random.Random:
        """One whose `randrange` is a choice."""
        choose = self.choose

        class Scripted(random.Random):
            def randrange(self, n: int) -> int:  # type: ignore[override]
                return choose([Fraction(1, n)] * n)

        return Scripted()

    def explore(self, run: Callable[[], Output]) -> dict[Output, Fraction]:
        """The distribution of what ``run`` returns."""
        found: dict[Output, Fraction] = {}
        self._path, self._sizes = [], list[int]()
        while True:
            self._position, self._weight = 0, Fraction(1)
            output = run()
            found[output] = found.get(output, Fraction(0)) + self._weight
            while self._path and self._path[-1] + 1 == self._sizes[-1]:
                self._path.pop()
                self._sizes.pop()
            if not self._path:
                return found
            self._path[-1] += 1
