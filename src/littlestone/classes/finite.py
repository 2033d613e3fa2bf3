"""Finite classes: a table of labels of named hypotheses x named points."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from os import PathLike
from typing import Self

import numpy as np
from numpy.typing import ArrayLike

from littlestone.classes.promises.tabled import TableClass, distinct
from littlestone.classes.text.spec import Spec
from littlestone.classes.text.table_file import BinaryTable, read_labels, read_table
from littlestone.dimension.tables import LabelTable
from littlestone.points import Names
from littlestone.points.labels import require_labels


@dataclass(frozen=True)
class FiniteClass(TableClass):
    """Finitely many functions on finitely many named points, given by a table.

    Equal rows are one hypothesis, which has the name of the first.

    >>> H = FiniteClass.from_array([[0, 0, 0], [0, 0, 1], [0, 1, 1], [1, 1, 1]])
    >>> H.littlestone_dimension(), H.restrict("x1", 1).littlestone_dimension()
    (2, 1)
    >>> FiniteClass.from_array([[0, 0], [0, 2], [1, 1], [1, 2]], labels=3).littlestone_dimension()
    2
    """

    keyword = "finite"
    group = "tables of your own"
    several = True

    names: tuple[str, ...]

    @classmethod
    def from_table(
        cls,
        table: BinaryTable | LabelTable,
        *,
        name: str = "x",
        other: str | None = None,
        source: str = "",
    ) -> Self:
        """The class of a checked table; ``source`` is the text that declares it, if there is one.

        A `BinaryTable` has its own domain.  The points of a `LabelTable` are the values of a column
        ``name``.
        """
        binary = isinstance(table, BinaryTable)
        domain = (
            table.domain if isinstance(table, BinaryTable) else Names(table.points, name, other)
        )
        labels = 2 if isinstance(table, BinaryTable) else table.labels
        values = table.values if binary or labels > 2 else table.values.astype(bool)
        first = distinct(values)
        names = tuple(table.hypotheses[i] for i in first)
        return cls.of_rows(domain, values[first], source, labels=labels, names=names)

    @classmethod
    def from_array(
        cls,
        values: ArrayLike | Sequence[Sequence[int]],
        *,
        points: Sequence[str] | None = None,
        hypotheses: Sequence[str] | None = None,
        name: str = "x",
        labels: int | None = 2,
    ) -> Self:
        """The class whose rows are the hypotheses and whose columns are the points.

        Its entries are 0, ..., ``labels`` - 1; if ``labels`` is None, it is 1 + the largest entry.
        Points and hypotheses without names are called x0, x1, ... and h0, h1, ...  Raises
        `DeclarationError` for a ragged or empty table, and for an entry that is not a label; the error
        names the first one.
        """
        if labels is not None:
            require_labels(labels)
        if labels == 2:
            return cls.from_table(BinaryTable.from_values(values, points, hypotheses, name))
        table = LabelTable.of(values, labels=labels, points=points, hypotheses=hypotheses)
        return cls.from_table(table, name=name)

    @classmethod
    def from_file(
        cls,
        path: str | PathLike[str],
        *,
        name: str = "x",
        labels: int = 2,
        other: str | None = None,
        source: str = "",
    ) -> Self:
        """The class of a CSV or .npy file of labels 0, ..., ``labels`` - 1; rows are hypotheses.

        A CSV file may start with a row of point names, a column of hypothesis names, or both.  A first
        row or column that holds anything but labels is read as names.
        """
        if labels == 2:
            return cls.from_table(read_table(path, name, other=other), source=source)
        table = read_labels(path, labels=labels)
        return cls.from_table(table, name=name, other=other, source=source)

    def bit_class(self, i: int) -> FiniteClass:
        if self.labels == 2:
            return super().bit_class(i)  # type: ignore[return-value]
        self.require_learnable()
        bits = self.label_table().bit_class(i)
        checked = BinaryTable(bits.values.astype(bool), self.domain, bits.hypotheses)
        return FiniteClass.from_table(checked)

    def label_table(self) -> LabelTable:
        """The table of the version space, with its names, for all of `littlestone.dimension`."""
        names = [self.names[i] for i in self._alive_indices]
        return LabelTable.of(
            self.table(), labels=self.labels, points=self.domain.points, hypotheses=names
        )

    @classmethod
    def parse(cls, spec: Spec) -> Self:
        spec.expect("finite(COLUMN, TABLE.csv; other POINT)", 2, options=("other",))
        name, path = spec.arguments
        other = spec.option("other")
        return cls.from_file(path, name=name, labels=spec.labels, other=other, source=str(spec))

    @classmethod
    def examples(cls) -> list[Self]:
        rng = np.random.default_rng(5)
        tables = [rng.integers(0, 2, size=size) for size in [(1, 1), (5, 3), (8, 4), (12, 6)]]
        thresholds = np.triu(np.ones((8, 8), dtype=int))
        several: list[list[list[int]]] = [
            [[0, 2, 1]],
            [[y] for y in range(5)],
            [[x, y] for x in range(3) for y in range(4)],
            [[0, 0, 1, 1, 2], [0, 1, 1, 2, 2], [2, 2, 2, 2, 2], [0, 3, 0, 1, 2]],
        ]
        return [
            *(cls.from_array(table) for table in [*tables, thresholds, np.eye(5, dtype=int)]),
            *(cls.from_array(table, labels=None) for table in several),
        ]
