"""Faults that turn the rows of `verify/lecture5.py` red."""

from __future__ import annotations

from faults import STEEP
from planting import Fault

TRUTH = Fault(
    "littlestone.online.adversaries:TreeAdversary.label",
    "if y != prediction",
    "if y == prediction",
    "the adversary tells the truth",
)
FAULTS: dict[str, list[Fault]] = {
    "soa_mistakes": [
        Fault(
            "littlestone.online.soa:StandardOptimalAlgorithm.predict",
            "soa_label(x)",
            "soa_label(x) ^ 1",
            "the SOA predicts the other label",
        )
    ],
    "forced_mistakes": [
        Fault(
            "littlestone.dimension.version_spaces:VersionSpaces.dimension",
            "return low",
            "return min(low, 2)",
            "LDim is capped at 2",
        ),
        TRUTH,
    ],
    "halving_mistakes": [
        Fault(
            "littlestone.online.halving:Halving.predict",
            "return plurality_label(self.version_space, x)",
            "return 1 - plurality_label(self.version_space, x)",
            "halving follows the minority",
        )
    ],
    "infinite_dimension": [TRUTH],
    "exponential_privacy": [STEEP],
}
NOT_YET = {
    "dimension_below_logarithm",
    "vc_below_littlestone",
    "exponential_privacy",
    "exponential_sample_size",
}
