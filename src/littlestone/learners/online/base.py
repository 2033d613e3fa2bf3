"""The one interface of a private online learner, and explicit mistake bounds."""

from __future__ import annotations

import random
from abc import ABC, abstractmethod
from collections.abc import Callable, Iterable
from dataclasses import dataclass
from typing import Any, ClassVar, Generic, final

from littlestone.classes.base import HypothesisClass
from littlestone.domains import Point, truth
from littlestone.errors import ModelError
from littlestone.hypotheses import Hypothesis
from littlestone.online.base import OnlineLearner
from littlestone.privacy.cost import PrivacyCost
from littlestone.privacy.event import Event
from littlestone.privacy.ledger import Ledger, Receipt
from littlestone.privacy.parameters import require_horizon

Journal = Callable[[list[Any]], None]
"""Keeps one entry of plain JSON values, for good by the time it returns; what it keeps is secret."""


@dataclass(frozen=True)
class MistakeBound:
    """At most ``mistakes`` mistakes on every realizable sequence, with probability 1 - beta.

    An ``adaptive`` adversary sees all published hypotheses, another has chosen its sequence before.
    ``source`` is where the bound comes from.
    """

    mistakes: int
    beta: float
    proved: bool
    source: str
    adaptive: bool = True


class PrivateStream(OnlineLearner[Point]):
    """One private run over a stream: `hypothesis` is what is published, and changes now and then.

    The sequence of all published hypotheses, with the steps at which they change, is the private
    output.  A prediction h_t(x_t) is none: everybody knows h_t, so it tells of x_t, and is for those
    who may know x_t.  After the horizon the last hypothesis stays, and no record is looked at any more.

    Any x and y are a record, and none is refused: an exception is an output, and would tell of it.
    `Domain.canonical` makes a point of x and `truth` a label of y, the same as for a `Sample`.  A
    learner sees these alone, in `_learn`.
    """

    def __init__(self, published: Hypothesis[Point]) -> None:
        self._domain = published.domain
        self._published, self._published_at = published, 0

    @property
    @abstractmethod
    def steps(self) -> int:
        """The number of records that were taken, at most the horizon."""

    @property
    def draws(self) -> int:
        """How many draws there were, of a kind that may find nothing; secret, 0 without such draws."""
        return 0

    @property
    def hypothesis(self) -> Hypothesis[Point]:
        return self._published

    @property
    def published_at(self) -> int:
        """The step at which `hypothesis` was published, 0 for the first; public."""
        return self._published_at

    @final
    def predict(self, x: object) -> int:
        """The label that `hypothesis` gives the point of ``x``."""
        return self._published(self._domain.canonical(x))

    @final
    def update(self, x: object, y: object) -> None:
        """Take the next record; may publish another `hypothesis`.  No record makes it raise."""
        self._learn(self._domain.canonical(x), truth(y))

    @abstractmethod
    def _learn(self, x: Point, y: int) -> None:
        """Take the next record: a point of the domain, and 0 or 1."""

    @abstractmethod
    def go_to(self, step: int) -> None:
        """Take the steps up to ``step`` as if each of their records were predicted rightly."""

    def _publish(self, h: Hypothesis[Point], step: int) -> None:
        self._published, self._published_at = h, step


class PrivateOnlineLearner(ABC, Generic[Point]):
    """A private online learner: its guarantee holds for every stream, realizable or not.

    Two streams of ``horizon`` steps are neighbours if they differ in one record.
    """

    method: ClassVar[str]
    """The name by which the command line asks for it."""

    oblivious: ClassVar[bool] = False
    """Whether it may err at every step on records chosen in the knowledge of what is published.

    Then its numbers of mistakes are for an oblivious adversary, who fixes the stream beforehand.
    Privacy does not depend on that.
    """

    baseline: ClassVar[bool] = False
    """Whether it is there to compare with, and is taken by its name only."""

    def __init__(self, hypotheses: HypothesisClass[Point], horizon: int) -> None:
        require_horizon(horizon)
        self.hypotheses = hypotheses
        self.horizon = horizon

    @property
    @abstractmethod
    def event(self) -> Event:
        """A whole run, as the ledger records it; a function of declarations alone."""

    @property
    def declared(self) -> str:
        """All sizes that a run must keep when it goes on after a crash."""
        return str(self.event)

    def cost(self) -> PrivacyCost:
        """The guarantee of a whole run, however many hypotheses it publishes."""
        return self.event.cost()

    def start(
        self,
        *,
        ledger: Ledger,
        dataset: str,
        label: str = "label is 1",
        rng: random.Random | None = None,
        journal: Journal | None = None,
    ) -> PrivateStream[Point]:
        """Spend `cost` on ``dataset`` in the ledger, once, then begin the run.

        ``rng`` is the system's cryptographic generator unless given; with a seeded one the run is a
        simulation and not private.  ``journal`` is told whatever `resume` needs, before anything is
        published that depends on it.  Raises `BudgetExceededError` or `LedgerError`.
        """
        return self.begin(self.pay(ledger, dataset, label, rng), journal)

    def pay(
        self, ledger: Ledger, dataset: str, label: str, rng: random.Random | None = None
    ) -> Receipt:
        """Spend the cost of a whole run, which draws from ``rng``."""
        what = f"learn {label} online from {self.hypotheses}"
        return ledger.spend(self.event, dataset=dataset, what=what, rng=rng)

    @abstractmethod
    def begin(self, receipt: Receipt, journal: Journal | None) -> PrivateStream[Any]:
        """A run paid for by ``receipt``, whose generator it draws from."""

    @abstractmethod
    def resume(
        self, entries: Iterable[list[Any]], rng: random.Random, journal: Journal | None
    ) -> PrivateStream[Any]:
        """The run that a journal tells of, at its last entry; nothing is spent or drawn again.

        The steps after the last entry can be taken anew, if their records are at hand: they drew
        nothing.  One run must not be resumed twice from one entry.  Raises `ModelError` for
        entries of another learner.
        """

    @abstractmethod
    def mistake_bound(self, beta: float) -> MistakeBound | None:
        """How many mistakes it makes on a realizable sequence; None where nothing is proved."""

    def measured_mistakes(self) -> int | None:
        """About how many it makes, in the mean, on the worst of the simulated realizable streams.

        Calibrated by ``python -m benchmarks.mistakes``, and no bound; None where nothing is measured.
        """
        return None


def foreign_entry(kind: str) -> ModelError:
    """The error for an entry of a journal that the online learner of ``kind`` has not written."""
    return ModelError(
        f"go on with a run of the online learner of {kind}",
        found="an entry of its journal is none of this learner's",
        fix="give the journal that the run wrote, as it is",
    )
