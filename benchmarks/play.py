"""Rounds of the online game: the standard optimal algorithm beside halving, one random adversary.

Points and target repeat by their seed, so both learners see the same sequence.  Classes are made
anew for every game: nothing is remembered from the one before.
"""

from __future__ import annotations

import random
from collections.abc import Callable, Iterator
from typing import Any

import numpy as np

from benchmarks.harness import Case, Contender, require
from littlestone.classes import FiniteClass, HypothesisClass, Thresholds
from littlestone.online import (
    Halving,
    OnlineLearner,
    RandomAdversary,
    StandardOptimalAlgorithm,
    Transcript,
    play,
)

ROUNDS = 2000
TABLE = np.random.default_rng(5).integers(0, 2, size=(200, 50))
CLASSES: dict[str, Callable[[], HypothesisClass[Any]]] = {
    "thresholds on 2^64 points": lambda: Thresholds.on(0, 2**64 - 1),
    "random table, 200 x 50": lambda: FiniteClass.from_array(TABLE),
}


def cases() -> Iterator[Case]:
    """A structured and a tabulated class."""
    for title, make in CLASSES.items():
        H = make()
        dimension, most = H.littlestone_dimension(), (H.size or 0).bit_length() - 1
        yield Case(
            f"one round of {ROUNDS:,}, {title}",
            Contender(
                "standard optimal algorithm",
                game(make, StandardOptimalAlgorithm),
                at_most(dimension),
            ),
            [Contender("halving", game(make, Halving), at_most(most))],
            operations=ROUNDS,
        )


def game(
    make: Callable[[], HypothesisClass[Any]],
    learner: Callable[[HypothesisClass[Any]], OnlineLearner[Any]],
) -> Callable[[], Transcript]:
    """Make the class and play the game."""

    def run() -> Transcript:
        H = make()
        return play(learner(H), RandomAdversary(H, rng=random.Random(6)), rounds=ROUNDS)

    return run


def at_most(mistakes: int | float) -> Callable[[Transcript], None]:
    """The check that the learner keeps its promise."""

    def check(transcript: Transcript) -> None:
        require(len(transcript.rounds) == ROUNDS, f"{len(transcript.rounds)} rounds")
        require(transcript.mistakes <= mistakes, f"{transcript.mistakes} mistakes of {mistakes}")

    return check
