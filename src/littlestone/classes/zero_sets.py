"""All zero sets of polynomials on a small space, as masks over its points."""

from __future__ import annotations

from functools import lru_cache
from itertools import product

import numpy as np
from numpy.typing import NDArray

from littlestone.algebra import Monomials, field_of_order

MOST_POINTS = 25
"""The most points of a space whose zero sets are listed; a table has a bit for each set of points."""

MOST_POLYNOMIALS = 1 << 14
"""The most polynomials whose zero sets are intersected."""


def is_listed(q: int, variables: int, monomials: int) -> bool:
    """Whether the zero sets are few enough to be listed."""
    small = variables <= MOST_POINTS and monomials <= MOST_POLYNOMIALS.bit_length()
    return small and q**variables <= MOST_POINTS and q**monomials <= MOST_POLYNOMIALS


@lru_cache(maxsize=8)
def zero_sets(q: int, variables: int, degree: int) -> NDArray[np.int64]:
    """The zero sets of all systems of polynomials, in order; bit i is the i-th point of GF(q)^n.

    They are the intersections of zero sets of single polynomials.

    >>> zero_sets(2, 1, 1).tolist()
    [0, 1, 2, 3]
    """
    monomials = Monomials(q, variables, degree)
    times, minus = field_of_order(q).tables()
    values = np.array([monomials.at(x) for x in product(range(q), repeat=variables)])
    coefficients = np.indices((q,) * len(monomials)).reshape(len(monomials), -1)
    found = np.zeros((coefficients.shape[1], len(values)), dtype=np.uint16)
    for row, column in zip(coefficients, values.T, strict=True):  # all signs occur
        found = minus[found, times[row[:, None], column]]
    single = np.unique((found == 0) @ (1 << np.arange(len(values))))
    seen = np.zeros(1 << len(values), dtype=bool)
    seen[single] = True
    new = single
    while len(new):
        more = []
        for mask in single:
            met = new & mask
            met = met[~seen[met]]
            if len(met):
                seen[met] = True
                more.append(np.unique(met))
        new = np.concatenate(more) if more else single[:0]
    return np.flatnonzero(seen)
