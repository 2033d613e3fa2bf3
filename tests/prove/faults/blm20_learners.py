"""Faults that turn the rows of `prove/papers/blm20.py` red."""

from __future__ import annotations

from planting import Fault

LEARNER = "littlestone.learn.papers.globally_stable:GloballyStableLearner"
SIZES = "littlestone.learn.papers.globally_stable"
TENTH = Fault(f"{LEARNER}.plan", "Bound(sizes.n,", "Bound(sizes.n // 10,", "n is divided by ten")
SMALL_BLOCKS = Fault(
    f"{SIZES}:proved_sizes",
    "2 * math.log(1 / eta) / alpha",
    "math.log(1 / eta) / (2 * alpha)",
    "a frequent rule may err above alpha",
)
FAULTS: dict[str, list[Fault]] = {
    "learner_as_a_whole": [
        Fault(f"{LEARNER}.draw", "if count >= sizes.keep", "", "rules of few votes are kept"),
        Fault(
            f"{LEARNER}.draw",
            "errors(survivors, fresh)",
            "errors(survivors, batches[0])",
            "the choice reads the records that voted",
        ),
        Fault(f"{LEARNER}.rule", "i % len(sizes.caps)", "0", "k is always 0"),
    ],
    "planned_size": [
        TENTH,
        SMALL_BLOCKS,
        Fault(
            f"{SIZES}:_sizes",
            "least(suffices) // len(caps)",
            "least(suffices) // 10 // len(caps)",
            "a tenth of the votes",
        ),
        Fault(f"{SIZES}:_sizes", "/ rate", "/ rate / 10", "a tenth of the fresh records"),
    ],
    "agnostic_learner": [
        Fault(
            "littlestone.learn.papers.agnostic:AgnosticTransformation.plan",
            "Bound(n,",
            "Bound(n // 10,",
            "n is divided by ten",
        ),
        SMALL_BLOCKS,
        Fault(
            "littlestone.privacy.accounting.subsampled:OtherLabels.inside",
            "return 4 *",
            "return",
            "patterns that lose an extension cost nothing",
        ),
        Fault(
            "littlestone.learn.plan.sizes:formulas",
            "16.0**d * d**2 * (d + rare) + (d + doubt)",
            "16.0**d * d**2 * (d + rare) + (d + rare)",
            "delta costs alpha^-2",
        ),
    ],
}
