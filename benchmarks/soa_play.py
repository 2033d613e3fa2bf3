"""The standard optimal algorithm on classes of 10,000 hypotheses and 1,000 points.

Ours keeps one engine and what it learnt for the whole game; the alternative solves the version space
and its side anew in every round, by the same compiled engine.  The target and the points repeat by
their seed; a game ends when one hypothesis is left, or after ``ROUNDS`` rounds.
"""

from __future__ import annotations

import statistics
import time
from collections.abc import Callable, Iterator
from typing import NamedTuple

import numpy as np

from benchmarks.harness import Case, Contender, duration, require
from littlestone.classes import FiniteClass
from littlestone.dimension.solver import littlestone_dimension
from littlestone.families import Table
from littlestone.families import table as named
from littlestone.online import StandardOptimalAlgorithm

ROUNDS = 40
GAMES = 5  # for the figures of one round


class Game(NamedTuple):
    """Mistakes, and the predictions in their order."""

    mistakes: int
    predictions: list[int]


CLASSES: dict[str, tuple[Callable[[], Table], int]] = {
    "random table, density .5": (lambda: named("random", 10_000, 1000, 50, 1), 13),
    "random table, density .2": (lambda: named("random", 10_000, 1000, 20, 1), 9),
    "Hamming balls": (lambda: named("all_balls", 10)[:10_000, :1000], 11),
}


def cases() -> Iterator[Case]:
    """The first dimension, and a whole game."""
    littlestone_dimension(named("random", 512, 512, 50, 1))  # loads the kernels, or compiles them
    for title, (make, dimension) in CLASSES.items():
        table = np.unique(make(), axis=0)
        shape = f"{len(table):,} x {table.shape[1]:,}"

        def first(table: Table = table) -> int:
            return FiniteClass.from_array(table).littlestone_dimension()

        def right(answer: int, dimension: int = dimension) -> None:
            require(answer == dimension, f"{answer} is not {dimension}")

        yield Case(
            f"the first dimension, {title}, {shape}",
            Contender("class made and solved", first, right),
            repeats=3,
        )
        target, points = sequence(table, 0)
        expected = solved_anew(table, target, points)

        def same(game: Game, expected: Game = expected, dimension: int = dimension) -> None:
            require(game.mistakes <= dimension, f"{game.mistakes} mistakes of {dimension}")
            require(game == expected, "the predictions differ")

        def ours(table: Table = table, target: int = target, points: list[int] = points) -> Game:
            return kept(FiniteClass.from_array(table), table, target, points, [])

        def other(table: Table = table, target: int = target, points: list[int] = points) -> Game:
            return solved_anew(table, target, points)

        yield Case(
            f"a game with its first dimension, {len(points)} rounds, {title}, {shape}",
            Contender("one engine for the game", ours, same),
            [Contender("solved anew every round", other, same)],
            repeats=3,
            notes=[f"{title}, {shape}: {figures(table, dimension)}"],
        )


def sequence(table: Table, seed: int) -> tuple[int, list[int]]:
    """A target and points, until the points tell it from the others."""
    rng = np.random.default_rng([11, seed])
    target, alive = int(rng.integers(len(table))), np.ones(len(table), bool)
    points: list[int] = []
    while alive.sum() > 1 and len(points) < ROUNDS:
        points.append(int(rng.integers(table.shape[1])))
        alive &= table[:, points[-1]] == table[target, points[-1]]
    return target, points


def kept(
    H: FiniteClass, table: Table, target: int, points: list[int], seconds: list[float]
) -> Game:
    """Play; append the seconds of every round, prediction and update."""
    learner, predictions, mistakes = StandardOptimalAlgorithm(H), [], 0
    for x in points:
        y = int(table[target, x])
        start = time.perf_counter()
        predictions.append(learner.predict(f"x{x}"))
        learner.update(f"x{x}", y)
        seconds.append(time.perf_counter() - start)
        mistakes += predictions[-1] != y
    return Game(mistakes, predictions)


def solved_anew(table: Table, target: int, points: list[int]) -> Game:
    """The same game, with a solve of V and one of V|(x,0) in every round."""
    predictions, mistakes = [], 0
    for x in points:
        y, zeros = int(table[target, x]), table[table[:, x] == 0]
        keeps = len(zeros) > 0 and littlestone_dimension(zeros) == littlestone_dimension(table)
        predictions.append(0 if keeps else 1)
        mistakes += predictions[-1] != y
        target = int((table[:target, x] == y).sum())
        table = table[table[:, x] == y]
    return Game(mistakes, predictions)


def figures(table: Table, dimension: int) -> str:
    """Seconds of one round after the first dimension, over some games on one class."""
    H = FiniteClass.from_array(table)
    H.littlestone_dimension()
    seconds: list[float] = []
    for seed in range(1, GAMES + 1):
        mistakes = kept(H, table, *sequence(table, seed), seconds).mistakes
        require(mistakes <= dimension, f"{mistakes} mistakes of {dimension}")
    middle, tenth, most = statistics.median(seconds), np.quantile(seconds, 0.9), max(seconds)
    return (
        f"one round of {len(seconds)} in {GAMES} games: median {duration(middle)}, "
        f"nine in ten below {duration(float(tenth))}, the longest {duration(most)}"
    )
