"""Small classes: all of them up to renaming, and the smallest with given dimensions.

A class over n points is a set of rows: numbers below 2^n, whose bit x is the label of point x.
"""

from littlestone.theory.atlas.listing import (
    Entry,
    SearchResult,
    atlas,
    burnside,
    canonical,
    search,
    table_of,
)
from littlestone.theory.atlas.quantities import QUANTITIES, Quantity, Query

__all__ = [
    "QUANTITIES",
    "Entry",
    "Quantity",
    "Query",
    "SearchResult",
    "atlas",
    "burnside",
    "canonical",
    "search",
    "table_of",
]
