"""The online game between an adversary and a learner, and its transcript."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

from littlestone.base.errors import DeclarationError, RealizabilityError, shown
from littlestone.base.markup import grid, tag
from littlestone.points import Point
from littlestone.points.labels import require_label
from littlestone.theory.game.adversaries import Adversary
from littlestone.theory.game.base import Player

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
            f"play {shown(rounds)} rounds",
            found="the number is not a whole one from 0 on",
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
