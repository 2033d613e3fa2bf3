"""Finite classes of several labels: a table of functions x named points."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from itertools import combinations
from os import PathLike
from typing import Any, Self

from littlestone.classes import FiniteClass
from littlestone.classes.spec import Spec
from littlestone.classes.table_file import BinaryTable, read_labels
from littlestone.dimension.collapsing import psi_n, questions
from littlestone.dimension.label_table import LabelTable
from littlestone.dimension.splits import SplitSolver
from littlestone.domains import Names
from littlestone.errors import DeclarationError
from littlestone.labelled import declared_labels
from littlestone.multiclass.base import MulticlassClass, require_label


@dataclass(frozen=True)
class TableClass(MulticlassClass[str]):
    """Finitely many functions on finitely many named points, by a table of the numbers of labels.

    ``alive`` is the mask of the version space over the rows of ``table``; ``source`` is the text that
    declares the class, if any.  MLS is found by `SplitSolver`.

    >>> H = TableClass.of([[0, 0], [0, 2], [1, 1], [1, 2]])
    >>> H.littlestone_dimension(), H.restrict("x0", 1).littlestone_dimension()
    (2, 1)
    >>> [H.bit_class(i).littlestone_dimension() for i in range(H.bits)]
    [1, 1]
    """

    keyword = "table"

    domain: Names
    labels: tuple[str, ...]
    table: LabelTable = field(compare=False, repr=False)
    alive: int
    rows: tuple[tuple[int, ...], ...] = field(repr=False)
    source: str = ""
    solver: SplitSolver = field(compare=False, repr=False, kw_only=True)

    @classmethod
    def of(
        cls,
        values: Any,
        *,
        labels: Sequence[str] | None = None,
        name: str = "x",
        other: str | None = None,
        source: str = "",
    ) -> Self:
        """The class of anything that `LabelTable.of` reads; ``labels`` are by default "0", "1", ...

        Points are named by the table; a value that is no point stands for ``other``, by default the
        first.  Raises `DeclarationError` for what is no table, or has labels above k.
        """
        H = LabelTable.of(values, labels=None if labels is None else len(labels))
        if labels is None:
            labels = [str(y) for y in range(H.labels)]
        declared = declared_labels(labels)
        if len(declared) != H.labels:
            raise DeclarationError(
                f"declare a table of {H.labels} labels",
                found=f"{len(declared)} labels are named",
                fix="name each label once, in the order of their numbers",
            )
        solver = SplitSolver(questions(H, psi_n).values())
        rows = tuple(map(tuple, H.values.tolist()))
        domain = Names(H.points, name, other)
        return cls(domain, declared, H, H.alive, rows, source, solver=solver)

    @classmethod
    def from_file(cls, path: str | PathLike[str], labels: Sequence[str], **options: Any) -> Self:
        """The class of a CSV or .npy file of the numbers of labels, rows being functions."""
        return cls.of(read_labels(path, labels=len(labels)), labels=labels, **options)

    def bit_class(self, i: int) -> FiniteClass:
        bits = self.table.bit_class(i)
        kept = [row for row in range(len(self.rows)) if self.alive >> row & 1]
        self.require_learnable()
        checked = BinaryTable.checked(
            bits.values[kept], bits.points, [bits.hypotheses[row] for row in kept], self.domain.name
        )
        return FiniteClass.from_table(replace(checked, domain=self.domain))

    def restrict(self, x: str, y: int) -> Self:
        require_label(self, x, y)
        kept = self.table.masks[self.domain.index(x)].get(y, 0)
        return replace(self, alive=self.alive & kept)

    def is_empty(self) -> bool:
        return self.alive == 0

    @property
    def size(self) -> int:
        """The number of functions."""
        return self.alive.bit_count()

    def littlestone_dimension(self) -> int:
        return self.solver.dimension(self.alive)

    def mistake_question(self) -> tuple[str, int, int] | None:
        below = self.littlestone_dimension() - 1
        if below < 0:
            return None
        for x, masks in zip(self.domain, self.table.masks, strict=True):
            enough = [y for y, m in masks.items() if self.solver.at_least(m & self.alive, below)]
            for y, z in combinations(enough, 2):
                return x, y, z
        return None

    @classmethod
    def parse(cls, spec: Spec, labels: Sequence[str]) -> Self:
        spec.expect("table(COLUMN, TABLE.csv; other POINT)", 2, options=("other",))
        name, path = spec.arguments
        return cls.from_file(path, labels, name=name, other=spec.option("other"), source=str(spec))

    @classmethod
    def examples(cls) -> list[Self]:
        return [
            cls.of([[0, 2, 1]], labels=["a", "b", "c"]),
            cls.of([[y] for y in range(5)]),
            cls.of([[x, y] for x in range(3) for y in range(4)]),
            cls.of([[0, 0, 1, 1, 2], [0, 1, 1, 2, 2], [2, 2, 2, 2, 2], [0, 3, 0, 1, 2]]),
        ]

    def __str__(self) -> str:
        declared = self.source or f"a table of {len(self.rows)} functions on {self.domain}"
        if self.alive == self.table.alive:
            return declared
        return f"{declared} after {'a contradiction' if self.is_empty() else 'examples'}"
