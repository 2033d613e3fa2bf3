"""Learners that release keys by the records that name them: each element of a set, or one function."""

from __future__ import annotations

import math
from collections.abc import Callable
from fractions import Fraction
from typing import Any

import numpy as np

from littlestone.classes.base import HypothesisClass
from littlestone.classes.dimensions.closed_forms import has_one_mistake
from littlestone.classes.promises.covering import PointCovering
from littlestone.classes.promises.named import NamedFunctions
from littlestone.data.sample import Sample
from littlestone.learn.base import (
    MOST_WORK,
    Caveat,
    has_rule,
)
from littlestone.learn.plan.missed import KeySizes, SizedByKeys, miss_chances
from littlestone.points import Point
from littlestone.privacy.cost import Budget
from littlestone.privacy.ledger import Receipt
from littlestone.privacy.mechanisms.partition_selection import RestSelection, SingleKeySelection
from littlestone.rules import FiniteSet, Hypothesis

_TILTS = 20  # the exponents that a proved size tries


class PartitionLearner(SizedByKeys[Any]):
    """Release each element independently, with probability q(its positives - its negatives).

    (epsilon, delta)-DP for every sample.  q is the curve of `RestSelection`, which also compares the
    constant 1: it is released in place of the set if the elements outside of the set have clearly more
    positives than negatives.  So the rule hardly does worse than either constant.  The set may have
    more elements than those of the class, if more are positive more often than not.
    Time: O(n) for n distinct points.  Raises `DeclarationError` for other classes and delta = 0.
    Source: docs/proofs/partition-selection.md.

    >>> from littlestone.classes import Subsets
    >>> from littlestone.points import Strings
    >>> learner = PartitionLearner(Subsets(Strings("merchant"), 2), Budget(1, "1e-6"))
    >>> learner.plan(0.1, 0.05, setting="realizable").n
    667
    """

    method = "partition"
    several = False
    tolerates_label_noise = True
    takes_void = True

    def __init__(self, hypotheses: HypothesisClass[Any], budget: Budget) -> None:
        super().__init__(hypotheses, budget)
        if not isinstance(hypotheses, PointCovering) or hypotheses.max_elements <= 1:
            raise self.unfit(
                found="it is not a class of sets of several points",
                declare="subsets(COLUMN; at most K), K above 1",
            )
        self.hypotheses: PointCovering = hypotheses
        self.mechanism = RestSelection[Any](budget)
        keys, source = hypotheses.max_elements, "docs/proofs/partition-selection.md, Theorem 4"
        self.sizes = KeySizes(keys, miss_chances, self.mechanism, source, everything)

    def draw(self, sample: Sample[Any], *, receipt: Receipt) -> FiniteSet:
        # A changed label moves a score by 2, which the curve pays for
        # (docs/proofs/partition-selection.md, Theorem 1, step 1).
        scores = (sample.positives - sample.negatives).tolist()
        named = dict(zip(sample.points, scores, strict=True))
        keys = self.mechanism.draw_scores(named, receipt=receipt)
        if keys is None:
            # None stands for all keys: the constant 1 (Theorem 3).
            return self.hypotheses.everything
        return FiniteSet(self.hypotheses.domain, keys)


def everything(mechanism: RestSelection[Any], keys: int, alpha: float) -> Callable[[int], float]:
    """A bound, by the number of records, on the chance that the constant 1 is released in error.

    Too much is missed, or the constant 1 is released although it errs on more than alpha, which has at
    most the least of the following probabilities over some t in (0, 1]:

        Q0^t G(t)^k (1 - alpha (1 - r^-t))^n,  G(t) = max over s of q(s) + (1 - q(s)) r^(t s).
    """
    chances, tilt = miss_chances(mechanism), math.log(mechanism.odds_factor)
    tilts = [tilt * (i + 1) / _TILTS for i in range(_TILTS)]
    scores = np.arange(len(chances))
    # ln G(t): the chances of a key that fires are those of e^0.
    most = [float(np.log1p(chances * np.expm1(t * scores)).max()) for t in tilts]
    falls = [math.log1p(alpha * math.expm1(-t)) for t in tilts]
    even = math.log(mechanism.even) / tilt

    def failure_at(n: int) -> float:
        each = zip(tilts, most, falls, strict=True)
        return math.exp(min(0.0, *(t * even + keys * high + n * fall for t, high, fall in each)))

    return failure_at


class SingleKeyLearner(SizedByKeys[Point]):
    """Release the SOA, or one function that records name; for samples without wrong labels.

    For classes H, finite or infinite and of any number of labels, with LDim(H) <= 1.  Let f be the SOA
    of H, which is public.  A record (x, y) with y != f(x) names the one function of H that gives x the
    label y (`NamedFunctions`).  `SingleKeySelection` releases one function by how many records name
    it; if it releases none, f is released.  Without wrong labels only the right function is ever named.

    (epsilon, delta)-DP for every sample: one replaced record lowers one count and raises one.  It needs
    about half the records of the choosing mechanism, but does not weigh records that speak against
    a function.  Time: one version space for each distinct record with y != f(x).  Raises
    `DeclarationError` for other classes and delta = 0.  Source: docs/proofs/single-key-selection.md.

    >>> from littlestone.classes import parse_class
    >>> for text in ("points(merchant)", "linear(x, y, z; q 101, dimension 1)"):
    ...     learner = SingleKeyLearner(parse_class(text), Budget(1, "1e-6"))
    ...     print(learner.plan(0.1, 0.05, setting="realizable").n)
    219
    219
    """

    method = "single_key"
    several = True
    caveat = Caveat.CLEAN_LABELS
    takes_void = True

    def __init__(self, hypotheses: HypothesisClass[Point], budget: Budget) -> None:
        super().__init__(hypotheses, budget)
        if not has_one_mistake(hypotheses):
            raise self.unfit(
                found="its Littlestone dimension is above 1",
                declare="points(COLUMN), or another class of Littlestone dimension 1",
            )
        self.named = NamedFunctions(hypotheses)
        self.mechanism = SingleKeySelection[Hypothesis[Point]](budget)
        # The least n with E[1 - q(Bin(n, alpha))] <= beta.
        source = "docs/proofs/single-key-selection.md, Theorem 3"
        self.sizes = KeySizes(1, miss_chances, self.mechanism, source)

    def draw(self, sample: Sample[Point], *, receipt: Receipt) -> Hypothesis[Point]:
        # Counts of positives only: a replaced record lowers one and raises one, as the mechanism
        # demands (docs/proofs/single-key-selection.md, Theorem 1).
        found = self.mechanism.draw_scores(self.named.counts(sample), receipt=receipt)
        return self.named.rest if found is None else found

    def distribution(self, sample: Sample[Point]) -> dict[Hypothesis[Point], Fraction]:
        law = self.mechanism._distribution(self.named.counts(sample))
        return {self.named.rest if h is None else h: mass for h, mass in law.items()}

    def work(self, n: int) -> int:
        """Finding the functions that records name, and the SOA."""
        return self.named.work(n) if has_rule(self.hypotheses) else MOST_WORK + 1
