"""Functions of n bits: a point is an assignment of the 2^n, and its number has the bits."""

from __future__ import annotations

from collections.abc import Iterator
from itertools import combinations, permutations, product
from math import comb

import numpy as np

from littlestone.theory.families.base import Table, family, unpacked


def _variables(n: int) -> list[int]:
    return [sum(1 << x for x in range(2**n) if x >> i & 1) for i in range(n)]


@family("terms", lambda n, k: (2**k * comb(n, k), 2**n), (1, 6), (0, 6))
def terms(n: int, k: int) -> Table:
    """Conjunctions of k literals of different variables among n."""
    return unpacked({*_terms(n, k)}, 2**n)


def _terms(n: int, k: int) -> Iterator[int]:
    full, variables = (1 << 2**n) - 1, _variables(n)
    for chosen in combinations(variables, k):
        for signs in product((0, full), repeat=k):
            term = full
            for variable, sign in zip(chosen, signs, strict=True):
                term &= variable ^ sign
            yield term


@family("dnf", lambda n, k, t: (sum(comb(2**k * comb(n, k), i) for i in range(t + 1)), 2**n),
        (1, 6), (1, 6), (0, 6))  # fmt: skip
def dnf(n: int, k: int, t: int) -> Table:
    """Unions of at most t terms of k literals each."""
    found, one = {0}, [*_terms(n, k)]
    for _ in range(t):
        found |= {f | term for f in found for term in one}
    return unpacked(found, 2**n)


@family("decision_lists", lambda n: (4**n * 6**n, 2**n), (1, 5))
def decision_lists(n: int) -> Table:
    """Lists of rules: the first literal that holds gives the answer."""
    full, variables = (1 << 2**n) - 1, _variables(n)
    literals = [*variables, *(full ^ v for v in variables)]
    seen = new = {0, full}
    while new:
        new = {g for f in new for v in literals for g in (f | v, f & ~v)} - seen
        seen = seen | new
    return unpacked(seen, 2**n)


@family("juntas", lambda n, k: (2**2**k * comb(n, k), 2**n), (1, 14), (0, 4))
def juntas(n: int, k: int) -> Table:
    """Functions of n bits that depend on at most k of them."""
    x, rows = np.arange(2**n), []
    functions = np.arange(2**2**k)[:, np.newaxis]
    for chosen in combinations(range(n), k):
        seen = sum(((x >> i & 1) << j for j, i in enumerate(chosen)), np.zeros(2**n, np.int64))
        rows.append(functions >> seen & 1)
    return np.unique(np.concatenate(rows).astype(np.uint8), axis=0)


@family("threshold_functions", lambda n: (100_000, 2**n), (1, 5))
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
    monotone, rows = unpacked(found, 2**n).astype(bool), set()
    for order in permutations(range(n)):
        for flips in range(2**n):
            moved = ((x[:, np.newaxis] ^ flips) >> np.arange(n) & 1) @ (1 << np.array(order))
            rows |= set((monotone[:, moved] * power).sum(axis=1, dtype=np.uint64).tolist())
    return unpacked(rows, 2**n)
