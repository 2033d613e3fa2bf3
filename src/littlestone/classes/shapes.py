"""The sets of columns that rules may ask about, and the finite classes that they form."""

from __future__ import annotations

from collections.abc import Iterator
from functools import cache
from itertools import combinations

from littlestone.dimension.version_spaces import VersionSpaces


class Shapes:
    """The sets of at most r of m columns that a rule may ask about, smallest first.

    Sets of columns are masks of m bits, and families of shapes are masks with one bit per shape.
    ``inside[Z]`` is the family of the shapes inside the columns Z.  So a family is a class of functions
    of Z: conjunctions of at most r of m bits.  `VersionSpaces` finds its dimensions.
    """

    def __init__(self, m: int, r: int) -> None:
        chosen = [c for size in range(r + 1) for c in combinations(range(m), size)]
        self.columns = chosen
        self.masks = [sum(1 << j for j in c) for c in chosen]
        self.all = (1 << len(chosen)) - 1
        self.inside = [
            sum(1 << i for i, mask in enumerate(self.masks) if not mask & ~Z) for Z in range(1 << m)
        ]
        self.solver = VersionSpaces(self.inside)

    @classmethod
    @cache
    def of(cls, m: int, r: int) -> Shapes:
        """The shared object for the shapes of at most r of m columns."""
        return cls(m, r)

    def listed(self, family: int) -> Iterator[int]:
        """The numbers of the shapes in ``family``."""
        while family:
            yield (family & -family).bit_length() - 1
            family &= family - 1

    def span(self, family: int) -> int:
        """The columns that some shape of ``family`` asks about."""
        span = 0
        for i in self.listed(family):
            span |= self.masks[i]
        return span
