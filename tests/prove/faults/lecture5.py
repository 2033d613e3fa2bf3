"""Faults that turn the rows of `prove/papers/lecture5.py` red."""

from __future__ import annotations

from planting import Fault

DIMENSION = "littlestone.dimension.search.version_spaces:VersionSpaces.dimension"
LEARNER = "littlestone.learn.exponential"
TRUTH = Fault(
    "littlestone.theory.game.game:TreeAdversary.label",
    "if y != prediction",
    "if y == prediction",
    "the adversary tells the truth",
)
FAULTS: dict[str, list[Fault]] = {
    "soa_mistakes": [
        Fault(
            "littlestone.theory.game.players:StandardOptimalAlgorithm.predict",
            "soa_label(x)",
            "soa_label(x) ^ 1",
            "the SOA predicts the other label",
        )
    ],
    "forced_mistakes": [
        Fault(DIMENSION, "return low", "return min(low, 2)", "LDim is capped at 2"),
        TRUTH,
    ],
    "halving_mistakes": [
        Fault(
            "littlestone.theory.game.players:Halving.predict",
            "return plurality_label(self.version_space, x)",
            "return 1 - plurality_label(self.version_space, x)",
            "halving follows the minority",
        )
    ],
    "infinite_dimension": [TRUTH],
    "dimension_below_logarithm": [
        Fault(DIMENSION, "return low", "return low + 1", "LDim is one too large"),
        Fault(
            "littlestone.classes.thresholds:Thresholds.littlestone_dimension",
            "self.size.bit_length() - 1",
            "self.size.bit_length()",
            "LDim of thresholds is one too large",
        ),
    ],
    "vc_below_littlestone": [
        Fault(DIMENSION, "return low", "return min(low, 1)", "LDim is capped at 1"),
        Fault(
            "littlestone.dimension.multiclass:shattered_set",
            "for question in found)",
            "for question in found[1:])",
            "a point is lost",
        ),
    ],
    "exponential_privacy": [
        Fault(
            "littlestone.privacy.mechanisms.exponential:ExponentialMechanism.base",
            "(2 * self.sensitivity)",
            "self.sensitivity",
            "e^epsilon for an error, not e^(epsilon / 2)",
        )
    ],
    "exponential_sample_size": [
        Fault(f"{LEARNER}:ExponentialLearner.plan", "Bound(n,", "Bound(n // 10,", "n / 10"),
        Fault(
            f"{LEARNER}:least_size",
            "functions - math.log(beta)",
            "-math.log(beta)",
            "the functions are not counted",
        ),
    ],
}
