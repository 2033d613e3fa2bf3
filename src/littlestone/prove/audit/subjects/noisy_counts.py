"""Noisy counts: of cells, with discrete Laplace noise, and the estimates made of them."""

from __future__ import annotations

import random
from collections.abc import Hashable, Mapping
from dataclasses import dataclass, replace
from fractions import Fraction
from functools import cache, cached_property
from itertools import count
from typing import Any

from littlestone.classes import Thresholds
from littlestone.data.sample import Sample
from littlestone.learn import ExponentialLearner
from littlestone.learn.results.estimate import Estimate
from littlestone.privacy.cost import Budget, PrivacyCost, decimal_text
from littlestone.privacy.draws import CELLS, cells
from littlestone.privacy.ledger import Ledger, Receipt
from littlestone.privacy.mechanisms.base import Mechanism
from littlestone.privacy.mechanisms.scores.cell_counts import CellCounts
from littlestone.privacy.mistakes import MistakeCosts
from littlestone.privacy.rational import exp_below
from littlestone.privacy.samplers.geometric import discrete_laplace
from littlestone.prove.audit.claims import neighbours
from littlestone.prove.audit.subject import Run, Subject, mechanism_subject, subject
from littlestone.prove.audit.subjects.exponential_learner import (
    Records,
    all_records,
    released_text,
)

TWO = 2

Cells = tuple[int, ...]
"""The cell of each record; 2 stands for a record in no cell."""


def count_cells(data: Cells) -> Cells:
    """The number of records in each cell."""
    return tuple(data.count(cell) for cell in range(TWO))


def clip_counts(data: Cells, noisy: Cells) -> Cells:
    """The noisy counts, with equal names for those beyond all true ones."""
    return tuple(min(max(y, 0), len(data)) for y in noisy)


@subject("cell-counts")
def cell_counts(epsilon: Fraction, delta: Fraction) -> Subject[Cells]:
    """The numbers of records in two cells; spends no delta."""
    mechanism, many = CellCounts(epsilon, TWO), (0, 1) * 50
    made = mechanism_subject(
        mechanism,
        pairs=neighbours(range(TWO + 1), 2, ordered=False),
        large=((0, *many), (1, *many)),
        read=count_cells,
        cell=clip_counts,
    )

    def law_of_counts(data: Cells) -> Mapping[Hashable, Fraction]:
        # The number of records is public; the number of records in the cells is not.
        exact = mechanism.distribution(count_cells(data), len(data))
        return dict(exact.items())

    return replace(made, distribution=law_of_counts)


Bits = tuple[int, ...]


@dataclass(frozen=True)
class DiscreteLaplaceCount(Mechanism[Bits, int]):
    """The number of 1s plus X, with Pr[X = x] = (1 - a) / (1 + a) a^|x| and a >= e^-epsilon.

    epsilon-DP under replacement: the number moves by at most 1 (GRS12).

    >>> masses = DiscreteLaplaceCount(Fraction(1)).distribution((1, 0))
    >>> {y: round(float(mass), 3) for y, mass in masses.items()}
    {0: 0.269, 1: 0.462, 2: 0.269}
    """

    epsilon: Fraction

    @cached_property
    def decay(self) -> Fraction:
        """a, a rational."""
        return 1 / exp_below(self.epsilon)

    def cost(self) -> PrivacyCost:
        return PrivacyCost(self.epsilon)

    def draw(self, data: Bits, *, receipt: Receipt) -> int:
        rng = receipt.redeem(self)
        return sum(data) + discrete_laplace(self.decay, rng)

    def distribution(self, data: Bits) -> Mapping[int, Fraction]:
        """Outputs <= 0 are one cell and those >= n another, n the number of records.

        Beyond all possible counts c, c' the likelihood ratio is a^(c - c') or its inverse, constant.
        """
        count, n, a = sum(data), len(data), self.decay
        masses = {y: (1 - a) / (1 + a) * a ** abs(y - count) for y in range(1, n)}
        return {0: a**count / (1 + a), **masses, n: a ** (n - count) / (1 + a)}

    def __str__(self) -> str:
        return f"count with discrete Laplace noise, epsilon {decimal_text(self.epsilon)}"


@subject("discrete-laplace-count")
def discrete_laplace_count(epsilon: Fraction, delta: Fraction) -> Subject[Bits]:
    """A count with discrete Laplace noise; spends no delta."""
    large = (1,) * 500 + (0,) * 500
    return mechanism_subject(
        DiscreteLaplaceCount(epsilon),
        pairs=neighbours((0, 1), 4, ordered=False),
        large=(large, (0, *large[1:])),
        read=lambda bits: bits,
        cell=lambda bits, y: min(max(y, 0), len(bits)),
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

    def law_of_estimate(data: Records) -> dict[Hashable, Fraction]:
        masses: dict[Hashable, Fraction] = {}
        for rule, p in learner.distribution(sample(data)).items():
            noisy = counts.distribution(cells(rule, sample(data)), len(data))
            masses |= {(released_text(rule), ys): p * q for ys, q in noisy.items()}
        return masses

    def run_fits(times: int, rng: random.Random) -> Run[Records]:
        ledger, numbers = Ledger(), count()

        def fit_once(data: Records) -> Hashable:
            name, estimate = f"made up {next(numbers)}", counts.epsilon
            release = learner.fit(
                sample(data), ledger=ledger, dataset=name, estimate=estimate, rng=rng
            )
            return released_text(release.hypothesis), release.estimate

        return fit_once

    def cell(data: Records, output: tuple[str, Estimate]) -> Hashable:
        text, found = output
        noisy = (found.true_positives, found.false_positives, found.false_negatives)
        return text, tuple(min(max(y, 0), len(data)) for y in noisy)

    many = records * (1000 // len(records))
    return Subject(
        learner.event_with(counts.epsilon),
        law_of_estimate,
        tuple(neighbours(records, RECORDS, ordered=False)),
        run_fits,
        (many, (records[1], *many[1:])),
        cell,
    )


@subject("rule-estimates")
def rule_estimates(epsilon: Fraction, delta: Fraction) -> Subject[Records]:
    """A learned threshold with estimates of precision and recall; spends no delta."""
    return estimate_subject(CellCounts(epsilon / 2, len(CELLS)), epsilon=epsilon / 2)


@subject("group-estimates", id="Mixed tables", drawn_at=25)
def group_estimates(epsilon: Fraction, delta: Fraction) -> Subject[Records]:
    """A threshold group with a rate above 0.3, its size and its rate; spends no delta.

    code: learn.results.estimate
    proof: proofs/estimates.md#theorem-2-rule-and-counts-together
    """
    counts, cost = CellCounts(epsilon / 10, len(CELLS)), MistakeCosts.above("0.3")
    return estimate_subject(counts, epsilon=epsilon * 9 / 10, cost=cost)
