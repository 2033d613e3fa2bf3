"""The online learner of finite sets: each point is published soon after it is often mistaken."""

from __future__ import annotations

import random
from collections.abc import Iterable
from itertools import islice
from typing import Any

import numpy as np

from littlestone.classes.base import HypothesisClass
from littlestone.classes.covering import PointCovering
from littlestone.domains import Domain
from littlestone.errors import DeclarationError
from littlestone.hypotheses import FiniteSet
from littlestone.learners.base import require_plan
from littlestone.learners.online.base import (
    Journal,
    MistakeBound,
    PrivateOnlineLearner,
    PrivateStream,
    foreign_entry,
)
from littlestone.privacy.budget import Budget
from littlestone.privacy.ledger import Receipt
from littlestone.privacy.mechanisms.continual_key_selection import (
    ContinualKeySelection,
    KeyJournal,
    KeySession,
)
from littlestone.privacy.mechanisms.epoch import Epoch


class KeyStream(PrivateStream[Any]):
    """A run of `KeyLearner`."""

    def __init__(self, empty: FiniteSet, session: KeySession[Any]) -> None:
        super().__init__(empty)
        self._empty, self._session = empty, session
        self._members: frozenset[Any] = frozenset()

    @property
    def steps(self) -> int:
        return self._session.steps

    def _learn(self, x: Any, y: int) -> None:
        if selected := self._session.step(x if (x in self._members) != y else None):
            self._toggle(self.steps, selected)

    def restore(self, entry: list[Any]) -> None:
        """Go to the step of an entry of the journal, at which a point was named."""
        step, x, skips, count, due = entry
        for at, selected in self._session.restore(step, x, Epoch(skips, count, due)):
            self._toggle(at, selected)

    def go_to(self, step: int) -> None:
        for at, selected in self._session.go_to(step):
            self._toggle(at, selected)

    def _toggle(self, step: int, selected: frozenset[Any]) -> None:
        self._members ^= selected
        self._publish(FiniteSet(self._empty.domain, self._members), step)


class KeyLearner(PrivateOnlineLearner[Any]):
    """Publish a set S of points, beginning with none; a selected point enters S, or leaves it.

    A record (x, y) with 1[x in S] != y names the key x, others name none, and keys are selected by
    `ContinualKeySelection`.  (epsilon, delta)-DP for every stream, because what is selected is
    all that is published: docs/proofs/continual-key-selection.md, Theorem 1.

    The set may have more points than those of the class, if more are positive often; a point that is
    often negative afterwards leaves it again.  Constant time a step, 0.1 ms a mistake.
    Raises `DeclarationError` for other classes and delta = 0.

    >>> from littlestone.classes import Subsets
    >>> from littlestone.domains import Strings
    >>> H = Subsets(Strings("merchant"), 3)
    >>> learner = KeyLearner(H, Budget(1, "1e-6"), horizon=200_000)
    >>> round(learner.expected_mistakes, 1), learner.mistake_bound(0.05).mistakes
    (109.9, 131)
    """

    method = "keys"

    def __init__(self, hypotheses: HypothesisClass[Any], budget: Budget, *, horizon: int) -> None:
        super().__init__(hypotheses, horizon)
        if not isinstance(hypotheses, PointCovering):
            raise DeclarationError(
                f"learn {hypotheses} online by the method {self.method}",
                found="it is no class of finite sets of points",
                fix="declare points or subsets of a column, or take another method",
            )
        self.hypotheses: PointCovering = hypotheses
        self.mechanism: ContinualKeySelection[Any] = ContinualKeySelection.within(
            budget, horizon=horizon
        )

    @property
    def event(self) -> ContinualKeySelection[Any]:
        return self.mechanism

    def begin(self, receipt: Receipt, journal: Journal | None) -> KeyStream:
        told = _told(journal, self.hypotheses.domain)
        return self._stream(self.mechanism.start(receipt=receipt, journal=told))

    def resume(
        self, entries: Iterable[list[Any]], rng: random.Random, journal: Journal | None
    ) -> KeyStream:
        stream = self._stream(
            KeySession(self.mechanism, rng, _told(journal, self.hypotheses.domain))
        )
        for entry in entries:
            stream.restore(_checked(entry, self.hypotheses.domain, stream.steps, self.horizon))
        return stream

    def _stream(self, session: KeySession[Any]) -> KeyStream:
        return KeyStream(FiniteSet(self.hypotheses.domain, frozenset()), session)

    @property
    def expected_mistakes(self) -> float:
        """The most mistakes, expected, on a realizable sequence of an adaptive adversary."""
        return self.hypotheses.parts * self.mechanism.expected_records

    def measured_mistakes(self) -> int:
        """The most that are expected, which is proved."""
        return round(self.expected_mistakes)

    def mistake_bound(self, beta: float) -> MistakeBound | None:
        """The least M such that d independent keys take more than M records with probability beta.

        For sets of at most d points.  docs/proofs/continual-key-selection.md, Theorem 4.
        """
        require_plan(0.5, beta)
        d = self.hypotheses.parts
        # Keys that take more records than `most` are counted as if they never were selected.
        most = self.mechanism.enough(beta / (1000 * max(d, 1)))
        missed = np.fromiter(islice(self.mechanism.missed(), most + 1), float)
        total, one = np.ones(1), np.append(0.0, missed[:-1] - missed[1:])
        for _ in range(d):
            total = np.convolve(total, one)
        # The margin covers the rounding of sums of a few thousand numbers.
        mistakes = int(np.argmax(1 - np.cumsum(total) + 1e-9 <= beta))
        source = "docs/proofs/continual-key-selection.md, Theorem 4"
        return MistakeBound(mistakes, beta, True, source)


def _told(journal: Journal | None, domain: Domain[Any]) -> KeyJournal[Any] | None:
    if journal is None:
        return None
    return lambda step, key, epoch: journal(
        [step, domain.point_to_json(key), epoch.skips, epoch.count, epoch.due]
    )


def _checked(entry: object, domain: Domain[Any], steps: int, horizon: int) -> list[Any]:
    match entry:
        case [int(step), x, int(skips), int(count), int(due)] if (
            steps < step <= horizon
            and (x := domain.point_from_json(x)) is not None
            and skips >= 0 < count
            and step <= due <= horizon + 1
        ):
            return [step, x, skips, count, due]
    raise foreign_entry("points")
