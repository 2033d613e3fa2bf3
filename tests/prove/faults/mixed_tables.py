"""Faults that turn the rows of `prove/papers/mechanisms.py` red."""

from __future__ import annotations

from planting import Fault

FAULTS: dict[str, list[Fault]] = {
    "compare_scores": [
        Fault(
            "littlestone.privacy.scores:_halves",
            "rest = single - both",
            "rest = single",
            "records of the root count in both halves",
        ),
        Fault(
            "littlestone.classes.conditions:Conditions._block",
            "m if held else 1 - m",
            "m",
            "complements are forgotten",
        ),
        Fault(
            "littlestone.classes.conditions:Conditions._block",
            "sum(holds) < least",
            "sum(holds) < least - (least > 1)",
            "a checklist is content with one condition less",
        ),
    ],
}
