"""Faults that turn the rows of `verify/teachers.py` red."""

from __future__ import annotations

from planting import Fault

FAULTS: dict[str, list[Fault]] = {}
NOT_YET = {
    "one_rule_on_all_lists",
    "on_a_fixed_data_set",
}
