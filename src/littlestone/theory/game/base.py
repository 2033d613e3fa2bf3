"""The interface of an online learner, and the checks that all learners share."""

from __future__ import annotations

from abc import ABC, abstractmethod
from typing import Any, Generic, Self, TypeVar

from littlestone.base.errors import RealizabilityError
from littlestone.classes.base import HypothesisClass
from littlestone.points import Point
from littlestone.points.labels import require_label
from littlestone.rules import Hypothesis

Class = TypeVar("Class", bound=HypothesisClass[Any])


class Player(ABC, Generic[Point]):
    """A player that sees x_t, predicts a label and learns y_t in the online game.

    See lecture 5, section 4.  A player has state.  Only `update` changes it, and an `update` that
    raises changes nothing.
    """

    method: str = ""
    """Its name for `littlestone theory play`; empty if it is not played there."""

    labels: int = 2
    """The number k + 1 of the labels 0, ..., k of the game."""

    @classmethod
    def made(cls, H: HypothesisClass[Point], *, rounds: int | None) -> Self:
        """The learner of H for a game of that many rounds, or until the adversary stops."""
        return cls(H)  # type: ignore[call-arg]

    @abstractmethod
    def predict(self, x: Point) -> int:
        """Predict the label of ``x``; this changes nothing."""

    @abstractmethod
    def update(self, x: Point, y: int) -> None:
        """Learn that the label of ``x`` is ``y``."""


class OnlineLearner(Player[Point]):
    """A player that predicts with a hypothesis."""

    @property
    @abstractmethod
    def hypothesis(self) -> Hypothesis[Point]:
        """The current function, which `predict` uses until the next `update`."""


def consistent(version_space: Class, x: Any, y: int) -> Class:
    """The version space V|(x,y), checked to be nonempty.

    Raises `DeclarationError` if y is not a label, and `RealizabilityError` if no hypothesis of V gives
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
            fix="declare a larger class, or correct the label: the game needs one hypothesis that "
            "agrees with all labels",
        )
    return kept
