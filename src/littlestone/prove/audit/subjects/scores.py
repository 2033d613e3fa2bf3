"""Scores: the exponential mechanism and its relatives, on tiny scores."""

from __future__ import annotations

from collections.abc import Hashable, Iterable, Iterator
from fractions import Fraction
from functools import cache
from itertools import combinations, product
from typing import Any

import numpy as np

from littlestone.classes import Subsets
from littlestone.data.sample import Sample
from littlestone.learn import ChoosingLearner
from littlestone.points import Integers
from littlestone.privacy.cost import Budget
from littlestone.privacy.mechanisms.lists.choosing import ChoosingMechanism
from littlestone.privacy.mechanisms.scores.exponential import ExponentialMechanism
from littlestone.privacy.mechanisms.scores.permute_and_flip import PermuteAndFlip
from littlestone.privacy.scores import ErrorRuns
from littlestone.prove.audit.claims import neighbours
from littlestone.prove.audit.subject import Subject, mechanism_subject, subject
from littlestone.prove.audit.subjects.exponential_learner import Records, fits, released_text

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


@subject("permute-and-flip")
def permute_and_flip(epsilon: Fraction, delta: Fraction) -> Subject[Errors]:
    """Permute-and-flip on error counts; spends no delta."""
    return mechanism_subject(
        PermuteAndFlip(epsilon),
        pairs=neighbouring_errors(3, 3),
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
        read=lambda records: records,
    )


@subject("choosing-mechanism", id="BNS13")
def choosing_mechanism(epsilon: Fraction, delta: Fraction) -> Subject[Covered]:
    """The choosing mechanism where a record brings at most two hypotheses; needs a delta.

    code: privacy.mechanisms.lists.choosing.ChoosingMechanism
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

    code: privacy.mechanisms.lists.choosing.ChoosingMechanism
    proof: proofs/choosing.md#theorem-1-privacy
    """
    return choosing_subject(ChoosingMechanism[str](Budget(epsilon, delta), 2, gain=2, loss=3))


RECORDS: Records = tuple(product(range(2), (0, 1)))
TINY = tuple(neighbours(RECORDS, 2, ordered=False))


def peeling_subject(
    learner: ChoosingLearner[Any], pairs: Iterable[tuple[Records, Records]]
) -> Subject[Records]:
    """The learner on ``pairs``, and on those of `neighbours_at_bottom`."""
    domain = learner.hypotheses.domain

    @cache
    def sample(data: Records) -> Sample[Any]:
        return Sample.from_examples(domain, data)

    def law_of_rules(data: Records) -> dict[Hashable, Fraction]:
        found = learner.distribution(sample(data))
        return {released_text(h): mass for h, mass in found.items()}

    listed = (*pairs, *neighbours_at_bottom(learner))
    return Subject(learner.event, law_of_rules, listed, fits(learner), listed[-1])


def neighbours_at_bottom(learner: ChoosingLearner[Any]) -> list[tuple[Records, Records]]:
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
