"""Teachers: disjoint parts of the records, each with a short list of hypotheses of its own."""

from __future__ import annotations

import random
from collections.abc import Iterator
from typing import Any

import numpy as np

from littlestone.domains import Point
from littlestone.sample import Sample


def chunks(sample: Sample[Any], count: int, rng: random.Random) -> Iterator[Sample[Any]]:
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
    size = len(records) // count
    for i in range(count):
        held, times = np.unique(records[i * size : (i + 1) * size], return_counts=True)
        rows, places = np.unique(held // 2, return_inverse=True)
        counts = np.zeros((len(rows), 2), dtype=np.int64)
        counts[places, held % 2] = times
        # The sample's order of points is that of all records; a part's order must be its own.
        held_points = [sample.points[j] for j in rows.tolist()]
        order = sorted(range(len(rows)), key=held_points.__getitem__)
        points = tuple(held_points[j] for j in order)
        yield Sample(sample.domain, points, counts[order, 0], counts[order, 1])


def permuted(sample: Sample[Point], rng: random.Random) -> list[tuple[Point, int]]:
    """The examples, one by one, in an order that is drawn anew and is exactly uniform.

    As for `chunks`: it is as if record i had a place of its own, whatever it says.

    >>> from littlestone.domains import Integers
    >>> sample = Sample.from_examples(Integers(), [(7, 0), (7, 1), (7, 1)])
    >>> sorted(permuted(sample, random.Random(0)))
    [(7, 0), (7, 1), (7, 1)]
    """
    counts = zip(sample.points, sample.negatives.tolist(), sample.positives.tolist(), strict=True)
    examples = [(x, y) for x, zeros, ones in counts for y in [0] * zeros + [1] * ones]
    rng.shuffle(examples)
    return examples
