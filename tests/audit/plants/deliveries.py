"""Mistakes in taking the records of a source that delivers again."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from delivered_process import Delivery, Process, counts_each_record_once
from plants.harness import Plant


class CountedAgain(Process):
    def take(self, batch: Sequence[Delivery]) -> None:
        self.run.stream.take([(x, y) for *_, x, y in batch], self._highest(batch))

    def _highest(self, batch: Sequence[Delivery]) -> dict[str, int]:
        for place in batch:
            self._offsets.is_new(*place[:2])
        return self._offsets.changed()

    @property
    def _offsets(self) -> Any:
        return self.run.offsets

    def new(self, batch: Sequence[Delivery]) -> list[tuple[int, int]]:
        return [(x, y) for p, o, x, y in batch if self._offsets.is_new(p, o)]


class OffsetsAfterTheDraw(CountedAgain):
    def take(self, batch: Sequence[Delivery]) -> None:
        self.run.stream.take(self.new(batch))
        if changed := self._offsets.changed():
            self.keep({"offsets": changed, "lines": []})


class OffsetsOnlyInMemory(CountedAgain):
    def take(self, batch: Sequence[Delivery]) -> None:
        self.run.stream.take(self.new(batch))


class DrawsKeptAtOnce(CountedAgain):
    together = False

    def kept(self, batch: Any) -> None:
        self.keep({"offsets": {}, "lines": [batch]})

    def take(self, batch: Sequence[Delivery]) -> None:
        self.run.stream.take(self.new(batch))
        if changed := self._offsets.changed():
            self.keep({"offsets": changed, "lines": []})


class EqualRecordsIgnored(CountedAgain):
    def take(self, batch: Sequence[Delivery]) -> None:
        new = list(dict.fromkeys(self.new(batch)))
        self.run.stream.take(new, self._offsets.changed())


def _plant(name: str, mistake: str, broken: type[Process]) -> Plant:
    return Plant(name, mistake, counts_each_record_once, Process, broken)


PLANTS = [
    _plant("deliveries_counted_again", "A record that is delivered again is taken again.",
           CountedAgain),
    _plant("deliveries_offset_after_the_draw", "Offsets are kept in a line after their batch.",
           OffsetsAfterTheDraw),
    _plant("deliveries_offset_in_memory", "Offsets are remembered, and not kept in the file.",
           OffsetsOnlyInMemory),
    _plant("deliveries_draws_kept_at_once", "Draws are kept one by one, before the batch is.",
           DrawsKeptAtOnce),
    _plant("deliveries_equal_records", "A record that equals another one of its batch is ignored.",
           EqualRecordsIgnored),
]  # fmt: skip
