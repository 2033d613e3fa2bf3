"""Faults that turn the rows of `verify/planning.py` red."""

from __future__ import annotations

from faults import STEEP
from planting import Fault

FAULTS: dict[str, list[Fault]] = {
    "one_point": [STEEP],
}
NOT_YET = {
    "sizes_above",
    "one_point",
    "indistinct_bits",
}
