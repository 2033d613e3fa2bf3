"""Subspaces that avoid given vectors: the critical problem of Crapo and Rota.

A subspace of codimension c avoids the vectors v_1, ..., v_N iff it is the kernel of a linear map A
to GF(q)^c with A v_i != 0 for all i.  Only the values of A on a basis of <v_1, ..., v_N> matter.  A
backtracking search finds them, as in graph colouring: the next basis vector may have any nonzero value,
except one forbidden value for each v_i that it completes.  docs/proofs/algebraic-classes.md proves that
the search is exhaustive.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from littlestone.base.steps import count
from littlestone.points.algebra.fields import Field
from littlestone.points.algebra.spans import Span, Vector


def avoiding_subspace(
    inside: Span, avoided: Sequence[Vector], rank: int, *, affine: bool
) -> Span | None:
    """A subspace W of dimension ``rank`` that contains ``inside`` and none of ``avoided``, or None.

    The vectors in ``avoided`` must not be in ``inside``.  With ``affine``, W is 0 or has a vector whose
    last coordinate is 1.  Then ``inside`` must be 0 or have such a vector too, and if it is 0, the last
    coordinate of every vector in ``avoided`` must be 1.

    The search is exact.  It does not backtrack if every basis vector completes fewer than q^c - 1 of
    the vectors, for c = n - ``rank``.  The time is exponential in the worst case, which is unavoidable
    unless P = NP.

    >>> W = avoiding_subspace(Span(2, 3), [(1, 0, 0), (1, 1, 0), (1, 1, 1)], 2, affine=False)
    >>> W.rows
    ((0, 1, 0), (0, 0, 1))
    """
    width, field = inside.width, inside.field
    if rank <= inside.rank:
        return inside if rank == inside.rank else None
    count(4 + (width + len(avoided)) * (width + 1) ** 2 // 16)
    reduced = [inside.reduce(v) for v in avoided]
    # In echelon form, the pivot columns of the matrix (v_1 ... v_N) are a basis of the columns, and the
    # entries are the coordinates of each v_i in it.
    columns = Span.of(inside.order, len(reduced), zip(*reduced, strict=True))
    order, levels = _levels(field, columns, len(reduced))
    basis = [reduced[columns.pivots[i]] for i in order]
    # If `inside` is 0 and the basis spans the whole space, the kernel may have no point.
    onto = affine and not inside.rank and len(basis) == width
    for values in _assignments(field, levels, width - rank):
        if onto and (1,) * width in Span.of(inside.order, width, zip(*values, strict=True)):
            continue
        kernel = _kernel(inside, basis, values, affine=affine)
        return _cut(inside, kernel, rank, affine=affine)
    return None


def _levels(
    field: Field, columns: Span, count: int
) -> tuple[list[int], list[list[tuple[Vector, Vector]]]]:
    """An order of the basis, and for each of its vectors the v_i that it completes.

    The basis vector that the fewest v_i use comes last; the others are ordered in the same way
    (Matula's smallest-last order).  Each v_i = sum_j a_j b_j is stored as the places j before its
    last one, and their a_j divided by minus the last a_j.
    """
    waiting = [{j: row[i] for j, row in enumerate(columns.rows) if row[i]} for i in range(count)]
    remaining, order, completed = set(range(columns.rank)), [], []
    while remaining:
        uses = {j: sum(j in v for v in waiting) for j in remaining}
        last = min(remaining, key=lambda j: (uses[j], j))
        remaining.remove(last)
        order.append(last)
        completed.append([v for v in waiting if last in v])
        waiting = [v for v in waiting if last not in v]
    order.reverse()
    place = {j: k for k, j in enumerate(order)}
    levels = []
    for j, vectors in zip(order, reversed(completed), strict=True):
        level = []
        for v in vectors:
            factor = field.negative(field.inverse(v[j]))
            earlier = [i for i in v if i != j]
            level.append(
                (
                    tuple(place[i] for i in earlier),
                    tuple(field.multiply(factor, v[i]) for i in earlier),
                )
            )
        levels.append(level)
    return order, levels


def _assignments(
    field: Field, levels: list[list[tuple[Vector, Vector]]], codimension: int
) -> Iterator[list[Vector]]:
    """All values z_j in GF(q)^c of the basis vectors with A v_i != 0 for all i, up to GL(c, q)."""
    values: list[Vector] = []
    trials = [_candidates(field, values, levels[0], codimension)] if levels else []
    if not levels:
        yield []
    while trials:
        del values[len(trials) - 1 :]
        value = next(trials[-1], None)
        if value is None:
            trials.pop()
            continue
        values.append(value)
        if len(values) == len(levels):
            yield list(values)
        else:
            trials.append(_candidates(field, list(values), levels[len(values)], codimension))


def _candidates(
    field: Field, values: list[Vector], level: list[tuple[Vector, Vector]], codimension: int
) -> Iterator[Vector]:
    """The legal values of the next basis vector, given the ``values`` of those before it.

    The values so far span the first few coordinates.  Up to a change of basis, a value outside their
    span is the next unit vector.  It is legal, because the forbidden values are in the span.
    """
    used = max((c + 1 for z in values for c, a in enumerate(z) if a), default=0)
    if used < codimension:
        yield tuple(int(c == used) for c in range(codimension))
    forbidden = set()
    for places, factors in level:
        z: Vector = (0,) * codimension
        for i, factor in zip(places, factors, strict=True):
            z = field.combine(z, factor, values[i])
        forbidden.add(z)
    # Lazily, because q^c may be astronomical.  Values whose sum is not 1 come first, because they make
    # the affine hull of the values larger.
    for sum_is_one in (False, True):
        for number in range(1, field.order**used):
            count(4)
            z = _digits(number, field.order, codimension)
            total = field.dot(z, (1,) * codimension)
            if (total == 1) == sum_is_one and z not in forbidden:
                yield z


def _digits(number: int, base: int, length: int) -> Vector:
    digits = []
    for _ in range(length):
        number, digit = divmod(number, base)
        digits.append(digit)
    return tuple(digits)


def _kernel(inside: Span, basis: list[Vector], values: list[Vector], *, affine: bool) -> Span:
    """The kernel of the map with these ``values`` on ``basis``, extended by 0 to the whole space.

    The map is 0 on ``inside`` and on a complement of the span of ``inside`` and ``basis``.
    """
    n, order = inside.width, inside.order
    covered, kernel = inside, inside
    for b in basis:
        covered = covered.plus(b)
    units = [tuple(int(i == j) for i in range(n)) for j in reversed(range(n))]
    if affine:  # a complement spanned by points, so that the kernel has one
        units = [(*u[:-1], 1) for u in units]
    for u in units:
        if u not in covered:
            covered, kernel = covered.plus(u), kernel.plus(u)
    relations = Span.of(order, len(basis), zip(*values, strict=True)).annihilator()
    for a in relations.rows:
        kernel = kernel.plus(
            tuple(inside.field.dot(a, column) for column in zip(*basis, strict=True))
        )
    return kernel


def _cut(inside: Span, W: Span, rank: int, *, affine: bool) -> Span:
    """A subspace of W that contains ``inside`` and has dimension ``rank``."""
    for v in point_basis(W, affine=affine):
        if inside.rank < rank:
            inside = inside.plus(v)
    return inside


def point_basis(W: Span, *, affine: bool) -> tuple[Vector, ...]:
    """A basis of W; with ``affine``, of vectors whose last coordinate is 1.

    With ``affine``, W must be 0 or have such a vector.
    """
    if not affine or not W.rows:
        return W.rows
    field = W.field
    row = next(row for row in W.rows if row[-1])
    first = field.scale(field.inverse(row[-1]), row)
    others = (
        field.combine(other, field.add(1, field.negative(other[-1])), first)
        for other in W.rows
        if other is not row
    )
    return (first, *others)
