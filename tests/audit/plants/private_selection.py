"""Mistakes in private selection: by which scores, how often, and what is paid.

The honest learner is audited with the score of the released rule told, too.
"""

from __future__ import annotations

from copy import copy
from dataclasses import replace
from fractions import Fraction
from functools import cache
from typing import Any

from littlestone.audit import Subject
from littlestone.audit.subjects.private_selection import RECORDS, Learner, selection_subject, tables
from littlestone.classes import FiniteClass
from littlestone.errors import LedgerError
from littlestone.learners import ExponentialLearner
from littlestone.privacy import Budget
from littlestone.privacy.accounting.selected import Repeats
from littlestone.privacy.ledger import Ledger, Receipt
from littlestone.privacy.mechanisms.scores.cell_counts import CellCounts
from littlestone.privacy.randomness import seeded_generator
from littlestone.sample import Sample
from plants.harness import Masses, Plant, is_private

EPSILON = Fraction(6)  # large, so that the bound is nearly reached
HALF: dict[str, Any] = {"most": 30, "scored": "0.5"}
ONES = [FiniteClass.from_array([[y, y]]) for y in (0, 1)]  # their rules are no choice
SCORES: dict[str, Any] = {
    "most": 130,
    "scored": "0.99",
    "candidates": [(H, ExponentialLearner) for H in ONES],
}


class TrueScores(Learner):
    """The best rule is that of the fewest true errors, without noise."""

    def law_of_run(self, sample: Sample[Any]) -> Any:
        law: Masses = {}
        for (rule, _), mass in super().law_of_run(sample).items():
            (score,) = self.counted(rule, sample)
            law[rule, score] = law.get((rule, score), Fraction(0)) + mass
        return law


class _Always(Repeats):
    def power(self, x: Fraction) -> Fraction:
        return x**self.most


class FixedNumber(Learner):
    """There are always as many runs as there may be at most."""

    def __init__(self, *arguments: Any, **options: Any) -> None:
        super().__init__(*arguments, **options)
        self.repeats = _Always(self.repeats.factor, self.repeats.most)


class NothingSplit(Learner):
    """Each rule, and each score too, has the whole epsilon of a run."""

    def __init__(self, H: Any, budget: Budget, **options: Any) -> None:
        super().__init__(H, budget, **options)
        run = budget.epsilon / self.repeats.factor
        self.score = CellCounts(run, 1)
        whole = Budget(run)
        self.candidates = tuple(ExponentialLearner(c.hypotheses, whole) for c in self.candidates)


class OneCandidateCharged(Learner):
    """Each run has the whole epsilon, and one run is charged."""

    def __init__(self, H: Any, budget: Budget, *, factor: int = 3, **options: Any) -> None:
        super().__init__(H, Budget(factor * budget.epsilon), factor=factor, **options)


class LawOfThree(Learner):
    """All numbers of runs are equally likely, as at three times the cost, and two are charged."""

    def __init__(self, *arguments: Any, **options: Any) -> None:
        super().__init__(*arguments, factor=2, **options)
        self.repeats = Repeats(3, self.repeats.most)


class NumberByTheData(Learner):
    """There may be more runs if a label is positive."""

    def law_of_best(self, sample: Sample[Any]) -> Any:
        other = copy(self)
        if not sample.positives.any():
            other.repeats = Repeats(self.repeats.factor, 1)
        return super(NumberByTheData, other).law_of_best(sample)


class ListByTheData(Learner):
    """Only the classes whose best rule has the fewest errors are candidates."""

    def law_of_run(self, sample: Sample[Any]) -> Any:
        other, least = copy(self), [c.hypotheses.least_errors(sample) for c in self.candidates]
        pairs = zip(self.candidates, least, strict=True)
        other.candidates = tuple(c for c, errors in pairs if errors == min(least))
        return super(ListByTheData, other).law_of_run(sample)


class TiesByTrueErrors(Learner):
    """Among equal scores, the rule with the fewest true errors is released."""

    def law_of_run(self, sample: Sample[Any]) -> Any:
        law = super().law_of_run(sample)
        return {(h, (z, self.counted(h, sample))): mass for (h, z), mass in law.items()}

    def law_of_best(self, sample: Sample[Any]) -> Any:
        law, pairs = Masses(), Masses(super().law_of_best(sample))
        for (rule, (score, _)), mass in pairs.items():
            law[rule, score] = law.get((rule, score), Fraction(0)) + mass
        return law


class NumberBeforeTheReceipt(Learner):
    """The number of runs is drawn before the receipt is redeemed."""

    def draw(self, sample: Sample[Any], *, receipt: Receipt) -> Any:
        self.repeats.draw(receipt._rng)
        return super().draw(sample, receipt=receipt)


def pays_first(learner: Learner) -> bool:
    """With a receipt that is used up, a draw raises before it reads a single random bit."""
    sample, rng = Sample.from_examples(learner.hypotheses.domain, RECORDS), seeded_generator(0)
    with Ledger() as ledger:
        receipt = ledger.spend(learner.event, dataset="made up", what="test", rng=rng)
        receipt.redeem(learner.event)
        state = rng.getstate()
        try:
            learner.draw(sample, receipt=receipt)
        except LedgerError:
            return rng.getstate() == state
    return False


def _told(learner: Learner, honest: Learner) -> Subject[Any]:
    """What ``learner`` does against what the honest one claims."""

    @cache
    def law(data: Any) -> Masses:
        sample = Sample.from_examples(learner.hypotheses.domain, data)
        return dict(learner.law_of_best(sample))

    return replace(selection_subject(honest, RECORDS[1:], 2), distribution=law)


def _named(kind: type[Any], honest: Subject[Any], broken: Subject[Any]) -> Plant:
    mistake = (kind.__doc__ or "").partition("\n")[0]
    return Plant(f"selection_{kind.__name__}", mistake, is_private, honest, broken)


def _between(epsilon: Fraction, kind: type[Learner] = Learner, **options: Any) -> Learner:
    return kind(ONES[0], Budget(epsilon), **options)


RULES = tables(EPSILON, **HALF)
BOTH = _told(RULES, RULES)
FINE: dict[str, Any] = {"epsilon": Fraction(1, 2), **HALF}  # small, so that scores are often equal
EQUAL = tables(**FINE)
SCORED = _between(EPSILON, **SCORES, factor=2)

PLANTS = [
    *(_named(kind, BOTH, _told(tables(EPSILON, kind, **HALF), RULES))
      for kind in (TrueScores, FixedNumber, NothingSplit, OneCandidateCharged)),
    *(_named(kind, _told(EQUAL, EQUAL), _told(tables(kind=kind, **FINE), EQUAL))
      for kind in (NumberByTheData, ListByTheData, TiesByTrueErrors)),
    Plant("selection_NumberBeforeTheReceipt", str(NumberBeforeTheReceipt.__doc__), pays_first,
          RULES, tables(EPSILON, NumberBeforeTheReceipt, **HALF)),
    _named(LawOfThree, _told(SCORED, SCORED), _told(_between(EPSILON, LawOfThree, **SCORES), SCORED)),
]  # fmt: skip
