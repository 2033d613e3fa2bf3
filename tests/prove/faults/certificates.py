"""Faults that turn the rows of `prove/papers/algebraic.py` red."""

from __future__ import annotations

from planting import Fault

FAULTS: dict[str, list[Fault]] = {
    "certificates": [
        Fault(
            "littlestone.dimension.certify:Certificate.check",
            "if found.above == ABOVE.CLAIMS:",
            "if self.claims:",
            "claims that were refused pass",
        ),
        Fault(
            "littlestone.dimension.certify:Certificate.check",
            "found.shattered, reason",
            "True, reason",
            "what is found about the tree is not told",
        ),
    ],
}
NOT_YET: set[str] = set()
