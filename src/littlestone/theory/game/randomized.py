"""The optimal randomized learner of a finite class, with its expected mistakes as fractions."""

from __future__ import annotations

import random
from fractions import Fraction
from math import lcm

from littlestone.base.errors import DeclarationError, require_generator
from littlestone.classes import FiniteClass
from littlestone.classes.base import require_class
from littlestone.points.labels import require_label
from littlestone.theory.game.players import DrawingPlayer, consistent
from littlestone.theory.game.variants import RandomizedGame


class RandomizedLearner(DrawingPlayer[str]):
    """Predicts a random label, such that no answer costs more than the value of the game.

    With V the version space, x asked, and t the worth of x in the `RandomizedGame` game, it predicts y
    with probability

        (1 + value(V|(x,y)) - t)_+.

    **Its expected mistakes are at most value(H), the fewest of all learners**: an answer y costs 1 less
    its probability, which with value(V|(x,y)) is at most t <= value(V).  For two labels the value is
    half of the largest average depth of a tree that H shatters (FHMM23, Theorem 1.2 and its proof).

    ``H`` is a nonempty finite class; ``rng`` draws, by default the system's generator.
    ``expected_mistakes`` adds up the chances of an error so far.  The first prediction solves the game,
    which takes as many steps as there are version spaces.

    >>> H = FiniteClass.from_array([[0, 0, 0], [0, 0, 1], [0, 1, 1]])
    >>> learner = RandomizedLearner(H)
    >>> learner.mistake_bound, learner.chances("x1")
    (Fraction(3, 4), (Fraction(3, 4), Fraction(1, 4)))
    >>> for x, y in [("x1", 0), ("x2", 1)]:
    ...     learner.update(x, y)
    >>> learner.expected_mistakes
    Fraction(3, 4)
    """

    method = "randomized"

    def __init__(self, H: FiniteClass, *, rng: random.Random | None = None) -> None:
        require_class(H)
        if not isinstance(H, FiniteClass):
            raise DeclarationError(
                f"play {H} with the learner {self.method}",
                found="it solves the game of a table, and this class is none",
                fix="give a table of labels, or use the standard optimal algorithm",
            )
        H.require_learnable()
        if rng is not None:
            require_generator(rng)
        self.version_space: FiniteClass = H
        self.labels = H.labels
        self._rng = random.SystemRandom() if rng is None else rng
        self._game = RandomizedGame.on(H)
        self._left = self._game.start
        self._number = {x: i for i, x in enumerate(H.domain.points)}
        self.mistake_bound = self._game.value()
        self.expected_mistakes = Fraction(0)

    def chances(self, x: str) -> tuple[Fraction, ...]:
        self.version_space.domain.require(x)
        after = self._game.after(self._left, self._game.board.answers[self._number[x]])
        return self._game.balance(self._game.values_after(self._left, after))

    def predict(self, x: str) -> int:
        chances = self.chances(x)
        whole = lcm(*(chance.denominator for chance in chances))
        u = self._rng.randrange(whole)
        return next(y for y in range(self.labels) if u < whole * sum(chances[: y + 1]))

    def update(self, x: str, y: int) -> None:
        require_label(y, self.labels)
        chances = self.chances(x)
        self.version_space = consistent(self.version_space, x, y)
        self._left &= self._game.board.answers[self._number[x]][y]
        self.expected_mistakes += 1 - chances[y]
