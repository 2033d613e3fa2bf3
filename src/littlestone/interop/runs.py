"""The run of a model that learns from a stream, and what its copies and clones keep."""

from __future__ import annotations

import os
from dataclasses import dataclass
from typing import Any, NoReturn

from littlestone.base.errors import DeclarationError
from littlestone.learn.stream import DurableStream, PrivateStream
from littlestone.rules import Hypothesis


class Original:
    """The run of a model that learns; every kind of copying makes a `Copy` of it."""

    def __init__(self, run: DurableStream[PrivateStream[Any]]) -> None:
        self._run, self._process = run, os.getpid()

    @property
    def hypothesis(self) -> Hypothesis[Any]:
        """The published rule."""
        return self._run.stream.hypothesis

    @property
    def published_at(self) -> int:
        """The number of records before the publication."""
        return self._run.stream.published_at

    def update(self, x: Any, y: int, unit: object) -> None:
        """Learn from the next example, which is of this unit if the run protects units.

        Raises `DeclarationError` in a forked process.
        """
        if os.getpid() != self._process:  # a fork copies too
            _refuse_to_learn()
        self._run.take([(x, y)], units=None if self._run.units is None else [unit])

    def __reduce__(self) -> tuple[object, ...]:
        return Copy, (self.hypothesis, self.published_at)


@dataclass(frozen=True)
class Copy:
    """What a copy keeps of a run: the published rule and nothing secret."""

    hypothesis: Hypothesis[Any]
    published_at: int

    def update(self, x: Any, y: int, unit: object) -> None:
        """Raise `DeclarationError`."""
        _refuse_to_learn()


@dataclass(frozen=True)
class FrozenRun:
    """What a clone that cannot pay keeps of its original: it takes records but learns nothing."""

    hypothesis: Hypothesis[Any]
    published_at: int

    def update(self, x: Any, y: int, unit: object) -> None:
        """Learn nothing."""


def _refuse_to_learn() -> NoReturn:
    raise DeclarationError(
        "learn with a copy of a model that learns",
        found="two copies of one state would draw twice what was paid for once",
        fix="learn with the original, in its process; or with a clone, which spends for itself",
    )
