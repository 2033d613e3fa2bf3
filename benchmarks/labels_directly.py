"""Records for several labels at once or bit by bit: ``python -m benchmarks labels_directly``.

Sizes are proved, for alpha = 0.1, beta = 0.05, epsilon = 1, delta = 1e-6 and no wrong labels.  The
exponential mechanism learns tables of 1,000 functions, the learner of teachers a class of dimension 1.
Bits are learned by the same learner, each from all records under one budget, or each from a part of
the records.  At last, fits of as many records as are proved: their errors are counted.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from functools import partial
from typing import Any

import numpy as np

from benchmarks.harness import Case, Contender, require
from littlestone.classes import FiniteClass, HypothesisClass
from littlestone.data.sample import Sample
from littlestone.learn import (
    BitPartsLearner,
    BitsLearner,
    ExponentialLearner,
    IrreducibleLearner,
    PrivateLearner,
)
from littlestone.privacy import Budget
from littlestone.privacy.ledger import Ledger
from littlestone.privacy.randomness import seeded_generator

ALPHA, BETA, BUDGET = 0.1, 0.05, Budget(1, "1e-6")
FUNCTIONS, POINTS = 1000, 24
FITS, MOST_BAD = 100, 15
"""Of so many fits, five are expected to be bad at most; sixteen are less likely than 1 in 10,000."""

Kind = type[ExponentialLearner[Any]] | type[IrreducibleLearner[Any]]
Ways = dict[str, int]

SIZES: dict[tuple[Kind, int], Ways] = {
    (ExponentialLearner, 4): {"directly": 247, "one budget": 953, "parts": 1_068},
    (ExponentialLearner, 256): {"directly": 247, "one budget": 12_770, "parts": 19_448},
    (IrreducibleLearner, 4): {"directly": 70_644, "one budget": 315_231, "parts": 291_106},
    (IrreducibleLearner, 256): {"directly": 101_505, "one budget": 6_038_490, "parts": 5_832_192},
}
"""The records that each way takes, for as many labels."""

BITS: dict[str, Callable[..., PrivateLearner[Any]]] = {
    "one budget": BitsLearner,
    "parts": BitPartsLearner,
}


def hypotheses(kind: Kind, labels: int) -> HypothesisClass[Any]:
    """Random functions, which have as many first bits; or all labels of a single point."""
    if kind is IrreducibleLearner:
        return FiniteClass.from_array([[y] for y in range(labels)], labels=labels)
    values = np.random.default_rng(labels).integers(0, labels, size=(FUNCTIONS, POINTS))
    return FiniteClass.from_array(values, labels=labels)


def planned(kind: Kind, H: HypothesisClass[Any], way: str) -> int:
    """The records that are proved to suffice."""

    def binary(G: HypothesisClass[Any], budget: Budget) -> PrivateLearner[Any]:
        return kind.with_proved_bound(G, budget, alpha=ALPHA / H.bits, beta=BETA / H.bits)

    if way == "directly":
        learner = kind.with_proved_bound(H, BUDGET, alpha=ALPHA, beta=BETA)
    else:
        learner = BITS[way](H, BUDGET, binary=binary)
    bound = learner.plan(ALPHA, BETA, setting="realizable")
    return 0 if bound is None else bound.n


def check_size(expected: int, found: int) -> None:
    """The size is the one in the documentation."""
    require(found == expected, f"{found:,} records instead of {expected:,}")


def near(labels: int) -> FiniteClass:
    """A target, and 999 functions that differ from it at 3 of 24 points: just more than alpha."""
    rng = np.random.default_rng(labels)
    target = rng.integers(0, labels, size=POINTS)
    rows = {tuple(target.tolist()): None}
    while len(rows) < FUNCTIONS:
        row = target.copy()
        changed = rng.choice(POINTS, size=3, replace=False)
        row[changed] = (row[changed] + rng.integers(1, labels, size=3)) % labels
        rows[tuple(row.tolist())] = None
    return FiniteClass.from_array(list(rows), labels=labels)


def bad_fits(H: FiniteClass) -> int:
    """How many fits of the proved number of records err on more than alpha of the points."""
    learner, rng = ExponentialLearner[Any](H, BUDGET), np.random.default_rng(7)
    points, bad = H.domain.points, 0
    target = dict(zip(points, H.table()[0].tolist(), strict=True))
    n = planned(ExponentialLearner, H, "directly")
    with Ledger() as ledger:
        for run in range(FITS):
            drawn = (points[j] for j in rng.integers(0, POINTS, size=n).tolist())
            sample = Sample.from_examples(
                H.domain, ((x, target[x]) for x in drawn), labels=H.labels
            )
            coins = seeded_generator(run)
            found = learner.fit(sample, ledger=ledger, dataset=f"{H.labels}, {run}", rng=coins)
            errors = sum(found.hypothesis(x) != y for x, y in target.items())
            bad += errors > ALPHA * POINTS
    return bad


def check_fits(bad: int) -> None:
    """The proved size is not contradicted."""
    require(bad <= MOST_BAD, f"{bad} of {FITS} fits err on more than {ALPHA} of the points")


def cases() -> Iterator[Case]:
    """Some ten seconds; the figures are in the titles."""
    for (kind, labels), sizes in SIZES.items():
        H = hypotheses(kind, labels)
        ours, *others = (
            Contender(way, partial(planned, kind, H, way), partial(check_size, expected))
            for way, expected in sizes.items()
        )
        shown = ", ".join(f"{n:,} by {way}" for way, n in list(sizes.items())[1:])
        title = f"{kind.method}, {labels} labels: {sizes['directly']:,} records directly, {shown}"
        yield Case(title, ours, others, repeats=1)
    for labels in (4, 256):
        title = f"{FITS} fits of the proved size, {labels} labels, functions just above alpha"
        fits = Contender("exponential", partial(bad_fits, near(labels)), check_fits)
        yield Case(title, fits, repeats=1)
