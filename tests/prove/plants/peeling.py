"""Mistakes in peeling: several rounds of the choosing mechanism."""

from __future__ import annotations

from collections.abc import Callable
from fractions import Fraction
from itertools import product
from typing import Any

from littlestone.classes import Subsets
from littlestone.data.sample import Sample
from littlestone.learn import ChoosingLearner
from littlestone.points import Integers
from littlestone.privacy import Budget
from littlestone.privacy.cost import PrivacyCost
from littlestone.privacy.event import Event
from littlestone.privacy.scores import Elements
from littlestone.prove.audit import Subject, neighbours
from littlestone.prove.audit.subjects.lists import peeling_subject
from littlestone.prove.audit.subjects.whole_learners import Records
from littlestone.rules import Hypothesis
from plants.harness import Claim, Plant, is_private

H = Subsets(Integers(), 2)
TARGET = Fraction(2), Fraction(1, 20)
Learner = ChoosingLearner[Any]
Masses = dict[Hypothesis[Any], Fraction]


class PaysOnce(Learner):
    """Several rounds are charged as one."""

    def __init__(self, *given: Any) -> None:
        super().__init__(*given)
        self.event: Event = self.mechanism


class DeltaOfOneRound(Learner):
    """Epsilons are added up, deltas are not."""

    def __init__(self, *given: Any) -> None:
        super().__init__(*given)
        cost: PrivacyCost = self.mechanism.cost()
        self.event: Event = Claim(self.rounds * cost.epsilon, cost.delta / 2)


class TriesAgain(Learner):
    """A round that releases nothing is drawn again, and not counted."""

    def _distribution(
        self, sample: Sample[Any], chosen: tuple[Hypothesis[Any], ...], rounds: int
    ) -> Masses:
        elements = self.covering.elements(sample)
        scores = (elements.positives - elements.negatives).tolist()
        chances = self.mechanism.chances(dict(enumerate(scores)))
        again = chances.pop(None)
        if not rounds or not chances:
            return {self.covering.union(chosen): Fraction(1)}
        total = Masses()
        for i, chance in chances.items():
            after = (*chosen, elements.element(i or 0))
            rest = self.left(sample, elements, i or 0)
            for h, p in self._distribution(rest, after, rounds - 1).items():
                total[h] = total.get(h, Fraction(0)) + chance / (1 - again) * p
        return total


class CleansUpIfWrong(Learner):
    """If the element covers a negative record, all records of single points are removed too."""

    def left(self, sample: Sample[Any], elements: Elements, i: int) -> Sample[Any]:
        rest = super().left(sample, elements, i)
        if not elements.negatives[i]:
            return rest
        return rest.with_counts([], rest.counts[:0])


class BestOfTheRest(Learner):
    """Only the first round is drawn; the second takes the best of what is left."""

    def _distribution(
        self, sample: Sample[Any], chosen: tuple[Hypothesis[Any], ...], rounds: int
    ) -> Masses:
        if rounds != 1:
            return super()._distribution(sample, chosen, rounds)
        elements = self.covering.elements(sample)
        scores = elements.positives - elements.negatives
        best = [elements.element(int(scores.argmax()))] if len(scores) else []
        return {self.covering.union((*chosen, *best)): Fraction(1)}


def _subject(kind: Callable[..., Learner]) -> Subject[Records]:
    learner = kind(H, Budget(TARGET[0], TARGET[1]))
    records: Records = tuple(product(range(3), (0, 1)))
    return peeling_subject(learner, neighbours(records, 3, ordered=False))


HONEST = _subject(ChoosingLearner)


def _plant(kind: type[Learner]) -> Plant:
    mistake = (kind.__doc__ or "").partition("\n")[0]
    return Plant(f"peeling_{kind.__name__}", mistake, is_private, HONEST, _subject(kind))


KINDS: list[type[Learner]] = [PaysOnce, DeltaOfOneRound, TriesAgain, CleansUpIfWrong, BestOfTheRest]
PLANTS = list(map(_plant, KINDS))
