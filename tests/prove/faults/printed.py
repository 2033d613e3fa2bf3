"""Faults that turn the rows of `prove/papers/printed.py` red."""

from __future__ import annotations

from planting import Fault

BOXES = "littlestone.learn.papers.boxes"
FAULTS: dict[str, list[Fault]] = {
    "printed_learner": [
        Fault(f"{BOXES}.base:count_errors", "!= y", "== y", "right labels count as errors"),
        Fault(
            f"{BOXES}.lecture5:sample_by_loss",
            "ExponentialMechanism(epsilon)",
            "ExponentialMechanism(4 * epsilon)",
            "four times epsilon",
        ),
    ],
    "printed_distributions": [
        Fault(f"{BOXES}.lecture5:soa", "tie if", "1 - tie if", "the other label in a tie"),
    ],
    "printed_stable_learner": [
        Fault(f"{BOXES}.base:pick", "items[choose(", "items[0 * choose(", "k and y are always 0"),
        Fault(f"{BOXES}.blm20:algorithm_g", "S[N : N + n]", "S[:n]", "T is drawn before"),
    ],
    "printed_private_learner": [
        Fault(
            "littlestone.privacy.mechanisms.partition_selection:StableHistogram.threshold",
            "max(2, 1 + self._exponent(self.delta))",
            "2",
            "any count of two is released",
        ),
    ],
    "printed_bits": [
        Fault(
            f"{BOXES}.lecture5:algorithm_a",
            "S[start : start + size]",
            "S",
            "all bits are learned from all examples",
        ),
    ],
    "printed_sampling": [
        Fault(
            f"{BOXES}.lyu25:printed_bottom",
            "10 * math",
            "math",
            "a tenth of the score of bottom",
        ),
    ],
    "one_hit_too_many": [
        Fault(
            f"{BOXES}.lyu25:cl_above_threshold",
            "while counter <= K",
            "while counter < K",
            "it is mended",
        ),
    ],
    "printed_training": [
        Fault(
            f"{BOXES}.lyu25:Sizes.as_printed",
            "Fraction(k, 10)",
            "Fraction(40 * k)",
            "bottom outweighs every rule of one list",
        ),
    ],
    "mended_training": [
        Fault(
            f"{BOXES}.lyu25:printed_bottom",
            "math.log(L / delta)",
            "math.log(L)",
            "B does not know delta",
        ),
    ],
    "uneven_parts": [
        Fault(
            f"{BOXES}.base:split",
            "found[i].append(item)",
            "[part.append(item) for part in found]",
            "each part has all examples",
        ),
    ],
}
