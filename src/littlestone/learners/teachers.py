"""Teachers: disjoint parts of the records, each with a short list of hypotheses of its own."""

from __future__ import annotations

import random
import sys
from collections.abc import Iterator
from itertools import groupby

import numpy as np
from numpy.typing import NDArray

from littlestone.classes.base import HypothesisClass
from littlestone.decomposition import Ball, decompose, error_ball
from littlestone.domains import Point
from littlestone.errors import TooLargeError
from littlestone.hypotheses import Hypothesis
from littlestone.sample import Sample


def chunks(sample: Sample[Point], count: int, rng: random.Random) -> Iterator[Sample[Point]]:
    """``count`` disjoint parts of floor(n / count) records each, by a uniform permutation.

    The permutation is drawn anew and is exactly uniform, so it makes no difference in which order
    the sample holds its records: it is as if record i had a place of its own, whatever it says, and
    one replaced record changes one part.  The remainder belongs to no part.

    >>> from littlestone.domains import Integers
    >>> sample = Sample.from_examples(Integers(), [(x, x % 2) for x in range(10)])
    >>> [part.n for part in chunks(sample, 3, random.Random(0))]
    [3, 3, 3]
    """
    often = np.stack([sample.negatives, sample.positives], axis=1).ravel()
    records = np.repeat(np.arange(len(often)), often).tolist()
    rng.shuffle(records)
    yield from split(sample, np.array(records, dtype=np.int64), count)


def split(sample: Sample[Point], records: NDArray[np.int64], count: int) -> Iterator[Sample[Point]]:
    """The parts of ``records``, in their order; 2 j + y stands for the example (points[j], y).

    A part holds its points in the order in which it meets them.  In the order of ``sample`` they
    would tell what other parts hold: a record there may be the first of the sample with its point,
    and where a list is cut depends on the order.
    """
    size = len(records) // count
    for i in range(count):
        part = records[i * size : (i + 1) * size]
        rows, first, places = np.unique(part // 2, return_index=True, return_inverse=True)
        counts = np.zeros((len(rows), 2), dtype=np.int64)
        np.add.at(counts, (places, part % 2), 1)
        order = np.argsort(first)
        points = tuple(sample.points[j] for j in rows[order].tolist())
        yield Sample(sample.domain, points, counts[order, 0], counts[order, 1])


def frontier(
    H: HypothesisClass[Point], chunk: Sample[Point], max_errors: int, *, most: int | None = None
) -> list[Hypothesis[Point]]:
    """The SOAs of the leaves that no leaf of fewer or as many errors exceeds in dimension.

    Every cell of the ball {h in H : h errs at most ``max_errors`` times} is decomposed into leaves
    V that are (m + 1) 2^(d - LDim(V))-irreducible, with d = LDim(H) and m examples in the chunk.  A
    hypothesis errs on the chunk as its leaf does; those with fewer errors come first.  It is the
    union of the lists of all radii up to ``max_errors``, so no ladder of radii has to be chosen.

    Where that takes more than ``most`` version spaces, the radius is halved until it does not, and
    the list is empty if none is small enough.

    >>> from littlestone.classes import Subsets
    >>> from littlestone.domains import Integers
    >>> H, examples = Subsets(Integers(), 2), [(1, 1)] * 5 + [(2, 1), (3, 0), (4, 0)]
    >>> sample = Sample.from_examples(H.domain, examples)
    >>> [f.words() for f in frontier(H, sample, 2)]
    ['x is one of 1, 2', 'x is 1']
    """
    while True:
        try:
            return _frontier(H, error_ball(H, chunk, max_errors, most=most), chunk.n, most)
        except TooLargeError:
            if max_errors == 0:
                return []
            max_errors //= 2


def _frontier(
    H: HypothesisClass[Point], ball: Ball[Point], m: int, most: int | None
) -> list[Hypothesis[Point]]:
    d, degree = int(H.littlestone_dimension()), -1
    left = sys.maxsize if most is None else most
    found: dict[Hypothesis[Point], None] = {}
    for _, cells in groupby(sorted(ball.cells, key=_errors), key=_errors):
        trees = []
        for V, _ in cells:
            if V.littlestone_dimension() >= degree:  # else no leaf of it is large enough
                trees.append(decompose(V, m + 1, d, most=left))
                left -= len(trees[-1].nodes)
        degree = max([degree, *(tree.degree for tree in trees)])
        for tree in trees:
            found |= dict.fromkeys(tree.hypotheses(degree))
    return list(found)


def _errors(cell: tuple[HypothesisClass[Point], int]) -> int:
    return cell[1]
