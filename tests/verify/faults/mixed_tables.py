"""Faults that turn the rows of `verify/mixed_tables.py` red."""

from __future__ import annotations

from faults import STEEP
from planting import Fault

FAULTS: dict[str, list[Fault]] = {
    "conditions": [STEEP],
    "open_conditions": [STEEP],
    "trees": [STEEP],
    "rounds": [STEEP],
    "regrown": [STEEP],
    "vocabulary": [STEEP],
    "units": [STEEP],
    "estimates": [STEEP],
}
NOT_YET = {
    "conditions",
    "open_conditions",
    "trees",
    "rounds",
    "regrown",
    "vocabulary",
    "units",
    "estimates",
    "counted",
}
