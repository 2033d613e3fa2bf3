"""Faults that turn the rows of `prove/papers/algebraic.py` red."""

from __future__ import annotations

from planting import Fault

FAULTS: dict[str, list[Fault]] = {
    "subspaces": [
        Fault(
            "littlestone.classes.subspaces:AffineSubspaces.most",
            "self.dimension + 1",
            "max(1, self.dimension)",
            "an affine subspace has the rank of its dimension",
        ),
        Fault(
            "littlestone.classes.promises.flats:Flats.littlestone_dimension",
            "len(self._largest)",
            "max(1, len(self._largest))",
            "LDim is at least 1",
        ),
    ],
    "zero_sets": [
        Fault(
            "littlestone.classes.polynomial_zeros:PolynomialZeros.most",
            "self.inside.width",
            "self.inside.width - 1",
            "everything is no zero set",
        ),
    ],
}
