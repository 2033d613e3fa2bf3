"""The one interface of a private learner of several labels."""

from __future__ import annotations

import random
from abc import abstractmethod
from functools import partial
from typing import Generic

from littlestone.classes import HypothesisClass
from littlestone.domains import Point
from littlestone.errors import DeclarationError
from littlestone.hypotheses import Hypothesis
from littlestone.learners.base import Learner, require_fitting
from littlestone.learners.release import Release
from littlestone.privacy.budget import Budget
from littlestone.privacy.ledger import Ledger, Receipt
from littlestone.sample import Sample


class MulticlassLearner(Learner, Generic[Point]):
    """A differentially private learner of several labels: its guarantee holds for every sample."""

    hypotheses: HypothesisClass[Point]

    @abstractmethod
    def __init__(self, hypotheses: HypothesisClass[Point], budget: Budget) -> None:
        """Raises `DeclarationError` where the learner does not apply."""

    @classmethod
    def aimed(
        cls, hypotheses: HypothesisClass[Point], budget: Budget, *, alpha: object
    ) -> MulticlassLearner[Point]:
        """The learner as it is used for error ``alpha``; some are the same for every alpha."""
        return cls(hypotheses, budget)

    def fit(
        self,
        sample: Sample[Point],
        *,
        ledger: Ledger,
        dataset: str,
        label: str = "label",
        rng: random.Random | None = None,
    ) -> Release:
        """Spend `cost` on ``dataset`` in the ledger, then draw and release a classifier.

        ``label`` is what the labels are about, ``rng`` the system's cryptographic generator unless
        given; a seeded one marks the release as not private.  Raises, before anything is spent,
        `DeclarationError` for a sample over another domain or with other labels and `TooLargeError`
        for too much work, and before anything is drawn, `BudgetExceededError` or `LedgerError`.
        """
        made = "Sample.from_examples(domain, labels, examples)"
        require_fitting(sample, Sample, self.hypotheses, made)
        if sample.labels != self.hypotheses.labels:
            raise DeclarationError(
                f"learn {self.hypotheses} from a sample of {sample.labels} labels",
                found=f"the class has {self.hypotheses.labels} labels",
                fix="declare the same number of labels",
            )
        self.require_affordable(sample.n)
        what = f"learn {label} from {self.hypotheses}"
        # As with two labels, all that can be known is made before the spend.
        release = partial(
            Release,
            hypotheses=str(self.hypotheses),
            label=label,
            n=sample.n,
            cost=self.cost(),
            mechanism=str(self.event),
        )
        receipt = ledger.spend(self.event, dataset=dataset, what=what, rng=rng)
        return release(
            hypothesis=self.draw(sample, receipt=receipt),
            private=receipt.private,
            receipt=receipt.number,
            total=receipt.total,
            limit=receipt.limit,
        )

    @abstractmethod
    def draw(self, sample: Sample[Point], *, receipt: Receipt) -> Hypothesis[Point]:
        """The classifier to release, drawn from the generator that ``receipt`` hands out."""
