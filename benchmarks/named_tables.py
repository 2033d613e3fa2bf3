"""Tables on which solvers are measured: each is a function of whole numbers, with distinct rows."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from itertools import combinations, permutations, product

import numpy as np
from numpy.typing import NDArray

from littlestone.classes.decision_lists import decision_list_rows
from littlestone.classes.juntas import junta_rows
from littlestone.classes.promises.counted import box_rows

Table = NDArray[np.uint8]
"""A row for each hypothesis and a column for each point."""


def unpack_codes(codes: set[int], points: int) -> Table:
    """The table whose rows have these numbers as bits, up to 64 of them, in increasing order."""
    words = np.array(sorted(codes), np.uint64)[:, np.newaxis]
    return (words >> np.arange(points, dtype=np.uint64) & np.uint64(1)).astype(np.uint8)


# A primitive polynomial of each degree, as bits: 0b10011 is x^4 + x + 1.
_PRIMITIVE = {3: 0b1011, 4: 0b10011, 5: 0b100101, 6: 0b1000011, 7: 0b10001001, 8: 0b100011101}


def reed_muller(r: int, m: int) -> Table:
    """The Reed-Muller code RM(r, m): polynomials of degree at most r in m bits, at all 2^m points."""
    x = np.arange(2**m)
    bits = [x >> i & 1 for i in range(m)]
    monomials = [
        np.prod([bits[i] for i in chosen], axis=0, initial=1) * np.ones(2**m, np.int64)
        for degree in range(min(r, m) + 1)
        for chosen in combinations(range(m), degree)
    ]
    return _span(np.array(monomials, np.uint8))


def bch(m: int, t: int) -> Table:
    """The primitive BCH code of length 2^m - 1 that corrects t errors."""
    length, powers = 2**m - 1, [1]
    while len(powers) < length:
        doubled = powers[-1] << 1
        powers.append(doubled ^ _PRIMITIVE[m] if doubled >> m else doubled)
    roots = {i * 2**j % length for i in range(1, 2 * t, 2) for j in range(m)}
    if len(roots) >= length:
        return _span(np.ones((1, length), np.uint8))
    logs = {value: i for i, value in enumerate(powers)}
    generator = [1]  # the coefficients, from the highest one on, as elements of the field
    for root in roots:
        shifted, scaled = [*generator, 0], [0]
        for c in generator:
            scaled.append(powers[(logs[c] + root) % length] if c else 0)
        generator = [a ^ b for a, b in zip(shifted, scaled, strict=True)]
    rows = [
        [0] * i + generator + [0] * (length - len(generator) - i)
        for i in range(length - len(roots))
    ]
    return _span(np.array(rows, np.uint8))


def _span(basis: NDArray[np.uint8]) -> Table:
    found = np.zeros((1, basis.shape[1]), np.uint8)
    for row in basis:
        found = np.concatenate([found, found ^ row])
    return found


def parities(n: int) -> Table:
    """Parities of subsets of n bits, at all 2^n points."""
    x = np.arange(2**n)
    return (np.bitwise_count(x[:, np.newaxis] & x) & 1).astype(np.uint8)


def thresholds(n: int) -> Table:
    """The n + 1 thresholds on n points: the first points are 1."""
    return np.tri(n + 1, n, -1, dtype=np.uint8)


def intervals(n: int, k: int) -> Table:
    """Unions of at most k intervals of n points in a row, with the empty one."""
    sets = np.arange(2**n, dtype=np.uint32)
    sets = sets[np.bitwise_count(sets & ~(sets << np.uint32(1))) <= k]
    bits = sets[:, np.newaxis] >> np.arange(n, dtype=np.uint32) & np.uint32(1)
    return np.asarray(bits, np.uint8)


def boxes(n: int, d: int) -> Table:
    """Axis-parallel boxes in a grid of n^d points, with the empty one."""
    return box_rows([n] * d).astype(np.uint8)


def half_planes(n: int) -> Table:
    """What half-planes cut out of a grid of n x n points.

    Each is a first part of the points in the order of a direction.  The order changes only where a
    direction is orthogonal to a line through two points.  Just after it ties are broken along that
    line, and so they are just before the next one.
    """
    x, y = (side.ravel() for side in np.meshgrid(np.arange(n), np.arange(n)))
    steps = range(1 - n, n)
    directions = {(dx // g, dy // g) for dx in steps for dy in steps if (g := np.gcd(dx, dy))}
    sets = set()
    for a, b in directions or {(0, 1)}:
        order = np.lexsort((b * x - a * y, a * x + b * y))
        place = np.empty(n * n, np.int64)
        place[order] = np.arange(n * n)
        sets |= {row.tobytes() for row in np.arange(n * n + 1)[:, np.newaxis] > place}
    return np.array([np.frombuffer(row, np.uint8) for row in sorted(sets)])


def kneser(n: int, k: int) -> Table:
    """The Kneser graph: the k-subsets of n things, each 1 at the subsets disjoint from it."""
    sets = np.array([sum(1 << i for i in chosen) for chosen in combinations(range(n), k)])
    return np.unique((sets[:, np.newaxis] & sets == 0).astype(np.uint8), axis=0)


def paley(q: int) -> Table:
    """The Paley graph or tournament of a prime q: a is 1 at b iff b - a is a square other than 0."""
    x = np.arange(q)
    square = np.zeros(q, np.uint8)
    square[x * x % q] = 1
    square[0] = 0
    found: Table = square[(x - x[:, np.newaxis]) % q]
    return found


def balls(n: int, r: int) -> Table:
    """Hamming balls of radius r in the cube of 2^n points."""
    x = np.arange(2**n)
    distance = np.bitwise_count(x[:, np.newaxis] ^ x)
    return np.unique((distance <= r).astype(np.uint8), axis=0)


def all_balls(n: int) -> Table:
    """Hamming balls of all radii in the cube of 2^n points."""
    x = np.arange(2**n)
    distance = np.bitwise_count(x[:, np.newaxis] ^ x)
    rows = [distance <= r for r in range(n)] + [np.ones((1, 2**n), bool)]
    return np.concatenate(rows).astype(np.uint8)


def orders(n: int) -> Table:
    """Linear orders of n things: a point is a pair, and 1 if its first thing comes first."""
    found = np.array(list(permutations(range(n))), np.int8)
    pairs = combinations(range(n), 2)
    return np.stack([found[:, i] < found[:, j] for i, j in pairs], axis=1).astype(np.uint8)


def _variables(n: int) -> list[int]:
    return [sum(1 << x for x in range(2**n) if x >> i & 1) for i in range(n)]


def terms(n: int, k: int) -> Table:
    """Conjunctions of k literals of different variables among n."""
    return unpack_codes({*_terms(n, k)}, 2**n)


def _terms(n: int, k: int) -> Iterator[int]:
    full, variables = (1 << 2**n) - 1, _variables(n)
    for chosen in combinations(variables, k):
        for signs in product((0, full), repeat=k):
            term = full
            for variable, sign in zip(chosen, signs, strict=True):
                term &= variable ^ sign
            yield term


def dnf(n: int, k: int, t: int) -> Table:
    """Unions of at most t terms of k literals each."""
    found, one = {0}, [*_terms(n, k)]
    for _ in range(t):
        found |= {f | term for f in found for term in one}
    return unpack_codes(found, 2**n)


def decision_lists(n: int) -> Table:
    """Lists of rules: the first literal that holds gives the answer."""
    rows = decision_list_rows(n)
    return rows[np.lexsort(rows.T)].astype(np.uint8)


def juntas(n: int, k: int) -> Table:
    """Functions of n bits that depend on at most k of them."""
    return np.unique(junta_rows(n, k).astype(np.uint8), axis=0)


def threshold_functions(n: int) -> Table:
    """Half-spaces of the cube of n <= 5 bits; integer weights up to 5 are enough there."""
    x = np.arange(2**n)
    cube = x[:, np.newaxis] >> np.arange(n) & 1
    found = set()
    power = np.uint64(1) << x.astype(np.uint64)
    for size in product(range(6), repeat=n):
        if list(size) != sorted(size):
            continue
        sums = cube @ np.array(size)
        found |= {int(power[sums >= least].sum()) for least in {*sums.tolist(), 1 + sum(size)}}
    monotone, rows = unpack_codes(found, 2**n).astype(bool), set()
    for order in permutations(range(n)):
        for flips in range(2**n):
            moved = ((x[:, np.newaxis] ^ flips) >> np.arange(n) & 1) @ (1 << np.array(order))
            rows |= set((monotone[:, moved] * power).sum(axis=1, dtype=np.uint64).tolist())
    return unpack_codes(rows, 2**n)


def random(rows: int, points: int, percent: int, seed: int) -> Table:
    """Independent entries, each 1 with that probability in percent; equal rows are kept once."""
    made = np.random.default_rng(seed).random((rows, points)) < percent / 100
    return np.unique(made.astype(np.uint8), axis=0)


TABLES: dict[str, Callable[..., Table]] = {
    make.__name__: make
    for make in (
        reed_muller, bch, parities, thresholds, intervals, boxes, half_planes, kneser, paley,
        balls, all_balls, orders, terms, dnf, decision_lists, juntas, threshold_functions,
        random,
    )
}  # fmt: skip


def table(name: str, *numbers: int) -> Table:
    """The table of that name.

    >>> table("thresholds", 3).tolist()
    [[0, 0, 0], [1, 0, 0], [1, 1, 0], [1, 1, 1]]
    """
    return np.ascontiguousarray(TABLES[name](*numbers), np.uint8)
