"""The sets of columns that rules may ask about, and the finite classes that they form."""

from __future__ import annotations

from collections.abc import Iterator
from functools import cache, cached_property
from itertools import combinations

import numpy as np
from numpy.typing import NDArray

from littlestone.base.errors import TooLargeError
from littlestone.dimension.search.version_spaces import VersionSpaces

MOST_COLUMNS = 8
MOST_COLUMNS_OF_SHORT_RULES = 10  # for rules of at most 2 literals


class Shapes:
    """The sets of at most r of m columns that a rule may ask about, smallest first.

    Sets of columns are masks of m bits, and families of shapes are masks with one bit per shape.
    ``inside[Z]`` is the family of the shapes inside the columns Z.  So a family is a class of functions
    of Z: conjunctions of at most r of m bits.  `VersionSpaces` finds its dimensions, for few columns.
    """

    def __init__(self, m: int, r: int) -> None:
        chosen = [c for size in range(r + 1) for c in combinations(range(m), size)]
        self.columns = chosen
        self.masks = [sum(1 << j for j in c) for c in chosen]
        self.all = (1 << len(chosen)) - 1
        self.m, self.r = m, r

    @property
    def searchable(self) -> bool:
        """Whether version spaces are searched: each looks at all 2^m sets of columns."""
        return self.m <= (MOST_COLUMNS if self.r > 2 else MOST_COLUMNS_OF_SHORT_RULES)

    @cached_property
    def inside(self) -> list[int]:
        """The family of the shapes inside each set of columns; `TooLargeError` for many columns."""
        if not self.searchable:
            raise TooLargeError(
                f"search the version spaces of rules of {self.r} equalities over {self.m} columns",
                found="there are too many sets of columns",
                fix=f"name at most {MOST_COLUMNS} columns, or {MOST_COLUMNS_OF_SHORT_RULES} for rules "
                "of at most 2 equalities; the method choosing needs no search",
            )
        return [
            sum(1 << i for i, mask in enumerate(self.masks) if not mask & ~Z)
            for Z in range(1 << self.m)
        ]

    @cached_property
    def solver(self) -> VersionSpaces:
        """The solver of the families; `TooLargeError` for many columns."""
        return VersionSpaces(self.inside)

    def rows(self) -> NDArray[np.bool_]:
        """The conjunctions as functions of all sets of columns, one row each."""
        Z = np.arange(1 << self.m)
        return np.stack([mask & ~Z == 0 for mask in self.masks])

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
