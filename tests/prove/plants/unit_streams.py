"""Mistakes in protecting all records of a unit of a stream together."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from fractions import Fraction
from typing import Any

from littlestone.learn.stream import DurableStream
from littlestone.learn.stream.offsets import FirstRecords
from littlestone.points import text
from littlestone.points.units import Unit
from littlestone.privacy.accounting.groups import growth
from littlestone.prove.audit.subjects.units import Steps, unit_neighbours, unit_stream
from plants.harness import Claim, Plant, is_private

EPSILON, DELTA = Fraction(1), Fraction(1, 100)
GROWN = DELTA * growth(EPSILON, 2)
"""The delta for two records, each of which has `DELTA`."""


class Written:
    """In place of a stream: writes down what it is given."""

    is_over = False

    def __init__(self) -> None:
        self.records: list[Any] = []

    def take(self, records: Any, *_: Any) -> None:
        self.records += records


class Process:
    """Takes the records of a stream of units, in batches of two."""

    kind: type[FirstRecords] = FirstRecords

    def __init__(self, most: int) -> None:
        self.first, self.written = self.kind(Unit("name", most)), Written()
        stream: Any = self.written
        self.run = DurableStream(stream, 1, False, None, self.first)

    def take(self, batch: Sequence[Any]) -> None:
        self.run.take([record for _, *record in batch], units=[whose for whose, *_ in batch])

    def taken(self, data: Steps) -> list[Any]:
        """What each step takes, in the end."""
        for begin in range(0, len(data), 2):
            self.take(data[begin : begin + 2])
        return self.written.records + [None] * (len(data) - len(self.written.records))


def moves_one_unit_alone(kind: type[Process]) -> bool:
    """Whether k steps differ at most between neighbours, and none of others if the unit stays away."""
    for most in (1, 2):
        for pair in unit_neighbours(3):
            one, other = (kind(most).taken(data) for data in pair)
            if sum(a != b for a, b in zip(one, other, strict=True)) > most:
                return False
            rest = [step for step in pair[0] if step[0] == "bob"]
            theirs = [a for a, (whose, *_) in zip(one, pair[0], strict=True) if whose == "bob"]
            if kind(most).taken(tuple(rest)) != theirs:
                return False
    return True


class Counting(FirstRecords):
    """`counts` by the records of each ``name`` so far."""

    def name(self, value: object) -> str:
        return text(value)

    def counts(self, value: object) -> bool:
        name = self.name(value)
        self._numbers[name] = self._numbers.get(name, 0) + 1
        return self._numbers[name] <= self._most


class OverAllUnits(Process):
    class kind(Counting):  # noqa: N801
        def name(self, value: object) -> str:
            return "all"


class OneMore(Process):
    class kind(Counting):  # noqa: N801
        def counts(self, value: object) -> bool:
            return self._numbers.get(text(value), 0) == 0 or super().counts(value)


class NoNameIsNobody(Process):
    class kind(Counting):  # noqa: N801
        def name(self, value: object) -> str:
            return text(value) or str(len(self._numbers))


class CountedInEachBatch(Process):
    def take(self, batch: Sequence[Any]) -> None:
        self.first._numbers.clear()
        super().take(batch)


class StepsMove(Process):
    def take(self, batch: Sequence[Any]) -> None:
        super().take(batch)
        self.written.records = [record for record in self.written.records if record is not None]


class PositivesCount(Process):
    """The honest one counts before it knows what a record holds."""

    def take(self, batch: Sequence[Any]) -> None:
        for whose, x, y in batch:
            counts = not y or self.first.counts(whose)
            self.written.records.append([x, y] if counts else None)


class EqualRecordsOfOthers(Process):
    def take(self, batch: Sequence[Any]) -> None:
        for whose, *record in batch:
            counts = self.first.counts(whose) and record not in self.written.records
            self.written.records.append(record if counts else None)


def _plant(name: str, mistake: str, broken: type[Process]) -> Plant:
    return Plant(f"unit_streams_{name}", mistake, moves_one_unit_alone, Process, broken)


PLANTS = [
    _plant("count_over_all", "The first k records of all units together count.", OverAllUnits),
    _plant("one_more", "One record more than the maximum counts.", OneMore),
    _plant("no_name", "Each record without a value is a unit of its own.", NoNameIsNobody),
    _plant("counted_in_each_batch", "Each batch counts the records of a unit anew.",
           CountedInEachBatch),
    _plant("steps_move", "A record that does not count takes no step.", StepsMove),
    _plant("positives_count", "Only positive records of a unit are counted.", PositivesCount),
    _plant("equal_records", "A record that equals an earlier one does not count.",
           EqualRecordsOfOthers),
    Plant(
        "unit_streams_whole_budget_a_record",
        "Each of the k records of a unit in a stream has all of epsilon and delta.",
        is_private,
        unit_stream(EPSILON, DELTA, 2, horizon=3),
        replace(unit_stream(2 * EPSILON, GROWN, 2, horizon=3), event=Claim(EPSILON, DELTA)),
    ),
]  # fmt: skip
