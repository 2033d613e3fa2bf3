"""Domains: declared sets of points, with a total map from any table value to a point.

A domain is declared, never read from the data.  A value outside it (missing, unreadable, too large,
unknown) is data like any other: `Domain.encode` maps it to a declared point and never fails.
"""

from littlestone.domains.base import Domain, Point
from littlestone.domains.cells import MISSING, OTHER, Cells, Codes, Dates, Listed, Parted
from littlestone.domains.disjoint import Disjoint
from littlestone.domains.grid import Grid
from littlestone.domains.infinite import Integers, Reals, Strings
from littlestone.domains.names import Names
from littlestone.domains.product import Product
from littlestone.domains.values import (
    day,
    derived,
    entries,
    number,
    plain,
    require_list,
    text,
    truth,
)

__all__ = [
    "MISSING",
    "OTHER",
    "Cells",
    "Codes",
    "Dates",
    "Disjoint",
    "Domain",
    "Grid",
    "Integers",
    "Listed",
    "Names",
    "Parted",
    "Point",
    "Product",
    "Reals",
    "Strings",
    "day",
    "derived",
    "entries",
    "number",
    "plain",
    "require_list",
    "text",
    "truth",
]
