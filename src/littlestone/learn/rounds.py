"""Learners in steps: rules one after another on what is left, and values of columns before a rule."""

from __future__ import annotations

import math
from collections.abc import Sequence
from fractions import Fraction
from functools import lru_cache
from itertools import product
from typing import Any, cast

import numpy as np

from littlestone.classes.base import HypothesisClass
from littlestone.classes.counting.blocks import holding
from littlestone.classes.promises.by_table import ByTable, OpenClass
from littlestone.classes.rule_lists import InRounds, Rule
from littlestone.data.sample import Records, Sample
from littlestone.learn.base import Bound, Setting, WeighedLearner, require_plan
from littlestone.learn.exponential import ExponentialLearner, least_size
from littlestone.points import MISSING, OTHER, Point
from littlestone.privacy.accounting.calibration import calibrate
from littlestone.privacy.accounting.composed import Composition, repeat
from littlestone.privacy.cost import Budget, PrivacyCost
from littlestone.privacy.event import Event
from littlestone.privacy.ledger import Receipt
from littlestone.privacy.mechanisms.exponential import ExponentialMechanism
from littlestone.privacy.mechanisms.partition_selection import PartitionSelection
from littlestone.privacy.rational import sum_masses
from littlestone.rules import DecisionTree, Hypothesis

SINGLE = "the best single rule"
"""What the proved size of several rounds compares with."""


class RoundsLearner(WeighedLearner[Point]):
    """Release a list or set of rules, each drawn with Pr ~ r^-(errors on what is left).

    There are at most K rounds of the exponential mechanism, composed to (epsilon, delta)-DP for every
    sample; epsilon / K each if delta = 0.  A round sees the examples that no released rule covers.  A
    rule scores the errors that it would make there as the last one, so the default label is chosen
    with it.  The run ends early when a round draws a label for everything.  With ``cost`` = (a, b), a
    missed positive counts as a errors and a false alarm as b.

    Up to noise, a list does no worse than the best single rule, and `plan` says how many records that
    takes.  How much better it is depends on the data.  Source: docs/proofs/rounds.md.  Time: K times
    that of scoring `Conditions`.  Raises `DeclarationError` for other classes.

    >>> from littlestone.classes import parse_class
    >>> H = parse_class("rule_list(age: 0..80 step 20, sex in {F, M}; at most 2)")
    >>> learner = RoundsLearner(H, Budget(1))
    >>> str(learner.mechanism.epsilon), str(learner.cost())
    ('1/2', 'epsilon 1, delta 0 (replace-one)')
    """

    method = "rounds"
    several = True
    tolerates_label_noise = True
    takes_void = True

    def __init__(
        self, hypotheses: HypothesisClass[Point], budget: Budget, *, cost: object = (1, 1)
    ) -> None:
        super().__init__(hypotheses, budget, cost=cost)
        self.mistakes.require_rule(hypotheses.labels)
        if not isinstance(hypotheses, InRounds) or hypotheses.space is not None:
            raise self.unfit(
                found="it is not a class of lists or sets of rules over a mixed table",
                declare="rule_list(COLUMN, ...; at most K), or rule_sets over declared columns",
            )
        self.hypotheses: Any = hypotheses
        self.mechanism = round_of(hypotheses.rules, budget.cost, self.mistakes.largest)
        # All K draws are charged, even if the run ends early: where it ends depends on the data
        # (docs/proofs/rounds.md, Theorem 1).
        self.event = repeat(self.mechanism, hypotheses.rules, budget.delta)

    def draw(self, sample: Sample[Point], *, receipt: Receipt) -> Hypothesis[Point]:
        rules: list[Rule] = []
        sample = self._weigh(sample)
        while len(rules) < self.hypotheses.rules:
            scores = self.hypotheses.round_scores(sample)
            rule = self.hypotheses.rule(self.mechanism.draw(scores, receipt=receipt))
            rules.append(rule)
            # A rule for everything leaves no examples for the next round.
            if not rule.tests:
                break
            # The released rule alone decides which examples stay, so one replaced record still is
            # one record in the next round.
            sample = left(sample, rule)
        return cast("Hypothesis[Point]", self.hypotheses.function_of_rules(rules))

    def distribution(self, sample: Sample[Point]) -> dict[Hypothesis[Point], Fraction]:
        return self._distribution(self._weigh(sample), ())

    def _weigh(self, sample: Sample[Point]) -> Sample[Point]:
        """The sample whose errors are costs; each record is in all rounds what it is in this one."""
        return sample if self.mistakes.equal else sample.weigh(self.mistakes.weights)

    def _distribution(
        self, sample: Sample[Point], rules: tuple[Rule, ...]
    ) -> dict[Hypothesis[Point], Fraction]:
        if len(rules) == self.hypotheses.rules or (rules and not rules[-1].tests):
            return {self.hypotheses.function_of_rules(rules): Fraction(1)}

        def later(rule: Rule) -> dict[Hypothesis[Point], Fraction]:
            return self._distribution(left(sample, rule) if rule.tests else sample, (*rules, rule))

        drawn = self.mechanism.distribution(self.hypotheses.round_scores(sample))
        return sum_masses(
            (h, chance * p)
            for item, chance in drawn.items()
            for h, p in later(self.hypotheses.rule(item)).items()
        )

    def work(self, n: int) -> int:
        """A thousandth of a step for each rule, label and round, besides reading the records."""
        return int(self.hypotheses.rules * (n + self.hypotheses.items // 1000))

    def plan(self, alpha: float, beta: float, *, setting: Setting = "agnostic") -> Bound | None:
        """The examples that suffice for the error of the best single rule plus ``alpha``.

        It is the size of `ExponentialLearner` for N = M^K functions and the r of one round, where M is
        the number of items of a round (docs/proofs/rounds.md, Theorem 3).  Some list of several rules
        may be better; nothing is proved about it.  So the bound names its comparison in ``versus``.  In
        the realizable setting there is a bound only for K = 1.
        """
        require_plan(alpha, beta, setting)
        rounds = self.hypotheses.rules
        if setting == "realizable" and rounds > 1:
            return None
        # Theorem 3 treats a list as one of M^K functions, drawn at the rate of one round.
        runs = rounds * math.log(self.hypotheses.items)
        tilt = self.mistakes.largest * math.log1p(self.mechanism.base - 1)
        n = least_size(runs, tilt, alpha, beta, setting)
        source, versus = "docs/proofs/rounds.md, Theorem 3", SINGLE if rounds > 1 else ""
        return Bound(n, alpha, beta, setting, source, versus)


def left(sample: Sample[Any], rule: Rule) -> Sample[Any]:
    """The examples that the rule does not cover; each record stays or goes independently."""
    return sample.keep_where(~holding(rule.tests, sample))


@lru_cache(maxsize=256)
def round_of(rounds: int, target: PrivacyCost, sensitivity: int = 1) -> ExponentialMechanism:
    """The mechanism with the largest epsilon whose ``rounds`` draws together cost ``target``."""
    if rounds == 1 or not target.delta:
        return ExponentialMechanism(target.epsilon / rounds, sensitivity)

    def draws_at(step: Fraction) -> Event:
        return repeat(ExponentialMechanism(step, sensitivity), rounds, target.delta)

    uses: Sequence[tuple[Event, int]] = calibrate(draws_at, target).uses()
    return cast("ExponentialMechanism", uses[0][0])


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
