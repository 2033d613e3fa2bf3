"""The exponential-mechanism learner on thresholds: 2^64 points, and the same class as a table."""

from __future__ import annotations

import math
import random
from bisect import bisect_right
from collections.abc import Callable, Iterator
from itertools import accumulate
from typing import Any

import numpy as np

from benchmarks.harness import Case, Contender, require
from littlestone.classes import Enumerable, ErrorRuns, FiniteClass, Thresholds
from littlestone.domains import Grid
from littlestone.learners import ExponentialLearner
from littlestone.privacy import Budget
from littlestone.privacy.randomness import system_generator
from littlestone.sample import Sample

Answer = tuple[ErrorRuns, int]


def cases() -> Iterator[Case]:
    """A hundred thousand points among 2^64; then 2,001 points both ways."""
    huge = Thresholds.on(0, 2**64 - 1)
    sample = noisy_sample(2**64 - 1, 100_000)
    yield Case(
        "2^64-point grid, 100,000 distinct sample points",
        Contender("littlestone: error_runs + draw", learn(huge, sample), checker(huge, sample)),
        [
            Contender(
                "numpy sort + cumsum + argmin of floats (not private)",
                lambda: best_cut(sample),
                lambda errors: require(
                    errors == huge.error_runs(sample).errors.min(), f"{errors} errors"
                ),
            )
        ],
    )
    high = 2000
    grid = Thresholds.on(0, high)
    small = noisy_sample(high, high + 1)
    table = FiniteClass.from_array(
        [[int(x >= t) for x in range(high + 1)] for t in range(high + 2)],
        points=[str(x) for x in range(high + 1)],
    )
    named = Sample(table.domain, tuple(map(str, small.points)), small.counts)
    by_interval, by_table = grid.error_runs(small), table.error_runs(named)
    require(by_table.lengths is None, "the table merges hypotheses")
    require(
        np.array_equal(np.repeat(by_interval.errors, by_interval.lengths or 1), by_table.errors),
        "the class and its table have other errors",
    )
    yield Case(
        "grid 0..2000, all points in the sample",
        Contender("littlestone Thresholds", learn(grid, small), checker(grid, small)),
        [
            Contender(
                "littlestone FiniteClass, 2,002 x 2,001 table",
                learn(table, named),
                checker(table, named),
            )
        ],
    )


def noisy_sample(high: int, distinct: int) -> Sample[int]:
    """``distinct`` points of 0..high, in a few examples each; one label in ten is wrong."""
    rng = random.Random(2)
    points: set[int] = set()
    while len(points) < distinct:
        points.add(rng.randint(0, high))
    counts = {}
    for x in points:
        times, wrong = rng.randint(1, 3), rng.random() < 0.1
        counts[x] = [0, times] if (x >= high // 3) != wrong else [times, 0]
    return Sample.from_counts(Grid(0, high), counts)


def learn(hypotheses: Enumerable[Any], sample: Sample[Any]) -> Callable[[], Answer]:
    """Score every hypothesis and draw one, as `ExponentialLearner.fit` does but for the ledger."""
    from littlestone.privacy.samplers import selection

    base = ExponentialLearner(Thresholds.on(0, 1), Budget(1)).mechanism.base
    rng = system_generator()

    def run() -> Answer:
        runs = hypotheses.error_runs(sample)
        return runs, selection.draw(runs.errors, runs.lengths, base, rng)

    return run


def checker(hypotheses: Enumerable[Any], sample: Sample[Any]) -> Callable[[Answer], None]:
    """The drawn hypothesis errs as often as its run says, point by point, and close to the least."""
    size = hypotheses.size or 0
    limit = 2 * math.log(size * 1e12)

    def check(answer: Answer) -> None:
        runs, index = answer
        stops = list(accumulate(runs.lengths or [1] * len(runs.errors)))
        require(stops[-1] == size, f"{stops[-1]} hypotheses in place of {size}")
        errors = runs.errors[bisect_right(stops, index)]
        h = hypotheses.hypothesis(index)
        counts = zip(
            sample.points, sample.negatives.tolist(), sample.positives.tolist(), strict=True
        )
        by_force = sum(zeros if h(x) else ones for x, zeros, ones in counts)
        require(errors == by_force, f"{errors} errors in place of {by_force}")
        # A worse one is drawn with probability below 1e-12.
        require(errors - runs.errors.min() < limit, f"{errors} errors are too many")

    return check


def best_cut(sample: Sample[int]) -> int:
    """The least number of errors of a threshold."""
    points = np.array(sample.points, dtype=np.float64)
    order = np.argsort(points)
    errors = np.cumsum((sample.positives - sample.negatives)[order])
    return int(sample.negatives.sum() + min(0, errors.min()))
