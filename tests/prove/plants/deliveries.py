"""Mistakes in taking the records of a source that delivers again."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from delivered_process import Delivery, Process, counts_each_record_once
from littlestone.learn.stream.offsets import FirstRecords, Offsets
from plants.harness import Plant


class ByHand(Process):
    """Does by itself what `DurableStream.take` does."""

    @property
    def offsets(self) -> Offsets:
        assert self.run.offsets is not None
        return self.run.offsets

    @property
    def units(self) -> FirstRecords:
        assert self.run.units is not None
        return self.run.units

    def new(self, batch: Sequence[Delivery]) -> list[tuple[int, int] | None]:
        return [
            (x, y) if self.units.counts(x) else None
            for p, o, x, y in batch
            if self.offsets.is_new(p, o)
        ]

    @property
    def changed(self) -> tuple[dict[str, int], dict[str, int]]:
        return self.offsets.take_changes(), self.units.take_changes()


class CountedAgain(ByHand):
    def take(self, batch: Sequence[Delivery]) -> None:
        self.new(batch)
        self.run.stream.take([(x, y) for *_, x, y in batch], *self.changed)


class OffsetsAfterTheDraw(ByHand):
    def take(self, batch: Sequence[Delivery]) -> None:
        self.run.stream.take(self.new(batch), units=self.units.take_changes())
        if changed := self.offsets.take_changes():
            self.keep({"offsets": changed, "lines": []})


class OffsetsOnlyInMemory(ByHand):
    def take(self, batch: Sequence[Delivery]) -> None:
        self.run.stream.take(self.new(batch), units=self.units.take_changes())


class UnitsAfterTheDraw(ByHand):
    def take(self, batch: Sequence[Delivery]) -> None:
        self.run.stream.take(self.new(batch), self.offsets.take_changes())
        if changed := self.units.take_changes():
            self.keep({"offsets": {}, "units": changed, "lines": []})


class UnitsOnlyInMemory(ByHand):
    def take(self, batch: Sequence[Delivery]) -> None:
        self.run.stream.take(self.new(batch), self.offsets.take_changes())


class DrawsKeptAtOnce(ByHand):
    together = False

    def kept(self, batch: Any) -> None:
        self.keep({"offsets": {}, "lines": [batch]})

    def take(self, batch: Sequence[Delivery]) -> None:
        self.run.stream.take(self.new(batch))
        offsets, units = self.changed
        if offsets or units:
            self.keep({"offsets": offsets, "units": units, "lines": []})


class EqualRecordsIgnored(ByHand):
    def take(self, batch: Sequence[Delivery]) -> None:
        new = list(dict.fromkeys(self.new(batch)))
        self.run.stream.take(new, *self.changed)


def _plant(name: str, mistake: str, broken: type[Process]) -> Plant:
    return Plant(name, mistake, counts_each_record_once, Process, broken)


PLANTS = [
    _plant("deliveries_counted_again", "A record that is delivered again is taken again.",
           CountedAgain),
    _plant("deliveries_offset_after_the_draw", "Offsets are kept in a line after their batch.",
           OffsetsAfterTheDraw),
    _plant("deliveries_offset_in_memory", "Offsets are remembered, and not kept in the file.",
           OffsetsOnlyInMemory),
    _plant("deliveries_units_after_the_draw", "How many records a unit had is kept after their batch.",
           UnitsAfterTheDraw),
    _plant("deliveries_units_in_memory", "How many records a unit had is not kept in the file.",
           UnitsOnlyInMemory),
    _plant("deliveries_draws_kept_at_once", "Draws are kept one by one, before the batch is.",
           DrawsKeptAtOnce),
    _plant("deliveries_equal_records", "A record that equals another one of its batch is ignored.",
           EqualRecordsIgnored),
]  # fmt: skip
