"""The private learner of score sheets: noisy sums over the records, and all else is free."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import replace
from fractions import Fraction
from functools import partial
from math import log
from typing import Any

import numpy as np

from littlestone.base.errors import TooLargeError
from littlestone.classes.base import HypothesisClass
from littlestone.classes.counting.blocks import CellCodes
from littlestone.classes.score_sheets import ScoreSheets
from littlestone.data.sample import Sample
from littlestone.data.stored import StoredSample
from littlestone.learn.base import Bound, Setting, WeighedLearner, require_plan
from littlestone.learn.fitting.all_columns import (
    RECORDS,
    STEEP,
    artificial_records,
    calibrate,
    correlate,
    cut_totals,
    fit_line,
    fit_together,
    hold_ends,
    least_total,
    shape_of,
    to_points,
)
from littlestone.learn.fitting.one_column import (
    Column,
    DrawnTree,
    Floats,
    Ints,
    fit_base,
    fit_column,
    group_cells,
    leaves_of,
    likely_cells,
    logistic,
    match_leaves,
    share_records,
)
from littlestone.points import Cells, Point
from littlestone.privacy.cost import Budget
from littlestone.privacy.mechanisms.noisy_sums import NoisySums, SumStep
from littlestone.privacy.mechanisms.record_sums import (
    NONE,
    Question,
    RecordCells,
    Released,
    SumsDraw,
)
from littlestone.rules import Hypothesis
from littlestone.rules.sheet import ScoreSheet

FINE = 64
"""The parts of one in which the sums of the later steps are counted, so that scales waste little."""

MOST_RECORDS = 1 << 40
"""The most records; a sum is less than 2^15 times as large, far below 2^63."""

LEAST_EVIDENCE = -3.0
"""The ln of the Bayes factor from which a column may be kept; weak ones help together."""

SHARES = tuple(Fraction(part, 100) for part in (2, 51, 35, 7, 5))
"""Of the budget: the positives, all columns, the kept columns once more, their products, the totals."""

BINS = 12
"""The runs of totals in which the records of each label are counted at the end."""


def steps_of(
    sizes: Sequence[int], most: int, leaves: int = 0, base: Fraction = SHARES[0]
) -> tuple[SumStep, ...]:
    """The steps of noisy sums over columns of these sizes, of which at most ``most`` are kept.

    The first has the share ``base``; it counts the labels in each of at most so many ``leaves``, if
    there are any.  How far the sums move between neighbours is Theorem 2 of docs/proofs/score-sheet.md.
    """
    columns, kept = len(sizes), min(most, len(sizes))
    cells = sum(sorted(sizes, reverse=True)[:kept])
    rest = (1 - base) / (1 - SHARES[0])
    first, second, products, totals = (share * rest for share in SHARES[1:])
    found = [
        # A record is positive or not; a replaced one leaves a leaf and label for another.
        SumStep(2 * leaves, 2, 2, base) if leaves else SumStep(1, 1, 1, base),
        # A record is in one cell and label of each column; a replaced one leaves it for another.
        SumStep(2 * sum(sizes), 2 * columns, 2 * columns, first if kept > 1 else first + products),
        SumStep(2 * cells, 2 * kept * FINE, 2 * kept * FINE**2, second),
    ]
    if kept > 1:
        far = kept * STEEP**2  # the square of the longest vector of shapes
        found.append(SumStep(max(2, kept * (kept - 1) // 2), (kept - 1) * far, far**2, products))
    found.append(SumStep(2 * BINS, 2, 2, totals))  # a record has one total
    return tuple(found)


class ScoreSheetLearner(SumsDraw[Point], WeighedLearner[Point]):
    """Release a score sheet that is fitted to noisy sums over the records.

    The sums, all whole numbers: (1) the positive records; (2) the records of each label in each cell of
    each column; (3) the same once more for the kept columns, at most 8; (4) for each two of these, the
    sum of the products of two numbers that say where in its column a record is; (5) the records of each
    label in runs of the totals of the sheet as it is then.  Exact discrete Gaussian noise covers them
    (Laplace noise if delta is 0), with the shares `SHARES` of the budget.
    What is kept, the numbers of (4), the points and the risks are functions of released sums
    (docs/proofs/score-sheet.md): a fit of each column under a prior whose width the noisy counts
    choose, then a joint fit on artificial records with the same noisy counts and correlations.

    It is chosen for every class of score sheets.  No size is proved for it.  Time: O(n m) for n records
    and m columns, and a few solutions of linear equations in the cells of the kept columns.

    >>> from littlestone.classes import parse_class
    >>> H = parse_class("score_sheet(age: 0..80 step 20, sex in {F, M}; at most 2)")
    >>> ScoreSheetLearner(H, Budget(1, "1e-6")).event.sums
    67
    """

    method = "score_sheet"
    several = False
    event: NoisySums
    joint = 1
    tolerates_label_noise = True

    def __init__(
        self, hypotheses: HypothesisClass[Point], budget: Budget, *, cost: object = (1, 1)
    ) -> None:
        WeighedLearner.__init__(self, hypotheses, budget, cost=cost)
        self.mistakes.require_rule(hypotheses.labels)
        if not isinstance(hypotheses, ScoreSheets) or hypotheses.space is not None:
            raise self.unfit(
                found="it is not a class of score sheets",
                declare="score_sheet(COLUMN, ...; at most 8)",
            )
        self.hypotheses: Any = hypotheses
        self.event = NoisySums(budget, steps_of(hypotheses.sizes, hypotheses.most))
        self.event.noises  # noqa: B018  # worked out here, because nothing may fail after the spend

    def plan(self, alpha: float, beta: float, *, setting: Setting = "agnostic") -> Bound | None:
        require_plan(alpha, beta, setting)
        return None

    def require_affordable(self, n: int) -> None:
        super().require_affordable(n)
        require_room(n)

    @property
    def sums(self) -> NoisySums:
        return self.event

    def encode(self, sample: Sample[Point], tree: Hypothesis[Point] | None) -> RecordCells:
        if isinstance(sample, StoredSample):
            return sample.cells
        return CellCodes.from_sample(sample, range(len(self.hypotheses.sizes)))

    def fit_of(self, n: int, tree: Hypothesis[Point] | None) -> SheetFit:
        return SheetFit(self.hypotheses, self.event, n, self.mistakes.weights)


def require_room(n: int) -> None:
    """Raise `TooLargeError` for more than `MOST_RECORDS` records."""
    if n > MOST_RECORDS:
        raise TooLargeError(
            f"learn a score sheet from {n:,} records",
            found=f"its whole-number sums have room for {MOST_RECORDS:,}",
            fix="learn from fewer records",
        )


def halves(noisy: Floats, sizes: Iterable[int]) -> Iterator[tuple[Floats, Floats]]:
    """The counts of label 1 and of label 0 in the groups of each column, as a question orders them.

    >>> [(a.tolist(), b.tolist()) for a, b in halves(np.arange(4.0), [2])]
    [([0.0, 1.0], [2.0, 3.0])]
    """
    at = 0
    for size in sizes:
        yield noisy[at : at + size], noisy[at + size : at + 2 * size]
        at += 2 * size


class SheetFit:
    """The next question by what was released, and the sheet at the end.  It never sees a record.

    If a tree was ``drawn`` before, its leaves have points too.  If records ``keep`` its labels, the
    points of columns rank them within a leaf.
    """

    def __init__(
        self,
        hypotheses: ScoreSheets,
        event: NoisySums,
        n: int,
        weights: tuple[int, int] = (1, 1),
        drawn: DrawnTree | None = None,
        *,
        keep: bool = False,
    ) -> None:
        self.hypotheses, self.event, self.n, self.keep = hypotheses, event, n, keep
        self.weights, self.drawn = weights, drawn
        self.numeric = [isinstance(column, Cells) for column in hypotheses.domain.columns]
        self.variances = [float(noise.variance) for noise in event.noises]
        self.kept: list[int] = []

    def question(self, released: Released) -> Question:
        """What the next step sums."""
        if not released:
            return self._ask_labels()
        if len(released) == 3:
            self._learn_kept(released)
        # Without a second column there are no products.
        if len(released) == len(self.event.steps) - 1:
            return self._ask_totals(released)
        asked = (self._ask_cells, self._ask_kept, self._ask_products)
        return asked[len(released) - 1](released)

    def _ask_labels(self) -> Question:
        if self.drawn is None:
            return Question()
        leaves = np.arange(len(self.drawn.leaf_labels))
        return Question("cells", (len(self.hypotheses.sizes),), (leaves,))

    def _ask_cells(self, released: Released) -> Question:
        sizes = self.hypotheses.sizes
        return Question("cells", tuple(range(len(sizes))), tuple(map(np.arange, sizes)))

    def _read_labels(self, released: Released) -> tuple[list[float], list[float]]:
        """What was said of the number of positive records, and the variances of the noise."""
        if self.drawn is None:
            return [float(released[0][0])], [self.variances[0]]
        table = self._read_leaves(released, self.drawn)
        self.leaf = self.drawn.combine_counts(table, self.variances[0], self.n, self.weights)
        said = [float(self.leaf.ones.sum()), self.n - float(self.leaf.zeros.sum())]
        return said, [float(self.leaf.variance.sum())] * 2

    def _read_leaves(self, released: Released, drawn: DrawnTree) -> tuple[Floats, Floats]:
        (table,) = halves(np.array(released[0], np.float64), [len(drawn.leaf_labels)])
        return table

    def _fit_leaves(self) -> Column:
        leaf = self.leaf
        return fit_column(leaf.ones, leaf.zeros, leaf.variance, self.n, self.base, numbers=False)

    def _ask_kept(self, released: Released) -> Question:
        """Those with the most evidence, in groups of cells."""
        noisy, variance = np.array(released[1], np.float64), self.variances[1]
        found, spreads = self._read_labels(released)
        self.cells: list[Floats] = []
        self.tables: list[tuple[Floats, Floats]] = []
        self.groups: list[Ints] = []
        columns = zip(halves(noisy, self.hypotheses.sizes), self.numeric, strict=True)
        for (ones, zeros), numeric in columns:
            # Each column says once more how many records are positive, and how many are not.
            found += [float(ones.sum()), self.n - float(zeros.sum())]
            spreads += [variance * len(ones)] * 2
            groups = group_cells(ones + zeros, numbers=numeric)
            self.groups.append(groups)
            self.cells.append(share_records(ones + zeros, self.n))
            merged = [np.bincount(groups, weights=own).astype(float) for own in (ones, zeros)]
            self.tables.append((merged[0], merged[1]))
        weights = 1 / np.array(spreads)
        mean = float(weights @ np.array(found) / weights.sum())
        self.positives = mean, float(1 / weights.sum())
        self.base = fit_base(*self.positives, self.n)
        self.spreads: list[Floats] = [
            np.asarray(variance * np.bincount(groups), np.float64) for groups in self.groups
        ]
        self.columns = self._fit_columns(range(len(self.tables)), self.tables, self.spreads)
        order = sorted(range(len(self.tables)), key=lambda j: -self.columns[j].evidence)
        able = [j for j in order if self.columns[j].evidence > LEAST_EVIDENCE]
        self.kept = sorted(able[: self.hypotheses.most])
        if not self.kept:
            return NONE
        asked = Question("cells", tuple(self.kept), tuple(self.groups[j] for j in self.kept))
        return self._fit_into(asked, 2)

    def _fit_columns(
        self,
        which: Iterable[int],
        tables: Sequence[tuple[Floats, Floats]],
        spreads: Sequence[Floats],
    ) -> list[Column]:
        return [
            fit_column(*table, spread, self.n, self.base, numbers=self.numeric[j])
            for j, table, spread in zip(which, tables, spreads, strict=True)
        ]

    def _fit_into(self, asked: Question, i: int) -> Question:
        found = asked.fit_into(self.event, i)
        self.scale = found.scale
        return found

    def _learn_kept(self, released: Released) -> None:
        """Both counts of the kept columns as one, and their columns by it."""
        if not self.kept:
            self.columns, self.tables, self.spreads = [], [], []
            return
        noisy, variance = np.array(released[2]) / self.scale, self.variances[2] / self.scale**2
        tables: list[tuple[Floats, Floats]] = []
        spreads: list[Floats] = []
        sizes = [len(self.spreads[j]) for j in self.kept]
        for j, again in zip(self.kept, halves(noisy, sizes), strict=True):
            before = self.spreads[j]
            # Two noisy numbers of one thing: their mean, weighted by 1 / variance.
            share = variance / (variance + before)
            both = [share * a + (1 - share) * b for a, b in zip(self.tables[j], again, strict=True)]
            tables.append((both[0], both[1]))
            spreads.append(np.asarray(share * before, np.float64))
        self.tables, self.spreads = tables, spreads
        self.columns = self._fit_columns(self.kept, tables, spreads)

    def _ask_products(self, released: Released) -> Question:
        if len(self.kept) < 2:
            return NONE
        self.shapes = [shape_of(column) for column in self.columns]
        numbers = tuple(
            shape[self.groups[j]] for shape, j in zip(self.shapes, self.kept, strict=True)
        )
        return self._fit_into(Question("products", tuple(self.kept), numbers), 3)

    def _correlations(self, released: Released) -> Floats:
        count = len(self.kept)
        if count < 2:
            return np.eye(count)
        products = np.zeros((count, count))
        products[np.triu_indices(count, 1)] = np.array(released[3]) / self.scale
        variance = self.variances[3] / self.scale**2
        return correlate(products + products.T, variance, self.columns, self.shapes, self.n)

    def _ask_totals(self, released: Released) -> Question:
        """The sheet of all columns together; then how many records have which total."""
        groups = artificial_records(self.columns, self._correlations(released))
        columns, tables, spreads = [*self.columns], [*self.tables], [*self.spreads]
        if self.drawn is not None:
            own = self._fit_leaves()
            columns.append(own)
            tables.append((self.leaf.ones, self.leaf.zeros))
            spreads.append(self.leaf.variance)
            # A leaf is a function of the cells, so an artificial record's leaf is that of its cells.
            found = leaves_of(self.drawn.tree, RECORDS, partial(self._cells_of, groups))
            groups = match_leaves(groups, found, own.records)
        fitted = fit_together(columns, groups, tables, spreads, self.base, self.positives, self.n)
        ends = zip(fitted.odds, tables, spreads, strict=True)
        # The leaves, which come last, have no ends.
        numeric = [*(self.numeric[j] for j in self.kept), False]
        held = [
            hold_ends(*own, self.n) if numbers else own[0]
            for own, numbers in zip(ends, numeric, strict=False)
        ]
        fitted = replace(fitted, odds=tuple(held))
        points, (start, slope) = to_points(fitted, self.hypotheses.points)
        self.leaf_points = points.pop() if self.drawn is not None else np.zeros(1, np.int64)
        if self.leaf_points.min() == self.leaf_points.max():
            start += slope * int(self.leaf_points[0])
            self.leaf_points = np.zeros_like(self.leaf_points)
        # A column whose points are all equal says nothing.
        used = [i for i, own in enumerate(points) if own.min() < own.max()]
        self.chosen = tuple(self.kept[i] for i in used)
        self.points = tuple(points[i][self.groups[self.kept[i]]] for i in used)
        start += slope * sum(int(own[0]) for i, own in enumerate(points) if i not in used)
        parts = [points[i][groups[i]] for i in used]
        totals: Floats = sum(parts, np.zeros(RECORDS))
        asked, numbers = self.chosen, self.points
        if self.drawn is not None:
            leaf = groups[-1]
            if self.keep:
                risks = logistic(start + slope * (totals + self.leaf_points[leaf]))
                self.leaf_points, self.least = self.drawn.part_leaves(self.leaf_points, self.points)
                start, slope = fit_line(totals + self.leaf_points[leaf], risks)
            totals = totals + self.leaf_points[leaf]
            asked, numbers = (*asked, len(self.hypotheses.sizes)), (*numbers, self.leaf_points)
        self.line, self.totals = (start, slope), totals
        risks = logistic(start + slope * totals)
        self.ends = cut_totals(self.totals, risks, BINS)
        return Question("totals", asked, numbers, ends=self.ends)

    def _cells_of(self, groups: Ints, j: int) -> Ints:
        """A likely cell of column j for each artificial record, in its group if the column is kept."""
        if j in self.kept:
            return likely_cells(groups[self.kept.index(j)], self.groups[j], self.cells[j], seed=j)
        nothing = np.zeros_like(self.groups[j])
        return likely_cells(np.zeros(RECORDS, np.int64), nothing, self.cells[j], seed=j)

    def make_rule(self, released: Released) -> ScoreSheet:
        """The score sheet by all that was released."""
        if len(self.event.steps) == 1:
            return self._sheet_of_leaves(released)
        noisy = np.array(released[-1], np.float64).reshape(2, BINS)
        start, slope = calibrate(
            self.line, self.totals, self.ends, noisy, self.variances[-1], self.n, self.positives
        )
        points = tuple(tuple(own.tolist()) for own in self.points)
        parts = [*points, tuple(self.leaf_points.tolist())]
        totals = range(sum(map(min, parts)), sum(map(max, parts)) + 1)
        # From the first total on at which label 1 costs less.
        wanted = self.least if self.keep else least_total(start, slope, self.weights)
        least = max(totals[0], min(totals[-1] + 1, wanted))
        sheet = ScoreSheet(self.hypotheses.domain, self.chosen, points, least, (start, slope))
        # A tree whose leaves have equal points says nothing.
        if self.drawn is None or not any(parts[-1]):
            return sheet
        return replace(sheet, tree=self.drawn.tree, leaves=parts[-1])

    def _sheet_of_leaves(self, released: Released) -> ScoreSheet:
        """The sheet of a drawn tree alone, by the counts in its leaves, which keep their labels."""
        if self.drawn is None:
            raise TypeError("no tree")
        table = self._read_leaves(released, self.drawn)
        odds = self.drawn.fit_alone(table, self.variances[0], self.n, self.weights)
        # The log odds at which both labels cost the same.
        start = log(self.weights[0] / self.weights[1])
        points, unit = self.drawn.keep_labels(odds, start, self.hypotheses.points)
        line = max(-60_000, min(60_000, round(1000 * start))), round(1000 * unit)
        leaves = tuple(points.tolist())
        least = max(min(leaves), min(max(leaves) + 1, 1))
        return ScoreSheet(self.hypotheses.domain, (), (), least, line, self.drawn.tree, leaves)
