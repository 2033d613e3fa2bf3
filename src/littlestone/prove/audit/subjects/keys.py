"""Keys: which are released, and with which labels."""

from __future__ import annotations

from collections.abc import Iterator
from fractions import Fraction
from itertools import combinations, product

from littlestone.privacy.cost import Budget
from littlestone.privacy.mechanisms.keys.bucket_labels import BucketLabels
from littlestone.privacy.mechanisms.keys.label_selection import LabelSelection
from littlestone.privacy.mechanisms.keys.partition_selection import PartitionSelection
from littlestone.privacy.mechanisms.keys.rest_selection import RestSelection
from littlestone.privacy.mechanisms.keys.single_key_selection import SingleKeySelection
from littlestone.privacy.parameters import least
from littlestone.prove.audit.neighbours import neighbours
from littlestone.prove.audit.subject import Subject, mechanism_subject, subject

Records = tuple[tuple[str, bool], ...]

RECORDS: Records = tuple(product("abc", (False, True)))
PAIRS = tuple(combinations(RECORDS, 2))


@subject("partition-selection")
def partition_selection(epsilon: Fraction, delta: Fraction) -> Subject[Records]:
    """Partition selection of keys with labels; needs a delta."""
    mechanism = PartitionSelection[str](Budget(epsilon, delta))
    many = (("a", True), ("b", True)) * 5
    return mechanism_subject(
        mechanism,
        pairs=[
            *neighbours(RECORDS, 3, ordered=False),
            ((("a", True), *many), (("a", False), *many)),
        ],
        large=((("a", True), *many * 5), (("a", False), *many * 5)),
        read=lambda records: records,
    )


@subject(
    "rest-selection",
    id="Keys",
    code="privacy.mechanisms.keys.rest_selection",
    proof="proofs/partition-selection.md#theorem-3-all-keys",
)
def rest_selection(epsilon: Fraction, delta: Fraction) -> Subject[Records]:
    """Partition selection that may release all keys there are; needs a delta."""
    mechanism = RestSelection[str](Budget(epsilon, delta))
    half = least(lambda score: 2 * mechanism.curve(score) >= 1)
    # Around a key that is often released, where the rest without it is even or has more of one label.
    rests = [
        (("a", True),) * (half + 2) + (("b", y),) * b
        for y, b in ((False, half + 2), (False, half // 2), (True, half // 2))
    ]
    return mechanism_subject(
        mechanism,
        pairs=[
            *neighbours(RECORDS, 3, ordered=False),
            *((((*rest, one), (*rest, other))) for rest in rests for one, other in PAIRS),
        ],
        large=((*rests[0], ("a", True)), (*rests[0], ("a", False))),
        read=lambda records: records,
        release=lambda keys: "all" if keys is None else keys,
    )


@subject("single-key-selection")
def single_key_selection(epsilon: Fraction, delta: Fraction) -> Subject[Records]:
    """Single-key selection, which reads positive records only; needs a delta."""
    mechanism = SingleKeySelection[str](Budget(epsilon, delta))
    many = (("a", True), ("b", True)) * 7
    # Keys that are all certain to fire, so that one of them is drawn uniformly.
    sure = least(lambda score: mechanism.curve(score) == 1) + 1
    tied = tuple((key, True) for key in "abcdefghijkl") * sure
    return mechanism_subject(
        mechanism,
        pairs=[
            *neighbours(RECORDS, 3, ordered=False),
            ((("a", True), *many), (("b", True), *many)),
            ((("a", True), *tied), (("a", False), *tied)),
        ],
        large=((("a", True), *many), (("b", True), *many)),
        read=lambda records: records,
    )


Labelled = tuple[tuple[str, int], ...]

LABELLED: Labelled = tuple(product("ab", (0, 1, 2)))


def neighbours_at_bottom(mechanism: LabelSelection[str]) -> Iterator[tuple[Labelled, Labelled]]:
    """Neighbours around a key whose labels are as likely as bottom, alone or beside each other."""
    half = least(lambda count: 2 * mechanism.chance(count) >= 1)
    for rest in ((("a", 1),) * half, (("a", 1), ("a", 2)) * half, (("a", 0), ("a", 1)) * half):
        for one, other in combinations(LABELLED, 2):
            yield (*rest, one), (*rest, other)


@subject("label-selection")
def label_selection(epsilon: Fraction, delta: Fraction) -> Subject[Labelled]:
    """Label selection of keys with a label each, of three labels; needs a delta."""
    mechanism = LabelSelection[str](Budget(epsilon, delta))
    pairs = (*neighbours(LABELLED, 3, ordered=False), *neighbours_at_bottom(mechanism))
    return mechanism_subject(mechanism, pairs=pairs, large=pairs[-1], read=lambda records: records)


Bucketed = tuple[tuple[int, int], ...]

BUCKETED: Bucketed = tuple(product(range(2), range(3)))


def sure() -> Iterator[tuple[Bucketed, Bucketed]]:
    """Neighbours beside many records with label 0, so that one record moves the others most."""
    for rest in (((0, 0), (1, 0)) * 8, ((0, 0), (0, 1)) * 4):
        for one, other in combinations(BUCKETED, 2):
            yield (*rest, one), (*rest, other)


@subject("bucket-labels")
def bucket_labels(epsilon: Fraction, delta: Fraction) -> Subject[Bucketed]:
    """A label for each of two buckets, of three labels; spends no delta."""
    pairs = (*neighbours(BUCKETED, 2, ordered=False), *sure())
    mechanism = BucketLabels(epsilon, buckets=2, labels=3)
    return mechanism_subject(mechanism, pairs=pairs, large=pairs[-1], read=lambda records: records)
