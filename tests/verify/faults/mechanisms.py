"""Faults that turn the rows of `verify/mechanisms.py` red."""

from __future__ import annotations

from planting import Fault

LEARNERS = "littlestone.learners"
MECHANISMS = "littlestone.privacy.mechanisms"
SPARSE = f"{MECHANISMS}.lists.sparse_selection:SparseSelection"
CONTINUAL = f"{MECHANISMS}.streams.continual_selection"
LOW = Fault(f"{SPARSE}.bottom", "self.heaviest +", "self.heaviest - 1 +", "bottom is one lower")
LOWER = Fault(f"{SPARSE}.bottom", "self.heaviest +", "self.heaviest - 4 +", "bottom is four lower")
FAULTS: dict[str, list[Fault]] = {
    "sparse_sampling": [LOW],
    "above_threshold": [
        Fault(
            f"{MECHANISMS}.thresholds.above_threshold:AboveThreshold.noises",
            "exp_below(self.query_epsilon)",
            "exp_below(2 * self.query_epsilon)",
            "half the noise",
        ),
    ],
    "stable_histogram": [
        Fault(
            f"{MECHANISMS}.lists.stable_histogram:StableHistogram.threshold",
            "1 + self._exponent",
            "self._exponent",
            "the threshold is one lower",
        ),
    ],
    "choosing": [LOW],
    "choosing_costs": [
        Fault(
            f"{MECHANISMS}.lists.choosing:ChoosingMechanism.sensitivity",
            "max(self.gain, self.loss)",
            "min(self.gain, self.loss)",
            "the smaller cost is the sensitivity",
        ),
    ],
    "exponential_costs": [
        Fault(
            f"{LEARNERS}.exponential:ExponentialLearner.__init__",
            ", self.mistakes.largest)",
            ")",
            "costs do not count for the sensitivity",
        ),
    ],
    "sparse_vector": [
        Fault(
            f"{MECHANISMS}.thresholds.sparse_vector:SparseVector._noises",
            "2 * self.hits",
            "self.hits",
            "values move in one direction",
        ),
    ],
    "composed": [
        Fault(
            "littlestone.privacy.accounting.composed:Composed.pieces",
            "for part, n in self.parts for",
            "for part, n in [(part, 1) for part, _ in self.parts] for",
            "repeated events count once",
        ),
    ],
    "one_sided_threshold": [
        Fault(
            f"{MECHANISMS}.thresholds.one_sided_threshold:OneSidedThreshold._law",
            "self.threshold - count for",
            "self.threshold - 2 * count for",
            "a record counts twice",
        ),
    ],
    "continual_keys": [
        Fault(
            f"{MECHANISMS}.streams.continual_key_selection:ContinualKeySelection.terms",
            "self.delta / self.horizon",
            "self.delta",
            "delta is spent at each step",
        ),
    ],
    "continual_own": [
        Fault(
            f"{CONTINUAL}:ContinualSelection.terms",
            "self.delta / self.horizon",
            "self.delta",
            "delta is spent at each step",
        ),
    ],
    "continual_shared": [
        Fault(
            f"{CONTINUAL}:ContinualSelection.terms",
            "self.delta / self.horizon",
            "self.delta",
            "delta is spent at each step",
        ),
    ],
    "confirmations": [
        Fault(
            f"{MECHANISMS}.streams.confirmation:ContinualConfirmation._law",
            "- records",
            "- 2 * records",
            "a record counts twice",
        ),
    ],
    "online_confirmed": [
        Fault(
            f"{MECHANISMS}.streams.confirmation:ContinualConfirmation.shrink",
            "exp_below(self.test_epsilon)",
            "exp_below(2 * self.test_epsilon)",
            "tests of twice their epsilon",
        ),
    ],
    "tallies": [
        Fault(
            f"{MECHANISMS}.streams.tallies:ContinualTallies.ratio",
            "exp_below(self.cell_epsilon)",
            "exp_below(2 * self.cell_epsilon)",
            "half the noise of a cell",
        ),
    ],
    "online_tallied": [
        Fault(
            f"{MECHANISMS}.streams.tallies:ContinualTallies.timed",
            "accumulate(cell is not None for cell in data)",
            "accumulate(2 * (cell is not None) for cell in data)",
            "a record counts twice for the time",
        ),
    ],
    "the_rest": [
        Fault(
            f"{MECHANISMS}.keys.rest_selection:RestSelection.upper",
            "self.base / self.slow",
            "self.base",
            "keys and the rest spend the same epsilon",
        ),
    ],
    "single_key_labels": [
        Fault(
            f"{MECHANISMS}.keys.single_key_selection:SingleKeySelection.base",
            "exp_below(self.epsilon)",
            "exp_below(2 * self.epsilon)",
            "curves of twice epsilon",
        ),
    ],
    "counted_lines": [
        Fault(
            f"{LEARNERS}.exponential:ExponentialLearner.scores",
            "return self.hypotheses.scores(sample)",
            "return self.hypotheses.scores(sample.weighted((2, 2)))",
            "an error counts twice",
        ),
    ],
    "online_keys": [
        Fault(
            f"{MECHANISMS}.streams.continual_key_selection:ContinualKeySelection.terms",
            "self.delta / self.horizon",
            "self.delta",
            "delta is spent at each step",
        ),
    ],
    "online_rules": [
        Fault(
            f"{CONTINUAL}:ContinualSelection.terms",
            "self.delta / self.horizon",
            "self.delta",
            "delta is spent at each step",
        ),
    ],
    "online_teachers": [LOW],
    "irreducible": [LOWER],
    "online_staged": [LOWER],
    "least_bottom": [LOW],
    "hundred_draws": [
        Fault(
            f"{MECHANISMS}.scores.exponential:ExponentialMechanism.guarantee",
            "bounded_range",
            "pure",
            "the bounded range is forgotten",
        ),
    ],
}
