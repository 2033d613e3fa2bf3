"""The one interface of a private online learner, and explicit mistake bounds."""

from __future__ import annotations

import random
from abc import ABC, abstractmethod
from collections.abc import Iterable
from dataclasses import dataclass
from fractions import Fraction
from typing import Any, ClassVar, Generic, final

from littlestone.base.errors import DeclarationError
from littlestone.classes.base import HypothesisClass, require_two_labels
from littlestone.learn.base import unfit
from littlestone.learn.stream.private_stream import PrivateStream
from littlestone.points import Point
from littlestone.points.units import Unit
from littlestone.privacy.accounting.composed import Composition
from littlestone.privacy.accounting.groups import for_unit
from littlestone.privacy.cost import exact_chance
from littlestone.privacy.event import Event, WithCost
from littlestone.privacy.ledger import Ledger, Receipt
from littlestone.privacy.mechanisms.competition import Epoch
from littlestone.privacy.mechanisms.threshold_tests import OneSidedThreshold
from littlestone.privacy.parameters import require_horizon
from littlestone.privacy.tape import Keep, Tape
from littlestone.rules import Hypothesis
from littlestone.rules.base import hypothesis_kinds


@dataclass(frozen=True)
class MistakeBound:
    """Proved: at most ``mistakes`` mistakes on every realizable sequence, with probability 1 - beta.

    An ``adaptive`` adversary sees all published hypotheses; any other fixes its sequence beforehand.
    ``source`` names where the proof is.
    """

    mistakes: int
    beta: float
    source: str
    adaptive: bool = True


def exact_doubt(doubt: object) -> Fraction:
    """The probability of a wrong selection that a learner may have, as an exact number.

    Raises `DeclarationError` unless 0 < ``doubt`` < 1.

    >>> exact_doubt("0.05")
    Fraction(1, 20)
    """
    return exact_chance(
        doubt,
        what="doubt",
        asked="learn online with doubt",
        fix="give a small probability, such as 0.025",
    )


class PrivateOnlineLearner(WithCost, ABC, Generic[Point]):
    """A private online learner: its guarantee holds for every stream, realizable or not.

    A run of up to ``horizon`` records has one price.  Two streams of ``horizon`` steps are neighbours
    if they differ in one record.
    """

    method: ClassVar[str]
    """The name by which the command line asks for it."""

    oblivious: ClassVar[bool] = False
    """Whether it may err at every step if records are chosen with knowledge of what is published.

    Then its numbers of mistakes are for an oblivious adversary, who fixes the stream beforehand.
    Privacy does not depend on this.
    """

    baseline: ClassVar[bool] = False
    """Whether it exists for comparison, and is used only if its name is given."""

    fallback: ClassVar[bool] = False
    """Whether ``auto`` takes it only if no other method applies."""

    def __init__(self, hypotheses: HypothesisClass[Point], horizon: int) -> None:
        require_horizon(horizon)
        require_two_labels(hypotheses, "learn online")
        self.hypotheses = hypotheses
        self.horizon = horizon

    def unfit(self, *, found: str, declare: str) -> DeclarationError:
        """The error of a class that this method does not learn; see `learn.base.unfit`."""
        return unfit(self.hypotheses, self.method, found=found, declare=declare, online=True)

    @abstractmethod
    def stream(self, tape: Tape) -> PrivateStream[Any]:
        """A run for which nothing is drawn yet."""

    def mistake_bound(self, beta: float) -> MistakeBound | None:
        """The number of mistakes on a realizable sequence; None if nothing is proved."""
        return None

    def measured_mistakes(self) -> int | None:
        """The approximate mean number of mistakes on the worst of the simulated realizable streams.

        Calibrated by ``python -m benchmarks.mistakes``; no bound.  None if nothing is measured.
        """
        return None

    @property
    def declared_sizes(self) -> str:
        """All sizes that a run must keep when it resumes after a crash."""
        return str(self.event)

    def start(
        self,
        *,
        ledger: Ledger,
        dataset: str,
        label: str = "label is 1",
        rng: random.Random | None = None,
    ) -> PrivateStream[Any]:
        """Spend `cost` on ``dataset`` in the ledger, once, then begin the run.

        ``rng`` is the system's cryptographic generator by default; with a seeded one the run is a
        simulation and not private.  Use `durable_run` for a run that can resume after a crash.
        Raises `BudgetExceededError` or `LedgerError`.
        """
        return self.begin(self.pay(ledger, dataset, label, rng))

    def event_for(self, unit: Unit | None) -> Event:
        """`event`, or with a ``unit`` what it costs one unit, of whose records ``unit.most`` count."""
        return for_unit(self.event, unit)

    def pay(
        self,
        ledger: Ledger,
        dataset: str,
        label: str,
        rng: random.Random | None = None,
        unit: Unit | None = None,
        besides: Event | None = None,
    ) -> Receipt:
        """Spend the cost of `event_for` the ``unit``, for a whole run that draws from ``rng``.

        The same entry pays for an event ``besides``, if there is one.
        """
        self.prepare()
        hypothesis_kinds()  # what is drawn is read as one of them, and importing them may fail
        what = f"learn {label} online from {self.hypotheses}"
        event = self.event_for(unit)
        if besides is not None:
            event = Composition([(event, 1), (besides, 1)], event.cost().delta)
        return ledger.spend(event, dataset=dataset, what=what, rng=rng)

    def prepare(self) -> None:
        """Find or load what a run needs and what may fail; called before the spend."""
        return

    @final
    def begin(
        self, receipt: Receipt, keep: Keep | None = None, *, together: bool = False
    ) -> PrivateStream[Any]:
        """A run that ``receipt`` pays for, with its generator; ``keep`` gets the run's lines.

        With ``together`` it gets those of each `PrivateStream.take` as one line.
        """
        # All at once, because a resumed run has no receipt any more.
        uses = [event for event, times in self.event.uses() for _ in range(times)]
        generators = [receipt.redeem(event) for event in uses]
        return self.resume([], Tape(generators[0], keep, together=together))

    @final
    def resume(self, lines: Iterable[Any], tape: Tape) -> PrivateStream[Any]:
        """The run that wrote these lines, at the last of them; nothing is spent or drawn again.

        The records after the last line can be taken again, if they are available: they drew nothing.
        Do not resume a run twice from one line.  Raises `ModelError` for lines of another learner.
        """
        stream = self.stream(tape)
        stream.begin_from(lines)
        return stream


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
