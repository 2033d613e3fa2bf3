"""A rule with its private estimate: from records to everything that a release says about them."""

from __future__ import annotations

import random
from collections.abc import Hashable
from fractions import Fraction
from functools import cache
from itertools import count
from typing import Any

from littlestone.classes import Thresholds
from littlestone.data.sample import Sample
from littlestone.learn import ExponentialLearner
from littlestone.learn.results.estimate import Estimate
from littlestone.privacy.budget import Budget
from littlestone.privacy.draws.estimate import CELLS, cells
from littlestone.privacy.ledger import Ledger
from littlestone.privacy.mechanisms.scores.cell_counts import CellCounts
from littlestone.privacy.mistakes import MistakeCosts
from littlestone.prove.mechanisms.neighbours import neighbours
from littlestone.prove.mechanisms.subject import Run, Subject, subject
from littlestone.prove.mechanisms.subjects.exponential_learner import (
    Records,
    all_records,
    released_text,
)

RECORDS = 2


def estimate_subject(
    counts: CellCounts, *, epsilon: Fraction, cost: object = (1, 1)
) -> Subject[Records]:
    """Thresholds learned at ``epsilon``, with ``counts``, on all neighbouring pairs of records."""
    H = Thresholds.on(0, 1)
    learner = ExponentialLearner(H, Budget(epsilon), cost=cost)
    records = all_records(H, points=2)

    @cache
    def sample(data: Records) -> Sample[Any]:
        return Sample.from_examples(H.domain, data)

    def distribution(data: Records) -> dict[Hashable, Fraction]:
        masses: dict[Hashable, Fraction] = {}
        for rule, p in learner.distribution(sample(data)).items():
            noisy = counts.distribution(cells(rule, sample(data)), len(data))
            masses |= {(released_text(rule), ys): p * q for ys, q in noisy.items()}
        return masses

    def runs(times: int, rng: random.Random) -> Run[Records]:
        ledger, numbers = Ledger(), count()

        def fit(data: Records) -> Hashable:
            name, estimate = f"made up {next(numbers)}", counts.epsilon
            release = learner.fit(
                sample(data), ledger=ledger, dataset=name, estimate=estimate, rng=rng
            )
            return released_text(release.hypothesis), release.estimate

        return fit

    def cell(data: Records, output: tuple[str, Estimate]) -> Hashable:
        text, found = output
        noisy = (found.true_positives, found.false_positives, found.false_negatives)
        return text, tuple(min(max(y, 0), len(data)) for y in noisy)

    many = records * (1000 // len(records))
    return Subject(
        learner.event_with(counts.epsilon),
        distribution,
        tuple(neighbours(records, RECORDS, ordered=False)),
        runs,
        (many, (records[1], *many[1:])),
        cell,
    )


@subject("rule-estimates")
def rule_estimates(epsilon: Fraction, delta: Fraction) -> Subject[Records]:
    """A learned threshold with estimates of precision and recall; spends no delta."""
    return estimate_subject(CellCounts(epsilon / 2, len(CELLS)), epsilon=epsilon / 2)


@subject(
    "group-estimates",
    id="Mixed tables",
    code="learn.results.estimate",
    proof="proofs/estimates.md#theorem-2-rule-and-counts-together",
    drawn_at=25,
)
def group_estimates(epsilon: Fraction, delta: Fraction) -> Subject[Records]:
    """A threshold group with a rate above 0.3, its size and its rate; spends no delta."""
    counts, cost = CellCounts(epsilon / 10, len(CELLS)), MistakeCosts.above("0.3")
    return estimate_subject(counts, epsilon=epsilon * 9 / 10, cost=cost)
