"""What confirmed keys say about a class: what to publish and which keys to watch, all public."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Iterable
from fractions import Fraction
from typing import Any

from littlestone.privacy.mechanisms.streams.confirmation import Watch
from littlestone.rules import Hypothesis

UNLIKELY = 16
"""A key that no remaining hypothesis supports is this many times less likely to hit by itself."""


class Knowledge(ABC):
    """The confirmed keys, the hypothesis that they publish, and the keys to watch; all public."""

    @property
    @abstractmethod
    def published(self) -> Hypothesis[Any]:
        """The majority of the hypotheses that contradict the fewest confirmations."""

    @abstractmethod
    def key(self, x: Any, y: int) -> int | None:
        """The key that the mistake (x, y) names; None for no key."""

    @abstractmethod
    def confirm(self, keys: Iterable[int], step: int) -> bool:
        """Take confirmed keys, and watch anew from ``step`` on; whether all counts are forgotten."""

    @abstractmethod
    def watched(self, threshold: int, more: int) -> dict[int, Watch]:
        """The keys to watch, each at ``threshold``, or ``more`` if no hypothesis left supports it."""


class Asked(ABC):
    """What a class is asked: its keys, and how many of them a run may touch."""

    keys: int
    """The number of keys."""

    spread: Fraction
    """The most epochs of keys that may hit without a record, on a realizable stream."""

    watched: int
    """The most keys that are watched at a time."""

    theorem: str

    @property
    @abstractmethod
    def touched(self) -> int:
        """The most epochs of keys that have records on a realizable stream, if each hit has one."""

    @abstractmethod
    def begin(self) -> Knowledge:
        """Nothing is confirmed yet."""
