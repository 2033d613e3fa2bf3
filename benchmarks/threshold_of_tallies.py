"""A search for the numbers of `tallied`: ``python -m benchmarks.threshold_of_tallies [N RUNS]``.

For each class of `benchmarks.adaptive`, it changes the threshold U and the chance of mistakes at
random, and keeps a change if the worst mean of all adversaries falls.  All that it reads is public:
the class, T and epsilon.  Printed: the numbers by default, then each that is better, with the bound
proved for 95%.  Asserted: none is better by a fifth.  `TalliedLearner` has the numbers of such
searches in closed form, as functions of the largest distance.
"""

from __future__ import annotations

import sys
from dataclasses import replace
from fractions import Fraction
from typing import Any

import numpy as np

from benchmarks.adaptive import ADVERSARIES, Game, T, classes
from benchmarks.harness import require
from littlestone.classes import Thresholds
from littlestone.learn.stream import TalliedLearner
from littlestone.learn.stream.tallied import chance_of_mistakes, likelihood_scores
from littlestone.privacy import Budget
from littlestone.privacy.randomness import seeded_generator

CELL = Fraction(1, 2)


def learner_of(H: Any, threshold: int, chance: Fraction) -> TalliedLearner:
    """With this threshold, and scores of this chance."""
    learner = TalliedLearner(H, Budget(2 * CELL), horizon=T, threshold=threshold)
    learner.scores = likelihood_scores(chance, CELL)
    learner.mechanism = replace(learner.mechanism, most=learner.scores.most)
    return learner


def worst_mean(learner: TalliedLearner, runs: int, most: float) -> float:
    """Of all adversaries, or of the first that is above ``most``."""
    table, worst = learner.hypotheses.table(), 0.0  # type: ignore[attr-defined]
    for adversary in ADVERSARIES:
        found = [Game(learner, table, seeded_generator(s)).play(adversary) for s in range(runs)]
        worst = max(worst, sum(found) / runs)
        if worst > most:
            break
    return worst


def search(H: Any, changes: int, runs: int) -> None:
    """Change the best numbers so far, at random."""
    rng, usual = np.random.default_rng(1), TalliedLearner(H, Budget(2 * CELL), horizon=T)
    numbers = usual.mechanism.timer.threshold, chance_of_mistakes(usual.distance, CELL)
    first = best = worst_mean(usual, runs, np.inf)
    print(f"  U = {numbers[0]}, chance {float(numbers[1]):.4f}: {best:.1f}", flush=True)
    for _ in range(changes):
        threshold = round(numbers[0] * np.exp(0.15 * rng.normal()))
        chance = Fraction(f"{float(numbers[1]) * np.exp(0.3 * rng.normal()):.3g}")
        learner = learner_of(H, threshold, chance)
        if (found := worst_mean(learner, runs, best)) < best:
            best, numbers, bound = found, (threshold, chance), learner.mistake_bound(0.05)
            proved = "nothing" if bound is None else f"{bound.mistakes:,}"
            words = f"U = {threshold}, chance {float(chance):.4f}: {best:.1f}, {proved} proved"
            print(f"  {words}", flush=True)
    require(best > 0.8 * first, "other numbers are better by a fifth")


def main(changes: int, runs: int) -> None:
    """A block for each class that `tallied` takes."""
    for name, H in classes():
        if not isinstance(H, Thresholds):
            print(name, flush=True)
            search(H, changes, runs)


if __name__ == "__main__":
    changes, runs = (int(x) for x in sys.argv[1:]) if len(sys.argv) == 3 else (20, 10)
    main(changes, runs)
