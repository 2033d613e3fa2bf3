"""Learners of what records name: labels of keys or of buckets, elements of a set, or one function."""

from __future__ import annotations

import math
from collections.abc import Callable
from fractions import Fraction
from functools import lru_cache
from typing import Any

import numpy as np
from numpy.typing import NDArray

from littlestone.base.errors import DeclarationError
from littlestone.classes import Lookup
from littlestone.classes.base import HypothesisClass
from littlestone.classes.dimensions.closed_forms import has_one_mistake
from littlestone.classes.promises.covering import PointCovering
from littlestone.classes.promises.named import NamedFunctions
from littlestone.data.sample import Sample
from littlestone.learn.base import (
    MOST_WORK,
    Caveat,
    PrivateLearner,
    has_rule,
    unfit,
)
from littlestone.learn.plan.missed import (
    MOST_STEPS,
    KeySizes,
    SizedByKeys,
    miss_chances,
    require_curve,
    require_values,
)
from littlestone.points import Point
from littlestone.privacy.cost import Budget
from littlestone.privacy.ledger import Receipt
from littlestone.privacy.mechanisms.bucket_labels import BucketLabels
from littlestone.privacy.mechanisms.label_selection import LabelSelection
from littlestone.privacy.mechanisms.partition_selection import RestSelection, SingleKeySelection
from littlestone.rules import FiniteSet, Hypothesis, LookupTable
from littlestone.rules.lookup import BucketTable, bucket_of


def require_lookup(H: HypothesisClass[Any], method: str) -> Lookup:
    """H, or `DeclarationError` if it is not a class of lookup tables."""
    if not isinstance(H, Lookup):
        raise unfit(
            H,
            method,
            found="it is not a class of lookup tables",
            declare="lookup(COLUMN; at most M)",
        )
    return H


class LookupLearner(SizedByKeys[Any]):
    """Release each key with the label that wins its race; other keys have the default label.

    (epsilon, delta)-DP for every sample, by `LabelSelection`.  The table may have more entries than
    those of the class, if for more keys the most frequent label is not the default.  Wrong labels do
    little harm: a label wins over one with t more records with probability at most e^(-epsilon t / 2).
    Time: O(distinct pairs of point and label).  Raises `DeclarationError` for other classes and
    delta = 0.  Source: docs/proofs/lookup.md.

    >>> from littlestone.points import Strings
    >>> H = Lookup(Strings("tailnum"), 3, 2)
    >>> LookupLearner(H, Budget(1, "1e-6")).plan(0.1, 0.05, setting="realizable").n
    603
    """

    method = "lookup"
    several = True
    tolerates_label_noise = True
    takes_void = True

    def __init__(self, hypotheses: HypothesisClass[Any], budget: Budget) -> None:
        super().__init__(hypotheses, budget)
        self.hypotheses: Lookup = require_lookup(hypotheses, self.method)
        self.mechanism = LabelSelection[Any](budget)
        most, source = self.hypotheses.most, "docs/proofs/lookup.md, Theorem 2"
        self.sizes = KeySizes(most, _miss_chances, self.mechanism, source)

    def draw(self, sample: Sample[Any], *, receipt: Receipt) -> LookupTable:
        # If all records of a key have the default label, it has no entry, whatever wins its race.
        named = np.flatnonzero(sample.counts[:, 1:].any(axis=1))
        keys = sample.points_at(named)
        # Keys that occur, with their counts; keys that do not occur are never looked at
        # (docs/proofs/lookup.md, Theorem 1).
        entries = self.mechanism.draw_counts(keys, sample.counts[named], receipt=receipt)
        return LookupTable(self.hypotheses.domain, self.hypotheses.labels, entries)


@lru_cache(maxsize=16)
def _miss_chances(mechanism: LabelSelection[Any]) -> NDArray[np.float64]:
    """1 - q(0), 1 - q(1), ..., until it is below 1e-30, which the margin covers."""
    require_curve(mechanism.budget)
    # From 1 on the weights grow by a factor of at most e^(epsilon / 2), up to 1e30.
    require_values(int(138 / mechanism.epsilon), MOST_STEPS)
    found = [1.0]
    while found[-1] > 1e-30:
        require_values(len(found), MOST_STEPS)
        if mechanism.weight(len(found) - 1)[0] >= 1:
            # 1 - q = 1 / (2 w) from here on, and w grows by the factor r.
            found.append(found[-1] / float(mechanism.base) * (1 + 1e-15))
        else:
            found.append(float(1 - mechanism.chance(len(found))))
    return np.array(found)


BITS = 18


class BucketLearner(PrivateLearner[Any]):
    """Release a label for each of 2^bits public buckets, to which keys are hashed: `BucketLabels`.

    epsilon-DP for every sample, with delta = 0.  Every bucket is released, whether or not it has
    records.  So a key needs enough records to tell its label from the others, but none to hide that it
    occurs.  All keys of a bucket have one label.  A key without records has the label of its bucket,
    and an empty bucket has an arbitrary label.  A label wins over one with t more records in its bucket
    with probability at most e^(-epsilon t / 2).  Nothing is proved against the class of lookup tables,
    because keys that share a bucket may have different labels.  Time: O(distinct points + 2^bits).

    Raises `DeclarationError` for other classes, and unless 1 <= bits <= 20.  docs/proofs/lookup.md,
    Theorem 4.

    >>> from littlestone.points import Strings
    >>> H = Lookup(Strings("tailnum"), 3, 2)
    >>> print(BucketLearner(H, Budget(1)).event)
    permute-and-flip on 3 labels in each of 262144 buckets, epsilon 1
    """

    method = "buckets"
    several = True
    caveat = Caveat.UNNAMED_KEYS
    tolerates_label_noise = True
    takes_void = True

    def __init__(
        self,
        hypotheses: HypothesisClass[Any],
        budget: Budget,
        *,
        bits: int = BITS,
    ) -> None:
        super().__init__(hypotheses, budget)
        lookup = require_lookup(hypotheses, self.method)
        if type(bits) is not int or not 1 <= bits <= 20:
            raise DeclarationError(
                f"hash keys to 2^{bits!r} buckets",
                found="bits is a whole number from 1 to 20",
                fix="give about the logarithm of twice the number of keys, such as 16",
            )
        self.hypotheses: Lookup = lookup
        self.bits = bits
        self.mechanism = BucketLabels(budget.epsilon, 1 << bits, lookup.labels)

    def draw(self, sample: Sample[Any], *, receipt: Receipt) -> BucketTable:
        given = self.mechanism.draw_counts(self.counts(sample), receipt=receipt)
        return BucketTable(self.hypotheses.domain, self.hypotheses.labels, given)

    def counts(self, sample: Sample[Any]) -> dict[int, list[int]]:
        """The number of records of each label, for every bucket with records.  Never released."""
        found: dict[int, list[int]] = {}
        for x, row in zip(sample.points, sample.counts.tolist(), strict=True):
            # A public hash: which bucket a key belongs to depends on the key alone.
            here = found.setdefault(bucket_of(x, self.bits), [0] * len(row))
            here[:] = map(int.__add__, here, row)
        return found


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
