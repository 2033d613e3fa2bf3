"""The choosing learner with several rounds, as a whole: from records to the released union."""

from __future__ import annotations

from collections.abc import Hashable, Iterable
from fractions import Fraction
from functools import cache
from itertools import combinations, product
from typing import Any

from littlestone.classes import Subsets
from littlestone.data.sample import Sample
from littlestone.learn import ChoosingLearner
from littlestone.points import Integers
from littlestone.privacy.budget import Budget
from littlestone.prove.mechanisms.neighbours import neighbours
from littlestone.prove.mechanisms.subject import Subject, subject
from littlestone.prove.mechanisms.subjects.exponential_learner import Records, fits, released_text

_RECORDS: Records = tuple(product(range(2), (0, 1)))
TINY = tuple(neighbours(_RECORDS, 2, ordered=False))


def peeling_subject(
    learner: ChoosingLearner[Any], pairs: Iterable[tuple[Records, Records]]
) -> Subject[Records]:
    """The learner on ``pairs``, and on those of `crowded`."""
    domain = learner.hypotheses.domain

    @cache
    def sample(data: Records) -> Sample[Any]:
        return Sample.from_examples(domain, data)

    def distribution(data: Records) -> dict[Hashable, Fraction]:
        found = learner.distribution(sample(data))
        return {released_text(h): mass for h, mass in found.items()}

    listed = (*pairs, *crowded(learner))
    return Subject(learner.event, distribution, listed, fits(learner), listed[-1])


def crowded(learner: ChoosingLearner[Any]) -> list[tuple[Records, Records]]:
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
