"""Faults that turn the rows of `prove/papers/mechanisms.py` red."""

from __future__ import annotations

from planting import Fault

LEARNERS = "littlestone.learn"
MECHANISMS = "littlestone.privacy.mechanisms"
SPARSE = f"{MECHANISMS}.sparse_selection:SparseSelection"
CONTINUAL = f"{MECHANISMS}.continual_selection"
LOW = Fault(f"{SPARSE}.bottom", "self.heaviest +", "self.heaviest - 1 +", "bottom is one lower")
LOWER = Fault(f"{SPARSE}.bottom", "self.heaviest +", "self.heaviest - 4 +", "bottom is four lower")
TWICE = Fault(
    f"{LEARNERS}.exponential:ExponentialLearner.scores",
    "return self.hypotheses.scores(sample)",
    "return self.hypotheses.scores(sample.weigh((2, 2)))",
    "an error counts twice",
)
FAULTS: dict[str, list[Fault]] = {
    "sparse-sampling": [LOW],
    "risks-of-steps": [
        Fault(
            f"{MECHANISMS}.cell_counts:CellCounts.counts_per_record",
            "most = 2 if self.cells is None else self.cells",
            "most = 1 if self.cells is None else self.cells",
            "a record is thought to leave one place and to enter none",
        ),
    ],
    "above-threshold": [
        Fault(
            f"{MECHANISMS}.above_threshold:AboveThreshold.noises",
            "exp_below(self.query_epsilon)",
            "exp_below(2 * self.query_epsilon)",
            "half the noise",
        ),
    ],
    "stable-histogram": [
        Fault(
            f"{MECHANISMS}.partition_selection:StableHistogram.threshold",
            "1 + self._exponent",
            "self._exponent",
            "the threshold is one lower",
        ),
    ],
    "choosing-mechanism": [LOW],
    "choosing-mechanism-loss": [
        Fault(
            f"{MECHANISMS}.choosing:ChoosingMechanism.sensitivity",
            "max(self.gain, self.loss)",
            "min(self.gain, self.loss)",
            "the smaller cost is the sensitivity",
        ),
    ],
    "exponential-learner-missed": [
        Fault(
            "littlestone.privacy.mechanisms.exponential:ExponentialDraw.__init__",
            ", self.mistakes.largest)",
            ")",
            "costs do not count for the sensitivity",
        ),
    ],
    "sparse-vector": [
        Fault(
            f"{MECHANISMS}.above_threshold:SparseVector._noises",
            "2 * self.hits",
            "self.hits",
            "values move in one direction",
        ),
    ],
    "composed-draws": [
        Fault(
            "littlestone.privacy.accounting.composed:Composition.pieces",
            "for part, n in self.parts for",
            "for part, n in [(part, 1) for part, _ in self.parts] for",
            "repeated events count once",
        ),
    ],
    "one-sided-threshold": [
        Fault(
            f"{MECHANISMS}.threshold_tests:OneSidedThreshold._law",
            "self.threshold - count for",
            "self.threshold - 2 * count for",
            "a record counts twice",
        ),
    ],
    "continual-key-selection": [
        Fault(
            f"{MECHANISMS}.continual_selection:ContinualKeySelection.terms",
            "self.delta / self.horizon",
            "self.delta",
            "delta is spent at each step",
        ),
    ],
    "continual-selection-own": [
        Fault(
            f"{CONTINUAL}:ContinualSelection.terms",
            "self.delta / self.horizon",
            "self.delta",
            "delta is spent at each step",
        ),
    ],
    "continual-selection-shared": [
        Fault(
            f"{CONTINUAL}:ContinualSelection.terms",
            "self.delta / self.horizon",
            "self.delta",
            "delta is spent at each step",
        ),
    ],
    "continual-confirmation": [
        Fault(
            f"{MECHANISMS}.confirmation:ContinualConfirmation._law",
            "- records",
            "- 2 * records",
            "a record counts twice",
        ),
    ],
    "online-block-learner": [
        Fault(
            "littlestone.learn.stream.blockwise:BlockStream._hit",
            "from_counts(self._domain, self._counts)",
            "from_counts(self._domain, {x: [2 * a, 2 * b] for x, (a, b) in self._counts.items()})",
            "every record of a block counts twice",
        ),
    ],
    "online-hedge-learner": [
        Fault(
            "littlestone.learn.stream.blockwise:BlockStream._hit",
            "from_counts(self._domain, self._counts)",
            "from_counts(self._domain, {x: [2 * a, 2 * b] for x, (a, b) in self._counts.items()})",
            "every record so far counts twice",
        ),
    ],
    "online-confirmed-learner": [
        Fault(
            f"{MECHANISMS}.confirmation:ContinualConfirmation.shrink",
            "exp_below(self.test_epsilon)",
            "exp_below(2 * self.test_epsilon)",
            "tests of twice their epsilon",
        ),
    ],
    "continual-tallies": [
        Fault(
            f"{MECHANISMS}.tallies:TimedRelease.ratio",
            "exp_below(self.cell_epsilon)",
            "exp_below(2 * self.cell_epsilon)",
            "half the noise of a cell",
        ),
    ],
    "continual-medians": [
        Fault(
            f"{MECHANISMS}.tallies:ContinualMedians._runs",
            "1, min(below + counts[place], records - below)",
            "1, 2 * min(below + counts[place], records - below)",
            "a record raises the score of its own place by 2",
        ),
    ],
    "online-confirmed-intervals": [
        Fault(
            f"{MECHANISMS}.tallies:TimedRelease.ratio",
            "exp_below(self.cell_epsilon)",
            "exp_below(3 * self.cell_epsilon)",
            "medians of three times their epsilon",
        ),
    ],
    "continual-sides": [
        Fault(
            f"{MECHANISMS}.sides:ContinualSides._tests",
            "OWN * named",
            "2 * OWN * named",
            "a record adds twice to its side",
        ),
    ],
    "online-tallied-intervals": [
        Fault(
            f"{MECHANISMS}.sides:ContinualSides.shrink",
            "exp_below(self._unit_epsilon)",
            "exp_below(2 * self._unit_epsilon)",
            "tests of sides with twice their epsilon",
        ),
    ],
    "online-tallied-learner": [
        Fault(
            f"{MECHANISMS}.tallies:TimedRelease.chance_of_tally",
            "accumulate(cell is not None for cell in data)",
            "accumulate(2 * (cell is not None) for cell in data)",
            "a record counts twice for the time",
        ),
    ],
    "online-tallied-thresholds": [
        Fault(
            f"{MECHANISMS}.sides:ContinualSides._tests",
            "SHARED * sum(",
            "5 * SHARED * sum(",
            "a record adds five times to what both sides share",
        ),
    ],
    "rest-selection": [
        Fault(
            f"{MECHANISMS}.partition_selection:RestSelection.upper",
            "self.odds_factor / self.slow",
            "self.odds_factor",
            "keys and the rest spend the same epsilon",
        ),
    ],
    "single-key-learner-labels": [
        Fault(
            f"{MECHANISMS}.partition_selection:SingleKeySelection.base",
            "exp_below(self.epsilon)",
            "exp_below(2 * self.epsilon)",
            "curves of twice epsilon",
        ),
    ],
    "exponential-learner-lines": [
        Fault(
            f"{LEARNERS}.exponential:ExponentialLearner.scores",
            "return self.hypotheses.scores(sample)",
            "return self.hypotheses.scores(sample.weigh((2, 2)))",
            "an error counts twice",
        ),
    ],
    "online-key-learner": [
        Fault(
            f"{MECHANISMS}.continual_selection:ContinualKeySelection.terms",
            "self.delta / self.horizon",
            "self.delta",
            "delta is spent at each step",
        ),
    ],
    "online-rule-learner": [
        Fault(
            f"{CONTINUAL}:ContinualSelection.terms",
            "self.delta / self.horizon",
            "self.delta",
            "delta is spent at each step",
        ),
    ],
    "online-teacher-learner": [LOW],
    "irreducible-learner": [LOWER],
    "online-staged-learner": [LOWER],
    "conditions-learner": [TWICE],
    "open-conditions-learner": [
        Fault(
            f"{MECHANISMS}.choosing:ChoosingMechanism.fresh",
            "return self.growth",
            "return 1",
            "a record brings one rule",
        ),
    ],
    "trees-learner": [TWICE],
    "rule-list-learner": [
        Fault(
            f"{LEARNERS}.rounds:RoundsLearner.__init__",
            "repeat(self.mechanism, hypotheses.rules, budget.delta)",
            "repeat(self.mechanism, 1, budget.delta)",
            "one round is paid for",
        ),
    ],
    "regrown-learner": [
        Fault(
            "littlestone.data.sample:Sample.split_by",
            "self.keep_where(places == i)",
            "self",
            "every leaf sees all records",
        ),
    ],
    "vocabulary-learner": [
        Fault(
            f"{LEARNERS}.rounds:count_values",
            "found.get(value, 0) + count",
            "found.get(value, 0) + 9 * count",
            "a record counts nine times",
        ),
    ],
    "unit-stream": [
        Fault(
            f"{LEARNERS}.stream.run:DurableStream.take",
            "record if self.units.counts(whose) else None",
            "record",
            "all records of a unit count",
        ),
        Fault(
            f"{LEARNERS}.stream.run:DurableStream.take",
            "compress(units, new)",
            "[None for _ in units]",
            "the records of all units are counted together",
        ),
    ],
    "unit-learner": [
        Fault(
            "littlestone.data.reading:Reservoir.__init__",
            "unit.most",
            "unit.most + 1",
            "one record more of a unit is kept",
        ),
    ],
    "group-estimates": [
        Fault(
            "littlestone.privacy.mistakes:MistakeCosts.largest",
            "max(self.missed, self.alarm)",
            "min(self.missed, self.alarm)",
            "the smaller cost is the sensitivity",
        ),
    ],
    "noisy_sums": [
        Fault(
            f"{MECHANISMS}.noisy_sums:NoisySums._noise",
            "(step.share * self.mu_squared)",
            "self.mu_squared",
            "no step is charged for the others",
        ),
    ],
    "least_bottom": [LOW],
    "hundred_draws": [
        Fault(
            f"{MECHANISMS}.exponential:ExponentialMechanism.guarantee",
            "bounded_range",
            "pure",
            "the bounded range is forgotten",
        ),
    ],
}
