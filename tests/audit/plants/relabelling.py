"""Mistakes in relabelling a secret sample, with the realizable learner that shows them best.

It releases one of two answers, the rarer one with probability e^(-epsilon distance) / 2, where the
distance is the number of records in which the relabelled sample differs from a fixed one.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Hashable
from dataclasses import dataclass
from fractions import Fraction
from itertools import product
from typing import Any

from littlestone.audit import Subject
from littlestone.audit.subjects.exponential_learner import Records
from littlestone.audit.subjects.relabelling import (
    CLASS,
    Masses,
    drawn,
    multiset,
    relabelled,
    sample_of,
)
from littlestone.classes import FiniteClass
from littlestone.learners import AgnosticLearner, ExponentialLearner, RelabellingLearner
from littlestone.learners.agnostic.base import AgnosticTransformation
from littlestone.learners.agnostic.patterns import fewest, relaxed
from littlestone.privacy import Budget
from littlestone.privacy.accounting.relabelled import OtherLabels, OwnLabels, Relabelling
from littlestone.privacy.cost import PrivacyCost
from littlestone.privacy.mechanisms.scores.exponential import ExponentialMechanism
from littlestone.privacy.rational import exp_below
from littlestone.sample import Sample
from plants.harness import Claim, Plant, is_private, toy

Law = Callable[[AgnosticTransformation[Any], Records], Masses]


@dataclass(frozen=True)
class Stage:
    """Two neighbours, what is claimed of the relabelling, and the sample that the learner looks for."""

    H: FiniteClass
    relabelling: Relabelling
    inner: Fraction
    pair: tuple[Records, Records]
    sought: Records

    def subject(
        self, kind: type[AgnosticTransformation[Any]], law: Law = relabelled
    ) -> Subject[Any]:
        """The whole of it, by an exact law of the relabelled sample."""
        claim = self.relabelling.cost(PrivacyCost(self.inner))
        learner = kind(
            self.H,
            Budget(claim.epsilon),
            relabelling=self.relabelling,
            realizable=lambda budget: ExponentialLearner(self.H, Budget(self.inner)),
        )
        base, sought = exp_below(self.inner, bits=64), Counter(self.sought)

        def distribution(records: Records) -> Masses:
            masses = Masses()
            for found, p in law(learner, records).items():
                have: Counter[Any] = Counter(dict(found))  # type: ignore[call-overload]
                shown = base ** -((have - sought).total()) / 2
                for answer, mass in ((True, p * shown), (False, p * (1 - shown))):
                    key: Hashable = (have.total(), answer)  # the number of records is public
                    masses[key] = masses.get(key, Fraction(0)) + mass
            return masses

        found = toy(distribution, [self.pair], claim.epsilon)
        return Subject(Claim(claim.epsilon), distribution, found.pairs, found.runs, found.large)


def at(records: tuple[tuple[int, int], ...]) -> Records:
    """The records at the points of these numbers."""
    return tuple((f"x{i}", y) for i, y in records)


def moved(
    rest: tuple[tuple[int, int], ...], one: tuple[int, int], other: tuple[int, int]
) -> tuple[Records, Records]:
    return at((*rest, one)), at((*rest, other))


# One record of very many is relabelled: nearly all that moves is what the others say of it.
TWO = FiniteClass.from_array([[0], [1]])
FEW = Stage(
    TWO,
    OtherLabels(ExponentialMechanism(Fraction(1)), share=200_000, weight=4),
    Fraction(5),
    moved(((0, 0),) * 100_001 + ((0, 1),) * 99_998, (0, 1), (0, 0)),
    at(((0, 1),)),
)
ONE_OF_MANY = Stage(
    TWO,
    OwnLabels(ExponentialMechanism(Fraction(2)), share=1000),
    Fraction(3),
    moved(((0, 0),) * 500 + ((0, 1),) * 499, (0, 1), (0, 0)),
    at(((0, 1),)),
)
# Two patterns, each of which gains an extension that is right where the other loses one.
SHARP = Stage(
    CLASS,
    OwnLabels(ExponentialMechanism(Fraction(4)), share=1),
    Fraction(8),
    moved(((0, 0), (1, 0)), (2, 0), (3, 1)),
    at(((0, 1), (1, 1), (2, 0))),
)
EIGHTH = Stage(
    FiniteClass.from_array([[0, 0]]),
    OwnLabels(ExponentialMechanism(Fraction(1, 10)), share=8),
    Fraction(4),
    moved(((0, 0),) * 7, (0, 0), (1, 0)),
    at(((0, 0),) * 8),
)
# The points are u, x, x', z.  The second hypothesis labels u as no other does; at x it agrees with
# the first one, which is far better, and at x' and z it does not.
FAR = Stage(
    FiniteClass.from_array([[0, 0, 0, 0], [1, 0, 1, 1]]),
    OtherLabels(ExponentialMechanism(Fraction(8)), share=5, weight=1),
    Fraction(32),
    moved((*((3, 0),) * 8, (0, 0)), (1, 0), (2, 0)),
    at(((0, 1), (1, 0))),
)
# The points are four u, x, x', z: the third hypothesis alone labels all u by 1; the second one
# stands behind it, and is better than the first at x and worse at x'.
BEHIND = Stage(
    FiniteClass.from_array([[0, 0, 0, 0, 0, 0, 0], [1, 1, 1, 0, 1, 1, 0], [1, 1, 1, 1, 1, 0, 1]]),
    OtherLabels(ExponentialMechanism(Fraction(12)), share=2, weight=1),
    Fraction(24),
    moved(((0, 1), (1, 0), (2, 0), (3, 0), *((6, 0),) * 5), (4, 1), (5, 0)),
    at(((0, 1), (1, 1), (2, 1), (3, 1), (4, 1))),
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

    def scores(self, sample: Sample[Any], labels: Any, spaces: Any, others: Any) -> Any:
        often = sample.negatives + sample.positives
        return relaxed(labels, often, fewest(spaces, others), others.n // sample.n)


class OthersIncludeTheSample(AgnosticLearner[Any]):
    """W holds all records."""

    def scores(self, sample: Sample[Any], labels: Any, spaces: Any, others: Any) -> Any:
        all_of_them = sample_of(self, multiset(sample) + multiset(others))
        return super().scores(sample, labels, spaces, all_of_them)


class CountedOnce(RelabellingLearner[Any]):
    """The base of the weights is e^eta."""

    def laws(self, chosen: Sample[Any], others: Sample[Any]) -> list[tuple[Fraction, Sample[Any]]]:
        return squared(super().laws(chosen, others))


def before_sampling(learner: AgnosticTransformation[Any], records: Records) -> Masses:
    """All records are relabelled by the choice, and the sample is drawn after."""
    everything, masses = sample_of(learner, Counter(records)), Masses()
    for mass, found in learner.laws(everything, sample_of(learner, Counter())):
        for chosen, p in drawn(multiset(found), learner.size(len(records))):
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
          FEW.subject(AgnosticLearner), FEW.subject(NotHalved)),
    Plant("relabelling_own_eta_not_halved", "The same, by the sample's own labels.", is_private,
          SHARP.subject(RelabellingLearner), SHARP.subject(CountedOnce)),
    Plant("relabelling_weight_forgotten", "A label of T weighs as W to T, and 1 is claimed.",
          is_private, FAR.subject(AgnosticLearner), FAR.subject(WeightForgotten)),
    Plant("relabelling_others_include_the_sample", "W holds T as well.", is_private,
          BEHIND.subject(AgnosticLearner), BEHIND.subject(OthersIncludeTheSample)),
    Plant("relabelling_before_sampling", "All records are relabelled, and T is drawn after.",
          is_private, ONE_OF_MANY.subject(RelabellingLearner),
          ONE_OF_MANY.subject(RelabellingLearner, before_sampling)),
    Plant("relabelling_poisson", "T is drawn by coins, and its size is shown.", is_private,
          EIGHTH.subject(RelabellingLearner), EIGHTH.subject(RelabellingLearner, poisson)),
]  # fmt: skip
