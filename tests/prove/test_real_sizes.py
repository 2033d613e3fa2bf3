"""Every subject at real size: what it draws, followed along its choices, against claim and law."""

from __future__ import annotations

import random
from collections import Counter
from collections.abc import Mapping
from fractions import Fraction
from functools import partial
from itertools import cycle
from typing import Any

import pytest
from real_sizes import (
    COSTS,
    DELTA,
    EPSILONS,
    FIXED,
    LARGE,
    LAWS,
    LEFT_OUT,
    NOISY,
    ORDERED,
    REAL,
    SIZES,
    SMALL,
    TINY_LAWS,
    Law,
    count_once,
    faults,
    growing,
    grown,
    in_one_order,
    misses,
    read_once,
    subjects,
    twin,
)

from littlestone.base.errors import TooLargeError
from littlestone.classes import Thresholds
from littlestone.privacy.rational import exp_below
from littlestone.privacy.samplers.noise import discrete_laplace
from littlestone.prove.audit import find_subject, find_subjects
from littlestone.prove.audit.choices import follow
from littlestone.prove.audit.subject import SubjectMaker
from littlestone.prove.audit.subjects.whole_learners import learner_subject
from planting import Fault, plant, turns_red
from whole_grid import WHOLE

THOUSANDTH, HUNDREDTH, ONE, THIRTY = EPSILONS
COSTLY = SubjectMaker(
    "exponential-learner-costly",
    "A missed positive costs 9,999 and a false alarm 2.",
    lambda epsilon, delta: learner_subject(Thresholds.on(0, 2), epsilon, n=2, cost=(9_999, 2)),
    {},
)
COSTS[COSTLY.name] = (9_999, 2)
GROWING = [*growing(), COSTLY]
SCORED = ("conditions-", "exponential-learner-", "trees-learner")
"""Subjects whose law has a slow twin, in which errors are counted one by one."""

QUICK = (
    "bucket-", "choosing-learner-rules", "conditions-", "exponential-learner-m", "label-",
    "open-", "partition-l", "single-key-learner-labels",
)  # fmt: skip
"""Subjects that show most of the code in little time."""


def found(
    named: SubjectMaker,
    n: int | None,
    epsilon: Fraction,
    *,
    even: bool = True,
    runs: int = 200,
    order: int = 0,
) -> list[str]:
    """What is wrong on the last of the pairs, which lies where one record decides most."""
    with pytest.MonkeyPatch.context() as patch:
        read_once(patch)
        return _found(patch, named, n, epsilon, even, runs, order)


def _found(
    patch: pytest.MonkeyPatch,
    named: SubjectMaker,
    n: int | None,
    epsilon: Fraction,
    even: bool,
    runs: int,
    order: int,
) -> list[str]:
    subject, name = named.make(epsilon, DELTA), named.name
    pair = subject.pairs[-1] if n is None else grown(name, subject.pairs[-1], n, even=even)
    law: Law | None = subject.distribution
    if not even:
        law = partial(twin, subject, name) if name.startswith(SCORED) else None
    elif n is not None and any(name.startswith(slow) and n > most for slow, most in LAWS.items()):
        law = None
    if epsilon < 1 and name.startswith(TINY_LAWS):
        law = None
    count_once(subject, patch)
    if name.startswith(ORDERED):
        in_one_order(order, patch)
        law = None
    return faults(subject, pair, runs, law)


@pytest.mark.parametrize(
    "named",
    [n for n in GROWING if n.name.startswith(QUICK)],
    ids=lambda named: named.name,
)
def test_draws_among_many_records(named: SubjectMaker) -> None:
    assert found(named, REAL, HUNDREDTH) == []


COUNTED = [
    (named.name, way)
    for named in find_subjects()
    for way in ("scores", "tally")
    if hasattr(named.make(ONE, DELTA).event, way) and "learner" not in named.name
]


@pytest.mark.parametrize(("name", "way"), COUNTED)
def test_counts_are_sums_over_records(name: str, way: str) -> None:
    """Of thousands of records in any order: each adds what it adds to one of each kind."""
    subject = find_subject(name).make(ONE, DELTA)
    count = getattr(subject.event, way)
    kinds = list(dict.fromkeys(record for pair in subject.pairs for record in pair[0]))
    once = flat(count(kinds))
    records, expected = kinds * 1, Counter(once)
    for kind, times in zip(kinds, cycle((3_000, 1, 1_001, 299)), strict=False):
        records += [kind] * times
        more = flat(count([*kinds, kind]))
        for key in {*more, *once}:
            expected[key] += times * (more.get(key, 0) - once.get(key, 0))
    random.Random(3).shuffle(records)
    assert flat(count(records)) == expected


def flat(counts: Any) -> dict[Any, int]:
    """The numbers in a nest of maps and lists, each with the way to it."""
    if isinstance(counts, int):
        return {(): counts}
    listed = counts.items() if isinstance(counts, Mapping) else enumerate(counts)
    return {(key, *way): n for key, part in listed for way, n in flat(part).items()}


# Each subject at 3,000 records and in turn at one other size, with the epsilons in turn.
GRID = [
    pytest.param(named, n, epsilon, id=f"{named.name}-{n}-{epsilon}")
    for i, named in enumerate(GROWING)
    for j, n in enumerate(SIZES)
    for k, epsilon in enumerate(EPSILONS)
    if WHOLE or ((i + j) % len(EPSILONS) == k and (n == REAL or (n == LARGE) == (i % 2 == 0)))
]
MINUTES = "a table of units is read record by record, for minutes; WHOLE_GRID=1 runs it"
BEYOND = [
    pytest.param(named, epsilon, id=f"{named.name}-{epsilon}")
    for i, named in enumerate(GROWING)
    for k, epsilon in enumerate(EPSILONS)
    if WHOLE or i % len(EPSILONS) == k
]


@pytest.mark.deep
@pytest.mark.parametrize(("named", "n", "epsilon"), GRID)
def test_draws_at_every_size(named: SubjectMaker, n: int, epsilon: Fraction) -> None:
    if n == LARGE and named.name.startswith(("sparse-", "unit-", "vocabulary-")):
        pytest.skip("it reads lists or a table record by record")
    read_each_run = n == REAL and named.name.startswith("unit-")
    runs = 6 if read_each_run and not WHOLE else 30 if n == LARGE else 200
    assert found(named, n, epsilon, runs=runs) == []


@pytest.mark.deep
@pytest.mark.parametrize(("named", "epsilon"), BEYOND)
def test_draws_among_scores_beyond_the_windows(named: SubjectMaker, epsilon: Fraction) -> None:
    if named.name.startswith("unit-") and not WHOLE:
        pytest.skip(MINUTES)
    assert found(named, REAL, epsilon, even=False) == []


@pytest.mark.deep
@pytest.mark.parametrize("epsilon", EPSILONS, ids=str)
@pytest.mark.parametrize("named", subjects(*FIXED), ids=lambda named: named.name)
def test_draws_of_what_has_no_records(named: SubjectMaker, epsilon: Fraction) -> None:
    try:
        assert found(named, None, epsilon, runs=400) == []
    except TooLargeError:  # what the mechanism refuses at any data
        assert epsilon < ONE


@pytest.mark.deep
@pytest.mark.parametrize("epsilon", EPSILONS[1:], ids=str)  # at the first, teachers take minutes
@pytest.mark.parametrize("named", subjects(*ORDERED), ids=lambda named: named.name)
def test_draws_given_the_order_of_the_records(named: SubjectMaker, epsilon: Fraction) -> None:
    for order in range(3):
        assert found(named, REAL, epsilon, even=False, runs=60, order=order) == []


SIZED: list[Any] = [(n, epsilon) for n in (SMALL, REAL) for epsilon in EPSILONS]
SIZED += [pytest.param(LARGE, e, marks=pytest.mark.deep) for e in (THOUSANDTH, THIRTY)]


@pytest.mark.parametrize(("n", "epsilon"), SIZED, ids=str)
@pytest.mark.parametrize("name", NOISY)
def test_every_count_has_noise_of_its_own(name: str, n: int, epsilon: Fraction) -> None:
    subject = find_subject(name).make(epsilon, DELTA)
    for data in grown(name, subject.pairs[len(subject.pairs) // 2], n):
        assert misses(subject, name, data, epsilon) == []


@pytest.mark.deep
@pytest.mark.parametrize("epsilon", EPSILONS, ids=str)
def test_noise_has_its_law(epsilon: Fraction) -> None:
    a = 1 / exp_below(epsilon)
    law = follow(lambda rng: discrete_laplace(a, rng), 3000)
    assert law[0]
    assert all(mass <= (1 - a) / (1 + a) * a ** abs(x) for x, mass in law.items())


def test_what_is_left_out_is_there() -> None:
    names = [named.name for named in find_subjects()]
    for begins in (*LEFT_OUT, *FIXED, *ORDERED, *LAWS, *NOISY):
        assert any(name.startswith(begins) for name in names), begins


def mistake(value: object) -> str:
    """What a parameter is called."""
    return str(getattr(value, "mistake", value))


SAMPLERS, MECHANISMS = "littlestone.privacy.samplers", "littlestone.privacy.mechanisms"
FAULTS = [
    (
        "bucket-labels",
        REAL,
        HUNDREDTH,
        Fault(
            f"{MECHANISMS}.bucket_labels:BucketLabels._release",
            "table.max(axis=1)[:, None] - table",
            "np.maximum(table.max(axis=1)[:, None] - table - (table.max() > 1000), 0)",
            "among more than 1,000 records a lead of one is none",
        ),
    ),
    (
        "choosing-learner",
        SMALL,
        THOUSANDTH,
        Fault(
            f"{MECHANISMS}.sparse_selection:SparseSelection._place",
            "np.append(scores, self.bottom)",
            "np.append(scores, min(self.bottom, 2000))",
            "bottom weighs at most r^2000",
        ),
    ),
    (
        "single-key-learner",
        SMALL,
        THOUSANDTH,
        Fault(
            f"{MECHANISMS}.partition_selection:KeyRelease._keys_that_fire",
            "self.curve(score)",
            "self.curve(score) if score < 500 else Fraction(1)",
            "a key of 500 records is released for certain",
        ),
    ),
    (
        "exponential-mechanism",
        REAL,
        HUNDREDTH,
        Fault(
            f"{SAMPLERS}.selection:item_of",
            "rng.randrange(weight)",
            "rng.randrange(min(weight, 200))",
            "of many ties the first 200 are drawn",
        ),
    ),
]
SPREAD = [
    (
        COSTLY.name,
        LARGE,
        Fault(
            "littlestone.data.sample:Sample.weigh",
            "self.counts * np.array(weights, dtype=np.int64)",
            "(self.counts * np.array(weights)).astype(np.int32).astype(np.int64)",
            "large costs of many records are counted in 32 bits",
        ),
    ),
    (
        "exponential-learner-thresholds",
        REAL,
        Fault(
            f"{SAMPLERS}.selection:PowerBounds.__call__",
            "while k := k >> _DIGIT:",
            "while k := k >> _DIGIT if k >> 2 * _DIGIT else 0:",
            "a gap above 1,024 counts as its last digit",
        ),
    ),
]
ALL = [(*fault[:3], True, fault[3]) for fault in FAULTS]
ALL += [(name, n, HUNDREDTH, False, fault) for name, n, fault in SPREAD]


@pytest.mark.deep
@pytest.mark.parametrize(("name", "n", "epsilon", "even", "fault"), ALL, ids=mistake)
def test_faults_in_draws_are_found(
    name: str,
    n: int,
    epsilon: Fraction,
    even: bool,
    fault: Fault,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    named = COSTLY if name == COSTLY.name else find_subject(name)
    plant(fault, monkeypatch)
    assert found(named, n, epsilon, even=even)


@pytest.mark.deep
def test_a_count_that_ends_is_found(monkeypatch: pytest.MonkeyPatch) -> None:
    fault = Fault(
        f"{MECHANISMS}.bucket_labels:BucketLabels.tally",
        "[label] += 1",
        "[label] += max(counts[bucket]) < 1000",
        "after 1,000 records of a label its bucket is not counted",
    )
    turns_red(fault, test_counts_are_sums_over_records, monkeypatch, "bucket-labels", "tally")


NOISELESS = [
    (
        "stable-histogram",
        Fault(
            f"{MECHANISMS}.partition_selection:StableHistogram.release",
            "count + discrete_laplace(self.ratio, rng)",
            "count + (discrete_laplace(self.ratio, rng) if count < 1000 else 0)",
            "large counts have no noise",
        ),
    ),
    (
        "unread-counts",
        Fault(
            f"{MECHANISMS}.cell_counts:CellCounts.draw",
            "tuple(count + discrete_laplace(self.ratio, rng) for count in data)",
            "(lambda x: tuple(count + x for count in data))(discrete_laplace(self.ratio, rng))",
            "all counts have one noise",
        ),
    ),
    (
        "rule-estimates",
        Fault(
            f"{MECHANISMS}.cell_counts:CellCounts.ratio",
            "self.epsilon / self.counts_per_record",
            "max(self.epsilon / self.counts_per_record, Fraction(1, 1000))",
            "at a tiny epsilon the noise is too small",
        ),
    ),
]


@pytest.mark.deep
@pytest.mark.parametrize(("name", "fault"), NOISELESS, ids=mistake)
def test_faults_in_noise_are_found(
    name: str, fault: Fault, monkeypatch: pytest.MonkeyPatch
) -> None:
    plant(fault, monkeypatch)
    subject = find_subject(name).make(THOUSANDTH, DELTA)
    data = grown(name, subject.pairs[len(subject.pairs) // 2], REAL)[0]
    assert misses(subject, name, data, THOUSANDTH)
