"""The errors of all sets of few points of a finite domain, as sums over halves of the points."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import cache
from math import comb
from typing import Any, TypeVar

import numpy as np

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
    def chosen(first: int, last: int, k: int) -> Scores | None:
        if last - first == 1:
            weight, count, point = leaves[first]
            if k > count:
                return None
            errors = np.array([k * weight + (base if first == 0 else 0)])
            return ErrorRuns(errors, [comb(count, k)], lambda i: _subset(i, count, k, point))
        middle = (first + last) // 2
        # Given how many points lie in each half, the halves are independent: a sum of two parts.
        pairs = ((chosen(first, middle, j), chosen(middle, last, k - j)) for j in range(k + 1))
        groups = [(left, right) for left, right in pairs if left and right]
        return (
            ErrorSums(groups, lambda place: _joined(groups[place[0]], place[1:]))
            if groups
            else None
        )

    found = [chosen(0, len(leaves), k) for k in range(most + 1)]
    return [scores for scores in found if scores]


def _joined(parts: Sequence[Scores], places: Sequence[Any]) -> tuple[Any, ...]:
    return tuple(x for part, place in zip(parts, places, strict=True) for x in part.item(place))


def _subset(index: int, count: int, k: int, point: Callable[[int], Item]) -> tuple[Item, ...]:
    """The k points whose set has this number, in the order of their largest, next largest, ....

    >>> [_subset(i, 4, 2, int) for i in range(6)]
    [(1, 0), (2, 0), (2, 1), (3, 0), (3, 1), (3, 2)]
    """
    found, top = [], count
    for left in range(k, 0, -1):
        low, high = left - 1, top - 1  # the largest n with C(n, left) <= index
        while low < high:
            middle = (low + high + 1) // 2
            low, high = (middle, high) if comb(middle, left) <= index else (low, middle - 1)
        found.append(point(low))
        index -= comb(low, left)
        top = low
    return tuple(found)


def weighed(points: Sequence[Any], weights: Sequence[int], size: int) -> list[Leaf]:
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
            low, high = 0, len(taken)  # how many of them are below it
            while low < high:
                middle = (low + high) // 2
                low, high = (middle + 1, high) if taken[middle] - middle <= i else (low, middle)
            return i + low

        leaves.append((0, rest, other))
    return leaves
