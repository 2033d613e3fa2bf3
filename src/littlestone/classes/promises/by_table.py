"""Classes that are scored by a formula, and whose version spaces are those of a table."""

from __future__ import annotations

from abc import abstractmethod
from dataclasses import dataclass, replace
from functools import lru_cache
from typing import Any, Self

import numpy as np
from numpy.typing import NDArray

from littlestone.base.errors import TooLargeError
from littlestone.classes.base import HypothesisClass, require_example
from littlestone.classes.dimensions.searching import MOST_ENTRIES, SearchTable
from littlestone.classes.finite import FiniteClass
from littlestone.classes.promises.tabled import distinct
from littlestone.classes.text.declared import Declared
from littlestone.classes.text.limits import in_digits
from littlestone.dimension.tables import PackedTable
from littlestone.points import Product
from littlestone.rules.trees import DecisionTree

TABLED = 1 << 20
"""The most entries, hypotheses times points, of a table that answers for a class."""


@dataclass(frozen=True)
class ByTable(HypothesisClass[Any], Declared):
    """A finite class whose Littlestone dimension and SOA are found from the table of its functions.

    The table is made when it is first asked for, and a class that is too large for one has
    `littlestone_bounds` only.  ``space`` is the version space in the table; None is the whole class.
    """

    domain: Product
    space: FiniteClass | None = None

    @property
    @abstractmethod
    def forms(self) -> int:
        """The number of ways to write a hypothesis, an upper bound on the number of functions."""

    @abstractmethod
    def rows(self, points: list[Any]) -> NDArray[Any]:
        """The labels [form, point] of the whole class, at all points of the domain."""

    @property
    def whole(self) -> Self:
        """The class before any example."""
        return self if self.space is None else replace(self, space=None)

    @property
    def table_of(self) -> FiniteClass:
        """The table of this version space.  Raises `TooLargeError`, with what is known instead."""
        if self.space is not None:
            return self.space
        points = self.domain.size
        if points is None or points * self.forms > TABLED:
            low, high = self.littlestone_bounds()
            size = f"{in_digits(self.forms)} hypotheses on {in_digits(points or 0)} points"
            raise TooLargeError(
                f"find the version spaces of {self}",
                found=f"{size} are more than {TABLED:,} entries of a table; its Littlestone "
                f"dimension lies between {low} and {high}",
                fix="declare fewer columns or coarser grids; learning needs no such table",
            )
        return _tabled(self)

    def restrict(self, x: Any, y: int) -> Self:
        require_example(self, x, y)
        return replace(self, space=self.table_of.restrict(x, y))

    def is_empty(self) -> bool:
        return self.space is not None and self.space.is_empty()

    def littlestone_dimension(self) -> int:
        return self.table_of.littlestone_dimension()

    def littlestone_bounds(self) -> tuple[int | float, int | float]:
        if self.space is not None or (self.domain.size or TABLED) * self.forms <= TABLED:
            return super().littlestone_bounds()
        return self._bounds()

    def bound_reasons(self) -> tuple[str, str]:
        return (
            "a tree, docs/proofs/conditions.md",
            "the majority of its functions errs no more often",
        )

    def search_table(self) -> SearchTable | None:
        entries = (self.domain.size or MOST_ENTRIES + 1) * self.forms
        if self.labels > 2 or (self.space is None and entries > MOST_ENTRIES):
            return None
        if self.space is not None or entries <= TABLED:
            return self.table_of.search_table()
        return SearchTable(PackedTable.read(self.rows(list(self.domain))), self._bounds())

    @abstractmethod
    def _bounds(self) -> tuple[int, int]:
        """Proved bounds of the Littlestone dimension of the whole class."""

    def soa(self) -> DecisionTree:
        table = self.table_of
        return DecisionTree.of_labels(self.domain, table.soa_label, self.labels)

    def soa_label(self, x: Any) -> int:
        return self.table_of.soa_label(x)

    def mistake_point(self) -> Any:
        return self.table_of.mistake_point()

    def reducing_points(self, k: int) -> list[Any] | None:
        return self.table_of.reducing_points(k)


@lru_cache(maxsize=8)  # the version spaces of a class share one table
def _tabled(H: ByTable) -> FiniteClass:
    # Several forms may write one function; the table has each function once.
    labels = H.rows(list(H.domain))
    kept = distinct(labels)
    names = tuple(f"h{i}" for i in kept.tolist())
    return FiniteClass.of_rows(H.domain, labels[kept], labels=H.labels, names=names)


def places(space: FiniteClass) -> NDArray[np.int64]:
    """The numbers of a version space's hypotheses in the whole table."""
    return space._alive_indices
