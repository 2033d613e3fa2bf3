"""Mistakes in labels of buckets: each plant is the distribution of what it releases."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from fractions import Fraction
from functools import partial
from typing import Any

from littlestone.privacy.mechanisms.bucket_labels import BucketLabels
from littlestone.privacy.rational import exp_below
from littlestone.prove.audit import Subject, mechanism_subject, neighbours
from littlestone.prove.audit.subjects.lists import BUCKETED, Bucketed, sure
from plants.harness import Plant, is_private

Labels = partial(BucketLabels, Fraction(1), buckets=2, labels=3)


class WholeEpsilonABucket(BucketLabels):
    """Every bucket has all of epsilon, as if a replacement changed one bucket only."""

    def chances(self, of_bucket: Any) -> list[Fraction]:
        return BucketLabels(2 * self.epsilon, 1, self.labels).chances(of_bucket)


class EmptyHasTheDefault(BucketLabels):
    """An empty bucket has the first label for certain."""

    def chances(self, of_bucket: Any) -> list[Fraction]:
        if any(of_bucket):
            return super().chances(of_bucket)
        return [Fraction(1), *[Fraction(0)] * (self.labels - 1)]


class OnlyLabelsWithRecords(BucketLabels):
    """A label without records in the bucket does not compete if another label has one."""

    def chances(self, of_bucket: Any) -> list[Fraction]:
        some = [c for c in of_bucket if c] or of_bucket
        found = iter(super().chances(some))
        return [next(found) if c in some else Fraction(0) for c in of_bucket]


class InTheOrderOfTheLabels(BucketLabels):
    """The labels are visited in their declared order."""

    def chances(self, of_bucket: Any) -> list[Fraction]:
        r, left, found = exp_below(self.epsilon / 2), Fraction(1), []
        for count in of_bucket:
            coin = r ** (count - max(of_bucket))
            found.append(left * coin)
            left *= 1 - coin
        return found


def _subject(kind: Callable[..., Any]) -> Subject[Bucketed]:
    made = kind(Fraction(1), buckets=2, labels=3)
    pairs = [*neighbours(BUCKETED, 2, ordered=False), *sure()]
    subject = mechanism_subject(Labels(), pairs=pairs, large=pairs[0])
    return replace(subject, distribution=made.distribution)


HONEST = _subject(BucketLabels)


def _plant(kind: type[BucketLabels]) -> Plant:
    mistake = (kind.__doc__ or "").partition("\n")[0]
    return Plant(f"buckets_{kind.__name__}", mistake, is_private, HONEST, _subject(kind))


PLANTS = [
    *map(
        _plant,
        [WholeEpsilonABucket, EmptyHasTheDefault, OnlyLabelsWithRecords, InTheOrderOfTheLabels],
    )
]
