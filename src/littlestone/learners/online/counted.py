"""What online learners share that draw whenever a noisy counter of mistakes hits."""

from __future__ import annotations

import random
from abc import abstractmethod
from collections.abc import Iterable
from typing import Any, Generic, TypeVar

from littlestone.hypotheses import Hypothesis
from littlestone.learners.online.base import (
    Journal,
    PrivateOnlineLearner,
    PrivateStream,
    foreign_entry,
)
from littlestone.privacy.ledger import Receipt
from littlestone.privacy.mechanisms.epoch import Epoch
from littlestone.privacy.mechanisms.one_sided_threshold import OneSidedThreshold


class CountedStream(PrivateStream[Any]):
    """A run in which a `OneSidedThreshold` counts mistakes, and each of its hits is a draw."""

    def __init__(
        self, learner: CountedLearner[Any], published: Hypothesis[Any], rng: random.Random
    ) -> None:
        super().__init__(published)
        self._horizon, self._rng, self._steps = learner.horizon, rng, 0
        self._epoch = self._no_hit()  # until one is drawn, or told

    @property
    def steps(self) -> int:
        return self._steps

    @property
    def over(self) -> bool:
        """Whether no draw is left: the hypothesis stays, and no record is looked at; public."""
        return False

    def _learn(self, x: Any, y: int) -> None:
        if self._steps == self._horizon:
            return
        self._steps += 1
        if not self.over:
            self._take(x, y, wrong=self._published(x) != y)
        self.go_to(self._steps)

    def go_to(self, step: int) -> None:
        step = min(step, self._horizon)
        while not self.over and self._epoch.due <= step:
            self._steps = max(self._steps, self._epoch.due)
            self._draw()
        self._steps = max(self._steps, step)

    def _no_hit(self) -> Epoch:
        return Epoch(0, 0, self._horizon + 1)

    def _due(self, due: int, first: int) -> bool:
        """Whether a journal may name ``due`` as the step of a hit, ``first`` or later, or as none."""
        return first <= due <= self._horizon + 1

    @abstractmethod
    def begin(self) -> None:
        """Draw what the first epoch needs."""

    @abstractmethod
    def restore(self, entry: object) -> None:
        """Go to the step of an entry of the journal.  Raises `ModelError` if it is none."""

    @abstractmethod
    def _take(self, x: Any, y: int, *, wrong: bool) -> None:
        """Keep what is needed of the record of this step; count it if it is a mistake."""

    @abstractmethod
    def _draw(self) -> None:
        """What a hit at this step leads to, up to the next epoch."""


Stream = TypeVar("Stream", bound=CountedStream)


class CountedLearner(PrivateOnlineLearner[Any], Generic[Stream]):
    """A learner whose runs are `CountedStream`s, of one kind."""

    counter: OneSidedThreshold

    @abstractmethod
    def stream(self, rng: random.Random, journal: Journal | None) -> Stream:
        """A run for which nothing is drawn yet."""

    def begin(self, receipt: Receipt, journal: Journal | None) -> Stream:
        # All at once: a run that goes on after a crash has no receipt any more.
        uses = [event for event, times in self.event.uses() for _ in range(times)]
        generators = [receipt.redeem(event) for event in uses]
        return self.resume([], generators[0], journal)

    def resume(
        self, entries: Iterable[list[Any]], rng: random.Random, journal: Journal | None
    ) -> Stream:
        stream, number = self.stream(rng, journal), 0
        for number, entry in enumerate(entries, start=1):
            # The first entry alone tells of what was drawn before any record.
            if (list(entry[:1]) == ["begin"]) != (number == 1):
                raise foreign_entry(self.method)
            stream.restore(entry)
        if number:
            stream.go_to(stream.steps)  # a draw that was due at the last step
        else:
            stream.begin()
        return stream
