"""The tape of a run over a stream: everything it draws, kept before anything can depend on it."""

from __future__ import annotations

import os
import random
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from types import MappingProxyType
from typing import Any, TypeVar

from littlestone.base.errors import ModelError, OutputError

Drawn = TypeVar("Drawn")

Keep = Callable[[Any], object]
"""Keep one line of plain JSON values, durable when it returns; its content is secret."""

NOTHING: Mapping[str, int] = MappingProxyType({})


class Tape:
    """Everything that a run draws, in order.  A run is a function of its records and its tape.

    A run draws by `draw` and in no other way.  `line` gives ``keep`` everything drawn since the last
    line, together with the step and the records for which it was drawn.  Inside `again` the values of
    one line are returned a second time, and nothing is drawn.

    The values are whole numbers, texts, None, and lists and dicts of these.

    A tape that keeps lines ``together`` gives ``keep`` nothing before `commit`, and then all lines
    since the last one as one line.  So after a crash there are all of them or none.

    >>> kept = []
    >>> tape = Tape(random.Random(1), kept.append)
    >>> tape.whole(lambda rng: rng.randrange(100))
    17
    >>> tape.line(3, lambda: [])
    >>> kept
    [[3, [], [17]]]
    >>> other = Tape(random.Random(2))
    >>> with other.again([17]):
    ...     other.whole(lambda rng: rng.randrange(100))
    17
    """

    def __init__(
        self, rng: random.Random, keep: Keep | None = None, *, together: bool = False
    ) -> None:
        self._rng, self._keep, self.together = rng, keep, together
        self._lines: list[list[Any]] = []
        self._drawn: list[Any] = []
        self._again: list[Any] | None = None  # the rest of a line, with the next value last
        self._broken, self._process = False, os.getpid()

    def draw(self, draw: Callable[[random.Random], Drawn], allowed: Callable[[Any], bool]) -> Drawn:
        """The next value: what ``draw`` makes of the generator, or what it made when it was drawn.

        Raises `ModelError` if the replayed line has no value here that is ``allowed``.
        """
        if self._again is None:
            # Noted before it is returned: nothing can depend on a value that no line will hold.
            self._drawn.append(value := draw(self._rng))
            return value
        if not self._again or not allowed(self._again[-1]):
            raise journal_mismatch()
        drawn: Drawn = self._again.pop()
        return drawn

    def whole(
        self,
        draw: Callable[[random.Random], int],
        least: int | None = 0,
        most: int | None = None,
    ) -> int:
        """`draw` a whole number from ``least`` to ``most``; None means no bound."""

        def is_allowed(value: Any) -> bool:
            return (
                type(value) is int
                and (least is None or value >= least)
                and (most is None or value <= most)
            )

        return self.draw(draw, is_allowed)

    @property
    def pending(self) -> bool:
        """Whether a drawn value is in no line yet, or a replayed value is still to be returned."""
        return bool(self._drawn if self._again is None else self._again)

    def line(self, step: int, told: Callable[[], list[Any]]) -> None:
        """Keep what was drawn since the last line at ``step``, with the records that ``told`` gives."""
        drawn, self._drawn = self._drawn, []
        if self._again is None and self._keep is not None:
            # `keep` returns when the line is durable; only then may what depends on it be
            # published.
            keep = self._lines.append if self.together else self._keep
            keep([step, told(), drawn])

    def commit(
        self, offsets: Mapping[str, int] = NOTHING, units: Mapping[str, int] = NOTHING
    ) -> None:
        """Keep all lines since the last call together, with their ``offsets`` and ``units``."""
        lines, self._lines = self._lines, []
        if self._keep is not None and (lines or offsets or units):
            counts = {"units": dict(units)} if units else {}
            self._keep({"offsets": dict(offsets), **counts, "lines": lines})

    @contextmanager
    def again(self, drawn: list[Any]) -> Iterator[None]:
        """Return these values once more, all of them; raises `ModelError` if some are left."""
        # Replay draws nothing, so a run that is read again publishes what it published before.
        self._again = drawn[::-1]
        yield
        if self._again:
            raise journal_mismatch()
        self._again = None

    def open(self) -> None:
        """Begin what must be completed by `close`; otherwise the run does not continue.

        Without `close` a draw may be counted nowhere, or missing from the file.  Raises `OutputError`
        from then on, and in a forked process, which would draw a second time.
        """
        # A forked copy has the same tape: both would draw from it what was paid for once.
        if os.getpid() != self._process:
            raise OutputError(
                "take another record",
                found="the run belongs to the process that began it",
                fix="go on there; two that go on from one state would draw twice",
            )
        if self._broken:
            raise OutputError(
                "take another record",
                found="the last one was not taken to its end, because an earlier line could not be "
                "kept or the call was interrupted",
                fix="begin again from the file of the run, or begin another run if it has none",
            )
        self._broken = True

    def close(self) -> None:
        """Note that everything begun by `open` is done and kept."""
        self._broken = False


def journal_mismatch() -> ModelError:
    """The error for a line of a tape that the run did not write."""
    return ModelError(
        "go on with a run",
        found="this learner did not write that line of the file",
        fix="give the lines that the run wrote, as they are",
    )
