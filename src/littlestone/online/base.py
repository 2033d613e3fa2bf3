"""The one interface of an online learner, and what every learner refuses."""

from __future__ import annotations

from abc import ABC, abstractmethod
from typing import Any, Generic, TypeVar

from littlestone.classes.base import HypothesisClass
from littlestone.domains import Point
from littlestone.errors import RealizabilityError
from littlestone.hypotheses import Hypothesis
from littlestone.labels import require_label

Class = TypeVar("Class", bound=HypothesisClass[Any])


class Player(ABC, Generic[Point]):
    """Who sees x_t, predicts a label and is told y_t in the online game (lecture 5, section 4).

    A player has state: `update` is the only method that changes it, and one that raises has
    changed nothing.
    """

    labels: int = 2
    """The number k + 1 of the labels 0, ..., k of the game."""

    @abstractmethod
    def predict(self, x: Point) -> int:
        """The guess for the label of ``x``; changes nothing."""

    @abstractmethod
    def update(self, x: Point, y: int) -> None:
        """Learn that the label of ``x`` is ``y``."""


class OnlineLearner(Player[Point]):
    """A player that follows a hypothesis."""

    @property
    @abstractmethod
    def hypothesis(self) -> Hypothesis[Point]:
        """The current function: the one that `predict` follows until the next `update`."""


def consistent(version_space: Class, x: Any, y: int) -> Class:
    """The version space V|(x,y), once it is known to be nonempty.

    Raises `DeclarationError` if y is no label, and `RealizabilityError` if no hypothesis of V gives
    ``x`` the label ``y``.

    >>> from littlestone.classes import Thresholds
    >>> consistent(Thresholds.on(0, 9), 4, 1).size
    5
    """
    require_label(y, version_space.labels)
    kept = version_space.restrict(x, y)
    if kept.is_empty():
        raise RealizabilityError(
            f"learn that {version_space.domain.words(x)!r} has the label {y}",
            found="every hypothesis that agrees with the examples before gives it another label",
            fix="declare a larger class, correct the label, or use a learner for the agnostic "
            "setting, in which labels may be wrong",
        )
    return kept
