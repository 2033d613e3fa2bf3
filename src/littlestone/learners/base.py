"""The one interface of a private learner, and explicit sample bounds."""

from __future__ import annotations

import random
from abc import ABC, abstractmethod
from dataclasses import dataclass
from typing import Any, Generic, Literal

from littlestone.classes.base import HypothesisClass
from littlestone.domains import Point
from littlestone.errors import DeclarationError
from littlestone.hypotheses import Hypothesis
from littlestone.learners.release import Release
from littlestone.privacy.cost import Event, PrivacyCost
from littlestone.privacy.ledger import Ledger, Receipt
from littlestone.privacy.randomness import is_cryptographic, system_generator
from littlestone.sample import Sample

Setting = Literal["realizable", "agnostic"]


@dataclass(frozen=True)
class Bound:
    """A number of examples ``n`` that suffices for error alpha with probability 1 - beta.

    In the realizable setting: err(h) <= alpha when some hypothesis of the class has error 0.  In the
    agnostic one: err(h) <= alpha + min over the class of err.  ``proved`` tells a theorem from a
    size fitted by simulation; ``source`` is where it comes from.
    """

    n: int
    alpha: float
    beta: float
    setting: Setting
    proved: bool
    source: str


class PrivateLearner(ABC, Generic[Point]):
    """A differentially private learner: its guarantee holds for every sample, realizable or not."""

    hypotheses: HypothesisClass[Point]

    @property
    @abstractmethod
    def event(self) -> Event:
        """One use of the learner, as the ledger records it; a function of declarations alone."""

    def cost(self) -> PrivacyCost:
        """The guarantee of one `fit`."""
        return self.event.cost()

    def fit(
        self,
        sample: Sample[Point],
        *,
        ledger: Ledger,
        dataset: str,
        label: str = "label is 1",
        rng: random.Random | None = None,
    ) -> Release:
        """Spend `cost` on ``dataset`` in the ledger, then draw and release a hypothesis.

        ``rng`` is the system's cryptographic generator unless given; a seeded one marks the release
        as not private.  Raises `BudgetExceededError` or `LedgerError` before anything is drawn.
        """
        rng = rng or system_generator()
        receipt = ledger.spend(self.event, dataset=dataset, what=f"learn {self.hypotheses}")
        return Release(
            hypothesis=self.draw(sample, receipt=receipt, rng=rng),
            hypotheses=str(self.hypotheses),
            label=label,
            n=sample.n,
            cost=self.cost(),
            mechanism=str(self.event),
            private=is_cryptographic(rng),
            receipt=receipt.number,
        )

    @abstractmethod
    def draw(
        self, sample: Sample[Point], *, receipt: Receipt, rng: random.Random
    ) -> Hypothesis[Point]:
        """The hypothesis to release; the receipt is redeemed before the first random bit."""

    @abstractmethod
    def plan(self, alpha: float, beta: float, *, setting: Setting = "agnostic") -> Bound:
        """How many examples are enough for error ``alpha`` with probability 1 - ``beta``."""

    def accuracy(self, n: int, beta: float, *, setting: Setting = "agnostic") -> float | None:
        """The least alpha, to three digits, that `plan` promises for ``n`` examples.

        None if even alpha = 1/2 needs more examples.  It depends on n alone, not on the data.
        """
        low, high = 1e-9, 0.5
        if self.plan(high, beta, setting=setting).n > n:
            return None
        while high / low > 1.001:
            middle = (low * high) ** 0.5
            if self.plan(middle, beta, setting=setting).n <= n:
                high = middle
            else:
                low = middle
        return high


def require_accuracy(alpha: float, beta: float) -> None:
    """Raise `DeclarationError` unless alpha and beta are probabilities strictly between 0 and 1."""
    named: dict[str, Any] = {"alpha (accuracy)": alpha, "beta (confidence)": beta}
    for name, value in named.items():
        if not 0 < value < 1:
            raise DeclarationError(
                f"plan with {name} = {value}",
                found="it must lie strictly between 0 and 1",
                fix="give a small probability, such as 0.05",
            )
