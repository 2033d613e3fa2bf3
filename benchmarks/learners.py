"""Records that the private learners take, measured by running them.

``python -m benchmarks.learners [RUNS] [TASK ...]`` prints, for some classes and every learner that
applies, the least n of a grid of ratio 1.2 at which at most 5% of the runs err by more than alpha =
0.1 on clean labels, at epsilon 1 and delta 1e-6: with its ratio to what a consistent learner
without privacy takes, and to ln(1/delta) / (epsilon alpha).  All seeds are fixed.  Runs are those of
`PrivateLearner.fit`, but where a run of the learner of teachers takes long, the lists of its teachers
are drawn, with replacement, from those of `POOL` times as many.  It takes many minutes, and is run
when named only.
"""

from __future__ import annotations

import math
import random
import sys
import time
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from functools import partial
from itertools import count
from typing import Any

import numpy as np

from benchmarks.harness import require
from littlestone.classes import (
    AffineSubspaces,
    EqualityRules,
    FiniteClass,
    HypothesisClass,
    Points,
    Subsets,
    Thresholds,
)
from littlestone.data.sample import Sample
from littlestone.learn import IrreducibleLearner, PrivateLearner
from littlestone.learn.plan import candidates
from littlestone.points import Integers
from littlestone.privacy import Budget
from littlestone.privacy.ledger import Ledger
from littlestone.privacy.randomness import seeded_generator

EPSILON, DELTA, ALPHA, BETA = 1.0, 1e-6, 0.1, 0.05
SCALE = math.log(1 / DELTA) / (EPSILON * ALPHA)
SLOW, TOO_SLOW = 0.3, 15.0  # seconds a run of 2,000 records
POOL = 6
METHODS = ("exponential", "choosing", "partition", "single_key", "irreducible", "globally_stable")
LARGEST = 40_000  # records


@dataclass(frozen=True)
class Task:
    """A class, examples of one of its hypotheses, and weighted examples that tell an error."""

    name: str
    H: HypothesisClass[Any]
    examples: Callable[[random.Random], tuple[Any, int]]
    test: tuple[tuple[float, Any, int], ...]

    def sample(self, n: int, seed: int) -> Sample[Any]:
        """N independent examples."""
        rng = random.Random(seed)
        return Sample.from_examples(self.H.domain, (self.examples(rng) for _ in range(n)))

    def error(self, h: Callable[[Any], int]) -> float:
        """The weight of the test examples that h labels wrongly."""
        return sum(weight for weight, x, y in self.test if h(x) != y)


def mixture(
    name: str, H: HypothesisClass[Any], parts: list[tuple[float, Callable[[int], Any], int]]
) -> Task:
    """Examples of a few kinds: probability, the point made of a fresh number, label."""
    weights = [weight for weight, _, _ in parts]

    def examples(rng: random.Random) -> tuple[Any, int]:
        ((_, point, label),) = rng.choices(parts, weights)
        return point(rng.randrange(1000, 10**9)), label

    return Task(name, H, examples, tuple((w, point(10**9), y) for w, point, y in parts))


def uniform(
    name: str, H: HypothesisClass[Any], points: list[Any], label: Callable[[Any], int]
) -> Task:
    """Points that are equally likely."""
    tests = points[:: max(1, len(points) // 2000)]

    def examples(rng: random.Random) -> tuple[Any, int]:
        x = rng.choice(points)
        return x, label(x)

    return Task(name, H, examples, tuple((1 / len(tests), x, label(x)) for x in tests))


def tasks() -> Iterator[Task]:
    """Missing the positive examples is just too much where that is the hardest found."""
    edge = 1.001 * ALPHA
    rare = [(edge, lambda _: 1, 1), (1 - edge, lambda z: z, 0)]
    yield mixture("points", Points(Integers()), rare)
    three = [(edge / 3, lambda _, i=i: i, 1) for i in range(3)]
    yield mixture("subsets-3", Subsets(Integers(), 3), [*three, (1 - edge, lambda z: z, 0)])
    rules = EqualityRules.over_columns(Integers("a"), Integers("b"), max_literals=2)
    parts = [
        (edge, lambda _: (1, 1), 1),
        (0.3, lambda z: (1, z), 0),
        (0.3, lambda z: (z, 1), 0),
        (0.4 - edge, lambda z: (z, z), 0),
    ]
    yield mixture("rules", rules, parts)
    yield thresholds()
    table = np.random.default_rng(7).integers(0, 2, size=(200, 60))
    random_class = FiniteClass.from_array(table)
    h = random_class.hypothesis(0)
    yield uniform("random-200x60", random_class, list(random_class.domain), h)
    yield planes()


def thresholds() -> Task:
    """Thresholds on 2^20 - 1 numbers: one of them is right, all others err by more than alpha."""
    H, cut, edge = Thresholds.on(0, 2**20 - 2), 2**20 // 3, 1.001 * ALPHA
    parts: list[tuple[float, Callable[[int], Any], int]] = [
        (0.5 - edge, lambda _: 0, 0),
        (edge, lambda _: cut - 1, 0),
        (edge, lambda _: cut, 1),
        (0.5 - edge, lambda _: 2**20 - 2, 1),
    ]
    return mixture("thresholds", H, parts)


def planes() -> Task:
    """A plane among the affine subspaces of GF(101)^3: half of the examples are in it."""
    from littlestone.classes import parse_class

    H = parse_class("affine(x, y, z; q 101, dimension 2)")
    assert isinstance(H, AffineSubspaces)

    def plane(rng: random.Random) -> tuple[int, int, int]:
        x, y = rng.randrange(101), rng.randrange(101)
        return x, y, (3 * x + 5 * y + 7) % 101

    def label(x: tuple[int, int, int]) -> int:
        return int((3 * x[0] + 5 * x[1] + 7 - x[2]) % 101 == 0)

    def examples(rng: random.Random) -> tuple[Any, int]:
        a, b, c = plane(rng) if rng.random() < 0.5 else [rng.randrange(101) for _ in range(3)]
        return (a, b, c), label((a, b, c))

    rng = random.Random(5)
    drawn = [examples(rng) for _ in range(2000)]
    return Task("planes", H, examples, tuple((1 / 2000, x, y) for x, y in drawn))


def private(task: Task, learner: PrivateLearner[Any], n: int, seed: int) -> bool:
    """Whether one run of the learner errs too much."""
    with Ledger() as ledger:
        rng = seeded_generator(seed)
        sample = task.sample(n, seed)
        h = learner.fit(sample, ledger=ledger, dataset="simulated", rng=rng).hypothesis
    return task.error(h) > ALPHA


def consistent(task: Task, n: int, seed: int) -> bool:
    """Whether the SOA of the version space of the sample errs too much."""
    V, sample = task.H, task.sample(n, seed)
    for x, positives in zip(sample.points, sample.positives.tolist(), strict=True):
        V = V.restrict(x, int(positives > 0))
    return task.error(V.soa()) > ALPHA


def pooled(task: Task, learner: IrreducibleLearner[Any], n: int) -> Callable[[int], bool]:
    """Runs of the learner of teachers, by seed, whose teachers' lists are drawn from a pool."""
    m = n // learner.teachers
    pool = [
        learner.hypotheses_of_teacher(task.sample(m, n * 1000 + i))
        for i in range(POOL * learner.teachers)
    ]

    def fails(seed: int) -> bool:
        rng = seeded_generator(seed)
        lists = rng.choices(pool, k=learner.teachers)
        with Ledger() as ledger:
            receipt = ledger.spend(learner.event, dataset="simulated", what="learn", rng=rng)
            h = learner.mechanism.draw(lists, receipt=receipt)
        return task.error(task.H.soa() if h is None else h) > ALPHA

    return fails


Runs = Callable[[int], Callable[[int], bool]]
"""n -> seed -> whether that run errs too much."""


def enough(fails: Callable[[int], bool], n: int, runs: int) -> bool:
    """Whether at most 5% of the runs with n records fail; stops as soon as more do."""
    wrong = 0
    for seed in range(runs):
        wrong += fails(n * 1000 + seed)
        if wrong > BETA * runs:
            return False
    return True


def least_n(made: Runs, runs: int, low: int = 0) -> int | None:
    """The least n of the grid, by doubling steps and then bisection; None beyond `LARGEST`."""
    high = low
    for step in count():
        high = low + 4 * (step + 1)  # each step about doubles n
        if size(high) > LARGEST:
            return None
        if enough(made(size(high)), size(high), runs):
            break
    low = max(low, high - 4)
    while high - low > 1:
        middle = (low + high) // 2
        good = enough(made(size(middle)), size(middle), runs)
        low, high = (low, middle) if good else (middle, high)
    return size(high)


def size(i: int) -> int:
    """Member i of the grid."""
    return math.ceil(10 * 1.2**i)


def row(task: Task, learner: PrivateLearner[Any], base: int, runs: int) -> str:
    """The row of a learner."""
    start = time.process_time()
    private(task, learner, 2000, 0)
    seconds = time.process_time() - start
    method, first = learner.method, 0
    made: Runs = partial(partial, private, task, learner)
    if seconds > TOO_SLOW:
        return f"| {task.name} | {method} | {seconds:.0f} s for a run of 2,000: not measured | | |"
    if seconds > SLOW and isinstance(learner, IrreducibleLearner):
        made, method = partial(pooled, task, learner), f"{method} (lists from a pool)"
        first = next(i for i in count() if size(i) >= 2 * learner.teachers)
    n = least_n(made, runs, first)
    if n is None:
        return f"| {task.name} | {method} | more than {LARGEST:,} | | |"
    return f"| {task.name} | {method} | {n:,} | {n / base:.3g} | {n / SCALE:.3g} |"


def main(runs: int, names: list[str]) -> None:
    """Print a row for each task and learner."""
    print("| class | method | n | / consistent | / (ln(1/delta) / (epsilon alpha)) |")
    print("|---|---|---|---|---|")
    for task in tasks():
        if names and task.name not in names:
            continue
        base = least_n(partial(partial, consistent, task), runs)
        require(base is not None, f"{task.name}: consistency is not enough")
        print(f"| {task.name} | consistent, not private | {base} | 1 | |", flush=True)
        for found in candidates(task.H, Budget(1, "1e-6"), alpha=ALPHA, beta=BETA):
            if found.learner is not None and found.method in METHODS:
                print(row(task, found.learner, base or 1, runs), flush=True)


if __name__ == "__main__":
    numbers = [int(word) for word in sys.argv[1:] if word.isdigit()]
    main(numbers[0] if numbers else 200, [word for word in sys.argv[1:] if not word.isdigit()])
