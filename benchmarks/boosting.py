"""Records that boosting takes, beside learning directly: measured, when named only.

``python -m benchmarks.boosting [RUNS]`` prints the least n of a grid of ratio 1.25 at which at most a
tenth of the runs err by more than alpha = 0.05 at epsilon 1 and delta 1e-6, on clean labels: of the
direct learner, of weak learners at error 1/2 - gamma, and of the boosted ones for several gamma and
``kept``.  The last task is a majority of nine stumps, which no stump is near to.  A few minutes.
All seeds are fixed.
"""

from __future__ import annotations

import sys
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from fractions import Fraction
from itertools import product
from math import ceil
from typing import Any

import numpy as np

from benchmarks.harness import require
from littlestone.classes import FiniteClass, HypothesisClass, Points, Thresholds, parse_class
from littlestone.data.sample import Sample
from littlestone.learn import BoostingLearner, PrivateLearner
from littlestone.learn.plan import choose_learner
from littlestone.points import Integers
from littlestone.privacy import Budget
from littlestone.privacy.ledger import Ledger
from littlestone.privacy.randomness import seeded_generator

ALPHA = 0.05
LARGEST = 20_000
COST: dict[str, Any] = {"budget": Budget(1, "1e-6")}


@dataclass(frozen=True)
class Task:
    """A class and a labelled distribution on a few points."""

    name: str
    H: HypothesisClass[Any]
    points: list[Any]
    weights: list[float]
    label: Callable[[Any], int]

    def fails(self, learner: PrivateLearner[Any], n: int, seed: int, alpha: float) -> bool:
        """Whether one run errs by more than alpha."""
        drawn = np.random.default_rng(seed).multinomial(n, self.weights).tolist()
        labels = [self.label(x) for x in self.points]
        counts = {
            x: [0, c] if y else [c, 0]
            for x, y, c in zip(self.points, labels, drawn, strict=True)
            if c
        }
        sample: Sample[Any] = Sample.from_counts(self.H.domain, counts)
        with Ledger() as ledger:
            rng = seeded_generator(seed)
            h = learner.fit(sample, ledger=ledger, dataset="simulated", rng=rng).hypothesis
        found = zip(self.points, self.weights, labels, strict=True)
        return sum(w for x, w, y in found if h(x) != y) > alpha

    def least_n(self, learner: PrivateLearner[Any], runs: int, alpha: float) -> int | None:
        """The least n of the grid that is enough; None beyond `LARGEST`."""

        def suffices(i: int) -> bool:
            wrong = 0
            for run in range(runs):
                wrong += self.fails(learner, size(i), 1000 * i + run, alpha)
                if 10 * wrong > runs:
                    return False
            return True

        high = 0
        while not suffices(high):
            high += 4
            if size(high) > LARGEST:
                return None
        low = max(-1, high - 4)
        while high - low > 1:
            middle = (low + high) // 2
            low, high = (low, middle) if suffices(middle) else (middle, high)
        return size(high)


def size(i: int) -> int:
    """Member i of the grid."""
    return ceil(10 * 1.25**i)


def uniform(
    name: str, H: HypothesisClass[Any], points: list[Any], label: Callable[[Any], int]
) -> Task:
    """Points that are equally likely."""
    return Task(name, H, points, [1 / len(points)] * len(points), label)


def tasks() -> Iterator[Task]:
    """Four classes that hold the target, and one that does not."""
    thresholds = Thresholds.on(0, 999)
    yield uniform("thresholds on 0..999", thresholds, list(range(1000)), thresholds.hypothesis(400))
    weights = [1.05 * ALPHA] + [(1 - 1.05 * ALPHA) / 50] * 50
    one = Points(Integers())
    yield Task("points, weight 1.05 alpha", one, list(range(51)), weights, lambda x: int(x == 0))
    table = FiniteClass.from_array(np.random.default_rng(7).integers(0, 2, size=(200, 60)))
    yield uniform("200 functions, 60 points", table, list(table.domain), table.hypothesis(0))
    stumps = parse_class("stumps(a 0..31, b 0..31)")
    square = list(product(range(32), repeat=2))
    yield uniform("stumps on 32 x 32", stumps, square, lambda x: int(x[0] >= 11))
    bits = parse_class(f"stumps({', '.join(f'{c} 0..1' for c in 'abcdefghi')})")
    cube = list(product((0, 1), repeat=9))
    yield uniform("majority of 9 bits, by stumps", bits, cube, lambda x: int(sum(x) > 4))


def main(runs: int) -> None:
    """Print a row for each task and learner."""
    print("| task | learner | error | rounds | n |\n|---|---|---|---|---|")

    def row(
        task: Task, what: str, alpha: float, rounds: int, learner: PrivateLearner[Any]
    ) -> int | None:
        n = task.least_n(learner, runs, alpha)
        shown = f"more than {LARGEST:,}" if n is None else f"{n:,}"
        print(f"| {task.name} | {what} | {alpha:g} | {rounds} | {shown} |", flush=True)
        return n

    for task in tasks():
        direct, _ = choose_learner(task.H, **COST, alpha=ALPHA, setting="realizable")
        alone = row(task, f"{direct.method}, alone", ALPHA, 1, direct)
        found = []
        beyond = "by stumps" in task.name
        for gamma in ("0.1",) if beyond else ("0.4", "0.25", "0.1"):
            weak = float(Fraction(1, 2) - Fraction(gamma))
            row(task, f"{direct.method}, weak", weak, 1, direct)
            for kept in ("1/4",) if gamma == "0.1" else ("1/4", "1/8"):
                learner = BoostingLearner(task.H, **COST, alpha=ALPHA, gamma=gamma, kept=kept)
                what = f"boosted, gamma {gamma}, kept {kept}"
                found.append(row(task, what, ALPHA, learner.walk.rounds, learner))
        best = min((n for n in found if n is not None), default=None)
        require((alone is None) == beyond, f"{task.name}: the class holds the target, or not")
        require(best is not None, f"{task.name}: boosting learns it")
        require(beyond or (best or 0) > (alone or 0), f"{task.name}: boosting needs more")


if __name__ == "__main__":
    main(int(sys.argv[1]) if sys.argv[1:] else 10)
