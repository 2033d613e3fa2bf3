"""Games over version spaces: their values, the trees that prove them, and a checker without search.

A `Board` has the questions of a class.  A `Game` says what is left of the class after an answer, and
what a question is worth to the adversary: lies, coins, bandits, apples, and who knows the questions.
Of the game with coins there is the optimal learner too, with its expected mistakes as fractions.
"""

from __future__ import annotations

import math
import random
from abc import ABC, abstractmethod
from collections.abc import Hashable, Iterator, Sequence
from dataclasses import dataclass
from fractions import Fraction
from functools import cache
from itertools import permutations
from math import comb, lcm
from typing import Any, ClassVar, Self

import numpy as np

from littlestone.base.errors import DeclarationError, TooLargeError, require_generator, show_value
from littlestone.base.work import count_search
from littlestone.classes import FiniteClass
from littlestone.classes.base import require_class
from littlestone.dimension import LabelTable
from littlestone.dimension.search.splits import look
from littlestone.points.labels import require_label
from littlestone.theory.game.players import DrawingPlayer, consistent

Value = int | Fraction
Known = Value | float | None
"""The value after an answer: infinite if the learner may wait for it, None if it is impossible."""

MOST_POSITIONS = 200_000


@dataclass(frozen=True)
class Board:
    """The questions of a class: ``answers[i][y]`` is the mask of the hypotheses that answer y to i.

    The masks of a question are disjoint.  A hypothesis in none of them is undefined there.
    ``questions[i]`` names the question, and ``alive`` is the mask of all hypotheses.
    """

    questions: tuple[Hashable, ...]
    answers: tuple[tuple[int, ...], ...]
    alive: int

    @classmethod
    def from_table(cls, table: Any, *, undefined: int | None = None) -> Self:
        """The board of a table of labels, with a question for each point (see `LabelTable.of`).

        If ``undefined`` is a label, hypotheses with that label at a point are undefined there: the
        table is a class of partial concepts.

        >>> Board.from_table([[0, 1], [1, 2]], undefined=2).answers
        ((1, 2), (0, 1))
        """
        H = LabelTable.of(table)
        labels = [y for y in range(H.labels) if y != undefined]
        masks = tuple(tuple(here.get(y, 0) for y in labels) for here in H.masks)
        return cls(tuple(range(len(masks))), masks, H.alive)

    @classmethod
    def from_reals(cls, table: Any, gap: float | Fraction) -> Self:
        """The board of real-valued functions, which asks whether f(x) <= v or f(x) >= v + gap.

        There is a question (x, v) for each value v that some function has at x.  Any other threshold
        gives no other pair of sides.

        >>> Board.from_reals([[0, 1], [2, 1], [3, 1]], 2).questions
        ((0, 0), (0, 2), (0, 3), (1, 1))
        """
        values = np.asarray(table)
        if values.ndim != 2 or not values.size or values.dtype.kind not in "biuf":
            found = f"its shape is {values.shape} and its entries are of type {values.dtype}"
        elif not (np.isfinite(values).all() and gap > 0):
            found = f"an entry is not finite, or the gap {show_value(gap)} is not positive"
        else:
            found = ""
        if found:
            raise DeclarationError(
                "read a table of real numbers",
                found=found,
                fix="give one row a function and one column a point, all finite, and a gap above 0",
            )
        rows = list(dict.fromkeys(map(tuple, values.tolist())))
        asked = [(x, v) for x in range(values.shape[1]) for v in sorted({row[x] for row in rows})]
        masks = tuple(
            (
                sum(1 << i for i, row in enumerate(rows) if row[x] <= v),
                # A float is a fraction, so the comparison is exact.
                sum(1 << i for i, row in enumerate(rows)
                    if Fraction(row[x]) - Fraction(v) >= Fraction(gap)),
            )
            for x, v in asked
        )  # fmt: skip
        return cls(tuple(asked), masks, (1 << len(rows)) - 1)


@dataclass(frozen=True)
class Play:
    """A tree of questions: what is asked, and what comes after each answer.

    ``below[y]`` is another tree, the number of a hypothesis that gives all answers on its path, or
    None if there is no such hypothesis.
    """

    asked: Any
    below: tuple[Play | int | None, ...]


class Game(ABC):
    """A game of a learner and an adversary over what is left of a class.

    Round by round, a question is asked, the learner predicts, and the adversary answers.  With the
    best play on both sides, the mistakes from a position V on are

        value(V) = max over the questions of settle(the values after the answers),

    and 0 without a question.  It is the minimum instead of the maximum if the learner asks.  The values
    of at most `MOST_POSITIONS` positions are kept; a game with more raises `TooLargeError`.
    """

    name: ClassVar[str]
    learner_asks: ClassVar[bool] = False

    def __init__(self, board: Board) -> None:
        self.board = board
        self._values: dict[Any, Value] = {}

    @classmethod
    def on(cls, table: Any) -> Self:
        """The game on a table of labels 0..k, one row a hypothesis and one column a point."""
        return cls(Board.from_table(table))

    @property
    def start(self) -> Any:
        """The position at the start."""
        return self.board.alive

    def rounds(self, position: Any) -> Iterator[tuple[Any, tuple[Any, ...]]]:
        """The questions that matter, each with the positions after its answers; None if impossible."""
        for i, masks in enumerate(self.board.answers):
            after = self.after(position, masks)
            if sum(below is not None for below in after) > 1:
                yield i, after

    def after(self, position: Any, masks: tuple[int, ...]) -> tuple[Any, ...]:
        """The positions after the answers to a question, whose masks of hypotheses are given."""
        return tuple(position & mask or None for mask in masks)

    @abstractmethod
    def settle(self, values: Sequence[Known]) -> Value:
        """What a question is worth, from the values after its answers; ValueError if nothing."""

    def most(self, position: Any) -> Value:
        """A bound by counting: the 2^d leaves of a tree of depth d are different hypotheses."""
        return self.count_left(position).bit_length() - 1

    def enough(self, position: Any) -> Value:
        """A bound of the value at which its search stops."""
        return self.most(position)

    def count_left(self, position: Any) -> int:
        """The number of hypotheses that are left."""
        left: int = position
        return left.bit_count()

    def value(self, position: Any = None) -> Value:
        """The mistakes from the position on, by default from the start."""
        position = self.start if position is None else position
        if position not in self._values:
            look()
            count_search(1 + len(self.board.answers) // 32)
            if len(self._values) >= MOST_POSITIONS:
                raise TooLargeError(
                    f"solve the {self.name} game of {self.count_left(self.start):,} hypotheses",
                    found=f"it has more than {MOST_POSITIONS:,} positions",
                    fix="give a smaller table",
                )
            best, pick = None, min if self.learner_asks else max
            most = None if self.learner_asks else self.enough(position)
            for _, after in self.rounds(position):
                worth = self.settle(self.values_after(position, after))
                best = worth if best is None else pick(best, worth)
                if best == most:
                    break
            self._values[position] = best or 0
        return self._values[position]

    def values_after(self, position: Any, after: tuple[Any, ...]) -> list[Known]:
        """The values after the answers.  An answer that changes nothing may be awaited."""
        return [
            None if below is None else math.inf if below == position else self.value(below)
            for below in after
        ]

    def tree(self, position: Any = None) -> Play | int:
        """The questions of the best play, which prove the value: see `proves`."""
        position = self.start if position is None else position
        value = self.value(position)
        for asked, after in self.rounds(position):
            if self.settle(known := self.values_after(position, after)) == value:
                # Where an answer changes nothing, the tree of another answer is one there too.
                other = max((y for y, v in enumerate(known) if v not in (None, math.inf)),
                            key=lambda y: known[y] or 0, default=0)  # fmt: skip
                below = [after[other] if below == position else below for below in after]
                return Play(asked, tuple(None if v is None else self.tree(v) for v in below))
        return self.hypothesis(position)

    def hypothesis(self, position: Any) -> int:
        """A hypothesis that is left."""
        mask: int = position
        return (mask & -mask).bit_length() - 1

    def proves(self, tree: Play | int) -> Value | None:
        """The value that a tree proves without any search; None if it is no tree of this game.

        It is a lower bound of the value, or an upper one if the learner asks.  Every leaf has to hold a
        hypothesis that gives the answers on its path.
        """
        leaves = list(_leaves(tree, ()))
        try:
            good = all(self.fits(h, path) for path, h in leaves) and self.is_whole(leaves)
            return _worth(self, tree) if good else None
        except (ValueError, IndexError, TypeError):
            return None

    def fits(self, h: int, path: Sequence[tuple[Any, int]]) -> bool:
        """Whether the hypothesis gives the answers of the path."""
        return bool(self.board.alive >> h & 1) and all(
            self.board.answers[asked][answer] >> h & 1 for asked, answer in path
        )

    def is_whole(self, leaves: Sequence[tuple[Sequence[tuple[Any, int]], int]]) -> bool:
        """Whether nothing is missing from a tree with these paths and leaves."""
        return True


def _leaves(
    tree: Play | int, path: tuple[tuple[Any, int], ...]
) -> Iterator[tuple[tuple[tuple[Any, int], ...], int]]:
    if isinstance(tree, Play):
        for answer, below in enumerate(tree.below):
            if below is not None:
                yield from _leaves(below, (*path, (tree.asked, answer)))
    else:
        yield path, tree


def _worth(game: Game, tree: Play | int | None) -> Value:
    if not isinstance(tree, Play):
        return 0
    return game.settle([None if below is None else _worth(game, below) for below in tree.below])


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
