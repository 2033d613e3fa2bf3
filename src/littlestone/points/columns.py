"""The single columns of a domain, and which of them are days."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from littlestone.points.base import Domain
from littlestone.points.cells import Dates
from littlestone.points.disjoint import Disjoint
from littlestone.points.product import Product


def columns_of(domain: Domain[Any]) -> Iterator[Domain[Any]]:
    """The domains of the single columns of a domain.

    >>> from littlestone.points import Grid, Reals
    >>> [column.name for column in columns_of(Product((Grid(0, 9, "age"), Reals("height"))))]
    ['age', 'height']
    """
    if isinstance(domain, Product | Disjoint):
        for column in domain.columns:
            yield from columns_of(column)
    else:
        yield domain


def days_of(domain: Domain[Any]) -> frozenset[str]:
    """The names of the columns that are read as days."""
    return frozenset(column.name for column in columns_of(domain) if isinstance(column, Dates))
