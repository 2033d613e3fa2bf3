"""A label for each of a declared number of buckets, by permute-and-flip in each bucket."""

from __future__ import annotations

import random
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from fractions import Fraction
from functools import cache, cached_property

import numpy as np

from littlestone.base.errors import DeclarationError
from littlestone.points.labels import MOST_LABELS
from littlestone.privacy.cost import PrivacyCost, decimal_text, require_epsilon
from littlestone.privacy.event import Mechanism
from littlestone.privacy.ledger import Receipt
from littlestone.privacy.rational import exp_below
from littlestone.privacy.samplers.arrays import permute_and_flip
from littlestone.privacy.samplers.reals import Real

MOST_BUCKETS = 1 << 20
_AT_ONCE = 1 << 18  # candidates


@dataclass(frozen=True)
class BucketLabels(Mechanism[Iterable[tuple[int, int]], tuple[int, ...]]):
    """In every bucket, visit the labels in random order and take the first whose coin shows heads.

    A record is (bucket, label).  If c records of the bucket have a label, its coin has bias
    r^(c - max c), with a rational r <= e^(epsilon / 2).  An empty bucket gets a uniform label.

    epsilon-DP for every input under replacement of one record, with its bucket and label.  A record
    that is added or removed moves every probability by at most a factor r; a replaced record does both.
    No delta is spent, because every bucket is released, with or without records.  Source:
    docs/proofs/lookup.md, Theorem 4.  Time: O(labels) for a bucket.

    Raises `DeclarationError` unless 1e-9 <= epsilon <= 1000, 1 <= buckets <= 2^20 and
    2 <= labels <= 1000.

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
        # Limits, so that the tables of counts fit in memory after a spend.
        sound = 1 <= self.buckets <= MOST_BUCKETS and 2 <= self.labels <= MOST_LABELS
        if not whole or not sound:
            raise DeclarationError(
                f"release one of {self.labels} labels for each of {self.buckets} buckets",
                found=f"there are 1 to {MOST_BUCKETS:,} buckets, and 2 to {MOST_LABELS:,} labels",
                fix="give whole numbers in these ranges",
            )

    def cost(self) -> PrivacyCost:
        return PrivacyCost(self.epsilon)

    @cached_property
    def base(self) -> Fraction:
        """The factor r by which one record moves a probability, at most."""
        return exp_below(self.epsilon / 2)

    def draw(self, data: Iterable[tuple[int, int]], *, receipt: Receipt) -> tuple[int, ...]:
        # The receipt first: a refusal must not depend on the records, and nothing after it can
        # fail.
        rng = receipt.redeem(self)
        return self._release(self.tally(data), rng)

    def draw_counts(
        self, counts: Mapping[int, Sequence[int]], *, receipt: Receipt
    ) -> tuple[int, ...]:
        """`draw` for records that are already counted, as by `tally`."""
        rng = receipt.redeem(self)
        return self._release(counts, rng)

    def tally(self, data: Iterable[tuple[int, int]]) -> dict[int, list[int]]:
        """The number of records with each label, for each bucket with records.  Never released."""
        counts: dict[int, list[int]] = {}
        for bucket, label in data:
            counts.setdefault(bucket, [0] * self.labels)[label] += 1
        return counts

    def chances(self, of_bucket: Sequence[int]) -> list[Fraction]:
        """The probability of each label in one bucket.  For audits."""
        return flip_chances([self.base ** (count - max(of_bucket)) for count in of_bucket])

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
        power, empty, found = Real.of(1 / self.base).power, [0] * self.labels, list[int]()
        # Coins depend on the gap alone, so buckets with equal gaps share one enclosure.
        coin = cache(lambda gap: Real(cache(power(gap).enclose)))
        step = 1 + _AT_ONCE // self.labels
        for first in range(0, self.buckets, step):
            # Every bucket is released, empty ones too, so nothing shows which buckets have records.
            # The buckets' races are independent (docs/proofs/lookup.md, Theorem 4).
            these = range(first, min(first + step, self.buckets))
            table = np.array([counts.get(bucket, empty) for bucket in these], np.int64)
            gaps, which = np.unique(table.max(axis=1)[:, None] - table, return_inverse=True)
            coins, sizes = [*map(coin, gaps.tolist())], np.full(len(table), self.labels)
            winners = permute_and_flip(sizes, coins, which.ravel(), rng)
            found += (winners % self.labels).tolist()
        return tuple(found)

    def __str__(self) -> str:
        return (
            f"permute-and-flip on {self.labels} labels in each of {self.buckets} buckets, "
            f"epsilon {decimal_text(self.epsilon)}"
        )


def flip_chances(coins: Sequence[Fraction]) -> list[Fraction]:
    """The law of permute-and-flip: in random order, the first item whose coin shows heads.

    Item i, with a coin of bias q_i, wins with probability q_i times the integral over 0 <= t <= 1 of
    the product of all other 1 - q_k t (docs/proofs/permute-and-flip.md, Theorem 1).  One coin is 1.

    >>> flip_chances([Fraction(1), Fraction(1, 2)])
    [Fraction(3, 4), Fraction(1, 4)]
    """
    found = []
    for i, own in enumerate(coins):
        others = [Fraction(1)]  # the coefficients of the product, from t^0 on
        for q in (*coins[:i], *coins[i + 1 :]):
            pairs = zip([*others, Fraction(0)], [Fraction(0), *others], strict=True)
            others = [here - q * before for here, before in pairs]
        found.append(own * sum((c / (m + 1) for m, c in enumerate(others)), Fraction(0)))
    return found
