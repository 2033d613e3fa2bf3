"""Faults that turn the rows of `verify/certificates.py` red."""

from __future__ import annotations

from planting import Fault

FAULTS: dict[str, list[Fault]] = {
    "certificates": [
        Fault(
            "littlestone.dimension.refutation_graph:GraphCertificate._upper",
            "checker.accepts(self.upper + 1)",
            "checker.accepts(self.upper + 2)",
            "claims of LDim < k + 1 pass for LDim < k",
        ),
        Fault(
            "littlestone.dimension.shattering:is_shattered_by",
            "for level in range(tree.depth):",
            "for level in range(tree.depth - 1):",
            "the last level of a tree is not looked at",
        ),
    ],
}
NOT_YET: set[str] = set()
