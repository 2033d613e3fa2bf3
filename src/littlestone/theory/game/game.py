"""The online game between an adversary and a learner, its adversaries, and its transcript."""

from __future__ import annotations

import csv
import math
import random
from abc import ABC, abstractmethod
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass
from os import PathLike
from typing import Any, Generic

from littlestone.base.errors import (
    DeclarationError,
    RealizabilityError,
    TableError,
    require_generator,
    show_value,
)
from littlestone.base.markup import grid, tag
from littlestone.classes.base import Enumerable, HypothesisClass, require_class
from littlestone.points import Point
from littlestone.points.labels import require_label
from littlestone.rules import Hypothesis
from littlestone.theory.game.players import Player


class Adversary(ABC, Generic[Point]):
    """The learner's opponent in the online game: picks x_t, sees the prediction, reveals y_t."""

    endless: bool = False
    """Whether `next_point` never returns None.  A game then needs a number of rounds."""

    @abstractmethod
    def next_point(self) -> Point | None:
        """The point x_t of the next round; None if the adversary has no more points."""

    @abstractmethod
    def label(self, x: Point, prediction: int) -> int:
        """The label y_t of ``x``, which is the last point that `next_point` returned."""


class TreeAdversary(Adversary[Point]):
    """Walks down a tree that H shatters and contradicts the prediction in every round.

    The lower bound of lecture 5, Theorem 2: a shattered tree of depth LDim(H) forces **exactly
    LDim(H) mistakes, in as many rounds, on every deterministic learner**, and every branch agrees
    with a hypothesis of H.  Each node of the tree is the `mistake_point` of the version space.  The
    answer is the least label that is not predicted and keeps a tree as deep as needed.  The adversary
    is endless if LDim(H) is infinite, and plays no round if LDim(H) <= 0.

    >>> from littlestone.classes import Thresholds
    >>> adversary = TreeAdversary(Thresholds.on(0, 6))
    >>> adversary.next_point(), adversary.label(3, 0), adversary.next_point()
    (3, 1, 1)
    """

    def __init__(self, H: HypothesisClass[Point]) -> None:
        require_class(H)
        self.version_space = H
        self.depth_left = H.littlestone_dimension()
        self.endless = self.depth_left == math.inf

    def next_point(self) -> Point | None:
        # After an unnecessary mistake, the version space may have a larger dimension than the subtree;
        # the walk still ends at the leaf.
        return self.version_space.mistake_point() if self.depth_left > 0 else None

    def label(self, x: Point, prediction: int) -> int:
        V = self.version_space
        others = [y for y in range(V.labels) if y != prediction]
        if V.labels == 2:
            # Both labels keep a subtree, so the dimension, which may be slow, is not needed.
            y = others[0]
        else:
            least = self.depth_left - 1
            # At a mistake point at least two labels keep the subtree, so one of them differs from
            # the prediction.
            y = next(y for y in others if V.restrict(x, y).littlestone_dimension() >= least)
        self.version_space = V.restrict(x, y)
        self.depth_left -= 1
        return y


class RandomAdversary(Adversary[Point]):
    """Random points of the domain, labelled by one function of the class: realizable and endless.

    The function is ``target``, a hypothesis of H, if it is given.  Otherwise it is drawn from H.  If H
    is finite, the draw is uniform.  If H is infinite, each label is drawn uniformly from those that
    some remaining hypothesis gives, so one hypothesis agrees with all labels at every round.  ``rng``
    is the system's generator by default; give a seeded generator to repeat a simulation.

    Raises `DeclarationError` if H is empty or ``target`` is on another domain.

    >>> from littlestone.classes import Thresholds
    >>> H = Thresholds.on(0, 9)
    >>> RandomAdversary(H, rng=random.Random(0), target=H.hypothesis(4)).label(7, prediction=0)
    1
    """

    endless = True

    def __init__(
        self,
        H: HypothesisClass[Point],
        *,
        rng: random.Random | None = None,
        target: Hypothesis[Point] | None = None,
    ) -> None:
        require_class(H)
        if rng is not None:
            require_generator(rng)
        if H.is_empty() or (target is not None and target.domain != H.domain):
            raise DeclarationError(
                f"draw a target from {H}",
                found="it is empty" if target is None else "the given target is on another domain",
                fix="give a class with at least one hypothesis, and a target that is one of them",
            )
        self.version_space = H
        self.rng = random.SystemRandom() if rng is None else rng
        if target is None and isinstance(H, Enumerable) and H.size is not None:
            target = H.hypothesis(self.rng.randrange(H.size))
        self.target = target

    def next_point(self) -> Point:
        return self.version_space.domain.random_point(self.rng)

    def label(self, x: Point, prediction: int) -> int:
        if self.target is not None:
            return self.target(x)
        left = [self.version_space.restrict(x, y) for y in range(self.version_space.labels)]
        sizes = [V.size for V in left]
        known = [size for size in sizes if size is not None]
        if len(known) == len(left):
            # Labels drawn in proportion to the sizes are the labels of one uniform hypothesis.
            u = self.rng.randrange(sum(known))
            y = next(y for y in reversed(range(len(known))) if u < sum(known[y:]))
        else:
            possible = [y for y, V in enumerate(left) if not V.is_empty()]
            y = possible[self.rng.randrange(len(possible))] if len(possible) > 1 else possible[0]
        self.version_space = left[y]
        return y


class SequenceAdversary(Adversary[Point]):
    """An oblivious adversary: plays the pairs (x, y) of ``examples`` in order.

    Raises `DeclarationError` for a label that is not one of the ``labels`` numbers 0, 1, ...  The
    sequence need not agree with any hypothesis; a learner for the realizable game then raises
    `RealizabilityError`.

    >>> adversary = SequenceAdversary([("a", 1)])
    >>> adversary.next_point(), adversary.label("a", 0), adversary.next_point()
    ('a', 1, None)
    """

    def __init__(self, examples: Iterable[tuple[Point, int]], *, labels: int = 2) -> None:
        self._examples = tuple(examples)
        for _, y in self._examples:
            require_label(y, labels)
        self._played = 0

    def next_point(self) -> Point | None:
        if self._played == len(self._examples):
            return None
        return self._examples[self._played][0]

    def label(self, x: Point, prediction: int) -> int:
        self._played += 1
        return self._examples[self._played - 1][1]


class FileAdversary(SequenceAdversary[Any]):
    """Plays the rows of a CSV file in order: the columns of H and a label; a header is optional.

    Without a header, columns are in the order of ``H.domain.column_names``, and the label comes last.
    A header names the columns of H in any order, and the label by any other name.  The columns may hold
    any values; ``H.domain.encode_record`` maps each row to a point.  The file is a public game, not a
    private sample, so errors name its lines.  Raises `TableError` if the file cannot be read or has no
    row, for a header that does not name the columns, and for a row with other columns or a label that
    is not a number 0, ..., k.  The file is read once, at construction.
    """

    def __init__(self, path: str | PathLike[str], H: HypothesisClass[Any]) -> None:
        columns = H.domain.column_names
        examples = (
            (H.domain.encode_record(record), y) for record, y in _rows(path, columns, H.labels)
        )
        super().__init__(examples, labels=H.labels)


def _rows(
    path: str | PathLike[str], columns: Sequence[str], labels: int
) -> Iterator[tuple[Sequence[str], int]]:
    """The records and labels of a file."""
    asked = f"play the sequence {path}"
    legal = "0 or 1" if labels == 2 else f"one of 0..{labels - 1}"
    fix = f"give rows of {','.join(columns)},label with a label {legal}"
    known = set(map(str, range(labels)))
    rows, order = 0, list(range(len(columns) + 1))
    try:
        with open(path, newline="", encoding="utf-8-sig", errors="replace") as file:
            reader = csv.reader(file)
            for row in reader:
                if not row:
                    continue
                # A first line with a name in its last column is a header.
                if reader.line_num == 1 and row[-1].strip().isidentifier():
                    order = _order([cell.strip() for cell in row], columns)
                    if not order:
                        found = (
                            "its first line is a header that does not name the columns of the class"
                        )
                        raise TableError(asked, found=found, fix=fix)
                    continue
                if len(row) != len(order):
                    found = (
                        f"line {reader.line_num} has {len(row)} columns in place of {len(order)}"
                    )
                    raise TableError(asked, found=found, fix=fix)
                *record, label = [row[j] for j in order]
                if label.strip() not in known:
                    found = f"the label in line {reader.line_num} is {label!r}, not {legal}"
                    raise TableError(asked, found=found, fix=fix)
                rows += 1
                yield record, int(label)
    except (OSError, csv.Error) as error:
        raise TableError(asked, found=str(error), fix="give a readable CSV file") from None
    if rows == 0:
        raise TableError(asked, found="it has no rows", fix=fix)


def _order(header: list[str], columns: Sequence[str]) -> list[int]:
    """Where the columns stand in the header, and the label last; empty if it does not name them."""
    others = [j for j, name in enumerate(header) if name not in columns]
    if len(others) != 1 or sorted(name for name in header if name in columns) != sorted(columns):
        return []
    return [*map(header.index, columns), *others]


_SHOWN = 25  # rounds at each end of a long game


@dataclass(frozen=True)
class Round:
    """One round of the online game: the point, the prediction and the revealed label."""

    x: Any
    prediction: int
    y: int

    @property
    def mistake(self) -> bool:
        """Whether the prediction was wrong."""
        return self.prediction != self.y


@dataclass(frozen=True)
class Transcript:
    """The transcript of a game: its rounds in order, and whether it was interrupted.

    >>> Transcript((Round("a", 0, 1), Round("b", 1, 1))).mistakes
    1
    """

    rounds: tuple[Round, ...]
    interrupted: bool = False

    @property
    def mistakes(self) -> int:
        """The number of wrong predictions: sum_t 1[prediction_t != y_t]."""
        return sum(played.mistake for played in self.rounds)

    def __str__(self) -> str:
        """One line per round, then the number of mistakes."""
        lines = [
            f"{row['round']:>5}  {row['point']}: predicted {row['prediction']}, is {row['label']}"
            + ("  mistake" if played.mistake else "")
            for row, played in zip(self.table(), self.rounds, strict=True)
        ]
        ended = ", interrupted" if self.interrupted else ""
        made, played = self.mistakes, len(self.rounds)
        total = f"{made} mistake{'s' * (made != 1)} in {played} round{'s' * (played != 1)}"
        return "\n".join([*lines, f"{total}{ended}"])

    def _repr_html_(self) -> str:
        """The rounds as a table, for a notebook; of a long game the first and the last ones."""
        rows = [list(row.values()) for row in self.table()]
        if len(rows) > 2 * _SHOWN:
            rows = [*rows[:_SHOWN], ["..."] * len(rows[0]), *rows[-_SHOWN:]]
        headings = ["round", "point", "predicted", "label", "mistakes so far"]
        return grid(headings, rows) + tag("p", str(self).rpartition("\n")[2])

    def table(self, words: Callable[[Any], str] = str) -> list[dict[str, str | int]]:
        """The rounds as plain rows with the mistakes so far; ``words`` writes a point as text.

        For a class H, ``H.domain.words`` shows points as the values of their column.

        >>> Transcript((Round(7, 0, 1),)).table()
        [{'round': 1, 'point': '7', 'prediction': 0, 'label': 1, 'mistakes': 1}]
        """
        rows: list[dict[str, str | int]] = []
        mistakes = 0
        for number, played in enumerate(self.rounds, start=1):
            mistakes += played.mistake
            rows.append(
                {
                    "round": number,
                    "point": words(played.x),
                    "prediction": played.prediction,
                    "label": played.y,
                    "mistakes": mistakes,
                }
            )
        return rows


def play(
    learner: Player[Point], adversary: Adversary[Point], *, rounds: int | None = None
) -> Transcript:
    """Play the online game of lecture 5, section 4, and return its transcript.

    In every round t

    1. the adversary picks a point x_t,
    2. the learner predicts its label,
    3. the adversary, who has seen the prediction, reveals the label y_t, and the learner learns it.

    The game stops when the adversary has no more points, or after ``rounds`` rounds, whichever comes
    first.  Ctrl+C stops it too: the transcript of the rounds so far is then marked ``interrupted``, and
    the learner keeps what it has learned.

    Raises `DeclarationError` if ``rounds`` is not a whole number from 0 on, or is missing against an
    endless adversary.  Raises `RealizabilityError`, naming the round, if a label contradicts the
    learner's class.

    >>> from littlestone.classes import Points
    >>> from littlestone.points import Strings
    >>> from littlestone.theory.game import SequenceAdversary, StandardOptimalAlgorithm
    >>> learner = StandardOptimalAlgorithm(Points(Strings()))
    >>> play(learner, SequenceAdversary([("a", 0), ("b", 1), ("a", 0), ("b", 1)])).mistakes
    1
    """
    if rounds is None and adversary.endless:
        raise DeclarationError(
            "play until the adversary stops",
            found="this one never does",
            fix="give a number of rounds",
        )
    if rounds is not None and (type(rounds) is not int or rounds < 0):
        raise DeclarationError(
            f"play {show_value(rounds)} rounds",
            found="it is not a whole number of at least 0",
            fix="give a number such as 20",
        )
    played: list[Round] = []
    try:
        while rounds is None or len(played) < rounds:
            x = adversary.next_point()
            if x is None:
                break
            prediction = learner.predict(x)
            y = adversary.label(x, prediction)
            require_label(y, learner.labels)
            # A round ends when its label is revealed, so an interrupted update still counts as played.
            played.append(Round(x, prediction, y))
            learner.update(x, y)
    except KeyboardInterrupt:
        return Transcript(tuple(played), interrupted=True)
    except RealizabilityError as error:
        asked = f"play round {len(played)} and {error.asked}"
        raise RealizabilityError(asked, found=error.found, fix=error.fix) from error
    return Transcript(tuple(played))
