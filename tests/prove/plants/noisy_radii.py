"""Mistakes where radii begin at a noisy number of errors; b0 and the rule are seen together."""

from __future__ import annotations

from dataclasses import dataclass, replace
from fractions import Fraction
from typing import Any

from littlestone.classes import Subsets
from littlestone.data.sample import Sample
from littlestone.learn import NoisyRadiiLearner
from littlestone.points import Integers
from littlestone.privacy import Budget
from littlestone.privacy.mechanisms.noisy_sums import LaplaceNoise, NoisySums, SumStep
from littlestone.prove.audit import Subject
from littlestone.prove.audit.subjects.reductions import pairs_with_errors
from littlestone.prove.audit.subjects.whole_learners import fits
from plants.harness import Plant, is_private

Learner = NoisyRadiiLearner[Any]
TARGET = Budget(1, Fraction(1, 10**6))


class StartWithoutNoise(NoisyRadiiLearner[Any]):
    """The radii begin at the least errors themselves."""

    def joint_law(self, sample: Sample[Any]) -> dict[tuple[int, Any], Fraction]:
        start = self.first_radius(self.hypotheses.least_errors(sample), sample.n)
        chances = self.mechanism.chances(self.scores_from(sample, start))
        return {(start, found): mass for found, mass in chances.items()}


@dataclass(frozen=True)
class LittleNoise(NoisySums):
    """Noise of half the scale."""

    def _noise(self, step: SumStep) -> LaplaceNoise:
        return LaplaceNoise(1 / (2 * self.epsilon))


class HalfOfTheNoise(NoisyRadiiLearner[Any]):
    """The noise of the start has half of its scale."""

    def __init__(self, *args: Any, **declared: Any) -> None:
        super().__init__(*args, **declared)
        self.start = LittleNoise(self.start.budget, self.start.steps)


class PaysForTheDrawAlone(NoisyRadiiLearner[Any]):
    """The draw has all of epsilon, and the start its part as well."""

    def __init__(self, *args: Any, **declared: Any) -> None:
        super().__init__(*args, **declared)
        self.mechanism = replace(self.mechanism, budget=TARGET)


def seen_together(kind: type[Learner]) -> Subject[Any]:
    learner = kind(Subsets(Integers(), 1), TARGET, lists=[3], beta=Fraction(1, 2))
    honest = NoisyRadiiLearner(Subsets(Integers(), 1), TARGET, lists=[3], beta=Fraction(1, 2))
    pairs = tuple(pairs_with_errors(honest))

    def law(data: Any) -> Any:
        return learner.joint_law(Sample.from_examples(Integers(), data))

    return Subject(honest.event, law, pairs, fits(honest), pairs[-1])


HONEST = seen_together(NoisyRadiiLearner)
PLANTS = [
    Plant(
        f"noisy_radii_{kind.__name__}",
        (kind.__doc__ or "").partition("\n")[0],
        is_private,
        HONEST,
        seen_together(kind),
    )
    for kind in (StartWithoutNoise, HalfOfTheNoise, PaysForTheDrawAlone)
]
