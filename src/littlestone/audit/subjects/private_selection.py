"""Private selection: the whole law of the best rule, over the number of runs and all that they draw."""

from __future__ import annotations

from collections.abc import Hashable
from fractions import Fraction
from functools import cache
from typing import Any

from littlestone.audit.neighbours import neighbours
from littlestone.audit.subject import Subject, subject
from littlestone.audit.subjects.exponential_learner import Records, all_records, fits, released_text
from littlestone.classes import FiniteClass
from littlestone.learners import ChoosingLearner, ExponentialLearner
from littlestone.learners.selection import SelectionLearner
from littlestone.privacy.budget import Budget
from littlestone.sample import Sample

Learner = SelectionLearner[Any]

CONSTANTS = FiniteClass.from_array([[0, 0], [1, 1]])
CHANGING = FiniteClass.from_array([[0, 1], [1, 0]])
MOST = 12  # runs
RECORDS = all_records(CONSTANTS)  # two points, named x0 and x1


def tables(epsilon: Fraction, kind: type[Learner] = Learner, **options: Any) -> Learner:
    """Two tables of two functions each, on two points."""
    pairs = [(CONSTANTS, ExponentialLearner), (CHANGING, ExponentialLearner)]
    return kind(CONSTANTS, Budget(epsilon), candidates=pairs, **options)


def selection_subject(learner: Learner, records: Records, n: int) -> Subject[Records]:
    """The released rule on all neighbouring samples of n records."""
    H = learner.hypotheses
    many = records * (400 // len(records))

    @cache
    def distribution(data: Records) -> dict[Hashable, Fraction]:
        law = learner.distribution(Sample.from_examples(H.domain, data, labels=H.labels))
        return {released_text(h): mass for h, mass in law.items()}

    pairs = tuple(neighbours(records, n, ordered=False))
    large = (many, (records[1], *many[1:]))
    return Subject(learner.event, distribution, pairs, fits(learner), large)


@subject("selection-learner")
def uniform(epsilon: Fraction, delta: Fraction) -> Subject[Records]:
    """Private selection between two classes, at three times the cost of a run; spends no delta."""
    return selection_subject(tables(epsilon, most=MOST), RECORDS, 2)


@subject("selection-learner-few")
def harmonic(epsilon: Fraction, delta: Fraction) -> Subject[Records]:
    """Private selection between two classes, at twice the cost of a run; spends no delta."""
    return selection_subject(tables(epsilon, most=MOST, factor=2), RECORDS, 2)


@subject("selection-learner-methods")
def methods(epsilon: Fraction, delta: Fraction) -> Subject[Records]:
    """Private selection between two methods, of which one needs a delta."""
    pairs = [(CONSTANTS, ExponentialLearner), (CHANGING, ChoosingLearner)]
    budget, most = Budget(epsilon, delta), min(MOST, 3)  # an audit of many numbers takes long
    learner: Learner = SelectionLearner(CONSTANTS, budget, candidates=pairs, most=most)
    return selection_subject(learner, RECORDS[1:], 2)
