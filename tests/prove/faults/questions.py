"""Faults that turn the rows of `prove/papers/questions.py` red."""

from __future__ import annotations

from planting import Fault

HALF_THE_NOISE = Fault(
    "littlestone.privacy.mechanisms.exponential:ExponentialMechanism.base",
    "(2 * self.sensitivity)",
    "2",
    "noise for losses of at most 1",
)
FAULTS: dict[str, list[Fault]] = {
    "few_large_errors": [
        Fault(
            "littlestone.theory.game.values:Board.from_reals",
            ">= Fraction(gap)",
            "> Fraction(gap)",
            "values at a distance of the gap are not apart",
        ),
    ],
    "private_values": [HALF_THE_NOISE],
    "answers_to_all_queries": [HALF_THE_NOISE],
    "smaller_delta": [
        Fault(
            "littlestone.privacy.mechanisms.partition_selection:StableHistogram.threshold",
            "max(2, 1 + self._exponent(self.delta))",
            "2",
            "any count of two is released",
        ),
    ],
    "thresholds_by_levels": [
        Fault(
            "littlestone.learn.papers.levels:LevelLearner.levels",
            "* 4 / 9",
            "* 9",
            "a level costs more than the whole budget",
        ),
        Fault(
            "littlestone.learn.papers.levels:LevelLearner._crossings",
            "min(side[J] for side in counts)",
            "max(side[J] for side in counts)",
            "an interval of one label counts",
        ),
    ],
    "paths_of_trees": [
        Fault(
            "littlestone.learn.papers.levels:PathLearner.level",
            "self.budget.epsilon / 4",
            "self.budget.epsilon * 8",
            "a level costs more than the whole budget",
        ),
        Fault(
            "littlestone.learn.papers.levels:PathLearner.branches",
            "self.budget.epsilon / 4, self.budget.delta / 2",
            "self.budget.epsilon * 8, self.budget.delta * 8",
            "a branch costs more than the whole budget",
        ),
        Fault(
            "littlestone.learn.papers.levels:PathLearner.draw_labels",
            "if turned and node]",
            "if node]",
            "records of the first hypothesis count for a branch",
        ),
    ],
}
