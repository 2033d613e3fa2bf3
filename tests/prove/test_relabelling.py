"""Relabelled samples: the claim against every two-outcome learner, and how sharp it is."""

from __future__ import annotations

import math
from collections import Counter
from fractions import Fraction
from typing import Any

import numpy as np
import pytest
from scipy.optimize import linprog

from littlestone.learn import AgnosticLearner, ExponentialLearner, RelabellingLearner
from littlestone.privacy import Budget
from littlestone.privacy.accounting.subsampled import OtherLabels, OwnLabels, Relabelling
from littlestone.privacy.cost import PrivacyCost
from littlestone.privacy.mechanisms.exponential import ExponentialMechanism
from littlestone.prove.audit.claims import neighbours
from littlestone.prove.audit.subjects.reductions import CLASS, law_of_relabelling

RECORDS = tuple((f"x{i}", y) for i in range(1, 4) for y in (0, 1))
ETA, INNER = Fraction(1), PrivacyCost(Fraction(1), Fraction(1, 20))


def worst(one: Any, other: Any, inner: PrivacyCost, epsilon: float) -> float:
    """The largest P(Y) - e^epsilon Q(Y) of all learners of cost ``inner`` with two outcomes: an LP."""
    samples = sorted(set(one) | set(other), key=str)
    e, delta = math.exp(inner.epsilon), float(inner.delta)
    gain = [float(one.get(s, 0)) - math.exp(epsilon) * float(other.get(s, 0)) for s in samples]
    rows, right = [np.zeros(len(samples))], [0.0]
    for i, s in enumerate(samples):
        for j, t in enumerate(samples):
            if i != j and (Counter(dict(s)) - Counter(dict(t))).total() == 1:
                # a(s) <= e a(t) + delta, and the same of 1 - a.
                row = np.zeros(len(samples))
                row[i], row[j] = 1, -e
                rows += [row, -row]
                right += [delta, delta + e - 1]
    found = linprog(-np.array(gain), A_ub=np.array(rows), b_ub=right, bounds=(0, 1))
    return float(-found.fun)


CASES: list[tuple[type[Any], Relabelling, int]] = [
    (RelabellingLearner, OwnLabels(ExponentialMechanism(ETA), 2), 4),
    (RelabellingLearner, OwnLabels(ExponentialMechanism(ETA), 1), 2),
    (AgnosticLearner, OtherLabels(ExponentialMechanism(ETA), 2, 1), 4),
    (AgnosticLearner, OtherLabels(ExponentialMechanism(ETA), 2, 2), 4),
]


@pytest.mark.parametrize(("kind", "relabelling", "n"), CASES)
def test_no_learner_of_two_outcomes_breaks_the_claim(
    kind: type[Any], relabelling: Relabelling, n: int
) -> None:
    """At the claimed epsilon, the worst delta of all learners on all neighbours is at most claimed."""
    claim = relabelling.cost(INNER)
    learner = kind(
        CLASS,
        Budget(claim.epsilon, claim.delta),
        relabelling=relabelling,
        realizable=lambda budget: ExponentialLearner(CLASS, Budget(INNER.epsilon)),
    )
    known: dict[Any, Any] = {}
    found = []
    for pair in list(neighbours(RECORDS, n, ordered=False))[:: 1 if n == 2 else 40]:
        p, q = (known.setdefault(r, law_of_relabelling(learner, r)) for r in pair)
        for one, other in ((p, q), (q, p)):
            found.append(worst(one, other, INNER, float(claim.epsilon)))
    assert max(found) <= float(claim.delta) * (1 + 1e-6)
