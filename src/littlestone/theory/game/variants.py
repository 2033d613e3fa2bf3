"""The games whose values are dimensions: lies, coins, bandits, apples, and who knows the questions.

Of the game with coins there is the optimal learner too, with its expected mistakes as fractions.
"""

from __future__ import annotations

import random
from collections.abc import Iterator, Sequence
from fractions import Fraction
from functools import cache
from itertools import permutations
from math import comb, lcm
from typing import Any, Self

from littlestone.base.errors import DeclarationError, require_generator, show_value
from littlestone.classes import FiniteClass
from littlestone.classes.base import require_class
from littlestone.points.labels import require_label
from littlestone.theory.game.players import DrawingPlayer, consistent
from littlestone.theory.game.values import Board, Game, Known, Value


class LenientGame(Game):
    """The online game in which the best hypothesis errs at most ``errors`` times: k-realizable labels.

        value(W) = max over x of 1 + the second largest of value(W after y), y a label,

    where W has, for each hypothesis, the errors that it may still make.  Without errors it is the
    Littlestone dimension; on the boards of partial concepts and of real functions, the dimension of
    AHHM21 and the sequential fat-shattering dimension of RST15.  With errors it is the k-Littlestone
    dimension of FHMM23.  The deterministic learner that predicts the label of the largest value makes
    at most that many mistakes.

    >>> thresholds = [[0, 0, 0], [0, 0, 1], [0, 1, 1], [1, 1, 1]]
    >>> [LenientGame.on(thresholds, errors=k).value() for k in range(3)]
    [2, 4, 6]
    >>> LenientGame(Board.from_table([[0, 2], [2, 1], [1, 0]], undefined=2)).value()  # partial concepts
    1
    >>> reals = [[0, 0.5], [1, 0], [0.5, 1]]
    >>> [LenientGame(Board.from_reals(reals, gap)).value() for gap in (0.25, 0.75, 1.25)]
    [1, 1, 0]
    """

    name = "lenient"

    def __init__(self, board: Board, errors: int = 0) -> None:
        if type(errors) is not int or not 0 <= errors <= _MOST_ERRORS:
            raise DeclarationError(
                f"allow {show_value(errors)} errors",
                found=f"it is not a whole number from 0 to {_MOST_ERRORS}",
                fix="give a small number, such as 1",
            )
        super().__init__(board)
        self.errors = errors

    @classmethod
    def on(cls, table: Any, errors: int = 0) -> Self:
        return cls(Board.from_table(table), errors)

    @property
    def start(self) -> tuple[int, ...]:
        """For each number of errors, the mask of the hypotheses that made so many."""
        return (self.board.alive, *[0] * self.errors)

    def after(self, position: Any, masks: tuple[int, ...]) -> tuple[Any, ...]:
        found = []
        for right in masks:
            wrong = sum(masks) & ~right  # the masks are disjoint, so their sum is their union
            erred = [0, *(made & wrong for made in position[:-1])]
            kept = tuple(made & right | more for made, more in zip(position, erred, strict=True))
            found.append(kept if any(kept) else None)
        return tuple(found)

    def settle(self, values: Sequence[Known]) -> Value:
        *_, second, _ = sorted(value for value in values if value is not None)
        return 1 + int(second)

    def most(self, position: Any) -> Value:
        return _deepest(self.count_left(position), self.errors)

    def count_left(self, position: Any) -> int:
        return sum(made.bit_count() for made in position)

    def hypothesis(self, position: Any) -> int:
        return super().hypothesis(next(made for made in position if made))

    def fits(self, h: int, path: Sequence[tuple[Any, int]]) -> bool:
        masks = [(sum(self.board.answers[x]), self.board.answers[x][y]) for x, y in path]
        return (
            bool(self.board.alive >> h & 1)
            and all(defined >> h & 1 for defined, _ in masks)
            and sum(not mask >> h & 1 for _, mask in masks) <= self.errors
        )


_MOST_ERRORS = 100


@cache
def _deepest(hypotheses: int, errors: int) -> int:
    """The largest d with 2^d <= N sum_(i <= k) C(d, i): a hypothesis fits so many leaves at depth d."""
    d = 0
    while 2 ** (d + 1) <= hypotheses * sum(comb(d + 1, i) for i in range(errors + 1)):
        d += 1
    return d


class RandomizedGame(Game):
    """The online game against a learner that draws its predictions, as FHMM23 define it.

        value(V) = max over x of the t with sum over labels y of (1 + value(V|(x,y)) - t)_+ = 1,

    over the labels that some hypothesis gives.  For two labels, value(V) = E(V) / 2 with

        E(V) = max over the x that split V of 1 + (E(V0) + E(V1)) / 2,

    the largest average depth of a shattered tree.  No learner expects fewer mistakes against every
    adversary, and `RandomizedLearner` expects no more.

    >>> thresholds = [[0, 0, 0], [0, 0, 1], [0, 1, 1], [1, 1, 1]]
    >>> game = RandomizedGame.on(thresholds[:3])
    >>> game.value(), game.tree(), game.proves(game.tree())
    (Fraction(3, 4), Play(asked=1, below=(Play(asked=2, below=(0, 1)), 2)), Fraction(3, 4))
    """

    name = "randomized"

    def settle(self, values: Sequence[Known]) -> Value:
        sums, found, known = Fraction(0), [], [Fraction(v) for v in values if v is not None]
        if len(known) < 2:
            raise ValueError("a question with one answer")
        # Of the j largest values alone, t = 1 + (their sum - 1) / j; the true t is the largest.
        for j, value in enumerate(sorted(known, reverse=True), start=1):
            sums += value
            found.append(1 + (sums - 1) / j)
        return max(found)

    def balance(self, values: Sequence[Known]) -> tuple[Fraction, ...]:
        """The probability of predicting each label, so that every answer costs the same or less.

        >>> RandomizedGame.on([[0]]).balance([0, Fraction(1, 2)])
        (Fraction(1, 4), Fraction(3, 4))
        """
        if sum(value is not None for value in values) == 1:
            return tuple(Fraction(int(value is not None)) for value in values)
        t = self.settle(values)
        room = (None if value is None else 1 + Fraction(value) - t for value in values)
        return tuple(
            chance if chance is not None and chance > 0 else Fraction(0) for chance in room
        )

    def most(self, position: Any) -> Value:
        size, labels = self.count_left(position), max(map(len, self.board.answers))
        # The average depth of a binary tree is at most log2 of the number of its leaves.
        return Fraction((size - 1).bit_length(), 2) if labels == 2 else super().most(position)


class BanditGame(Game):
    """The online game in which the learner hears only whether its prediction was right.

        value(V) = max over x of 1 + min over labels p of value({h in V: h(x) != p}),

    -1 if nothing is left: the bandit Littlestone dimension of DSBS11.  With two labels, it is the
    Littlestone dimension.

    >>> constants = [[0], [1], [2], [3]]
    >>> BanditGame.on(constants).value(), LenientGame.on(constants).value()
    (3, 1)
    """

    name = "bandit"

    def rounds(self, position: Any) -> Iterator[tuple[Any, tuple[Any, ...]]]:
        for i, masks in enumerate(self.board.answers):
            if sum(bool(position & mask) for mask in masks) > 1:
                yield i, tuple(position & (sum(masks) & ~mask) or None for mask in masks)

    def settle(self, values: Sequence[Known]) -> Value:
        if None in values:
            raise ValueError("a prediction that is always right")
        return 1 + int(min(value for value in values if value is not None))

    def most(self, position: Any) -> Value:
        return self.count_left(position) - 1

    def fits(self, h: int, path: Sequence[tuple[Any, int]]) -> bool:
        """Whether every prediction of the path is wrong for the hypothesis."""
        asked = [(self.board.answers[x], p) for x, p in path]
        return bool(self.board.alive >> h & 1) and all(
            sum(masks) & ~masks[p] & 1 << h for masks, p in asked
        )


class AppleGame(Game):
    """The online game of two labels in which the true one is shown only if 1 is predicted.

        value(V) = max over the x that split V of 1 + value(V|(x,0)).

    It is the number of mistakes of the best deterministic learner if no number of rounds is known.
    The adversary asks x until 1 is predicted, and says 0.  The learner predicts 1 until it knows
    better.  The tree is a path on which each x is 1 for a hypothesis that is 0 before: the apple tree
    of width 1 of RSRT24.

    >>> singletons = [[0, 0, 0], [1, 0, 0], [0, 1, 0], [0, 0, 1]]
    >>> AppleGame.on(singletons).value(), LenientGame.on(singletons).value()
    (3, 1)
    """

    name = "apple"

    def __init__(self, board: Board) -> None:
        if any(len(masks) != 2 for masks in board.answers):
            raise DeclarationError(
                "taste apples",
                found="there are more than two labels",
                fix="give a table of 0s and 1s",
            )
        super().__init__(board)

    def settle(self, values: Sequence[Known]) -> Value:
        zero, one = values
        if zero is None or one is None:
            raise ValueError("a question with one answer")
        return 1 + int(zero)

    def most(self, position: Any) -> Value:
        return self.count_left(position) - 1


class SelfDirectedGame(Game):
    """The online game in which the learner chooses the next point, until all points are labelled.

        value(V) = min over the x that split V of max(the largest, 1 + the second largest)
                   of value(V|(x,y)), y a label.

    The points are those of the table, and the learner knows them (DH24, after Goldman and Sloan).  The
    tree is the learner's: it says which point to choose next, and every hypothesis has its own leaf.

    >>> thresholds = [[int(x >= t) for x in range(7)] for t in range(8)]
    >>> SelfDirectedGame.on(thresholds).value(), LenientGame.on(thresholds).value()
    (1, 3)
    """

    name = "self-directed"
    learner_asks = True

    def __init__(self, board: Board) -> None:
        super().__init__(board)
        _require_total(board, "choose the points")

    def settle(self, values: Sequence[Known]) -> Value:
        return _either(values)

    def is_whole(self, leaves: Sequence[tuple[Sequence[tuple[Any, int]], int]]) -> bool:
        """Whether every hypothesis has a leaf."""
        return sum(1 << h for h in {h for _, h in leaves}) == self.board.alive


class TransductiveGame(Game):
    """The online game in which the adversary announces all points, in their order, at the start.

    For an announced order, value(V) is that of the points after the first one, x, if V has one label
    there, and otherwise

        max(the largest, 1 + the second largest) of value(V|(x,y)), y a label.

    The value is the largest over all orders (Ben-David, Kushilevitz and Mansour; HMS23).  The tree
    begins with the order.  For n different columns n! orders are tried, until one reaches the
    Littlestone dimension.

    >>> table = [[0, 0, 0], [0, 0, 1], [0, 1, 1], [1, 1, 1]]
    >>> game = TransductiveGame.on(table)
    >>> game.value(), game.tree().asked
    (2, (1, 0, 2))
    """

    name = "transductive"

    def __init__(self, board: Board) -> None:
        super().__init__(board)
        _require_total(board, "announce the points")
        # Points that divide the hypotheses alike need not be asked twice.
        alike = {frozenset(masks): i for i, masks in enumerate(board.answers)}
        self.points = tuple(sorted(i for masks, i in alike.items() if board.alive not in masks))

    @property
    def start(self) -> tuple[int, tuple[int, ...] | None]:
        """The hypotheses that are left, and the points that are to come; None before they are known."""
        return self.board.alive, None

    def rounds(self, position: Any) -> Iterator[tuple[Any, tuple[Any, ...]]]:
        V, order = position
        if order is None:
            for order in permutations(self.points):
                yield order, ((V, order),)
        elif order:
            x, *later = order
            masks = self.board.answers[x]
            yield x, tuple((V & mask, tuple(later)) if V & mask else None for mask in masks)

    def settle(self, values: Sequence[Known]) -> Value:
        return _either(values)

    def enough(self, position: Any) -> Value:
        announced = position[1] is not None
        return self.most(position) if announced else LenientGame(self.board).value()

    def count_left(self, position: Any) -> int:
        return super().count_left(position[0])

    def hypothesis(self, position: Any) -> int:
        return super().hypothesis(position[0])

    def fits(self, h: int, path: Sequence[tuple[Any, int]]) -> bool:
        """Whether the hypothesis gives the answers of a path that asks the announced points."""
        (order, _), *steps = path
        return tuple(x for x, _ in steps) == order and super().fits(h, steps)


def _either(values: Sequence[Known]) -> Value:
    """The learner predicts the label of the largest value."""
    *others, largest = sorted(value for value in values if value is not None)
    return max(int(largest), 1 + int(others[-1])) if others else int(largest)


def _require_total(board: Board, what: str) -> None:
    if any(board.alive & ~sum(masks) for masks in board.answers):
        raise DeclarationError(
            what,
            found="some hypotheses are undefined at a point",
            fix="give a table that has a label everywhere",
        )


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
