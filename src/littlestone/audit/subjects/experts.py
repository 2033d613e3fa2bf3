"""The online learners of experts and of named hypotheses, each as a whole."""

from __future__ import annotations

import random
from copy import deepcopy
from fractions import Fraction
from functools import partial
from typing import Any

from littlestone.audit.subject import Subject, subject
from littlestone.audit.subjects.exponential_learner import Records
from littlestone.audit.subjects.online import (
    LONG,
    Law,
    Published,
    add,
    of_keys,
    seen,
    told,
    twin,
)
from littlestone.classes import Thresholds
from littlestone.learners.online import KeyLearner, PrivateExperts
from littlestone.learners.online.experts import ExpertStream
from littlestone.privacy.budget import Budget
from littlestone.privacy.tape import Tape

CLASS = Thresholds.on(0, 1)  # three hypotheses, of Littlestone dimension 1
RECORDS = ((0, 0), (0, 1), (1, 1))


def of_experts(learner: PrivateExperts, records: Records) -> Law:
    """The law of what is published, over all first hypotheses."""
    law: Law = {}
    for first in range(learner.experts):
        begun = [0, [], [first, 0, learner.horizon + 1]]
        stream = learner.resume([begun], Tape(random.Random(0)))
        add(law, Fraction(1, learner.experts), after(stream, records))
    return law


def after(stream: Any, records: Records, before: Published = ()) -> Law:
    """The law by the stream's own code between the draws; ``stream`` has published ``before``."""
    learner, now, steps = stream._learner, seen(stream), len(before)
    law, left, gaps = dict[Any, Fraction](), Fraction(1), list[int]()
    state, counted = forked(stream), 0
    for t in range(steps, len(records) if not stream.over else steps):
        x, y = records[t]
        counted += state.predict(x) != y
        state._count(x, y)
        gaps.append(learner.counter.threshold - counted)
        mass = learner.counter._first_hit(gaps)
        left -= mass
        for found, p in learner.mechanism.distribution(learner.errors(state._counts)).items():
            later = forked(state)
            later._drawn(found, state._epoch)
            later._show()
            published = (*before, *(now,) * (t - steps), seen(later))
            add(law, mass * p, after(later, records, published))
    return add(law, left, {(*before, *(now,) * (len(records) - steps)): Fraction(1)})


def forked(stream: ExpertStream) -> ExpertStream:
    """A copy that continues independently."""
    made: ExpertStream = twin(stream)
    made._counts = deepcopy(stream._counts)
    return made


@subject("online-experts-learner")
def experts(epsilon: Fraction, delta: Fraction) -> Subject[Records]:
    """The online learner of experts, two draws of one of three thresholds: all it publishes."""
    learner = PrivateExperts(CLASS, Budget(epsilon, delta), horizon=LONG, draws=2, threshold=1)
    return told(learner, partial(of_experts, learner), RECORDS, steps=2)


@subject("online-function-learner")
def functions(epsilon: Fraction, delta: Fraction) -> Subject[Records]:
    """The online learner of dimension 1, of three thresholds: all it publishes; needs a delta."""
    learner = KeyLearner(CLASS, Budget(epsilon, delta), horizon=LONG)
    return told(learner, partial(of_keys, learner), RECORDS)
