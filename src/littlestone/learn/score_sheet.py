"""The private learner of score sheets: noisy sums over the records, and all else is free."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from fractions import Fraction
from itertools import combinations
from math import ceil, isqrt
from typing import Any

import numpy as np

from littlestone.classes.base import HypothesisClass
from littlestone.classes.counting.blocks import CellCodes
from littlestone.classes.score_sheets import ScoreSheets
from littlestone.data.sample import Sample
from littlestone.learn.base import Bound, Setting, WeighedLearner, require_plan, unfit
from littlestone.learn.fitting.columns import Floats, Ints, fit_base, fit_column, group_cells
from littlestone.learn.fitting.sheets import (
    artificial_records,
    correlate,
    fit_together,
    threshold,
    to_points,
)
from littlestone.points import Cells, Point
from littlestone.privacy.cost import Budget
from littlestone.privacy.event import Event
from littlestone.privacy.ledger import Receipt
from littlestone.privacy.mechanisms.scores.noisy_sums import NoisySums, SumStep
from littlestone.rules import Hypothesis
from littlestone.rules.score_sheet import ScoreSheet

FINE = 64
"""The parts of one in which the sums of the later steps are counted, so that scales waste little."""

STEEP = 32
"""The most that a whole-number shape of a column is away from its mean: two deviations, in 1/16."""

LEAST_EVIDENCE = -3.0
"""The ln of the Bayes factor from which a column may be kept; weak ones help together."""

SHARES = Fraction(2, 100), Fraction(50, 100), Fraction(40, 100), Fraction(8, 100)
"""Of the budget: the positives, all columns, the kept columns once more, their products."""


def steps_of(sizes: Sequence[int], most: int) -> tuple[SumStep, ...]:
    """The steps of noisy sums over columns of these sizes, of which at most ``most`` are kept.

    How far the sums move between neighbours is Theorem 2 of docs/proofs/score-sheet.md.
    """
    columns, kept = len(sizes), min(most, len(sizes))
    cells = sum(sorted(sizes, reverse=True)[:kept])
    base, first, second, products = SHARES
    found = [
        SumStep(1, 1, 1, base),  # a record is positive or not
        # A record is in one cell and label of each column; a replaced one leaves it for another.
        SumStep(2 * sum(sizes), 2 * columns, 2 * columns, first if kept > 1 else first + products),
        SumStep(2 * cells, 2 * kept * FINE, 2 * kept * FINE**2, second),
    ]
    if kept > 1:
        far = kept * STEEP**2  # the square of the longest vector of shapes
        found.append(SumStep(kept * (kept - 1) // 2, (kept - 1) * far, far**2, products))
    return tuple(found)


def scale_of(step: SumStep, l1: int, squared: int, *, pure: bool) -> int:
    """The largest factor of sums that move by ``l1`` and ``squared`` with which they suit the step.

    With a delta the noise is Gaussian and the L2 norm counts, without one the L1 norm.

    >>> scale_of(SumStep(8, 128, 8192, Fraction(1)), 2, 2, pure=False)
    64
    """
    return step.l1 // l1 if pure else isqrt(step.squared // squared)


class ScoreSheetLearner(WeighedLearner[Point]):
    """Release a score sheet that is fitted to noisy sums over the records.

    The sums, all whole numbers: (1) the positive records; (2) the records of each label in each cell of
    each column; (3) the same once more for the kept columns, at most 8; (4) for each two of these, the
    sum of the products of two numbers that say where in its column a record is.  Exact discrete
    Gaussian noise covers them (Laplace noise if delta is 0), with the shares `SHARES` of the budget.
    What is kept, the numbers of (4), the points and the risks are functions of released sums
    (docs/proofs/score-sheet.md): a fit of each column under a prior whose width the noisy counts
    choose, then a joint fit on artificial records with the same noisy counts and correlations.

    It is chosen for every class of score sheets.  No size is proved for it.  Time: O(n m) for n records
    and m columns, and a few solutions of linear equations in the cells of the kept columns.

    >>> from littlestone.classes import parse_class
    >>> H = parse_class("score_sheet(age: 0..80 step 20, sex in {F, M}; at most 2)")
    >>> ScoreSheetLearner(H, Budget(1, "1e-6")).event.sums
    39
    """

    method = "score_sheet"
    several = False
    tolerates_label_noise = True

    def __init__(
        self, hypotheses: HypothesisClass[Point], budget: Budget, *, cost: object = (1, 1)
    ) -> None:
        super().__init__(hypotheses, budget, cost=cost)
        self.mistakes.require_rule(hypotheses.labels)
        if not isinstance(hypotheses, ScoreSheets) or hypotheses.space is not None:
            raise unfit(
                hypotheses,
                self.method,
                found="it is not a class of score sheets",
                declare="score_sheet(COLUMN, ...; at most 8)",
            )
        self.hypotheses: Any = hypotheses
        self._event = NoisySums(budget, steps_of(hypotheses.sizes, hypotheses.most))
        self._event.noises  # noqa: B018  # worked out here, because nothing may fail after the spend

    @property
    def event(self) -> Event:
        return self._event

    def plan(self, alpha: float, beta: float, *, setting: Setting = "agnostic") -> Bound | None:
        require_plan(alpha, beta, setting)
        return None

    def draw(self, sample: Sample[Point], *, receipt: Receipt) -> Hypothesis[Point]:
        data = CellCodes.from_sample(sample, range(len(self.hypotheses.sizes)))
        fit = SheetFit(self.hypotheses, self._event, sample.n)
        # Each question is chosen by what was released before it; `sums` alone sees records.
        released = self._event.draw(lambda known: sums(data, fit.question(known)), receipt=receipt)
        return fit.sheet(released, self.mistakes.weights)


@dataclass(frozen=True)
class Question:
    """What a step sums over the records: a public question.

    Without ``numbers`` it counts the records of each label in each group of the ``columns``, where
    ``groups`` has the group of each cell, times ``scale``; no columns stand for the positive records.
    With ``numbers`` it adds up the products of the numbers of each two columns, times ``scale``.
    """

    columns: tuple[int, ...] = ()
    groups: tuple[Ints, ...] = ()
    numbers: bool = False
    scale: int = 1


def sums(data: CellCodes, question: Question) -> Ints:
    """The whole-number sums that a question asks for; they depend on the data: for noise only."""
    if not question.columns:
        return data.counts[:, 1].sum(keepdims=True)
    coded = [own[data.codes[j]] for j, own in zip(question.columns, question.groups, strict=True)]
    if question.numbers:
        weights = data.counts.sum(axis=1)
        pairs = combinations(coded, 2)
        found = [int((a * b * weights).sum()) for a, b in pairs]
        return np.array(found, np.int64) * question.scale
    parts = []
    for groups, codes in zip(question.groups, coded, strict=True):
        for y in (1, 0):
            # Sums of floats are exact up to 2^53, and there are fewer records.
            counted = np.bincount(codes, weights=data.counts[:, y], minlength=groups.max() + 1)
            parts.append(counted.astype(np.int64))
    return np.concatenate(parts) * question.scale


class SheetFit:
    """The next question by what was released, and the sheet at the end.  It never sees a record."""

    def __init__(self, hypotheses: ScoreSheets, event: NoisySums, n: int) -> None:
        self.hypotheses, self.event, self.n = hypotheses, event, n
        self.numbers = [isinstance(column, Cells) for column in hypotheses.domain.columns]
        self.kept: list[int] = []

    def question(self, released: tuple[tuple[int, ...], ...]) -> Question:
        """What the next step sums."""
        asked = (self._positives, self._all_cells, self._kept_cells, self._products)
        return asked[len(released)](released)

    def _scaled(self, step: int, l1: int, squared: int) -> tuple[int, float]:
        """The scale of a step's sums that move so far, and the variance of their noise without it."""
        scale = scale_of(self.event.steps[step], l1, squared, pure=not self.event.delta)
        return scale, float(self.event.noises[step].variance) / scale**2

    def _positives(self, released: tuple[tuple[int, ...], ...]) -> Question:
        return Question()

    def _all_cells(self, released: tuple[tuple[int, ...], ...]) -> Question:
        sizes = self.hypotheses.sizes
        return Question(tuple(range(len(sizes))), tuple(np.arange(size) for size in sizes))

    def _kept_cells(self, released: tuple[tuple[int, ...], ...]) -> Question:
        """Those with the most evidence, in groups of cells."""
        variance = float(self.event.noises[1].variance)
        noisy = np.array(released[1], np.float64)
        own = float(self.event.noises[0].variance)
        numbers, spreads = [float(released[0][0])], [own]
        tables: list[tuple[Floats, Floats]] = []
        self.groups = []
        at = 0
        for size, number in zip(self.hypotheses.sizes, self.numbers, strict=True):
            ones, zeros = noisy[at : at + size], noisy[at + size : at + 2 * size]
            at += 2 * size
            # Each column says once more how many records are positive, and how many are not.
            numbers += [float(ones.sum()), self.n - float(zeros.sum())]
            spreads += [variance * size] * 2
            groups = group_cells(ones + zeros, numbers=number)
            self.groups.append(groups)
            tables.append(
                (np.bincount(groups, weights=ones), np.bincount(groups, weights=zeros))
            )
        weights = 1 / np.array(spreads)
        self.positives = float(weights @ np.array(numbers) / weights.sum()), float(1 / weights.sum())
        self.base = fit_base(*self.positives, self.n)
        self.tables = tables
        self.cells = [np.bincount(groups).astype(float) for groups in self.groups]
        self.columns = [
            fit_column(*table, variance * cells, self.n, self.base, numbers=number)
            for table, cells, number in zip(tables, self.cells, self.numbers, strict=True)
        ]
        order = sorted(range(len(tables)), key=lambda j: -self.columns[j].evidence)
        most = [j for j in order if self.columns[j].evidence > LEAST_EVIDENCE]
        self.kept = sorted(most[: self.hypotheses.most])
        if not self.kept:
            return self._nothing(2)
        moved = 2 * len(self.kept)
        self.scale, self.again = self._scaled(2, moved, moved)
        groups_of_kept = tuple(self.groups[j] for j in self.kept)
        return Question(tuple(self.kept), groups_of_kept, scale=self.scale)

    def _nothing(self, step: int) -> Question:
        return Question((0,), (np.zeros(self.hypotheses.sizes[0], np.int64),), scale=0)

    def _learn_kept(self, released: tuple[tuple[int, ...], ...]) -> None:
        """Both counts of the kept columns as one, and their columns by it."""
        first = float(self.event.noises[1].variance)
        noisy = np.array(released[2], np.float64) / self.scale
        at, self.ones, self.zeros, self.spread, columns = 0, [], [], [], []
        for j in self.kept:
            size = len(self.cells[j])
            again = noisy[at : at + size], noisy[at + size : at + 2 * size]
            at += 2 * size
            before = first * self.cells[j]
            # Two noisy numbers of one thing: their mean, weighted by 1 / variance.
            share = self.again / (self.again + before)
            one, zero = (
                share * a + (1 - share) * b for a, b in zip(self.tables[j], again, strict=True)
            )
            spread = before * self.again / (self.again + before)
            columns.append(
                fit_column(one, zero, spread, self.n, self.base, numbers=self.numbers[j])
            )
            self.ones.append(one)
            self.zeros.append(zero)
            self.spread.append(spread)
        self.columns = columns

    def _products(self, released: tuple[tuple[int, ...], ...]) -> Question:
        if not self.kept:
            return self._nothing(3)
        self._learn_kept(released)
        self.shapes = []
        for column in self.columns:
            parts = column.records / max(column.records.sum(), 1e-9)
            away = column.odds - parts @ column.odds
            size = float(np.sqrt(parts @ away**2))
            steep = np.clip(away / size, -2, 2) if size > 0 else np.zeros_like(away)
            self.shapes.append(np.rint(STEEP / 2 * steep).astype(np.int64))
        far = max(1, sum(int(np.abs(shape).max()) ** 2 for shape in self.shapes))
        self.scale, self.doubt = self._scaled(3, (len(self.kept) - 1) * far or 1, far**2)
        numbers = tuple(
            shape[self.groups[j]] for shape, j in zip(self.shapes, self.kept, strict=True)
        )
        return Question(tuple(self.kept), numbers, numbers=True, scale=self.scale)

    def sheet(self, released: tuple[tuple[int, ...], ...], weights: tuple[int, int]) -> ScoreSheet:
        """The score sheet by all that was released."""
        domain, kept = self.hypotheses.domain, self.kept
        count = len(kept)
        if not count:
            start = round(1000 * self.base)
            return ScoreSheet(domain, (), (), _least(start, 0, weights, range(1)), (start, 0))
        correlations = np.eye(count)
        if len(released) > 3 and count > 1:
            products = np.zeros((count, count))
            above = np.triu_indices(count, 1)
            products[above] = np.array(released[3], np.float64)[: len(above[0])] / self.scale
            parts = [c.records / max(c.records.sum(), 1e-9) for c in self.columns]
            means = np.array([p @ s for p, s in zip(parts, self.shapes, strict=True)])
            squares = np.array([p @ s**2 for p, s in zip(parts, self.shapes, strict=True)])
            deviations = np.sqrt(np.maximum(squares - means**2, 1e-3))
            correlations = correlate(
                products + products.T, self.doubt, means, deviations, self.n
            )
        elif count:
            self._learn_kept(released) if len(released) == 3 else None
        groups = artificial_records(self.columns, correlations)
        fitted = fit_together(
            self.columns, groups, self.ones, self.zeros, np.concatenate(self.spread), self.base,
            self.positives, self.n,
        )  # fmt: skip
        points, start, slope = to_points(fitted, self.hypotheses.points)
        cells = tuple(
            tuple(own[self.groups[j]].tolist()) for own, j in zip(points, kept, strict=True)
        )
        # A column whose points are all equal says nothing: it goes into the start.
        used = [i for i, own in enumerate(cells) if len(set(own)) > 1]
        start += slope * sum(cells[i][0] for i in range(count) if i not in used)
        chosen = tuple(kept[i] for i in used)
        own_points = tuple(cells[i] for i in used)
        totals = range(sum(map(min, own_points)), sum(map(max, own_points)) + 1)
        least = _least(start, slope, weights, totals)
        return ScoreSheet(domain, chosen, own_points, least, (start, slope))


def _least(start: int, slope: int, weights: tuple[int, int], totals: range) -> int:
    """The total from which label 1 costs less, within one of the ``totals``."""
    wanted = ceil(threshold(start, slope, weights))
    return max(totals[0], min(totals[-1] + 1, wanted))
