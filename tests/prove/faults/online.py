"""Faults that turn the rows of `prove/papers/regret.py` red."""

from __future__ import annotations

from planting import Fault

FAULTS: dict[str, list[Fault]] = {
    "one_mistake_names_the_target": [
        Fault(
            "littlestone.classes.promises.tabled:TableClass.soa_label",
            "if self.solver.keeps(self.alive, self._part(column, 0)) else 1",
            "if self._part(column, 0) else 1",
            "the SOA is 0 wherever some function is",
        )
    ],
}
