"""Partition selection and single-key selection, on all tiny samples of labelled keys."""

from __future__ import annotations

from fractions import Fraction
from itertools import product

from littlestone.audit.neighbours import neighbours
from littlestone.audit.subject import Subject, mechanism_subject, subject
from littlestone.privacy.budget import Budget
from littlestone.privacy.mechanisms.keys.partition_selection import PartitionSelection
from littlestone.privacy.mechanisms.keys.single_key_selection import SingleKeySelection
from littlestone.privacy.parameters import least

Records = tuple[tuple[str, bool], ...]

RECORDS: Records = tuple(product("abc", (False, True)))


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
