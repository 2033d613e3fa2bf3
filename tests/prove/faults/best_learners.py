"""Faults that turn the rows of `prove/papers/best_learners.py` red."""

from __future__ import annotations

from planting import Fault

FAULTS: dict[str, list[Fault]] = {
    "thresholds_on_three_points": [
        Fault(
            "littlestone.theory.optimum.tasks:most_success",
            "np.add.at(gain, task.pairs[:, 1]",
            "np.add.at(gain, task.pairs[:, 0]",
            "the wrong neighbour in the bound",
        ),
        Fault(
            "littlestone.theory.optimum.tasks:success_of",
            "law[s, good].sum()",
            "law[s].sum()",
            "every rule passes",
        ),
    ]
}
