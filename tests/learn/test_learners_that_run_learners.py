"""Every learner that a fit will run is asked before the spend whether it refuses, and is loaded."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from littlestone.base.errors import TooLargeError
from littlestone.classes import FiniteClass, parse_class
from littlestone.data.sample import Sample
from littlestone.learn import ExponentialLearner, PrivateLearner, ProperLearner
from littlestone.learn.bits import BitPartsLearner, BitsLearner
from littlestone.learn.papers.agnostic import RelabellingLearner
from littlestone.learn.papers.boosting import BoostingLearner
from littlestone.learn.regrown import RegrownLearner
from littlestone.privacy import Budget
from littlestone.privacy.ledger import Ledger

BUDGET = Budget(3, "1e-3")
FOUR = FiniteClass.from_array(np.arange(12).reshape(3, 4) % 4, labels=4)
TWO = FiniteClass.from_array(np.eye(4, dtype=int))


def exponential(H: Any, budget: Budget) -> PrivateLearner[Any]:
    return ExponentialLearner(H, budget)


MADE: list[PrivateLearner[Any]] = [
    BitsLearner(FOUR, BUDGET, binary=exponential),
    BitPartsLearner(FOUR, BUDGET, binary=exponential),
    BoostingLearner(TWO, BUDGET, weak=exponential(TWO, BUDGET)),
    ProperLearner(TWO, BUDGET, improper=exponential(TWO, BUDGET)),
    RelabellingLearner(TWO, BUDGET, realizable=lambda budget: exponential(TWO, budget)),
    RegrownLearner(parse_class("trees(x at {0}, y at {0}; depth 1)"), BUDGET),
]


@pytest.mark.parametrize("learner", MADE, ids=lambda learner: learner.method)
def test_an_inner_learner_refuses_before_the_spend(
    learner: PrivateLearner[Any], monkeypatch: pytest.MonkeyPatch
) -> None:
    asked: list[int] = []

    def refuse(self: Any, n: int) -> None:
        asked.append(n)
        raise TooLargeError("learn", found="it is too much", fix="learn less")

    monkeypatch.setattr(ExponentialLearner, "require_affordable", refuse)
    H = learner.hypotheses
    points = [x for x, _ in zip(H.domain, range(4), strict=False)]
    counts = np.full((len(points), H.labels), 10)
    with Ledger() as ledger:
        with pytest.raises(TooLargeError, match="too much"):
            learner.fit(Sample(H.domain, points, counts), ledger=ledger, dataset="d")
        assert not list(ledger.entries("d"))
    assert 0 < max(asked) <= counts.sum()
