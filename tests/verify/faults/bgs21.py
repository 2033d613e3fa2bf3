"""Faults that turn the rows of `verify/bgs21.py` red."""

from __future__ import annotations

from planting import Fault

CAPPED = Fault(
    "littlestone.dimension.multiclass:psi_littlestone_dimension",
    "return SplitSolver(splits).dimension(H.alive)",
    "return min(1, SplitSolver(splits).dimension(H.alive))",
    "Psi dimensions are capped at 1",
)
FAULTS: dict[str, list[Fault]] = {
    "multiclass_is_psi_n": [CAPPED],
    "order_of_the_families": [CAPPED],
    "sauer_for_covers": [CAPPED],
    "rotations": [CAPPED],
    "some_bit_class_is_large": [CAPPED],
}
NOT_YET = {
    "bit_classes_below_psi_bin",
    "covers_are_exponential",
    "bit_classes_are_small",
    "sharper_cap",
}
