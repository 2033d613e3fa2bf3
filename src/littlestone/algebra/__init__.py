"""Exact linear algebra over finite fields: arithmetic, echelon forms, subspaces that avoid points."""

from littlestone.algebra.avoiding import avoiding_subspace, point_basis
from littlestone.algebra.fields import Field, field_of_order
from littlestone.algebra.spans import Span, Vector
from littlestone.algebra.vectors import field_of, vector_space

__all__ = [
    "Field",
    "Span",
    "Vector",
    "avoiding_subspace",
    "field_of",
    "field_of_order",
    "point_basis",
    "vector_space",
]
