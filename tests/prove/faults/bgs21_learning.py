"""Faults that turn the rows of `prove/papers/bgs21.py` red."""

from __future__ import annotations

from planting import Fault

PARTS = "littlestone.learn.bits:BitPartsLearner"
BITS = "littlestone.learn.bits:BitwiseLearner"
ONE_PART = Fault(f"{PARTS}.plan", "len(self.learners) * n", "n", "one part of records for all bits")
SHORT = Fault(
    "littlestone.prove.papers.bgs21:bit_class_cap",
    "int(6 * d",
    "int(d",
    "a search that is too short",
)
FAULTS: dict[str, list[Fault]] = {
    "parts_are_private": [
        Fault(f"{PARTS}.parts", "self.bit(part, i)", "self.bit(parts[0], i)", "all read one part")
    ],
    "parts_are_accurate": [
        ONE_PART,
        Fault(f"{BITS}.classifier", "tuple(bits)", "tuple(bits[::-1])", "the highest bit first"),
        Fault(f"{BITS}.bit", "y >> i & 1", "y & 1", "every learner sees bit 0"),
    ],
    "sizes_by_bit_classes": [ONE_PART],
    "sizes_by_mls": [SHORT],
    "codes": [
        SHORT,
        Fault(
            "littlestone.prove.papers.bgs21:simplex_code",
            "range(1, 8)",
            "range(1, 5)",
            "two words differ in 2 bits",
        ),
    ],
    "rules_with_outcomes": [
        Fault(
            "littlestone.classes.outcomes:Outcomes.bit_class",
            "RuleSets(self.domain, self.max_rules,",
            "RuleSets(self.domain, 1,",
            "a bit has one rule",
        )
    ],
}
