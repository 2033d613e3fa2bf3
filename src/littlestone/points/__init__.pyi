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
from littlestone.points.matroids import (
    avoiding_subspace as avoiding_subspace,
    point_basis as point_basis,
)
from littlestone.points.fields import Field as Field, field_of_order as field_of_order
from littlestone.points.matroids import (
    flats as flats,
    greedy_flat as greedy_flat,
    scatter_points as scatter_points,
)
from littlestone.points.fields import Monomials as Monomials
from littlestone.points.fields import Span as Span, Vector as Vector
from littlestone.points.fields import field_of as field_of, vector_space as vector_space
