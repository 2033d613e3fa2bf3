"""Exact draws of many numbers at once, from arrays of random words.

Each draw has exactly the law of one that is made number by number: no word is reused, none is rounded,
and the few comparisons that a word leaves open are decided by further bits.
"""

from __future__ import annotations

import random
from collections.abc import Sequence
from typing import Any, TypeVar

import numpy as np
from numpy.typing import NDArray

from littlestone.privacy.samplers.reals import Enclosure, Real, bernoulli

Item = TypeVar("Item")
Numbers = NDArray[np.int64]

WORD = 32  # bits
_AT_ONCE = 1 << 20  # words


def random_words(count: int, rng: random.Random) -> NDArray[Any]:
    """Independent uniform numbers below 2^32, from the bits of the generator in order.

    >>> low, high = random_words(2, random.Random(1)).tolist()
    >>> low + (high << 32) == random.Random(1).getrandbits(64)
    True
    """
    if type(rng) not in (random.Random, random.SystemRandom):
        # Another kind may give numbers that are not known yet, to whoever follows a draw.
        return np.array([rng.getrandbits(WORD) for _ in range(count)], object)
    # In blocks, because a seeded generator gives fewer than 2^31 bits at once.
    sizes = [min(_AT_ONCE, count - first) for first in range(0, count, _AT_ONCE)]
    blocks = (rng.getrandbits(WORD * k).to_bytes(WORD // 8 * k, "little") for k in sizes)
    return np.frombuffer(b"".join(blocks), f"<u{WORD // 8}").astype(np.int64)


def draw_below(bounds: Numbers, rng: random.Random) -> Numbers:
    """Independent uniform numbers, each in 0, ..., its bound - 1, for bounds from 1 to 2^32.

    >>> draw_below(np.array([1, 1]), random.Random(0)).tolist()
    [0, 0]
    """
    found, left = np.empty(len(bounds), np.int64), np.arange(len(bounds))
    while len(left):
        # Each number has equally many words; the words that are left over are drawn again.
        share = (1 << WORD) // bounds[left]
        words = random_words(len(left), rng)
        legal = np.less(words, share * bounds[left]).astype(bool)
        found[left[legal]] = (words[legal] // share[legal]).astype(np.int64)
        left = left[~legal]
    return found


def flip_coins(coins: Sequence[Real], which: Numbers, rng: random.Random) -> NDArray[np.bool_]:
    """Independent flips: the j-th shows heads with probability exactly ``coins[which[j]]``.

    >>> sure, never = (Real(lambda bits, p=p: (p << bits, p << bits)) for p in (1, 0))
    >>> flip_coins([sure, never], np.array([1, 0, 0]), random.Random(0)).tolist()
    [False, True, True]
    """
    # A word is the first bits of a uniform U, and the coin shows heads if U is below its chance p.
    low, high = np.array([coin.enclose(WORD) for coin in coins], np.int64).reshape(-1, 2).T
    words = random_words(len(which), rng)
    heads: NDArray[np.bool_] = np.less(words, low[which]).astype(bool)
    for j in np.flatnonzero(~heads & np.less(words, high[which]).astype(bool)).tolist():
        heads[j] = bernoulli(_rest(coins[which[j]], int(words[j])), rng)
    return heads


def _rest(p: Real, word: int) -> Real:
    """The probability that U is below p, if its first bits are ``word``: p 2^32 - word, or 0 or 1."""

    def enclose(bits: int) -> Enclosure:
        low, high = (end - (word << bits) for end in p.enclose(WORD + bits))
        return min(max(low, 0), 1 << bits), min(max(high, 0), 1 << bits)

    return Real(enclose)


def permute_and_flip(
    sizes: Numbers, coins: Sequence[Real], which: Numbers, rng: random.Random
) -> Numbers:
    """In each row, visit the candidates in random order, and return the first that shows heads.

    The next ``sizes[i]`` >= 1 candidates are those of row i, and candidate j has the coin
    ``coins[which[j]]``.  One of each row must show heads for certain.

    >>> sure, never = (Real(lambda bits, p=p: (p << bits, p << bits)) for p in (1, 0))
    >>> which = np.array([0, 1, 1])
    >>> permute_and_flip(np.array([2, 1]), [never, sure], which, random.Random(0)).tolist()
    [1, 2]
    """
    starts, sizes = np.cumsum(sizes) - sizes, sizes.copy()
    left, found, racing = (
        np.arange(len(which)),
        np.empty(len(sizes), np.int64),
        np.arange(len(sizes)),
    )
    while len(racing):
        places = starts[racing] + draw_below(sizes[racing], rng)
        visited = left[places]
        # The last of those that were not visited fills the place.
        sizes[racing] -= 1
        left[places] = left[starts[racing] + sizes[racing]]
        heads = flip_coins(coins, which[visited], rng)
        found[racing[heads]] = visited[heads]
        racing = racing[~heads]
    return found


def shuffle(items: list[Item], rng: random.Random) -> list[Item]:
    """The items in an order that is uniform among all.

    >>> sorted(shuffle([3, 1, 2], random.Random(0)))
    [1, 2, 3]
    """
    order = list(items)
    # Each place in turn gets one of the items that are left (Fisher and Yates).
    steps = draw_below(np.arange(len(order), 0, -1), rng).tolist()
    for i, step in enumerate(steps):
        order[i], order[i + step] = order[i + step], order[i]
    return order
