"""Mistakes in the online learners of experts and of named hypotheses, by their own code."""

from __future__ import annotations

from collections.abc import Sequence
from fractions import Fraction
from functools import cache, partial
from itertools import pairwise
from typing import Any

from littlestone.audit import Subject, neighbours
from littlestone.audit.subjects.experts import of_experts
from littlestone.audit.subjects.online import of_keys
from littlestone.classes import FiniteClass, Thresholds
from littlestone.hypotheses import Hypothesis
from littlestone.learners.online import KeyLearner, PrivateExperts
from littlestone.privacy import Budget
from littlestone.privacy.mechanisms.exponential import ExponentialMechanism
from littlestone.privacy.mechanisms.one_sided_threshold import OneSidedThreshold
from littlestone.privacy.rational import log_above
from plants.harness import Masses, Plant, is_private, toy

TINY = FiniteClass.from_array([[0, 0], [1, 0], [1, 1]], points=["a", "b"])
THREE = tuple(neighbours([("a", 0), ("a", 1), ("b", 1)], 3))


class Counter(OneSidedThreshold):
    """With r = 2."""

    shrink = Fraction(1, 2)


class OnlyAtMistakes(Counter):
    """Steps without a mistake are no tests."""

    def _first_hit(self, gaps: Sequence[int]) -> Fraction:
        moves = list(pairwise([self.threshold, *gaps]))
        if moves[-1][0] == moves[-1][1]:
            return Fraction(0)
        return super()._first_hit([after for before, after in moves if after != before])


class Draw(ExponentialMechanism):
    """With r = 2."""

    base = Fraction(2)


class CountsTwice(Draw):
    """An error weighs 2."""

    base = Fraction(4)


class Learner(PrivateExperts):
    """All ratios are powers of 2."""

    def __init__(
        self,
        draws: int = 1,
        *,
        counter: type[Counter] = Counter,
        mechanism: type[ExponentialMechanism] = Draw,
    ) -> None:
        super().__init__(TINY, Budget(1, "0.1"), horizon=3, draws=draws)
        self.counter = counter(epsilon=Fraction(1), threshold=1, horizon=3)
        self.mechanism = mechanism(Fraction(1))

    @cache  # noqa: B019
    def canonical(self, index: int) -> Hypothesis[Any]:
        return super().canonical(index)


def process(learner: Learner, paid: int = 1) -> Subject[Any]:
    """All that is seen of streams of three records; ``paid`` draws are paid for."""
    claim = log_above(Fraction(2 * 4**paid)) + Fraction(1, 10**15)
    return toy(cache(partial(of_experts, learner)), THREE, claim)


NAMES = KeyLearner(Thresholds.on(0, 1), Budget(5, "0.001"), horizon=3)


def functions(law: Any) -> Subject[Any]:
    """All that is seen of streams of three records of three thresholds."""
    cost = NAMES.cost()
    pairs = neighbours(((0, 0), (0, 1), (1, 1)), 3)
    return toy(cache(law), pairs, cost.epsilon, cost.delta)


def by_the_past(records: Any) -> Masses:
    """A mistake names what agrees with all records so far, as far as anything does."""

    def named(t: int) -> Any:
        V = NAMES.hypotheses
        for record in records[: t + 1]:
            left = V.restrict(*record)
            V = V if left.is_empty() else left
        return V.soa()

    return of_keys(NAMES, records, named)


HONEST = process(Learner())

PLANTS = [
    Plant("experts_OnlyAtMistakes", "There is a draw only at a step with a mistake.",
          is_private, HONEST, process(Learner(counter=OnlyAtMistakes))),
    Plant("experts_CountsTwice", "An error weighs 2 in the draws.",
          is_private, HONEST, process(Learner(mechanism=CountsTwice))),
    Plant("experts_one_draw_too_many", "There is one draw more than was paid for.",
          is_private, HONEST, process(Learner(2))),
    Plant("keys_by_the_past", "A mistake names what agrees with all records so far.",
          is_private, functions(partial(of_keys, NAMES)), functions(by_the_past)),
]  # fmt: skip
