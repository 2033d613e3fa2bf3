"""Faults that turn the rows of `prove/papers/bgs21.py` red."""

from __future__ import annotations

from planting import Fault

CAPPED = Fault(
    "littlestone.dimension.multiclass:psi_littlestone_dimension",
    "return SplitSolver(splits).dimension(H.alive)",
    "return min(1, SplitSolver(splits).dimension(H.alive))",
    "Psi dimensions are capped at 1",
)
NO_LAST_BIT = Fault(
    "littlestone.dimension.multiclass:psi_bin",
    "range(max(labels).bit_length())",
    "range(max(labels).bit_length() - 1)",
    "the highest bit is not asked for",
)
FAULTS: dict[str, list[Fault]] = {
    "multiclass_is_psi_n": [CAPPED],
    "bit_classes_below_psi_bin": [
        NO_LAST_BIT,
        Fault(
            "littlestone.dimension.tables:LabelTable.bit_class",
            ">> i",
            ">> 0",
            "every bit class is that of bit 0",
        ),
    ],
    "order_of_the_families": [CAPPED, NO_LAST_BIT],
    "sauer_for_covers": [CAPPED],
    "covers_are_exponential": [
        Fault(
            "littlestone.dimension.multiclass:zero_cover_function",
            "single + max(partitions",
            "single + min(partitions",
            "the least over all points, not the largest",
        )
    ],
    "bit_classes_are_small": [
        Fault(
            "littlestone.dimension.multiclass:psi_n",
            "combinations(labels, 2)",
            "combinations(labels[:2], 2)",
            "a point has two labels at most",
        )
    ],
    "sharper_cap": [
        Fault("littlestone.prove.papers.bgs21:sauer_sum", " * k**i", "", "all labels count as one"),
        Fault(
            "littlestone.prove.papers.bgs21:bit_class_cap",
            "int(6 * d",
            "int(d",
            "a search too short",
        ),
    ],
    "rotations": [CAPPED],
    "some_bit_class_is_large": [CAPPED],
}
