"""Faults that turn the rows of `prove/papers/small_laws.py` red."""

from __future__ import annotations

from planting import Fault

DRAWN = "littlestone.privacy.mechanisms.exponential:ExponentialMechanism.base"
FAULTS: dict[str, list[Fault]] = {
    "error_moves_little": [
        Fault(
            DRAWN,
            "(2 * self.sensitivity)",
            "self.sensitivity",
            "e^epsilon for an error, not e^(epsilon / 2)",
        ),
    ],
    "finite_classes_are_stable": [
        Fault(
            "littlestone.privacy.mechanisms.exponential:ExponentialMechanism.probabilities",
            "total = sum(weights)",
            "total = 2 * sum(weights)",
            "half of the law is lost",
        ),
    ],
    "chernoff_without_replacement": [
        Fault(
            "littlestone.learn.papers.teachers:shuffle_records",
            "rng.shuffle(records)",
            "records.sort()",
            "the first teacher gets the first records",
        ),
    ],
    "one_candidate_after_another": [
        Fault(
            "littlestone.theory.game.players:majority",
            "plurality_label(V, x) for x",
            "1 - plurality_label(V, x) for x",
            "the majority is the minority",
        ),
        Fault(
            "littlestone.theory.decomposition.valid_trees:leaf_bound",
            "p * (2 ** (d - t) - 1)",
            "p * (4 ** (d - t) - 1)",
            "trees may be twice as deep on a log scale",
        ),
    ],
    "smoothed_adversaries": [
        Fault(
            "littlestone.classes.thresholds:Thresholds.restrict",
            "min(self.upto, x)) if y",
            "self.upto) if y",
            "a label 1 says nothing",
        ),
    ],
    "noisy_maxima_do_not_renormalize": [
        Fault(
            "littlestone.privacy.mechanisms.bucket_labels:flip_chances",
            "here - q * before",
            "here - before / 2",
            "the coins of the others have no bias",
        ),
        Fault(
            "littlestone.privacy.mechanisms.sparse_selection:SparseSelection.chances",
            "self.base ** (score - top) for",
            "self.base ** (score - top) / len(scores) for",
            "each candidate weighs less where there are many",
        ),
    ],
}
