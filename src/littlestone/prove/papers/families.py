"""Families of classes on which statements that say "every" are run."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from itertools import permutations, product

import numpy as np

from littlestone.classes import FiniteClass
from littlestone.theory.atlas.listing import smallest_masks


def every_class(points: int, labels: int = 2) -> Iterator[FiniteClass]:
    """All nonempty classes of functions from ``points`` points into ``labels`` labels.

    There are 2^(labels^points) - 1: 255 on three points with two labels, 511 on two points with three.

    >>> len(list(every_class(3))), len(list(every_class(2, labels=3)))
    (255, 511)
    """
    rows = list(product(range(labels), repeat=points))
    everything = FiniteClass.from_array(rows, labels=labels)
    for mask in range(1, 1 << len(rows)):
        yield replace(everything, alive=mask)


def unordered_classes(points: int, labels: int = 2) -> Iterator[FiniteClass]:
    """The same up to the order of the points, which no statement mentions.

    The atlas lists fewer, because it also exchanges labels, which changes what an SOA predicts.

    >>> len(list(unordered_classes(3))), len(list(unordered_classes(4)))
    (79, 3983)
    """
    rows = list(product(range(labels), repeat=points))
    place = {row: i for i, row in enumerate(rows)}
    orders = permutations(range(points))
    moves = [[place[tuple(row[x] for x in order)] for row in rows] for order in orders]
    everything = FiniteClass.from_array(rows, labels=labels)
    for mask in smallest_masks(np.array(moves))[0]:
        yield replace(everything, alive=mask)
