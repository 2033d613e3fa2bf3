"""The one interface of an online learner, and what every learner refuses."""

from __future__ import annotations

from abc import ABC, abstractmethod
from typing import Any, Generic, TypeVar

from littlestone.classes.base import HypothesisClass
from littlestone.domains import Point
from littlestone.errors import DeclarationError, RealizabilityError
from littlestone.hypotheses import Hypothesis

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
    """A learner in the online game of the labels 0 and 1, which follows a hypothesis."""

    @property
    @abstractmethod
    def hypothesis(self) -> Hypothesis[Point]:
        """The current function: the one that `predict` follows until the next `update`."""


def require_label(y: object, labels: int = 2) -> None:
    """Raise `DeclarationError` unless ``y`` is one of the ``labels`` numbers 0, 1, ...

    >>> require_label(1)
    """
    if y not in range(labels):
        legal = "0 or 1" if labels == 2 else f"one of 0..{labels - 1}"
        raise DeclarationError(
            "use an object as a label",
            found=f"a label is {legal}",
            fix=f"give {legal}",
        )


def consistent(version_space: Class, x: Any, y: int) -> Class:
    """The version space V|(x,y), once it is known to be nonempty.

    Raises `DeclarationError` if y is no label, and `RealizabilityError` if no hypothesis of V gives
    ``x`` the label ``y``.

    >>> from littlestone.classes import Thresholds
    >>> consistent(Thresholds.on(0, 9), 4, 1).size
    5
    """
    require_label(y)
    kept = version_space.restrict(x, y)
    if kept.is_empty():
        raise RealizabilityError(
            f"learn that {version_space.domain.words(x)!r} has the label {y}",
            found="every hypothesis that agrees with the examples before gives it the other label",
            fix="declare a larger class, correct the label, or use a learner for the agnostic "
            "setting, in which labels may be wrong",
        )
    return kept
