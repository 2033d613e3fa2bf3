"""The transformation of ABMS20: relabel, learn, amplify."""

from __future__ import annotations

import math
from fractions import Fraction
from typing import Any

from littlestone.data.sample import Sample
from littlestone.learn.papers.agnostic.base import AgnosticTransformation
from littlestone.learn.papers.agnostic.patterns import Counts, errors_of
from littlestone.learn.papers.agnostic.tuning import best, epsilons, shares
from littlestone.points import Point
from littlestone.privacy.accounting.relabelled import OwnLabels
from littlestone.privacy.mechanisms.scores.exponential import ExponentialMechanism


class RelabellingLearner(AgnosticTransformation[Point]):
    """Relabel a random part of the records by one of the best patterns on it, then learn it.

    The score of a pattern is its number of errors on T itself (`OwnLabels`).  Only T is read, so T has
    to be large enough to tell which hypothesis is good.  `AgnosticLearner` scores by the other records,
    and needs fewer records if epsilon or alpha is small.

    Cost: (epsilon, delta)-DP for every sample, with delta / r for the realizable learner, r = 1/share.
    ABMS20, Theorem 2.3, with sharper costs: docs/proofs/agnostic.md.

    >>> from littlestone.classes import Points
    >>> from littlestone.points import Strings
    >>> from littlestone.privacy import Budget
    >>> learner = RelabellingLearner(Points(Strings("id")), Budget(1, "1e-6"))
    >>> print(learner.cost())
    epsilon 0.999728, delta 0.000001 (replace-one)
    """

    method = "relabelling"
    several = False
    tolerates_label_noise = True
    kind = OwnLabels

    def tuned(self, epsilon: Fraction) -> OwnLabels:
        alpha = float(self.alpha)
        found = []
        for share in shares(float(epsilon)):
            for eta in epsilons(epsilon):
                # ln K, where K = 1 + (e^epsilon - 1) share; a large e^epsilon overflows.
                moved = float(epsilon) + math.log(share - (share - 1) * math.exp(-float(epsilon)))
                left = moved - 2 * math.log1p(math.exp(float(eta) / 2))
                if left > 0:
                    size = share * max(150 / left, 90 / alpha + 30 / float(eta))
                    found.append((size, share, eta))
        _, share, eta = best(found)
        return OwnLabels(ExponentialMechanism(eta), share)

    def scores(self, sample: Sample[Point], labels: Any, spaces: Any, others: Any) -> Counts:
        # A record of T moves each score by one; one outside T moves none (docs/proofs/agnostic.md,
        # Theorem 1).
        return errors_of(labels, sample)

    def failure(self, m: int, others: int, alpha: float, beta: float) -> float:
        return beta / 4 + self.far(m, 3 * alpha / 4, self.slack(m, beta))
