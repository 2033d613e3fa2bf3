"""Online learning beside prediction: ``python -m benchmarks.online_baselines [RUNS] [TASK ...]``.

Epsilon 1, delta 1e-6, T = 200,000, one realizable sequence each for subsets(1), subsets(2), a random
table of 60 hypotheses on 100 points, and 1,024 thresholds (tasks 0 to 3; all by default).  Printed:
the mean of the mistakes over RUNS runs (1 by default) of each learner that takes the class.

Asserted: mistakes of those with proved bounds are within them, non-private learners within theirs,
and predictions are those of one paid run.  Some minutes for each task, most of them private prediction.
"""

from __future__ import annotations

import random
import sys
from collections.abc import Callable, Iterator
from functools import partial
from typing import Any

import numpy as np

from benchmarks.harness import require
from benchmarks.mistakes import T, at_random, labelled, mistakes
from littlestone.base.errors import DeclarationError
from littlestone.classes import FiniteClass, HypothesisClass, Subsets, Thresholds
from littlestone.learn.stream import (
    KeyLearner,
    PrivateOnlineLearner,
    TeacherLearner,
)
from littlestone.points import Integers
from littlestone.privacy import Budget
from littlestone.privacy.randomness import seeded_generator
from littlestone.theory.game import Halving, StandardOptimalAlgorithm

Sequence = Callable[[random.Random], Iterator[tuple[Any, int]]]
LEARNERS: list[type[Any]] = [KeyLearner, TeacherLearner]
PLAIN: list[type[Any]] = [StandardOptimalAlgorithm, Halving]
BETA = 0.001


def tasks() -> list[tuple[HypothesisClass[Any], Sequence]]:
    """The classes, each with its sequence."""
    table = FiniteClass.from_array(np.random.default_rng(3).integers(0, 2, (60, 100)))
    thresholds = Thresholds.on(0, 1023)
    return [
        (Subsets(Integers(), 1), partial(at_random, 1)),
        (Subsets(Integers(), 2), partial(at_random, 2)),
        (table, partial(labelled, table, table.hypothesis(7), ordered=False)),
        (thresholds, partial(labelled, thresholds, thresholds.hypothesis(300), ordered=False)),
    ]


def private(kind: type[Any], H: HypothesisClass[Any], sequence: Sequence, seed: int) -> int:
    """Mistakes of one run of a learner that publishes hypotheses."""
    learner: PrivateOnlineLearner[Any] = kind(H, Budget(1, "1e-6"), horizon=T)
    rng = seeded_generator(seed)
    found = len(mistakes(learner, sequence(rng), rng))
    bound = learner.mistake_bound(BETA)
    require(bound is None or found <= bound.mistakes, "more mistakes than are proved")
    return found


def plain(kind: type[Any], H: HypothesisClass[Any], sequence: Sequence, seed: int) -> int:
    """Mistakes of a learner that is not private."""
    learner, found = kind(H), 0
    for x, y in sequence(seeded_generator(seed)):
        if learner.predict(x) != y:
            learner.update(x, y)
            found += 1
    require(found <= learner.mistake_bound, "more mistakes than the learner allows")
    return found


def contenders(H: HypothesisClass[Any]) -> Iterator[tuple[str, Callable[[Sequence, int], int]]]:
    """All learners that take the class, by name."""
    for kind in PLAIN:
        try:
            kind(H)
        except DeclarationError:
            continue
        yield kind.__name__, partial(plain, kind, H)
    for kind in LEARNERS:
        try:
            kind(H, Budget(1, "1e-6"), horizon=T)
        except DeclarationError:
            continue
        yield kind.__name__, partial(private, kind, H)


def main(runs: int, chosen: list[int]) -> None:
    """Print a line for each class and learner."""
    for place, (H, sequence) in enumerate(tasks()):
        if place not in chosen:
            continue
        for name, run in contenders(H):
            counts = [run(sequence, seed) for seed in range(runs)]
            print(f"{H}, {name}: {sum(counts) / runs:,.1f}", flush=True)


if __name__ == "__main__":
    numbers = [int(word) for word in sys.argv[1:]]
    main(numbers[0] if numbers else 1, numbers[1:] or [0, 1, 2, 3])
