"""Threshold and teaching dimensions of random tables, and reducing points of flats.

Each answer is asserted, with its witness checked.  The table of 400 x 64 is stopped by a time limit.
"""

from __future__ import annotations

import random
from collections.abc import Callable, Iterator
from typing import Any

import numpy as np

from benchmarks.harness import Case, Contender, cpu_seconds, require
from littlestone.classes import parse_class
from littlestone.dimension import is_half_graph, is_teaching_set, teaching_bounds, threshold_bounds

ON_REQUEST = True


def cases() -> Iterator[Case]:
    """Seeded, so that everyone asks the same."""
    for rows, points, lower, upper, limit in [
        (100, 32, 11, 11, None),
        (150, 40, 11, 11, None),
        (400, 64, 13, 20, 30.0),
    ]:
        yield case(
            f"threshold dimension {rows} x {points}", *threshold(rows, points, lower, upper, limit)
        )
    for rows, points in [(200, 64), (400, 64)]:
        yield case(f"teaching dimension {rows} x {points}", *teaching(rows, points, 5))
    for text, negatives in [
        ("linear(a, b, c, d, e, f; q 7, dimension 5)", 10),
        ("affine(a, b, c, d; q 7, dimension 3)", 30),
        ("polynomial_zeros(a, b; q 7, degree 3)", 6),
        ("polynomial_zeros(a, b; q 101, degree 2)", 60),
        ("polynomial_zeros(a, b, c; q 11, degree 2)", 6),
    ]:
        yield case(
            f"no two points reduce {text} after {negatives} negatives", *reducing(text, negatives)
        )


def case(title: str, run: Callable[[], Any], check: Callable[[Any], None]) -> Case:
    """One task of ours, in CPU seconds."""
    return Case(title, Contender("littlestone", run, check), repeats=3, clock=cpu_seconds)


def table(rows: int, points: int) -> Any:
    """Random bits."""
    return np.random.default_rng(1).integers(0, 2, (rows, points))


def threshold(rows: int, points: int, lower: int, upper: int, limit: float | None) -> Any:
    """The threshold dimension, or bounds at least as close as these."""
    T = table(rows, points)

    def check(found: Any) -> None:
        require(is_half_graph(T, found.witness), "no half-graph")
        require(len(found.witness.points) == found.lower, "a half-graph of another length")
        require(lower <= found.lower <= found.upper <= upper, f"{found.lower}..{found.upper}")

    return lambda: threshold_bounds(T, time_limit=limit), check


def teaching(rows: int, points: int, exact: int) -> Any:
    """The teaching dimension."""
    T = table(rows, points)

    def check(found: Any) -> None:
        require(all(is_teaching_set(T, h, S) for h, S in found.witness.items()), "no teaching set")
        require(found.lower == found.upper == exact, f"{found.lower}..{found.upper}")

    return lambda: teaching_bounds(T, time_limit=None), check


def reducing(text: str, negatives: int) -> Any:
    """The question whether two points reduce a version space; none do."""
    rng = random.Random(5)
    V = parse_class(text)
    while negatives:
        W = V.restrict(V.domain.random_point(rng), 0)
        if not W.is_empty():
            V, negatives = W, negatives - 1

    def check(found: Any) -> None:
        require(found is None, f"{found} reduce")

    return lambda: V.reducing_points(2), check
