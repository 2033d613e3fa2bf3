"""Small classes: all of them up to renaming, and the smallest with given dimensions.

A class over n points is a set of rows: numbers below 2^n, whose bit x is the label of point x.
"""

from littlestone.atlas.listing import Entry, atlas, burnside
from littlestone.atlas.quantities import QUANTITIES, Quantity
from littlestone.atlas.query import Query
from littlestone.atlas.renaming import canonical, table_of
from littlestone.atlas.search import Looked, search

__all__ = [
    "QUANTITIES",
    "Entry",
    "Looked",
    "Quantity",
    "Query",
    "atlas",
    "burnside",
    "canonical",
    "search",
    "table_of",
]
