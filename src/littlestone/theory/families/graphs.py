"""Neighbourhoods in graphs: each vertex is a point, and a hypothesis that is 1 at its neighbours."""

from __future__ import annotations

from itertools import combinations, permutations
from math import comb, factorial, isqrt

import numpy as np

from littlestone.base.errors import DeclarationError
from littlestone.theory.families.base import Table, family


@family("kneser", lambda n, k: (comb(n, k), comb(n, k)), (1, 62), (1, 62))
def kneser(n: int, k: int) -> Table:
    """The Kneser graph: the k-subsets of n things, each 1 at the subsets disjoint from it."""
    sets = np.array([sum(1 << i for i in chosen) for chosen in combinations(range(n), k)])
    return np.unique((sets[:, np.newaxis] & sets == 0).astype(np.uint8), axis=0)


@family("paley", lambda q: (q, q), (3, 16_381))
def paley(q: int) -> Table:
    """The Paley graph or tournament of a prime q: a is 1 at b iff b - a is a square other than 0."""
    if q % 2 == 0 or any(q % p == 0 for p in range(3, isqrt(q) + 1, 2)):
        raise DeclarationError(
            f"make paley {q}", found="it is not an odd prime", fix="give a prime, such as 13"
        )
    x = np.arange(q)
    square = np.zeros(q, np.uint8)
    square[x * x % q] = 1
    square[0] = 0
    found: Table = square[(x - x[:, np.newaxis]) % q]
    return found


@family("balls", lambda n, r: (2**n, 2**n), (1, 14), (0, 14))
def balls(n: int, r: int) -> Table:
    """Hamming balls of radius r in the cube of 2^n points."""
    x = np.arange(2**n)
    distance = np.bitwise_count(x[:, np.newaxis] ^ x)
    return np.unique((distance <= r).astype(np.uint8), axis=0)


@family("all_balls", lambda n: ((n + 1) * 2**n, 2**n), (1, 13))
def all_balls(n: int) -> Table:
    """Hamming balls of all radii in the cube of 2^n points."""
    x = np.arange(2**n)
    distance = np.bitwise_count(x[:, np.newaxis] ^ x)
    rows = [distance <= r for r in range(n)] + [np.ones((1, 2**n), bool)]
    return np.concatenate(rows).astype(np.uint8)


@family("orders", lambda n: (factorial(n), comb(n, 2)), (2, 11))
def orders(n: int) -> Table:
    """Linear orders of n things: a point is a pair, and 1 if its first thing comes first."""
    found = np.array(list(permutations(range(n))), np.int8)
    pairs = combinations(range(n), 2)
    return np.stack([found[:, i] < found[:, j] for i, j in pairs], axis=1).astype(np.uint8)
