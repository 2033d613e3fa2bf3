"""Exact linear algebra over finite fields: arithmetic, subspaces and flats, monomials."""

from littlestone.algebra.avoiding import avoiding_subspace, point_basis
from littlestone.algebra.fields import Field, field_of_order
from littlestone.algebra.matroids import flats, greedy_flat, scattered
from littlestone.algebra.monomials import Monomials
from littlestone.algebra.spans import Span, Vector
from littlestone.algebra.vectors import field_of, vector_space

__all__ = [
    "Field",
    "Monomials",
    "Span",
    "Vector",
    "avoiding_subspace",
    "field_of",
    "field_of_order",
    "flats",
    "greedy_flat",
    "point_basis",
    "scattered",
    "vector_space",
]
