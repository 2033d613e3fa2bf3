"""Lecture 5, section 4: thresholds on the natural numbers, which no finite class represents."""

from __future__ import annotations

import math

from littlestone.classes import Thresholds
from littlestone.prove.papers.statement import Outcome, Trial, statement
from littlestone.theory.game import Player, StandardOptimalAlgorithm, TreeAdversary, play


class Patient(Player[int]):
    """Predicts 0 until that is wrong at some x, and learns which of the cuts 0, ..., x it is then."""

    def __init__(self) -> None:
        self._then: StandardOptimalAlgorithm[int] | None = None
        self._first = 0

    def predict(self, x: int) -> int:
        # Past the first positive, every cut that is left gives the label 1.
        return 0 if self._then is None else self._then.predict(x) if x <= self._first else 1

    def update(self, x: int, y: int) -> None:
        if self._then is not None and x <= self._first:
            self._then.update(x, y)
        elif self._then is None and y:
            self._first = x
            self._then = StandardOptimalAlgorithm(Thresholds.on(0, x).restrict(x, 1))


def branches(H: Thresholds, examples: tuple[tuple[int, int], ...] = ()) -> list[tuple[int, float]]:
    """The length of each branch of H's mistake tree, and how many natural cuts label it, at most 1."""
    x = H.mistake_point()
    if x is None:
        lowest = max((x + 1 for x, y in examples if not y), default=0)
        highest = min((x for x, y in examples if y), default=math.inf)
        return [(len(examples), min(1, highest - lowest + 1))]
    point = int(x)
    return [
        branch for y in (0, 1) for branch in branches(H.restrict(point, y), (*examples, (point, y)))
    ]


@statement(
    id="L5 section 4, spoiler",
    says="thresholds on the natural numbers have trees of every depth, and no infinite one",
    code="classes.Thresholds, theory.game.TreeAdversary",
    scope="trees of depth 1 to 10; a learner, with first x = 2^j - 1 for j < 40 and at random",
    deep="trees up to depth 14",
    status="as stated",
    proof="proofs/infinite-trees.md",
)
def natural_thresholds(trial: Trial) -> Outcome:
    """Trees are on 0, ..., 2^n - 2.  A positive at x leaves x + 1 cuts, and so log2(x + 1) mistakes."""
    wrong, deepest = 0, trial.pick(10, 14)
    for n in range(1, deepest + 1):
        found = branches(Thresholds.on(0, 2**n - 2))
        wrong += len(found) != 2**n or set(found) != {(n, 1)}
    mistakes = []
    for j in range(40):
        x, learner = 2**j - 1, Patient()
        wrong += learner.predict(x)
        learner.update(x, 1)
        left = Thresholds.on(0, x).restrict(x, 1)
        mistakes.append(1 + play(learner, TreeAdversary(left)).mistakes)
    rng, most = trial.draws(3), 0
    for cut in range(200):
        learner, first, errors = Patient(), 0, 0
        for x in (rng.randrange(400) for _ in range(60)):
            y = int(x >= cut)
            if learner.predict(x) != y:
                first, errors = first or x, errors + 1
            learner.update(x, y)
        wrong += errors > (first + 1).bit_length()
        most = max(most, errors)
    return Outcome(
        "each branch is labelled by a natural cut; 1 + log2(x + 1) mistakes if x is the first",
        f"{wrong} failures in trees of depth 1 to {deepest}; mistakes from {mistakes[0]} to "
        f"{mistakes[-1]} by first x, and at most {most} on 200 random sequences",
        wrong == 0 and mistakes == list(range(1, 41)),
    )
