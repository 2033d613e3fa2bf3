"""The exponential mechanism is epsilon-DP: exact distributions on all tiny neighbouring samples.

Its planted bugs are in tests/prove/plants/exponential.py.
"""

from fractions import Fraction
from itertools import accumulate, pairwise
from typing import Any

import numpy as np
import pytest

from littlestone.base.errors import LedgerError
from littlestone.classes import Enumerable, FiniteClass, Thresholds
from littlestone.data.sample import Sample
from littlestone.privacy.ledger import Ledger
from littlestone.privacy.mechanisms.exponential import ExponentialMechanism
from littlestone.privacy.randomness import seeded_generator
from littlestone.privacy.scores import ErrorRuns
from littlestone.prove.audit import exact_audit, neighbours
from littlestone.prove.audit.subjects.whole_learners import Records, all_records

CLASSES: list[Enumerable[Any]] = [
    Thresholds.on(0, 2),
    Thresholds.on(0, 10**6),
    FiniteClass.from_array([[0, 1, 1], [1, 0, 0], [1, 1, 0]]),
]


@pytest.mark.parametrize("H", CLASSES, ids=str)
@pytest.mark.parametrize("epsilon", ["0.1", "1", "5"])
def test_private_on_every_neighbouring_pair(H: Enumerable[Any], epsilon: str) -> None:
    """Hypotheses between two ends of runs of any sample are one cell: their ratios are equal."""
    mechanism = ExponentialMechanism(Fraction(epsilon))
    pairs = list(neighbours(all_records(H), 2, ordered=False))

    def runs(records: Records) -> tuple[list[int], list[Fraction]]:
        """Where the runs end, and the probability of one hypothesis of each."""
        found = H.error_runs(Sample.from_examples(H.domain, records))
        lengths = found.lengths or [1] * len(found.errors)
        masses = mechanism.probabilities(found.errors, lengths)
        densities = [mass / length for mass, length in zip(masses, lengths, strict=True)]
        return list(accumulate(lengths)), densities

    ends = {0}.union(*(runs(records)[0] for pair in pairs for records in pair))

    def distribution(records: Records) -> dict[Any, Fraction]:
        stops, densities = runs(records)
        return {
            (start, end): (end - start)
            * next(d for stop, d in zip(stops, densities, strict=True) if stop >= end)
            for start, end in pairwise(sorted(ends))
        }

    audit = exact_audit(distribution, pairs, mechanism)
    assert audit.holds
    assert audit.tightness <= 1


def test_a_draw_needs_its_own_receipt() -> None:
    errors, rng = np.array([0, 1]), seeded_generator(0)
    paid, unpaid = ExponentialMechanism(Fraction(1, 2)), ExponentialMechanism(Fraction(1))
    with Ledger() as ledger:
        receipt = ledger.spend(paid, dataset="d", what="test", rng=rng)
        with pytest.raises(LedgerError):
            unpaid.draw(ErrorRuns(errors), receipt=receipt)
        assert paid.draw(ErrorRuns(errors), receipt=receipt) in (0, 1)
        with pytest.raises(LedgerError):
            paid.draw(ErrorRuns(errors), receipt=receipt)


def test_probabilities_are_those_of_the_lecture() -> None:
    mechanism = ExponentialMechanism(Fraction(1))
    weights = np.exp(-0.5 * np.array([3, 1, 4])) * np.array([2, 1, 5])
    exact = [float(p) for p in mechanism.probabilities(np.array([3, 1, 4]), [2, 1, 5])]
    assert exact == pytest.approx(weights / weights.sum(), rel=1e-8)
    assert sum(mechanism.probabilities(np.array([3, 1, 4]))) == 1
