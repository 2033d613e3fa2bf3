from littlestone.points.algebra.matroids import (
    avoiding_subspace as avoiding_subspace,
    point_basis as point_basis,
)
from littlestone.points.algebra.fields import Field as Field, field_of_order as field_of_order
from littlestone.points.algebra.matroids import (
    flats as flats,
    greedy_flat as greedy_flat,
    scatter_points as scatter_points,
)
from littlestone.points.algebra.fields import Monomials as Monomials
from littlestone.points.algebra.fields import Span as Span, Vector as Vector
from littlestone.points.algebra.fields import field_of as field_of, vector_space as vector_space
