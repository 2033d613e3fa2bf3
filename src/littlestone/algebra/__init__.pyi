from littlestone.algebra.avoiding import (
    avoiding_subspace as avoiding_subspace,
    point_basis as point_basis,
)
from littlestone.algebra.fields import Field as Field, field_of_order as field_of_order
from littlestone.algebra.matroids import (
    flats as flats,
    greedy_flat as greedy_flat,
    scattered as scattered,
)
from littlestone.algebra.monomials import Monomials as Monomials
from littlestone.algebra.spans import Span as Span, Vector as Vector
from littlestone.algebra.vectors import field_of as field_of, vector_space as vector_space
