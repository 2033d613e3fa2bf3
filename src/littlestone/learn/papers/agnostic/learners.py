"""The two transformations to wrong labels: other records choose the labels (LWY25), or their own do."""

from __future__ import annotations

import math
from fractions import Fraction
from typing import Any

from littlestone.data.sample import Sample
from littlestone.learn.papers.agnostic.base import AgnosticTransformation, log_patterns
from littlestone.learn.papers.agnostic.patterns import (
    Counts,
    best,
    epsilons,
    errors_of,
    fewest,
    relax,
    shares,
)
from littlestone.points import Point
from littlestone.privacy.accounting.relabelled import OtherLabels, OwnLabels
from littlestone.privacy.mechanisms.scores.exponential import ExponentialMechanism

LARGEST = 200
"""The largest Littlestone dimension d for which 16^d is computed: floats end soon after."""


class AgnosticLearner(AgnosticTransformation[Point]):
    """Relabel a random part T of the records by a pattern that is good on the others, then learn T.

    The score of a pattern h of H on T is min over f in H of a #(h != f on T) + #(f errs on W), where
    W holds the records that are not in T (`OtherLabels`).  The labels of T are not read.

    Cost: (epsilon, delta)-DP for every sample, with delta / r for the realizable learner, r = 1/share.
    Time: one `least_errors` on W for each pattern on T.  Source: LWY25, with another weight, no factor
    on delta and a sharper epsilon: docs/proofs/agnostic.md.

    >>> from littlestone.classes import Points
    >>> from littlestone.points import Strings
    >>> from littlestone.privacy import Budget
    >>> learner = AgnosticLearner(Points(Strings("id")), Budget(1, "1e-6"))
    >>> print(learner.cost(), learner.realizable.method)
    epsilon 0.999715, delta 0.000001 (replace-one) single_key
    """

    method = "agnostic"
    several = False
    tolerates_label_noise = True
    kind = OtherLabels

    relabelling: OtherLabels

    def tune(self, epsilon: Fraction) -> OtherLabels:
        alpha = float(self.alpha)
        found = []
        weights = shares(float(epsilon), least=1)
        for share in shares(float(epsilon)):
            for eta in epsilons(epsilon):
                # ln K from e^epsilon = E (1 + r (K - 1)) / (1 + r (E - 1)); E itself may overflow.
                apart = math.exp(-float(eta)) - math.exp(-float(epsilon))
                moved = float(epsilon) + math.log1p((share - 1) * apart)
                choosing = share / (share - 1) * (200 / alpha + 40 / float(eta))
                for weight in weights:
                    left = moved - math.log(4) - weight * float(eta)
                    if weight > share or left <= 0:  # nothing is left for larger ones either
                        break
                    learning = share * max(150 / left, 200 + 160 / (float(eta) * weight))
                    found.append((max(learning, choosing), -eta, share, weight))
        _, less, share, weight = best(found)
        return OtherLabels(ExponentialMechanism(-less), share, weight)

    def score_patterns(
        self, sample: Sample[Point], labels: Any, spaces: Any, others: Any
    ) -> Counts:
        # T counts by its points only; its labels are not read.
        often = sample.negatives + sample.positives
        return relax(labels, often, fewest(spaces, others), self.relabelling.weight)

    def failure(self, m: int, others: int, alpha: float, beta: float) -> float:
        slack = self.slack(m, beta)
        u, v = slack / self.relabelling.weight, alpha * m / 4 - 1
        if v <= u:
            return 1.0
        pairs = 2 * log_patterns(self.hypotheses, 2 * m) + math.log(2)
        apart = math.exp(min(0.0, pairs - (v - u) ** 2 / (2 * (u + v)))) * (1 + 1e-9)
        return beta / 4 + apart + self.far(others, alpha / 2, slack)


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

    def tune(self, epsilon: Fraction) -> OwnLabels:
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

    def score_patterns(
        self, sample: Sample[Point], labels: Any, spaces: Any, others: Any
    ) -> Counts:
        # A record of T moves each score by one; one outside T moves none (docs/proofs/agnostic.md,
        # Theorem 1).
        return errors_of(labels, sample)

    def failure(self, m: int, others: int, alpha: float, beta: float) -> float:
        return beta / 4 + self.far(m, 3 * alpha / 4, self.slack(m, beta))
