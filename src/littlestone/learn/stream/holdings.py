"""The records that teachers hold from a stream: each goes to one teacher, for a few draws."""

from __future__ import annotations

import random
from dataclasses import dataclass, field
from typing import Any

KEPT = 30

Examples = tuple[tuple[Any, int], ...]


@dataclass(frozen=True)
class HeldRecord:
    """The record (x, y) of ``step``, with the number of draws ``before`` it."""

    step: int
    x: Any
    y: int
    before: int


@dataclass
class _Teacher:
    wrong: list[HeldRecord] = field(default_factory=list)
    right: dict[tuple[Any, int], HeldRecord] = field(default_factory=dict)


class Holdings:
    """The records of ``teachers`` teachers: all mistaken ones, and the last `KEPT` others of each.

    Each teacher gets one of every ``teachers`` steps, by a permutation that depends on ``key`` and on
    no record.  So one replaced record changes what one teacher holds, whether it was mistaken or not.
    If equal records were predicted correctly, only the last one counts.

    >>> held = Holdings(2, key=7)
    >>> held.take(HeldRecord(1, "a", 1, 0), wrong=True)
    >>> held.take(HeldRecord(2, "b", 0, 0), wrong=False)
    >>> held.parts()
    [((('a', 1),), ())]
    """

    def __init__(self, teachers: int, key: int) -> None:
        self.key = key
        self._order = list(range(teachers))
        self._block = -1
        self._teachers: dict[int, _Teacher] = {}

    def teacher(self, step: int) -> int:
        """The teacher of the record of that step, whatever the record; steps are 1, 2, ...."""
        # Once a block each teacher gets one step: by the step's number alone, so one record changes
        # one teacher.
        block, place = divmod(step - 1, len(self._order))
        if block != self._block:
            self._order.sort()
            # Any rule that ignores the records is as private; this one spreads the mistakes.
            random.Random(self.key + block).shuffle(self._order)
            self._block = block
        return self._order[place]

    def take(self, held: HeldRecord, *, wrong: bool) -> None:
        """Give a record to its teacher; ``wrong`` says whether it was predicted wrongly."""
        teacher = self._teachers.setdefault(self.teacher(held.step), _Teacher())
        if wrong:
            teacher.wrong.append(held)
            return
        example = held.x, held.y
        teacher.right.pop(example, None)
        teacher.right[example] = held
        if len(teacher.right) > KEPT:
            del teacher.right[next(iter(teacher.right))]

    def forget(self, first: int) -> None:
        """Drop the records that came before draw number ``first``."""
        for teacher in self._teachers.values():
            teacher.wrong = [held for held in teacher.wrong if held.before >= first]
            teacher.right = {e: held for e, held in teacher.right.items() if held.before >= first}

    def right_since(self, step: int) -> list[HeldRecord]:
        """The records held that were predicted correctly after ``step``, in the order of steps."""
        found = (held for part in self._teachers.values() for held in part.right.values())
        return sorted((held for held in found if held.step > step), key=lambda held: held.step)

    def parts(self) -> list[tuple[Examples, Examples]]:
        """The records of each teacher with mistakes: its mistakes and its other records."""
        return [
            (_examples(part.wrong), tuple(part.right))
            for part in self._teachers.values()
            if part.wrong
        ]


def _examples(records: list[HeldRecord]) -> Examples:
    return tuple((held.x, held.y) for held in records)
