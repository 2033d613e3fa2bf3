"""A randomized function along every outcome of its choices: its exact law, by its own code."""

from __future__ import annotations

import random
from collections.abc import Callable, Hashable, Sequence
from fractions import Fraction
from typing import TypeVar

Output = TypeVar("Output", bound=Hashable)


class Choices:
    """Runs a function again and again, with other outcomes of `choose` each time.

    >>> choices = Choices()
    >>> coin = [Fraction(1, 3), Fraction(2, 3)]
    >>> law = choices.explore(lambda: choices.choose(coin) + choices.choose(coin))
    >>> {heads: str(mass) for heads, mass in law.items()}
    {0: '1/9', 1: '4/9', 2: '4/9'}
    """

    def __init__(self) -> None:
        self._path: list[int] = []
        self._sizes: list[int] = []
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

    def either(self) -> bool:
        """A choice whose likelihood is told later, by `weigh`."""
        return bool(self.choose([Fraction(1)] * 2))

    def weigh(self, likelihood: Fraction) -> None:
        """How likely what came before is, beyond the weights of the choices."""
        self._weight *= likelihood

    def generator(self) -> random.Random:
        """One whose `randrange` is a choice."""
        choose = self.choose

        class Chosen(random.Random):
            def randrange(self, n: int) -> int:  # type: ignore[override]
                return choose([Fraction(1, n)] * n)

        return Chosen()

    def explore(self, run: Callable[[], Output]) -> dict[Output, Fraction]:
        """The distribution of what ``run`` returns."""
        found: dict[Output, Fraction] = {}
        self._path, self._sizes = [], []
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
