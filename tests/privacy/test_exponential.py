"""The exponential mechanism is epsilon-DP: exact distributions on all tiny neighbouring samples."""

import math
from collections.abc import Callable, Iterator, Sequence
from fractions import Fraction
from itertools import product
from typing import Any

import numpy as np
import pytest

from littlestone.classes import Enumerable, FiniteClass, Thresholds
from littlestone.classes.base import ErrorRuns
from littlestone.errors import LedgerError
from littlestone.privacy.divergence import hockey_stick
from littlestone.privacy.ledger import Ledger
from littlestone.privacy.mechanisms.exponential import ExponentialMechanism
from littlestone.privacy.randomness import seeded_generator
from littlestone.privacy.rational import exp_below
from littlestone.sample import Sample

Distribution = dict[int, Fraction]
Rule = Callable[[ExponentialMechanism, Any, Sequence[int]], Distribution]

CLASSES: list[Enumerable[Any]] = [
    Thresholds.on(0, 2),
    Thresholds.on(0, 10**6),
    FiniteClass.from_array([[0, 1, 1], [1, 0, 0], [1, 1, 0]]),
]


def neighbours(H: Enumerable[Any], n: int) -> Iterator[tuple[Any, Any]]:
    """Ordered pairs of samples of n records that differ in one record."""
    records = list(product(H.domain.examples(3), (0, 1)))
    for rest in product(records, repeat=n - 1):
        for one, other in product(records, repeat=2):
            if one != other:
                yield (one, *rest), (other, *rest)


def worst(H: Enumerable[Any], epsilon: Fraction, rule: Rule, n: int = 2) -> Fraction:
    """The largest hockey-stick divergence, at a ratio certainly below e^epsilon.

    Probabilities are compared run by run on the common refinement of both samples' runs, as
    probabilities of single hypotheses times the number of hypotheses in a run.
    """
    mechanism = ExponentialMechanism(epsilon)
    ratio = exp_below(epsilon, bits=256) if epsilon <= 44 else exp_below(Fraction(44), 64)
    known: dict[Any, list[tuple[int, Fraction]]] = {}

    def densities(records: Any) -> list[tuple[int, Fraction]]:
        if records not in known:
            runs = H.error_runs(Sample.from_examples(H.domain, records))
            lengths = runs.lengths or [1] * len(runs.errors)
            masses = rule(mechanism, runs.errors, lengths)
            stops = np.cumsum(np.array(lengths, dtype=object)).tolist()
            known[records] = [
                (stop, masses[r] / length)
                for r, (stop, length) in enumerate(zip(stops, lengths, strict=True))
            ]
        return known[records]

    divergence = Fraction(0)
    for one, other in neighbours(H, n):
        p, q = densities(one), densities(other)
        edges = sorted({stop for stop, _ in p} | {stop for stop, _ in q})
        cells: tuple[Distribution, Distribution] = ({}, {})
        start = 0
        for edge in edges:
            for cell, density in zip(cells, (p, q), strict=True):
                cell[edge] = (edge - start) * next(d for stop, d in density if stop >= edge)
            start = edge
        divergence = max(divergence, hockey_stick(*cells, ratio))
    return divergence


def honest(mechanism: ExponentialMechanism, errors: Any, lengths: Sequence[int]) -> Distribution:
    return dict(enumerate(mechanism.probabilities(errors, lengths)))


@pytest.mark.parametrize("H", CLASSES, ids=str)
@pytest.mark.parametrize("epsilon", ["0.1", "1", "5"])
def test_private_on_every_neighbouring_pair(H: Enumerable[Any], epsilon: str) -> None:
    assert worst(H, Fraction(epsilon), honest) == 0


def weighted(weights: Sequence[Fraction]) -> Distribution:
    total = sum(weights, Fraction(0))
    return {i: weight / total for i, weight in enumerate(weights)}


def forgets_the_half(m: ExponentialMechanism, errors: Any, lengths: Sequence[int]) -> Distribution:
    """Base e^epsilon, as if only one side of the ratio moved."""
    base = exp_below(m.epsilon)
    return weighted([c * base ** -int(e) for e, c in zip(errors, lengths, strict=True)])


def counts_errors_twice(
    m: ExponentialMechanism, errors: Any, lengths: Sequence[int]
) -> Distribution:
    return honest(m, 2 * errors, lengths)


def draws_runs_as_items(
    m: ExponentialMechanism, errors: Any, lengths: Sequence[int]
) -> Distribution:
    """Every block of equally scored thresholds weighs as one: the blocks depend on the data."""
    return honest(m, errors, [1] * len(errors))


def keeps_the_best_only(
    m: ExponentialMechanism, errors: Any, lengths: Sequence[int]
) -> Distribution:
    best = errors == errors.min()
    return weighted(
        [Fraction(c) if kept else Fraction(0) for kept, c in zip(best, lengths, strict=True)]
    )


def drops_hopeless_candidates(
    m: ExponentialMechanism, errors: Any, lengths: Sequence[int]
) -> Distribution:
    """Leave out what is two errors worse than the best, because it is never drawn anyway."""
    kept = errors - errors.min() < 2
    return weighted(
        [
            c * m.base ** -int(e) if k else Fraction(0)
            for e, c, k in zip(errors, lengths, kept, strict=True)
        ]
    )


def normalises_the_scores(
    m: ExponentialMechanism, errors: Any, lengths: Sequence[int]
) -> Distribution:
    """Scale the errors to [0, 4] by their range on the data."""
    spread = max(1, int(errors.max() - errors.min()))
    return honest(m, (4 * (errors - errors.min())) // spread, lengths)


@pytest.mark.parametrize(
    "plant",
    [
        forgets_the_half,
        counts_errors_twice,
        draws_runs_as_items,
        keeps_the_best_only,
        drops_hopeless_candidates,
        normalises_the_scores,
    ],
)
def test_a_broken_mechanism_is_caught(plant: Rule) -> None:
    assert max(worst(H, Fraction(1), plant) for H in CLASSES) > 0


def test_float_weights_underflow_and_are_caught() -> None:
    """At epsilon 44 a float weight of 40 errors is 0; its neighbour's is not."""
    epsilon = Fraction(44)

    def masses(errors: list[int], base: Fraction | float) -> Distribution:
        weights = [Fraction(base**-e) for e in errors]
        return weighted(weights)

    one, other = [0, 34], [0, 33]
    ratio = exp_below(epsilon, bits=256)
    exact = ExponentialMechanism(epsilon).base
    assert hockey_stick(masses(other, exact), masses(one, exact), ratio) == 0
    rounded = math.exp(22)
    assert hockey_stick(masses(other, rounded), masses(one, rounded), ratio) > 0


def test_a_draw_needs_its_own_receipt() -> None:
    errors, rng = np.array([0, 1]), seeded_generator(0)
    paid, unpaid = ExponentialMechanism(Fraction(1, 2)), ExponentialMechanism(Fraction(1))
    with Ledger() as ledger:
        receipt = ledger.spend(paid, dataset="d", what="test")
        with pytest.raises(LedgerError):
            unpaid.draw(ErrorRuns(errors), receipt=receipt, rng=rng)
        assert paid.draw(ErrorRuns(errors), receipt=receipt, rng=rng) in (0, 1)
        with pytest.raises(LedgerError):
            paid.draw(ErrorRuns(errors), receipt=receipt, rng=rng)


def test_probabilities_are_those_of_the_lecture() -> None:
    mechanism = ExponentialMechanism(Fraction(1))
    weights = np.exp(-0.5 * np.array([3, 1, 4])) * np.array([2, 1, 5])
    exact = [float(p) for p in mechanism.probabilities(np.array([3, 1, 4]), [2, 1, 5])]
    assert exact == pytest.approx(weights / weights.sum(), rel=1e-8)
    assert sum(mechanism.probabilities(np.array([3, 1, 4]))) == 1
