"""Faults that turn the rows of `verify/mixed_tables.py` red."""

from __future__ import annotations

from planting import Fault

LEARNERS = "littlestone.learners"
TWICE = Fault(
    f"{LEARNERS}.exponential:ExponentialLearner.scores",
    "return self.hypotheses.scores(sample)",
    "return self.hypotheses.scores(sample.weighted((2, 2)))",
    "an error counts twice",
)
FAULTS: dict[str, list[Fault]] = {
    "conditions": [TWICE],
    "open_conditions": [
        Fault(
            f"{LEARNERS}.choosing:ChoosingLearner.__init__",
            "growth = self.covering.elements_per_point",
            "growth = 1",
            "a record brings one rule",
        ),
    ],
    "trees": [TWICE],
    "rounds": [
        Fault(
            f"{LEARNERS}.rounds:RoundsLearner.__init__",
            "repeated(self.mechanism, hypotheses.rules, budget.delta)",
            "repeated(self.mechanism, 1, budget.delta)",
            "one round is paid for",
        ),
    ],
    "regrown": [
        Fault(
            f"{LEARNERS}.regrown:RegrownLearner.parts",
            "found.append(rest)",
            "found.append(sample)",
            "every leaf sees all records",
        ),
    ],
    "vocabulary": [
        Fault(
            f"{LEARNERS}.vocabulary:counted",
            "found.get(value, 0) + count",
            "found.get(value, 0) + 9 * count",
            "a record counts nine times",
        ),
    ],
    "units": [
        Fault(
            "littlestone.data.reservoir:Reservoir.__init__",
            "unit.most",
            "unit.most + 1",
            "one record more of a unit is kept",
        ),
    ],
    "estimates": [
        Fault(
            "littlestone.mistakes:MistakeCosts.largest",
            "max(self.missed, self.alarm)",
            "min(self.missed, self.alarm)",
            "the smaller cost is the sensitivity",
        ),
    ],
    "counted": [
        Fault(
            "littlestone.classes.trees:Trees.scores",
            "rest = held[:, None] - both",
            "rest = held[:, None]",
            "records of the root count in both halves",
        ),
        Fault(
            "littlestone.classes.conditions:Conditions._block",
            "[1 - matrix for matrix in matrices]",
            "matrices",
            "complements are forgotten",
        ),
    ],
}
