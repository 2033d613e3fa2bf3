from littlestone.domains.base import Domain as Domain, Point as Point
from littlestone.domains.cells import (
    MISSING as MISSING,
    OTHER as OTHER,
    Cells as Cells,
    Codes as Codes,
    Dates as Dates,
    Listed as Listed,
    Parted as Parted,
)
from littlestone.domains.disjoint import Disjoint as Disjoint
from littlestone.domains.grid import Grid as Grid
from littlestone.domains.infinite import Integers as Integers, Reals as Reals, Strings as Strings
from littlestone.domains.names import Names as Names
from littlestone.domains.product import Product as Product
from littlestone.domains.values import (
    day as day,
    derived as derived,
    entries as entries,
    number as number,
    plain as plain,
    require_list as require_list,
    text as text,
    truth as truth,
)
