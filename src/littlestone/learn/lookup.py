"""The learners of lookup tables: labels for the keys that records name, or for all public buckets."""

from __future__ import annotations

from functools import lru_cache
from typing import Any

import numpy as np
from numpy.typing import NDArray

from littlestone.base.errors import DeclarationError
from littlestone.classes import HypothesisClass, Lookup
from littlestone.data.sample import Sample
from littlestone.learn.base import Caveat, PrivateLearner, unfit
from littlestone.learn.plan.missed import (
    MOST_STEPS,
    KeySizes,
    SizedByKeys,
    require_curve,
    require_values,
)
from littlestone.privacy.cost import Budget
from littlestone.privacy.ledger import Receipt
from littlestone.privacy.mechanisms.bucket_labels import BucketLabels
from littlestone.privacy.mechanisms.label_selection import LabelSelection
from littlestone.rules import LookupTable
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
