"""Games over version spaces: their values, the trees that prove them, and a checker without search.

A `Board` has the questions of a class.  A `Game` says what is left of the class after an answer, and
what a question is worth to the adversary.  Its games are in `variants`.
"""

from __future__ import annotations

import math
from abc import ABC, abstractmethod
from collections.abc import Hashable, Iterator, Sequence
from dataclasses import dataclass
from fractions import Fraction
from typing import Any, ClassVar, Self

import numpy as np

from littlestone.base.errors import DeclarationError, TooLargeError, show_value
from littlestone.base.work import count_search
from littlestone.dimension import LabelTable
from littlestone.dimension.search.splits import look

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
