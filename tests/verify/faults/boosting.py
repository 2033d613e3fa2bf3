"""Faults that turn the rows of `verify/boosting.py` red."""

from __future__ import annotations

from planting import Fault

FAULTS: dict[str, list[Fault]] = {
    "identity": [
        Fault(
            "littlestone.learners.walk:Walk.weights",
            "self.rounds // 2 - r for",
            "self.rounds // 2 - r + 1 for",
            "weights of one vote more",
        )
    ],
    "algorithmic": [
        Fault(
            "littlestone.learners.boosting:BoostingLearner.plan",
            "each = beta / (2 * self.walk.rounds)",
            "each = beta / 2**self.walk.rounds",
            "a round may fail with probability beta 2^-T",
        )
    ],
}
NOT_YET = {"weak_means_strong"}
