from littlestone.points.base import Domain as Domain, Point as Point
from littlestone.points.cells import (
    MISSING as MISSING,
    OTHER as OTHER,
    Cells as Cells,
    Codes as Codes,
    Dates as Dates,
    Listed as Listed,
    FiniteColumn as FiniteColumn,
)
from littlestone.points.columns import Disjoint as Disjoint
from littlestone.points.ordered import Grid as Grid
from littlestone.points.ordered import Integers as Integers, Reals as Reals, Strings as Strings
from littlestone.points.cells import Names as Names
from littlestone.points.columns import Product as Product
from littlestone.points.base import (
    day as day,
    is_of_class as is_of_class,
    entries as entries,
    number as number,
    plain as plain,
    require_list as require_list,
    text as text,
    truth as truth,
    truths as truths,
)
