"""Mechanisms on lists, keys, buckets, values and scores, and the learner that peels elements."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from fractions import Fraction
from itertools import combinations, product
from typing import Any

import numpy as np

from littlestone.classes import Subsets
from littlestone.learn import ChoosingLearner
from littlestone.points import Integers
from littlestone.privacy.cost import Budget
from littlestone.privacy.mechanisms.above_threshold import AboveThreshold, SparseVector
from littlestone.privacy.mechanisms.bucket_labels import BucketLabels
from littlestone.privacy.mechanisms.choosing import ChoosingMechanism
from littlestone.privacy.mechanisms.exponential import ExponentialMechanism
from littlestone.privacy.mechanisms.label_selection import LabelSelection
from littlestone.privacy.mechanisms.partition_selection import (
    Histogram,
    PartitionSelection,
    RestSelection,
    SingleKeySelection,
    StableHistogram,
)
from littlestone.privacy.mechanisms.selection_from_lists import SparseSampling
from littlestone.privacy.parameters import least
from littlestone.privacy.scores import ErrorRuns
from littlestone.prove.audit.claims import neighbours
from littlestone.prove.audit.subject import Subject, mechanism_subject, subject
from littlestone.prove.audit.subjects.whole_learners import Records, by_sample, subject_of_learner

Lists = tuple[tuple[int, ...], ...]

# Empty, repeating, in both orders, and longer than the two items that count.
LISTS: Lists = ((), (0,), (0, 1), (1, 0, 2), (1, 1), (2, 2, 3))


@subject("sparse-sampling", id="Lyu25 Algorithm 1", status="changed")
def sparse_sampling(epsilon: Fraction, delta: Fraction) -> Subject[Lists]:
    """Sparse sampling from lists of at most two items; needs a delta.

    code: privacy.mechanisms.selection_from_lists.SparseSampling
    proof: proofs/sparse-sampling.md#theorem-1-privacy
    """
    mechanism = SparseSampling[int](Budget(epsilon, delta), list_size=2)
    # One item is in most lists, and one is rarer but not as rare as bottom, so each list matters.
    many = ((0,),) * (mechanism.bottom + 6) + ((1,),) * (mechanism.bottom + 3)
    crowded = [((*many, one), (*many, other)) for one, other in combinations(LISTS, 2)]
    return mechanism_subject(
        mechanism,
        pairs=[*neighbours(LISTS, 3, ordered=False), *crowded],
        large=((*many, (1,)), (*many, (0,))),
    )


Keys = tuple[str | None, ...]


@subject("stable-histogram", id="BLM20 Lemma 15")
def stable_histogram(epsilon: Fraction, delta: Fraction) -> Subject[Keys]:
    """The stable histogram of one key a record; needs a delta.

    code: privacy.mechanisms.partition_selection.StableHistogram
    proof: proofs/stable-histogram.md#theorem-1-privacy-blm20-lemma-15-with-its-constants
    """
    mechanism = StableHistogram[str](Budget(epsilon, delta))

    def cell(keys: Keys, released: Histogram[str]) -> Histogram[str]:
        most = max(mechanism.threshold, len(keys))
        return frozenset((key, min(count, most)) for key, count in released)

    # A record moves from one key to another, both at the threshold.
    many: Keys = ("a", "b") * mechanism.threshold
    one_at_it: Keys = ("a",) * (mechanism.threshold - 1)
    return mechanism_subject(
        mechanism,
        pairs=[
            *neighbours((None, "a", "b", "c"), 3, ordered=False),
            (("a", *one_at_it), ("b", *one_at_it)),
        ],
        large=(("a", *many), ("b", *many)),
        cell=cell,
    )


Values = tuple[int, ...]

# Tests at the threshold that do not hit, then one below it that does: a replaced record moves each
# value in its own direction.
LARGE = (0,) * 2 + (-1,), (1,) * 2 + (-2,)


def neighbouring_values(tests: int) -> Iterator[tuple[Values, Values]]:
    """Pairs of values of ``tests`` tests, near a threshold of 0, that differ by at most 1 in each.

    >>> list(neighbouring_values(1))
    [((-1,), (0,)), ((0,), (1,))]
    """
    near = list(product((-1, 0, 1), repeat=tests))
    for one, other in product(near, repeat=2):
        if one < other and all(abs(x - y) <= 1 for x, y in zip(one, other, strict=True)):
            yield one, other


@subject("sparse-vector", id="Sparse vector technique")
def sparse_vector(epsilon: Fraction, delta: Fraction) -> Subject[Values]:
    """The sparse vector technique up to one hit, any values; spends no delta.

    code: privacy.mechanisms.above_threshold.SparseVector
    proof: proofs/sparse-vector.md#theorem-1-privacy
    """
    return mechanism_subject(
        SparseVector.within(epsilon, threshold=0),
        pairs=[*neighbouring_values(2), ((0, 0, -4), (1, 1, -5))],
        large=LARGE,
    )


@subject("above-threshold", id="Lyu25 Algorithm 2", status="mended")
def above_threshold(epsilon: Fraction, delta: Fraction) -> Subject[Values]:
    """AboveThreshold with fresh noise up to one hit; needs a delta.

    code: privacy.mechanisms.above_threshold.AboveThreshold
    proof: proofs/above-threshold.md#theorem-2-the-exact-worst-case
    """
    return mechanism_subject(
        AboveThreshold(budget=Budget(epsilon, delta), threshold=0),
        pairs=[*neighbouring_values(2), ((0,) * 6, (1,) * 6)],
        large=LARGE,
    )


KeyedRecords = tuple[tuple[str, bool], ...]

RECORDS: KeyedRecords = tuple(product("abc", (False, True)))
PAIRS = tuple(combinations(RECORDS, 2))


@subject("partition-selection")
def partition_selection(epsilon: Fraction, delta: Fraction) -> Subject[KeyedRecords]:
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
    )


@subject("rest-selection", id="Keys")
def rest_selection(epsilon: Fraction, delta: Fraction) -> Subject[KeyedRecords]:
    """Partition selection that may release all keys there are; needs a delta.

    code: privacy.mechanisms.partition_selection
    proof: proofs/partition-selection.md#theorem-3-all-keys
    """
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
        release=lambda keys: "all" if keys is None else keys,
    )


@subject("single-key-selection")
def single_key_selection(epsilon: Fraction, delta: Fraction) -> Subject[KeyedRecords]:
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
    return mechanism_subject(mechanism, pairs=pairs, large=pairs[-1])


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
    return mechanism_subject(mechanism, pairs=pairs, large=pairs[-1])


Errors = tuple[int, ...]


def neighbouring_errors(items: int, most: int) -> Iterator[tuple[Errors, Errors]]:
    """Pairs of vectors of ``items`` error counts up to ``most`` that differ by at most 1 in each.

    >>> list(neighbouring_errors(1, 2))
    [((0,), (1,)), ((1,), (2,))]
    """
    for errors in product(range(most + 1), repeat=items):
        for steps in product((-1, 0, 1), repeat=items):
            other = tuple(error + step for error, step in zip(errors, steps, strict=True))
            if errors < other and min(other) >= 0 and max(other) <= most:
                yield errors, other


@subject("exponential-mechanism")
def exponential_mechanism(epsilon: Fraction, delta: Fraction) -> Subject[Errors]:
    """The exponential mechanism on error counts; spends no delta."""
    return mechanism_subject(
        ExponentialMechanism(epsilon),
        pairs=neighbouring_errors(3, 4),
        # In the sharp case a rare item gains on all others, but it is not too rare to be seen.
        large=((1, *[0] * 9), (0, *[1] * 9)),
        read=lambda errors: ErrorRuns(np.array(errors)),
    )


Covered = tuple[tuple[tuple[str, ...], bool], ...]

# Repeats, both orders, and more than the two hypotheses that count; both labels.
COVERING = ((), ("a",), ("b", "a"), ("b", "a", "c"), ("c", "c", "a"))
COVERED: Covered = tuple(product(COVERING, (True, False)))


def choosing_subject(mechanism: ChoosingMechanism[str]) -> Subject[Covered]:
    """The mechanism on all tiny pairs, and on pairs beside a hypothesis that is as likely as bottom."""
    many: Covered = ((("a",), True),) * -(-mechanism.bottom // mechanism.gain)
    crowded = [((*many, one), (*many, other)) for one, other in combinations(COVERED, 2)]
    return mechanism_subject(
        mechanism,
        pairs=[*neighbours(COVERED, 2, ordered=False), *crowded],
        large=((*many, (("a",), True)), (*many, (("a",), False))),
    )


@subject("choosing-mechanism", id="BNS13")
def choosing_mechanism(epsilon: Fraction, delta: Fraction) -> Subject[Covered]:
    """The choosing mechanism where a record brings at most two hypotheses; needs a delta.

    code: privacy.mechanisms.choosing.ChoosingMechanism
    proof: proofs/choosing.md#theorem-1-privacy
    """
    return choosing_subject(ChoosingMechanism[str](Budget(epsilon, delta), growth=2))


@subject("choosing-mechanism-gain")
def choosing_gain(epsilon: Fraction, delta: Fraction) -> Subject[Covered]:
    """The choosing mechanism where a positive record gains 3 and a negative one loses 1."""
    return choosing_subject(ChoosingMechanism[str](Budget(epsilon, delta), 2, gain=3))


@subject("choosing-mechanism-loss", id="BNS13")
def choosing_loss(epsilon: Fraction, delta: Fraction) -> Subject[Covered]:
    """The choosing mechanism where a positive record gains 2 and a negative one loses 3.

    code: privacy.mechanisms.choosing.ChoosingMechanism
    proof: proofs/choosing.md#theorem-1-privacy
    """
    return choosing_subject(ChoosingMechanism[str](Budget(epsilon, delta), 2, gain=2, loss=3))


EXAMPLES: Records = tuple(product(range(2), (0, 1)))
TINY = tuple(neighbours(EXAMPLES, 2, ordered=False))


def peeling_subject(
    learner: ChoosingLearner[Any], pairs: Iterable[tuple[Records, Records]]
) -> Subject[Records]:
    """The learner on ``pairs``, and on those of `neighbours_of_elements`."""
    listed = [*pairs, *neighbours_of_elements(learner)]
    return subject_of_learner(learner, by_sample(learner), listed)


def neighbours_of_elements(learner: ChoosingLearner[Any]) -> list[tuple[Records, Records]]:
    """Neighbours around samples in which two elements are as likely as bottom, or much likelier."""
    x, y, z = learner.hypotheses.domain.examples(3)
    pairs: list[tuple[Records, Records]] = []
    level = -(-learner.mechanism.bottom // learner.mechanism.gain)
    # Exact laws of large costs have numbers of many digits.
    for times in (level, level + 12) if learner.mistakes.equal else (level,):
        rest: Records = ((x, 1), (y, 1)) * times
        changed = combinations(product((x, z), (0, 1)), 2)
        pairs += [((*rest, one), (*rest, other)) for one, other in changed]
    return pairs


@subject("peeling")
def peeling(epsilon: Fraction, delta: Fraction) -> Subject[Records]:
    """The choosing learner of sets of two points, in two rounds; needs a delta."""
    return peeling_subject(ChoosingLearner(Subsets(Integers(), 2), Budget(epsilon, delta)), TINY)


@subject("peeling-costs")
def peeling_costs(epsilon: Fraction, delta: Fraction) -> Subject[Records]:
    """The same, where a missed positive costs 2 and a false alarm 1; needs a delta."""
    budget = Budget(epsilon, delta)
    return peeling_subject(ChoosingLearner(Subsets(Integers(), 2), budget, cost=(2, 1)), TINY)
