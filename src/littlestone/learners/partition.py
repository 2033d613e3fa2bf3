"""The learners of finite sets of points: they release each element independently, or one element."""

from __future__ import annotations

import math
from abc import abstractmethod
from collections.abc import Callable, Hashable
from functools import lru_cache
from typing import Any, ClassVar, TypeVar

import numpy as np
from numpy.typing import NDArray

from littlestone.classes.base import HypothesisClass
from littlestone.classes.covering import PointCovering
from littlestone.hypotheses import FiniteSet
from littlestone.learners.base import (
    Bound,
    Caveat,
    PrivateLearner,
    Setting,
    binomial_mean,
    require_plan,
    require_values,
    unfit,
)
from littlestone.privacy.budget import Budget
from littlestone.privacy.event import Event
from littlestone.privacy.ledger import Receipt
from littlestone.privacy.mechanisms.keys.key_release import KeyRelease
from littlestone.privacy.mechanisms.keys.rest_selection import RestSelection
from littlestone.privacy.mechanisms.keys.single_key_selection import SingleKeySelection
from littlestone.privacy.parameters import least, natural_log
from littlestone.sample import Sample

Mechanism = TypeVar("Mechanism", bound=Hashable)

MOST_STEPS = 10_000
"""The most values of a release curve that are listed for a proved size."""


_TILTS = 20  # the exponents that a proved size tries


class _SetLearner(PrivateLearner[Any]):
    """The common part of these learners: each record has one key, the point itself."""

    single: ClassVar[bool]
    """Whether the sets are single points; otherwise they are larger."""

    takes_void = True

    mechanism: KeyRelease[Any, Any]

    def __init__(self, hypotheses: HypothesisClass[Any], budget: Budget) -> None:
        super().__init__(hypotheses, budget)
        right = isinstance(hypotheses, PointCovering) and (hypotheses.parts <= 1) == self.single
        if not isinstance(hypotheses, PointCovering) or not right:
            kind = "single points" if self.single else "sets of several points"
            raise unfit(
                hypotheses,
                self.method,
                found=f"it is no class of {kind}",
                declare="points(COLUMN)"
                if self.single
                else "subsets(COLUMN; at most K), K above 1",
            )
        self.hypotheses: PointCovering = hypotheses
        self.mechanism = self._mechanism(budget)

    @abstractmethod
    def _mechanism(self, budget: Budget) -> KeyRelease[Any, Any]:
        """The mechanism that releases keys."""

    @property
    def event(self) -> Event:
        return self.mechanism

    def plan(self, alpha: float, beta: float, *, setting: Setting = "agnostic") -> Bound | None:
        """`KeyRelease.sample_size` for realizable samples; None for others: nothing is proved.

        It sums positive floats instead of exact numbers; the margin covers their rounding.
        """
        keys, source = self.hypotheses.parts, "docs/proofs/partition-selection.md"
        return sample_size_for_keys(keys, missed, self.mechanism, alpha, beta, setting, source)


@lru_cache(maxsize=16)
def missed(mechanism: KeyRelease[Any, Any]) -> NDArray[np.float64]:
    """1 - q(0), 1 - q(1), ..., down to 0."""
    require_curve(mechanism.budget)
    found = [1.0]
    while found[-1] > 0:
        require_values(len(found), MOST_STEPS)
        found.append(float(1 - mechanism.curve(len(found))))
    return np.array(found)


def require_curve(budget: Budget) -> None:
    """Raise `TooLargeError` if a release curve is sure to have more than `MOST_STEPS` values.

    Each value is exact, so it takes as long as a thousand floats.
    """
    # From 0 to 1 the curve rises by at most a factor e^epsilon plus delta a step.
    require_values(int(natural_log(1 + budget.epsilon / budget.delta) / budget.epsilon), MOST_STEPS)


def sample_size_for_keys(
    keys: int,
    missed: Callable[[Mechanism], NDArray[np.float64]],
    mechanism: Mechanism,
    alpha: float,
    beta: float,
    setting: Setting,
    source: str,
) -> Bound | None:
    """The least n with ``keys`` E[m[Bin(n, alpha / keys)]] <= beta, for realizable samples.

    m = ``missed(mechanism)``, where m[c] is the probability that a key with c records is not released;
    it falls in c.
    """
    require_plan(alpha, beta, setting)
    if setting != "realizable" or keys < 1:
        return None
    n = _least_for_keys(keys, missed, mechanism, alpha, beta)
    return Bound(n, alpha, beta, setting, True, source)


@lru_cache(maxsize=256)
def _least_for_keys(
    keys: int,
    missed: Callable[[Mechanism], NDArray[np.float64]],
    mechanism: Mechanism,
    alpha: float,
    beta: float,
) -> int:
    chances = missed(mechanism)

    def failure(n: int) -> float:
        return keys * binomial_mean(n, alpha / keys, chances)

    return least(lambda n: failure(n) <= beta * (1 - 1e-9))


class PartitionLearner(_SetLearner):
    """Release each element independently, with probability q(its positives - its negatives).

    (epsilon, delta)-DP for every sample.  q is the curve of `RestSelection`, which also compares the
    constant 1: it is released in place of the set if the elements outside of the set have clearly more
    positives than negatives.  So the rule hardly does worse than either constant.  The set may have
    more elements than those of the class, if more are positive more often than not.
    Time: O(n) for n distinct points.  Raises `DeclarationError` for other classes and delta = 0.
    Source: docs/proofs/partition-selection.md.

    >>> from littlestone.classes import Subsets
    >>> from littlestone.domains import Strings
    >>> learner = PartitionLearner(Subsets(Strings("merchant"), 2), Budget(1, "1e-6"))
    >>> learner.plan(0.1, 0.05, setting="realizable").n
    814
    """

    method = "partition"
    several = False
    tolerates_label_noise = True
    single = False
    mechanism: RestSelection[Any]

    def _mechanism(self, budget: Budget) -> RestSelection[Any]:
        return RestSelection(budget)

    def draw(self, sample: Sample[Any], *, receipt: Receipt) -> FiniteSet:
        scores = (sample.positives - sample.negatives).tolist()
        named = dict(zip(sample.points, scores, strict=True))
        keys = self.mechanism.draw_scores(named, receipt=receipt)
        if keys is None:
            return self.hypotheses.everything
        return FiniteSet(self.hypotheses.domain, keys)

    def plan(self, alpha: float, beta: float, *, setting: Setting = "agnostic") -> Bound | None:
        """The least n with k E[1 - q(Bin(n, alpha / k))] + F(n) <= beta, for realizable samples.

        F(n) bounds the probability that the constant 1 is released although it errs on more than alpha.
        It is the least of the following over some t in (0, 1] (docs/proofs/partition-selection.md):

            Q0^t G(t)^k (1 - alpha (1 - r^-t))^n,  G(t) = max over s of q(s) + (1 - q(s)) r^(t s).
        """
        require_plan(alpha, beta, setting)
        if setting != "realizable":
            return None
        n = _least_for_sets(self.hypotheses.parts, self.mechanism, alpha, beta)
        return Bound(n, alpha, beta, setting, True, "docs/proofs/partition-selection.md, Theorem 4")


@lru_cache(maxsize=256)
def _least_for_sets(keys: int, mechanism: RestSelection[Any], alpha: float, beta: float) -> int:
    chances, tilt = missed(mechanism), math.log(mechanism.base)
    tilts = [tilt * (i + 1) / _TILTS for i in range(_TILTS)]
    scores = np.arange(len(chances))
    # ln G(t): the chances of a key that fires are those of e^0.
    most = [float(np.log1p(chances * np.expm1(t * scores)).max()) for t in tilts]
    even = math.log(mechanism.even) / tilt

    def failure(n: int) -> float:
        falls = (math.log1p(alpha * math.expm1(-t)) for t in tilts)
        each = zip(tilts, most, falls, strict=True)
        everything = min(t * even + keys * high + n * fall for t, high, fall in each)
        return keys * binomial_mean(n, alpha / keys, chances) + math.exp(min(everything, 0.0))

    return least(lambda n: failure(n) <= beta * (1 - 1e-9))


class SingleKeyLearner(_SetLearner):
    """Release one point by its number of positives; for samples without wrong labels.

    (epsilon, delta)-DP for every sample, by `SingleKeySelection`.  It needs about half the records of
    the choosing mechanism, but looks at positives alone: of several points with many positives it
    takes any.  Time: O(n) for n distinct points.  Raises `DeclarationError` for other classes and
    delta = 0.  Source: docs/proofs/single-key-selection.md.

    >>> from littlestone.classes import Points
    >>> from littlestone.domains import Strings
    >>> learner = SingleKeyLearner(Points(Strings("merchant")), Budget(1, "1e-6"))
    >>> learner.plan(0.1, 0.05, setting="realizable").n
    219
    """

    method = "single_key"
    several = False
    caveat = Caveat.CLEAN_LABELS
    single = True

    def _mechanism(self, budget: Budget) -> KeyRelease[Any, Any]:
        return SingleKeySelection(budget)

    def draw(self, sample: Sample[Any], *, receipt: Receipt) -> FiniteSet:
        named = dict(zip(sample.points, sample.positives.tolist(), strict=True))
        key = self.mechanism.draw_scores(named, receipt=receipt)
        return FiniteSet(self.hypotheses.domain, frozenset() if key is None else frozenset([key]))
