"""Linear codes over two elements: each codeword is a hypothesis, each place a point."""

from __future__ import annotations

from itertools import combinations
from math import comb

import numpy as np
from numpy.typing import NDArray

from littlestone.theory.families.base import Table, family

# A primitive polynomial of each degree, as bits: 0b10011 is x^4 + x + 1.
_PRIMITIVE = {3: 0b1011, 4: 0b10011, 5: 0b100101, 6: 0b1000011, 7: 0b10001001, 8: 0b100011101}


@family("reed_muller", lambda r, m: (2 ** min(sum(comb(m, i) for i in range(r + 1)), 64), 2**m),
        (0, 12), (1, 12))  # fmt: skip
def reed_muller(r: int, m: int) -> Table:
    """The Reed-Muller code RM(r, m): polynomials of degree at most r in m bits, at all 2^m points."""
    x = np.arange(2**m)
    bits = [x >> i & 1 for i in range(m)]
    monomials = [
        np.prod([bits[i] for i in chosen], axis=0, initial=1) * np.ones(2**m, np.int64)
        for degree in range(min(r, m) + 1)
        for chosen in combinations(range(m), degree)
    ]
    return _spanned(np.array(monomials, np.uint8))


@family("bch", lambda m, t: (2 ** max(2**m - 1 - m * t, 1), 2**m - 1), (3, 8), (1, 127))
def bch(m: int, t: int) -> Table:
    """The primitive BCH code of length 2^m - 1 that corrects t errors."""
    length, powers = 2**m - 1, [1]
    while len(powers) < length:
        doubled = powers[-1] << 1
        powers.append(doubled ^ _PRIMITIVE[m] if doubled >> m else doubled)
    roots = {i * 2**j % length for i in range(1, 2 * t, 2) for j in range(m)}
    if len(roots) >= length:
        return _spanned(np.ones((1, length), np.uint8))
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
    return _spanned(np.array(rows, np.uint8))


def _spanned(basis: NDArray[np.uint8]) -> Table:
    found = np.zeros((1, basis.shape[1]), np.uint8)
    for row in basis:
        found = np.concatenate([found, found ^ row])
    return found


@family("parities", lambda n: (2**n, 2**n), (1, 14))
def parities(n: int) -> Table:
    """Parities of subsets of n bits, at all 2^n points."""
    x = np.arange(2**n)
    return (np.bitwise_count(x[:, np.newaxis] & x) & 1).astype(np.uint8)
