"""Classes whose version spaces are those of a table, and classes whose version spaces nobody computes.

The first are scored by a formula.  The second have open columns, whose values are released first.
"""

from __future__ import annotations

import math
from abc import abstractmethod
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cached_property, lru_cache
from typing import Any, ClassVar, NoReturn, Self

import numpy as np
from numpy.typing import NDArray

from littlestone.base.errors import DeclarationError, TooLargeError, in_digits
from littlestone.classes.base import HypothesisClass, require_example
from littlestone.classes.dimensions.closed_forms import MOST_ENTRIES
from littlestone.classes.finite import FiniteClass
from littlestone.classes.promises.tabled import distinct
from littlestone.classes.text.declared import DeclaredClass
from littlestone.classes.text.mixed_columns import mixed_text
from littlestone.dimension.tables import PackedTable, SearchTable
from littlestone.points import FiniteColumn, Listed, Product
from littlestone.rules import Hypothesis
from littlestone.rules.trees import DecisionTree

TABLED = 1 << 20
"""The most entries, hypotheses times points, of a table that answers for a class."""


@dataclass(frozen=True)
class ByTable(HypothesisClass[Any], DeclaredClass):
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
    def labels_of_forms(self, points: list[Any]) -> NDArray[Any]:
        """The labels [form, point] of the whole class, at all points of the domain."""

    @property
    @abstractmethod
    def options(self) -> str:
        """What stands after the columns in the text of the class."""

    word: ClassVar[str] = ""
    """What its text begins with, if that is not its keyword."""

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
            size = f"{in_digits(self.forms)} x {in_digits(points or 0)} entries"
            raise TooLargeError(
                f"find the version spaces of {self}",
                found=f"a table with a row for each hypothesis and a column for each point has {size}, "
                f"and at most {TABLED:,} are made; the Littlestone dimension lies between {low} and "
                f"{high}",
                fix="declare fewer columns or coarser grids; other methods of `fit` need no such table",
            )
        return _finite_class(self)

    def restrict(self, x: Any, y: int) -> Self:
        require_example(self, x, y)
        return replace(self, space=self.table_of.restrict(x, y))

    @property
    def size(self) -> int | None:
        if self.space is None and (self.domain.size or TABLED) * self.forms > TABLED:
            return None
        return self.table_of.size

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
        return SearchTable(
            PackedTable.pack(self.labels_of_forms(list(self.domain))), self._bounds()
        )

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

    @classmethod
    def over_domain(cls, domain: Product, *fields: Any, labels: int) -> Any:
        """The class with these ``fields`` over declared columns; else `OpenClass`, as one is open."""
        if all(isinstance(column, FiniteColumn) for column in domain.columns):
            return cls(domain, None, *fields)
        return OpenClass(cls, domain, fields, labels)

    def __str__(self) -> str:
        columns = ", ".join(map(mixed_text, self.domain.columns))
        declared = f"{self.word or self.keyword}({columns}; {self.options})"
        return declared if self.space is None else f"{self.size} hypotheses of {declared}"


@lru_cache(maxsize=8)  # the version spaces of a class share one table
def _finite_class(H: ByTable) -> FiniteClass:
    # Several forms may write one function; the table has each function once.
    labels = H.labels_of_forms(list(H.domain))
    kept = distinct(labels)
    names = tuple(f"h{i}" for i in kept.tolist())
    return FiniteClass.of_rows(H.domain, labels[kept], labels=H.labels, names=names)


def places(space: FiniteClass) -> NDArray[np.int64]:
    """The numbers of a version space's hypotheses in the whole table."""
    return space._alive_indices


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
        "declare the values of open columns, such as ward in {ICU, ER}; other methods of `fit` need "
        "no table of all hypotheses"
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
class OpenClass(NoVersionSpaces):
    """A class of ``kind`` over a mixed table with open columns.

    `close_columns` is the class in which each open column has a list of values.  A learner releases
    such lists privately, and then learns the closed class.

    >>> from littlestone.classes import parse_class
    >>> H = parse_class("trees(ward, age: 0..80 step 20; depth 1)")
    >>> str(H.close_columns({0: ["ICU", "ER"]}))
    'trees(ward in {ICU, ER}, age: 0..80 step 20; depth 1)'
    """

    kind: type[ByTable]
    domain: Product
    fields: tuple[Any, ...]
    labels: int = 2

    def __post_init__(self) -> None:
        self.close_columns({})  # refuses what the closed class refuses

    @cached_property
    def open_columns(self) -> list[int]:
        """The open columns."""
        return [j for j, c in enumerate(self.domain.columns) if not isinstance(c, FiniteColumn)]

    def close_columns(self, values: Mapping[int, Sequence[str]]) -> ByTable:
        """The class in which open column j has the values ``values[j]``, or none."""
        columns = list(self.domain.columns)
        for j in self.open_columns:
            # Values that were not released become "other", one cell for all of them.
            columns[j] = Listed(tuple(values.get(j, ())), columns[j].name)
        return self.kind(Product(tuple(columns)), None, *self.fields)

    @cached_property
    def most_values(self) -> int:
        """The most values of each open column with which the closed class is within its limits."""
        most = MOST_VALUES
        while most:  # 0 if not even one value is within the limits
            try:
                self.close_columns({j: [str(v) for v in range(most)] for j in self.open_columns})
            except DeclarationError:
                most //= 2
            else:
                break
        return most

    def littlestone_bounds(self) -> tuple[int, int | float]:
        return int(self.close_columns({}).littlestone_bounds()[0]), math.inf

    def bound_reasons(self) -> tuple[str, str]:
        return "the class without its open columns", "none is known, because a column is open"

    def __str__(self) -> str:
        closed = str(self.close_columns({}))
        columns = ", ".join(map(mixed_text, self.domain.columns))
        return f"{closed.partition('(')[0]}({columns};{closed.rpartition(';')[2]}"
