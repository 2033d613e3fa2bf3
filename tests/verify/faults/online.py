"""Faults that turn the rows of `verify/online.py` red."""

from __future__ import annotations

from planting import Fault

FAULTS: dict[str, list[Fault]] = {}
NOT_YET = {
    "one_mistake_names_the_target",
    "certain_votes_are_free",
}
