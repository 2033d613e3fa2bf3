"""Mistakes in learning several labels bit by bit."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from fractions import Fraction
from typing import Any

from littlestone.learn import BitPartsLearner, BitsLearner, ExponentialLearner
from littlestone.privacy import Budget
from littlestone.prove.audit import Subject, find_subject
from littlestone.prove.audit.subjects.reductions import H, by_orders, read, together
from littlestone.prove.audit.subjects.whole_learners import Records
from littlestone.rules import BitFunction
from plants.harness import Masses, Plant, is_private

ONE = Fraction(1)
PARTS = find_subject("bit-parts-learner").make(ONE, Fraction(0))
BITS = find_subject("bits-learner").make(ONE, Fraction(0))
LEARNER = BitPartsLearner(H, Budget(1), binary=ExponentialLearner)


def bits_all_records(records: Records) -> Any:
    sample = read(records)
    return together(LEARNER, [LEARNER.bit(sample, i) for i in range(H.bits)])


def bits_parts_in_label_order(records: Records) -> Any:
    half = len(records) // 2
    ordered = sorted(records, key=lambda record: record[1])
    parts = [ordered[:half], ordered[half : 2 * half]]
    return together(LEARNER, [LEARNER.bit(read(tuple(part)), i) for i, part in enumerate(parts)])


def bits_majority_above(records: Records) -> Any:
    counts = read(records).counts.sum(axis=0)
    return by_orders(_other(int(counts.argmax())), read(records))


def _other(other: int) -> BitPartsLearner[Any]:
    return BitPartsLearner(H, Budget(1), binary=ExponentialLearner, other=other)


def bits_only_that_occur(records: Records) -> Any:
    """A bit that no label of the sample has is not learned; it is 0."""

    class Skipping(BitsLearner[Any]):
        def classifier(self, bits: Any) -> BitFunction:
            zeros = [H.bit_class(i).hypothesis(0) for i in range(H.bits)]
            seen = [LEARNER.bit(read(records), i).positives.any() for i in range(H.bits)]
            chosen = zip(bits, zeros, seen, strict=True)
            return super().classifier([h if any_ else zero for h, zero, any_ in chosen])

    learner = Skipping(H, Budget(1), binary=ExponentialLearner)
    sample = read(records)
    return together(learner, [learner.bit(sample, i) for i in range(H.bits)])


def _plant(broken: Callable[[Records], Masses], mistake: str, honest: Subject[Any]) -> Plant:
    return Plant(broken.__name__, mistake, is_private, honest, replace(honest, distribution=broken))


PLANTS = [
    _plant(bits_all_records, "Every bit is learned from all records, at the cost of one.", PARTS),
    _plant(
        bits_parts_in_label_order,
        "The parts of the bits are chosen by the labels: sorted, then cut.",
        PARTS,
    ),
    _plant(bits_majority_above, "A code above k is the label that is most frequent.", PARTS),
    _plant(bits_only_that_occur, "A bit that no label in the sample has is not drawn.", BITS),
]
