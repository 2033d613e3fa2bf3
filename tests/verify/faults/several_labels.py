"""Faults that turn the rows of `verify/several_labels.py` red."""

from __future__ import annotations

from planting import Fault

FAULTS: dict[str, list[Fault]] = {
    "leaves": [
        Fault(
            "littlestone.decomposition.irreducibility:reducing_path",
            "H.reducing_points(k)",
            "H.reducing_points(k - 1)",
            "k - 1 points are tried",
        )
    ],
}
NOT_YET = {
    "patterns",
    "soa_class",
    "one_rule_on_all_lists",
}
