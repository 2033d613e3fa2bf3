"""Thresholds by levels: few errors on clean labels, a draw for all others, and sizes that hold."""

from __future__ import annotations

import random

import pytest

from littlestone.learn.papers.levels import LevelLearner
from littlestone.privacy import Budget
from littlestone.privacy.randomness import chooser

BITS = 40
LEARNER = LevelLearner.for_goal(BITS, Budget(4, "1e-3"), beta=0.01)


@pytest.mark.parametrize("share", [0.0, 0.01, 0.4, 1.0])
def test_few_errors_on_clean_labels(share: float) -> None:
    """Also for a threshold at an end, which all records have on one side."""
    rng = random.Random(7)
    best = int(share * 2**BITS)
    points = [rng.randrange(2**BITS) for _ in range(150)] + [max(0, best - 1)] * 30
    S = [(x, int(x >= best)) for x in points]
    for _ in range(10):
        t = LEARNER.draw(S, chooser(rng))
        assert 0 <= t <= 2**BITS
        assert sum((x >= t) != y for x, y in S) <= LEARNER.most_errors(beta=0.01) < 50


def test_any_labels_have_a_draw() -> None:
    rng = random.Random(8)
    for S in ([], [(3, 1)] * 20 + [(3, 0)] * 20, [(9, 0), (2, 1)] * 30):
        assert 0 <= LEARNER.draw(S, chooser(rng)) <= 2**BITS
