"""The learner of finite sets of points: it releases each element independently."""

from __future__ import annotations

from typing import Any

from littlestone.classes.base import HypothesisClass
from littlestone.classes.covering import PointCovering
from littlestone.hypotheses import FiniteSet
from littlestone.learners.base import Bound, PrivateLearner, Setting, unfit
from littlestone.learners.missed import missed, sample_size_for_keys
from littlestone.privacy.budget import Budget
from littlestone.privacy.event import Event
from littlestone.privacy.ledger import Receipt
from littlestone.privacy.mechanisms.keys.partition_selection import PartitionSelection
from littlestone.sample import Sample


class PartitionLearner(PrivateLearner[Any]):
    """Release each element independently, with probability q(its positives - its negatives).

    (epsilon, delta)-DP for every sample.  q is the optimal curve of `PartitionSelection`.  The set
    may have more elements than those of the class, if more are positive more often than not.
    Time: O(n) for n distinct points.  Raises `DeclarationError` for other classes and delta = 0.
    Source: docs/proofs/partition-selection.md.

    >>> from littlestone.classes import Subsets
    >>> from littlestone.domains import Strings
    >>> learner = PartitionLearner(Subsets(Strings("merchant"), 2), Budget(1, "1e-6"))
    >>> learner.plan(0.1, 0.05, setting="realizable").n
    643
    """

    method = "partition"
    several = False
    tolerates_label_noise = True
    takes_void = True

    def __init__(self, hypotheses: HypothesisClass[Any], budget: Budget) -> None:
        super().__init__(hypotheses, budget)
        if not isinstance(hypotheses, PointCovering) or hypotheses.parts <= 1:
            raise unfit(
                hypotheses,
                self.method,
                found="it is no class of sets of several points",
                declare="subsets(COLUMN; at most K), K above 1",
            )
        self.hypotheses: PointCovering = hypotheses
        self.mechanism = PartitionSelection[Any](budget)

    @property
    def event(self) -> Event:
        return self.mechanism

    def draw(self, sample: Sample[Any], *, receipt: Receipt) -> FiniteSet:
        scores = (sample.positives - sample.negatives).tolist()
        named = dict(zip(sample.points, scores, strict=True))
        keys = self.mechanism.draw_scores(named, receipt=receipt)
        return FiniteSet(self.hypotheses.domain, keys)

    def plan(self, alpha: float, beta: float, *, setting: Setting = "agnostic") -> Bound | None:
        """The size for realizable samples (docs/proofs/partition-selection.md); None for others."""
        keys, source = self.hypotheses.parts, "docs/proofs/partition-selection.md, Theorem 2"
        return sample_size_for_keys(keys, missed, self.mechanism, alpha, beta, setting, source)
