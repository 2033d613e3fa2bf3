"""The online game, the majority vote and the SOA (lecture 5, section 4)."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from littlestone.classes import HypothesisClass
from littlestone.learn.papers.boxes.base import box
from littlestone.theory.game.players import consistent

Predict = Callable[[HypothesisClass[Any], Any], int]
"""A guess from the version space and a point."""


@box("L5 section 4, game")
def online_game(
    H: HypothesisClass[Any],
    predict: Predict,
    ask: Callable[[HypothesisClass[Any]], Any],
    answer: Callable[[HypothesisClass[Any], Any, int], int],
) -> int:
    """The number of mistakes until the adversary P_A asks no more (None).

    promise: some hypothesis of H agrees with all labels
    found: kept: a label that leaves no hypothesis is refused
    ours: theory.game.play
    """
    V, mistakes = H, 0
    # 1. The adversary picks a point x_t.
    while (x := ask(V)) is not None:
        guess = predict(V, x)  # 2. The learner guesses a value.
        y = answer(V, x, guess)  # 3. The adversary chooses y_t = h(x_t) for some consistent h.
        V = consistent(V, x, y)
        mistakes += guess != y
    return mistakes


@box("L5 section 4, halving")
def halving(V: HypothesisClass[Any], x: object, *, tie: int = 0) -> int:
    """The label of the majority vote of the consistent hypotheses; a tie is not said, so ``tie``.

    promise: at most log |H| mistakes
    found: kept for either label of ties, against every adversary
    ours: theory.game.Halving
    """
    votes = [V.restrict(x, y).size or 0 for y in (0, 1)]
    return tie if votes[0] == votes[1] else int(votes[1] > votes[0])


@box("L5 Definition 6")
def soa(V: HypothesisClass[Any], x: object, *, tie: int = 0) -> int:
    """argmax_y Ldim(V^y), V^y = {h in V : h(x) = y}; a tie is not said, so ``tie``.

    promise: at most Ldim(H) mistakes
    found: kept for either label of ties, against every adversary
    ours: theory.game.StandardOptimalAlgorithm
    """
    size = [V.restrict(x, y).littlestone_dimension() for y in (0, 1)]
    return tie if size[0] == size[1] else int(size[1] > size[0])
