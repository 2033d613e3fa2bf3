"""The exact law of a run whose source delivers again after its process ended at one of its writes."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from fractions import Fraction
from itertools import chain
from typing import Any

import pytest

from littlestone.classes import Subsets
from littlestone.learn.stream import DurableStream
from littlestone.learn.stream.keys import KeyStream, naming_of
from littlestone.learn.stream.offsets import FirstRecords, Offsets
from littlestone.learn.stream.run import _single_lines
from littlestone.points import Integers
from littlestone.points.units import Unit
from littlestone.privacy.tape import Tape
from one_epoch import Short
from scripted import Script

Delivery = tuple[str, int, int, int]
"""Partition, offset, x and y."""

BATCHES: list[list[Delivery]] = [
    [("0", 0, 1, 1), ("1", 0, 2, 1)],
    [("0", 0, 1, 1), ("0", 5, 1, 1), ("0", 5, 1, 1), ("0", 6, 1, 1)],
]
UNIT = Unit("x", 2)
TAKEN = ((1, 1), (2, 1), (1, 1), None)
"""The fourth is the third one of its unit, and does not count."""
MECHANISM = Short(
    skip_epsilon=Fraction(1), test_epsilon=Fraction(1), delta=Fraction(1, 2), horizon=4
)
NAMING: Any = naming_of(Subsets(Integers(), 2))
WRITES = 3
"""No plant writes more often before its process ends."""

Law = dict[Any, Fraction]


class Few(Script):
    """With few outcomes of each wait, because what a process draws before its end is lost."""

    def geometric(self, a: Fraction, rng: object, *, most: int = 3) -> int:
        return super().geometric(a, rng, most=min(most, 2))


class Killed(BaseException):
    """The end of a process."""


class Process:
    """A process that begins a run, or resumes it from what was kept, and takes batches."""

    together = True

    def __init__(self, rng: Any, lines: Sequence[Any], keep: Callable[[Any], None]) -> None:
        self.keep, highest, seen = keep, dict[str, int](), dict[str, int]()
        kept = list(_single_lines(lines, highest, seen))
        stream = KeyStream(NAMING, MECHANISM, Tape(rng, self.kept, together=self.together))
        stream.begin_from(kept)
        noted = Offsets(highest), FirstRecords(UNIT, seen)
        self.run: DurableStream = DurableStream(stream, 1, bool(lines), *noted)

    def kept(self, batch: Any) -> None:
        self.keep(batch)

    def take(self, batch: Sequence[Delivery]) -> None:
        places = [(p, o) for p, o, *_ in batch]
        self.run.take([(x, y) for *_, x, y in batch], places, [x for *_, x, _ in batch])

    @property
    def seen(self) -> tuple[int, str, int]:
        stream = self.run.stream
        return stream.steps, stream.hypothesis.words(), stream.published_at


def law(kind: type[Process] = Process, kill: int = 0, *, before: bool = False) -> Law:
    """Of what is seen; the process ends before or after that write, and all is delivered again."""
    script = Few()

    def run() -> Any:
        lines, writes, seen = list[Any](), 0, dict[int, Any]()

        def keep(line: Any) -> None:
            nonlocal writes
            writes += 1
            if writes != kill or not before:
                lines.append(line)
            if writes == kill:
                raise Killed

        def follow(batches: list[list[Delivery]]) -> bool:
            process, alike = kind(script.generator(), lines, keep), True
            for batch in ([], *batches):
                process.take(batch)
                step, *rest = process.seen
                alike &= seen.setdefault(step, rest) == rest
            return alike

        try:
            alike = follow(BATCHES)
        except Killed:
            # All at once, so that the ends of batches are others.
            alike = follow([[*chain(*BATCHES)]])
        return alike, max(seen), *seen[max(seen)]

    with pytest.MonkeyPatch.context() as patch:
        script.take_over(patch)
        return {output: p for output, p in script.explore(run).items() if p}


def one_by_one() -> Law:
    """Of the run that takes each record once, without batches and offsets."""
    script = Few()

    def run() -> Any:
        stream = KeyStream(NAMING, MECHANISM, Tape(script.generator()))
        stream.begin_from()
        for record in TAKEN:
            stream.take([record])
        return True, stream.steps, stream.hypothesis.words(), stream.published_at

    with pytest.MonkeyPatch.context() as patch:
        script.take_over(patch)
        return {output: p for output, p in script.explore(run).items() if p}


def counts_each_record_once(kind: type[Process]) -> bool:
    """Whether the law is that of the records taken once, wherever the process ends."""
    whole = one_by_one()
    return all(
        law(kind, kill, before=before) == whole
        for kill in range(WRITES + 1)
        for before in (True, False)
    )
