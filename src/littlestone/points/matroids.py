"""Flats of a vector matroid, subspaces that avoid given vectors, and sets that meet all subspaces.

A flat is a subspace spanned by some of finitely many given vectors.  Vectors count modulo a
subspace and up to scalars, so each is written as its `Span.direction`.

A subspace of codimension c avoids the vectors v_1, ..., v_N iff it is the kernel of a linear map A
to GF(q)^c with A v_i != 0 for all i (the critical problem of Crapo and Rota).  Only the values of A
on a basis of <v_1, ..., v_N> matter.  A backtracking search finds them, as in graph colouring: the
next basis vector may have any nonzero value, except one forbidden value for each v_i that it
completes.  docs/proofs/algebraic-classes.md proves that the search is exhaustive.

Sets that meet all subspaces of one rank: all subspaces here contain the fixed subspace ``inside``.
A set meets a subspace if it has one of the points of the subspace outside ``inside``.  With
``affine``, points are vectors whose last coordinate is 1, and the subspaces are spanned by points.
Points are written as their `Span.direction` modulo ``inside``.
Source: docs/proofs/algebraic-classes.md.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from itertools import combinations, product
from math import comb, gcd

from littlestone.base.work import count_steps
from littlestone.points.fields import Field, Span, Vector

Directions = Mapping[Vector, Vector]

_ODD = 0x9E3779B97F4A7C15  # 2^64 by the golden section


def flats(
    field: Field,
    alive: Directions,
    dead: Iterable[Vector],
    rank: int | None = None,
    chosen: tuple[Vector, ...] = (),
) -> Iterator[tuple[Vector, ...]]:
    """The flats that avoid the ``dead`` directions, each once, as ``chosen`` and the vectors to add.

    ``alive`` maps every other direction to a vector that has it.  With ``rank``, only flats of that
    rank are listed.  A flat either contains the first direction alive, and is a flat modulo it, or
    it avoids that direction, which is then dead.  So every node of the search is one of the flats
    listed, except those of smaller rank.  A branch ends when its directions cannot span the rank.

    >>> from littlestone.points import field_of_order
    >>> F, plane = field_of_order(3), {v: v for v in [(0, 1), (1, 0), (1, 1), (2, 1)]}
    >>> len(list(flats(F, plane, []))), len(list(flats(F, plane, [], 1)))
    (6, 4)
    """
    if rank is None or rank == len(chosen):
        yield chosen
    needed = None if rank is None else rank - len(chosen)
    if needed == 1:
        yield from ((*chosen, x) for x in alive.values())
    if needed in (0, 1):
        return
    directions, killed = list(alive), set(dead)
    count_steps(len(directions) + len(killed))
    for i in range(len(directions) if needed is None else _last_start(field, directions, needed)):
        v = directions[i]
        count_steps(4 + (len(directions) - i + len(killed)) // 2)
        still_dead = {_modulo(field, u, v) for u in killed}
        later: dict[Vector, Vector] = {}
        for u in directions[i + 1 :]:
            w = _modulo(field, u, v)
            if w not in still_dead:
                later.setdefault(w, alive[u])
        yield from flats(field, later, still_dead, rank, (*chosen, alive[v]))
        killed.add(v)


def _last_start(field: Field, directions: list[Vector], rank: int) -> int:
    """The number of directions that, with all later ones, span at least ``rank`` dimensions."""
    span = Span(field.order, len(directions[0]) if directions else 0)
    for i in reversed(range(len(directions))):
        span = span.plus(directions[i])
        if span.rank == rank:
            return i + 1
    return 0


def _modulo(field: Field, u: Vector, v: Vector) -> Vector:
    """The direction u modulo the direction v: it is 0 at the place of the last nonzero entry of v."""
    last = next(i for i in reversed(range(len(v))) if v[i])
    if u[last]:
        u = field.combine(u, field.negative(u[last]), v)
    scale = next((a for a in reversed(u) if a), 1)
    return u if scale == 1 else field.scale(field.inverse(scale), u)


def greedy_flat(
    inside: Span, vectors: Iterable[Vector], avoided: Iterable[Vector], rank: int
) -> tuple[Vector, ...] | None:
    """Vectors that span, with ``inside``, a flat of that rank without any of ``avoided``, or None.

    Each of the ``vectors`` in turn is added if the flat still avoids these.  A vector that cannot
    be added now can never be added later.  No more vectors are read than needed.  None does not
    mean that there is no such flat.
    """
    flat, chosen = inside, []
    dead = {flat.direction(u) for u in avoided}
    waiting = iter(vectors)
    # If all directions are dead, no further vector can be added.
    while flat.rank < rank and len(dead) < flat.codirections:
        x = next(waiting, None)
        if x is None:
            return None
        count_steps(_weight(flat))
        v = flat.direction(x)
        if any(v) and v not in dead:
            flat = flat.plus(v)
            count_steps(len(dead) * _weight(flat))
            dead = {flat.direction(u) for u in dead}
            chosen.append(x)
    return tuple(chosen) if flat.rank == rank else None


def _weight(flat: Span) -> int:
    """The number of steps to reduce one vector."""
    return 4 + flat.rank * flat.width // 32


def scatter_points(q: int, n: int, first: int = 0) -> Iterator[Vector]:
    """All points of GF(q)^n, each once, in an order without an obvious pattern.

    The digits of a number below q^n to the base q make a point.  The numbers are the multiples,
    modulo q^n, of a step near the golden section of q^n and coprime to it.  Multiple number
    ``first`` comes first.  The digits alone would lie near few lines, where polynomials of low
    degree have few values.  So each digit is shifted by a number made of the digits before it.

    >>> list(scatter_points(3, 1)), next(scatter_points(2**61 - 1, 3))
    ([(0,), (2,), (1,)], (0, 0, 0))
    """
    size = q**n
    step = size * 618033988749894848 // 10**18 + 1
    while gcd(step, size) > 1:
        step += 1
    start = position = first * step % size
    while True:
        x, rest, mixed = [], position, 0
        for _ in range(n):
            rest, digit = divmod(rest, q)
            x.append((digit + mixed) % q)
            mixed = (mixed + x[-1]) * _ODD % 2**64
            mixed ^= mixed >> 32
        yield tuple(x)
        position = (position + step) % size
        if position == start:
            return


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
    count_steps(4 + (width + len(avoided)) * (width + 1) ** 2 // 16)
    reduced = [inside.reduce(v) for v in avoided]
    # In echelon form, the pivot columns of the matrix (v_1 ... v_N) are a basis of the columns, and the
    # entries are the coordinates of each v_i in it.
    columns = Span.from_vectors(inside.order, len(reduced), zip(*reduced, strict=True))
    order, levels = _levels(field, columns, len(reduced))
    basis = [reduced[columns.pivots[i]] for i in order]
    # If `inside` is 0 and the basis spans the whole space, the kernel may have no point.
    onto = affine and not inside.rank and len(basis) == width
    for values in _assignments(field, levels, width - rank):
        if onto and (1,) * width in Span.from_vectors(
            inside.order, width, zip(*values, strict=True)
        ):
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
            count_steps(4)
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
    relations = Span.from_vectors(order, len(basis), zip(*values, strict=True)).annihilator()
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
        count_steps(4 * comb(n, codimension) * q**codimension)
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
        basis = Span.from_vectors(q, U.width, map(inside.reduce, basis)).rows
    for lead in range(1 if whole else len(basis)):
        for number in range(q ** (len(basis) - lead - 1)):
            count_steps(4)
            v = basis[lead]
            for b in basis[lead + 1 :]:
                number, c = divmod(number, q)
                v = field.combine(v, c, b)
            yield inside.direction(v)
