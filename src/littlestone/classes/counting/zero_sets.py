"""Errors of all sets of few points, as sums over halves of the points, and of all zero sets.

All zero sets of polynomials on a small space, as masks over its points, counted by their errors.
"""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Callable, Sequence
from functools import cache, lru_cache
from itertools import product
from math import comb
from typing import Any, TypeVar

import numpy as np
from numpy.typing import NDArray

from littlestone.classes.counting.blocks import Blocks, Tally, tally_of_counts
from littlestone.points import Monomials, Span, Vector, field_of_order
from littlestone.privacy.scores import ErrorRuns, ErrorSums, Scores

Item = TypeVar("Item")

Leaf = tuple[int, int, Callable[[int], Any]]
"""Points of one weight: the weight, how many they are, and the point of a number."""


def subset_scores(leaves: Sequence[Leaf], most: int, base: int) -> list[Scores]:
    """For k = 0, ..., ``most``: the sets of k points, each with ``base`` errors plus their weights.

    An item is a tuple of points.  A set of k points has j of them in the first half of the leaves and
    k - j in the second one.  There are at least ``most`` points.

    >>> sums = subset_scores([(-1, 2, lambda i: "ab"[i]), (2, 1, lambda i: "c")], 2, 10)
    >>> [(scores.count, scores.least) for scores in sums]
    [(1, 10), (3, 9), (3, 8)]
    """

    @cache
    def choose(first: int, last: int, k: int) -> Scores | None:
        if last - first == 1:
            weight, count, point = leaves[first]
            if k > count:
                return None
            errors = np.array([k * weight + (base if first == 0 else 0)])
            return ErrorRuns(errors, [comb(count, k)], lambda i: _subset(i, count, k, point))
        middle = (first + last) // 2
        # Given how many points lie in each half, the halves are independent: a sum of two parts.
        pairs = ((choose(first, middle, j), choose(middle, last, k - j)) for j in range(k + 1))
        groups = [(left, right) for left, right in pairs if left and right]
        return (
            ErrorSums(groups, lambda place: _join_items(groups[place[0]], place[1:]))
            if groups
            else None
        )

    found = [choose(0, len(leaves), k) for k in range(most + 1)]
    return [scores for scores in found if scores]


def _join_items(parts: Sequence[Scores], places: Sequence[Any]) -> tuple[Any, ...]:
    return tuple(x for part, place in zip(parts, places, strict=True) for x in part.item(place))


def _subset(index: int, count: int, k: int, point: Callable[[int], Item]) -> tuple[Item, ...]:
    """The k points whose set has this number, in the order of their largest, next largest, ....

    >>> [_subset(i, 4, 2, int) for i in range(6)]
    [(1, 0), (2, 0), (2, 1), (3, 0), (3, 1), (3, 2)]
    """
    found, top = [], count
    for left in range(k, 0, -1):
        # The largest n with C(n, left) <= index.
        top = bisect_right(range(top), index, left - 1, key=lambda n: comb(n, left)) - 1
        found.append(point(top))
        index -= comb(top, left)
    return tuple(found)


def leaves_of_weights(points: Sequence[Any], weights: Sequence[int], size: int) -> list[Leaf]:
    """The leaves of a range 0, ..., size - 1: these points have weights, all others weigh 0."""
    by_weight: dict[int, list[Any]] = {}
    for x, weight in zip(points, weights, strict=True):
        by_weight.setdefault(weight, []).append(x)
    leaves: list[Leaf] = [
        (weight, len(own), own.__getitem__) for weight, own in sorted(by_weight.items())
    ]
    rest = size - len(points)
    if rest:
        taken = sorted(points)

        def other(i: int) -> int:
            """The i-th number that is not a point of the sample."""
            return i + bisect_right(range(len(taken)), i, key=lambda j: taken[j] - j)

        leaves.append((0, rest, other))
    return leaves


MOST_POINTS = 25
"""The most points of a space whose zero sets are listed; a table has a bit for each set of points."""

_AT_ONCE = 1 << 20  # masks of a block
_LOW = 13  # points of the first half, whose sets have a table of their weights

Bits = NDArray[np.uint64]
"""A set of masks: bit m of all words together tells whether the mask m is in it."""


@lru_cache(maxsize=8)
def zero_sets(q: int, variables: int, degree: int) -> NDArray[np.uint8]:
    """Which sets of points are the zeros of a system of polynomials; bit m is mask m.

    Bit i of a mask is the i-th point of GF(q)^n.  A set S is one of them unless some point x outside of
    S is a zero of all polynomials that vanish on S.  If these polynomials have few values in all, each
    is listed with its zeros: one of them must have S among its zeros, and x not.  Otherwise the words
    that are orthogonal to all polynomials are listed: none may have x and points of S alone as its
    places that are not 0 (docs/proofs/exponential-mechanism.md, Theorem 7).

    >>> found = zero_sets(2, 2, 1)
    >>> np.flatnonzero(np.unpackbits(found, count=16, bitorder="little")).tolist()
    [0, 1, 2, 3, 4, 5, 6, 8, 9, 10, 12, 15]
    """
    monomials = Monomials(q, variables, degree)
    values = [monomials.at(x) for x in product(range(q), repeat=variables)]
    points, width = len(values), len(monomials)
    code = Span.from_vectors(q, points, zip(*values, strict=True))
    # Work with the smaller of the code and its dual. A word of the dual forces a point: what
    # vanishes on the rest of its support vanishes there, too.
    by_words = 2 * width > points
    rows = code.annihilator().rows if by_words else code.rows
    listed = _zeros(q, points, rows)
    if by_words:
        listed = listed[::-1]  # the other points of each: where the word is not 0
    some, found = _pack(listed), _pack(np.ones_like(listed))
    for i in range(points):
        if i < 6:  # within a word
            there = _containing(i)
            own = (some & there) >> np.uint64(1 << i) if by_words else some & ~there
            reached = _close(own, points, up=by_words)
            found &= (~reached if by_words else reached) | there
        else:
            halves = some.reshape(-1, 2, 1 << i - 6)
            reached = _close(halves[:, int(by_words)].ravel(), points - 1, up=by_words)
            without = found.reshape(halves.shape)[:, 0]
            without &= (~reached if by_words else reached).reshape(without.shape)
    return found.astype("<u8").view(np.uint8)


def _zeros(q: int, points: int, rows: tuple[Vector, ...]) -> NDArray[np.bool_]:
    """Which masks are the zeros of a combination of the rows."""
    times, minus = field_of_order(q).tables()
    # Meet in the middle: a combination is a difference of two halves, so q^(rows / 2) words are
    # enough.
    half = len(rows) // 2

    def combine(some: tuple[Vector, ...]) -> NDArray[np.uint16]:
        found = np.zeros((1, points), dtype=np.uint16)
        for row in some:
            multiples = times[np.arange(q)[:, None], np.array(row)]
            found = minus[found[:, None], multiples].reshape(-1, points)  # all signs occur
        return found

    def up_to_scale(words: NDArray[np.uint16]) -> NDArray[np.uint16]:
        first = words[np.arange(len(words)), (words != 0).argmax(axis=1)]
        kept: NDArray[np.uint16] = words[first == 1]
        return kept

    left, right = combine(rows[:half]), combine(rows[half:])
    nothing = np.zeros((1, points), dtype=np.uint16)
    seen = np.zeros(1 << points, dtype=bool)
    for ones, others in ((up_to_scale(left), right), (nothing, up_to_scale(right)), (nothing,) * 2):
        others = np.ascontiguousarray(others.T.astype(np.uint16))
        for word in ones:  # where it is the other one, the difference is 0
            masks = np.zeros(others.shape[1], dtype=np.int32)
            for i in range(points):
                masks |= (others[i] == word[i]).astype(np.int32) << i
            seen[masks] = True
    return seen


def _pack(masks: NDArray[np.bool_]) -> Bits:
    """Truth values as bits of words, of one word at least."""
    masks = np.pad(masks, (0, max(0, 64 - len(masks))))
    return np.packbits(masks, bitorder="little").view("<u8").astype(np.uint64)


def _containing(i: int) -> np.uint64:
    """The masks of a word that contain point i < 6."""
    return np.uint64(sum(1 << m for m in range(64) if m >> i & 1))


def _close(found: Bits, points: int, *, up: bool) -> Bits:
    """The masks that contain one of these, or that are in one of them if not ``up``."""
    for i in range(points):
        if i < 6:
            shift, with_it = np.uint64(1 << i), _containing(i)
            if up:
                found |= (found & ~with_it) << shift
            else:
                found |= (found & with_it) >> shift
        else:
            halves = found.reshape(-1, 2, 1 << (i - 6))
            if up:
                halves[:, 1] |= halves[:, 0]
            else:
                halves[:, 0] |= halves[:, 1]
    return found


class ZeroSetCounts(Blocks):
    """All zero sets on a small space; an item is a mask.

    ``weights`` has negatives - positives of each point.  A set errs ``positives`` times plus the
    weights of its points.
    """

    def __init__(self, sets: NDArray[np.uint8], weights: NDArray[np.int64], positives: int) -> None:
        self._sets, self._count = sets, 1 << len(weights)
        self._low, self._high = _sums(weights[:_LOW]), _sums(weights[_LOW:])
        self._low += positives

    @property
    def blocks(self) -> int:
        return -(-self._count // _AT_ONCE)

    def _errors(self, block: int) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
        first = block * _AT_ONCE
        last = min(self._count, first + _AT_ONCE)
        octets = self._sets[first // 8 : -(-last // 8)]
        masks = first + np.flatnonzero(np.unpackbits(octets, count=last - first, bitorder="little"))
        return masks, self._low[masks & (1 << _LOW) - 1] + self._high[masks >> _LOW]

    def tally(self, block: int) -> Tally:
        _, errors = self._errors(block)
        if not len(errors):
            return errors, []
        least = int(errors.min())
        return tally_of_counts(np.bincount(errors - least), least)

    def item(self, block: int, errors: int, index: int) -> int:
        masks, found = self._errors(block)
        return int(masks[found == errors][index])


def _sums(weights: NDArray[np.int64]) -> NDArray[np.int64]:
    """The weight of each set of points."""
    sums = np.zeros(1, dtype=np.int64)
    for weight in weights.tolist():
        sums = np.concatenate([sums, sums + weight])
    return sums


def number_of(sets: NDArray[np.uint8]) -> int:
    """How many sets there are."""
    return int(np.bitwise_count(sets).sum())
