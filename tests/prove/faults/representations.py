"""Faults that turn the row of `prove/papers/lecture5.py` red."""

from __future__ import annotations

from planting import Fault

PLACE = "littlestone.dimension.representing"
FAULTS: dict[str, list[Fault]] = {
    "representations": [
        Fault(
            f"{PLACE}:Representation.probabilistic",
            "-3 * len(self.cover) // 4",
            "-2 * len(self.cover) // 4",
            "drawn sets represent with probability 1/2",
        ),
        Fault(
            f"{PLACE}:Representation.probabilistic",
            "-(-3 * len(self.cover) // 4)",
            "len(self.cover)",
            "the whole cover is drawn",
        ),
        Fault(
            f"{PLACE}:representation",
            "for j in range(MOST_COLUMNS) if j != i",
            "for j in range(MOST_COLUMNS) if j != (i + 1) % 4",
            "a test leaves out another column",
        ),
        Fault(
            f"{PLACE}:_flip",
            "1 - c[i]",
            "c[i]",
            "c alone represents c",
        ),
    ],
}
