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
    ],
    "most_stable_learners": [
        Fault(
            "littlestone.theory.optimum.program:groupings",
            "<= wrong for row in group",
            "<= wrong + 1 for row in group",
            "rules with one more wrong point are shared",
        ),
        Fault(
            "littlestone.theory.optimum.program:grouped_task",
            "if row in group",
            "",
            "every group is right",
        ),
    ],
    "private_learners_of_thresholds_inside": [
        Fault(
            "littlestone.dimension.half_graphs:HalfGraphSearch.pairs",
            "in reversed(pairs)",
            "in pairs",
            "the half-graph of the transposed table is not turned",
        ),
        Fault(
            "littlestone.theory.optimum.tasks:most_success",
            "np.subtract.at(gain, task.pairs[:, 0]",
            "np.subtract.at(gain, task.pairs[:, 1]",
            "neighbours cost nothing",
        ),
    ],
}
