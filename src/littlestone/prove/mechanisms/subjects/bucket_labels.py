"""Labels of buckets, on all tiny samples of two buckets and three labels."""

from __future__ import annotations

from collections.abc import Iterator
from fractions import Fraction
from itertools import combinations, product

from littlestone.privacy.mechanisms.keys.bucket_labels import BucketLabels
from littlestone.prove.mechanisms.neighbours import neighbours
from littlestone.prove.mechanisms.subject import Subject, mechanism_subject, subject

Records = tuple[tuple[int, int], ...]

RECORDS: Records = tuple(product(range(2), range(3)))


def sure() -> Iterator[tuple[Records, Records]]:
    """Neighbours beside many records with label 0, so that one record moves the others most."""
    for rest in (((0, 0), (1, 0)) * 8, ((0, 0), (0, 1)) * 4):
        for one, other in combinations(RECORDS, 2):
            yield (*rest, one), (*rest, other)


@subject("bucket-labels")
def bucket_labels(epsilon: Fraction, delta: Fraction) -> Subject[Records]:
    """A label for each of two buckets, of three labels; spends no delta."""
    pairs = (*neighbours(RECORDS, 2, ordered=False), *sure())
    mechanism = BucketLabels(epsilon, buckets=2, labels=3)
    return mechanism_subject(mechanism, pairs=pairs, large=pairs[-1], read=lambda records: records)
