"""Finite classes: a packed 0/1 table of named hypotheses x named points."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from itertools import combinations
from os import PathLike
from typing import Any, Self

import numpy as np
from numpy.typing import ArrayLike, NDArray

from littlestone.classes.base import Enumerable, ErrorRuns, require_example
from littlestone.classes.spec import Spec
from littlestone.classes.table_file import BinaryTable, read_table
from littlestone.dimension.label_table import LabelTable
from littlestone.dimension.version_spaces import VersionSpaces
from littlestone.hypotheses import TableFunction
from littlestone.sample import Sample


@dataclass(frozen=True)
class FiniteClass(Enumerable[str]):
    """Finitely many functions on finitely many named points.

    ``columns[j]`` is a mask over hypotheses, bit i being the value of hypothesis i at point j;
    ``alive`` is the mask of the version space.  Equal rows are one hypothesis, under the name of the
    first.  `restrict` costs O(N/64) for N hypotheses; dimensions are found by `VersionSpaces`.

    >>> H = FiniteClass.from_array([[0, 0, 0], [0, 0, 1], [0, 1, 1], [1, 1, 1]])
    >>> H.littlestone_dimension(), H.restrict("x1", 1).littlestone_dimension()
    (2, 1)
    """

    keyword = "finite"

    domain: Any  # Names; the base class declares Domain
    names: tuple[str, ...]
    columns: tuple[int, ...]
    alive: int
    source: str = ""
    solver: VersionSpaces = field(repr=False, compare=False, kw_only=True)

    @classmethod
    def from_table(cls, table: BinaryTable, *, source: str = "") -> Self:
        """The class of a checked 0/1 table; ``source`` is the text that declares it, if any."""
        values = table.values
        first = np.sort(np.unique(np.packbits(values, axis=1), axis=0, return_index=True)[1])
        packed = np.packbits(values[first].T, axis=1, bitorder="little")
        columns = tuple(int.from_bytes(column.tobytes(), "little") for column in packed)
        names = tuple(table.hypotheses[i] for i in first)
        solver = VersionSpaces(columns)
        alive = (1 << len(names)) - 1
        return cls(table.domain, names, columns, alive, source, solver=solver)

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

    def restrict(self, x: str, y: int) -> Self:
        require_example(self.domain, x, y)
        column = self.columns[self.domain.index(x)]
        return self._version_space(self.alive & column if y else self.alive & ~column)

    def _version_space(self, alive: int) -> Self:
        fields = (self.domain, self.names, self.columns, alive, self.source)
        return type(self)(*fields, solver=self.solver)

    def is_empty(self) -> bool:
        return self.alive == 0

    @property
    def size(self) -> int:
        return self.alive.bit_count()

    def littlestone_dimension(self) -> int:
        return self.solver.dimension(self.alive)

    def soa_label(self, x: str) -> int:
        self.domain.require(x)
        self.require_learnable()
        zeros = self.alive & ~self.columns[self.domain.index(x)]
        return 0 if self.solver.keeps(self.alive, zeros) else 1

    def soa(self) -> TableFunction:
        self.require_learnable()
        return TableFunction.from_labels(self.domain, map(self.soa_label, self.domain))

    def mistake_point(self) -> str | None:
        below = self.littlestone_dimension() - 1
        if below < 0:
            return None
        at_least = self.solver.at_least
        for x, column in zip(self.domain, self.columns, strict=True):
            if at_least(self.alive & column, below) and at_least(self.alive & ~column, below):
                return str(x)
        return None

    def reducing_points(self, k: int) -> list[str] | None:
        """See `HypothesisClass.reducing_points`; exponential in ``k`` in the worst case."""
        self.require_learnable()
        dimension = self.littlestone_dimension()
        if dimension == 0:
            return None
        kept: dict[int, str] = {}
        for x, column in zip(self.domain, self.columns, strict=True):
            version_space = self.alive & (column if self.soa_label(x) else ~column)
            if version_space != self.alive:
                kept.setdefault(version_space, x)

        def reduces(version_spaces: Iterable[int]) -> bool:
            common = self.alive
            for version_space in version_spaces:
                common &= version_space
            return not self.solver.at_least(common, dimension)

        if not reduces(kept):
            return None
        # Dropping one needless point after the other settles the question whenever k is large.
        needed = list(kept)
        for version_space in list(kept):
            rest = [other for other in needed if other != version_space]
            if reduces(rest):
                needed = rest
        if len(needed) > k:
            found = (c for r in range(1, k + 1) for c in combinations(kept, r) if reduces(c))
            needed = list(next(found, ()))
        return [kept[version_space] for version_space in needed] or None

    @cached_property
    def _alive_indices(self) -> NDArray[np.int64]:
        return np.flatnonzero(self._unpack(self.alive))

    def _unpack(self, mask: int) -> NDArray[np.uint8]:
        count = len(self.names)
        packed = np.frombuffer(mask.to_bytes(-(-count // 8), "little"), dtype=np.uint8)
        return np.unpackbits(packed, count=count, bitorder="little")

    def hypothesis(self, index: int) -> TableFunction:
        row = int(self._alive_indices[index])
        return TableFunction.from_labels(
            self.domain, (column >> row & 1 for column in self.columns)
        )

    def label_table(self) -> LabelTable:
        """The 0/1 table of the version space, with its names, for all of `littlestone.dimension`."""
        values = np.array([self._unpack(column)[self._alive_indices] for column in self.columns]).T
        names = [self.names[i] for i in self._alive_indices]
        return LabelTable.of(values, labels=2, points=self.domain.points, hypotheses=names)

    def __iter__(self) -> Iterator[TableFunction]:
        return map(self.hypothesis, range(self.size))

    def error_runs(self, sample: Sample[str]) -> ErrorRuns:
        errors = np.full(len(self.names), sample.positives.sum(), dtype=np.int64)
        for x, change in zip(sample.points, sample.negatives - sample.positives, strict=True):
            if change:
                errors += change * self._unpack(self.columns[self.domain.index(x)])
        return ErrorRuns(errors[self._alive_indices])

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

    def __str__(self) -> str:
        whole = self.size == len(self.names)
        if self.source and whole:
            return self.source
        described = f"{self.size} hypotheses on {self.domain.size} points"
        return f"{described} of {self.source}" if self.source else f"a table of {described}"
