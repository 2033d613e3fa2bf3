"""The learner of labels for buckets of hashed keys.  No key is named, and no delta is spent."""

from __future__ import annotations

from typing import Any

from littlestone.base.errors import DeclarationError
from littlestone.classes import HypothesisClass, Lookup
from littlestone.data.sample import Sample
from littlestone.learn.base import Caveat, PrivateLearner
from littlestone.learn.lookup import require_lookup
from littlestone.privacy.cost import Budget
from littlestone.privacy.ledger import Receipt
from littlestone.privacy.mechanisms.bucket_labels import BucketLabels
from littlestone.rules.lookup import BucketTable, bucket_of

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
