"""Mistakes in the steps of a score sheet, each of which sums over the records.

A run is replayed: every sample gets the same released numbers, so that what a step asks must be the
same for all of them, and what it sums must move by no more between neighbours than its noise covers.
With that, docs/proofs/gaussian.md (Theorems 3 and 5) is the privacy of the whole.
"""

from __future__ import annotations

import random
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from fractions import Fraction
from itertools import combinations, product
from typing import Any

import numpy as np
import pytest

from littlestone.classes import parse_class
from littlestone.classes.counting.blocks import CellCodes
from littlestone.classes.score_sheets import ScoreSheets
from littlestone.data.sample import Sample
from littlestone.learn.fitting.one_column import Column
from littlestone.learn.score_sheet import ScoreSheetLearner, SheetFit
from littlestone.learn.tree_sheet import TreeSheetLearner
from littlestone.privacy.accounting.gaussian import CORE, greatest_mu_squared
from littlestone.privacy.cost import Budget
from littlestone.privacy.mechanisms.noisy_sums import (
    DrawThenSums,
    GaussianNoise,
    LaplaceNoise,
    Noisy,
    NoisySums,
)
from littlestone.rules import Hypothesis
from littlestone.rules.nodes import ColumnTest, Split
from littlestone.rules.trees import DecisionTree
from planting import Fault, plant
from plants.harness import Plant

CLASS = "score_sheet(age: 0..80 step 40, sex in {F}, ward in {A}; at most 2)"
TREE_CLASS = "trees(age: 0..80 step 40, sex in {F}, ward in {A}; depth 1)"
RECORDS = 600
KEPT = 100  # records for which labels are kept and columns have points, at epsilon 4
Noise = GaussianNoise | LaplaceNoise
Record = tuple[Any, int]


@dataclass(frozen=True)
class Run:
    """What each step summed, with which noise, what was released, and the rule at the end."""

    sums: tuple[Noisy, ...]
    noises: tuple[Noise, ...]
    released: tuple[Noisy, ...]
    rule: Hypothesis[Any]


def learner_of(H: Any, budget: Budget, n: int) -> Any:
    """The learner of sheets, or that of trees with points for n records, with a tree drawn before."""
    if isinstance(H, ScoreSheets):
        return ScoreSheetLearner[Any](H, budget)
    learner: Any = TreeSheetLearner[Any](H, budget, n=n)
    column = H.domain.columns[0]
    test = ColumnTest(0, frozenset(column.points[-1:]))
    tree = DecisionTree(H.domain, Split(test, 1, 0))
    learner.tree.draw = lambda sample, receipt: tree
    return learner


def sums_of(learner: Any) -> NoisySums:
    """The event of its sums, without that of a draw."""
    event = learner.event
    return event.sums if isinstance(event, DrawThenSums) else event


def replay(learner: Any, sample: Sample[Any], released: Sequence[Noisy] = ()) -> Run:
    """A run of the learner's own code that releases these numbers, or draws them if none are given."""
    sums, noises, rng = list[Noisy](), list[Noise](), random.Random(5)

    def draw(event: NoisySums, data: Any, *, receipt: object) -> tuple[Noisy, ...]:
        known: tuple[Noisy, ...] = ()
        for i in range(len(event.steps)):
            values, noise = data(known), event.noises[i]
            sums.append(tuple(int(x) for x in values))
            noises.append(noise)
            known = (*known, released[i] if released else noise.add(values, rng))
        drawn.append(known)
        return known

    drawn = list[tuple[Noisy, ...]]()
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(NoisySums, "draw", draw)
        nobody: Any = None  # no generator comes from elsewhere
        rule = learner.draw(sample, receipt=nobody)
    return Run(tuple(sums), tuple(noises), drawn[0], rule)


def covers(event: NoisySums, i: int, noise: Noise, moved: Sequence[int]) -> bool:
    """Whether the noise of step i hides that its sums move so far, within the step's share."""
    share = event.steps[i].share
    if isinstance(noise, LaplaceNoise):
        return sum(map(abs, moved)) / noise.scale <= share * event.epsilon
    most = share * greatest_mu_squared(event.epsilon, event.delta)
    return sum(x * x for x in moved) / Fraction(noise.variance - CORE) <= most


def tables(text: str) -> list[list[Record]]:
    """Records of two tables: one with strong columns, and one whose labels are rare."""
    rng, points = random.Random(3), list(parse_class(text).domain)
    strong, rare = list[Record](), list[Record]()
    for x in rng.choices(points, k=RECORDS):
        strong.append(
            (x, int(rng.random() < (0.9 if x[0] == points[-1][0] or x[-1] == "F" else 0.1)))
        )
        rare.append((x, int(rng.random() < 0.02)))
    return [strong, rare]


def is_paid(fault: Fault | None, classes: Sequence[tuple[str, int]] = ((CLASS, 1),)) -> bool:
    """All neighbours that differ in one of all possible records, next to 600 others, at two budgets.

    An error is a mistake too, because nothing may fail after the spend.  A fault comes together with
    the loss of the guard, which would make most of them harmless, and with a fit that has the records.
    """
    with pytest.MonkeyPatch.context() as patch:
        if fault is not None:
            plant(GUARD, patch)
            if fault.place != DRAWN:
                plant(HANDED, patch)
            plant(fault, patch)
        try:
            return all(
                hides_a_record(text, Budget(4, delta), table, n=n)
                for delta in (0, "1e-6")
                for table in tables(CLASS)
                for text, n in classes
            )
        except (ArithmeticError, AttributeError, IndexError, ValueError):
            return False


def trees_are_paid(fault: Fault | None) -> bool:
    """The same for trees with points, where few records leave points to leaves alone."""
    return is_paid(fault, [(TREE_CLASS, 1), (TREE_CLASS, 10**6)])


def kept_are_paid(fault: Fault | None) -> bool:
    """The same where columns rank the records of a leaf, and its label is that of the tree."""
    learner = learner_of(parse_class(TREE_CLASS), Budget(4), KEPT)
    assert (learner.few, learner.keep) == (False, True)
    return is_paid(fault, [(TREE_CLASS, KEPT)])


def sample_of(domain: Any, times: int, table: Iterable[Record], *more: Record) -> Sample[Any]:
    """The records of a table, each so many times, and some more."""
    counts: dict[Any, list[int]] = {}
    for x, y in table:
        counts.setdefault(x, [0, 0])[y] += times
    for x, y in more:
        counts.setdefault(x, [0, 0])[y] += 1
    return Sample.from_counts(domain, counts)


def hides_a_record(
    text: str, budget: Budget, table: list[Record], times: int = 1, n: int = 10**6
) -> bool:
    """Whether the noise of each step hides which of all possible records is next to the table."""
    H: Any = parse_class(text)
    learner = learner_of(H, budget, n)
    event = sums_of(learner)
    records = list(product(H.domain, (0, 1)))
    samples = [sample_of(H.domain, times, table, record) for record in records]
    released = replay(learner, samples[0]).released
    runs = [replay(learner, sample, released) for sample in samples]
    # What is asked, its noise and the sheet are functions of what was released: on all samples of as
    # many records, also on those that have nothing in common.
    equal = [
        sample_of(H.domain, samples[0].n, [record]) for record in (*records[:2], *records[-2:])
    ]
    others = [replay(learner, sample, released) for sample in equal]
    if len({(run.noises, run.rule, tuple(map(len, run.sums))) for run in (*runs, *others)}) > 1:
        return False
    for i, noise in enumerate(runs[0].noises):
        asked = [run.sums[i] for run in runs]
        if len(asked[0]) > event.steps[i].count:
            return False
        moves = {
            tuple(a - b for a, b in zip(one, other, strict=True))
            for one, other in combinations(asked, 2)
        }
        if not all(covers(event, i, noise, moved) for moved in moves):
            return False
    return True


LEARNER = "littlestone.learn.score_sheet"
QUESTION = "littlestone.privacy.mechanisms.record_sums:Question"
DRAWN = "littlestone.privacy.mechanisms.record_sums:SumsDraw.draw"
CELLS = "littlestone.classes.counting.blocks:CellCodes"

TREES = "littlestone.learn.tree_sheet"


GUARD = Fault(
    f"{QUESTION}.answer",
    "if too_far or not self.scale:",
    "if False:",
    "A question is answered, however far its sums move.",
)
HANDED = Fault(
    DRAWN,
    "self.fit_of(sample.n, tree), self.sums",
    "self.fit_of(sample.n, tree), self.sums; fit.data = data",
    "The fit is handed the records, which it does not read.",
)
POSITIVES = "int(self.data.tables([(0,)])[0][1].sum())"
ASKED = "fit.question(known).answer(data, sums, len(known))"
PRIVATE_LEAVES = (
    "fit.question((tuple(fit._ask_labels().answer(data, sums, 0).tolist()), *known[1:])"
    " if known else known).answer(data, sums, len(known))"
)
COUNTED = "2 * columns, 2 * columns, first if"

FAULTS = {
    "one_column": Fault(
        f"{LEARNER}:steps_of",
        COUNTED,
        "2, 2, first if",
        "All columns are counted for the price of one.",
    ),
    "column_forgotten": Fault(
        f"{LEARNER}:steps_of",
        COUNTED,
        "2 * columns - 2, 2 * columns - 2, first if",
        "One column is forgotten in the sensitivity of the counts.",
    ),
    "record_added": Fault(
        f"{LEARNER}:steps_of",
        COUNTED,
        "columns, columns, first if",
        "A record is thought to come or go, and not to be replaced.",
    ),
    "total_once": Fault(
        f"{LEARNER}:steps_of",
        "SumStep(2 * BINS, 2, 2, totals)",
        "SumStep(2 * BINS, 1, 1, totals)",
        "A replaced record is thought to change the count of one total.",
    ),
    "no_root": Fault(
        f"{QUESTION}.fit_into",
        "isqrt(step.squared // squared)",
        "step.squared // squared",
        "The scale has the square of the bound.",
    ),
    "scale_too_large": Fault(
        f"{QUESTION}.fit_into",
        "return replace(self, scale=fits)",
        "return replace(self, scale=fits + 1)",
        "The scale is rounded up.",
    ),
    "scale_of_one_column": Fault(
        f"{QUESTION}.moves",
        "l1, squared = 2 * columns, 2 * columns",
        "l1, squared = 2, 2",
        "The scale of the second counts is that of one column.",
    ),
    "shapes_by_their_mean": Fault(
        f"{QUESTION}.moves",
        "np.abs(own).max()",
        "np.abs(own).mean()",
        "The bound of products is by the mean of each column's numbers.",
    ),
    "square_forgotten": Fault(
        f"{QUESTION}.moves",
        "int(np.abs(own).max()) ** 2",
        "int(np.abs(own).max())",
        "The numbers of a column are not squared in the bound of products.",
    ),
    "scale_unpaid": Fault(
        f"{LEARNER}:SheetFit._ask_cells",
        "tuple(map(np.arange, sizes)))",
        "tuple(map(np.arange, sizes)), 2)",
        "The first counts are scaled, and their noise is not.",
    ),
    "private_bound": Fault(
        DRAWN,
        ASKED,
        "fit.question((*known[:1], tuple(fit._ask_cells(()).answer(data, sums, 1).tolist()),"
        " *known[2:]) if len(known) > 1 else known).answer(data, sums, len(known))",
        "Columns, groups and bounds come from the true counts.",
    ),
    "private_evidence": Fault(
        DRAWN,
        ASKED,
        "fit.question((*known[:2], tuple(fit._ask_kept(known).answer(data, sums, 2).tolist()),"
        " *known[3:]) if len(known) == 3 else known).answer(data, sums, len(known))",
        "The columns are fitted to their true counts.",
    ),
    "private_products": Fault(
        DRAWN,
        ASKED,
        "(vars(fit).setdefault('asked', []).append(fit.question((*known[:3],"
        " tuple(fit.asked[3].tolist())) if len(known) == 4 else known).answer(data, sums,"
        " len(known))), fit.asked[-1])[1]",
        "The products of pairs are used without their noise, and are not paid for.",
    ),
    "private_base": Fault(
        DRAWN,
        ASKED,
        PRIVATE_LEAVES,
        "The share of positives is the true one.",
    ),
    "private_totals": Fault(
        DRAWN,
        "fit.make_rule(released)",
        "fit.make_rule((*released[:-1],"
        " tuple(fit._ask_totals(released).answer(data, sums, 4).tolist())))",
        "The risks are those of the true counts of totals.",
    ),
    "both_labels": Fault(
        f"{QUESTION}.add_up",
        "weights=table[y]",
        "weights=table[y:].sum(axis=0)",
        "A positive record counts for both labels.",
    ),
    "positives_twice": Fault(
        f"{QUESTION}.add_up",
        "data.tables([(0,)])[0][1].sum(keepdims=True)",
        "(np.array([-1, 1]) @ data.tables([(0,)])[0]).sum(keepdims=True)",
        "Positives count against negatives, for the price of positives.",
    ),
    "label_once": Fault(
        f"{LEARNER}:steps_of",
        "SumStep(2 * leaves, 2, 2, base)",
        "SumStep(2 * leaves, 1, 1, base)",
        "A replaced record is thought to change the count of one label.",
    ),
    "leaf_once": Fault(
        f"{TREES}:TreeSheetLearner.__init__",
        "SumStep(2 * leaves, 2, 2, Fraction(1))",
        "SumStep(2 * leaves, 1, 1, Fraction(1))",
        "A replaced record is thought to change the count of one leaf.",
    ),
    "private_leaves": Fault(
        DRAWN,
        ASKED,
        PRIVATE_LEAVES,
        "The columns are fitted beside the true counts of the leaves.",
    ),
    "private_risks": Fault(
        DRAWN,
        "fit.make_rule(released)",
        "fit.make_rule((tuple(fit._ask_labels().answer(data, sums, 0).tolist()), *released[1:]))",
        "The leaves have the risks of their true counts.",
    ),
    "kept_private_leaves": Fault(
        DRAWN,
        ASKED,
        PRIVATE_LEAVES,
        "Leaves that keep their labels are moved apart beside their true counts.",
    ),
    "kept_private_order": Fault(
        f"{LEARNER}:SheetFit._ask_totals",
        "self.drawn.part_leaves(self.leaf_points, self.points)",
        f"self.drawn.part_leaves(self.leaf_points + {POSITIVES} % 7, self.points)",
        "Leaves that keep their labels are moved apart by the true number of positive records.",
    ),
    "kept_private_line": Fault(
        f"{LEARNER}:SheetFit._ask_totals",
        "fit_line(totals + self.leaf_points[leaf], risks)",
        f"fit_line(totals + self.leaf_points[leaf], 0 * risks + {POSITIVES} / max(1, self.n))",
        "Where labels are kept, the line of risks is fitted to the true share of positives.",
    ),
    "kept_private_least": Fault(
        f"{LEARNER}:SheetFit.make_rule",
        "self.least if self.keep",
        f"self.least + {POSITIVES} % 2 if self.keep",
        "Where labels are kept, the true number of positive records moves the least total of label 1.",
    ),
    "kept_private_ends": Fault(
        f"{LEARNER}:SheetFit._ask_totals",
        "cut_totals(self.totals, risks, BINS)",
        f"cut_totals(self.totals, risks ** (1 + {POSITIVES} % 2), BINS)",
        "Where labels are kept, the true number of positive records moves the ends of the runs.",
    ),
    "kept_total_once": Fault(
        f"{LEARNER}:steps_of",
        "SumStep(2 * BINS, 2, 2, totals)",
        "SumStep(2 * BINS, 1, 1, totals)",
        "Where labels are kept, a replaced record is thought to change the count of one total.",
    ),
    "scale_twice": Fault(
        f"{QUESTION}.add_up",
        "[data.products(self.columns, self.numbers)]",
        "[data.products(self.columns, self.numbers) * self.scale]",
        "The scale of products is applied twice.",
    ),
    "records_squared": Fault(
        f"{CELLS}.products",
        "(a * b * records).sum()",
        "(a * b * records**2).sum()",
        "Equal records count by the square of their number.",
    ),
    "seen_runs_only": Fault(
        f"{CELLS}.totals",
        "minlength=len(ends) + 1",
        "minlength=0",
        "Runs after the last one that occurs are left out.",
    ),
    "cells_up_to_each": Fault(
        f"{QUESTION}.add_up",
        "np.bincount(own, weights=table[y])",
        "np.bincount(own, weights=table[y]).cumsum()",
        "The records up to each cell are counted, for the price of single cells.",
    ),
}


def products_are_paid(fault: Fault | None) -> bool:
    """Without delta no replaced record moves the products of two of three columns too far.

    The groups of a column have the numbers -32, 0 and 32, so their largest is not their mean.
    """
    with pytest.MonkeyPatch.context() as patch:
        if fault is not None:
            plant(fault, patch)
        H: Any = parse_class(
            "score_sheet(a: 0..40 step 20, b: 0..40 step 20, c: 0..40 step 20; at most 3)"
        )
        event: Any = ScoreSheetLearner[Any](H, Budget(4)).event
        fit: Any = SheetFit(H, event, 4)
        fit.kept, cells = [0, 1], np.arange(4)
        fit.groups = [cells] * 3
        odds, even = np.array([0.0, -1.0, 0.0, 1.0]), np.ones(4)
        fit.columns = [Column(odds, 1.0, np.eye(4), even)] * 2
        question = fit._ask_products(())
        found = []
        for x in product(H.domain.columns[0], repeat=2):
            data = Sample.from_examples(H.domain, [((*x, x[0]), 1)])
            coded = CellCodes.from_sample(data, range(3))
            found.append(question.add_up(coded))
        moves = [int(np.abs(one - other).sum()) for one, other in combinations(found, 2)]
        step = event.steps[3]
        return bool(max(moves) <= step.l1)


CHECKS = {name: kept_are_paid for name in FAULTS if name.startswith("kept_")} | {
    "shapes_by_their_mean": products_are_paid,
    "scale_twice": products_are_paid,
    "label_once": trees_are_paid,
    "leaf_once": trees_are_paid,
    "private_leaves": trees_are_paid,
    "private_risks": trees_are_paid,
}
PLANTS = [
    Plant(f"sheet_{name}", fault.mistake, CHECKS.get(name, is_paid), None, fault)
    for name, fault in FAULTS.items()
]
