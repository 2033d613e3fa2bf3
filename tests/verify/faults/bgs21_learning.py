"""Faults that turn the rows of `verify/bgs21_learning.py` red."""

from __future__ import annotations

from faults import STEEP
from planting import Fault

FAULTS: dict[str, list[Fault]] = {
    "parts_are_private": [STEEP],
}
NOT_YET = {
    "parts_are_private",
    "parts_are_accurate",
    "sizes_by_bit_classes",
    "sizes_by_mls",
    "codes",
    "rules_with_outcomes",
}
