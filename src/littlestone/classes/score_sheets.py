"""Score sheets: whole points for the cells of a few columns of a mixed table."""

from __future__ import annotations

from dataclasses import dataclass
from itertools import combinations, product
from math import comb
from typing import Any, Self

import numpy as np
from numpy.typing import NDArray

from littlestone.base.errors import DeclarationError, TooLargeError
from littlestone.classes.base import BinaryClass
from littlestone.classes.promises.by_table import ByTable
from littlestone.classes.text.mixed_columns import parse_columns, require_declared
from littlestone.classes.text.spec import Spec
from littlestone.points import Cells, FiniteColumn, Listed, Product
from littlestone.rules.sheet import MOST_COLUMNS, MOST_POINTS

FORM = "score_sheet(COLUMN, ...; at most K), where ', points P' may follow K"

MOST_CELLS = 20_000
"""The most cells of all columns together; a fit draws two noises for each."""

POINTS = 9
"""The most points of a cell, up or down, unless the class says otherwise."""


@dataclass(frozen=True)
class ScoreSheets(ByTable, BinaryClass[Any]):
    """The functions 1[p_1(x_1) + ... + p_m(x_m) >= t] with whole points, at most K of the p_j not 0.

    p_j gives each cell of column j a whole number of points from -P to P.  With c_j cells a column,
    K at most 8 and s the sum of the K largest c_j - 1, the Littlestone dimension is at least s + 1 and
    at most the log2 of the number of ways to write such a function (docs/proofs/score-sheet.md,
    Theorem 1).  Raises `TooLargeError` for more than 20,000 cells, and `DeclarationError` for open
    columns.

    >>> H = ScoreSheets.parse(Spec.parse("score_sheet(age: 0..80 step 20, sex in {F, M}; at most 2)"))
    >>> str(H), H.littlestone_bounds()
    ('score_sheet(age: 0..80 step 20, sex in {F, M}; at most 2)', (9, 47))
    """

    keyword = "score_sheet"
    typical = "score_sheet(age: 0..120 step 5, sex in {F, M}, ward in {ICU, ER}; at most 8)"
    group = "ordinary tables"

    most: int = MOST_COLUMNS
    points: int = POINTS

    def __post_init__(self) -> None:
        require_declared(self.domain, "score_sheet")
        for name, value, highest in (
            ("columns", self.most, MOST_COLUMNS),
            ("points", self.points, MOST_POINTS),
        ):
            if type(value) is not int or not 1 <= value <= highest:
                raise DeclarationError(
                    f"declare score sheets of at most {value!r:.20} {name}",
                    found=f"it must be a whole number from 1 to {highest}",
                    fix="write such as score_sheet(age: 0..80 step 20, sex in {F, M}; at most 8)",
                )
        if sum(self.sizes) > MOST_CELLS:
            raise TooLargeError(
                f"declare score sheets over {len(self.sizes)} columns",
                found=f"they have {sum(self.sizes):,} cells, and there may be {MOST_CELLS:,}",
                fix="declare coarser grids, shorter lists or fewer columns",
            )

    @property
    def sizes(self) -> list[int]:
        """The number of cells of each column."""
        return [column.size for column in self.domain.columns if isinstance(column, FiniteColumn)]

    @property
    def forms(self) -> int:
        """At most so many ways to write a sheet: columns, points of their cells and a threshold."""
        sizes = sorted(self.sizes, reverse=True)[: self.most]
        written: int = (2 * self.points + 1) ** sum(sizes) * (2 * len(sizes) * self.points + 2)
        return comb(len(self.sizes), len(sizes)) * written

    def labels_of_forms(self, points: list[Any]) -> NDArray[Any]:
        columns: Any = self.domain.columns
        codes = np.array([[c.index(x[j]) for x in points] for j, c in enumerate(columns)], np.int64)
        found = []
        for chosen in combinations(range(len(columns)), min(self.most, len(columns))):
            values = range(-self.points, self.points + 1)
            highest = len(chosen) * self.points
            for own in product(*(product(values, repeat=columns[j].size) for j in chosen)):
                parts = [np.array(p)[codes[j]] for j, p in zip(chosen, own, strict=True)]
                total = np.sum(parts, axis=0)
                found += [total >= least for least in range(-highest, highest + 2)]
        return np.unique(np.array(found, bool), axis=0)

    def _bounds(self) -> tuple[int, int]:
        sizes = sorted(self.sizes, reverse=True)[: self.most]
        return sum(sizes) - len(sizes) + 1, self.forms.bit_length() - 1

    def bound_reasons(self) -> tuple[str, str]:
        return (
            "a set that it shatters, docs/proofs/score-sheet.md",
            "the majority of its functions errs no more often",
        )

    @classmethod
    def parse(cls, spec: Spec) -> Self:
        spec.expect_columns(FORM, options=("at", "points"))
        most = spec.number_after("at most")
        points = POINTS if spec.option("points") is None else spec.whole("points")
        return cls(parse_columns(spec), None, MOST_COLUMNS if most is None else most, points)

    @classmethod
    def examples(cls) -> list[Self]:
        age, sex = Cells(("0", "5", "10"), "age"), Listed(("F",), "sex")
        found = [cls(Product((age,)), None, 1, 1), cls(Product((age, sex)), None, 1, 1)]
        return [
            *found,
            found[0].restrict(("5",), 1),
            cls(Product((sex, Listed(("u",), "x"))), None, 2, 1),
        ]

    @property
    def options(self) -> str:
        points = "" if self.points == POINTS else f", points {self.points}"
        return f"at most {self.most}{points}"
