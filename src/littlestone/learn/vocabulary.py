"""Release the frequent values of open columns first; then learn with these as declared lists."""

from __future__ import annotations

from collections.abc import Sequence
from fractions import Fraction
from itertools import product
from typing import Any

import numpy as np

from littlestone.classes.base import HypothesisClass
from littlestone.classes.promises.by_table import ByTable, OpenClass
from littlestone.classes.rule_lists import InRounds
from littlestone.data.sample import Records, Sample
from littlestone.learn.base import WeighedLearner
from littlestone.learn.exponential import ExponentialLearner
from littlestone.learn.rounds import RoundsLearner
from littlestone.points import MISSING, OTHER, Point
from littlestone.privacy.accounting.composed import Composition
from littlestone.privacy.cost import Budget
from littlestone.privacy.ledger import Receipt
from littlestone.privacy.mechanisms.partition_selection import PartitionSelection
from littlestone.rules import DecisionTree, Hypothesis

_VALUES = Fraction(1, 3)
"""The share of epsilon that the values of open columns take together."""


class VocabularyLearner(WeighedLearner[Point]):
    """Release values of open columns by partition selection, and then a rule or tree over them.

    Each open column gets an equal part of a third of epsilon and of all of delta: a value is selected
    with a probability that grows with its number of records.  With the selected values as declared
    lists, the class is closed, and the rest of epsilon pays for `ExponentialLearner`, or for
    `RoundsLearner` if the class is one of lists or sets of rules.  A value that is not selected counts
    as any other value.  If more values are selected than the closed class may have
    (`OpenClass.most_values`), those that come first as texts are kept.  With ``cost`` = (a, b), the
    inner learner counts a missed positive as a errors and a false alarm as b; values are selected as
    before.

    Nothing else learns a tree or a list of rules over a column whose values are not declared.
    Only the rule is released; it names the values that it tests.  No size is proved.  Source:
    docs/proofs/vocabulary.md.  Raises `DeclarationError` for other classes and delta = 0.

    >>> from littlestone.classes import parse_class
    >>> H = parse_class("trees(ward, age: 0..80 step 20; depth 2)")
    >>> str(VocabularyLearner(H, Budget(1, "1e-6")).cost())
    'epsilon 1, delta 0.000001 (replace-one)'
    """

    method = "vocabulary"
    several = True
    tolerates_label_noise = True
    takes_void = True

    def __init__(
        self, hypotheses: HypothesisClass[Point], budget: Budget, *, cost: object = (1, 1)
    ) -> None:
        super().__init__(hypotheses, budget, cost=cost)
        if not isinstance(hypotheses, OpenClass):
            raise self.unfit(
                found="it is not a class of trees, lists or sets of rules with an open column",
                declare="trees, rule_list or rule_sets over a mixed table",
            )
        self.hypotheses: Any = hypotheses
        self.most_values = hypotheses.most_values
        count, taken = len(hypotheses.open_columns), budget.epsilon * _VALUES
        # Every column is read by the whole sample, so the columns' shares add up
        # (docs/proofs/vocabulary.md, Theorem 1).
        share = Budget(taken / count, budget.delta / count)
        self.selection = PartitionSelection[str](share, "numbers of records")
        self.rest = Budget(budget.epsilon - taken)
        inner = self.inner(hypotheses.close_columns({}))
        self.event = Composition([(self.selection, count), (inner.event, 1)], budget.delta)

    def inner(self, closed: ByTable) -> ExponentialLearner[Any] | RoundsLearner[Any]:
        """The learner of the closed class; its event is the same whatever the values are."""
        kind = RoundsLearner if isinstance(closed, InRounds) else ExponentialLearner
        return kind(closed, self.rest, cost=self.mistakes)

    def draw(self, sample: Sample[Point], *, receipt: Receipt) -> Hypothesis[Point]:
        values = {}
        for j in self.hypotheses.open_columns:
            found = self.selection.draw_scores(count_values(sample, j), receipt=receipt)
            # From here on the class is public: it is made of released values alone.
            values[j] = self.values_to_list(found)
        closed = self.hypotheses.close_columns(values)
        tree = self.inner(closed).draw(list_values(sample, closed), receipt=receipt)
        return self.reopen(tree)

    def values_to_list(self, selected: frozenset[str]) -> Sequence[str]:
        """The values that become a list: no missing ones, and not too many."""
        # Sorted as texts before the cut: the order of the records must not decide which values
        # stay.
        return sorted(selected - {MISSING, OTHER})[: self.most_values]

    def reopen(self, tree: Hypothesis[Any]) -> Hypothesis[Any]:
        """The tree over the open columns; its tests name single values, and so stay what they are."""
        if not isinstance(tree, DecisionTree):
            raise TypeError(type(tree))
        return DecisionTree(self.hypotheses.domain, tree.root, tree.labels)

    def distribution(self, sample: Sample[Point]) -> dict[Hypothesis[Point], Fraction]:
        opened = self.hypotheses.open_columns
        laws = [self.selection._distribution(count_values(sample, j)).items() for j in opened]
        law: dict[Hypothesis[Point], Fraction] = {}
        for chosen in product(*laws):
            chance = Fraction(1)
            for _, mass in chosen:
                chance *= mass
            values = {
                j: self.values_to_list(found) for j, (found, _) in zip(opened, chosen, strict=True)
            }
            closed = self.hypotheses.close_columns(values)
            for tree, mass in self.inner(closed).distribution(list_values(sample, closed)).items():
                h = self.reopen(tree)
                law[h] = law.get(h, Fraction(0)) + chance * mass
        return law


def count_values(sample: Sample[Any], j: int) -> dict[str, int]:
    """The number of records of each value in column j."""
    values, codes = sample.column(j)
    counts = np.zeros(len(values), np.int64)
    np.add.at(counts, codes, sample.counts.sum(axis=1))
    found: dict[str, int] = {}
    for value, count in zip(values, counts.tolist(), strict=True):
        if count:
            found[value] = found.get(value, 0) + count
    return found


def list_values(sample: Sample[Any], closed: ByTable) -> Sample[Any]:
    """The sample over the closed class's columns: values that are not listed are one point."""
    columns = [sample.column(j) for j in range(len(closed.domain.columns))]
    records = Records(
        [
            ([column.encode(value) for value in values], codes)
            for column, (values, codes) in zip(closed.domain.columns, columns, strict=True)
        ]
    )
    return Sample(closed.domain, records, sample.counts)
