"""Sets of points that meet all subspaces of one rank.

All subspaces here contain the fixed subspace ``inside``.  A set meets a subspace if it has one of
the points of the subspace outside ``inside``.  With ``affine``, points are vectors whose last
coordinate is 1, and the subspaces are spanned by points.  Points are written as their
`Span.direction` modulo ``inside``.  Source: docs/proofs/algebraic-classes.md.
"""

from __future__ import annotations

from collections.abc import Iterator
from itertools import combinations, product
from math import comb

from littlestone.base.steps import count
from littlestone.points.algebra.avoiding import point_basis
from littlestone.points.algebra.spans import Span, Vector


def fewest_blocking(inside: Span, rank: int, *, affine: bool) -> int:
    """A lower bound on the size of a set that meets all subspaces of that rank.

    >>> fewest_blocking(Span(7, 4), 2, affine=False), fewest_blocking(Span(101, 4), 3, affine=True)
    (57, 301)
    """
    q, width = inside.order, inside.width
    bose_burton = (q ** (width - rank + 1) - 1) // (q - 1)
    if not affine or inside.rank:
        return int(bose_burton)
    if rank == 1:  # all points
        return int(q ** (width - 1))
    jamison = (width - 1) * (q - 1) + 1 if rank == width - 1 else 0
    return int(max(bose_burton, jamison))


def known_blocking(
    inside: Span, given: frozenset[Vector], rank: int, k: int, *, affine: bool
) -> frozenset[Vector] | None:
    """At most k points that, with the ``given`` ones, meet all subspaces of that rank, or None.

    They complete a set that is known to meet all of them.  With codimension c, every affine
    subspace has a point with at most c nonzero coordinates.  Otherwise, every subspace that
    contains ``inside`` meets one fixed subspace with c + 1 dimensions more than ``inside``, which
    is chosen to have many of the given points.  None does not mean that there are no such points.
    """
    codimension = inside.width - rank
    if affine and not inside.rank:
        n, q = inside.width - 1, inside.order
        if sum(comb(n, i) * (q - 1) ** i for i in range(codimension + 1)) > k + len(given):
            return None
        count(4 * comb(n, codimension) * q**codimension)
        light = {
            (*(values[places.index(j)] if j in places else 0 for j in range(n)), 1)
            for places in combinations(range(n), codimension)
            for values in product(range(q), repeat=codimension)
        }
        missing = frozenset(light) - given
        return missing if len(missing) <= k else None
    units = [tuple(int(i == j) for i in range(inside.width)) for j in range(inside.width)]
    filled = inside
    for _ in range(codimension + 1):
        outside = [v for v in sorted(given) if v not in filled]
        grown = [filled.plus(v) for v in outside or units if v not in filled]
        filled = max(grown, key=lambda U: sum(v in U for v in outside))
    fewest = fewest_blocking(inside, rank, affine=affine)
    if fewest - sum(v in filled for v in given) > k:
        return None
    return frozenset(directions(inside, filled, affine=affine)) - given


def directions(inside: Span, U: Span, *, affine: bool) -> Iterator[Vector]:
    """The directions, modulo ``inside``, of the points of U outside ``inside``."""
    field, q = U.field, U.order
    basis = point_basis(U, affine=affine)
    whole = affine and not inside.rank
    if whole:  # first + sum of c_i (b_i - first)
        minus = field.negative(1)
        basis = (basis[0], *(field.combine(b, minus, basis[0]) for b in basis[1:]))
    else:
        basis = Span.of(q, U.width, map(inside.reduce, basis)).rows
    for lead in range(1 if whole else len(basis)):
        for number in range(q ** (len(basis) - lead - 1)):
            count(4)
            v = basis[lead]
            for b in basis[lead + 1 :]:
                number, c = divmod(number, q)
                v = field.combine(v, c, b)
            yield inside.direction(v)
