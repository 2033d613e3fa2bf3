"""Mistakes in the learner of radii: in the draw, in the ends of the radii, and in the lists."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from fractions import Fraction
from functools import cached_property
from typing import Any

from littlestone.classes import FiniteClass, Subsets
from littlestone.data.sample import Sample
from littlestone.learn import RadiiLearner
from littlestone.learn.papers.radii_lists import CostedPoints, VersionNode, leaf_demands, lists
from littlestone.points import Integers
from littlestone.privacy import Budget
from littlestone.privacy.mechanisms.selection_from_lists import RadiiSelection
from littlestone.prove.audit import Subject, find_subject
from littlestone.prove.audit.subjects.reductions import pairs_of_points, two_points
from littlestone.prove.audit.subjects.whole_learners import by_sample, subject_of_learner
from plants.harness import Plant, is_private

Learner = RadiiLearner[Any]
TARGET = Budget(1, Fraction(1, 10**6))
HONEST = find_subject("radii-learner").make(TARGET.epsilon, TARGET.delta)


@dataclass(frozen=True)
class OneLower(RadiiSelection[Any]):
    """Bottom is at r^(B - 1)."""

    @cached_property
    def bottom(self) -> int:
        return super().bottom - 1


@dataclass(frozen=True)
class RunsMoveTogether(RadiiSelection[Any]):
    """r is e^(epsilon / 2) for several runs, as if all of them moved together."""

    @property
    def sensitivity(self) -> int:
        return 1


@dataclass(frozen=True)
class OneRadiusAtATime(RadiiSelection[Any]):
    """What a record alone brings is taken to score 1, because it moves an end by one radius."""

    @property
    def heaviest(self) -> int:
        return 1


class CountsToTheLastRadius(RadiiLearner[Any]):
    """A rule scores M + 1 less its first radius, also where a larger dimension takes over."""

    def scores_of_lists(self, sample: Sample[Any], start: int = 0) -> dict[Any, int]:
        found = super().scores_of_lists(sample, start)
        ends = {t: i for i, (t, _) in enumerate(self.lists_of_sample(sample))}
        return {(t, h): v + self.radii - 1 - ends[t] for (t, h), v in found.items()}


class LongLists(RadiiLearner[Any]):
    """Lists of any length count."""

    def lists_of_sample(
        self, sample: Sample[Any], start: int = 0
    ) -> Iterator[tuple[int, list[Any]]]:
        yield from lists(self.hypotheses, sample, self.radii, (100, 100))


class OneDemand(RadiiLearner[Any]):
    """Leaves are as irreducible at the last radius as at the first."""

    def lists_of_sample(
        self, sample: Sample[Any], start: int = 0
    ) -> Iterator[tuple[int, list[Any]]]:
        seen, demands = CostedPoints(sample), leaf_demands(4, 1)
        root = VersionNode(self.hypotheses, seen.unavoidable)
        for radius in range(self.radii):
            leaves = list(root.leaves(seen, demands, 0, radius))
            if any(leaf.dimension == 1 for leaf in leaves):
                return
            if leaves and len(leaves) <= self.lists[0]:
                yield 0, [leaf.rule for leaf in leaves]


TWELVE = FiniteClass.from_array([[0] * 12, *([int(x == j) for x in range(12)] for j in range(12))])


def on_twelve(kind: type[Learner]) -> Subject[Any]:
    """Singletons and none of twelve points: four positive points leave eight, and three leave nine."""
    learner = kind(TWELVE, TARGET, lists=[13])
    *three, x, last = TWELVE.domain.examples(5)
    same = (*((point, 1) for point in three), *((last, 0),) * learner.radii)
    return subject_of_learner(learner, by_sample(learner), [((*same, (x, 1)), (*same, (x, 0)))])


def on_many_points(kind: type[Learner]) -> Subject[Any]:
    """Sets of two of twelve points with a record each, of which each errs once less than a point."""
    learner = kind(Subsets(Integers(), 2), TARGET)
    many = tuple((x, 1) for x in range(11))
    rest = ((20, 0),) * (learner.radii - 12)
    return subject_of_learner(
        learner, by_sample(learner), [((*many, *rest, (11, 1)), (*many, *rest, (20, 0)))]
    )


def with_mechanism(kind: type[RadiiSelection[Any]], runs: int) -> Subject[Any]:
    if runs == 1:
        learner: Learner = RadiiLearner(Subsets(Integers(), 1), TARGET)
    else:
        learner = two_points(TARGET)
    pairs = pairs_of_points(learner)
    learner.mechanism = kind(TARGET, runs)
    return subject_of_learner(learner, by_sample(learner), pairs)


def to_the_last_radius() -> Subject[Any]:
    learner = CountsToTheLastRadius(Subsets(Integers(), 2), TARGET)
    return subject_of_learner(learner, by_sample(learner), pairs_of_points(learner))


def _plant(kind: type[Any], honest: Subject[Any], broken: Subject[Any]) -> Plant:
    mistake = (kind.__doc__ or "").partition("\n")[0]
    return Plant(f"radii_{kind.__name__}", mistake, is_private, honest, broken)


ONE = with_mechanism(RadiiSelection, 1)

PLANTS = [
    _plant(OneLower, ONE, with_mechanism(OneLower, 1)),
    _plant(OneRadiusAtATime, ONE, with_mechanism(OneRadiusAtATime, 1)),
    _plant(RunsMoveTogether, HONEST, with_mechanism(RunsMoveTogether, 2)),
    _plant(CountsToTheLastRadius, HONEST, to_the_last_radius()),
    _plant(LongLists, on_many_points(RadiiLearner), on_many_points(LongLists)),
    _plant(OneDemand, on_twelve(RadiiLearner), on_twelve(OneDemand)),
]
