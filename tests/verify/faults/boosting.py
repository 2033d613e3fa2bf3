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
}
NOT_YET = {
    "weak_means_strong",
    "algorithmic",
}
