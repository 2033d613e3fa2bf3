"""The learner from global stability (BLM20), private for every sample."""

from __future__ import annotations

import math
import random
from collections import Counter
from collections.abc import Callable, Sequence
from fractions import Fraction

import numpy as np

from littlestone.base.errors import TooLargeError
from littlestone.base.steps import at_most
from littlestone.classes.base import HypothesisClass
from littlestone.data.sample import Sample
from littlestone.learn.base import (
    MOST_WORK,
    Bound,
    Caveat,
    PrivateLearner,
    Setting,
    exact_alpha,
    has_rule,
    require_plan,
)
from littlestone.learn.papers.stable_sizes import (
    LARGEST,
    BatchSizes,
    Examples,
    calibrated_sizes,
    proved_sizes,
    stable_rule,
)
from littlestone.learn.papers.teachers import permute_examples
from littlestone.points import Point
from littlestone.privacy.accounting.subsampled import Parallel
from littlestone.privacy.cost import Budget
from littlestone.privacy.ledger import Receipt
from littlestone.privacy.mechanisms.lists.stable_histogram import StableHistogram
from littlestone.privacy.mechanisms.scores.exponential import ExponentialMechanism
from littlestone.privacy.scores import ErrorRuns
from littlestone.rules import Hypothesis

MOST_STEPS = 10_000_000
"""The steps of all tournaments together; each batch has the same share."""


class GloballyStableLearner(PrivateLearner[Point]):
    """Release a rule that tournaments on many batches agree on and that errs little on fresh data.

    1. Put the n records in a uniform order; `BatchSizes` says which are fresh and which are batch i.
    2. Batch i gives one rule h_i by `stable_rule` with k = i mod (d + 1), d = LDim(H).
    3. Take a stable histogram of h_1, h_2, ... at (epsilon, delta); drop rules below ``keep``.
    4. The exponential mechanism at epsilon picks one of the rest by its errors on the fresh records.

    If no rule is left, the rule is SOA_H.  (epsilon, delta)-DP for every sample, because each record
    is fresh or in one batch, and so in only one of two mechanisms (docs/proofs/globally-stable.md,
    Theorem 1); the paper pays for both.  Improper.  If ``sizes`` is `paper_sizes` or `proved_sizes`,
    this is the paper's learner M.  By default sizes depend on n and ``alpha``, and are calibrated,
    not proved.

    With K > 2 labels a tournament guesses one of all K, and a size is about K^(2^d) where that of
    two is 2^(2^d) (JKT20; docs/proofs/multiclass-learning.md, Theorem 5).
    O(n) restrictions and 2^k SOAs a batch.  Raises `DeclarationError` for delta = 0.

    >>> from littlestone.classes import Thresholds
    >>> print(GloballyStableLearner(Thresholds.on(0, 99), Budget(1, "1e-6")).cost())
    epsilon 1, delta 0.000001 (replace-one)
    """

    method = "globally_stable"
    several = True
    caveat = Caveat.BASELINE

    def __init__(
        self,
        hypotheses: HypothesisClass[Point],
        budget: Budget,
        *,
        alpha: object = Fraction(1, 10),
        sizes: BatchSizes | None = None,
    ) -> None:
        super().__init__(hypotheses, budget)
        self.dimension = int(hypotheses.littlestone_dimension())
        self.alpha = exact_alpha(alpha)
        self.sizes = sizes
        self.histogram: StableHistogram[Hypothesis[Point]] = StableHistogram(budget)
        self.choice = ExponentialMechanism(budget.epsilon)

    @classmethod
    def for_error(
        cls, hypotheses: HypothesisClass[Point], budget: Budget, *, alpha: object
    ) -> GloballyStableLearner[Point]:
        """The learner whose blocks have ceil(d / alpha) records."""
        return cls(hypotheses, budget, alpha=alpha)

    @classmethod
    def with_proved_bound(
        cls, hypotheses: HypothesisClass[Point], budget: Budget, *, alpha: float, beta: float
    ) -> GloballyStableLearner[Point]:
        """The learner with `proved_sizes`, or with the usual ones if these are beyond floats.

        >>> from littlestone.classes import Thresholds
        >>> goal = {"alpha": 0.1, "beta": 0.05}
        >>> H = Thresholds.on(1, 2)
        >>> learner = GloballyStableLearner.with_proved_bound(H, Budget(1, "1e-6"), **goal)
        >>> learner.plan(**goal, setting="realizable").n
        529216
        """
        learner = cls(hypotheses, budget, alpha=alpha)
        if learner._leaves_floats():
            return learner
        sizes = learner._proved_sizes(alpha, beta)
        return cls(hypotheses, budget, alpha=alpha, sizes=sizes)

    @property
    def event(self) -> Parallel:
        return Parallel([self.histogram, self.choice])

    def draw(self, sample: Sample[Point], *, receipt: Receipt) -> Hypothesis[Point]:
        if self.dimension == 0:  # there is one hypothesis, whatever the records
            return self.hypotheses.soa()
        sizes = self.sizes or calibrated_sizes(sample.n, self.dimension, self.alpha)
        rng = receipt.redeem(self.histogram)  # redeemed now, because the order is drawn first
        # By position in a uniform order: each record is fresh or in one batch, so the two
        # mechanisms run in parallel (docs/proofs/globally-stable.md, Theorem 1).
        fresh, batches = self.split(permute_examples(sample, rng), sizes)
        rules = [self.rule(batch, i, sizes, rng) for i, batch in enumerate(batches)]
        # One rule a batch, so a replaced record moves two counts by one.
        found = self.histogram.release(rules, rng)
        # The noisy counts are released, so this cut costs nothing more.
        survivors = [h for h, count in found if count >= sizes.keep]
        if not survivors:
            return self.hypotheses.soa()
        return survivors[self.choice.draw(errors(survivors, fresh), receipt=receipt)]

    def split(
        self, examples: Examples[Point], sizes: BatchSizes
    ) -> tuple[Examples[Point], list[Examples[Point]]]:
        """The fresh records and the batches, by position alone; the last records may be in neither."""
        return sizes.split(examples)

    def rule(
        self, batch: Examples[Point], i: int, sizes: BatchSizes, rng: random.Random
    ) -> Hypothesis[Point] | None:
        """The rule of batch number i; None if the batch is too short or takes too many steps.

        Each batch has the same share of `MOST_STEPS`, so its rule depends on its own records alone.
        """
        try:
            with at_most(max(1, MOST_STEPS // max(1, sizes.batches))):
                return stable_rule(self.hypotheses, i % len(sizes.caps), sizes.blocks(batch), rng)
        # A batch that takes too long has no rule: a limit a batch, not one for all, keeps batches
        # independent.
        except TooLargeError:
            return None

    def work(self, n: int) -> int:
        """The estimate: `MOST_STEPS`, and a step for each record that a tournament restricts by.

        Each fresh record adds one step for each rule that may be left.  If the search for the SOA of
        the class takes too many steps, it exceeds `MOST_WORK`.
        """
        if self.dimension == 0:
            return 0
        if not has_rule(self.hypotheses):
            return MOST_WORK + 1
        sizes = self.sizes or calibrated_sizes(n, self.dimension, self.alpha)
        fresh, batches = min(n, sizes.fresh), min(sizes.batches, n // sizes.block)
        survivors = batches // max(1, sizes.keep, int(self.histogram.threshold))
        return MOST_STEPS + n + fresh * survivors

    def plan(self, alpha: float, beta: float, *, setting: Setting = "agnostic") -> Bound | None:
        """The number of examples that `proved_sizes` splits, if this learner has the sizes for them.

        None for other sizes, for which nothing is proved, and in the agnostic setting.
        """
        require_plan(alpha, beta, setting)
        if setting == "agnostic" or self.sizes is None or self._leaves_floats():
            return None
        sizes = self._proved_sizes(alpha, beta)
        if sizes != self.sizes:
            return None
        page = "globally-stable" if self.hypotheses.labels == 2 else "multiclass-learning"
        return Bound(sizes.n, alpha, beta, setting, True, f"docs/proofs/{page}.md, Theorem 5")

    def _leaves_floats(self) -> bool:
        return self.dimension + math.log2(math.log2(self.hypotheses.labels)) > LARGEST

    def _proved_sizes(self, alpha: float, beta: float) -> BatchSizes:
        labels = self.hypotheses.labels
        return proved_sizes(self.dimension, alpha, beta, self.histogram.budget, labels=labels)


def errors(rules: Sequence[Callable[[Point], int]], examples: Examples[Point]) -> ErrorRuns:
    """The number of ``examples`` that each rule labels wrongly."""
    counts = Counter(examples)
    wrong = [sum(times for (x, y), times in counts.items() if h(x) != y) for h in rules]
    return ErrorRuns(np.array(wrong, dtype=np.int64))
