"""A structured class beside the plain table of its functions on finitely many points."""

from __future__ import annotations

import random
from collections.abc import Iterator, Mapping, Sequence
from typing import Any

import numpy as np

from littlestone.classes import FiniteClass, HypothesisClass
from littlestone.data.sample import Sample

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


def walks(
    H: Any, table: FiniteClass, names: Mapping[Any, str], *, times: int, rng: random.Random
) -> Iterator[tuple[Any, FiniteClass]]:
    """Version spaces after few or many examples, rather where mistakes are forced, and their tables.

    What leaves no hypothesis leaves none in the table, and is taken back.
    """
    for _ in range(times):
        V, T = H, table
        labels = rng.choice([(0,), (0, 0, 0, 0, 0, 1), (0, 1)])
        for _ in range(rng.choice([0, 2, 5, len(names) // 2, len(names)])):
            x = V.domain.random_point(rng)
            if rng.random() < 0.5:
                x = V.mistake_point() or x
            y = rng.choice(labels)
            W = V.restrict(x, y)
            if not W.is_empty():
                V, T = W, T.restrict(names[x], y)
            else:
                assert T.restrict(names[x], y).is_empty()
        yield V, T


def agree(V: Any, T: FiniteClass, names: Mapping[Any, str]) -> None:
    """All answers of V, an algebraic class, are those of the table T of its functions."""
    assert V.size == T.size
    assert V.littlestone_dimension() == T.littlestone_dimension()
    soa, expected = V.soa(), T.soa()
    for x, name in names.items():
        assert soa(x) == V.soa_label(x) == expected(name), (V, x)
    root = V.mistake_point()
    assert (root is None) == (T.littlestone_dimension() < 1)
    if root is not None:
        below = [T.restrict(names[root], y).littlestone_dimension() for y in (0, 1)]
        assert min(below) == T.littlestone_dimension() - 1
    for k in (1, 2, 3) if len(names) <= 16 else (1, 2):
        found = V.reducing_points(k)
        assert (found is None) == (T.reducing_points(k) is None), (V, k)
        if found is not None:
            assert 1 <= len(found) <= k
            W = V
            for x in found:
                W = W.restrict(x, soa(x))
            assert W.littlestone_dimension() < V.littlestone_dimension()


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
    return sample.with_counts(points, sample.counts[turned])
