"""Learners that count a mistake as what it costs."""

from __future__ import annotations

from abc import abstractmethod
from typing import Self

from littlestone.classes.base import HypothesisClass
from littlestone.learn.base import PrivateLearner
from littlestone.learn.costs.mistakes import MistakeCosts
from littlestone.points import Point
from littlestone.privacy.budget import Budget


class WeighedLearner(PrivateLearner[Point]):
    """With ``cost`` = (a, b) it counts a missed positive as a errors and a false alarm as b."""

    @abstractmethod
    def __init__(
        self, hypotheses: HypothesisClass[Point], budget: Budget, *, cost: object = (1, 1)
    ) -> None:
        super().__init__(hypotheses, budget)
        self.mistakes = MistakeCosts.parse(cost)

    @classmethod
    def weighing(
        cls, hypotheses: HypothesisClass[Point], budget: Budget, mistakes: MistakeCosts
    ) -> Self:
        return cls(hypotheses, budget, cost=mistakes)
