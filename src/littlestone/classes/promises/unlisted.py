"""Classes over open columns whose version spaces nobody computes; their values are released first."""

from __future__ import annotations

import math
from abc import abstractmethod
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any, ClassVar, NoReturn, Self

from littlestone.base.errors import DeclarationError, TooLargeError
from littlestone.classes.base import HypothesisClass
from littlestone.classes.promises.by_table import ByTable
from littlestone.classes.text.columns import mixed_text
from littlestone.points import Listed, Parted, Product
from littlestone.rules import Hypothesis

MOST_VALUES = 1024
"""The most values of an open column that a class is closed with."""

FEWER_COLUMNS = (
    "take fewer columns or shorter ranges; `fit --method exponential` needs no version spaces"
)
"""What to do about a class that has too many hypotheses for a table."""


class NoVersionSpaces(HypothesisClass[Any]):
    """A class that knows its `littlestone_bounds` only, and no version space."""

    why: ClassVar[str] = "a column is open"
    """Why no version space is known."""
    remedy: ClassVar[str] = (
        "declare the values of open columns, such as ward in {ICU, ER}; learning needs no version "
        "spaces"
    )
    """What to do about it."""
    proof: ClassVar[str] = "docs/proofs/conditions.md"
    """The page that proves the lower bound."""

    def _no_version_spaces(self) -> NoReturn:
        low, high = self.littlestone_bounds()
        known = f"lies between {low} and {high}" if high < math.inf else f"is at least {low}"
        known = f"is {low}" if low == high else known
        raise TooLargeError(
            f"find the version spaces of {self}",
            found=f"{self.why}; the Littlestone dimension {known}",
            fix=self.remedy,
        )

    @abstractmethod
    def littlestone_bounds(self) -> tuple[int, int | float]: ...

    def bound_reasons(self) -> tuple[str, str]:
        return f"a tree, {self.proof}", "the majority of its functions errs no more often"

    def require_learnable(self) -> None:
        return  # it is not empty, and no learner of it needs its Littlestone dimension

    @property
    def size(self) -> int | None:
        return None

    def littlestone_dimension(self) -> int:
        """Refused even if `littlestone.dim` knows it: a method that asks restricts the class next.

        It must refuse before anything is spent, so it is refused here.
        """
        self._no_version_spaces()

    def restrict(self, x: Any, y: int) -> Self:
        self._no_version_spaces()

    def is_empty(self) -> bool:
        return False

    def soa(self) -> Hypothesis[Any]:
        self._no_version_spaces()

    def mistake_point(self) -> Any:
        self._no_version_spaces()

    def reducing_points(self, k: int) -> list[Any] | None:
        self._no_version_spaces()

    @classmethod
    def examples(cls) -> list[Self]:
        """None: the laws of classes are about version spaces."""
        return []


@dataclass(frozen=True)
class Unlisted(NoVersionSpaces):
    """A class of ``kind`` over a mixed table with open columns.

    `closed` is the class in which each open column has a list of values.  A learner releases such lists
    privately, and then learns the closed class.

    >>> from littlestone.classes import parse_class
    >>> H = parse_class("trees(ward, age: 0..80 step 20; depth 1)")
    >>> str(H.closed({0: ["ICU", "ER"]}))
    'trees(ward in {ICU, ER}, age: 0..80 step 20; depth 1)'
    """

    kind: type[ByTable]
    domain: Product
    fields: tuple[Any, ...]
    labels: int = 2

    def __post_init__(self) -> None:
        self.closed({})  # refuses what the closed class refuses

    @cached_property
    def opened(self) -> list[int]:
        """The open columns."""
        return [j for j, c in enumerate(self.domain.columns) if not isinstance(c, Parted)]

    def closed(self, values: Mapping[int, Sequence[str]]) -> ByTable:
        """The class in which open column j has the values ``values[j]``, or none."""
        columns = list(self.domain.columns)
        for j in self.opened:
            # Values that were not released become "other", one cell for all of them.
            columns[j] = Listed(tuple(values.get(j, ())), columns[j].name)
        return self.kind(Product(tuple(columns)), None, *self.fields)

    @cached_property
    def most_values(self) -> int:
        """The most values of each open column with which the closed class is within its limits."""
        most = MOST_VALUES
        while most:  # 0 if not even one value is within the limits
            try:
                self.closed({j: [str(v) for v in range(most)] for j in self.opened})
            except DeclarationError:
                most //= 2
            else:
                break
        return most

    def littlestone_bounds(self) -> tuple[int, int | float]:
        return int(self.closed({}).littlestone_bounds()[0]), math.inf

    def bound_reasons(self) -> tuple[str, str]:
        return "the class without its open columns", "none is known, because a column is open"

    def __str__(self) -> str:
        closed = str(self.closed({}))
        columns = ", ".join(map(mixed_text, self.domain.columns))
        return f"{closed.partition('(')[0]}({columns};{closed.rpartition(';')[2]}"
