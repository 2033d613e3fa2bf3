"""The private learner of trees with risks: a drawn tree, whose leaves begin a score sheet."""

from __future__ import annotations

import math
from dataclasses import replace
from fractions import Fraction
from typing import Any

import numpy as np

from littlestone.base.errors import DeclarationError
from littlestone.classes.base import HypothesisClass
from littlestone.classes.counting.blocks import CellCodes
from littlestone.classes.score_sheets import ScoreSheets
from littlestone.classes.text.mixed_columns import split_count
from littlestone.classes.trees import Trees
from littlestone.data.sample import Sample
from littlestone.data.stored import StoredSample
from littlestone.learn.base import (
    Bound,
    Caveat,
    PrivateLearner,
    Setting,
    WeighedLearner,
    require_plan,
)
from littlestone.learn.exponential import ExponentialLearner
from littlestone.learn.fitting.one_column import DrawnTree
from littlestone.learn.score_sheet import SheetFit, require_room, steps_of
from littlestone.points import Point
from littlestone.privacy.accounting.gaussian import greatest_mu_squared
from littlestone.privacy.cost import Budget, decimal_text
from littlestone.privacy.mechanisms.noisy_sums import (
    MOST_DRAWN,
    DrawThenSums,
    NoisySums,
    SumStep,
)
from littlestone.privacy.mechanisms.record_sums import RecordCells, SumsDraw

ENOUGH = 15
"""From so many times the noise of a count in all columns on, columns have points; measured."""

MORE = 30
"""From so many times on, the draw has at most half of epsilon; measured."""

PLENTY = 100
"""From so many times on, totals decide the labels, and not the tree; measured."""

BESIDE = 1200
"""n times the epsilon of the draw of a tree beside columns, if that is not too much; measured."""

MOST_BESIDE = (Fraction(3, 4), Fraction(1, 2))
"""Of epsilon: the most that such a draw has, below and from `MORE` on; measured."""

LEAVES = Fraction(1, 8)
"""Of the sums beside a draw: those in its leaves; measured."""

LEAST_PART = Fraction(1, 64)
"""Of epsilon: the least that draws a tree beside columns, however many the records are."""

LEAST_EPSILON = Fraction(64, 10**9)
"""The least epsilon of which all parts are budgets, for any number of records."""

DEEPEST = 160
"""The most conditions of trees of depth 3 that nobody asked for: a draw takes some CPU seconds."""

MOST_LOOKS = 20_000_000
"""n times the triples of columns up to which depth 3 is drawn with others: about one CPU second."""

MANY = 10_000
"""The records for which epsilon is divided, unless their number is told."""


def noise_of_counts(budget: Budget, columns: int) -> float:
    """The deviation of the noise of a count, if the records of each cell of all columns are counted.

    >>> round(noise_of_counts(Budget(1, "1e-6"), 8), 1), round(noise_of_counts(Budget(1), 8), 1)
    (16.9, 22.6)
    """
    if not budget.delta:
        return math.sqrt(2) * 2 * columns / float(budget.epsilon)
    variance = float(2 * columns / greatest_mu_squared(budget.epsilon, budget.delta))
    return math.sqrt(variance)


def deepen(H: Trees) -> Trees:
    """The trees of depth 1 to 3, if they have at most `DEEPEST` conditions, else these.

    They erred less than those of depth 2 on ordinary tables, also where records are few.

    >>> from littlestone.classes import parse_class
    >>> deepen(parse_class("trees(age: 0..80 step 20, sex in {F, M}; depth 2)")).options
    'depth 1 to 3'
    """
    few = split_count(H.domain) <= DEEPEST
    return replace(H, depth=3, shared=True) if few else H


def affordable_trees(H: Trees, n: int) -> Trees:
    """The trees that are drawn from: those of depth 2 alone, if others would take too long.

    >>> from littlestone.classes import parse_class
    >>> H = parse_class("trees(age: 0..80 step 20, sex in {F, M}, ward in {A}; depth 1 to 3)")
    >>> [affordable_trees(H, n).options for n in (10_000, 10**9)]
    ['depth 1 to 3', 'depth 2']
    """
    many = n * math.comb(len(H.domain.columns), 3) > MOST_LOOKS
    return replace(H, depth=2, shared=False) if H.shared and H.depth > 2 and many else H


class TreeSheetLearner(SumsDraw[Point], WeighedLearner[Point]):
    """Release a tree of `Trees`, and a score sheet that begins with the points of its leaves.

    The tree is drawn as by `ExponentialLearner`.  Noisy sums follow, as those of `ScoreSheetLearner`:
    first the records of each label in each leaf.  If the ``n`` records are fewer than `ENOUGH` times
    the noise of a count in all columns, this is all: the draw has 15/16 of epsilon, and a leaf has the
    points that its risk needs on the side of its label.  Else columns have points too, and the draw has
    1200 / n of epsilon, at most 3/4, and at most half from `MORE` times on.  Up to `PLENTY` times the
    leaves lie so far apart that labels are the tree's, and columns rank the records in a leaf.  One
    bound for both (`DrawThenSums`) says what they cost.

    Nothing else gives risks with the errors of a tree where records are few, and with those of a sheet
    that knows which columns matter together where they are many.  ``n`` is public; without it, epsilon
    is divided for 10,000.  No size is proved for it (docs/proofs/score-sheet.md, Theorem 5).

    >>> from littlestone.classes import parse_class
    >>> H = parse_class("trees(age: 0..80 step 20, sex in {F, M}; depth 2)")
    >>> [len(TreeSheetLearner(H, Budget(1, "1e-6"), n=n).event.steps) for n in (100, 10_000)]
    [1, 5]
    """

    method = "tree_sheet"
    several = False
    tolerates_label_noise = True
    caveat = Caveat.RISKS
    event: DrawThenSums

    def __init__(
        self,
        hypotheses: HypothesisClass[Point],
        budget: Budget,
        *,
        cost: object = (1, 1),
        n: int = MANY,
    ) -> None:
        WeighedLearner.__init__(self, hypotheses, budget, cost=cost)
        if not isinstance(hypotheses, Trees) or hypotheses.space is not None:
            raise self.unfit(
                found="it is not a class of trees over declared columns",
                declare="trees(COLUMN, ...; depth 2), each column with its range or its values",
            )
        # For every n, which is not known when a learner is chosen: nothing is refused after reading.
        if budget.epsilon < LEAST_EPSILON:
            raise DeclarationError(
                f"learn by the method {self.method} with epsilon = {decimal_text(budget.epsilon)}",
                found="parts of it draw the tree and count in its leaves, and they would be too small",
                fix=f"give an epsilon of at least {decimal_text(LEAST_EPSILON)}, or take the method "
                "exponential",
            )
        self.sheets = ScoreSheets(hypotheses.domain)
        noise = noise_of_counts(budget, len(self.sheets.sizes))
        self.few, self.keep = n < ENOUGH * noise, n < PLENTY * noise
        trees = affordable_trees(hypotheses, n)
        epsilon, leaves = budget.epsilon, 1 << trees.depth
        steps: tuple[SumStep, ...]
        if self.few:
            # The more the draw has, the better, as measured.
            # A replaced record leaves one leaf and label for another.
            share, steps = epsilon * MOST_DRAWN, (SumStep(2 * leaves, 2, 2, Fraction(1)),)
        else:
            most = epsilon * MOST_BESIDE[n >= MORE * noise]
            share = min(most, max(Fraction(BESIDE, n), epsilon * LEAST_PART))
            steps = steps_of(self.sheets.sizes, self.sheets.most, leaves, LEAVES)
        self.tree: ExponentialLearner[Any] = ExponentialLearner(trees, Budget(share), cost=cost)
        self.joint = trees.depth
        self.event = DrawThenSums(budget, self.tree.mechanism, steps)
        self.event.sums.noises  # noqa: B018  # worked out here: nothing may fail after the spend

    def plan(self, alpha: float, beta: float, *, setting: Setting = "agnostic") -> Bound | None:
        require_plan(alpha, beta, setting)
        return None

    def runs(self, n: int) -> list[tuple[PrivateLearner[Any], int]]:
        return [(self.tree, n)]

    def require_affordable(self, n: int) -> None:
        super().require_affordable(n)
        require_room(n)

    @property
    def sums(self) -> NoisySums:
        return self.event.sums

    def encode(self, sample: Sample[Point], tree: Any) -> RecordCells:
        if isinstance(sample, StoredSample):
            return sample.cells.with_leaves(tree)
        cells = CellCodes.from_sample(sample, range(len(self.sheets.sizes)))
        leaf = tree.places_of(sample.points).astype(np.uint16)
        codes = np.vstack([cells.codes, leaf])
        return CellCodes(codes, cells.counts, (*cells.sizes, len(tree.places)))

    def fit_of(self, n: int, tree: Any) -> SheetFit:
        drawn = DrawnTree(tree, float(self.tree.mechanism.epsilon))
        return SheetFit(self.sheets, self.sums, n, self.mistakes.weights, drawn, keep=self.keep)
