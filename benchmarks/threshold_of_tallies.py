"""A search for the numbers of `tallied`: ``python -m benchmarks.threshold_of_tallies [N RUNS]``.

For each class of `benchmarks.adaptive`, it changes the threshold U and the chance of mistakes, or what
a told side gains, at random, and keeps a change if the worst mean of all adversaries falls.  All that
it reads is public: the class, T and epsilon.  Printed: the numbers by default, then each that is
better, with the bound proved for 95%.  For intervals of 2^20 points it plays a grid of both numbers.
Asserted: none is better by a fifth.  `TalliedLearner` has the numbers of such
searches in closed form, as functions of the largest distance.
"""

from __future__ import annotations

import sys
from dataclasses import replace
from fractions import Fraction
from itertools import product
from typing import Any

import numpy as np

from benchmarks.adaptive import ADVERSARIES, Game, T, classes, interval_game
from benchmarks.harness import require
from littlestone.classes import Intervals, Thresholds
from littlestone.learn.stream import TalliedLearner
from littlestone.learn.stream.tallied import Places, Sides
from littlestone.learn.stream.weights import (
    UNITS,
    Scores,
    chance_of_mistakes,
    likelihood_scores,
)
from littlestone.privacy import Budget
from littlestone.privacy.randomness import seeded_generator

CELL = Fraction(1, 2)


def learner_of(H: Any, threshold: int, chance: Fraction) -> TalliedLearner:
    """With this threshold, and scores of this chance, or for thresholds with this gain."""
    learner = TalliedLearner(H, Budget(2 * CELL), horizon=T, threshold=threshold)
    if isinstance(H, Thresholds):
        learner.scores = Scores(np.array([int(UNITS * chance)]))
    else:
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
    sides = isinstance(H, Thresholds)
    chance = Sides.gain if sides else chance_of_mistakes(Places(H).distance, CELL)
    numbers = getattr(usual.mechanism, "timer", usual.mechanism).threshold, chance
    first = best = worst_mean(usual, runs, np.inf)
    print(f"  U = {numbers[0]}, chance {float(numbers[1]):.4f}: {best:.1f}", flush=True)
    for _ in range(changes):
        threshold = round(numbers[0] * np.exp(0.15 * rng.normal()))
        drawn = float(numbers[1]) * np.exp(0.3 * rng.normal())
        chance = Fraction(f"{drawn if sides else min(drawn, 0.45):.3g}")
        learner = learner_of(H, threshold, chance)
        if (found := worst_mean(learner, runs, best)) < best:
            best, numbers, bound = found, (threshold, chance), learner.mistake_bound(0.05)
            proved = "nothing" if bound is None else f"{bound.mistakes:,}"
            words = f"U = {threshold}, number {float(chance):.4f}: {best:.1f}, {proved} proved"
            print(f"  {words}", flush=True)
    require(best > 0.8 * first, "other numbers are better by a fifth")


def search_ends(runs: int) -> None:
    """U and the score of a told side, for intervals."""
    H, found = Intervals.on(0, 2**20 - 1), dict[tuple[int, float], float]()
    usual = TalliedLearner(H, Budget(1), horizon=T)
    first = usual.mechanism.threshold, int(usual.scores.values[0]) / UNITS
    for U, score in [first, *product((11, 12, 13), (2.0, 2.5, 3.5))]:
        learner = TalliedLearner(H, Budget(1), horizon=T, threshold=U)
        learner.scores = Scores(np.array([int(UNITS * score)]))
        games = product((1, 1000), (False, True), ("none", "late", "sleeper", "few"))
        means = [
            sum(interval_game(learner, seeded_generator(s), *game) for s in range(runs)) / runs
            for game in games
        ]
        found[U, score] = max(means)
        print(f"  U = {U}, score {score}: {max(means):.1f}", flush=True)
    require(min(found.values()) > 0.8 * found[first], "other numbers are better by a fifth")


def main(changes: int, runs: int) -> None:
    """A block for each class."""
    for name, H in classes():
        print(name, flush=True)
        search(H, changes, runs)
    print("intervals of 2^20 points", flush=True)
    search_ends(runs)


if __name__ == "__main__":
    changes, runs = (int(x) for x in sys.argv[1:]) if len(sys.argv) == 3 else (20, 10)
    main(changes, runs)
