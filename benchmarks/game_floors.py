"""What nobody beats against an adversary who sees each rule: ``python -m benchmarks.game_floors``.

For each class of `benchmarks.adaptive`, and intervals: the mean mistakes that the best adversary
causes, by Theorems 1 and 2 of docs/proofs/mistakes-against-watchers.md.  T = 200,000 steps and delta 0.
Asserted: at small epsilon they grow as 1 / epsilon.
"""

from __future__ import annotations

import math

from benchmarks.adaptive import T, classes
from benchmarks.harness import require
from littlestone.classes import Intervals
from littlestone.learn.plan.lower import tree_depth

CHANGES = 0.1
"""The changes of a label that Theorem 2 allows in T / d steps without a record."""


def any_learner(depth: int, epsilon: float) -> float:
    """Theorem 1, for the best of some K and k."""
    steps, best = T // depth, 0.0
    for k in range(1, 200):
        for K in ((k + 1) * i / 50 for i in range(1, 50)):
            p = 1 - K / (k + 1)
            q = p * math.exp(-epsilon * K)
            windows = math.ceil(math.log(2 / q) / q)
            rounds = steps // (windows * (2 * k + 1))
            best = max(best, K * (1 - (1 - q / 2) ** rounds))
    return depth * best


def quiet_learner(depth: int, epsilon: float) -> float:
    """Theorem 2, for the best n."""
    steps, best = T // depth, 0.0
    for n in range(1, min(steps, 500)):
        chance = CHANGES / (steps // n)
        best = max(best, sum(max(0.0, 1 - chance * math.exp(epsilon * j)) for j in range(n)))
    return depth * best


def main() -> None:
    """A line for each class."""
    for name, H in (*classes(), ("intervals of 2^20 points", Intervals.on(0, 2**20 - 1))):
        depth, found = tree_depth(H), list[float]()
        for epsilon in (1.0, 0.1):
            found += any_learner(depth, epsilon), quiet_learner(depth, epsilon)
            words = f"any learner {found[-2]:.1f}, one that seldom changes {found[-1]:.1f}"
            print(f"{name}, dimension {depth}, epsilon {epsilon:g}: {words}", flush=True)
        require(found[2] > 5 * found[0] and found[3] > 5 * found[1], "no growth as 1 / epsilon")


if __name__ == "__main__":
    main()
