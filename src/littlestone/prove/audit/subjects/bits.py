"""Learners of several labels by their bits: from records to the text of the released classifier."""

from __future__ import annotations

from collections.abc import Callable, Hashable, Mapping, Sequence
from fractions import Fraction
from functools import partial
from itertools import product
from math import prod
from typing import Any

from littlestone.classes import FiniteClass
from littlestone.data.sample import Sample
from littlestone.learn import BitPartsLearner, BitsLearner, ExponentialLearner
from littlestone.learn.papers.voting import orders
from littlestone.privacy.cost import Budget
from littlestone.prove.audit.neighbours import neighbours
from littlestone.prove.audit.subject import Subject, subject
from littlestone.prove.audit.subjects.exponential_learner import Records, fits, released_text

# Three labels of one point: codes up to 3, of which the last is no label.
H = FiniteClass.from_array([[0], [1], [2]], labels=3)
RECORDS: Records = tuple(product(H.domain.points, range(H.labels)))
read: Callable[[Records], Sample[str]] = partial(Sample.from_examples, H.domain, labels=H.labels)

Masses = Mapping[Hashable, Fraction]


def together(
    learner: BitsLearner[Any] | BitPartsLearner[Any], parts: Sequence[Sample[Any]]
) -> Masses:
    """The exact law of the release if learner i sees ``parts[i]``."""
    laws = []
    for binary, part in zip(learner.learners, parts, strict=True):
        if not isinstance(binary, ExponentialLearner):
            raise TypeError
        laws.append(list(binary.distribution(part).items()))
    masses: dict[Hashable, Fraction] = {}
    for choice in product(*laws):
        text = released_text(learner.classifier([h for h, _ in choice]))
        masses[text] = masses.get(text, Fraction(0)) + prod(mass for _, mass in choice)
    return masses


def by_orders(learner: BitPartsLearner[Any], sample: Sample[Any]) -> Masses:
    """The exact law over all orders of the records."""
    total: dict[Hashable, Fraction] = {}
    for parts, chance in orders(sample, len(learner.learners)):
        for text, mass in together(learner, learner.parts(parts)).items():
            total[text] = total.get(text, Fraction(0)) + chance * mass
    return total


def on_pairs(
    learner: BitsLearner[Any] | BitPartsLearner[Any], law: Callable[[Records], Masses]
) -> Subject[Records]:
    """The learner on all neighbouring samples of four records, and on a pair of a hundred."""
    many = RECORDS * 33
    pairs = tuple(neighbours(RECORDS, 4, ordered=False))
    return Subject(
        learner.event, law, pairs, fits(learner, read), ((RECORDS[0], *many), (RECORDS[2], *many))
    )


@subject("bits-learner")
def bits(epsilon: Fraction, delta: Fraction) -> Subject[Records]:
    """Three labels learned by their two bits, each from all records, under one budget."""
    learner = BitsLearner(H, Budget(epsilon, delta), binary=ExponentialLearner)

    def law_of_bits(data: Records) -> Masses:
        sample = read(data)
        return together(learner, [learner.bit(sample, i) for i in range(H.bits)])

    return on_pairs(learner, law_of_bits)


@subject("bit-parts-learner")
def bit_parts(epsilon: Fraction, delta: Fraction) -> Subject[Records]:
    """Three labels learned by their two bits, each from a random part of the records."""
    learner = BitPartsLearner(H, Budget(epsilon, delta), binary=ExponentialLearner)
    return on_pairs(learner, lambda data: by_orders(learner, read(data)))
