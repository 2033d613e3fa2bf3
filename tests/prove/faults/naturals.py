"""Faults that turn the row of `prove/papers/lecture5.py` red."""

from __future__ import annotations

from planting import Fault

FAULTS: dict[str, list[Fault]] = {
    "natural_thresholds": [
        Fault(
            "littlestone.classes.thresholds:Thresholds.mistake_point",
            "+ self.size // 2 if",
            "+ self.size // 3 + 1 if",
            "a third of the cuts is on one side",
        ),
        Fault(
            "littlestone.theory.game.players:StandardOptimalAlgorithm.update",
            "consistent(self.version_space, x, y)",
            "self.version_space",
            "the SOA learns nothing",
        ),
        Fault(
            "littlestone.classes.thresholds:Thresholds.littlestone_dimension",
            "self.size.bit_length() - 1",
            "(self.size.bit_length() - 1) // 2",
            "LDim is half of what it is",
        ),
        Fault(
            "littlestone.classes.thresholds:Thresholds.has_infinite_tree",
            "isinstance(self.domain, Reals) and ",
            "",
            "unbounded trees are said to be infinite",
        ),
    ],
}
