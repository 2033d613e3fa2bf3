"""The online learner of classes of Littlestone dimension 1: one mistake names the hypothesis."""

from __future__ import annotations

import random
from collections.abc import Iterable
from typing import Any

from littlestone.classes.base import HypothesisClass
from littlestone.errors import DeclarationError, ModelError
from littlestone.hypotheses import Hypothesis
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

Key = Hypothesis[Any]


class HistogramStream(PrivateStream[Any]):
    """A run of `HistogramLearner`."""

    def __init__(self, hypotheses: HypothesisClass[Any], session: KeySession[Key]) -> None:
        super().__init__(hypotheses.soa())
        self._hypotheses, self._session = hypotheses, session

    @property
    def steps(self) -> int:
        return self._session.steps

    def _learn(self, x: Any, y: int) -> None:
        wrong = not self._session.exhausted and self._published(x) != y
        selected = self._session.step(named_by(self._hypotheses, x, y) if wrong else None)
        self._take(self.steps, selected)

    def go_to(self, step: int) -> None:
        for at, selected in self._session.go_to(step):
            self._take(at, selected)

    def restore(self, step: int, key: Key, epoch: Epoch) -> None:
        """Go to the step of an entry of the journal, at which a hypothesis was named."""
        for at, selected in self._session.restore(step, key, epoch):
            self._take(at, selected)

    def _take(self, step: int, selected: frozenset[Key]) -> None:
        if (chosen := chosen_of(selected)) is not None:
            self._publish(chosen, step)


def named_by(H: HypothesisClass[Any], x: Any, y: int) -> Key | None:
    """The SOA of what agrees with the mistake (x, y); none if nothing does."""
    left = H.restrict(x, y)
    return None if left.is_empty() else left.soa()


def chosen_of(selected: frozenset[Key]) -> Key | None:
    """The first in an order of their forms, which one was named first being secret; none of none."""
    form = min((h.to_json() for h in selected), key=str, default=None)
    return None if form is None else Hypothesis.from_json(form)


class HistogramLearner(PrivateOnlineLearner[Any]):
    """Publish SOA_H, and a hypothesis once many mistakes name it; for LDim(H) <= 1.

    A record (x, y) that the published hypothesis mistakes names SOA of H|(x,y), which is the one
    function of that version space wherever SOA_H is wrong.  Names are selected by
    `ContinualKeySelection`, so all that is published is (epsilon, delta)-DP for every stream
    (docs/proofs/continual-key-selection.md, Theorem 1).

    This is what Golowich and Livni (GL21) do at dimension 1, where their trees have one level: many
    SOAs get a mistake each, and a sparse histogram under continual observation shows the function
    that many have in common.  Their histogram adds the noise of a binary tree, and asks for
    O(log(T / delta) log(T) / epsilon) mistakes; this one costs less and has a proved constant.  Their
    learner of dimension d, with 2^(2^O(d)) log T mistakes, is not here.

    Raises `DeclarationError` for LDim(H) > 1 and delta = 0, `EmptyClassError` and
    `InfiniteDimensionError`.

    >>> from littlestone.classes import Thresholds
    >>> learner = HistogramLearner(Thresholds.on(0, 1), Budget(1, "1e-6"), horizon=200_000)
    >>> learner.mistake_bound(0.05).mistakes
    50
    """

    method = "histogram"

    def __init__(self, hypotheses: HypothesisClass[Any], budget: Budget, *, horizon: int) -> None:
        super().__init__(hypotheses, horizon)
        hypotheses.require_learnable()
        if hypotheses.littlestone_dimension() > 1:
            raise DeclarationError(
                f"learn {hypotheses} online by the method {self.method}",
                found=f"its Littlestone dimension is {hypotheses.littlestone_dimension()}, so one "
                "mistake does not tell which hypothesis it is",
                fix="declare a class of dimension 1, or take another method",
            )
        self.mechanism: ContinualKeySelection[Key] = ContinualKeySelection.within(
            budget, horizon=horizon
        )

    @property
    def event(self) -> ContinualKeySelection[Key]:
        return self.mechanism

    def begin(self, receipt: Receipt, journal: Journal | None) -> HistogramStream:
        session = self.mechanism.start(receipt=receipt, journal=_told(journal))
        return HistogramStream(self.hypotheses, session)

    def resume(
        self, entries: Iterable[list[Any]], rng: random.Random, journal: Journal | None
    ) -> HistogramStream:
        session = KeySession(self.mechanism, rng, _told(journal))
        stream = HistogramStream(self.hypotheses, session)
        for entry in entries:
            match entry:
                case [int(step), dict(form), int(skips), int(count), int(due)] if (
                    stream.steps < step <= self.horizon
                    and skips >= 0 < count
                    and step <= due <= self.horizon + 1
                ):
                    stream.restore(step, _read(form), Epoch(skips, count, due))
                case _:
                    raise foreign_entry("histograms")
        return stream

    def mistake_bound(self, beta: float) -> MistakeBound | None:
        """As many mistakes as one name needs: docs/proofs/continual-key-selection.md, Theorem 5."""
        require_plan(0.5, beta)
        mistakes = 0 if self.hypotheses.is_single() else self.mechanism.enough(beta)
        source = "docs/proofs/continual-key-selection.md, Theorem 5"
        return MistakeBound(mistakes, beta, True, source)


def _read(form: dict[str, Any]) -> Key:
    try:
        return Hypothesis.from_json(form)
    except ModelError:
        raise foreign_entry("histograms") from None


def _told(journal: Journal | None) -> KeyJournal[Key] | None:
    if journal is None:
        return None
    return lambda step, key, epoch: journal(
        [step, key.to_json(), epoch.skips, epoch.count, epoch.due]
    )
