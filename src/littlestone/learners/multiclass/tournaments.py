"""The learner of several labels from global stability (Jung, Kim and Tewari 2020): a baseline."""

from __future__ import annotations

import random
from fractions import Fraction
from math import log2

from littlestone.classes import FiniteClass, HypothesisClass
from littlestone.errors import DeclarationError
from littlestone.hypotheses import TableFunction
from littlestone.learners.base import Bound, Setting, require_plan
from littlestone.learners.globally_stable import errors
from littlestone.learners.multiclass.base import MulticlassLearner
from littlestone.learners.multiclass.order import UniformOrder
from littlestone.learners.stable.labels import Examples, stable_classifier
from littlestone.learners.stable.sizes import LARGEST, Sizes, calibrated_sizes, proved_sizes
from littlestone.learners.teachers import permuted
from littlestone.learners.voting import share
from littlestone.privacy.accounting.parallel import Parallel
from littlestone.privacy.budget import Budget
from littlestone.privacy.ledger import Receipt
from littlestone.privacy.mechanisms.exponential import ExponentialMechanism
from littlestone.privacy.mechanisms.stable_histogram import StableHistogram
from littlestone.sample import Sample


class TournamentLearner(MulticlassLearner[str]):
    """Release a classifier that tournaments of many batches agree on, and that errs little elsewhere.

    `GloballyStableLearner` with several labels: a tournament of two SOAs that differ at x guesses the
    label of x among all K = k + 1, and who is wrong by that goes on with it.  (epsilon, delta)-DP for
    every sample, by the same proof: docs/proofs/multiclass-learning.md, Theorem 5.  Without ``sizes``
    these depend on n and ``alpha``, and nothing is proved; `proved` has a `plan`, of about K^(2^d)
    records, d = MLS(H), where the bits take a polynomial in d and log K.

    Of tables only: an SOA is released point by point.  Raises `DeclarationError` for other classes, an
    illegal alpha, and delta = 0.

    >>> learner = TournamentLearner(FiniteClass.from_array([[0], [1], [2]], labels=3), Budget(1, "1e-6"))
    >>> print(learner.cost())
    epsilon 1, delta 0.000001 (replace-one)
    """

    method = "tournaments"
    reservation = "as a baseline"

    def __init__(
        self,
        hypotheses: HypothesisClass[str],
        budget: Budget,
        *,
        alpha: object = Fraction(1, 10),
        sizes: Sizes | None = None,
    ) -> None:
        if not isinstance(hypotheses, FiniteClass):
            raise DeclarationError(
                f"learn {hypotheses} by tournaments",
                found="its SOAs are not listed point by point",
                fix="declare a table, or take another method",
            )
        hypotheses.require_learnable()
        self.hypotheses: FiniteClass = hypotheses
        self.dimension = hypotheses.littlestone_dimension()
        self.alpha = share("alpha", alpha)
        if self.alpha == 0:
            raise DeclarationError(
                f"learn {hypotheses} by tournaments with alpha = 0",
                found="blocks would be infinite",
                fix="give the error that is allowed, such as 0.1",
            )
        self.sizes = sizes
        self.histogram: StableHistogram[TableFunction] = StableHistogram(budget)
        self.choice = ExponentialMechanism(budget.epsilon)

    @classmethod
    def aimed(
        cls, hypotheses: HypothesisClass[str], budget: Budget, *, alpha: object
    ) -> TournamentLearner:
        """Its blocks have ceil(d / alpha) records."""
        return cls(hypotheses, budget, alpha=alpha)

    @classmethod
    def proved(
        cls, H: FiniteClass, budget: Budget, *, alpha: float, beta: float
    ) -> TournamentLearner:
        """The learner with sizes for which `plan` (alpha, beta) is proved; not where they leave floats.

        >>> goal = {"alpha": 0.1, "beta": 0.05}
        >>> H = FiniteClass.from_array([[0], [1], [2]], labels=3)
        >>> learner = TournamentLearner.proved(H, Budget(1, "1e-6"), **goal)
        >>> learner.plan(**goal, setting="realizable").n
        1453809
        """
        learner = cls(H, budget, alpha=alpha)
        if learner._leaves_floats():
            return learner
        learner.sizes = learner._proved(alpha, beta)
        return learner

    def _leaves_floats(self) -> bool:
        return bool(2**self.dimension * log2(self.hypotheses.labels) > 2**LARGEST)

    def _proved(self, alpha: float, beta: float) -> Sizes:
        labels = self.hypotheses.labels
        return proved_sizes(self.dimension, alpha, beta, self.histogram.budget, labels=labels)

    @property
    def event(self) -> Parallel:
        return Parallel([UniformOrder(), self.histogram, self.choice])

    def draw(self, sample: Sample[str], *, receipt: Receipt) -> TableFunction:
        rng = receipt.redeem(UniformOrder())
        sizes = self.sizes or calibrated_sizes(sample.n, self.dimension, self.alpha)
        fresh, batches = sizes.split(permuted(sample, rng))
        rules = [self.rule(batch, i, sizes, rng) for i, batch in enumerate(batches)]
        found = self.histogram.draw(rules, receipt=receipt)
        survivors = [f for f, count in found if count >= sizes.keep]
        if not survivors:
            return self.fallback()
        return survivors[self.choice.draw(errors(survivors, fresh), receipt=receipt)]

    def rule(
        self, batch: Examples, i: int, sizes: Sizes, rng: random.Random
    ) -> TableFunction | None:
        """The classifier of batch number i; None if its blocks run out."""
        return stable_classifier(self.hypotheses, i % len(sizes.caps), sizes.blocks(batch), rng)

    def fallback(self) -> TableFunction:
        """SOA_H, which is released where nothing is left; whatever the records say."""
        H = self.hypotheses
        return TableFunction.from_labels(H.domain, map(H.soa_label, H.domain), H.labels)

    def plan(self, alpha: float, beta: float, *, setting: Setting = "agnostic") -> Bound | None:
        """The examples that `proved` splits, if this learner has its sizes for alpha and beta."""
        require_plan(alpha, beta, setting)
        if setting == "agnostic" or self.sizes is None or self._leaves_floats():
            return None
        sizes = self._proved(alpha, beta)
        source = "docs/proofs/multiclass-learning.md, Theorem 5"
        return Bound(sizes.n, alpha, beta, setting, True, source) if sizes == self.sizes else None
