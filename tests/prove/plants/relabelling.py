"""Mistakes in relabelling a secret sample, with the learners that show them best."""

from __future__ import annotations

from collections import Counter
from fractions import Fraction
from itertools import product
from typing import Any

from littlestone.classes import FiniteClass
from littlestone.data.sample import Sample
from littlestone.learn import AgnosticLearner, RelabellingLearner
from littlestone.learn.papers.agnostic import AgnosticTransformation
from littlestone.learn.papers.patterns import fewest_errors, relax
from littlestone.privacy.accounting.subsampled import OwnLabels
from littlestone.privacy.mechanisms.exponential import ExponentialMechanism
from littlestone.prove.audit import Subject
from littlestone.prove.audit.subjects.reductions import (
    Masses,
    law_of_relabelling,
    multiset,
    sample_of,
    samples_of_size,
)
from littlestone.prove.audit.subjects.whole_learners import Records
from littlestone.prove.papers.boosting import (
    BEHIND,
    FAR,
    FEW,
    SHARP,
    TWO,
    Law,
    Stage,
    at,
    move_record,
)
from plants.harness import Plant, is_private, toy


def subject(
    stage: Stage, kind: type[AgnosticTransformation[Any]], law: Law = law_of_relabelling
) -> Subject[Any]:
    """The whole of it, by an exact law of the relabelled sample."""
    return toy(stage.law_of_answers(kind, law), [stage.pair], stage.claim.epsilon)


ONE_OF_MANY = Stage(
    TWO,
    OwnLabels(ExponentialMechanism(Fraction(2)), share=1000),
    Fraction(3),
    move_record(((0, 0),) * 500 + ((0, 1),) * 499, (0, 1), (0, 0)),
    at(((0, 1),)),
)
EIGHTH = Stage(
    FiniteClass.from_array([[0, 0]]),
    OwnLabels(ExponentialMechanism(Fraction(1, 10)), share=8),
    Fraction(4),
    move_record(((0, 0),) * 7, (0, 0), (1, 0)),
    at(((0, 0),) * 8),
)


def squared(given: list[tuple[Fraction, Sample[Any]]]) -> list[tuple[Fraction, Sample[Any]]]:
    """The law with the squares of the weights."""
    total = sum((p * p for p, _ in given), Fraction(0))
    return [(p * p / total, found) for p, found in given]


class NotHalved(AgnosticLearner[Any]):
    """The base of the weights is e^eta."""

    def laws(self, chosen: Sample[Any], others: Sample[Any]) -> list[tuple[Fraction, Sample[Any]]]:
        return squared(super().laws(chosen, others))


class WeightForgotten(AgnosticLearner[Any]):
    """A label of T weighs as W to T, and 1 is claimed."""

    def score_patterns(self, sample: Sample[Any], labels: Any, spaces: Any, others: Any) -> Any:
        often = sample.negatives + sample.positives
        return relax(labels, often, fewest_errors(spaces, others), others.n // sample.n)


class OthersIncludeTheSample(AgnosticLearner[Any]):
    """W holds all records."""

    def score_patterns(self, sample: Sample[Any], labels: Any, spaces: Any, others: Any) -> Any:
        all_of_them = sample_of(self, multiset(sample) + multiset(others))
        return super().score_patterns(sample, labels, spaces, all_of_them)


class CountedOnce(RelabellingLearner[Any]):
    """The base of the weights is e^eta."""

    def laws(self, chosen: Sample[Any], others: Sample[Any]) -> list[tuple[Fraction, Sample[Any]]]:
        return squared(super().laws(chosen, others))


def before_sampling(learner: AgnosticTransformation[Any], records: Records) -> Masses:
    """All records are relabelled by the choice, and the sample is drawn after."""
    everything, masses = sample_of(learner, Counter(records)), Masses()
    for mass, found in learner.laws(everything, sample_of(learner, Counter())):
        for chosen, p in samples_of_size(multiset(found), learner.part_size(len(records))):
            key = frozenset((+chosen).items())
            masses[key] = masses.get(key, Fraction(0)) + p * mass
    return masses


def poisson(learner: AgnosticTransformation[Any], records: Records) -> Masses:
    """Each record is in T by a coin of its own."""
    rate, masses = Fraction(1, learner.relabelling.share), Masses()
    for coins in product((0, 1), repeat=len(records)):
        k = sum(coins)
        chance = rate**k * (1 - rate) ** (len(records) - k)
        parts = [Counter(r for r, c in zip(records, coins, strict=True) if c == i) for i in (1, 0)]
        for mass, found in learner.laws(*(sample_of(learner, part) for part in parts)):
            key = frozenset(multiset(found).items())
            masses[key] = masses.get(key, Fraction(0)) + chance * mass
    return masses


PLANTS = [
    Plant("relabelling_eta_not_halved", "The base of the weights is e^eta.", is_private,
          subject(FEW, AgnosticLearner), subject(FEW, NotHalved)),
    Plant("relabelling_own_eta_not_halved", "The same, by the sample's own labels.", is_private,
          subject(SHARP, RelabellingLearner), subject(SHARP, CountedOnce)),
    Plant("relabelling_weight_forgotten", "A label of T weighs as W to T, and 1 is claimed.",
          is_private, subject(FAR, AgnosticLearner), subject(FAR, WeightForgotten)),
    Plant("relabelling_others_include_the_sample", "W holds T as well.", is_private,
          subject(BEHIND, AgnosticLearner), subject(BEHIND, OthersIncludeTheSample)),
    Plant("relabelling_before_sampling", "All records are relabelled, and T is drawn after.",
          is_private, subject(ONE_OF_MANY, RelabellingLearner),
          subject(ONE_OF_MANY, RelabellingLearner, before_sampling)),
    Plant("relabelling_poisson", "T is drawn by coins, and its size is shown.", is_private,
          subject(EIGHTH, RelabellingLearner), subject(EIGHTH, RelabellingLearner, poisson)),
]  # fmt: skip
