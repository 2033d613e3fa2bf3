"""Mistakes in the learner that releases the values of open columns first."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from fractions import Fraction
from typing import Any

from littlestone.classes.promises.by_table import ByTable
from littlestone.learn.exponential import ExponentialLearner
from littlestone.learn.rounds import VocabularyLearner, list_values
from littlestone.privacy import Budget
from littlestone.privacy.mechanisms.exponential import ExponentialMechanism
from littlestone.privacy.mechanisms.partition_selection import PartitionSelection
from littlestone.prove.audit import Subject
from littlestone.prove.audit.subjects.whole_learners import (
    by_sample,
    subject_of_learner,
    vocabulary,
    vocabulary_costs,
    vocabulary_learner,
)
from plants.harness import Plant, is_private

EPSILON, DELTA = Fraction(1), Fraction(1, 1000)
HONEST = vocabulary.make(EPSILON, DELTA)
COSTLY = vocabulary_costs.make(EPSILON, DELTA)


class AllOfEpsilonTwice(VocabularyLearner[Any]):
    """The values take all of epsilon, and so does the tree."""

    def __init__(self, hypotheses: Any, budget: Budget) -> None:
        super().__init__(hypotheses, budget)
        self.selection = PartitionSelection[str](Budget(2 * budget.epsilon, budget.delta))
        self.rest = Budget(2 * budget.epsilon)


class EveryValue(VocabularyLearner[Any]):
    """Where no value is selected, all values that occur are listed."""

    def distribution(self, sample: Any) -> Any:
        values = sorted({x[0] for x in sample.points} - {""})
        closed = self.hypotheses.close_columns({0: values})
        law = self.inner(closed).distribution(list_values(sample, closed))
        return {self.reopen(h): p for h, p in law.items()}


class DeltaAsEpsilon(VocabularyLearner[Any]):
    """Values are selected at ten thousand times delta."""

    def __init__(self, hypotheses: Any, budget: Budget) -> None:
        super().__init__(hypotheses, budget)
        self.selection = PartitionSelection[str](
            Budget(self.selection.epsilon, min(Fraction(1, 2), 400 * budget.delta))
        )


class BestTree(VocabularyLearner[Any]):
    """The best tree over the selected values is released."""

    def inner(self, closed: ByTable) -> Any:
        return Best(closed, self.rest)


class Best(ExponentialLearner[Any]):
    """All of the probability for one tree with the fewest errors."""

    def distribution(self, sample: Any) -> Any:
        law = super().distribution(sample)
        return {max(law, key=lambda h: law[h]): Fraction(1)}


class CostsOfErrors(VocabularyLearner[Any]):
    """The tree is drawn by costs, with the base of errors that count 1."""

    def inner(self, closed: ByTable) -> Any:
        learner = super().inner(closed)
        learner.mechanism = ExponentialMechanism(learner.mechanism.epsilon)
        return learner


def costly() -> Plant:
    learner = CostsOfErrors(
        vocabulary_learner(EPSILON, DELTA).hypotheses, Budget(EPSILON, DELTA), cost=(3, 1)
    )
    found = replace(
        COSTLY,
        distribution=subject_of_learner(learner, by_sample(learner), COSTLY.pairs).distribution,
    )
    mistake = (CostsOfErrors.__doc__ or "").strip()
    return Plant("vocabulary_CostsOfErrors", mistake, is_private, COSTLY, found)


def broken(kind: type[VocabularyLearner[Any]]) -> Subject[Any]:
    learner = kind(vocabulary_learner(EPSILON, DELTA).hypotheses, Budget(EPSILON, DELTA))
    return replace(
        subject_of_learner(learner, by_sample(learner), HONEST.pairs),
        event=HONEST.event,
    )


def plant(kind: Any) -> Plant:
    mistake = (kind.__doc__ or "").strip()
    return Plant(f"vocabulary_{kind.__name__}", mistake, is_private, HONEST, broken(kind))


KINDS: Sequence[Any] = (AllOfEpsilonTwice, EveryValue, DeltaAsEpsilon, BestTree)
PLANTS = [*map(plant, KINDS), costly()]
