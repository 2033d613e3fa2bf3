"""Mistakes in comparing with the constant 1: in partition selection, and in choosing."""

from __future__ import annotations

from dataclasses import dataclass, replace
from fractions import Fraction
from functools import cached_property
from typing import Any

import numpy as np

from littlestone.classes import Points
from littlestone.data.sample import Sample
from littlestone.learn import ChoosingLearner
from littlestone.points import Integers
from littlestone.privacy import Budget
from littlestone.privacy.mechanisms.partition_selection import RestSelection
from littlestone.privacy.scores import Elements
from littlestone.prove.audit import Subject, find_subject, neighbours
from littlestone.prove.audit.subjects.whole_learners import (
    RECORDS,
    Records,
    by_sample,
    crowd,
    subject_of_learner,
)
from littlestone.rules import FiniteSet
from plants.harness import Masses, Plant, is_private

BUDGET = Budget(1, Fraction(1, 1000))
SELECTION = find_subject("rest-selection").make(BUDGET.epsilon, BUDGET.delta)


@dataclass(frozen=True)
class DecidesForFree(RestSelection[str]):
    """Keys are released as if nothing were decided about the rest."""

    @property
    def upper(self) -> Fraction:
        return self.odds_factor


@dataclass(frozen=True)
class SteepOnBothSides(RestSelection[str]):
    """The chance that the rest is kept out falls as fast as that of a key."""

    @cached_property
    def slow(self) -> Fraction:
        return self.odds_factor

    @property
    def upper(self) -> Fraction:
        return RestSelection[str](self.budget).upper


@dataclass(frozen=True)
class AllIfMostArePositive(RestSelection[str]):
    """All keys are released if and only if the rest has more positives than negatives."""

    def chance_of_all(self, rest: int) -> Fraction:
        return Fraction(int(rest > 0))


def selected(kind: type[RestSelection[str]]) -> Subject[Any]:
    mechanism = kind(BUDGET)

    def law(records: Any) -> Masses:
        found = mechanism.distribution(records)
        return {"all" if keys is None else keys: mass for keys, mass in found.items()}

    return replace(SELECTION, distribution=law)


class OnlyIfCovered(ChoosingLearner[Any]):
    """The constant 1 is a candidate only if some record is positive."""

    def competing(self, sample: Sample[Any], rounds: int) -> Elements:
        found = super().competing(sample, rounds)
        kept = found.positives > 0
        return replace(found, positives=found.positives[kept], negatives=found.negatives[kept])


class WinsIfMostArePositive(ChoosingLearner[Any]):
    """The constant 1 is released if most records are positive, and does not compete otherwise."""

    def distribution(self, sample: Sample[Any]) -> Masses:
        negatives, positives = sample.counts.sum(axis=0).tolist()
        if positives > negatives:
            return {FiniteSet(self.hypotheses.domain, frozenset(), 1): Fraction(1)}
        return super().distribution(sample)


class CountsTwice(ChoosingLearner[Any]):
    """The constant 1 saves two for each positive record, to make up for its bad name."""

    def competing(self, sample: Sample[Any], rounds: int) -> Elements:
        found = super().competing(sample, rounds)
        last = np.arange(len(found.positives)) == len(found.positives) - 1
        return replace(found, positives=found.positives * (1 + last))


def chosen(kind: type[ChoosingLearner[Any]]) -> Subject[Records]:
    learner = kind(Points(Integers()), BUDGET)
    pairs = [*neighbours(RECORDS, 3, ordered=False), *crowd(learner.mechanism.bottom)]
    return subject_of_learner(learner, by_sample(learner), pairs)


def _plant(name: str, kind: type[Any], honest: Subject[Any], broken: Subject[Any]) -> Plant:
    mistake = (kind.__doc__ or "").partition("\n")[0]
    return Plant(f"{name}_{kind.__name__}", mistake, is_private, honest, broken)


SELECTIONS = (DecidesForFree, SteepOnBothSides, AllIfMostArePositive)
LEARNERS = (OnlyIfCovered, WinsIfMostArePositive, CountsTwice)
CHOOSING = chosen(ChoosingLearner)

PLANTS = [
    *(_plant("rest", kind, SELECTION, selected(kind)) for kind in SELECTIONS),
    *(_plant("constant", kind, CHOOSING, chosen(kind)) for kind in LEARNERS),
]
