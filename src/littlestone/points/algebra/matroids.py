"""Flats of a vector matroid: subspaces spanned by some of finitely many given vectors.

Vectors count modulo a subspace and up to scalars, so each is written as its `Span.direction`.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from math import gcd

from littlestone.base.steps import count
from littlestone.points.algebra.fields import Field
from littlestone.points.algebra.spans import Span, Vector

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

    >>> from littlestone.points.algebra import field_of_order
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
    count(len(directions) + len(killed))
    for i in range(len(directions) if needed is None else _last_start(field, directions, needed)):
        v = directions[i]
        count(4 + (len(directions) - i + len(killed)) // 2)
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
        count(_weight(flat))
        v = flat.direction(x)
        if any(v) and v not in dead:
            flat = flat.plus(v)
            count(len(dead) * _weight(flat))
            dead = {flat.direction(u) for u in dead}
            chosen.append(x)
    return tuple(chosen) if flat.rank == rank else None


def _weight(flat: Span) -> int:
    """The number of steps to reduce one vector."""
    return 4 + flat.rank * flat.width // 32


def scattered(q: int, n: int, first: int = 0) -> Iterator[Vector]:
    """All points of GF(q)^n, each once, in an order without an obvious pattern.

    The digits of a number below q^n to the base q make a point.  The numbers are the multiples,
    modulo q^n, of a step near the golden section of q^n and coprime to it.  Multiple number
    ``first`` comes first.  The digits alone would lie near few lines, where polynomials of low
    degree have few values.  So each digit is shifted by a number made of the digits before it.

    >>> list(scattered(3, 1)), next(scattered(2**61 - 1, 3))
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
