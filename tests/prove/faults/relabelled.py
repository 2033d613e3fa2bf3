"""Faults that turn the rows of `prove/papers/boosting.py` red."""

from __future__ import annotations

from planting import Fault

COSTS = "littlestone.privacy.accounting.subsampled"
LAWS = Fault(
    "littlestone.learn.papers.agnostic:AgnosticTransformation.laws",
    "probabilities(scores - scores.min())",
    "probabilities(2 * (scores - scores.min()))",
    "the base of the weights is e^eta",
)
SCORES = "littlestone.learn.papers.agnostic:AgnosticLearner.score_patterns"
FAULTS: dict[str, list[Fault]] = {
    "own_labels": [
        LAWS,
        Fault(f"{COSTS}:OwnLabels.inside", "_BITS)) ** 2", "_BITS))", "only one sum is paid for"),
    ],
    "other_labels": [
        LAWS,
        Fault(
            SCORES,
            "self.relabelling.weight",
            "others.n // sample.n",
            "a label of T weighs as W to T, and less is claimed",
        ),
        Fault(
            f"{COSTS}:OtherLabels.outside",
            "return exp_below(eta, _BITS), exp_above(eta, _BITS)",
            "return Fraction(1), Fraction(1)",
            "what the others say is not paid for",
        ),
    ],
}
