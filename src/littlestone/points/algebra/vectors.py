"""Vectors as points: records whose columns have values in one finite field."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from littlestone.base.errors import DeclarationError
from littlestone.points import Domain, Grid, Product
from littlestone.points.algebra.fields import Field, field_of_order


def vector_space(columns: Sequence[str], q: int) -> Product:
    """The domain GF(q)^n of vectors with one coordinate per column, each a number 0, ..., q - 1.

    >>> (100, 7) in vector_space(["x", "y"], 101)
    True
    """
    field_of_order(q)  # raises unless q is the order of a field
    return Product(tuple(Grid(0, q - 1, name) for name in columns))


def field_of(domain: Domain[Any]) -> Field:
    """The field over which ``domain`` is a `vector_space`; `DeclarationError` if there is none."""
    if isinstance(domain, Product) and isinstance(domain.columns[0], Grid):
        q = domain.columns[0].size
        if domain == vector_space(domain.column_names, q):
            return field_of_order(q)
    raise DeclarationError(
        f"use {domain} as a vector space",
        found="its columns are not the numbers 0, ..., q - 1 of one finite field",
        fix="declare it with littlestone.points.algebra.vector_space(columns, q)",
    )
