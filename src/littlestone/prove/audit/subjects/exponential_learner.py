"""The exponential learner as a whole: from records to the text of the released hypothesis."""

from __future__ import annotations

import json
import random
from collections.abc import Callable, Hashable
from fractions import Fraction
from functools import cache, partial
from itertools import count, product
from typing import Any

from littlestone.classes import (
    AffineSubspaces,
    FiniteClass,
    Intervals,
    PolynomialZeros,
    Thresholds,
    parse_class,
)
from littlestone.classes.base import ScoredClass
from littlestone.classes.decision_lists import CountedLists
from littlestone.classes.juntas import CountedJuntas
from littlestone.classes.promises.counted import CountedBoxes
from littlestone.classes.promises.tabled import bits
from littlestone.classes.union import ScoredUnion
from littlestone.data.sample import Sample
from littlestone.learn import ExponentialLearner, PrivateLearner
from littlestone.points import Grid, Product
from littlestone.privacy.cost import Budget
from littlestone.privacy.ledger import Ledger
from littlestone.prove.audit.claims import neighbours
from littlestone.prove.audit.subject import Run, Subject, subject
from littlestone.rules import Hypothesis

Records = tuple[tuple[Any, int], ...]


def all_records(H: ScoredClass[Any], points: int = 3) -> Records:
    """Records over a few points of the domain, with every label.

    >>> all_records(Thresholds.on(0, 1), points=2)
    ((0, 0), (0, 1), (1, 0), (1, 1))
    """
    return tuple(product(H.domain.examples(points), range(H.labels)))


def released_text(hypothesis: Hypothesis[Any]) -> str:
    """Everything that a model file holds of a hypothesis, so its form could not hide a leak.

    >>> released_text(Thresholds.on(0, 1).hypothesis(0))[:20]
    '["always 1", {"kind"'
    """
    return json.dumps([hypothesis.words(), hypothesis.to_json()])


def fits(
    learner: PrivateLearner[Any],
    read: Callable[[Any], Any] | None = None,
) -> Callable[[int, random.Random], Run[Records]]:
    """The runs of a learner's subject: whole fits, each with the text of what it releases.

    ``read`` makes the sample from the records; the default is `Sample` with the learner's domain.
    """
    ledger, numbers, H = Ledger(), count(), learner.hypotheses
    sample = cache(read or partial(Sample.from_examples, H.domain, labels=H.labels))

    def fit_once(data: Records, rng: random.Random) -> Hashable:
        # A fit spends for itself; each has a name of its own, so that no list of spends grows long.
        name = f"made up {next(numbers)}"
        release = learner.fit(sample(data), ledger=ledger, dataset=name, rng=rng)
        return released_text(release.hypothesis)

    return lambda times, rng: partial(fit_once, rng=rng)


def learner_subject(
    H: ScoredClass[Any], epsilon: Fraction, n: int, cost: tuple[int, int] = (1, 1)
) -> Subject[Records]:
    """The learner of H on all neighbouring samples of n records, and on one pair of a thousand."""
    learner = ExponentialLearner(H, Budget(epsilon), cost=cost)
    records = all_records(H)

    # Each label equally often at every point, so all hypotheses are equally good, except for the one
    # record whose change favours the only hypothesis that differs at the first point.
    many = records * (1000 // len(records))

    @cache
    def law_of_rules(data: Records) -> dict[Hashable, Fraction]:
        sample = Sample.from_examples(H.domain, data, labels=H.labels)
        return {released_text(h): mass for h, mass in learner.distribution(sample).items()}

    pairs = tuple(neighbours(records, n, ordered=False))
    large = (many, (records[1], *many[1:]))
    return Subject(learner.event, law_of_rules, pairs, fits(learner), large)


@subject("exponential-learner-thresholds")
def thresholds(epsilon: Fraction, delta: Fraction) -> Subject[Records]:
    """The exponential learner of thresholds; spends no delta."""
    return learner_subject(Thresholds.on(0, 2), epsilon, n=3)


@subject("exponential-learner-table")
def table(epsilon: Fraction, delta: Fraction) -> Subject[Records]:
    """The exponential learner of a table of three hypotheses; spends no delta."""
    return learner_subject(FiniteClass.from_array([[0, 1, 1], [1, 0, 0], [1, 1, 0]]), epsilon, n=2)


@subject("exponential-learner-labels")
def labels(epsilon: Fraction, delta: Fraction) -> Subject[Records]:
    """The exponential learner of a table of three hypotheses with three labels; spends no delta."""
    table = FiniteClass.from_array([[0, 1], [1, 2], [2, 0]], labels=3)
    return learner_subject(table, epsilon, n=3)


@subject("exponential-learner-sums")
def sums(epsilon: Fraction, delta: Fraction) -> Subject[Records]:
    """The exponential learner of a direct sum, by sums of errors; spends no delta."""
    H: Any = parse_class("direct_sum(intervals(x, 0..2), thresholds(y, 0..1))")
    return learner_subject(H, epsilon, n=2)


@subject("exponential-learner-lines", id="Lines of a plane")
def lines(epsilon: Fraction, delta: Fraction) -> Subject[Records]:
    """The exponential learner of affine lines, by counts of cosets; spends no delta.

    code: learn.ExponentialLearner
    proof: proofs/exponential-mechanism.md#theorem-7-hypotheses-that-are-counted
    """
    return learner_subject(AffineSubspaces.over(["x", "y"], 3, 1), epsilon, n=2)


@subject("exponential-learner-boxes")
def boxes(epsilon: Fraction, delta: Fraction) -> Subject[Records]:
    """The exponential learner of boxes, by counts of boxes; spends no delta."""
    domain = Product((Grid(0, 2, "x"), Grid(0, 1, "y")))
    return learner_subject(CountedBoxes(domain, "boxes(x 0..2, y 0..1)"), epsilon, n=2)


@subject("exponential-learner-juntas")
def juntas(epsilon: Fraction, delta: Fraction) -> Subject[Records]:
    """The exponential learner of functions of one of two bits, by counts; spends no delta."""
    return learner_subject(CountedJuntas(bits("ab"), "juntas(a, b; k 1)", 1), epsilon, n=2)


@subject("exponential-learner-lists")
def lists(epsilon: Fraction, delta: Fraction) -> Subject[Records]:
    """The exponential learner of decision lists of two bits, by counts; spends no delta."""
    return learner_subject(CountedLists(bits("ab"), "decision_lists(a, b)"), epsilon, n=2)


@subject("exponential-learner-zeros")
def zeros(epsilon: Fraction, delta: Fraction) -> Subject[Records]:
    """The exponential learner of listed zero sets, by counts; spends no delta."""
    return learner_subject(PolynomialZeros.over(["x", "y"], 2, 2), epsilon, n=2)


@subject("exponential-learner-union")
def union(epsilon: Fraction, delta: Fraction) -> Subject[Records]:
    """The exponential learner of a union whose parts share functions; spends no delta."""
    parts = Thresholds.on(0, 2), Intervals.on(0, 2)
    return learner_subject(ScoredUnion(parts[0].domain, parts), epsilon, n=2)


@subject("exponential-learner-missed", id="KLN+11 Theorem 3.4")
def costly_misses(epsilon: Fraction, delta: Fraction) -> Subject[Records]:
    """The exponential learner, where a missed positive costs 3 and a false alarm 1; spends no delta.

    code: learn.ExponentialLearner
    proof: proofs/exponential-mechanism.md#theorem-5-mistakes-that-do-not-all-cost-the-same
    """
    return learner_subject(Thresholds.on(0, 2), epsilon, n=3, cost=(3, 1))


@subject("exponential-learner-alarms")
def alarms(epsilon: Fraction, delta: Fraction) -> Subject[Records]:
    """The exponential learner, where a missed positive costs 2 and a false alarm 5; spends no delta."""
    table = FiniteClass.from_array([[0, 1, 1], [1, 0, 0], [1, 1, 0]])
    return learner_subject(table, epsilon, n=2, cost=(2, 5))
