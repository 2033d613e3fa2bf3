"""A structured class beside the plain table of its functions on finitely many points."""

from __future__ import annotations

import random
from collections.abc import Iterator, Sequence
from typing import Any

import numpy as np

from littlestone.classes import FiniteClass, HypothesisClass
from littlestone.sample import Sample

Class = HypothesisClass[Any]


def version_spaces(
    H: Class, table: FiniteClass, examined: Sequence[Any], *, most: int, seed: int
) -> Iterator[tuple[Class, FiniteClass]]:
    """H and version spaces after up to five random examples, with those of its table."""
    rng = random.Random(seed)
    yield H, table
    for _ in range(most):
        V, W = H, table
        for _ in range(rng.randint(1, 5)):
            x, y = rng.choice(examined), int(rng.random() < 0.4)
            if not W.restrict(str(x), y).is_empty():
                V, W = V.restrict(x, y), W.restrict(str(x), y)
        yield V, W
        if rng.random() < 0.2:
            yield V.restrict(x, 1).restrict(x, 0), W.restrict(str(x), 1).restrict(str(x), 0)


def difference(V: Class, W: FiniteClass, points: Sequence[Any], *, ks: range) -> str:
    """What V answers otherwise than the table W of its functions on the points; "" if nothing."""
    if V.is_empty() != W.is_empty():
        return "is_empty"
    if V.size not in (None, W.size):
        return "size"
    if V.littlestone_dimension() != W.littlestone_dimension():
        return "littlestone_dimension"
    if W.is_empty():
        return ""
    soa, labels = V.soa(), W.soa()
    if any(soa(x) != labels(str(x)) for x in points):
        return "soa"
    if any((V.reducing_points(k) is None) != (W.reducing_points(k) is None) for k in ks):
        return "reducing_points"
    root = V.mistake_point()
    if (root is None) != (W.littlestone_dimension() == 0):
        return "mistake_point"
    return ""


def random_sample(V: Class, points: Sequence[Any], rng: random.Random) -> Sample[Any]:
    """A sample of some of the points, of a few examples each."""
    chosen = rng.sample(points, rng.randint(0, min(len(points), 7)))
    return Sample.from_counts(V.domain, {x: [rng.randint(0, 2), rng.randint(0, 2)] for x in chosen})


def same_ball(V: Class, sample: Sample[Any], max_errors: int) -> bool:
    """Whether the ball is the one that the walk of the base class finds."""
    ours = V.error_ball(sample, max_errors)
    walk = HypothesisClass.error_ball(V, sample, max_errors)
    return len(ours) == len(walk) and set(ours) == set(walk)


def reversed_sample(sample: Sample[Any]) -> Sample[Any]:
    """The same sample, its points in another order."""
    turned = np.arange(len(sample.points))[::-1]
    points = tuple(sample.points[j] for j in turned)
    return Sample(sample.domain, points, sample.negatives[turned], sample.positives[turned])
