"""Score sheets: whole points for the cells of a few columns, a total, and a risk for each total."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from itertools import groupby, product
from math import exp
from typing import Any, Self

import numpy as np
from numpy.typing import NDArray

from littlestone.base.errors import DeclarationError
from littlestone.data.sample import Records
from littlestone.points import Domain, FiniteColumn, Listed, Product
from littlestone.rules.base import EXPORT, BinaryHypothesis, Place
from littlestone.rules.languages.form import ColumnPoints, Total, require_small
from littlestone.rules.nodes import ColumnTest, Split
from littlestone.rules.trees import DecisionTree

MOST_POINTS = 99
"""The most points of a cell, up or down."""

MOST_COLUMNS = 8
"""The most columns of a sheet."""

MOST_ODDS = 9.21
"""The most log odds of a risk: nobody is certain, and a risk of 0 or 1 would have no log loss."""

DIGITS = 3
"""The decimals of the log odds that a sheet keeps."""

MOST_SHOWN = 40
"""The most rows of a column that a terminal or a picture shows."""


@dataclass(frozen=True)
class ScoreSheet(BinaryHypothesis[Any]):
    """1[sum of points >= least], where cell c of column ``chosen[i]`` has ``points[i][c]`` points.

    If there is a ``tree``, its leaves have points too: ``leaves``, from left to right.
    The risk at the total t is 1 / (1 + exp(-(a + b t) / 1000)) with (a, b) = ``odds``.  ``chosen`` are
    columns of a table in increasing order, at most 8; each cell has at most 99 points, up or down.
    b >= 0, so the risk never falls as the total grows.  Two sheets are equal if they are written alike,
    since the points are what people read.  Time: O(columns) a record.

    >>> from littlestone.points import Cells, Listed
    >>> table = Product((Cells(("0", "18", "65"), "age"), Listed(("F", "M"), "sex")))
    >>> sheet = ScoreSheet(table, (0, 1), ((0, -2, 2, 3), (0, 0, 1, 0)), 3, (-1000, 500))
    >>> sheet.words()
    'at least 3 points: +3 if age >= 65, +2 if 18 <= age < 65, -2 if age < 18; +1 if sex is F'
    >>> sheet(("18", "M")), round(sheet.risks[-1], 3)
    (0, 0.731)
    """

    canonical = False
    ordered = True

    domain: Product
    chosen: tuple[int, ...]
    points: tuple[tuple[int, ...], ...]
    least: int
    odds: tuple[int, int]
    tree: DecisionTree | None = None
    leaves: tuple[int, ...] = ()

    def total(self, x: Any) -> int:
        """The sum of the points of a record.

        >>> from littlestone.points import Listed
        >>> sheet = ScoreSheet(Product((Listed(("F", "M"), "sex"),)), (0,), ((0, 0, 4, 1),), 3, (0, 1))
        >>> sheet.total(("F",))
        4
        """
        columns: Any = self.domain.columns
        found = self._leaf_points(x)
        for j, own in zip(self.chosen, self.points, strict=True):
            found += own[columns[j].index(x[j])]
        return found

    def _leaf_points(self, x: Any) -> int:
        return 0 if self.tree is None else self.leaves[self.tree.place(x)]

    def __call__(self, x: Any) -> int:
        return int(self.total(x) >= self.least)

    @cached_property
    def totals(self) -> range:
        """All totals from the least to the greatest that the points allow."""
        parts = [*self.points, self.leaves or (0,)]
        return range(sum(map(min, parts)), sum(map(max, parts)) + 1)

    @cached_property
    def possible_totals(self) -> tuple[int, ...]:
        """The totals that a leaf and a cell of each column add up to, in increasing order.

        >>> from littlestone.points import Listed
        >>> sexes = Product((Listed(("F", "M"), "sex"),))
        >>> sheet = ScoreSheet(sexes, (0,), ((-9, 9, 9, -9),), -8, (0, 1))
        >>> sheet.possible_totals, sheet.first_total
        ((-9, 9), 9)
        """
        sums = {0}
        for own in (*self.points, self.leaves or (0,)):
            sums = {t + p for t in sums for p in own}
        return tuple(sorted(sums))

    @property
    def first_total(self) -> int:
        """The first possible total with label 1, or `least` if there is none."""
        return next((t for t in self.possible_totals if t >= self.least), self.least)

    @property
    def label_by_total(self) -> str:
        """Which totals have label 1, in words: "label 1 from +3", or "label always 0"."""
        first, totals = self.first_total, self.totals
        ever = first in totals[1:]
        return f"label 1 from {first:+d}" if ever else f"label always {int(first <= totals[0])}"

    @cached_property
    def places(self) -> tuple[Place, ...]:
        """One for each total."""
        return tuple(Place(f"total {t}", int(t >= self.first_total)) for t in self.totals)

    def place(self, x: Any) -> int:
        return self.total(x) - self.totals[0]

    def places_of(self, points: Sequence[Any]) -> NDArray[np.int64]:
        if not isinstance(points, Records):
            return super().places_of(points)
        found = np.full(len(points), -self.totals[0], np.int64)
        domains: Any = self.domain.columns
        for j, own in zip(self.chosen, self.points, strict=True):
            values, codes = points.columns[j]
            found += np.array([own[domains[j].index(v)] for v in values], np.int64)[codes]
        if self.tree is not None:
            found += np.array(self.leaves)[self.tree.places_of(points)]
        return found

    @property
    def points_of_places(self) -> tuple[Any, Sequence[int], Sequence[int], Sequence[Sequence[int]]]:
        """The tree, the points of its leaves, the chosen columns and their points."""
        return self.tree, self.leaves, self.chosen, self.points

    def reason(self, x: Any) -> str:
        """The points of a record: of its leaf, if there is a tree, and column by column."""
        parts = []
        if self.tree is not None:
            parts.append(f"{self.tree.places[self.tree.place(x)].words}: {self._leaf_points(x):+d}")
        for j, own in zip(self.chosen, self.points, strict=True):
            test, points = next(run for run in self._runs(j, own) if x[j] in run[0].accepted)
            if isinstance(self.domain.columns[j], Listed):
                # This value alone, of those with its points.
                test = ColumnTest(j, frozenset([x[j]]))
            parts.append(f"{test.words(self.domain)}: {points:+d}")
        return ", ".join([*parts, f"total: {self.total(x)}"])

    @cached_property
    def risks(self) -> tuple[float, ...]:
        """The risk of label 1 at each total, to four digits: from .0001 to .9999."""
        start, slope = self.odds
        odds = ((start + slope * t) / 10**DIGITS for t in self.totals)
        odds = (max(-MOST_ODDS, min(MOST_ODDS, z)) for z in odds)
        return tuple(round(1 / (1 + exp(-z)), 4) for z in odds)

    def _groups(
        self, j: int, own: Sequence[int], *, zeros: bool = False
    ) -> Iterator[tuple[ColumnTest, int]]:
        """The cells of a column that have equal points, with the most points first."""
        column = self.domain.columns[j]
        if not isinstance(column, FiniteColumn):
            raise TypeError(type(column))
        by_points: dict[int, list[str]] = {}
        for cell, value in zip(column.points, own, strict=True):
            by_points.setdefault(value, []).append(cell)
        for value in sorted(by_points, reverse=True):
            if value or zeros:
                yield ColumnTest(j, frozenset(by_points[value])), value

    def _runs(self, j: int, own: Sequence[int]) -> list[tuple[ColumnTest, int]]:
        """The cells of a column with equal points; those of numbers in their order, run by run."""
        column = self.domain.columns[j]
        if isinstance(column, Listed) or not isinstance(column, FiniteColumn):
            return list(self._groups(j, own, zeros=True))
        cells = zip(column.points, own, strict=True)
        runs = [(p, [c for c, _ in run]) for p, run in groupby(cells, lambda pair: pair[1])]
        return [(ColumnTest(j, frozenset(run)), p) for p, run in runs]

    def points_by_column(self) -> list[tuple[str, list[tuple[str, int]]]]:
        """The sheet: each chosen column with its cells in words and their points.

        Cells with equal points are one; a list's are in the order of their points.  The leaves of a
        tree come first, if there is one.
        """
        found = [("the tree", self._leaves_in_words())] if self.tree is not None else []
        for j, own in zip(self.chosen, self.points, strict=True):
            cells = [(_cell_words(test, self.domain), p) for test, p in self._runs(j, own)]
            found.append((self.domain.columns[j].name, cells))
        return found

    def shown_points(self) -> list[tuple[str, list[tuple[str, int | None]]]]:
        """`points_by_column`, where a row without points stands for the middle of a long column."""
        return [(name, _leave_out(cells)) for name, cells in self.points_by_column()]

    def _leaves_in_words(self) -> list[tuple[str, int]]:
        places = () if self.tree is None else self.tree.places
        return [(place.words, own) for place, own in zip(places, self.leaves, strict=True)]

    def words(self) -> str:
        if self.first_total not in self.totals[1:]:
            return self.label_by_total.removeprefix("label ")
        leaves = ", ".join(f"{p:+d} if {words}" for words, p in self._leaves_in_words() if p)
        columns = (
            ", ".join(f"{p:+d} if {test.words(self.domain)}" for test, p in self._groups(j, own))
            for j, own in zip(self.chosen, self.points, strict=True)
        )
        return f"at least {self.first_total} points: {'; '.join(filter(None, (leaves, *columns)))}"

    @property
    def tested_columns(self) -> tuple[str, ...]:
        names = {self.domain.column_names[j] for j in self.chosen}
        names |= set(() if self.tree is None else self.tree.tested_columns)
        return tuple(n for n in self.domain.column_names if n in names) or (
            self.domain.column_names[0],
        )

    def _by_leaf(self) -> list[tuple[Mapping[int, frozenset[str]], int]]:
        """For each leaf the points of columns that reach it, and its points."""
        regions: list[dict[int, frozenset[str]]] = [{}] if self.tree is None else self.tree.regions
        return list(zip(regions, self.leaves or (0,), strict=True))

    def witness(self, other: Self) -> Any:
        for (mine, p), (theirs, q) in product(self._by_leaf(), other._by_leaf()):
            known = self._differing(other, mine, theirs, (p, q))
            if known is not None:
                columns: Any = self.domain.columns
                return tuple(known.get(j, c.examples(1)[0]) for j, c in enumerate(columns))
        return None

    def _differing(
        self,
        other: Self,
        mine: Mapping[int, frozenset[str]],
        theirs: Mapping[int, frozenset[str]],
        begun: tuple[int, int],
    ) -> dict[int, Any] | None:
        """Cells in one leaf of each sheet that get another label; ``begun`` are the leaves' points."""
        both = sorted({*self.chosen, *other.chosen, *mine, *theirs})
        points, others = (dict(zip(h.chosen, h.points, strict=True)) for h in (self, other))
        columns: Any = self.domain.columns
        # All pairs of totals that the first columns reach, each with one way to reach it.
        reached: dict[tuple[int, int], tuple[Any, ...]] = {begun: ()}
        for j in both:
            further: dict[tuple[int, int], tuple[Any, ...]] = {}
            steps = {
                (points[j][i] if j in points else 0, others[j][i] if j in others else 0): cell
                for i, cell in enumerate(columns[j].points)
                if cell in mine.get(j, (cell,)) and cell in theirs.get(j, (cell,))
            }
            for (s, t), cells in reached.items():
                for (p, q), cell in steps.items():
                    further.setdefault((s + p, t + q), (*cells, cell))
            reached = further
        for (s, t), cells in reached.items():
            if (s >= self.least) != (t >= other.least):
                return dict(zip(both, cells, strict=True))
        return None

    def _parts(self) -> list[ColumnPoints]:
        """For each chosen column the number of its group as conditions, and the groups' points.

        So are the leaves of a tree.  Raises `TooLargeError` for conditions beyond the limits.
        """
        found: list[ColumnPoints] = []
        if self.tree is not None:
            found.append(ColumnPoints("", self.tree.place_outcome(), list(self.leaves)))
        for j, own in zip(self.chosen, self.points, strict=True):
            groups = list(self._groups(j, own, zeros=True))
            root: Any = len(groups) - 1
            for number, (test, _) in reversed(list(enumerate(groups[:-1]))):
                root = Split(test, number, root)
            tree = DecisionTree(self.domain, root, max(2, len(groups)))
            outcome = tree.outcome()
            require_small(outcome, EXPORT)
            name = self.domain.column_names[j]
            found.append(ColumnPoints(name, outcome, [points for _, points in groups]))
        return found

    def _require_columns_alone(self, language: str) -> None:
        """Raise `DeclarationError` if the leaves of a tree have points: a scorecard has columns."""
        if self.tree is not None:
            raise DeclarationError(
                f"write the rule for {language}",
                found="its sheet begins with a tree, whose leaves are of several columns",
                fix="write it as SQL, for polars or for pandas, or learn a score_sheet(...; at most 8)",
            )

    def _export(self, types: Mapping[str, str] | None, risks: Sequence[float] | None) -> Total:
        from littlestone.rules.languages.constants import require_types

        require_types(types or {}, self.domain.column_names)
        return Total(self._parts(), self.totals, self.first_total if risks is None else None)

    def to_pmml(self, names: Sequence[str] = ("0", "1")) -> str:
        """A scorecard of PMML 4.4, with the total, the risk of label 1 and the label by its name.

        Raises `DeclarationError` for days and for texts that XML does not hold, and `TooLargeError`
        for a sheet beyond the limits.
        """
        from littlestone.rules.languages.pmml import write_scorecard

        self._require_columns_alone("PMML")
        return write_scorecard(
            self._parts(), self.odds, least=self.first_total, most=MOST_ODDS, names=names
        )

    def to_excel(self, names: Sequence[str] = ("0", "1")) -> bytes:
        """A workbook of Excel, with the points, the risks and formulas for records.

        Raises `DeclarationError` and `TooLargeError` for what a formula cannot hold, and `OutputError`
        if openpyxl is not installed.
        """
        from littlestone.rules.languages.excel import write_workbook

        self._require_columns_alone("Excel")
        return write_workbook(
            self._parts(),
            self.shown_points(),
            dict(zip(self.totals, self.risks, strict=True)),
            odds=self.odds,
            least=self.first_total,
            most=MOST_ODDS,
            names=names,
        )

    def form(self) -> dict[str, object]:
        columns = [
            {"column": self.domain.column_names[j], "points": list(own)}
            for j, own in zip(self.chosen, self.points, strict=True)
        ]
        form = {"columns": columns, "least": self.least, "odds": list(self.odds)}
        if self.tree is None:
            return form
        return {**form, "tree": self.tree.form()["tree"], "leaves": list(self.leaves)}

    @classmethod
    def from_form(cls, domain: Domain[Any], form: Mapping[str, Any]) -> Self:
        with_tree = {"tree", "leaves"} if "tree" in form else set()
        if not isinstance(domain, Product) or set(form) != {"columns", "least", "odds", *with_tree}:
            raise ValueError
        tree = None
        if with_tree:
            tree = DecisionTree.from_form(domain, {"labels": 2, "tree": form["tree"]})
        leaves = tuple(form.get("leaves", ()))
        names = list(domain.column_names)
        if any(set(each) != {"column", "points"} for each in form["columns"]):
            raise ValueError
        chosen = tuple(names.index(each["column"]) for each in form["columns"])
        points = tuple(tuple(each["points"]) for each in form["columns"])
        start, slope = form["odds"]
        numbers = [form["least"], start, slope, *leaves, *(p for own in points for p in own)]
        sizes = [domain.columns[j].size for j in chosen]
        if (
            any(type(value) is not int for value in numbers)
            or list(chosen) != sorted(set(chosen))
            or len(chosen) > MOST_COLUMNS
            or [len(own) for own in points] != sizes
            or any(abs(p) > MOST_POINTS for own in (*points, leaves) for p in own)
            or (tree is not None and len(leaves) != len(tree.places))
            or not 0 <= slope < 10**6
            or max(abs(start), abs(form["least"])) > 10**6
        ):
            raise ValueError
        return cls(domain, chosen, points, form["least"], (start, slope), tree, leaves)


def _cell_words(test: ColumnTest, domain: Product) -> str:
    """The test in words; of a list without the name of the column, which stands above.

    >>> table = Product((Listed(("F", "M"), "sex"),))
    >>> _cell_words(ColumnTest(0, frozenset(["", "M"])), table)
    'missing or M'
    """
    words, column = test.words(domain), domain.columns[test.column]
    return words.replace(f"{column.name} is ", "") if isinstance(column, Listed) else words


def _leave_out(cells: Sequence[tuple[str, int]]) -> list[tuple[str, int | None]]:
    """The cells, or the first and the last of more than `MOST_SHOWN`.

    >>> _leave_out([(f"age is {i}", i) for i in range(100)])[19:21]
    [('age is 19', 19), ('... 61 more ...', None)]
    """
    half = MOST_SHOWN // 2
    left = len(cells) - MOST_SHOWN + 1
    if left <= 1:
        return list(cells)
    return [*cells[:half], (f"... {left} more ...", None), *cells[half + left :]]
