"""Finite classes: a packed 0/1 table of named hypotheses x named points."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from os import PathLike
from typing import Any, Self

import numpy as np
from numpy.typing import ArrayLike

from littlestone.classes.spec import Spec
from littlestone.classes.table_file import BinaryTable, read_table
from littlestone.classes.tabled import Tabled, distinct
from littlestone.dimension.label_table import LabelTable


@dataclass(frozen=True)
class FiniteClass(Tabled):
    """Finitely many functions on finitely many named points, by a table that is listed.

    Equal rows are one hypothesis, under the name of the first.

    >>> H = FiniteClass.from_array([[0, 0, 0], [0, 0, 1], [0, 1, 1], [1, 1, 1]])
    >>> H.littlestone_dimension(), H.restrict("x1", 1).littlestone_dimension()
    (2, 1)
    """

    keyword = "finite"

    names: tuple[str, ...]

    @classmethod
    def from_table(cls, table: BinaryTable, *, source: str = "") -> Self:
        """The class of a checked 0/1 table; ``source`` is the text that declares it, if any."""
        first = distinct(table.values)
        names = tuple(table.hypotheses[i] for i in first)
        return cls.of_rows(table.domain, table.values[first], source, names=names)

    @classmethod
    def from_array(
        cls,
        values: ArrayLike | Sequence[Sequence[int]],
        *,
        points: Sequence[str] | None = None,
        hypotheses: Sequence[str] | None = None,
        name: str = "x",
    ) -> Self:
        """The class whose rows are the hypotheses and whose columns are the points, of 0s and 1s.

        Points and hypotheses without names are called x0, x1, ... and h0, h1, ...  Raises
        `DeclarationError` for a ragged, empty or non-binary table, naming the first culprit.
        """
        return cls.from_table(BinaryTable.checked(values, points, hypotheses, name))

    @classmethod
    def from_file(cls, path: str | PathLike[str], *, name: str = "x") -> Self:
        """The class of a CSV or .npy file of 0s and 1s, rows being hypotheses.

        A CSV file may start with a row of names of points, a column of names of hypotheses, or both:
        a first row or column that holds anything but 0 and 1 is one of names.
        """
        return cls.from_table(read_table(path, name))

    @classmethod
    def from_functions(
        cls, functions: Iterable[Callable[[Any], int]], points: Iterable[Any], *, name: str = "x"
    ) -> Self:
        """The class of the functions restricted to the given points, named by their texts.

        >>> FiniteClass.from_functions([lambda x, t=t: int(x >= t) for t in range(5)], range(4)).size
        5
        """
        points, functions = list(points), list(functions)
        values = [[int(function(x)) for x in points] for function in functions]
        return cls.from_array(values, points=[str(x) for x in points], name=name)

    def label_table(self) -> LabelTable:
        """The 0/1 table of the version space, with its names, for all of `littlestone.dimension`."""
        values = np.array([self._unpack(column)[self._alive_indices] for column in self.columns]).T
        names = [self.names[i] for i in self._alive_indices]
        return LabelTable.of(values, labels=2, points=self.domain.points, hypotheses=names)

    @classmethod
    def parse(cls, spec: Spec) -> Self:
        spec.expect("finite(COLUMN, TABLE.csv; other POINT)", 2, options=("other",))
        name, path = spec.arguments
        table = read_table(path, name, other=spec.option("other"))
        return cls.from_table(table, source=str(spec))

    @classmethod
    def examples(cls) -> list[Self]:
        rng = np.random.default_rng(5)
        tables = [rng.integers(0, 2, size=size) for size in [(1, 1), (5, 3), (8, 4), (12, 6)]]
        thresholds = np.triu(np.ones((8, 8), dtype=int))
        return [cls.from_array(table) for table in [*tables, thresholds, np.eye(5, dtype=int)]]
