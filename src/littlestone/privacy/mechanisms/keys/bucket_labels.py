"""A label for each of a declared number of buckets, by permute-and-flip in each of them."""

from __future__ import annotations

import random
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from fractions import Fraction
from functools import cache

import numpy as np

from littlestone.classes.base import ErrorRuns
from littlestone.errors import DeclarationError
from littlestone.privacy.cost import PrivacyCost, decimal_text, require_epsilon
from littlestone.privacy.ledger import Receipt
from littlestone.privacy.mechanisms.base import Mechanism
from littlestone.privacy.mechanisms.scores.permute_and_flip import PermuteAndFlip
from littlestone.privacy.samplers.reals import Real
from littlestone.privacy.samplers.uniform import bernoulli

MOST_BUCKETS = 1 << 20


@dataclass(frozen=True)
class BucketLabels(Mechanism[Iterable[tuple[int, int]], tuple[int, ...]]):
    """In every bucket: visit the labels in random order, take the first whose coin shows heads.

    A record is (bucket, label).  A label with c of the records of its bucket has a coin of bias
    r^(c - max c), with a rational r <= e^(epsilon / 2); an empty bucket has a uniform label.

    epsilon-DP for every input under replacement of one record, its bucket and its label; a record that
    comes or goes moves every probability by a factor r at most, and one that is replaced does both.
    No delta is spent, as no bucket depends on the records for being there.  docs/proofs/lookup.md,
    Theorem 4.  Time: O(labels) a bucket that has records, one whole number for any other.

    Raises `DeclarationError` unless 1e-9 <= epsilon <= 1000, 1 <= buckets <= 2^20 and labels >= 2.

    >>> mechanism = BucketLabels(Fraction(1), buckets=2, labels=3)
    >>> [round(float(p), 3) for p in mechanism.chances([9, 1, 0])]
    [0.985, 0.009, 0.006]
    """

    epsilon: Fraction
    buckets: int
    labels: int

    def __post_init__(self) -> None:
        require_epsilon(self.epsilon)
        whole = type(self.buckets) is int and type(self.labels) is int
        if not whole or not 1 <= self.buckets <= MOST_BUCKETS or self.labels < 2:
            raise DeclarationError(
                f"release one of {self.labels} labels for each of {self.buckets} buckets",
                found=f"there are 1 to {MOST_BUCKETS:,} buckets, and 2 labels or more",
                fix="give whole numbers in these ranges",
            )

    def cost(self) -> PrivacyCost:
        return PrivacyCost(self.epsilon)

    @property
    def base(self) -> Fraction:
        """The factor r that a record is worth."""
        return PermuteAndFlip(self.epsilon).base

    def draw(self, data: Iterable[tuple[int, int]], *, receipt: Receipt) -> tuple[int, ...]:
        rng = receipt.redeem(self)
        return self._release(self.tally(data), rng)

    def draw_counts(
        self, counts: Mapping[int, Sequence[int]], *, receipt: Receipt
    ) -> tuple[int, ...]:
        """`draw` for records that are counted already, as `tally` does."""
        rng = receipt.redeem(self)
        return self._release(counts, rng)

    def tally(self, data: Iterable[tuple[int, int]]) -> dict[int, list[int]]:
        """Of each bucket that has records, how many have each label.  Never released."""
        counts: dict[int, list[int]] = {}
        for bucket, label in data:
            counts.setdefault(bucket, [0] * self.labels)[label] += 1
        return counts

    def chances(self, of_bucket: Sequence[int]) -> list[Fraction]:
        """The probability of each label of one bucket.  For audits."""
        gaps = np.array(of_bucket)
        exact = PermuteAndFlip(self.epsilon).distribution(ErrorRuns(gaps.max() - gaps))
        return list(exact.values())

    def distribution(self, data: Iterable[tuple[int, int]]) -> dict[tuple[int, ...], Fraction]:
        counts = self.tally(data)
        masses: dict[tuple[int, ...], Fraction] = {(): Fraction(1)}
        for bucket in range(self.buckets):
            chances = self.chances(counts.get(bucket, [0] * self.labels))
            masses = {
                (*before, label): mass * chance
                for before, mass in masses.items()
                for label, chance in enumerate(chances)
            }
        return masses

    def _release(self, counts: Mapping[int, Sequence[int]], rng: random.Random) -> tuple[int, ...]:
        r = self.base

        @cache
        def coin(gap: int) -> Real:
            return Real(cache(Real.of(1 / r).power(gap).enclose))

        return tuple(
            _winner(counts[bucket], coin, rng) if bucket in counts else rng.randrange(self.labels)
            for bucket in range(self.buckets)
        )

    def __str__(self) -> str:
        return (
            f"permute-and-flip on {self.labels} labels in each of {self.buckets} buckets, "
            f"epsilon {decimal_text(self.epsilon)}"
        )


def _winner(counts: Sequence[int], coin: Callable[[int], Real], rng: random.Random) -> int:
    """In random order, the first label whose coin shows heads; that of a best one does for certain."""
    left, most = list(range(len(counts))), max(counts)
    while True:
        # Of the labels not yet visited one is taken, and the last one fills its place.
        place = rng.randrange(len(left))
        label, left[place] = left[place], left[-1]
        left.pop()
        if counts[label] == most or bernoulli(coin(most - counts[label]), rng):
            return label
