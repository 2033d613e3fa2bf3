"""The common part of online learners that draw each time a noisy counter of mistakes hits."""

from __future__ import annotations

from typing import Any

from littlestone.learn.stream.base import PrivateOnlineLearner, PrivateStream
from littlestone.privacy.mechanisms.streams.epoch import Epoch
from littlestone.privacy.mechanisms.thresholds.one_sided_threshold import OneSidedThreshold
from littlestone.privacy.tape import Tape
from littlestone.rules import Hypothesis


class CountedStream(PrivateStream[Any]):
    """A run in which a `OneSidedThreshold` counts mistakes, and each of its hits is a draw."""

    def __init__(self, learner: CountedLearner, published: Hypothesis[Any], tape: Tape) -> None:
        super().__init__(published, learner.horizon, tape)
        self._epoch = self._no_hit()  # until one is drawn

    @property
    def _due(self) -> int:
        return self._epoch.due

    def _no_hit(self) -> Epoch:
        return Epoch(0, 0, self._horizon + 1)


class CountedLearner(PrivateOnlineLearner[Any]):
    """A learner whose runs are `CountedStream`s."""

    counter: OneSidedThreshold


def is_form(value: object) -> bool:
    """Whether a drawn value is the form of a hypothesis, or None because the draw found nothing."""
    return value is None or isinstance(value, dict)
